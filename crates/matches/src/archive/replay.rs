//! Checks of recorded games against the rules.

use buxtehude::rules::{Seat, Turn, UnknownVariant};
use thiserror::Error;

use super::ArchiveError;
use super::store::{Extent, Store};
use crate::plan::rules::external::RulesError;
use crate::plan::rules::facts::places_at_end;
use crate::plan::rules::{Position, PositionError, Rules};
use crate::record::GameRecord;
use crate::record::digest::StoredGame;
use crate::record::ending::Ending;
use crate::record::printable::shortened;

/// Maximum number of characters of a list of games.
const MAX_LIST_LENGTH: usize = 200;

/// Parses a line of a record file.
///
/// # Errors
/// [`Flaw`] names the place and the expected content.
pub fn read(line: impl AsRef<[u8]>) -> Result<GameRecord, Flaw> {
    let record = serde_json::from_slice(line.as_ref());
    record.map_err(|error| Flaw::Record(format!("not a game record: {error}")))
}

/// Returns all flaws of a stored game: those that [`check`] finds, wrong totals, and changes since the game was played.
pub fn check_stored(stored: &StoredGame) -> Vec<Flaw> {
    let mut flaws = check(&stored.record);
    let totals = stored.totals.as_ref();
    if totals.is_some_and(|totals| *totals != stored.record.turn_sums()) {
        let flaw = "seats: the totals of turns, times and depths do not match the turns";
        flaws.push(Flaw::Record(flaw.to_string()));
    }
    if let Some(found) = &stored.digest {
        let expected = stored.record.digest();
        if *found != expected {
            flaws.push(Flaw::Record(format!(
                "digest: {found}, but the game has {expected}: it was changed after it was played"
            )));
        }
    }
    flaws
}

/// Returns all flaws of a recorded game. Checks that depend on a flawed part are skipped.
pub fn check(record: &GameRecord) -> Vec<Flaw> {
    let (steps, last) = match Replay::of(record) {
        Err(flaw) | Ok(Replay { flaw: Some(flaw), .. }) => return vec![flaw],
        Ok(Replay { steps, last, .. }) => (steps, last),
    };
    let mut results = vec![check_turns(record, &steps)];
    match check_endings(record, &last) {
        Err(flaw) => results.push(Err(flaw)),
        Ok(offender) => results.extend([
            check_places(record, &last, offender),
            check_winnings(record, &last),
            check_adjudication(record, &last),
            check_fault(record, offender),
            check_luck(record),
        ]),
    }
    results.into_iter().filter_map(Result::err).map(Flaw::Record).collect()
}

/// Returns the games of a store that are wrong by a rules program that runs now, each with its first flaw.
///
/// # Errors
/// The store cannot be read, or the program fails, which says nothing about the games.
pub fn wrong_games<E: From<ArchiveError> + From<RulesError>>(
    store: &Store,
) -> Result<Vec<(u64, Flaw)>, E> {
    let mut wrong = Vec::new();
    store.for_each_game(Extent::Whole, |game| {
        let flaws = check(&game.record);
        if let Some(fault) = broken_rules(&flaws) {
            return Err(fault.clone().into());
        }
        wrong.extend(flaws.into_iter().next().map(|flaw| (game.record.game, flaw)));
        Ok::<(), E>(())
    })?;
    Ok(wrong)
}

/// Names the games that are wrong by the rules, with the flaw of the first one.
pub fn wrong_in_words(wrong: &[(u64, Flaw)]) -> String {
    let numbers: Vec<String> = wrong.iter().map(|(game, _)| game.to_string()).collect();
    let (games, are) = if wrong.len() == 1 { ("game", "is") } else { ("games", "are") };
    let first =
        wrong.first().map_or_else(String::new, |(game, flaw)| format!("game {game}: {flaw}"));
    let numbers = shortened(&numbers.join(", "), MAX_LIST_LENGTH).into_owned();
    format!("{games} {numbers} {are} wrong by the rules as they are now ({first})")
}

/// Returns the fault of a rules program that failed while a game was checked, which says nothing about the game.
pub fn broken_rules(flaws: &[Flaw]) -> Option<&RulesError> {
    let mut faults = flaws.iter().filter_map(Flaw::fault_of_rules);
    faults.find(|fault| fault.is_broken())
}

#[derive(Debug, Error)]
pub enum Flaw {
    /// The variant does not exist, or its rules program is not given.
    #[error("variant: {0}, or the game of a program in --rules")]
    Variant(#[from] UnknownVariant),
    #[error("start: {0}")]
    Start(#[from] PositionError),
    /// A move or card is illegal.
    #[error("word {number} of the moves: {reason}")]
    Action {
        /// Number of the move or card, from 1.
        number: usize,
        reason: PositionError,
    },
    /// A part of the record is malformed or contradicts another.
    #[error("{0}")]
    Record(String),
}

impl Flaw {
    pub fn fault_of_rules(&self) -> Option<&RulesError> {
        match self {
            Flaw::Start(reason) | Flaw::Action { reason, .. } => reason.fault_of_rules(),
            _ => None,
        }
    }
}

/// A move of a game with its cards.
#[derive(Clone, Debug)]
pub struct Step {
    pub seat: Seat,
    /// Cards drawn for the seat before its move, such as dice.
    pub rolled: Option<String>,
    pub mv: String,
    /// Cards drawn by the move.
    pub card: Option<String>,
    /// Position after the move and its cards.
    pub after: Position,
}

/// A recorded game, replayed by the rules.
#[derive(Debug)]
pub struct Replay {
    /// Position before the first step.
    pub first: Position,
    pub steps: Vec<Step>,
    /// Position after the last step.
    pub last: Position,
    /// Cards drawn after the last step, for a move that was not played.
    pub rolled: Option<String>,
    /// Flaw that prevents the rest of the moves from being replayed.
    pub flaw: Option<Flaw>,
}

impl Replay {
    /// Replays a game up to its first illegal move or card.
    pub fn of(record: &GameRecord) -> Result<Replay, Flaw> {
        let first = Rules::by_name(&record.variant)?.parse(&record.start)?;
        let seats = first.seats();
        let lengths = [
            ("seats", record.seats.len()),
            ("places", record.places.len()),
            ("endings", record.endings.len()),
        ];
        for (field, found) in lengths {
            if found != seats {
                return Err(Flaw::Record(format!(
                    "{field}: {found} entries, but the start has {seats} seats"
                )));
            }
        }
        let words: Vec<&str> = record.moves.split_whitespace().collect();
        if words.join(" ") != record.moves {
            let flaw = "moves: expected words separated by single spaces";
            return Err(Flaw::Record(flaw.to_string()));
        }
        let mut replay =
            Replay { last: first.clone(), first, steps: Vec::new(), rolled: None, flaw: None };
        let (after, error) = replay.first.walk(words.iter().copied());
        let number = after.len() + 1;
        replay.flaw = error.map(|reason| Flaw::Action { number, reason });
        for (word, after) in words.into_iter().zip(after) {
            replay.append(word, after);
        }
        Ok(replay)
    }

    fn append(&mut self, word: &str, after: Position) {
        let turn = self.last.turn();
        self.last = after;
        match (turn, self.steps.last_mut()) {
            (Turn::Seat(seat), _) => {
                let rolled = self.rolled.take();
                self.steps.push(Step {
                    seat,
                    rolled,
                    mv: word.to_string(),
                    card: None,
                    after: self.last.clone(),
                });
            }
            (Turn::Card(drawer), Some(step)) if step.seat == drawer => {
                append(&mut step.card, word);
                step.after = self.last.clone();
            }
            (Turn::Card(_), _) => append(&mut self.rolled, word),
            // Unreachable: a finished game accepts no word.
            (Turn::Over, _) => {}
        }
    }
}

/// Appends a card to those drawn together.
fn append(drawn: &mut Option<String>, word: &str) {
    match drawn {
        Some(words) => {
            words.push(' ');
            words.push_str(word);
        }
        None => *drawn = Some(word.to_string()),
    }
}

/// Checks that the turns match the last moves; the moves before them are the opening.
fn check_turns(record: &GameRecord, steps: &[Step]) -> Result<(), String> {
    let (turns, moves) = (record.turns.len(), steps.len());
    let opening = moves
        .checked_sub(turns)
        .ok_or_else(|| format!("turns: {turns} turns, but only {moves} moves"))?;
    for (number, (turn, step)) in (1..).zip(record.turns.iter().zip(&steps[opening..])) {
        ensure(turn.mv == step.mv && turn.seat == u32::from(step.seat.0) + 1, || {
            let (seat, mv) = (step.seat, &step.mv);
            let recorded = format!("seat {} with {}", turn.seat, turn.mv);
            format!("turn {number}: {recorded}, but the moves have seat {seat} with {mv}")
        })?;
    }
    Ok(())
}

/// Checks each seat's ending against the last position; returns the seat at fault, if there is one.
fn check_endings(record: &GameRecord, last: &Position) -> Result<Option<Seat>, String> {
    let mut open = Vec::new();
    for (index, &found) in record.endings.iter().enumerate() {
        let seat = Seat(index as u8);
        let Some(place) = last.place(seat) else {
            open.push((seat, found));
            continue;
        };
        let expected = Ending::by_rules(place, last.seats());
        ensure(found == expected, || {
            format!("endings: seat {seat}: {found}, but the moves show {expected}")
        })?;
    }
    let mut offenders = open.iter().filter(|(_, ending)| ending.is_fault());
    let offender = offenders.next().map(|&(seat, _)| seat);
    let others_are = |wanted| {
        let others = open.iter().filter(|&&(seat, _)| Some(seat) != offender);
        others.into_iter().all(|&(_, ending)| ending == wanted)
    };
    let stopped = match offender {
        Some(_) => others_are(Ending::Ended),
        None => [Ending::MaxPlies, Ending::Agreed, Ending::Solved].into_iter().any(others_are),
    };
    ensure(stopped, || {
        let found: Vec<&str> = open.iter().map(|(_, ending)| ending.name()).collect();
        format!(
            "endings: {}, but the moves do not end the game; expected a fault, max plies, agreed or solved",
            found.join(", ")
        )
    })?;
    Ok(offender)
}

/// Checks the places against those at the end of such a game.
fn check_places(
    record: &GameRecord,
    last: &Position,
    offender: Option<Seat>,
) -> Result<(), String> {
    let found = &record.places;
    let decided: Vec<Option<usize>> = last.places().collect();
    let places = places_at_end(&record.seats, &decided, offender.map(Seat::index));
    let mut expected: Vec<u32> = places.into_iter().map(|place| place as u32).collect();
    if adjudicated(record).is_some() {
        // The moves do not show the winner.
        expected = vec![1, 2];
        if *found == [2, 1] {
            return Ok(());
        }
    }
    ensure(*found == expected, || {
        format!("places: {found:?}, but the moves and endings show {expected:?}")
    })
}

fn check_winnings(record: &GameRecord, last: &Position) -> Result<(), String> {
    let (found, expected) = (&record.winnings, last.winnings());
    ensure(found == expected, || format!("winnings: {found:?}, but the moves show {expected:?}"))
}

/// Returns the ending if the arbiter ended the game.
fn adjudicated(record: &GameRecord) -> Option<Ending> {
    let by_arbiter = |ending: &Ending| matches!(ending, Ending::Agreed | Ending::Solved);
    record.endings.iter().copied().find(by_arbiter)
}

/// Checks that the rules confirm a solved game, and that engines agreed only in a game of two.
fn check_adjudication(record: &GameRecord, last: &Position) -> Result<(), String> {
    let Some(ending) = adjudicated(record) else {
        return Ok(());
    };
    let winner = last.solved().map(|outcome| outcome.winner);
    let is_so = match ending {
        Ending::Solved => winner.is_some_and(|seat| record.places.get(seat.index()) == Some(&1)),
        _ => last.seats() == 2,
    };
    ensure(is_so, || {
        let unknown = || "the winner is not known".to_string();
        let winner = winner.map_or_else(unknown, |seat| format!("seat {seat} wins"));
        format!("endings: {ending}, but by the rules {winner}")
    })
}

fn check_fault(record: &GameRecord, offender: Option<Seat>) -> Result<(), String> {
    let found = record.fault.as_ref().map(|fault| fault.seat);
    let expected = offender.map(|seat| u32::from(seat.0) + 1);
    let text = |seat: Option<u32>| {
        seat.map_or("none".to_string(), |seat| format!("a fault of seat {seat}"))
    };
    ensure(found == expected, || {
        format!("fault: {}, but the endings show {}", text(found), text(expected))
    })
}

fn check_luck(record: &GameRecord) -> Result<(), String> {
    let is_valid = record.luck.as_ref().is_none_or(|luck| luck.is_valid(record.seats.len()));
    ensure(is_valid, || "luck: expected one number for each seat, with a sum of 0".to_string())
}

fn ensure(is_so: bool, flaw: impl FnOnce() -> String) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(flaw()) }
}
