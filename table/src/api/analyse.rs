//! The analysis of a position, told as it goes on, as server-sent events.

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
use super::search::{Wish, estimate, legal_line, question};
use crate::board::Game;
use crate::door::{Refusal, Wanted};
use crate::pool::{Failing, Found, Ticket};

/// What `POST /api/analyse` takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyseRequest {
    /// The game, in which a seat is to move.
    pub game: Game,
    /// The name of the engine; the first one where none is named.
    #[serde(default)]
    pub engine: Option<String>,
    /// The limit of the search; as long as the server allows where none is given.
    #[serde(default)]
    pub limit: Option<String>,
    /// How many of the best moves are told.
    #[serde(default)]
    pub lines: Option<usize>,
    /// Options of the engine for this search, by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

/// The data of an event `queue`.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct QueueEvent {
    /// How many searches are before this one.
    pub ahead: usize,
}

/// The data of an event `info`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InfoEvent {
    /// The rank of the move among the best, from 1.
    pub line: u32,
    /// The move.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The moves and cards that the engine expects, as far as the rules allow them.
    pub pv: Vec<String>,
    /// Each seat's expected share of all points, in permille; `null` where the engine says none.
    pub estimate: Option<Vec<u16>>,
    /// The mover's score as the protocol spells it, such as `cp 31` or `mate -2`.
    pub score: Option<String>,
    /// Plies.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Positions visited a second.
    pub nps: Option<u64>,
    /// Milliseconds since the search began.
    pub time: Option<u64>,
}

/// The data of the event `done`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DoneEvent {
    /// The best move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Each seat's expected share of all points, in permille; `null` where the engine says none.
    pub estimate: Option<Vec<u16>>,
}

/// `POST /api/analyse`: events `queue` while it waits, `info` as the engine says something, and at the end `done` or
/// `error`. Closing the connection ends the search.
///
/// # Errors
/// [`Refusal`] says what is wrong with the request; what goes wrong later is an event.
pub async fn analyse(
    Shared(app): Shared<App>,
    Wanted(request): Wanted<AnalyseRequest>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let AnalyseRequest {
        game,
        engine,
        limit,
        lines,
        options,
    } = request;
    let played = game.play()?;
    let longest = format!("movetime {}", app.bounds.longest.as_millis());
    let wish = Wish {
        engine: engine.as_deref(),
        limit: Some(limit.as_deref().unwrap_or(&longest)),
        options: &options,
        lines,
    };
    if lines == Some(0) {
        return Err(Refusal::Wrong("lines 0; expected at least 1".to_string()));
    }
    let question = question(&app, &played, wish)?;
    let ticket = app.pool.ask(question, true)?;
    let analysis = Analysis {
        ticket,
        position: played.position,
        told: None,
    };
    let events = stream::unfold(Some(analysis), |analysis| async {
        let (event, analysis) = analysis?.next().await;
        Some((Ok(event), analysis))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// An analysis that goes on.
struct Analysis {
    ticket: Ticket,
    position: AnyPosition,
    /// How many were told to be ahead.
    told: Option<usize>,
}

/// What happens next.
enum News {
    Ahead(usize),
    Info(Info),
    Answer(Result<Found, Failing>),
}

impl Analysis {
    /// The next event, and what is left then.
    async fn next(mut self) -> (Event, Option<Analysis>) {
        loop {
            match self.news().await {
                News::Ahead(ahead) => {
                    if ahead > 0 && self.told != Some(ahead) {
                        self.told = Some(ahead);
                        return (event("queue", &QueueEvent { ahead }), Some(self));
                    }
                }
                News::Info(info) => {
                    let event = event("info", &InfoEvent::of(&info, &self.position));
                    return (event, Some(self));
                }
                News::Answer(Ok(found)) => {
                    let estimate =
                        estimate([&found.estimate, &found.info.estimate], &self.position);
                    return (
                        event(
                            "done",
                            &DoneEvent {
                                mv: found.mv,
                                estimate,
                            },
                        ),
                        None,
                    );
                }
                News::Answer(Err(failing)) => {
                    return (event("error", &Refusal::from(failing).body()), None);
                }
            }
        }
    }

    async fn news(&mut self) -> News {
        let Ticket {
            infos,
            ahead,
            answer,
            ..
        } = &mut self.ticket;
        if self.told.is_none() {
            // What it is at the beginning is no change.
            self.told = Some(0);
            return News::Ahead(*ahead.borrow_and_update());
        }
        let info = async {
            match infos {
                Some(infos) => infos.recv().await,
                None => None,
            }
        };
        tokio::select! {
            biased;
            Ok(()) = ahead.changed() => News::Ahead(*ahead.borrow_and_update()),
            Some(info) = info => News::Info(info),
            answer = answer => News::Answer(answer.unwrap_or(Err(Failing::Ending))),
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
    // Numbers and texts can always be written.
    let text = serde_json::to_string(data).unwrap_or_default();
    Event::default().event(name).data(text)
}
