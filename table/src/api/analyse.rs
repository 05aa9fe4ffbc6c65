//! The analysis of a position, streamed as server-sent events.

use std::collections::BTreeMap;
use std::convert::Infallible;

use axum::extract::State as Shared;
use axum::response::sse::{Event, KeepAlive, Sse};
use buxtehude::protocol::{Info, Score};
use buxtehude::rules::AnyPosition;
use futures_util::stream::{self, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::App;
use super::search::{SearchTerms, estimate, legal_line};
use crate::access::JsonBody;
use crate::board::Game;
use crate::error::ApiError;
use crate::pool::{Found, Permit, SearchError};

/// Request of `POST /api/analyse`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyseRequest {
    /// The game; a seat must be to move.
    pub game: Game,
    /// Name of the engine; by default the first one.
    #[serde(default)]
    pub engine: Option<String>,
    /// Limit of the search; by default the server's maximum time.
    #[serde(default)]
    pub limit: Option<String>,
    /// Number of best moves to report.
    #[serde(default)]
    pub lines: Option<usize>,
    /// Options of the engine for this search, by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

/// Data of an event `queue`.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct QueueEvent {
    /// Number of searches before this one.
    pub ahead: usize,
}

/// Data of an event `info`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InfoEvent {
    /// Rank of the move among the best, from 1.
    pub line: u32,
    /// The move.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// Principal variation: moves and cards that the engine expects, up to the first illegal one.
    pub pv: Vec<String>,
    /// Each seat's expected share of all points, in permille; `null` if the engine reports none.
    pub estimate: Option<Vec<u16>>,
    /// The mover's score in the protocol's notation, such as `cp 31` or `mate -2`.
    pub score: Option<String>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Positions visited per second.
    pub nps: Option<u64>,
    /// Milliseconds since the search began.
    pub time: Option<u64>,
}

/// Data of the event `done`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DoneEvent {
    /// The best move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Each seat's expected share of all points, in permille; `null` if the engine reports none.
    pub estimate: Option<Vec<u16>>,
}

/// `POST /api/analyse`: streams events `queue` while the search waits, `info` for each report of the engine, and
/// finally `done` or `error`. Closing the connection stops the search.
///
/// # Errors
/// [`ApiError`] if the request is invalid; later errors are events.
pub async fn analyse(
    Shared(app): Shared<App>,
    JsonBody(request): JsonBody<AnalyseRequest>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let played = request.game.play()?;
    let longest = format!("movetime {}", app.bounds.longest.as_millis());
    let limit = request.limit.unwrap_or(longest);
    let engine = request.engine.as_deref();
    let mut terms = SearchTerms::new(&app, engine, Some(&limit), &request.options)?;
    terms.set_lines(request.lines.unwrap_or(1))?;
    let permit = app.pool.ask(terms.question(&played)?, true)?;
    let analysis = Analysis {
        permit,
        position: played.position,
        told: None,
    };
    let events = stream::unfold(Some(analysis), |analysis| async {
        let (event, analysis) = analysis?.next().await;
        Some((Ok(event), analysis))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// A running analysis.
struct Analysis {
    permit: Permit,
    position: AnyPosition,
    /// Last reported number of searches before this one.
    told: Option<usize>,
}

enum News {
    Ahead(usize),
    Info(Info),
    Answer(Result<Found, SearchError>),
}

impl Analysis {
    /// Returns the next event, and the analysis unless it has ended.
    async fn next(mut self) -> (Event, Option<Analysis>) {
        loop {
            match self.news().await {
                News::Ahead(ahead) if ahead > 0 && self.told != Some(ahead) => {
                    self.told = Some(ahead);
                    return (event("queue", &QueueEvent { ahead }), Some(self));
                }
                News::Ahead(_) => {}
                News::Info(info) => {
                    let info = InfoEvent::of(&info, &self.position);
                    return (event("info", &info), Some(self));
                }
                News::Answer(Ok(found)) => {
                    let said = [&found.estimate, &found.info.estimate];
                    let estimate = estimate(said, &self.position);
                    let mv = found.mv;
                    return (event("done", &DoneEvent { mv, estimate }), None);
                }
                News::Answer(Err(error)) => {
                    return (event("error", &ApiError::from(error).body()), None);
                }
            }
        }
    }

    async fn news(&mut self) -> News {
        let Permit {
            infos,
            ahead,
            answer,
            ..
        } = &mut self.permit;
        if self.told.is_none() {
            // The channel does not signal its initial value as a change.
            self.told = Some(0);
            return News::Ahead(*ahead.borrow_and_update());
        }
        let info = async { infos.as_mut()?.recv().await };
        tokio::select! {
            biased;
            Ok(()) = ahead.changed() => News::Ahead(*ahead.borrow_and_update()),
            Some(info) = info => News::Info(info),
            answer = answer => News::Answer(answer.unwrap_or(Err(SearchError::Ending))),
        }
    }
}

impl InfoEvent {
    fn of(info: &Info, position: &AnyPosition) -> InfoEvent {
        let pv = legal_line(info, *position);
        InfoEvent {
            line: info.multipv.unwrap_or(1),
            mv: pv.first().cloned(),
            pv,
            estimate: estimate([&info.estimate], position),
            score: info.score.as_ref().map(Score::to_string),
            depth: info.depth,
            nodes: info.nodes,
            nps: info.nps,
            time: info.time,
        }
    }
}

pub(super) fn event(name: &str, data: &impl Serialize) -> Event {
    // Serializing numbers and strings cannot fail.
    let text = serde_json::to_string(data).unwrap_or_default();
    Event::default().event(name).data(text)
}
