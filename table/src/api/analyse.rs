//! The analysis of a position, streamed as server-sent events.

use std::collections::BTreeMap;
use std::convert::Infallible;

use axum::extract::State as Shared;
use axum::response::sse::{Event, KeepAlive, Sse};
use buxtehude::protocol::{Info, Score};
use buxtehude::rules::AnyPosition;
use futures_util::stream::{self, Stream};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::App;
use super::search::{SearchTerms, estimate, legal_line};
use crate::admission::{JobKind, LongJob, QueuedJob};
use crate::board::Game;
use crate::body::{JsonRequest, object};
use crate::error::ApiError;
use crate::pool::{Found, Permit, SearchError};

/// Capacity for events that have not been sent.
pub(super) const MAX_UNSENT: usize = 16;

/// Request of `POST /api/analyse`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyseRequest {
    /// The game; a seat must be to move.
    #[serde(deserialize_with = "object")]
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
#[derive(Clone, Copy, Debug, Serialize)]
pub struct QueueEvent {
    /// Number of searches before this one.
    pub ahead: usize,
}

/// Data of an event `info`.
#[derive(Clone, Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
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
    request: JsonRequest<AnalyseRequest>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let place = request.place.clone();
    let queued = place.queue_long_job(JobKind::Analysis)?;
    let terms_of = app.clone();
    let prepare = move |request: AnalyseRequest| {
        let played = request.game.play()?;
        let longest = format!("movetime {}", terms_of.bounds.longest.as_millis());
        let limit = request.limit.unwrap_or(longest);
        let engine = request.engine.as_deref();
        let mut terms = SearchTerms::new(&terms_of, engine, Some(&limit), &request.options)?;
        terms.set_lines(request.lines.unwrap_or(1))?;
        Ok((terms.question(&played)?, played.position))
    };
    let (question, position) = request.run(prepare).await?;
    let (events, sent) = mpsc::channel(MAX_UNSENT);
    tokio::spawn(async move {
        let Some(job) = turn(queued, &events).await else { return };
        match app.pool.ask(place.client(), question, true) {
            Ok(permit) => follow(job, permit, position, events).await,
            Err(error) => {
                // This fails if the client has closed the connection.
                let _ = events.send(event("error", &ApiError::from(error).body())).await;
            }
        }
    });
    Ok(sse(sent))
}

/// Waits for a job's turn, and tells the client how many of its jobs come first; `None` if the client closes the
/// connection.
pub(super) async fn turn(queued: QueuedJob, events: &mpsc::Sender<Event>) -> Option<LongJob> {
    let ahead = queued.ahead;
    if ahead > 0 {
        events.send(event("queue", &QueueEvent { ahead })).await.ok()?;
    }
    tokio::select! {
        () = events.closed() => None,
        turn = queued.turn() => turn.ok(),
    }
}

/// Sends the events of a search until it ends, or the client closes the connection.
async fn follow(
    _job: LongJob,
    mut permit: Permit,
    position: AnyPosition,
    events: mpsc::Sender<Event>,
) {
    let Permit { infos, ahead, answer, .. } = &mut permit;
    // Last reported number of searches before this one.
    let mut told = 0;
    ahead.mark_changed();
    loop {
        let info = async { infos.as_mut()?.recv().await };
        let next = tokio::select! {
            biased;
            () = events.closed() => return,
            Ok(()) = ahead.changed() => {
                let ahead = *ahead.borrow_and_update();
                if ahead == 0 || ahead == told {
                    continue;
                }
                told = ahead;
                event("queue", &QueueEvent { ahead })
            }
            Some(info) = info => event("info", &InfoEvent::of(&info, &position)),
            answer = &mut *answer => {
                let last = last_event(answer.unwrap_or(Err(SearchError::Ending)), &position);
                // This fails if the client has closed the connection.
                let _ = events.send(last).await;
                return;
            }
        };
        if events.send(next).await.is_err() {
            return;
        }
    }
}

fn last_event(answer: Result<Found, SearchError>, position: &AnyPosition) -> Event {
    match answer {
        Ok(found) => {
            let estimate = estimate([&found.estimate, &found.info.estimate], position);
            let mv = found.mv;
            event("done", &DoneEvent { mv, estimate })
        }
        Err(error) => event("error", &ApiError::from(error).body()),
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

pub(super) fn sse(
    mut events: mpsc::Receiver<Event>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events =
        stream::poll_fn(move |context| events.poll_recv(context).map(|event| event.map(Ok)));
    Sse::new(events).keep_alive(KeepAlive::default())
}

pub(super) fn event(name: &str, data: &impl Serialize) -> Event {
    // Serializing numbers and strings cannot fail.
    let text = serde_json::to_string(data).unwrap_or_default();
    Event::default().event(name).data(text)
}
