//! One game in progress: whose turn it is, what is asked and answered, and what becomes of it.

use std::time::{Duration, Instant};

use buxtehude::protocol::BestMove;
use buxtehude::rules::{AnyPosition, Seat, Turn};

use super::adjudication::Adjudicator;
use super::offence::{self, Offence};
use super::request::Request;
use super::result::{GameEnd, places_and_endings};
use super::{Abandoned, Excuses, Played, Referee, Suspicion};
use crate::plan::deck::Deck;
use crate::plan::schedule::ScheduledGame;
use crate::plan::{EngineSpec, Plan};
use crate::play::clock::SeatClock;
use crate::play::engine::{Answer, Engine, Failure, deadline};
use crate::play::interrupt::Interrupt;
use crate::play::lag::LagMeter;
use crate::record::ending::Ending;
use crate::record::{Fault, GameRecord, MAX_LINE, TurnRecord};

/// A game in progress.
pub struct Game<'a> {
    scheduled: &'a ScheduledGame,
    pub(super) plan: &'a Plan,
    lag: Option<&'a LagMeter>,
    excuses: Option<&'a Excuses>,
    listener: Option<&'a dyn Fn(Played<'_>)>,
    /// The engine in each seat.
    pub(super) specs: Vec<&'a EngineSpec>,
    start: AnyPosition,
    pub(super) position: AnyPosition,
    pub(super) request: Request,
    deck: Deck,
    pub(super) clocks: Vec<SeatClock>,
    /// The move that the engine in each seat ponders on.
    pub(super) pondered: Vec<Option<String>>,
    adjudicator: Adjudicator,
    turns: Vec<TurnRecord>,
}

/// Why no more is played.
pub enum Stop {
    End(GameEnd),
    Fault(Offence),
}

impl<'a> Game<'a> {
    /// The position after the opening, the deck below the opening's cards.
    // Panicking here is documented at `Referee::play`: a plan's starts and openings are known to be legal.
    #[allow(clippy::expect_used)]
    pub fn set_up(scheduled: &'a ScheduledGame, referee: &Referee<'a>) -> Game<'a> {
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
            excuses: referee.excuses,
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
    pub fn play(
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
    ) -> Result<Option<Offence>, Abandoned> {
        let patience = self.plan.patience.ready;
        let deadline = deadline(patience);
        let seats = (0..).map(Seat).zip(engines);
        let racing = seats.filter(|(seat, _)| self.position.place(*seat).is_none());
        let mut told = Vec::new();
        for (seat, engine) in racing {
            let Some(engine) = engine else { continue };
            let game = format!("game {}, seat {seat}", self.scheduled.number);
            let position = Some(self.request.position());
            let sent = engine.begin_game(&game, position, deadline, interrupt);
            told.push((seat, engine, sent));
        }
        let (mut first, mut excuse) = (None, Ok(()));
        // All are waited for, so that those who are ready can play the next game.
        for (seat, engine, sent) in told {
            let ready = sent.and_then(|()| engine.await_ready(deadline, interrupt));
            if let Err(failure) = ready {
                excuse = excuse.and_then(|()| self.excuse(seat, engine));
                let offence = Offence::of_silence(seat, engine, failure, patience)?;
                first.get_or_insert(offence);
            }
        }
        excuse.map(|()| first)
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
            Err((failure, wait)) => {
                let clock = &self.clocks[seat.index()];
                if let (Failure::Stalled, Some(overrun)) = (failure, clock.overrun(begun.elapsed()))
                {
                    self.suspect(seat, overrun, begun)?;
                }
                self.excuse(seat, engine)?;
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
        let before = self.position;
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
        let turn = turn_record(seat, mv, answer, overrun, before);
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
        Err(Abandoned::Suspect(Suspicion::Lag {
            engine: self.specs[seat.index()].name.clone(),
            seat: number(seat),
            over,
            lag,
        }))
    }

    /// Suspects somebody else where a seat's process ended or stopped as none does by itself, a few times a match.
    fn excuse(&self, seat: Seat, engine: &Engine) -> Result<(), Abandoned> {
        let number_in_plan = self.scheduled.seats[seat.index()].engine;
        let excuses = |excuses: &Excuses| excuses.excuse(number_in_plan);
        match engine.interference() {
            Some(what) if self.excuses.is_some_and(excuses) => {
                Err(Abandoned::Suspect(Suspicion::Interference {
                    engine: self.specs[seat.index()].name.clone(),
                    seat: number(seat),
                    what,
                }))
            }
            _ => Ok(()),
        }
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

    pub fn into_record(self, stop: Stop) -> GameRecord {
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
    before: AnyPosition,
) -> TurnRecord {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let given = answer.best_move.map(|best_move| best_move.estimate);
    let estimate = given
        .into_iter()
        .chain([answer.info.estimate])
        .find(|estimate| estimate.len() == before.seats());
    TurnRecord {
        seat: number(seat),
        mv,
        micros: Some(micros(answer.elapsed)),
        overrun: overrun.map(micros),
        depth: answer.info.depth,
        estimate: estimate.unwrap_or_default(),
        score: answer.info.score.map(|score| score.to_string()),
        nodes: answer.info.nodes,
        pv: legal_line(before, answer.info.pv),
    }
}

/// As much of a principal variation as the rules allow and a record keeps.
fn legal_line(mut position: AnyPosition, mut pv: Vec<String>) -> Vec<String> {
    let words = pv.iter().take(MAX_LINE);
    let legal = words.take_while(|word| position.play(word).is_ok()).count();
    pv.truncate(legal);
    pv
}

/// A seat as records count it, from 1.
fn number(seat: Seat) -> u32 {
    u32::from(seat.0) + 1
}
