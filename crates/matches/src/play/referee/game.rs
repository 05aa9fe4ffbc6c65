//! A game in progress: its turns, and how each answer is judged.

use std::thread;
use std::time::{Duration, Instant};

use buxtehude::protocol::BestMove;
use buxtehude::rules::{Seat, Turn};

use super::adjudication::Adjudicator;
use super::fault::{Wait, too_late};
use super::request::Request;
use super::result::{GameEnd, places_and_endings};
use super::turn_record::{number, positions_of_line, turn_record};
use super::{Abandoned, Played, Referee};
use crate::plan::EngineSpec;
use crate::plan::deck::Deck;
use crate::plan::rules::{Position, PositionError};
use crate::plan::schedule::{ScheduledGame, play_opening};
use crate::play::clock::{SeatClock, WAIT_FOR_LATE_ANSWERS};
use crate::play::engine::{Answer, AnswerError, Engine};
use crate::play::interrupt::Interrupt;
use crate::play::reruns::{MAX_BY_INTERFERENCE, MAX_BY_LAG};
use crate::record::ending::Ending;
use crate::record::{GameRecord, TurnRecord};

/// A signal from an engine may arrive this long after a delay of the arbiter.
const SIGNAL_DELAY: Duration = Duration::from_millis(50);

pub struct Game<'a> {
    scheduled: &'a ScheduledGame,
    pub(super) referee: Referee<'a>,
    /// Engine of each seat.
    pub(super) specs: Vec<&'a EngineSpec>,
    start: Position,
    pub(super) position: Position,
    pub(super) request: Request,
    deck: Deck,
    pub(super) clocks: Vec<SeatClock>,
    /// `position` line that each seat's engine ponders: with the expected move, and nothing after it.
    pub(super) pondered: Vec<Option<String>>,
    adjudicator: Adjudicator,
    /// Last estimate of each seat's engine; empty before its first one.
    opinions: Vec<Vec<u16>>,
    turns: Vec<TurnRecord>,
}

impl<'a> Game<'a> {
    /// Sets up the position after the opening, and the deck without the opening's cards.
    pub fn set_up(
        scheduled: &'a ScheduledGame,
        referee: Referee<'a>,
    ) -> Result<Game<'a>, Abandoned> {
        let plan = referee.plan;
        let seats = scheduled.seats.len();
        let start = scheduled.as_opening().start(&plan.rules, seats)?;
        let mut position = start.clone();
        let mut deck = Deck::new(scheduled.deck_seed, plan.rules.draws());
        play_opening(&mut position, &scheduled.opening, &mut deck)?;
        let mut request = Request::new(scheduled.start.as_deref(), seats);
        for word in &scheduled.opening {
            request.append(word);
        }
        let specs: Vec<&EngineSpec> =
            scheduled.seats.iter().map(|seated| &plan.engines[seated.engine]).collect();
        Ok(Game {
            scheduled,
            referee,
            start,
            position,
            request,
            deck,
            clocks: specs
                .iter()
                .map(|spec| SeatClock::new(spec.limit, referee.margin(spec)))
                .collect(),
            pondered: vec![None; seats],
            adjudicator: Adjudicator::new(plan.adjudication),
            specs,
            opinions: vec![Vec::new(); seats],
            turns: Vec::new(),
        })
    }

    // `Referee::play` documents the panic for a missing engine.
    #[allow(clippy::expect_used)]
    pub fn play(&mut self, engines: &mut [Option<Engine>]) -> Result<GameEnd, Abandoned> {
        if self.position.turn() == Turn::Over {
            return Ok(GameEnd::Over);
        }
        if let Some(fault) = self.prepare(engines)? {
            return Ok(fault);
        }
        let max_plies = self.referee.plan.patience.max_plies as usize;
        loop {
            match self.position.turn() {
                Turn::Over => return Ok(GameEnd::Over),
                Turn::Card(seat) => self.draw_card(seat)?,
                Turn::Seat(_) if self.turns.len() >= max_plies => return Ok(GameEnd::MaxPlies),
                Turn::Seat(seat) => {
                    if let Some(end) = self.adjudicator.verdict(&self.position) {
                        return Ok(end);
                    }
                    let engine = engines[seat.index()].as_mut();
                    let engine = engine.expect("a seat that moves has an engine");
                    let played = self.play_turn(seat, engine);
                    let interrupt = self.referee.interrupt;
                    if let Some(fault) = sender_of_signal(engines, played.as_ref().err(), interrupt)
                    {
                        return Ok(fault);
                    }
                    if let Some(fault) = played? {
                        return Ok(fault);
                    }
                }
            }
        }
    }

    /// Announces the game to the engines of all seats that have not finished, and waits until each is ready, one after
    /// the other, so that none is slower because of another; returns the first fault.
    fn prepare(&self, engines: &mut [Option<Engine>]) -> Result<Option<GameEnd>, Abandoned> {
        let patience = self.referee.plan.patience.ready;
        let seats = (0..).map(Seat).zip(engines);
        let racing = seats.filter(|(seat, _)| self.position.place(*seat).is_none());
        for (seat, engine) in racing {
            let Some(engine) = engine else { continue };
            let game = format!("game {}, seat {seat}", self.scheduled.number);
            let position = Some(self.request.position());
            if let Err(error) = engine.begin(&game, position, patience) {
                self.excuse(seat, engine)?;
                let wait = Wait::of(patience);
                return Ok(Some(GameEnd::no_answer(seat, engine, error, &wait)?));
            }
        }
        Ok(None)
    }

    fn draw_card(&mut self, seat: Seat) -> Result<(), Abandoned> {
        let card = self.deck.draw(seat, &self.position.outcomes());
        self.position.play(&card)?;
        self.request.append(&card);
        self.report(None, &card);
        Ok(())
    }

    fn report(&self, turn: Option<&TurnRecord>, word: &str) {
        if let Some(listener) = self.referee.listener {
            listener(Played {
                game: self.scheduled.number,
                turn: turn.cloned(),
                word: word.to_string(),
            });
        }
    }

    /// Asks the engine in `seat` for its move and plays it; returns the engine's fault, if there is one.
    fn play_turn(&mut self, seat: Seat, engine: &mut Engine) -> Result<Option<GameEnd>, Abandoned> {
        let begun = Instant::now();
        let answer = match self.ask(seat, engine) {
            Ok(answer) => answer,
            Err((error, wait)) => {
                if error == AnswerError::Stalled
                    && let Some(overrun) = self.clocks[seat.index()].overrun(begun.elapsed())
                {
                    self.suspect(seat, overrun, begun)?;
                }
                self.excuse(seat, engine)?;
                return Ok(Some(GameEnd::no_answer(seat, engine, error, &wait)?));
            }
        };

        // Judge the time, then the move.
        let clock = &self.clocks[seat.index()];
        let overrun = clock.overrun(answer.used());
        if clock.is_overstepped(answer.used()) {
            self.suspect(seat, overrun.unwrap_or_default(), begun)?;
            let reason = too_late(&answer, clock);
            let fault = GameEnd::fault(seat, engine, Ending::TimeForfeit, &reason);
            return Ok(Some(fault));
        }
        let late_stop = clock.late_stop();
        // A rules program need not be asked again about the move that begins the line.
        let line = positions_of_line(&self.position, &answer)?;
        let mv = match self.play_answer(&answer, line.first())? {
            Ok(mv) => mv,
            Err(mut reason) => {
                if engine.answers_again(WAIT_FOR_LATE_ANSWERS) {
                    reason += "; another bestmove followed: it is a second bestmove for one go";
                }
                let fault = GameEnd::fault(seat, engine, Ending::IllegalMove, &reason);
                return Ok(Some(fault));
            }
        };

        // The move counts.
        self.clocks[seat.index()].charge(answer.used());
        self.request.append(&mv);
        if let Ok(best_move) = &answer.best_move {
            self.begin_pondering(seat, engine, best_move)?;
        }
        let turn = turn_record(
            seat,
            mv,
            answer,
            [overrun.unwrap_or_default(), late_stop],
            line.len(),
            self.clocks.len(),
        );
        self.adjudicator.hear(seat, &turn.estimate);
        if !turn.estimate.is_empty() {
            self.opinions[seat.index()].clone_from(&turn.estimate);
        }
        self.report(Some(&turn), &turn.mv);
        self.turns.push(turn);
        Ok(None)
    }

    /// Abandons the game if a seat lost on time by less than the arbiter's lag since `begun`.
    fn suspect(&self, seat: Seat, overrun: Duration, begun: Instant) -> Result<(), Abandoned> {
        let over = overrun.saturating_sub(self.clocks[seat.index()].margin());
        let lag = self.referee.lag;
        let lag = lag.map_or(Duration::ZERO, |lag| lag.since(begun));
        if over >= lag || !self.grants_rerun(seat, MAX_BY_LAG) {
            return Ok(());
        }
        let [over, lag] = [over, lag].map(|time| time.as_secs_f64() * 1000.0);
        let cause =
            format!("was {over:.1} ms too late while the arbiter itself lagged by {lag:.1} ms");
        let engine = &self.specs[seat.index()].name;
        Err(Abandoned::suspect(engine, number(seat), &cause, self.shares()))
    }

    /// Abandons the game, a few times per match, if the end or stop of a seat's process may come from another process.
    fn excuse(&self, seat: Seat, engine: &Engine) -> Result<(), Abandoned> {
        match engine.interference() {
            Some(what) if self.grants_rerun(seat, MAX_BY_INTERFERENCE) => {
                let engine = &self.specs[seat.index()].name;
                Err(Abandoned::interference(engine, number(seat), &what, self.shares()))
            }
            _ => Ok(()),
        }
    }

    fn grants_rerun(&self, seat: Seat, most: u32) -> bool {
        let engine = &self.specs[seat.index()].name;
        let reruns = self.referee.reruns;
        reruns.is_some_and(|reruns| reruns.grant(engine, most))
    }

    /// Each seat's share in permille: the mean of the engines' last estimates; empty if there are none.
    fn shares(&self) -> Vec<u16> {
        let said: Vec<&Vec<u16>> = self.opinions.iter().filter(|said| !said.is_empty()).collect();
        let share = |seat: usize| {
            let sum: usize = said.iter().map(|shares| usize::from(shares[seat])).sum();
            (sum / said.len()) as u16
        };
        if said.is_empty() { Vec::new() } else { (0..self.opinions.len()).map(share).collect() }
    }

    /// Plays the move of an answer; on an error, nothing has changed. `after` is the position after the first move of
    /// the principal variation.
    fn play_answer(
        &mut self,
        answer: &Answer,
        after: Option<&Position>,
    ) -> Result<Result<String, String>, Abandoned> {
        Ok(match &answer.best_move {
            Ok(BestMove { best: Some(mv), .. }) => {
                let played = match after.filter(|_| answer.info.pv.first() == Some(mv)) {
                    Some(after) => {
                        self.position.clone_from(after);
                        Ok(())
                    }
                    None => self.position.play(mv),
                };
                match played {
                    Ok(()) => Ok(mv.clone()),
                    Err(PositionError::Action(error)) => Err(error.to_string()),
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(BestMove { best: None, .. }) => {
                let number = self.position.legal_actions().len();
                Err(format!("it gave no move; {number} were legal"))
            }
            Err(malformed) => Err(malformed.clone()),
        })
    }

    pub fn into_record(self, end: GameEnd) -> GameRecord {
        let decided: Vec<Option<usize>> = self.position.places().collect();
        let engines: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
        let (places, endings) = places_and_endings(&engines, &decided, &end);
        let fault = match end {
            GameEnd::Fault { fault, .. } => Some(fault),
            _ => None,
        };
        GameRecord {
            game: self.scheduled.number,
            block: self.scheduled.block,
            variant: self.referee.plan.rules.name().to_string(),
            start: self.start.to_string(),
            seats: self.specs.iter().map(|spec| spec.name.clone()).collect(),
            seed: self.referee.plan.seed,
            moves: self.request.moves().to_string(),
            places,
            winnings: self.position.winnings().to_vec(),
            endings,
            fault,
            turns: self.turns,
            reruns: Vec::new(),
            machine: None,
            luck: None,
        }
    }
}

/// Returns the fault of an engine that sent a signal to the arbiter, if there is one.
fn sender_of_signal(
    engines: &mut [Option<Engine>],
    abandoned: Option<&Abandoned>,
    interrupt: &Interrupt,
) -> Option<GameEnd> {
    if let Some(Abandoned::Suspect(_)) = abandoned {
        // If an engine resumes the stopped arbiter by a signal, that signal is recorded a moment later.
        thread::sleep(SIGNAL_DELAY);
    }
    let seats = (0..).map(Seat).zip(engines);
    let mut senders = seats.filter_map(|(seat, engine)| {
        let engine = engine.as_mut()?;
        let signal = interrupt.take_signal(engine.process_id())?;
        let reason = format!("it sent the arbiter {signal}");
        Some(GameEnd::fault(seat, engine, Ending::Interference, &reason))
    });
    senders.next()
}
