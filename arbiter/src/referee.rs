//! The referee of one game: asks the engines in turn, judges their answers, draws the cards.
//!
//! It knows nothing of matches. What an engine says is never believed: every move is checked against the
//! rules, every answer against the clock, and whoever breaks either is named in the record with what it
//! did. Read [`Referee::play`], then `Game::play_turn`.

mod adjudication;
mod offence;
mod pondering;
mod request;
mod result;

use std::time::{Duration, Instant};

use buxtehude::protocol::BestMove;
use buxtehude::rules::{AnyPosition, Seat, Turn};
use thiserror::Error;

use crate::clock::SeatClock;
use crate::deck::Deck;
use crate::ending::Ending;
use crate::engine::{Answer, Engine, Failure, deadline};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lag::LagMeter;
use crate::plan::{EngineSpec, Plan};
use crate::record::{Fault, GameRecord, TurnRecord};
use crate::schedule::ScheduledGame;
use adjudication::Adjudicator;
use offence::Offence;
use request::Request;
pub(crate) use result::{GameEnd, places_and_endings};

/// Referees the games of a plan.
#[derive(Clone, Copy)]
pub struct Referee<'a> {
    /// What is played.
    pub plan: &'a Plan,
    /// Ends the game.
    pub interrupt: &'a Interrupt,
    /// The arbiter's own lag, where it is measured.
    pub lag: Option<&'a LagMeter>,
    /// Told of each move and card as it is played, where somebody listens.
    pub listener: Option<&'a dyn Fn(Played<'_>)>,
}

/// A move or a card, played just now.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    /// The number of the game.
    pub game: u64,
    /// The move, or `None` for a card.
    pub turn: Option<&'a TurnRecord>,
    /// The word of the move or card.
    pub word: &'a str,
}

/// Why a game has no result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Abandoned {
    /// We were told to end.
    #[error("interrupted")]
    Interrupted,
    /// A loss on time that may be the arbiter's own fault.
    #[error(transparent)]
    Suspect(Suspicion),
}

/// A loss on time by less than the arbiter's own lag during the move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{engine}, seat {seat}, was {:.1} ms too late, where the arbiter itself lagged by {:.1} ms",
    over.as_secs_f64() * 1000.0,
    lag.as_secs_f64() * 1000.0
)]
pub struct Suspicion {
    /// The engine's name.
    pub engine: String,
    /// Its seat, from 1.
    pub seat: u32,
    /// By how much it was later than limit and margin allow.
    pub over: Duration,
    /// The arbiter's lag.
    pub lag: Duration,
}

impl From<Interrupted> for Abandoned {
    fn from(_: Interrupted) -> Abandoned {
        Abandoned::Interrupted
    }
}

impl<'a> Referee<'a> {
    /// A referee without listener, who does not know its own lag.
    pub fn new(plan: &'a Plan, interrupt: &'a Interrupt) -> Referee<'a> {
        Referee {
            plan,
            interrupt,
            lag: None,
            listener: None,
        }
    }

    /// Plays one game to its end, by the rules or by the first fault, and returns what happened.
    ///
    /// `engines` sit in seat order, and belong to the thread that calls; a seat that has finished when the
    /// opening ends needs none, and is asked nothing. Whose fault ended the game has been killed afterwards;
    /// [`Engine::is_usable`] tells. The plies that `plan.patience` allows are the moves
    /// that engines are asked for: neither cards nor the opening count. `turns` of the record has the moves
    /// that were played, in order; an answer that was a fault is only in the `fault`.
    ///
    /// # Errors
    /// [`Abandoned`]: soon after the interrupt was set, where the engine that was thinking cannot be used any
    /// more; or where the loss of a seat on time may be the arbiter's own fault.
    ///
    /// # Panics
    /// If the start of `game` is refused by the rules or its opening is illegal, if it has not as many
    /// seats as `engines`, or if one is missing: the schedule is made of a validated plan.
    pub fn play(
        &self,
        game: &ScheduledGame,
        engines: &mut [Option<Engine>],
    ) -> Result<GameRecord, Abandoned> {
        assert_eq!(engines.len(), game.seats.len(), "engines and seats");
        let mut state = Game::set_up(game, self);
        let stop = state.play(engines, self.interrupt);
        state.end_pondering(engines, self.interrupt);
        Ok(state.into_record(stop?))
    }
}

/// A game in progress.
struct Game<'a> {
    scheduled: &'a ScheduledGame,
    plan: &'a Plan,
    lag: Option<&'a LagMeter>,
    listener: Option<&'a dyn Fn(Played<'_>)>,
    /// The engine in each seat.
    specs: Vec<&'a EngineSpec>,
    start: AnyPosition,
    position: AnyPosition,
    request: Request,
    deck: Deck,
    clocks: Vec<SeatClock>,
    /// The move that the engine in each seat ponders on.
    pondered: Vec<Option<String>>,
    adjudicator: Adjudicator,
    turns: Vec<TurnRecord>,
}

/// Why no more is played.
enum Stop {
    End(GameEnd),
    Fault(Offence),
}

impl<'a> Game<'a> {
    /// The position after the opening, the deck below the opening's cards.
    // Panicking here is documented at `Referee::play`: a plan's starts and openings are known to be legal.
    #[allow(clippy::expect_used)]
    fn set_up(scheduled: &'a ScheduledGame, referee: &Referee<'a>) -> Game<'a> {
        let plan = referee.plan;
        let seats = scheduled.seats.len();
        let start = match &scheduled.start {
            Some(text) => plan.variant.parse(text),
            None => plan.variant.start(seats),
        };
        let start = start.expect("the starts of a plan are valid");
        let specs: Vec<&EngineSpec> = scheduled
            .seats
            .iter()
            .map(|seated| &plan.engines[seated.engine])
            .collect();
        let mut game = Game {
            scheduled,
            plan,
            lag: referee.lag,
            listener: referee.listener,
            start,
            position: start,
            request: Request::new(scheduled.start.as_deref(), seats),
            deck: Deck::new(scheduled.deck_seed),
            clocks: specs
                .iter()
                .map(|spec| SeatClock::new(spec.limit, spec.margin))
                .collect(),
            pondered: vec![None; seats],
            adjudicator: Adjudicator::new(plan.adjudication),
            specs,
            turns: Vec::new(),
        };
        for word in &scheduled.opening {
            if let Turn::Card(_) = game.position.turn() {
                // The opening's own card takes the place of the one drawn.
                game.deck.draw(&game.position.outcomes());
            }
            game.position
                .play(word)
                .expect("the openings of a plan are legal");
            game.request.append(word);
        }
        game
    }

    // A missing engine is documented at `Referee::play`.
    #[allow(clippy::expect_used)]
    fn play(
        &mut self,
        engines: &mut [Option<Engine>],
        interrupt: &Interrupt,
    ) -> Result<Stop, Abandoned> {
        if self.position.turn() == Turn::Over {
            return Ok(Stop::End(GameEnd::Over));
        }
        if let Some(offence) = self.prepare(engines, interrupt)? {
            return Ok(Stop::Fault(offence));
        }
        loop {
            match self.position.turn() {
                Turn::Over => return Ok(Stop::End(GameEnd::Over)),
                Turn::Card(_) => self.draw_card(),
                Turn::Seat(_) if self.turns.len() >= self.plan.patience.max_plies as usize => {
                    return Ok(Stop::End(GameEnd::MaxPlies));
                }
                Turn::Seat(seat) => {
                    if let Some(end) = self.adjudicator.verdict(&self.position) {
                        return Ok(Stop::End(end));
                    }
                    let engine = engines[seat.index()].as_mut();
                    let engine = engine.expect("a seat that moves has an engine");
                    if let Some(offence) = self.play_turn(seat, engine, interrupt)? {
                        return Ok(Stop::Fault(offence));
                    }
                }
            }
        }
    }

    /// Tells the engines of all seats still in the race that the game begins, and waits until they are
    /// ready; returns the first fault in seat order.
    fn prepare(
        &self,
        engines: &mut [Option<Engine>],
        interrupt: &Interrupt,
    ) -> Result<Option<Offence>, Interrupted> {
        let patience = self.plan.patience.ready;
        let deadline = deadline(patience);
        let seats = (0..).map(Seat).zip(engines);
        let racing = seats.filter(|(seat, _)| self.position.place(*seat).is_none());
        let mut told = Vec::new();
        for (seat, engine) in racing {
            let Some(engine) = engine else { continue };
            let game = format!("game {}, seat {seat}", self.scheduled.number);
            let sent = engine.begin_game(&game, deadline, interrupt);
            told.push((seat, engine, sent));
        }
        let mut first = None;
        // All are waited for, so that those who are ready can play the next game.
        for (seat, engine, sent) in told {
            let ready = sent.and_then(|()| engine.await_ready(deadline, interrupt));
            if let Err(failure) = ready {
                let offence = Offence::of_silence(seat, engine, failure, patience)?;
                first.get_or_insert(offence);
            }
        }
        Ok(first)
    }

    /// Draws the card that is due.
    // A deck draws one of the outcomes it is given, and where a card is due there are some.
    #[allow(clippy::expect_used)]
    fn draw_card(&mut self) {
        let card = self.deck.draw(&self.position.outcomes());
        self.position
            .play(&card)
            .expect("the card is among the outcomes");
        self.request.append(&card);
        self.tell(None, &card);
    }

    fn tell(&self, turn: Option<&TurnRecord>, word: &str) {
        if let Some(listener) = self.listener {
            listener(Played {
                game: self.scheduled.number,
                turn,
                word,
            });
        }
    }

    /// Asks the engine in `seat` for its move and plays it; returns its fault, if it is one.
    fn play_turn(
        &mut self,
        seat: Seat,
        engine: &mut Engine,
        interrupt: &Interrupt,
    ) -> Result<Option<Offence>, Abandoned> {
        let begun = Instant::now();
        let answer = match self.ask(seat, engine, interrupt) {
            Ok(answer) => answer,
            Err(failure) => {
                let clock = &self.clocks[seat.index()];
                if let (Failure::Stalled, Some(overrun)) = (failure, clock.overrun(begun.elapsed()))
                {
                    self.suspect(seat, overrun, begun)?;
                }
                let wait = clock.longest_wait(self.plan.patience.stall);
                return Ok(Some(Offence::of_silence(seat, engine, failure, wait)?));
            }
        };

        // Judge the time, then the move.
        let clock = &self.clocks[seat.index()];
        let overrun = clock.overrun(answer.elapsed);
        if clock.is_overstepped(answer.elapsed) {
            self.suspect(seat, overrun.unwrap_or_default(), begun)?;
            let limit = clock.time_limit().unwrap_or_default();
            let reason = offence::too_late(answer.elapsed, limit, clock.margin());
            let offence = Offence::new(seat, engine, Ending::TimeForfeit, reason);
            return Ok(Some(offence));
        }
        let mv = match self.play_answer(&answer) {
            Ok(mv) => mv,
            Err(reason) => {
                let offence = Offence::new(seat, engine, Ending::IllegalMove, reason);
                return Ok(Some(offence));
            }
        };

        // It stands.
        self.clocks[seat.index()].charge(answer.elapsed);
        self.request.append(&mv);
        if let Ok(best_move) = &answer.best_move {
            self.begin_pondering(seat, engine, best_move, interrupt);
        }
        let turn = turn_record(seat, mv, answer, overrun, self.clocks.len());
        self.adjudicator.hear(seat, &turn.estimate);
        self.tell(Some(&turn), &turn.mv);
        self.turns.push(turn);
        Ok(None)
    }

    /// Suspects the arbiter where a seat lost on time by less than the lag since `begun`.
    fn suspect(&self, seat: Seat, overrun: Duration, begun: Instant) -> Result<(), Abandoned> {
        let over = overrun.saturating_sub(self.clocks[seat.index()].margin());
        let lag = self.lag.map_or(Duration::ZERO, |lag| lag.since(begun));
        if over >= lag {
            return Ok(());
        }
        Err(Abandoned::Suspect(Suspicion {
            engine: self.specs[seat.index()].name.clone(),
            seat: number(seat),
            over,
            lag,
        }))
    }

    /// Plays the move of an answer; on an error, which says why it is none, nothing has changed.
    fn play_answer(&mut self, answer: &Answer) -> Result<String, String> {
        match &answer.best_move {
            Ok(BestMove { best: Some(mv), .. }) => match self.position.play(mv) {
                Ok(()) => Ok(mv.clone()),
                Err(error) => Err(error.to_string()),
            },
            Ok(BestMove { best: None, .. }) => {
                let number = self.position.legal_actions().len();
                Err(format!("it gave no move, of {number} that were legal"))
            }
            Err(malformed) => Err(malformed.clone()),
        }
    }

    fn into_record(self, stop: Stop) -> GameRecord {
        let decided: Vec<Option<usize>> = (0..self.specs.len())
            .map(|seat| self.position.place(Seat(seat as u8)))
            .collect();
        let end = match &stop {
            Stop::End(end) => *end,
            Stop::Fault(offence) => GameEnd::Fault {
                seat: offence.seat.index(),
                ending: offence.ending,
            },
        };
        let (places, endings) = places_and_endings(&decided, end);
        let fault = match stop {
            Stop::Fault(offence) => Some(Fault {
                seat: number(offence.seat),
                reason: offence.reason,
                stderr: offence.stderr,
                evidence: Some(offence.evidence),
            }),
            Stop::End(_) => None,
        };
        GameRecord {
            game: self.scheduled.number,
            block: self.scheduled.block,
            variant: self.plan.variant.name.to_string(),
            start: self.start.to_string(),
            seats: self.specs.iter().map(|spec| spec.name.clone()).collect(),
            seed: self.plan.seed,
            moves: self.request.moves().to_string(),
            places,
            endings,
            fault,
            turns: self.turns,
        }
    }
}

fn turn_record(
    seat: Seat,
    mv: String,
    answer: Answer,
    overrun: Option<Duration>,
    seats: usize,
) -> TurnRecord {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let given = answer.best_move.map(|best_move| best_move.estimate);
    let estimate = given
        .into_iter()
        .chain([answer.info.estimate])
        .find(|estimate| estimate.len() == seats);
    TurnRecord {
        seat: number(seat),
        mv,
        micros: Some(micros(answer.elapsed)),
        overrun: overrun.map(micros),
        depth: answer.info.depth,
        estimate: estimate.unwrap_or_default(),
        score: answer.info.score.map(|score| score.to_string()),
    }
}

/// A seat as records count it, from 1.
fn number(seat: Seat) -> u32 {
    u32::from(seat.0) + 1
}
