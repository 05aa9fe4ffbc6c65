//! What can be chosen about the search for vectors.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Strategy;

/// The choices of the article's search; the default is the article's at its best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorSettings {
    /// Which vector a mover takes.
    pub strategy: Strategy,
    /// Which positions are not looked at.
    pub prune: Prune,
    /// Whether moves are looked at in the order of what they lead to, the most promising first.
    pub sort: bool,
    /// How many of the moves are looked at, ply by ply.
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

/// Which positions are not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prune {
    /// All are.
    Off,
    /// Those that cannot change the vector of the root: see `vectors::zero_sum` for two seats and
    /// `vectors::node` for more, both under [`Strategy::Relative`]. Under the other strategies a
    /// mover may be content with a vector that is better for its rivals too, so nothing bounds what the mover
    /// before gets of it, and all are looked at.
    #[default]
    Exact,
    /// As the article cuts: alpha and beta are bounds on what seat 1 gets, raised where it moves and
    /// lowered where another does. This can change the vector.
    Article,
}

/// Plies that have a cap of their own at most.
const MOST_CAPS: usize = 16;

/// How many of the moves, the most promising first, are looked at: at the root, one ply below, and so on.
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

/// Why a text is no list of caps.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("1 to {MOST_CAPS} whole numbers from 0 to 255 joined by commas, 0 for all moves")]
pub struct CapsError;

impl Caps {
    /// The number of moves to look at `ply` plies below the root, or `None` for all.
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
