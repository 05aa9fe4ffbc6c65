//! The review of a game, streamed move by move as server-sent events.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;

use axum::extract::State as Shared;
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use buxtehude::protocol::Command;
use buxtehude::rules::Variant;
use futures_util::stream::Stream;
use matches::judge;
use matches::review::{Appraisal, Appraise, PlayedGame, SeatSums, review as review_of};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::App;
use super::search::{MAX_UNSENT, SearchTerms, estimate, event, follow, sse};
use crate::body::{JsonRequest, object};
use crate::clients::ClientId;
use crate::error::ApiError;
use crate::game::Game;
use crate::pool::Purpose;

/// Default limit for the search of each position.
const USUAL_LIMIT: &str = "nodes 100000";

/// Request of `POST /api/review`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// The game, finished or not.
    #[serde(deserialize_with = "object")]
    pub game: Game,
    /// Name of the engine that evaluates positions; by default the first one.
    #[serde(default)]
    pub engine: Option<String>,
    /// Limit of each of its searches; by default `nodes 100000`.
    #[serde(default)]
    pub limit: Option<String>,
}

/// Data of the event `done`, in permille.
#[derive(Clone, Debug, Serialize)]
struct DoneEvent {
    seats: Vec<SeatSums>,
    /// Value of the start position.
    start: Vec<f64>,
}

/// `POST /api/review`: streams an event `queue` if it must wait, an event `move` for each move, with its loss and the
/// luck of its cards, and finally `done` or `error`. Closing the connection stops it.
///
/// # Errors
/// [`ApiError`] if the request is invalid; later errors are events.
pub async fn review(
    Shared(app): Shared<App>,
    request: JsonRequest<ReviewRequest>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let (admitted, terms_of) = (request.admitted.clone(), app.clone());
    let prepare = move |request: ReviewRequest| {
        let played = request.game.play()?;
        let limit = request.limit.as_deref().unwrap_or(USUAL_LIMIT);
        let engine = request.engine.as_deref();
        let terms = SearchTerms::new(&terms_of, engine, Some(limit), &BTreeMap::new())?;
        let game = PlayedGame {
            rules: played.variant.into(),
            start: played.first.into(),
            words: played.words().to_vec(),
            opening: 0,
            places: None,
        };
        Ok((game, terms, played.variant))
    };
    let (game, terms, variant) = request.run(prepare).await?;
    admitted.begin_review()?;
    let (events, sent) = mpsc::channel(MAX_UNSENT);
    let (review, runtime) = (admitted.clone(), Handle::current());
    tokio::task::spawn_blocking(move || {
        let (client, terms, runtime, events) = (review.client, &terms, &runtime, &events);
        let mut appraiser = PoolAppraiser { app: &app, client, terms, variant, runtime, events };
        let done = review_of(&game, &mut appraiser, |mv| {
            match events.blocking_send(event("move", mv)) {
                Ok(()) => ControlFlow::Continue(()),
                // The client has closed the connection.
                Err(_) => ControlFlow::Break(()),
            }
        });
        let last = match done {
            Ok(review) => {
                let (seats, start) = (review.sums(), review.start);
                event("done", &DoneEvent { seats, start })
            }
            Err(error) => event("error", &unvalued(error.to_string()).body()),
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
    variant: &'static Variant,
    runtime: &'a Handle,
    events: &'a mpsc::Sender<Event>,
}

impl Appraise for PoolAppraiser<'_> {
    type Error = ApiError;

    fn appraise(&mut self, question: judge::Question<'_>) -> Result<Appraisal, ApiError> {
        let command = format!("position {}", question.text()).parse();
        let Ok(Command::Position(command)) = command else {
            let message = format!("{:?} is not a position", question.line);
            return Err(unvalued(message));
        };
        let Some(position) = question.position.built_in() else {
            return Err(unvalued("its rules are not built in".to_string()));
        };
        let asked = self.terms.question_at(self.variant, command, position);
        let permit = self.app.pool.ask(self.client, asked, Purpose::Analysis);
        let found = self.runtime.block_on(follow(permit, self.events, |_| None))?;
        let shares = estimate([&found.estimate, &found.info.estimate], position);
        let shares = shares.ok_or_else(|| {
            let expected = format!("expected {} shares of 1000", position.seats());
            unvalued(format!("the engine sent no estimate; {expected}"))
        })?;
        Ok(Appraisal { shares: shares.into_iter().map(f64::from).collect(), best: found.mv })
    }
}

/// The error of a position without a value.
fn unvalued(message: String) -> ApiError {
    ApiError::new(StatusCode::BAD_GATEWAY, message)
}
