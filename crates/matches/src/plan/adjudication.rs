//! Conditions under which the arbiter ends a game early.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// When the arbiter ends a game early; by default never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Ends a game of two seats once both engines agree on the winner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<Resign>,
    /// Whether a game ends as soon as the rules know its exact outcome.
    pub solved: bool,
}

/// Agreement of both engines of a two-seat game on the winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resign {
    /// Number of consecutive moves of each engine that must agree.
    pub moves: u32,
    /// Least estimate of the winner's share, in permille, above 500.
    pub permille: u16,
}

/// Three moves in a row, and 19 games out of 20.
impl Default for Resign {
    fn default() -> Resign {
        Resign { moves: 3, permille: 950 }
    }
}

impl fmt::Display for Resign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "moves={} permille={}", self.moves, self.permille)
    }
}

impl FromStr for Resign {
    type Err = String;

    /// Parses words such as `moves=3 permille=950`; missing words take their defaults. The error names the invalid word
    /// and the accepted ones.
    fn from_str(text: &str) -> Result<Resign, String> {
        let (mut moves, mut permille) = (None, None);
        for word in text.split_whitespace() {
            let is_valid = match word.split_once('=') {
                Some(("moves", value)) => set_once(&mut moves, value, 1..=1000),
                Some(("permille", value)) => set_once(&mut permille, value, 501..=1000),
                _ => false,
            };
            if !is_valid {
                return Err(format!(
                    "{word:?}: expected moves=N from 1 to 1000 or permille=N from 501 to 1000, each at most once"
                ));
            }
        }
        let usual = Resign::default();
        Ok(Resign {
            moves: moves.unwrap_or(usual.moves),
            permille: permille.unwrap_or(usual.permille),
        })
    }
}

/// Sets a field to a number; returns `false` if it was set already or the number is invalid.
fn set_once<T: FromStr + PartialOrd>(
    field: &mut Option<T>,
    value: &str,
    range: RangeInclusive<T>,
) -> bool {
    let is_first = field.is_none();
    *field = value.parse().ok().filter(|number| range.contains(number));
    is_first && field.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in ["moves=3 permille=950", "moves=1 permille=1000"] {
            let resign: Resign = text.parse().unwrap();
            assert_eq!(resign.to_string(), text);
        }
        assert_eq!("".parse(), Ok(Resign::default()));
        assert_eq!("permille=600".parse::<Resign>().unwrap().to_string(), "moves=3 permille=600");
    }

    #[test]
    fn errors_quote_the_word() {
        for word in ["moves", "moves=0", "permille=500", "permille=1001", "score=5", "moves=x"] {
            let error = word.parse::<Resign>().unwrap_err();
            assert!(error.starts_with(&format!("{word:?}: expected moves=")), "{error}");
        }
        let twice = "moves=1 moves=2".parse::<Resign>().unwrap_err();
        assert!(twice.starts_with("\"moves=2\""), "{twice}");
    }
}
