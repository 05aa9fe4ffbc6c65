//! Searches by engines: a move, the analysis of a position, and the review of a game. The last two are streamed as
//! server-sent events, and closing the connection stops them.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State as Shared;
use axum::response::sse::{Event, KeepAlive, Sse};
use buxtehude::protocol::{Command, Go, Info, OptionKind, OptionOffer, PositionCommand, Score};
use buxtehude::rules::{AnyPosition, Turn};
use futures_util::stream::{self, Stream};
use matches::judge;
use matches::plan::{Limit, TimeLimit};
use matches::play::engine::{Offers, VARIANT_OPTION, option_commands};
use matches::record::is_estimate;
use matches::review::{Appraisal, Appraise, PlayedGame, review as review_of};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::App;
use crate::error::{ApiError, quoted};
use crate::game::{Game, Played, Took, steps_of};
use crate::pool::{Entry, Found, Pending, Purpose, Question, Role};
use crate::requests::{Admitted, ClientId, JsonAnswer, JsonRequest, object};

/// Keywords of a limit.
const LIMIT_WORDS: [&str; 3] = ["movetime", "depth", "nodes"];
/// Default limit for each search of a review.
const REVIEW_LIMIT: &str = "nodes 100000";
const MAX_OPTIONS: usize = 64;
/// Maximum length of a limit or of the value of an option.
const MAX_VALUE_LENGTH: usize = 200;
/// Maximum number of moves and cards of a reported line.
const MAX_WORDS_OF_A_LINE: usize = 64;
/// Maximum number of them with their effects.
const MAX_STEPS_OF_A_LINE: usize = 10;
/// Capacity for events that have not been sent.
const MAX_UNSENT: usize = 16;

/// Request of a search; docs/table.md describes the fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    #[serde(deserialize_with = "object")]
    game: Game,
    engine: Option<String>,
    limit: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, String>,
}

/// Answer of `POST /api/ai`.
#[derive(Debug, Serialize)]
struct AiAnswer {
    #[serde(flatten)]
    took: Took,
    #[serde(flatten)]
    found: Value,
}

/// Validated settings of a search, independent of the position.
#[derive(Clone, Debug)]
struct SearchTerms {
    role: Role,
    go: Go,
    options: Vec<(String, String)>,
}

impl SearchRequest {
    /// Plays the game, and validates the engine, the limit and the options of the search. Without an engine it is the
    /// first one; without a limit, `usual` or the engine's own.
    fn checked(self, app: &App, usual: Option<&str>) -> Result<(Played, SearchTerms), ApiError> {
        let played = self.game.replay()?;
        let engine = named(app, self.engine.as_deref())?;
        let longest = app.limits.longest_search;
        let go = match self.limit.as_deref().or(usual) {
            Some(limit) => parse_limit(limit, longest)?,
            None => bounded(go_of(engine.spec.limit), longest),
        };
        let options = checked_options(app, engine, &self.options)?;
        let role = Role { engine: engine.clone(), variant: played.variant };
        Ok((played, SearchTerms { role, go, options }))
    }
}

const PRESET: &str = "Preset";

impl SearchTerms {
    /// A search for estimates: by the tree of an engine that has this preset, unless the client or the server chose
    /// another. Means over a tree are more precise than the value of the best line.
    fn for_estimates(mut self, app: &App) -> SearchTerms {
        let engine = &self.role.engine;
        let mut chosen = self.options.iter().chain(&engine.spec.options);
        if !chosen.any(|(name, _)| name.eq_ignore_ascii_case(PRESET)) {
            let tree = BTreeMap::from([(PRESET.into(), "tree".into())]);
            self.options.extend(checked_options(app, engine, &tree).unwrap_or_default());
        }
        self
    }

    /// Returns the question about a game.
    ///
    /// # Errors
    /// [`ApiError`] if no seat is to move.
    fn question(&self, played: &Played) -> Result<Question, ApiError> {
        let due = match played.position.turn() {
            Turn::Seat(_) => {
                return Ok(self.question_at(played.command(), &played.position));
            }
            Turn::Card(_) => "a card is due",
            Turn::Over => "the game is over",
        };
        let expected = "expected a game where a seat is to move";
        Err(ApiError::invalid(format!("{due}; {expected}")))
    }

    /// Returns the question about a position with a seat to move.
    fn question_at(&self, command: PositionCommand, position: &AnyPosition) -> Question {
        let legal = position.legal_actions();
        let mut go = self.go.clone();
        if self.role.engine.spec.legal {
            go.searchmoves.clone_from(&legal);
        }
        Question {
            role: self.role.clone(),
            position: command,
            legal,
            go,
            options: self.options.clone(),
        }
    }
}

/// `POST /api/ai`
///
/// # Errors
/// [`ApiError`] if the request is invalid or the engine fails.
pub async fn ai(
    Shared(app): Shared<App>,
    request: JsonRequest<SearchRequest>,
) -> Result<JsonAnswer, ApiError> {
    let (admitted, server) = (request.admitted.clone(), app.clone());
    let prepare = move |request: SearchRequest| {
        let (played, terms) = request.checked(&server, None)?;
        let question = terms.question(&played)?;
        Ok((played, terms, question))
    };
    let (played, terms, question) = request.run(prepare).await?;
    let found = app.pool.ask(admitted.client, question, Purpose::Move).wait().await?;
    let answer = move || {
        let position = &played.position;
        let said = json!({
            "move": found.mv,
            "engine": terms.role.engine.spec.name,
            "estimate": final_estimate(&found, position),
            "depth": found.info.depth,
            "nodes": found.info.nodes,
            "pv": legal_line(&found.info, *position),
        });
        Ok(AiAnswer { took: played.advance(Some(found.mv), true, app.seed)?, found: said })
    };
    JsonAnswer::by(admitted, answer).await
}

/// `POST /api/analyse`: streams events `queue` while the search waits, `info` for each report of the engine, and
/// finally `done` or `error`.
///
/// # Errors
/// [`ApiError`] if the request is invalid; later errors are events.
pub async fn analyse(
    Shared(app): Shared<App>,
    request: JsonRequest<SearchRequest>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let (admitted, server) = (request.admitted.clone(), app.clone());
    let prepare = move |request: SearchRequest| {
        let longest = format!("movetime {}", server.limits.longest_search.as_millis());
        let (played, terms) = request.checked(&server, Some(&longest))?;
        Ok((terms.for_estimates(&server).question(&played)?, played.position))
    };
    let (question, position) = request.run(prepare).await?;
    let pending = app.pool.ask(admitted.client, question, Purpose::Analysis);
    let (events, sent) = mpsc::channel(MAX_UNSENT);
    tokio::spawn(async move {
        let info = |info: &Info| Some(event("info", &report(info, &position)));
        let last = match follow(pending, &events, info).await {
            Ok(found) => {
                let estimate = final_estimate(&found, &position);
                event("done", &json!({ "move": found.mv, "estimate": estimate }))
            }
            Err(error) => event("error", &error.body()),
        };
        // This fails if the client has closed the connection.
        let _ = events.send(last).await;
    });
    Ok(sse(sent, admitted))
}

/// `POST /api/review`: streams an event `queue` if it must wait, an event `move` for each move, with its loss and the
/// luck of its cards, and finally `done` or `error`.
///
/// # Errors
/// [`ApiError`] if the request is invalid; later errors are events.
pub async fn review(
    Shared(app): Shared<App>,
    request: JsonRequest<SearchRequest>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let (admitted, server) = (request.admitted.clone(), app.clone());
    let prepare = move |request: SearchRequest| {
        let (played, terms) = request.checked(&server, Some(REVIEW_LIMIT))?;
        Ok((played, terms.for_estimates(&server)))
    };
    let (played, terms) = request.run(prepare).await?;
    let game = PlayedGame {
        rules: played.variant.into(),
        start: played.first.into(),
        words: played.words().to_vec(),
        opening: 0,
        places: None,
    };
    admitted.begin_review()?;
    let (events, sent) = mpsc::channel(MAX_UNSENT);
    let in_progress = admitted.clone();
    tokio::task::spawn_blocking(move || {
        let client = in_progress.client;
        let mut appraiser = PoolAppraiser { app: &app, client, terms: &terms, events: &events };
        let done = review_of(&game, &mut appraiser, |mv| {
            match events.blocking_send(event("move", mv)) {
                Ok(()) => ControlFlow::Continue(()),
                // The client has closed the connection.
                Err(_) => ControlFlow::Break(()),
            }
        });
        let last = match done {
            Ok(review) => event("done", &json!({ "seats": review.sums(), "start": review.start })),
            Err(error) => event("error", &ApiError::bad_gateway(error.to_string()).body()),
        };
        // This fails if the client has closed the connection.
        let _ = events.blocking_send(last);
    });
    Ok(sse(sent, admitted))
}

/// Evaluates positions by an engine of the pool until the client closes the connection.
struct PoolAppraiser<'a> {
    app: &'a App,
    client: ClientId,
    terms: &'a SearchTerms,
    events: &'a mpsc::Sender<Event>,
}

impl Appraise for PoolAppraiser<'_> {
    type Error = ApiError;

    fn appraise(&mut self, question: judge::Question<'_>) -> Result<Appraisal, ApiError> {
        let command = format!("position {}", question.text()).parse();
        let Ok(Command::Position(command)) = command else {
            let message = format!("{:?} is not a position", question.line);
            return Err(ApiError::bad_gateway(message));
        };
        let Some(position) = question.position.built_in() else {
            return Err(ApiError::bad_gateway("its rules are not built in".to_string()));
        };
        let asked = self.terms.question_at(command, position);
        let pending = self.app.pool.ask(self.client, asked, Purpose::Analysis);
        let found = Handle::current().block_on(follow(pending, self.events, |_| None))?;
        let shares = final_estimate(&found, position);
        let shares = shares.ok_or_else(|| {
            let expected = format!("expected {} shares of 1000", position.seats());
            ApiError::bad_gateway(format!("the engine sent no estimate; {expected}"))
        })?;
        Ok(Appraisal { shares: shares.into_iter().map(f64::from).collect(), best: found.mv })
    }
}

/// Waits for the answer of a search, and meanwhile sends the number of searches before it and its reports, unless
/// `event_of` drops them. The search ends if the client closes the connection.
///
/// # Errors
/// [`ApiError`] if the search fails.
async fn follow(
    mut pending: Pending,
    events: &mpsc::Sender<Event>,
    event_of: impl Fn(&Info) -> Option<Event>,
) -> Result<Found, ApiError> {
    let Pending { infos, ahead, answer, .. } = &mut pending;
    // Last reported number of searches before this one.
    let mut reported = 0;
    ahead.mark_changed();
    loop {
        let next = tokio::select! {
            biased;
            () = events.closed() => return Err(ApiError::ending()),
            Ok(()) = ahead.changed() => {
                let ahead = *ahead.borrow_and_update();
                if ahead == 0 || ahead == reported {
                    continue;
                }
                reported = ahead;
                Some(event("queue", &json!({ "ahead": ahead })))
            }
            Some(info) = infos.recv() => event_of(&info),
            answer = &mut *answer => return answer.unwrap_or_else(|_| Err(ApiError::ending())),
        };
        if let Some(next) = next {
            events.send(next).await.map_err(|_| ApiError::ending())?;
        }
    }
}

/// Data of an event `info`.
fn report(info: &Info, position: &AnyPosition) -> Value {
    let pv = legal_line(info, *position);
    json!({
        "line": info.multipv.unwrap_or(1),
        "move": pv.first(),
        "pv": pv,
        "steps": steps_of(*position, pv.iter().take(MAX_STEPS_OF_A_LINE)),
        "estimate": Some(&info.estimate).filter(|shares| is_estimate(shares, position.seats())),
        "score": info.score.as_ref().map(Score::to_string),
        "depth": info.depth,
        "nodes": info.nodes,
        "nps": info.nps,
        "time": info.time,
    })
}

/// Returns the estimate of an answer or, without a valid one, of its last report.
fn final_estimate(found: &Found, position: &AnyPosition) -> Option<Vec<u16>> {
    let mut said = [&found.estimate, &found.info.estimate].into_iter();
    said.find(|shares| is_estimate(shares, position.seats())).cloned()
}

/// Returns an engine's line up to its first illegal move or card.
fn legal_line(info: &Info, mut position: AnyPosition) -> Vec<String> {
    let words = info.pv.iter().take(MAX_WORDS_OF_A_LINE);
    words.take_while(|word| position.play(word).is_ok()).cloned().collect()
}

/// The answer with these events, which keeps its request in progress.
fn sse(
    mut events: mpsc::Receiver<Event>,
    admitted: Arc<Admitted>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = stream::poll_fn(move |context| {
        let _ = &admitted;
        events.poll_recv(context).map(|event| event.map(Ok))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

fn event(name: &str, data: &impl Serialize) -> Event {
    // Serializing numbers and strings cannot fail.
    let text = serde_json::to_string(data).unwrap_or_default();
    Event::default().event(name).data(text)
}

// --- Engines ---

fn named<'a>(app: &'a App, name: Option<&str>) -> Result<&'a Arc<Entry>, ApiError> {
    let mut entries = app.pool.entries().iter();
    let found = entries.find(|entry| name.is_none_or(|name| entry.spec.name == name));
    found.ok_or_else(|| {
        let entries = app.pool.entries().iter();
        let names = Vec::from_iter(entries.map(|entry| entry.spec.name.as_str())).join(", ");
        let name = quoted(name.unwrap_or_default());
        ApiError::invalid(format!("there is no engine {name}; expected one of {names}"))
    })
}

// --- Limits ---

/// Parses a limit: `movetime 100`, `depth 3`, `nodes 1000`, or several of these together.
fn parse_limit(text: &str, longest: Duration) -> Result<Go, ApiError> {
    let words: Vec<&str> = text.split(' ').collect();
    let are_pairs = words.chunks(2).all(|pair| match pair {
        [word, number] => {
            LIMIT_WORDS.contains(word) && number.bytes().all(|byte| byte.is_ascii_digit())
        }
        _ => false,
    });
    let parsed = match format!("go {text}").parse() {
        Ok(Command::Go(go)) if are_pairs && text.len() <= MAX_VALUE_LENGTH => go,
        _ => {
            let expected = "expected movetime, depth or nodes, each with a number above 0, one of them at least";
            return Err(ApiError::invalid(format!("limit {}; {expected}", quoted(text))));
        }
    };
    let go = bounded(parsed.clone(), longest);
    if parsed.movetime.is_some() && parsed.movetime != go.movetime {
        return Err(ApiError::invalid(format!(
            "limit {}; expected a movetime of at most {}",
            quoted(text),
            longest.as_millis()
        )));
    }
    Ok(go)
}

/// Adds a time of at most `longest`.
fn bounded(go: Go, longest: Duration) -> Go {
    let longest = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    let movetime = go.movetime.map_or(longest, |time| time.min(longest));
    Go { movetime: Some(movetime), ..go }
}

fn go_of(limit: Limit) -> Go {
    let movetime = match limit.time {
        Some(TimeLimit::Move(time)) => u64::try_from(time.as_millis()).ok(),
        // A clock is for whole games, and a request has only one search.
        Some(TimeLimit::Clock(_)) | None => None,
    };
    Go { movetime, depth: limit.depth, nodes: limit.nodes, ..Go::default() }
}

// --- Options ---

/// Whether a client may set an option. Strings may name files, and the effect of a button cannot be undone.
pub(super) fn is_free(offer: &OptionOffer) -> bool {
    !offer.name.eq_ignore_ascii_case(VARIANT_OPTION)
        && !matches!(offer.kind, OptionKind::String { .. } | OptionKind::Button)
}

/// Maximum for clients, if it is below the engine's.
pub(super) fn highest(app: &App, name: &str) -> Option<i64> {
    let mut bounds =
        [("Hash", app.limits.most_hash), ("Threads", app.limits.most_threads)].into_iter();
    let found = bounds.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, highest)| highest)
}

/// Returns the requested options, with the engine's spelling of their names.
fn checked_options(
    app: &App,
    engine: &Entry,
    requested: &BTreeMap<String, String>,
) -> Result<Vec<(String, String)>, ApiError> {
    let found = requested.len();
    if found > MAX_OPTIONS {
        let message = format!("{found} options; expected at most {MAX_OPTIONS}");
        return Err(ApiError::invalid(message));
    }
    let offers = engine.introduction().offers;
    let mut options: Vec<(String, String)> = Vec::new();
    for (name, value) in requested {
        let refuse = |what: &str| {
            let message = format!("option {}: {what}", quoted(name));
            Err(ApiError::invalid(message))
        };
        let offer = offers.iter().find(|offer| offer.name.eq_ignore_ascii_case(name));
        let Some(offer) = offer else {
            return refuse(
                "the engine does not offer it; expected one that GET /api/engines lists",
            );
        };
        if !is_free(offer) {
            return refuse("clients may not set it; expected one that GET /api/engines lists");
        }
        if options.iter().any(|(known, _)| *known == offer.name) {
            return refuse("it is given twice; expected each option once");
        }
        if value.len() > MAX_VALUE_LENGTH {
            return refuse(&format!(
                "its value is too long; expected at most {MAX_VALUE_LENGTH} bytes"
            ));
        }
        if let Some(highest) = highest(app, name)
            && value.parse::<i64>().is_ok_and(|value| value > highest)
        {
            return refuse(&format!("{value}; expected at most {highest}"));
        }
        options.push((offer.name.clone(), value.clone()));
    }
    let offers = Offers { readable: offers, unreadable: Vec::new() };
    let commands = option_commands(&engine.spec.name, &options, &offers);
    commands.map_err(|error| ApiError::invalid(error.to_string()))?;
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_SEARCH: Duration = Duration::from_secs(5);

    fn parsed(text: &str) -> String {
        Command::Go(parse_limit(text, MAX_SEARCH).unwrap()).to_string()
    }

    #[test]
    fn a_search_always_has_a_time() {
        assert_eq!(parsed("movetime 100"), "go movetime 100");
        assert_eq!(parsed("depth 3 nodes 7"), "go depth 3 nodes 7 movetime 5000");
        let usual = bounded(go_of(Limit::movetime(Duration::from_secs(60))), MAX_SEARCH);
        assert_eq!(usual.movetime, Some(5000));
    }

    #[test]
    fn malformed_limits_are_refused() {
        for text in [
            "", " ", "movetime", "movetime 0", "movetime 5001", "depth 3 depth 4", "infinite",
            "ponder", "depth  3", "depth -1", "depth 3\nquit", "nodes 1 searchmoves 4", "perft 3",
            "depth 99999999999999999999",
        ] {
            assert!(parse_limit(text, MAX_SEARCH).is_err(), "{text:?}");
        }
    }
}
