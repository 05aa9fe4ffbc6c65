//! Settings of the vector search.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Strategy;

/// Settings of the article's search; the default is the strongest setup of the article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorSettings {
    /// Vector that a mover prefers.
    pub strategy: Strategy,
    /// Positions that are pruned.
    pub prune: Prune,
    /// Whether to search moves in the order of their static evaluation, best first.
    pub sort: bool,
    /// Number of moves to search, per ply.
    pub caps: Caps,
}

impl Default for VectorSettings {
    fn default() -> VectorSettings {
        VectorSettings {
            strategy: Strategy::Absolute,
            prune: Prune::Exact,
            sort: true,
            caps: Caps::default(),
        }
    }
}

/// Positions that are pruned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prune {
    /// None.
    Off,
    /// Positions that cannot change the vector of the root: see `vectors::zero_sum` for two seats and `vectors::node`
    /// for more, both under [`Strategy::Relative`]. Other strategies prune nothing, since a mover may prefer a vector
    /// that is also better for its rivals, so there is no bound on a rival's gain.
    #[default]
    Exact,
    /// The article's cuts: alpha and beta bound the value of seat 1, raised when it moves and lowered when another seat
    /// moves. This can change the vector.
    Article,
}

/// Largest number of plies with a cap of their own.
const MOST_CAPS: usize = 16;

/// Number of moves to search, best first: at the root, one ply below, and so on.
///
/// # Examples
/// ```
/// use buxtehude::search::article::vectors::Caps;
///
/// let caps: Caps = "0,0,8,8,4".parse()?;
/// assert_eq!([caps.at(0), caps.at(2), caps.at(4), caps.at(9)], [None, Some(8), Some(4), Some(4)]);
/// # Ok::<(), buxtehude::search::article::vectors::CapsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caps(Vec<u8>);

/// The text is not a list of caps.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("1 to {MOST_CAPS} whole numbers from 0 to 255 joined by commas, 0 for all moves")]
pub struct CapsError;

impl Caps {
    /// Number of moves to search `ply` plies below the root, or `None` for all.
    pub fn at(&self, ply: usize) -> Option<usize> {
        match self.0[ply.min(self.0.len() - 1)] {
            0 => None,
            cap => Some(cap.into()),
        }
    }
}

impl Default for Caps {
    fn default() -> Caps {
        Caps(vec![0])
    }
}

impl FromStr for Caps {
    type Err = CapsError;

    fn from_str(text: &str) -> Result<Caps, CapsError> {
        let cap = |word: &str| {
            let is_plain = word.bytes().all(|byte| byte.is_ascii_digit());
            word.parse().ok().filter(|_| is_plain).ok_or(CapsError)
        };
        let caps: Vec<u8> = text.split(',').map(cap).collect::<Result<_, _>>()?;
        if caps.len() > MOST_CAPS {
            return Err(CapsError);
        }
        Ok(Caps(caps))
    }
}

impl fmt::Display for Caps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let caps: Vec<String> = self.0.iter().map(u8::to_string).collect();
        f.write_str(&caps.join(","))
    }
}
