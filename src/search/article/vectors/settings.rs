//! Settings of the vector search.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

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
    /// Positions that cannot change the vector of the root: see `vectors::node`. They exist only under
    /// [`Strategy::Relative`]. Other strategies prune nothing, since a mover may prefer a vector
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

/// Main criterion of a mover among vectors.
///
/// Source: the article "AI in Hase und Igel: minimax for three". It attributes the first strategy to the noble Leslie
/// and the second to the cunning Faith, and proposes the third.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Its own component.
    #[default]
    Absolute,
    /// Its smallest lead over a rival.
    Relative,
    /// Its own component, and then its smallest lead over a rival.
    Hybrid,
}

impl Strategy {
    /// Value of a vector to seat `mover`, without tie-breaks.
    #[inline(always)]
    pub fn value<const N: usize>(self, mover: usize, vector: &[i32; N]) -> i64 {
        match self {
            Strategy::Absolute => vector[mover].into(),
            Strategy::Relative => smallest_lead(mover, vector).into(),
            Strategy::Hybrid => pair(vector[mover], smallest_lead(mover, vector)),
        }
    }

    /// [`Strategy::value`] with the tie-break order included as far as it fits into the number; for two seats
    /// completely.
    #[inline(always)]
    pub fn rank<const N: usize>(self, mover: usize, vector: &[i32; N]) -> i64 {
        if N > 2 {
            return self.value(mover, vector);
        }
        match self {
            Strategy::Absolute => pair(vector[mover], vector[1 - mover]),
            // Seat 1 maximises the pair, and seat 2 minimises it.
            Strategy::Relative if mover == 0 => pair(vector[0] - vector[1], vector[0]),
            Strategy::Relative => -pair(vector[0] - vector[1], vector[0]),
            Strategy::Hybrid => pair(vector[mover], -vector[1 - mover]),
        }
    }

    /// Compares two vectors for seat `mover`: the greater is the better.
    #[inline(always)]
    pub fn compare<const N: usize>(self, mover: usize, a: &[i32; N], b: &[i32; N]) -> Ordering {
        let by_rank = self.rank(mover, a).cmp(&self.rank(mover, b));
        by_rank.then_with(|| {
            let from_mover = |vector: &[i32; N]| {
                let mut vector = *vector;
                vector.rotate_left(mover);
                vector
            };
            from_mover(a).cmp(&from_mover(b))
        })
    }
}

/// Smallest lead of a seat over another; negative if it is behind one.
#[inline(always)]
fn smallest_lead<const N: usize>(seat: usize, vector: &[i32; N]) -> i32 {
    let mut smallest = i32::MAX;
    for (rival, &worth) in vector.iter().enumerate() {
        if rival != seat {
            smallest = smallest.min(vector[seat] - worth);
        }
    }
    smallest
}

/// Combines two numbers into one, ordered by the first and then by the second.
#[inline(always)]
fn pair(first: i32, second: i32) -> i64 {
    (i64::from(first) << 32) + i64::from(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leslie_and_faith_choose_as_in_the_article() {
        let (far, near) = ([5, 5], [2, 1]);
        assert_eq!(
            Strategy::Absolute.compare(0, &far, &near),
            Ordering::Greater
        );
        assert_eq!(Strategy::Relative.compare(0, &far, &near), Ordering::Less);
        assert_eq!(Strategy::Hybrid.compare(0, &far, &near), Ordering::Greater);
        assert_eq!(
            Strategy::Hybrid.compare(0, &[5, 4], &far),
            Ordering::Greater
        );
        assert_eq!(Strategy::Absolute.compare(0, &[5, 4], &far), Ordering::Less);
        assert_eq!(Strategy::Relative.value(1, &[4, 9, 6]), 3);
        assert_eq!(Strategy::Relative.value(2, &[4, 9, 6]), -3);
    }

    #[test]
    fn equal_values_are_read_from_the_mover_on() {
        let (a, b) = ([7, 5, 3], [1, 5, 4]);
        assert_eq!(Strategy::Absolute.compare(1, &a, &b), Ordering::Less);
        let (a, b) = ([7, 5, 4], [8, 5, 4]);
        assert_eq!(Strategy::Absolute.compare(1, &a, &b), Ordering::Less);
        assert_eq!(Strategy::Absolute.compare(1, &a, &a), Ordering::Equal);
        // Two seats under `Relative`: among equal leads seat 2 prefers the lower pair.
        assert_eq!(
            Strategy::Relative.compare(0, &[5, 4], &[4, 3]),
            Ordering::Greater
        );
        assert_eq!(
            Strategy::Relative.compare(1, &[5, 4], &[4, 3]),
            Ordering::Less
        );
    }

    #[test]
    fn pairs_are_ordered() {
        let numbers = [i32::MIN / 4, -7, -1, 0, 1, 7, i32::MAX / 4];
        for a in numbers {
            for b in numbers {
                for c in numbers {
                    for d in numbers {
                        assert_eq!(pair(a, b).cmp(&pair(c, d)), (a, b).cmp(&(c, d)));
                    }
                }
            }
        }
    }
}
