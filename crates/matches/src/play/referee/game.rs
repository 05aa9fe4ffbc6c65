//! A game in progress: its turns, and how each answer is judged.

use std::thread;
use std::time::{Duration, Instant};

use buxtehude::protocol::{BestMove, Command, Go, Score};
use buxtehude::rules::{Seat, Turn};

use super::game_end::{GameEnd, places_and_endings, verdict};
use super::{Abandoned, MAX_BY_INTERFERENCE, MAX_BY_LAG, Played, Referee, number};
use crate::plan::deck::Deck;
use crate::plan::rules::{Position, PositionError};
use crate::plan::schedule::{ScheduledGame, play_opening};
use crate::plan::{EngineSpec, Opening};
use crate::play::clock::{MoveTime, SeatClock, WAIT_FOR_LATE_ANSWERS, Wait, milliseconds};
use crate::play::engine::{Answer, AnswerError, Engine, StartError};
use crate::play::interrupt::Interrupt;
use crate::record::ending::Ending;
use crate::record::printable::{printable, shortened};
use crate::record::{GameRecord, MAX_FLAW, MAX_LINE, TurnRecord, is_estimate, micros};

/// A signal from an engine may arrive this long after a delay of the arbiter.
const SIGNAL_DELAY: Duration = Duration::from_millis(50);

pub struct Game<'a> {
    scheduled: &'a ScheduledGame,
    referee: Referee<'a>,
    /// Engine of each seat.
    specs: Vec<&'a EngineSpec>,
    start: Position,
    position: Position,
    request: Request,
    deck: Deck,
    clocks: Vec<SeatClock>,
    /// `position` line that each seat's engine ponders: with the expected move, and nothing after it.
    pondered: Vec<Option<String>>,
    turns: Vec<TurnRecord>,
}

impl<'a> Game<'a> {
    /// Sets up the position after the opening, and the deck without the opening's cards.
    ///
    /// # Errors
    /// [`Abandoned::Position`] if the start or the opening is illegal; [`Abandoned::Interrupted`] if the interrupt is
    /// set during a question to a rules program.
    pub fn new(scheduled: &'a ScheduledGame, referee: Referee<'a>) -> Result<Game<'a>, Abandoned> {
        let plan = referee.plan;
        let seats = scheduled.seats.len();
        let start = scheduled.opening.start(&plan.rules)?;
        let mut position = start.clone();
        let mut deck = Deck::new(scheduled.deck_seed, plan.rules.draws());
        play_opening(&mut position, &scheduled.opening.moves, &mut deck)?;
        let specs: Vec<&EngineSpec> =
            scheduled.seats.iter().map(|seated| &plan.engines[seated.engine]).collect();
        Ok(Game {
            scheduled,
            referee,
            start,
            position,
            request: Request::new(&scheduled.opening),
            deck,
            clocks: specs
                .iter()
                .map(|spec| SeatClock::new(spec.limit, referee.margin(spec)))
                .collect(),
            pondered: vec![None; seats],
            specs,
            turns: Vec::new(),
        })
    }

    /// `true` if the rules have placed a seat by now, so that it needs no engine.
    pub fn has_finished(&self, seat: Seat) -> bool {
        self.position.place(seat).is_some()
    }

    /// Plays the game to its end, by the rules or by the first fault, and returns its record.
    ///
    /// `engines` are in seat order and belong to the calling thread. A seat that has finished by the end of the opening
    /// needs no engine. The engine whose fault ended the game has been killed; see [`Engine::is_usable`]. The maximum
    /// number of plies in `plan.referee_limits` counts the moves of engines, neither cards nor the opening. `turns` of
    /// the record contains the moves that were played, in order; an answer that was a fault is only in `fault`.
    ///
    /// # Errors
    /// [`Abandoned`]: the interrupt was set, and the engine that was searching can no longer be used; the loss of a
    /// seat may be the fault of the arbiter or of another process; or a rules program fails.
    ///
    /// # Panics
    /// If the number of seats differs from that of `engines`, or an engine is missing.
    pub fn play(mut self, engines: &mut [Option<Engine>]) -> Result<GameRecord, Abandoned> {
        assert_eq!(engines.len(), self.specs.len(), "engines and seats");
        let end = self.play_to_end(engines);
        self.end_pondering(engines);
        Ok(self.into_record(end?))
    }

    /// Returns the record of the game if it cannot begin, because the engine in `seat` could not be started: it is
    /// last, and the others share the places before it.
    pub fn walkover(self, seat: Seat, error: StartError) -> GameRecord {
        self.into_record(GameEnd::not_started(seat, error))
    }

    // `play` documents the panic for a missing engine.
    #[allow(clippy::expect_used)]
    fn play_to_end(&mut self, engines: &mut [Option<Engine>]) -> Result<GameEnd, Abandoned> {
        if self.position.turn() == Turn::Over {
            return Ok(GameEnd::Over);
        }
        if let Some(fault) = self.prepare(engines)? {
            return Ok(fault);
        }
        let plan = self.referee.plan;
        let max_plies = plan.referee_limits.max_plies as usize;
        loop {
            match self.position.turn() {
                Turn::Over => return Ok(GameEnd::Over),
                Turn::Card(seat) => self.draw_card(seat)?,
                Turn::Seat(_) if self.turns.len() >= max_plies => return Ok(GameEnd::MaxPlies),
                Turn::Seat(seat) => {
                    if let Some(end) = verdict(plan.adjudication, &self.position, &self.turns) {
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
        let timeout = self.referee.plan.referee_limits.ready;
        let seats = (0..).map(Seat).zip(engines);
        let racing = seats.filter(|(seat, _)| !self.has_finished(*seat));
        for (seat, engine) in racing {
            let Some(engine) = engine else { continue };
            let game = format!("game {}, seat {seat}", self.scheduled.number);
            let position = Some(self.request.position.as_str());
            if let Err(error) = engine.new_game(&game, position, timeout) {
                self.check_interference(seat, engine)?;
                let wait = Wait::of(timeout);
                return GameEnd::no_answer(seat, engine, error, &wait).map(Some);
            }
        }
        Ok(None)
    }

    fn draw_card(&mut self, seat: Seat) -> Result<(), Abandoned> {
        let card = self.deck.draw(seat, &self.position.outcomes());
        self.position.play(&card)?;
        self.request.append(&card);
        self.tell_listener(None, &card);
        Ok(())
    }

    /// Does nothing without a listener.
    fn tell_listener(&self, turn: Option<&TurnRecord>, word: &str) {
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
        let mut answer = match self.request_move(seat, engine) {
            Ok(answer) => answer,
            Err((error, wait)) => {
                if error == AnswerError::Stalled {
                    let time = self.clocks[seat.index()].end_move(begun.elapsed());
                    self.check_lag(seat, &time, begun)?;
                }
                self.check_interference(seat, engine)?;
                return GameEnd::no_answer(seat, engine, error, &wait).map(Some);
            }
        };

        // Judge the time, then the move.
        let time = self.clocks[seat.index()].end_move(answer.charged_time());
        if time.is_overstepped() {
            self.check_lag(seat, &time, begun)?;
            let reason = time.too_late(answer.elapsed, answer.waited);
            let fault = GameEnd::fault(seat, engine, Ending::TimeForfeit, &reason);
            return Ok(Some(fault));
        }
        let before = self.position.clone();
        let mv = match self.play_answer(&answer)? {
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
        self.request.append(&mv);
        if let Ok(best_move) = &answer.best_move {
            self.begin_pondering(seat, engine, best_move)?;
        }
        answer.info.pv = legal_line(answer.info.pv, &mv, before, &self.position)?;
        let turn = turn_record(seat, mv, answer, &time, self.clocks.len());
        self.tell_listener(Some(&turn), &turn.mv);
        self.turns.push(turn);
        Ok(None)
    }

    /// Requests the move of the engine in `seat`, by a `go` or by ending its pondering.
    ///
    /// # Errors
    /// Why it does not answer, and the longest wait.
    fn request_move(
        &mut self,
        seat: Seat,
        engine: &mut Engine,
    ) -> Result<Answer, (AnswerError, Wait)> {
        let stall = self.referee.plan.referee_limits.stall;
        let clock = &mut self.clocks[seat.index()];
        match self.pondered[seat.index()].take() {
            Some(pondered) if self.request.position == pondered => {
                let wait = clock.wait_for_answer(stall);
                match engine.ponder_hit(wait.time) {
                    Ok(Some(answer)) => return Ok(answer),
                    Ok(None) => {}
                    Err(error) => return Err((error, wait)),
                }
            }
            Some(_) => {
                let wait = clock.wait_for_stop();
                match engine.stop_pondering(wait.time) {
                    Ok(Some(stopped)) => clock.charge_stop(stopped.charged_time()),
                    Ok(None) => {}
                    Err(error) => return Err((error, wait)),
                }
            }
            None => {}
        }
        let wait = clock.wait_for_answer(stall);
        let searchmoves = self.searchmoves(seat, &self.position);
        let go = SeatClock::go(&self.clocks, seat, searchmoves);
        let answer = engine.go(&self.request.with_go(go), wait.time, None);
        answer.map_err(|error| (error, wait))
    }

    /// Starts pondering of the engine in `seat`, if it named a legal expected move after which it is to move.
    /// An error in sending the commands is reported by the engine's next turn.
    ///
    /// # Errors
    /// [`PositionError::Rules`] if a rules program fails.
    fn begin_pondering(
        &mut self,
        seat: Seat,
        engine: &mut Engine,
        answer: &BestMove,
    ) -> Result<(), PositionError> {
        let Some(expected) = answer.ponder.as_ref().filter(|_| self.specs[seat.index()].ponder)
        else {
            return Ok(());
        };
        let mut next = self.position.clone();
        match next.play(expected) {
            Ok(()) if next.turn() == Turn::Seat(seat) => {}
            Ok(()) | Err(PositionError::Action(_)) => return Ok(()),
            Err(error) => return Err(error),
        }
        let searchmoves = self.searchmoves(seat, &next);
        let go = Go { ponder: true, ..SeatClock::go(&self.clocks, seat, searchmoves) };
        let mut request = self.request.clone();
        request.append(expected);
        if engine.ponder(&request.with_go(go)).is_ok() {
            self.pondered[seat.index()] = Some(request.position);
        }
        Ok(())
    }

    /// Stops all pondering at the end of the game. An engine that does not stop is killed, but does not lose the game.
    fn end_pondering(&mut self, engines: &mut [Option<Engine>]) {
        for ((pondered, engine), clock) in self.pondered.iter_mut().zip(engines).zip(&self.clocks) {
            if let Some((_, engine)) = pondered.take().zip(engine.as_mut())
                && engine.stop_pondering(clock.wait_for_stop().time).is_err()
            {
                engine.dismiss();
            }
        }
    }

    fn searchmoves(&self, seat: Seat, position: &Position) -> Vec<String> {
        if self.specs[seat.index()].legal { position.legal_actions() } else { Vec::new() }
    }

    /// Checks that the arbiter's lag since `begun` does not explain why a move took too long.
    ///
    /// # Errors
    /// [`Abandoned::Suspect`] if it may, a few times per match.
    fn check_lag(&self, seat: Seat, time: &MoveTime, begun: Instant) -> Result<(), Abandoned> {
        let over = time.overrun.saturating_sub(time.margin);
        let lag = self.referee.lag.map_or(Duration::ZERO, |lag| lag.since(begun));
        if time.overrun.is_zero() || over >= lag || !self.grants_rerun(seat, MAX_BY_LAG) {
            return Ok(());
        }
        let [over, lag] = [over, lag].map(milliseconds);
        let cause =
            format!("was {over:.1} ms too late while the arbiter itself lagged by {lag:.1} ms");
        let engine = &self.specs[seat.index()].name;
        Err(Abandoned::suspect(engine, seat, &cause, self.shares()))
    }

    /// Checks that no other process may have caused the end or stop of a seat's process.
    ///
    /// # Errors
    /// [`Abandoned::Suspect`] if one may, a few times per match.
    fn check_interference(&self, seat: Seat, engine: &Engine) -> Result<(), Abandoned> {
        match engine.interference() {
            Some(what) if self.grants_rerun(seat, MAX_BY_INTERFERENCE) => {
                let engine = &self.specs[seat.index()].name;
                Err(Abandoned::interference(engine, seat, &what, self.shares()))
            }
            _ => Ok(()),
        }
    }

    fn grants_rerun(&self, seat: Seat, most: u32) -> bool {
        let engine = self.scheduled.seats[seat.index()].engine;
        let reruns = self.referee.reruns;
        reruns.is_some_and(|reruns| reruns.grant(engine, most))
    }

    /// Each seat's share in permille: the mean of the engines' last estimates; empty if there are none.
    fn shares(&self) -> Vec<u16> {
        let seats = 0..self.clocks.len();
        let last = |seat: usize| {
            let mut estimates = self.turns.iter().rev().filter(|turn| !turn.estimate.is_empty());
            estimates.find(|turn| turn.seat as usize == seat + 1)
        };
        let said: Vec<&TurnRecord> = seats.clone().filter_map(last).collect();
        let share = |seat: usize| {
            let sum: usize = said.iter().map(|turn| usize::from(turn.estimate[seat])).sum();
            (sum / said.len()) as u16
        };
        if said.is_empty() { Vec::new() } else { seats.map(share).collect() }
    }

    /// Plays the move of an answer, or says why it is illegal; then nothing has changed.
    fn play_answer(&mut self, answer: &Answer) -> Result<Result<String, String>, Abandoned> {
        Ok(match &answer.best_move {
            Ok(BestMove { best: Some(mv), .. }) => match self.position.play(mv) {
                Ok(()) => Ok(mv.clone()),
                Err(PositionError::Action(error)) => Err(error.to_string()),
                Err(error) => return Err(error.into()),
            },
            Ok(BestMove { best: None, .. }) => {
                let number = self.position.legal_actions().len();
                Err(format!("it gave no move; {number} were legal"))
            }
            Err(malformed) => Err(malformed.clone()),
        })
    }

    fn into_record(self, end: GameEnd) -> GameRecord {
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

/// The request for a move: the `position` line, which grows with the game, and `go`.
#[derive(Clone)]
struct Request {
    /// The `position` line, without its newline.
    position: String,
    /// End of the start position in that line.
    start: usize,
}

impl Request {
    /// Creates the request after an opening.
    fn new(opening: &Opening) -> Request {
        let start = format!("position {}", opening.start).len();
        Request { position: format!("position {opening}"), start }
    }

    /// Appends a move or a card.
    fn append(&mut self, word: &str) {
        let is_first = self.position.len() == self.start;
        self.position.push_str(if is_first { " moves " } else { " " });
        self.position.push_str(word);
    }

    /// Returns all moves and cards, separated by single spaces.
    fn moves(&self) -> &str {
        let moves = &self.position[self.start..];
        moves.strip_prefix(" moves ").unwrap_or(moves)
    }

    /// Returns both lines, each with its newline.
    fn with_go(&self, go: Go) -> String {
        format!("{}\n{}\n", self.position, Command::Go(go))
    }
}

/// Cuts the line of an answer after its last legal word, and after [`MAX_LINE`] words. The move `mv` has led
/// from `before` to `after`: a line that begins with it is checked from `after` on, since a rules program takes time.
///
/// # Errors
/// As [`legal_length`].
fn legal_line(
    mut line: Vec<String>,
    mv: &str,
    before: Position,
    after: &Position,
) -> Result<Vec<String>, Abandoned> {
    line.truncate(MAX_LINE);
    let legal = match line.split_first() {
        Some((first, rest)) if first == mv => 1 + legal_length(after.clone(), rest)?,
        _ => legal_length(before, &line)?,
    };
    line.truncate(legal);
    Ok(line)
}

/// Returns the number of words of a line that are legal, one after the other, from `position`. Asks a rules program
/// about one word at a time, so that no engine can stop it with illegal ones.
///
/// # Errors
/// [`Abandoned`] if a rules program fails.
fn legal_length(mut position: Position, line: &[String]) -> Result<usize, Abandoned> {
    for (index, word) in line.iter().enumerate() {
        match position.play(word) {
            Ok(()) => {}
            Err(error @ PositionError::Rules(_)) => return Err(error.into()),
            Err(_) => return Ok(index),
        }
    }
    Ok(line.len())
}

/// Maximum plausible depth and distance to mate, in plies.
const MAX_PLAUSIBLE_PLIES: u32 = 10_000;
/// Maximum plausible number of nodes: a thousand cores for hours.
const MAX_REPORTED_NODES: u64 = 1_000_000_000_000_000;
/// Maximum plausible score in centipawns, positive or negative.
const MAX_CENTIPAWNS: u32 = 100_000;
/// Number of dots after a text that was cut.
const DOTS: usize = 3;

/// Creates the record of an answer of `seat`, which played `mv` in a game of `seats`. Implausible values are dropped
/// and recorded as a flaw, which does not cost the game.
fn turn_record(
    seat: Seat,
    mv: String,
    answer: Answer,
    time: &MoveTime,
    seats: usize,
) -> TurnRecord {
    let any = |time: Duration| Some(micros(time)).filter(|micros| *micros > 0);
    let mut flaws: Vec<String> = answer.flaw.into_iter().collect();
    let given = answer.best_move.map(|best_move| best_move.estimate);
    let estimates = [given.unwrap_or_default(), answer.info.estimate];
    let turn = TurnRecord {
        seat: number(seat),
        mv,
        micros: Some(micros(answer.elapsed)),
        overrun: any(time.overrun),
        waited: any(answer.waited),
        out_of_turn: any(answer.out_of_turn),
        late_stop: any(time.late_stop),
        depth: believed_number("depth", answer.info.depth, MAX_PLAUSIBLE_PLIES, &mut flaws),
        estimate: believed_estimate(estimates, seats, &mut flaws),
        score: believed_score(answer.info.score, &mut flaws),
        nodes: believed_number("nodes", answer.info.nodes, MAX_REPORTED_NODES, &mut flaws),
        pv: answer.info.pv,
        flaw: None,
    };
    // An estimate may come with the last `info` and with the move.
    flaws.dedup();
    let flaw = flaws.join("; ");
    let flaw = shortened(&printable(&flaw), MAX_FLAW - DOTS).into_owned();
    TurnRecord { flaw: Some(flaw).filter(|flaw| !flaw.is_empty()), ..turn }
}

fn believed_number<T: Copy + Into<u64> + Ord>(
    name: &str,
    said: Option<T>,
    most: T,
    flaws: &mut Vec<String>,
) -> Option<T> {
    let said = said?;
    if said > most {
        let (said, most): (u64, u64) = (said.into(), most.into());
        flaws.push(format!("{name} {said}, expected at most {most}"));
        return None;
    }
    Some(said)
}

fn believed_score(said: Option<Score>, flaws: &mut Vec<String>) -> Option<String> {
    let said = said?;
    let (size, most) = match said {
        Score::Centipawns(hundredths) => (hundredths.unsigned_abs(), MAX_CENTIPAWNS),
        Score::Mate(moves) => (moves.unsigned_abs(), MAX_PLAUSIBLE_PLIES),
    };
    if size > most {
        flaws.push(format!("score {said}, expected -{most} to {most}"));
        return None;
    }
    Some(said.to_string())
}

/// Returns the first valid estimate; empty if there is none.
fn believed_estimate(said: [Vec<u16>; 2], seats: usize, flaws: &mut Vec<String>) -> Vec<u16> {
    for estimate in said.into_iter().filter(|estimate| !estimate.is_empty()) {
        if is_estimate(&estimate, seats) {
            return estimate;
        }
        let shares: Vec<String> = estimate.iter().map(u16::to_string).collect();
        let shares = shares.join(" ");
        let shares = shortened(&shares, MAX_FLAW / 2);
        flaws.push(format!("estimate {shares}, expected {seats} shares of 1000"));
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Limit;

    fn lines(request: &Request) -> String {
        request.with_go(Go { depth: Some(3), ..Go::default() })
    }

    #[test]
    fn the_position_grows_with_the_game() {
        let mut request = Request::new(&Opening::usual(2));
        assert_eq!(lines(&request), "position startpos\ngo depth 3\n");
        assert_eq!(request.moves(), "");
        request.append("1");
        assert_eq!(lines(&request), "position startpos moves 1\ngo depth 3\n");
        request.append("+half");
        assert_eq!(lines(&request), "position startpos moves 1 +half\ngo depth 3\n");
        assert_eq!(request.moves(), "1 +half");
    }

    #[test]
    fn the_start_names_the_players_or_the_position() {
        let mut three = Request::new(&Opening::usual(3));
        three.append("1");
        assert_eq!(lines(&three), "position startpos players 3 moves 1\ngo depth 3\n");
        let set_up = Request::new(&"0,68,3/0,68,3 1 - -".parse().unwrap());
        assert_eq!(lines(&set_up), "position fen 0,68,3/0,68,3 1 - -\ngo depth 3\n");
    }

    fn recorded(line: &str, info: &str, seats: usize) -> TurnRecord {
        let answer = Answer::read(Duration::from_millis(1), line.as_bytes(), info.as_bytes());
        let time = SeatClock::new(Limit::depth(1), Duration::ZERO).end_move(answer.elapsed);
        turn_record(Seat(0), "5".to_string(), answer, &time, seats)
    }

    #[test]
    fn what_can_be_true_is_recorded() {
        for (line, info) in [
            (
                "bestmove 5 estimate 600 400",
                "info depth 10000 score cp -100000 nodes 1000000000000000",
            ),
            ("bestmove 5 estimate 1000 0", "info depth 1 score mate 0"),
            // Each share is rounded separately.
            ("bestmove 5 estimate 501 500", "info depth 1 score mate -10000"),
        ] {
            let turn = recorded(line, info, 2);
            assert_eq!(turn.flaw, None, "{line}, {info}");
            assert!(turn.depth.is_some() && turn.score.is_some(), "{line}, {info}");
            assert_eq!(turn.estimate.len(), 2, "{line}, {info}");
        }
    }

    #[test]
    fn what_cannot_be_true_is_a_flaw() {
        for (line, info, flaw) in [
            (
                "bestmove 5",
                "info depth 4294967295 estimate 500 500",
                "depth 4294967295, expected at most 10000",
            ),
            (
                "bestmove 5",
                "info depth 1 score cp 1 nodes 18446744073709551615",
                "nodes 18446744073709551615, expected at most 1000000000000000",
            ),
            (
                "bestmove 5",
                "info depth 1 score cp -2147483648",
                "score cp -2147483648, expected -100000 to 100000",
            ),
            (
                "bestmove 5",
                "info depth 1 score mate 10001",
                "score mate 10001, expected -10000 to 10000",
            ),
            ("bestmove 5 estimate 600 300", "", "estimate 600 300, expected 2 shares of 1000"),
            (
                "bestmove 5 estimate 600 300",
                "info depth 3 estimate 600 300",
                "estimate 600 300, expected 2 shares of 1000",
            ),
            ("bestmove 5 estimate 1001 0", "", "estimate 1001 0, expected 2 shares of 1000"),
            (
                "bestmove 5 estimate 300 400 300",
                "",
                "estimate 300 400 300, expected 2 shares of 1000",
            ),
            ("bestmove 5 ponder", "", "bestmove ponder: missing argument: expected a move"),
        ] {
            assert_eq!(recorded(line, info, 2).flaw.as_deref(), Some(flaw), "{line}, {info}");
        }
        let turn = recorded("bestmove 5 estimate 9 9", "info depth 3 estimate 600 400", 2);
        assert_eq!((turn.depth, turn.estimate), (Some(3), vec![600, 400]));
        assert!(turn.flaw.is_some());
    }

    #[test]
    fn a_flaw_is_short() {
        let line = format!("bestmove 5 estimate{}", " 7".repeat(9000));
        let info = "info depth 4294967295 score cp 2147483647 nodes 18446744073709551615";
        let flaw = recorded(&line, info, 2).flaw.unwrap();
        assert_eq!(flaw.chars().count(), MAX_FLAW, "{flaw}");
    }
}
