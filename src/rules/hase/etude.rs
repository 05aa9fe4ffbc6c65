//! Etude lines: positions with a verdict, one a line of text, for tuning an evaluation.
//!
//! Source: the article "AI in Hase und Igel: minimax for three", whose example is `45;26;2;f;29;19;0;f;2`:
//! a player's square; carrots; lettuces; whether it misses a turn; and so on, last the player judged to be winning.

use thiserror::Error;

use super::notation;
use super::position::Position;
use super::position_error::PositionError;
use super::ruleset::Ruleset;
use super::track::FINISH;
use crate::rules::number::whole_number;
use crate::rules::{Game, Seat};

/// A position with seat 1 to move, and who is judged to be winning it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Etude {
    /// The position.
    pub position: Position,
    /// The seat judged to be winning, or `None` where nobody has judged.
    pub winner: Option<Seat>,
}

/// Why a line is not an etude.
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
    /// A missed turn is neither `t` nor `f`.
    #[error("mark: seat {seat}: expected t or f, found {text:?}")]
    Mark {
        /// The seat.
        seat: Seat,
        /// The text found.
        text: String,
    },
    /// A hare stands on the finish.
    #[error("finished: seat {seat} is on square 64, nobody has finished in an etude")]
    Finished {
        /// The seat.
        seat: Seat,
    },
    /// The verdict names no player.
    #[error("verdict: expected a player from 1 to {seats}, or `-` for none, found {text:?}")]
    Verdict {
        /// The text found.
        text: String,
        /// Number of players.
        seats: usize,
    },
    /// The position is refused.
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl Etude {
    /// Reads an etude line under a ruleset.
    ///
    /// # Errors
    /// Names the field at fault and what would have been accepted.
    pub fn parse(ruleset: &'static Ruleset, line: &str) -> Result<Etude, EtudeError> {
        let fields: Vec<&str> = line.split(';').collect();
        let wrong_number = EtudeError::Fields {
            found: fields.len(),
        };
        if fields.len() % 4 != 1 {
            return Err(wrong_number);
        }
        let seats = fields.len() / 4;
        let mut position = Position::start(ruleset, seats).ok_or(wrong_number)?;
        for (index, fields) in fields.chunks_exact(4).enumerate() {
            let seat = Seat(index as u8);
            let marked = match fields[3] {
                "t" => true,
                "f" => false,
                text => {
                    return Err(EtudeError::Mark {
                        seat,
                        text: text.to_string(),
                    });
                }
            };
            let numbers = [fields[0], fields[1], fields[2]];
            notation::place_hare(&mut position, seat, numbers, marked)?;
            if position.hare(seat).square == FINISH {
                return Err(EtudeError::Finished { seat });
            }
        }
        notation::check_marks(&position)?;
        let winner = parse_verdict(fields[4 * seats], seats)?;
        Ok(Etude { position, winner })
    }
}

fn parse_verdict(text: &str, seats: usize) -> Result<Option<Seat>, EtudeError> {
    match (text, whole_number(text, seats as u32)) {
        ("-", _) => Ok(None),
        (_, Ok(number)) if number > 0 => Ok(Some(Seat(number as u8 - 1))),
        _ => Err(EtudeError::Verdict {
            text: text.to_string(),
            seats,
        }),
    }
}
