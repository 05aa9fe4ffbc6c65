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
/// [`Flaw::Unreadable`] names the place and the expected content.
pub fn read(line: impl AsRef<[u8]>) -> Result<GameRecord, Flaw> {
    Ok(serde_json::from_slice(line.as_ref())?)
}

/// Returns all flaws of a stored game: those that [`check`] finds, wrong totals, and changes since the game was played.
pub fn check_stored(stored: &StoredGame) -> Vec<Flaw> {
    let mut flaws = check(&stored.record);
    let totals = stored.totals.as_ref();
    if totals.is_some_and(|totals| *totals != stored.record.turn_sums()) {
        flaws.push(Flaw::Totals);
    }
    if let Some(found) = stored.digest.clone() {
        let expected = stored.record.digest();
        if found != expected {
            flaws.push(Flaw::Digest { found, expected });
        }
    }
    flaws
}

/// Returns all flaws of a recorded game. Checks that depend on a flawed part are skipped.
pub fn check(record: &GameRecord) -> Vec<Flaw> {
    let mut replay = match Replay::of(record) {
        Ok(replay) => replay,
        Err(flaw) => return vec![flaw],
    };
    if let Some(flaw) = replay.flaw.take() {
        return vec![flaw];
    }
    let mut flaws = Vec::new();
    flaws.extend(check_turns(record, &replay.steps).err());
    let offender = match check_endings(record, &replay.last) {
        Ok(offender) => offender,
        Err(flaw) => {
            flaws.push(flaw);
            return flaws;
        }
    };
    flaws.extend(check_places(record, &replay.last, offender).err());
    let winnings = replay.last.winnings();
    let same = ensure(record.winnings == winnings, || Flaw::Winnings {
        found: record.winnings.clone(),
        expected: winnings.to_vec(),
    });
    flaws.extend(same.err());
    flaws.extend(check_adjudication(record, &replay.last).err());
    flaws.extend(check_fault(record, offender).err());
    let luck = record.luck.as_ref();
    if luck.is_some_and(|luck| !luck.is_valid(record.seats.len())) {
        flaws.push(Flaw::Luck);
    }
    flaws
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
    #[error("not a game record: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The variant does not exist, or its rules program is not given.
    #[error("variant: {0}, or the game of a program in --rules")]
    Variant(#[from] UnknownVariant),
    #[error("start: {0}")]
    Start(#[from] PositionError),
    #[error("{field}: {found} entries, but the start has {seats} seats")]
    Length {
        /// `seats`, `places` or `endings`.
        field: &'static str,
        found: usize,
        seats: usize,
    },
    #[error("moves: expected words separated by single spaces")]
    Spaces,
    /// A move or card is illegal.
    #[error("word {number} of the moves: {reason}")]
    Action {
        /// Number of the move or card, from 1.
        number: usize,
        reason: PositionError,
    },
    #[error("turns: {turns} turns, but only {moves} moves")]
    TooManyTurns {
        turns: usize,
        /// Number of moves, without cards.
        moves: usize,
    },
    #[error(
        "turn {number}: seat {recorded_seat} with {recorded}, but the moves have seat {seat} with {mv}"
    )]
    Turn {
        /// Number of the turn, from 1.
        number: usize,
        recorded_seat: u32,
        /// Recorded move.
        recorded: String,
        /// Seat to move.
        seat: Seat,
        /// Move in the list of moves.
        mv: String,
    },
    #[error(
        "endings: {found}, but the moves do not end the game; expected a fault, max plies, agreed or solved"
    )]
    Unfinished { found: String },
    #[error("endings: seat {seat}: {found}, but the moves show {expected}")]
    Ending { seat: Seat, found: Ending, expected: Ending },
    #[error("places: {found:?}, but the moves and endings show {expected:?}")]
    Places { found: Vec<u32>, expected: Vec<u32> },
    #[error("winnings: {found:?}, but the moves show {expected:?}")]
    Winnings { found: Vec<u32>, expected: Vec<u32> },
    #[error("endings: {found}, but by the rules {}", winner(*outcome))]
    Adjudication {
        found: Ending,
        /// Winner by the rules, if they know it.
        outcome: Option<Seat>,
    },
    #[error("seats: the totals of turns, times and depths do not match the turns")]
    Totals,
    #[error("luck: expected one number for each seat, with a sum of 0")]
    Luck,
    #[error("digest: {found}, but the game has {expected}: it was changed after it was played")]
    Digest {
        found: String,
        /// Digest of the game as it is stored.
        expected: String,
    },
    #[error("fault: {found}, but the endings show {expected}")]
    Fault { found: String, expected: String },
}

impl Flaw {
    pub fn fault_of_rules(&self) -> Option<&RulesError> {
        match self {
            Flaw::Start(reason) | Flaw::Action { reason, .. } => reason.fault_of_rules(),
            _ => None,
        }
    }
}

fn winner(outcome: Option<Seat>) -> String {
    match outcome {
        Some(seat) => format!("seat {seat} wins"),
        None => "the winner is not known".to_string(),
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
                return Err(Flaw::Length { field, found, seats });
            }
        }
        let words: Vec<&str> = record.moves.split_whitespace().collect();
        if words.join(" ") != record.moves {
            return Err(Flaw::Spaces);
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
fn check_turns(record: &GameRecord, steps: &[Step]) -> Result<(), Flaw> {
    let turns = record.turns.len();
    let moves = steps.len();
    let opening = moves.checked_sub(turns);
    let opening = opening.ok_or(Flaw::TooManyTurns { turns, moves })?;
    for (index, (turn, step)) in record.turns.iter().zip(&steps[opening..]).enumerate() {
        if turn.mv != step.mv || turn.seat != u32::from(step.seat.0) + 1 {
            return Err(Flaw::Turn {
                number: index + 1,
                recorded_seat: turn.seat,
                recorded: turn.mv.clone(),
                seat: step.seat,
                mv: step.mv.clone(),
            });
        }
    }
    Ok(())
}

/// Checks each seat's ending against the last position; returns the seat at fault, if there is one.
fn check_endings(record: &GameRecord, last: &Position) -> Result<Option<Seat>, Flaw> {
    let mut open = Vec::new();
    for (index, &found) in record.endings.iter().enumerate() {
        let seat = Seat(index as u8);
        let expected = match last.place(seat) {
            Some(place) => Ending::by_rules(place, last.seats()),
            None => {
                open.push((seat, found));
                continue;
            }
        };
        if found != expected {
            return Err(Flaw::Ending { seat, found, expected });
        }
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
    let found: Vec<&str> = open.iter().map(|(_, ending)| ending.name()).collect();
    let found = found.join(", ");
    ensure(stopped, || Flaw::Unfinished { found })?;
    Ok(offender)
}

/// Checks the places against those at the end of such a game.
fn check_places(record: &GameRecord, last: &Position, offender: Option<Seat>) -> Result<(), Flaw> {
    let decided: Vec<Option<usize>> = last.places().collect();
    let places = places_at_end(&record.seats, &decided, offender.map(Seat::index));
    let mut expected: Vec<u32> = places.into_iter().map(|place| place as u32).collect();
    if adjudicated(record).is_some() {
        // The moves do not show the winner.
        expected = vec![1, 2];
        if record.places == [2, 1] {
            return Ok(());
        }
    }
    ensure(record.places == expected, || Flaw::Places { found: record.places.clone(), expected })
}

fn ensure(is_so: bool, flaw: impl FnOnce() -> Flaw) -> Result<(), Flaw> {
    if is_so { Ok(()) } else { Err(flaw()) }
}

/// Returns the ending if the arbiter ended the game.
fn adjudicated(record: &GameRecord) -> Option<Ending> {
    let by_arbiter = |ending: &Ending| matches!(ending, Ending::Agreed | Ending::Solved);
    record.endings.iter().copied().find(by_arbiter)
}

/// Checks that the rules confirm a solved game, and that engines agreed only in a game of two.
fn check_adjudication(record: &GameRecord, last: &Position) -> Result<(), Flaw> {
    let Some(ending) = adjudicated(record) else {
        return Ok(());
    };
    let wins = |seat: Seat| record.places.get(seat.index()) == Some(&1);
    let is_so = match (ending, last.solved()) {
        (Ending::Solved, Some(outcome)) => wins(outcome.winner),
        (Ending::Solved, None) => false,
        _ => last.seats() == 2,
    };
    ensure(is_so, || Flaw::Adjudication {
        found: ending,
        outcome: last.solved().map(|outcome| outcome.winner),
    })
}

fn check_fault(record: &GameRecord, offender: Option<Seat>) -> Result<(), Flaw> {
    let found = record.fault.as_ref().map(|fault| fault.seat);
    let expected = offender.map(|seat| u32::from(seat.0) + 1);
    let text = |seat: Option<u32>| {
        seat.map_or("none".to_string(), |seat| format!("a fault of seat {seat}"))
    };
    ensure(found == expected, || Flaw::Fault { found: text(found), expected: text(expected) })
}
