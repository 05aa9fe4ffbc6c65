//! Settings of the vector search: which vector a mover prefers, and which moves are searched.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::rules::joined;

/// Settings of the article's search.
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

impl VectorSettings {
    /// Settings of the article's program.
    pub fn article() -> VectorSettings {
        VectorSettings {
            strategy: Strategy::ABSOLUTE,
            prune: Prune::Article,
            sort: true,
            caps: Caps(vec![0, 0, 8, 8, 4]),
        }
    }

    /// The strongest of the article's ideas with two seats: measured in docs/research.md.
    pub fn best() -> VectorSettings {
        VectorSettings {
            strategy: Strategy::RELATIVE,
            prune: Prune::Exact,
            sort: true,
            caps: Caps::default(),
        }
    }
}

/// Positions that are pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prune {
    /// None.
    Off,
    /// Positions that cannot change the vector of the root: see [`vectors`](super::vectors). They exist only under
    /// [`Strategy::RELATIVE`]. Other strategies prune nothing, since a mover may prefer a vector
    /// that is also better for its rivals, so there is no bound on a rival's gain.
    Exact,
    /// The article's cuts: alpha and beta bound the value of seat 1, raised when it moves and lowered when another seat
    /// moves. This can change the vector.
    Article,
}

/// Largest number of plies with a cap of their own.
const MAX_CAPS: usize = 16;

/// Number of moves to search, best first: at the root, one ply below, and so on.
///
/// # Examples
/// ```
/// use buxtehude::articles::strategy::Caps;
///
/// let caps: Caps = "0,0,8,8,4".parse()?;
/// assert_eq!([caps.at(0), caps.at(2), caps.at(4), caps.at(9)], [None, Some(8), Some(4), Some(4)]);
/// # Ok::<(), buxtehude::articles::strategy::CapsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caps(Vec<u8>);

/// The text is not a list of caps.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("1 to {MAX_CAPS} whole numbers from 0 to 255 joined by commas, 0 for all moves")]
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
        if caps.len() > MAX_CAPS {
            return Err(CapsError);
        }
        Ok(Caps(caps))
    }
}

impl fmt::Display for Caps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(&self.0, ","))
    }
}

/// Value of a vector to the mover: its own component less a share of the largest component of a rival.
///
/// Source: the article "AI in Hase und Igel: minimax for three". It attributes the share 0 to the noble Leslie and the
/// share 1 to the cunning Faith, and proposes shares between them.
///
/// # Examples
/// ```
/// use buxtehude::articles::strategy::Strategy;
///
/// let quarter: Strategy = "25".parse()?;
/// assert!(quarter.value(0, &[500, 300]) == quarter.value(0, &[505, 320]));
/// assert_eq!("100".parse::<Strategy>()?, Strategy::RELATIVE);
/// # Ok::<(), buxtehude::articles::strategy::StrategyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// Weight of the rival's component; the own component has [`FULL_WEIGHT`].
    rival_weight: i64,
}

/// The text is not a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("absolute, relative, hybrid, or a whole number from 0 to 100")]
pub struct StrategyError;

/// Weight of one percent.
const PERCENT: i64 = 1 << 25;

/// Exceeds the difference of any two components, so that a weight of 1 only decides between equal own components.
const FULL_WEIGHT: i64 = 100 * PERCENT;

/// Strategies with a name.
const NAMED: [(&str, Strategy); 3] = [
    ("absolute", Strategy::ABSOLUTE),
    ("relative", Strategy::RELATIVE),
    ("hybrid", Strategy::HYBRID),
];

impl Strategy {
    /// Maximises the own component.
    pub const ABSOLUTE: Strategy = Strategy { rival_weight: 0 };

    /// Maximises the smallest lead over a rival.
    pub const RELATIVE: Strategy = Strategy { rival_weight: FULL_WEIGHT };

    /// Maximises the own component, and then the smallest lead over a rival.
    pub const HYBRID: Strategy = Strategy { rival_weight: 1 };

    /// Maximises the own component less this share of the best rival's, from 0 to 100.
    pub const fn of_percent(percent: u8) -> Strategy {
        Strategy { rival_weight: percent as i64 * PERCENT }
    }

    /// Value of a vector to seat `mover`, without tie-breaks.
    #[inline(always)]
    pub fn value<const N: usize>(self, mover: usize, vector: &[i32; N]) -> i64 {
        let mut best_rival = i32::MIN;
        for (rival, &worth) in vector.iter().enumerate() {
            if rival != mover {
                best_rival = best_rival.max(worth);
            }
        }
        FULL_WEIGHT * i64::from(vector[mover]) - self.rival_weight * i64::from(best_rival)
    }

    /// [`Strategy::value`] with the tie-break included where [`Strategy::is_zero_sum`].
    #[inline(always)]
    pub fn rank<const N: usize>(self, mover: usize, vector: &[i32; N]) -> i64 {
        let tie_break = match (self.is_zero_sum::<N>(), mover) {
            (false, _) => 0,
            // Seat 1 maximises the pair, and seat 2 minimises it.
            (true, 0) => vector[0],
            (true, _) => -vector[0],
        };
        self.value(mover, vector) + i64::from(tie_break)
    }

    /// `true` if the ranks of a vector for the `N` seats have the sum 0.
    #[inline(always)]
    pub fn is_zero_sum<const N: usize>(self) -> bool {
        N == 2 && self == Strategy::RELATIVE
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

impl FromStr for Strategy {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Strategy, StrategyError> {
        if let Some((_, strategy)) = NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(*strategy);
        }
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let percent = text.parse().ok().filter(|percent| is_plain && *percent <= 100);
        percent.map(Strategy::of_percent).ok_or(StrategyError)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMED.iter().find(|(_, strategy)| strategy == self) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "{}", self.rival_weight / PERCENT),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use super::super::DECIDED_WORTH;
    use super::*;

    #[test]
    fn leslie_and_faith_choose_as_in_the_article() {
        let (far, near) = ([5, 5], [2, 1]);
        assert_eq!(Strategy::ABSOLUTE.compare(0, &far, &near), Greater);
        assert_eq!(Strategy::RELATIVE.compare(0, &far, &near), Less);
        assert_eq!(Strategy::HYBRID.compare(0, &far, &near), Greater);
        assert_eq!(Strategy::HYBRID.compare(0, &[5, 4], &far), Greater);
        assert_eq!(Strategy::ABSOLUTE.compare(0, &[5, 4], &far), Less);
        assert_eq!(Strategy::RELATIVE.value(1, &[4, 9, 6]), 3 * FULL_WEIGHT);
        assert_eq!(Strategy::RELATIVE.value(2, &[4, 9, 6]), -3 * FULL_WEIGHT);
    }

    #[test]
    fn equal_values_are_read_from_the_mover_on() {
        let (a, b) = ([7, 5, 3], [1, 5, 4]);
        assert_eq!(Strategy::ABSOLUTE.compare(1, &a, &b), Less);
        let (a, b) = ([7, 5, 4], [8, 5, 4]);
        assert_eq!(Strategy::ABSOLUTE.compare(1, &a, &b), Less);
        assert_eq!(Strategy::ABSOLUTE.compare(1, &a, &a), Equal);
        // Two seats under `relative`: among equal leads seat 2 prefers the lower pair.
        assert_eq!(Strategy::RELATIVE.compare(0, &[5, 4], &[4, 3]), Greater);
        assert_eq!(Strategy::RELATIVE.compare(1, &[5, 4], &[4, 3]), Less);
    }

    #[test]
    fn hybrid_compares_leads_of_equal_components_alone_up_to_the_largest() {
        let worths = [-6 * DECIDED_WORTH, -7, 0, 1, 6 * DECIDED_WORTH];
        for own in worths {
            for rival in worths {
                for other in worths {
                    let value = |own, rival| Strategy::HYBRID.value(0, &[own, rival]);
                    assert!(value(own + 1, rival) > value(own, other));
                    assert_eq!(value(own, rival).cmp(&value(own, other)), other.cmp(&rival));
                }
            }
        }
    }

    #[test]
    fn strategies_are_named_or_percentages() {
        for text in ["absolute", "hybrid", "1", "99", "relative"] {
            let strategy: Strategy = text.parse().expect("a strategy");
            assert_eq!(strategy.to_string(), text);
        }
        assert_eq!("0".parse(), Ok(Strategy::ABSOLUTE));
        assert_eq!("100".parse(), Ok(Strategy::RELATIVE));
        for text in ["", "101", "-1", "+5", "0.5", "leslie"] {
            assert_eq!(text.parse::<Strategy>(), Err(StrategyError));
        }
    }
}
