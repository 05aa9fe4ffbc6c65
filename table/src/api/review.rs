//! The review of a game, move by move, told as it goes on, as server-sent events: what each move lost, and how lucky
//! each card was.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;

use arbiter::trials::judge;
use arbiter::trials::review::{
    Appraisal, Appraise, PlayedGame, Review, ReviewError, ReviewedMove, SeatSums, review,
};
use axum::extract::State as Shared;
use axum::response::sse::{Event, KeepAlive, Sse};
use buxtehude::protocol::Command;
use futures_util::stream::{self, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::sync::mpsc;

use super::App;
use super::analyse::event;
use super::search::{Wish, base, estimate};
use crate::board::Game;
use crate::door::{Refusal, Wanted};
use crate::pool::{Busy, Failing, Question};

/// Positions that are visited for each value, unless a request says otherwise.
const USUAL_NODES: u64 = 1000;
/// Events that nobody has taken yet.
const MOST_UNTAKEN: usize = 16;

/// What `POST /api/review` takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// The game, which need not be over.
    pub game: Game,
    /// The name of the engine; the first one where none is named.
    #[serde(default)]
    pub engine: Option<String>,
    /// How many positions it visits for the value of each; 1000 where it is not said.
    #[serde(default)]
    pub nodes: Option<u64>,
    /// Options of the engine, by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

/// The data of an event `move`. All shares are in permille, in seat order.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MoveEvent {
    /// Which of the moves and cards it is, from 1.
    pub word: usize,
    /// Which of the moves it is, from 1.
    pub ply: usize,
    /// The seat that moved, from 1.
    pub seat: usize,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Whether there was no other.
    pub forced: bool,
    /// The best move known: the move itself where none is better.
    pub best: String,
    /// How much less the seat may expect after its move than after the best one.
    pub loss: f64,
    /// The shares before the move.
    pub before: Vec<f64>,
    /// The shares after the move and its cards.
    pub estimate: Vec<f64>,
    /// The card that was drawn, several joined by blanks, or `null`.
    pub card: Option<String>,
    /// What the cards brought each seat, or `null` without a card.
    pub luck: Option<Vec<f64>>,
}

/// The data of the event `done`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewedEvent {
    /// What the game was for each seat, in seat order.
    pub seats: Vec<Sums>,
}

/// What a game was for a seat, in permille: all but `result` add up to that.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Sums {
    /// What it could expect at the start.
    pub start: f64,
    /// Minus what its own moves lost.
    pub skill: f64,
    /// What the moves of others brought it.
    pub gifts: f64,
    /// What the cards brought it, whoever drew them.
    pub luck: f64,
    /// What the searches got wrong.
    pub noise: f64,
    /// What it has now, or got at the end.
    pub result: f64,
}

/// Why there is no value.
#[derive(Debug, Error)]
enum NoValue {
    #[error(transparent)]
    Busy(#[from] Busy),
    #[error(transparent)]
    Failing(#[from] Failing),
    #[error("engine {engine}: it gave no estimate; expected one with {seats} shares of 1000")]
    NoEstimate { engine: String, seats: usize },
    #[error("nobody listens any more")]
    Gone,
}

/// `POST /api/review`: an event `move` for each move, and at the end `done` or `error`. Closing the connection ends it.
///
/// # Errors
/// [`Refusal`] says what is wrong with the request; what goes wrong later is an event.
pub async fn review_game(
    Shared(app): Shared<App>,
    Wanted(request): Wanted<ReviewRequest>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let most = app.pool.bounds().queue;
    let room = app.reviews.clone().try_acquire_owned();
    let room = room.map_err(|_| Refusal::Crowded { most })?;
    let played = request.game.play()?;
    let limit = format!("nodes {}", request.nodes.unwrap_or(USUAL_NODES));
    let wish = Wish {
        engine: request.engine.as_deref(),
        limit: Some(&limit),
        options: &request.options,
        lines: None,
    };
    let question = base(&app, &played, wish)?;
    let game = PlayedGame {
        variant: played.variant,
        start: played.first,
        words: played.words().to_vec(),
        opening: 0,
        places: None,
    };
    let (events, heard) = mpsc::channel(MOST_UNTAKEN);
    tokio::task::spawn_blocking(move || {
        tell(
            &game,
            PoolAppraiser {
                app: &app,
                question,
                events: &events,
            },
        );
        drop(room);
    });
    let events = stream::unfold(heard, |mut heard| async {
        let event = heard.recv().await?;
        Some((Ok(event), heard))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// Reviews a game, and tells of it as long as anybody listens.
fn tell(game: &PlayedGame, mut appraiser: PoolAppraiser<'_>) {
    let events = appraiser.events;
    let reviewed = review(game, &mut appraiser, |reviewed| {
        match events.blocking_send(event("move", &MoveEvent::of(reviewed))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    let last = match reviewed {
        Ok(review) => event("done", &ReviewedEvent::of(&review)),
        Err(error) => event("error", &Refusal::Wrong(in_words(&error)).body()),
    };
    // Where nobody listens, nobody is told.
    let _ = events.blocking_send(last);
}

fn in_words(error: &ReviewError<NoValue>) -> String {
    error.to_string()
}

/// The engines of the pool, one of which says what positions are worth. Each value is a question of its own, so that
/// others who ask come in between.
struct PoolAppraiser<'a> {
    app: &'a App,
    question: Question,
    events: &'a mpsc::Sender<Event>,
}

impl Appraise for PoolAppraiser<'_> {
    type Error = NoValue;

    fn appraise(&mut self, about: judge::Question<'_>) -> Result<Appraisal, NoValue> {
        if self.events.is_closed() {
            return Err(NoValue::Gone);
        }
        let mut question = self.question.clone();
        if let Ok(Command::Position(position)) = format!("position {}", about.line).parse() {
            question.position = position;
        }
        question.legal = about.position.legal_actions();
        let entry = self.app.pool.entries().get(question.engine);
        if entry.is_some_and(|entry| entry.spec.legal) {
            question.go.searchmoves.clone_from(&question.legal);
        }
        let found = self.app.pool.ask(question, false)?.wait_here()?;
        let shares = estimate([&found.estimate, &found.info.estimate], about.position);
        let shares = shares.ok_or_else(|| NoValue::NoEstimate {
            engine: entry
                .map(|entry| entry.spec.name.clone())
                .unwrap_or_default(),
            seats: about.position.seats(),
        })?;
        Ok(Appraisal {
            shares: shares.into_iter().map(f64::from).collect(),
            best: found.mv,
        })
    }
}

impl MoveEvent {
    fn of(reviewed: &ReviewedMove) -> MoveEvent {
        let cards: Vec<&str> = reviewed
            .cards
            .iter()
            .map(|card| card.card.as_str())
            .collect();
        let luck = reviewed.cards.iter().map(|card| card.luck.clone());
        MoveEvent {
            word: reviewed.word,
            ply: reviewed.ply,
            seat: reviewed.seat,
            mv: reviewed.mv.clone(),
            forced: reviewed.is_forced,
            best: reviewed.best.clone(),
            loss: reviewed.loss,
            before: reviewed.before.clone(),
            estimate: reviewed.after.clone(),
            card: (!cards.is_empty()).then(|| cards.join(" ")),
            luck: luck
                .reduce(|all, luck| all.iter().zip(luck).map(|(sum, luck)| sum + luck).collect()),
        }
    }
}

impl ReviewedEvent {
    fn of(review: &Review) -> ReviewedEvent {
        ReviewedEvent {
            seats: review.sums().into_iter().map(Sums::of).collect(),
        }
    }
}

impl Sums {
    fn of(sums: SeatSums) -> Sums {
        Sums {
            start: sums.start,
            skill: sums.skill,
            gifts: sums.gifts,
            luck: sums.luck,
            noise: sums.noise,
            result: sums.result,
        }
    }
}
