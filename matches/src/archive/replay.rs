//! Checks recorded games: the rules alone decide whether what a record says can have happened.

mod flaw;

use buxtehude::rules::{ActionError, AnyPosition, Seat, Turn, Variant};

use crate::record::GameRecord;
use crate::record::digest::KeptGame;
use crate::record::ending::Ending;

pub use flaw::Flaw;

/// Reads a line of a record file.
///
/// # Errors
/// [`Flaw::Unreadable`] says what was expected where.
pub fn read(line: impl AsRef<[u8]>) -> Result<GameRecord, Flaw> {
    Ok(serde_json::from_slice(line.as_ref())?)
}

/// Reads a line of a record file, with the digest in it.
///
/// # Errors
/// As [`read`].
pub fn read_kept(line: impl AsRef<[u8]>) -> Result<KeptGame, Flaw> {
    Ok(serde_json::from_slice(line.as_ref())?)
}

/// Everything that is wrong with a game as it was kept: what [`check`] finds, and whether it was changed since it was
/// played, or what its turns add up to.
pub fn check_kept(kept: &KeptGame) -> Vec<Flaw> {
    let mut flaws = check(&kept.record);
    let totals = kept.totals.as_ref();
    if totals.is_some_and(|totals| *totals != kept.record.turn_sums()) {
        flaws.push(Flaw::Totals);
    }
    if let Some(found) = kept.digest.clone() {
        let expected = kept.record.digest();
        if found != expected {
            flaws.push(Flaw::Digest { found, expected });
        }
    }
    flaws
}

/// Everything that is wrong with a recorded game; nothing if it is in order. What builds on something
/// wrong is not looked at.
pub fn check(record: &GameRecord) -> Vec<Flaw> {
    let mut walk = match Walk::of(record) {
        Ok(walk) => walk,
        Err(flaw) => return vec![flaw],
    };
    if let Some(flaw) = walk.flaw.take() {
        return vec![flaw];
    }
    let mut flaws = Vec::new();
    flaws.extend(check_turns(record, &walk.steps).err());
    let offender = match check_endings(record, &walk.last) {
        Ok(offender) => offender,
        Err(flaw) => {
            flaws.push(flaw);
            return flaws;
        }
    };
    flaws.extend(check_places(record, &walk.last, offender).err());
    flaws.extend(check_adjudication(record, &walk.last).err());
    flaws.extend(check_fault(record, offender).err());
    flaws
}

/// A move of a game, with what was drawn for it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Who moved.
    pub seat: Seat,
    /// What was drawn for the mover before it moved, as dice are.
    pub rolled: Option<String>,
    /// The move.
    pub mv: String,
    /// What the move drew.
    pub card: Option<String>,
    /// The position after move and card.
    pub after: AnyPosition,
}

/// A game played over again, by the rules.
#[derive(Debug)]
pub struct Walk {
    /// Position before the first step.
    pub first: AnyPosition,
    /// Moves in order.
    pub steps: Vec<Step>,
    /// Position after the last step.
    pub last: AnyPosition,
    /// What was drawn after the last of the steps, for a move that did not come.
    pub rolled: Option<String>,
    /// What kept the rest of the moves from being played.
    pub flaw: Option<Flaw>,
}

impl Walk {
    /// Plays a game over again, as far as it goes.
    pub fn of(record: &GameRecord) -> Result<Walk, Flaw> {
        let variant = Variant::by_name(&record.variant)?;
        let first = variant.parse(&record.start)?;
        let seats = first.seats();
        let lengths = [
            ("seats", record.seats.len()),
            ("places", record.places.len()),
            ("endings", record.endings.len()),
        ];
        for (field, found) in lengths {
            if found != seats {
                return Err(Flaw::Length {
                    field,
                    found,
                    seats,
                });
            }
        }
        let words: Vec<&str> = record.moves.split_whitespace().collect();
        if words.join(" ") != record.moves {
            return Err(Flaw::Spaces);
        }
        let mut walk = Walk {
            first,
            steps: Vec::new(),
            last: first,
            rolled: None,
            flaw: None,
        };
        for (index, word) in words.into_iter().enumerate() {
            if let Err(reason) = walk.play(word) {
                let number = index + 1;
                walk.flaw = Some(Flaw::Action { number, reason });
                break;
            }
        }
        Ok(walk)
    }

    fn play(&mut self, word: &str) -> Result<(), ActionError> {
        let turn = self.last.turn();
        self.last.play(word)?;
        match (turn, self.steps.last_mut()) {
            (Turn::Seat(seat), _) => {
                let rolled = self.rolled.take();
                self.steps.push(Step {
                    seat,
                    rolled,
                    mv: word.to_string(),
                    card: None,
                    after: self.last,
                });
            }
            (Turn::Card(drawer), Some(step)) if step.seat == drawer => {
                append(&mut step.card, word);
                step.after = self.last;
            }
            (Turn::Card(_), _) => append(&mut self.rolled, word),
            // A finished game takes no word.
            (Turn::Over, _) => {}
        }
        Ok(())
    }
}

/// Adds a card to those that were drawn together.
fn append(drawn: &mut Option<String>, word: &str) {
    match drawn {
        Some(words) => {
            words.push(' ');
            words.push_str(word);
        }
        None => *drawn = Some(word.to_string()),
    }
}

/// The turns are the last of the moves; those before are the opening.
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

/// Every seat ended as the last position shows; returns the seat at fault, if there is one.
fn check_endings(record: &GameRecord, last: &AnyPosition) -> Result<Option<Seat>, Flaw> {
    let mut open = Vec::new();
    for (index, &found) in record.endings.iter().enumerate() {
        let seat = Seat(index as u8);
        let expected = match last.place(seat) {
            Some(place) if place == last.seats() => Ending::Last,
            Some(_) => Ending::Finish,
            None => {
                open.push((seat, found));
                continue;
            }
        };
        if found != expected {
            return Err(Flaw::Ending {
                seat,
                found,
                expected,
            });
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
        None => [Ending::MaxPlies, Ending::Agreed, Ending::Solved]
            .into_iter()
            .any(others_are),
    };
    if stopped {
        return Ok(offender);
    }
    let found: Vec<&str> = open.iter().map(|(_, ending)| ending.name()).collect();
    Err(Flaw::Unfinished {
        found: found.join(", "),
    })
}

/// Who had finished keeps its place, the offender is last, the rest share what is between.
fn check_places(
    record: &GameRecord,
    last: &AnyPosition,
    offender: Option<Seat>,
) -> Result<(), Flaw> {
    let seats = || (0..last.seats() as u8).map(Seat);
    let finished = seats().filter(|&seat| last.place(seat).is_some()).count();
    let place = |seat| match last.place(seat) {
        Some(place) => place,
        None if Some(seat) == offender => last.seats(),
        None => finished + 1,
    };
    let mut expected: Vec<u32> = seats().map(|seat| place(seat) as u32).collect();
    if adjudicated(record).is_some() {
        // Who wins is not shown by the moves.
        expected = vec![1, 2];
        if record.places == [2, 1] {
            return Ok(());
        }
    }
    if record.places == expected {
        return Ok(());
    }
    Err(Flaw::Places {
        found: record.places.clone(),
        expected,
    })
}

/// How the arbiter ended the game, if it did.
fn adjudicated(record: &GameRecord) -> Option<Ending> {
    let by_arbiter = |ending: &Ending| matches!(ending, Ending::Agreed | Ending::Solved);
    record.endings.iter().copied().find(by_arbiter)
}

/// What the arbiter knew is what the rules know, and those who agreed are two.
fn check_adjudication(record: &GameRecord, last: &AnyPosition) -> Result<(), Flaw> {
    let Some(ending) = adjudicated(record) else {
        return Ok(());
    };
    let wins = |seat: Seat| record.places.get(seat.index()) == Some(&1);
    let is_so = match (ending, last.solved()) {
        (Ending::Solved, Some(outcome)) => wins(outcome.winner),
        (Ending::Solved, None) => false,
        _ => last.seats() == 2,
    };
    if is_so {
        return Ok(());
    }
    Err(Flaw::Adjudication {
        found: ending,
        outcome: last.solved().map(|outcome| outcome.winner),
    })
}

fn check_fault(record: &GameRecord, offender: Option<Seat>) -> Result<(), Flaw> {
    let found = record.fault.as_ref().map(|fault| fault.seat);
    let expected = offender.map(|seat| u32::from(seat.0) + 1);
    if found == expected {
        return Ok(());
    }
    let text =
        |seat: Option<u32>| seat.map_or("none".to_string(), |seat| format!("one of seat {seat}"));
    Err(Flaw::Fault {
        found: text(found),
        expected: text(expected),
    })
}
