//! Etude lines: positions with a verdict, one per line of text, for tuning an evaluation.
//!
//! Source: the article "AI in Hase und Igel: minimax for three". Its example is `45;26;2;f;29;19;0;f;2`: for each
//! player square, carrots, lettuces and whether it misses a turn; at the end, the player judged to be winning.

use std::fmt;

use thiserror::Error;

use super::notation;
use super::position::{Hare, Position};
use super::position_error::PositionError;
use super::ruleset::Ruleset;
use super::track::FINISH;
use crate::rules::number::seat_number;
use crate::rules::{Game, Seat};

/// A position with seat 1 to move, no card drawn and no seat finished, and the seat judged to be winning it.
///
/// # Examples
/// ```
/// use buxtehude::rules::{Seat, hase::{Etude, HASE_UND_IGEL}};
///
/// let etude = Etude::parse(&HASE_UND_IGEL, "45;26;2;f;29;19;0;f;2")?;
/// assert_eq!(etude.winner, Some(Seat(1)));
/// assert_eq!(etude.to_string(), "45;26;2;f;29;19;0;f;2");
/// # Ok::<(), buxtehude::rules::hase::EtudeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Etude {
    /// The position.
    pub position: Position,
    /// Seat judged to be winning, or `None` without a verdict.
    pub winner: Option<Seat>,
}

/// The line is not an etude.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EtudeError {
    /// The number of fields is not 4n + 1 for 2 to 6 players.
    #[error(
        "hares: expected 4 fields for each of 2 to 6 players and a verdict, found {found} fields"
    )]
    Fields {
        /// Number of fields found.
        found: usize,
    },
    /// The mark of a missed turn is neither `t` nor `f`.
    #[error("mark: seat {seat}: expected t or f, found {text:?}")]
    Mark {
        /// The seat.
        seat: Seat,
        /// The text found.
        text: String,
    },
    /// A hare is on the finish.
    #[error("finished: seat {seat} is on square 64, no hare has finished in an etude")]
    Finished {
        /// The seat.
        seat: Seat,
    },
    /// The verdict is not a player.
    #[error("verdict: expected a player from 1 to {seats}, or `-` for none, found {text:?}")]
    Verdict {
        /// The text found.
        text: String,
        /// Number of players.
        seats: usize,
    },
    /// The position is invalid.
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl EtudeError {
    /// Number of the invalid field, from 1; `None` if the number of fields is wrong.
    pub fn field(&self) -> Option<usize> {
        let (seat, within) = match self {
            EtudeError::Fields { .. } => return None,
            EtudeError::Mark { seat, .. } => (*seat, 4),
            EtudeError::Finished { seat } => (*seat, 1),
            EtudeError::Verdict { seats, .. } => (Seat(*seats as u8), 1),
            EtudeError::Position(error) => match error {
                PositionError::Number { field, seat, .. } => match *field {
                    "square" => (*seat, 1),
                    "carrots" => (*seat, 2),
                    _ => (*seat, 3),
                },
                PositionError::SharedSquare { second, .. } => (*second, 1),
                PositionError::Mark { seat, .. } => (*seat, 4),
                // Fields that an etude does not have.
                _ => return None,
            },
        };
        Some(4 * seat.index() + within)
    }
}

impl Etude {
    /// Parses an etude line under a ruleset.
    ///
    /// # Errors
    /// [`EtudeError`] names the invalid field and the accepted values.
    pub fn parse(ruleset: &'static Ruleset, line: &str) -> Result<Etude, EtudeError> {
        let fields: Vec<&str> = line.split(';').collect();
        let wrong_number = EtudeError::Fields { found: fields.len() };
        let (hares, &[verdict]) = fields.as_chunks::<4>() else {
            return Err(wrong_number);
        };
        let seats = hares.len();
        let mut position = Position::start(ruleset, seats).ok_or(wrong_number)?;
        for (seat, &[square, carrots, lettuces, mark]) in Seat::all(seats).zip(hares) {
            let marked = match mark {
                "t" => true,
                "f" => false,
                text => {
                    return Err(EtudeError::Mark { seat, text: text.to_string() });
                }
            };
            notation::place_hare(&mut position, seat, [square, carrots, lettuces], marked)?;
            if position.hare(seat).square == FINISH {
                return Err(EtudeError::Finished { seat });
            }
        }
        notation::check_marks(&position)?;
        let winner = seat_number(verdict, seats);
        if winner.is_none() && verdict != "-" {
            let text = verdict.to_string();
            return Err(EtudeError::Verdict { text, seats });
        }
        Ok(Etude { position, winner })
    }
}

impl fmt::Display for Etude {
    /// Writes the line that [`Etude::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, hare) in self.position.hares().iter().enumerate() {
            let Hare { square, carrots, lettuces } = hare;
            let marked = self.position.misses_turn(Seat(index as u8));
            let mark = if marked { 't' } else { 'f' };
            write!(f, "{square};{carrots};{lettuces};{mark};")?;
        }
        match self.winner {
            Some(seat) => seat.fmt(f),
            None => f.write_str("-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::seq::IteratorRandom;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::rules::Turn;
    use crate::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL};

    /// Positions of a random game before any hare has finished, as etudes with random verdicts.
    fn etudes_of_a_game(ruleset: &'static Ruleset, seats: usize, rng: &mut StdRng) -> Vec<Etude> {
        let mut etudes = Vec::new();
        let mut position = Position::start(ruleset, seats).unwrap();
        for _ in 0..60 {
            position = match position.turn() {
                Turn::Card(_) => {
                    position.draw_unchecked(position.outcomes().choose(rng).unwrap().0)
                }
                _ => position.play_unchecked(position.legal_moves().choose(rng).unwrap()),
            };
            if position.finished().len() > 0 {
                break;
            }
            let position = Position { seat: 0, paid: 0, drawn: [0; 8], ..position };
            let winner = rng.random_range(0..=seats as u8);
            let winner = (usize::from(winner) < seats).then_some(Seat(winner));
            etudes.push(Etude { position, winner });
        }
        etudes
    }

    #[test]
    fn what_is_printed_is_read_again() {
        let mut rng = StdRng::seed_from_u64(4);
        let mut marked = 0;
        for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
            for seats in [2, 3, 4, 5, 6].repeat(20) {
                for etude in etudes_of_a_game(ruleset, seats, &mut rng) {
                    let line = etude.to_string();
                    assert_eq!(Etude::parse(ruleset, &line), Ok(etude), "{line}");
                    marked += usize::from(line.contains('t'));
                }
            }
        }
        assert!(marked > 100, "only {marked} lines with a missed turn");
    }

    #[test]
    fn what_is_read_is_printed_again() {
        let mut rng = StdRng::seed_from_u64(5);
        let mut read = 0;
        for _ in 0..5_000 {
            let seats = rng.random_range(2..=6);
            let mut line = String::new();
            for _ in 0..seats {
                let square = rng.random_range(0..=63);
                let carrots = rng.random_range(0..=65535) >> rng.random_range(0..16);
                let lettuces = rng.random_range(0..=3);
                let mark = if rng.random_ratio(1, 8) { 't' } else { 'f' };
                line += &format!("{square};{carrots};{lettuces};{mark};");
            }
            line += &rng.random_range(1..=seats).to_string();
            if let Ok(etude) = Etude::parse(&HASE_UND_IGEL, &line) {
                assert_eq!(etude.to_string(), line);
                read += 1;
            }
        }
        assert!(read > 1_000, "only {read} lines are etudes");
    }

    #[test]
    fn an_error_knows_the_field_at_fault() {
        for (line, field) in [
            ("45;26;2;f;29;19;0;f", None),
            ("65;26;2;f;29;19;0;f;2", Some(1)),
            ("45;26;2;f;29;x;0;f;2", Some(6)),
            ("45;26;4;f;29;19;0;f;2", Some(3)),
            ("45;26;2;f;29;19;0;no;2", Some(8)),
            ("45;26;2;t;29;19;0;f;2", Some(4)),
            ("45;26;2;f;45;19;0;f;2", Some(5)),
            ("45;26;2;f;64;9;0;f;2", Some(5)),
            ("45;26;2;f;29;19;0;f;3", Some(9)),
        ] {
            let error = Etude::parse(&HASE_UND_IGEL, line).unwrap_err();
            assert_eq!(error.field(), field, "{line}: {error}");
        }
    }
}
