//! The referee of one game: asks the engines in turn, judges their answers, draws the cards.
//!
//! It knows nothing of matches. What an engine says is never believed: every move is checked against the
//! rules, every answer against the clock, and whoever breaks either is named in the record with what it
//! did. Read [`play_game`], then `Game::play_turn`.

mod offence;
mod request;
mod result;

use buxtehude::protocol::BestMove;
use buxtehude::rules::{AnyPosition, Seat, Turn};

use crate::clock::{self, SeatClock};
use crate::deck::Deck;
use crate::ending::Ending;
use crate::engine::{Answer, Engine, deadline};
use crate::interrupt::{Interrupt, Interrupted};
use crate::plan::{EngineSpec, Plan};
use crate::record::{Fault, GameRecord, TurnRecord};
use crate::schedule::ScheduledGame;
use offence::Offence;
use request::Request;
pub(crate) use result::{GameEnd, places_and_endings};

/// Plays one game to its end, by the rules or by the first fault, and returns what happened.
///
/// `engines` sit in seat order, and belong to the thread that calls; a seat that has finished when the opening
/// ends needs none, and is asked nothing. Whose fault ended the game has been killed afterwards;
/// [`Engine::is_usable`] tells. The plies that `plan.patience` allows are the moves
/// that engines are asked for: neither cards nor the opening count. `turns` of the record has the moves
/// that were played, in order; an answer that was a fault is only in the `fault`.
///
/// # Errors
/// [`Interrupted`] soon after `interrupt` was set; the engine that was thinking cannot be used any more.
///
/// # Panics
/// If the start of `game` is refused by the rules or its opening is illegal, if it has not as many
/// seats as `engines`, or if one is missing: the schedule is made of a validated plan.
pub fn play_game(
    game: &ScheduledGame,
    plan: &Plan,
    engines: &mut [Option<Engine>],
    interrupt: &Interrupt,
) -> Result<GameRecord, Interrupted> {
    assert_eq!(engines.len(), game.seats.len(), "engines and seats");
    let mut state = Game::set_up(game, plan);
    let stop = state.play(engines, interrupt)?;
    Ok(state.into_record(stop))
}

/// A game in progress.
struct Game<'a> {
    scheduled: &'a ScheduledGame,
    plan: &'a Plan,
    /// The engine in each seat.
    specs: Vec<&'a EngineSpec>,
    start: AnyPosition,
    position: AnyPosition,
    request: Request,
    deck: Deck,
    clocks: Vec<SeatClock>,
    turns: Vec<TurnRecord>,
}

/// Why no more is played.
enum Stop {
    Over,
    MaxPlies,
    Fault(Offence),
}

impl<'a> Game<'a> {
    /// The position after the opening, the deck below the opening's cards.
    // Panicking here is documented at `play_game`: a plan's starts and openings are known to be legal.
    #[allow(clippy::expect_used)]
    fn set_up(scheduled: &'a ScheduledGame, plan: &'a Plan) -> Game<'a> {
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
            start,
            position: start,
            request: Request::new(scheduled.start.as_deref(), seats),
            deck: Deck::new(scheduled.deck_seed),
            clocks: specs
                .iter()
                .map(|spec| SeatClock::new(spec.limit))
                .collect(),
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

    // A missing engine is documented at `play_game`.
    #[allow(clippy::expect_used)]
    fn play(
        &mut self,
        engines: &mut [Option<Engine>],
        interrupt: &Interrupt,
    ) -> Result<Stop, Interrupted> {
        if self.position.turn() == Turn::Over {
            return Ok(Stop::Over);
        }
        if let Some(offence) = self.prepare(engines, interrupt)? {
            return Ok(Stop::Fault(offence));
        }
        loop {
            match self.position.turn() {
                Turn::Over => return Ok(Stop::Over),
                Turn::Card(_) => self.draw_card(),
                Turn::Seat(_) if self.turns.len() >= self.plan.patience.max_plies as usize => {
                    return Ok(Stop::MaxPlies);
                }
                Turn::Seat(seat) => {
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
    }

    /// Asks the engine in `seat` for its move and plays it; returns its fault, if it is one.
    fn play_turn(
        &mut self,
        seat: Seat,
        engine: &mut Engine,
        interrupt: &Interrupt,
    ) -> Result<Option<Offence>, Interrupted> {
        let patience = &self.plan.patience;
        let clock = &self.clocks[seat.index()];
        let wait = clock.longest_wait(patience);

        // Ask.
        let searchmoves = if self.specs[seat.index()].legal {
            self.position.legal_actions()
        } else {
            Vec::new()
        };
        let go = clock::go(&self.clocks, seat, searchmoves);
        let answer = match engine.ask(self.request.with_go(go), wait, interrupt) {
            Ok(answer) => answer,
            Err(failure) => return Offence::of_silence(seat, engine, failure, wait).map(Some),
        };

        // Judge the time, then the move.
        if clock.is_overstepped(answer.elapsed, patience) {
            let limit = clock.time_limit().unwrap_or_default();
            let reason = offence::too_late(answer.elapsed, limit, patience.margin);
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
        self.turns
            .push(turn_record(seat, mv, answer, self.clocks.len()));
        Ok(None)
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
            Stop::Over => GameEnd::Over,
            Stop::MaxPlies => GameEnd::MaxPlies,
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
            }),
            Stop::Over | Stop::MaxPlies => None,
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

fn turn_record(seat: Seat, mv: String, answer: Answer, seats: usize) -> TurnRecord {
    let given = answer.best_move.map(|best_move| best_move.estimate);
    let estimate = given
        .into_iter()
        .chain([answer.info.estimate])
        .find(|estimate| estimate.len() == seats);
    TurnRecord {
        seat: number(seat),
        mv,
        micros: Some(u64::try_from(answer.elapsed.as_micros()).unwrap_or(u64::MAX)),
        depth: answer.info.depth,
        estimate: estimate.unwrap_or_default(),
        score: answer.info.score.map(|score| score.to_string()),
    }
}

/// A seat as records count it, from 1.
fn number(seat: Seat) -> u32 {
    u32::from(seat.0) + 1
}
