//! Weaker play: the engine searches fewer positions and misjudges each. In a solved game it sees the result of a
//! position only if the end is near.
//!
//! It still plays the best move that it sees, so its mistakes are those of a player who misjudges positions, not of one
//! who overlooks moves.

/// Playing strength of our own search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// Largest number of positions visited per move.
    pub nodes: u64,
    /// Size of the error in each evaluation; see [`Noise::size`](crate::eval::Noise::size).
    pub noise: i32,
    /// Play in a solved game.
    pub solved: Foresight,
}

/// Strength in a solved game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foresight {
    /// Largest number of plies to the end of a game whose result is seen.
    pub plies: u32,
    /// Size of the error in the evaluation of all other positions; see [`Noise::size`](crate::eval::Noise::size).
    pub noise: i32,
}

/// A playing level.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Rating, on a scale with a fixed rating of the last level.
    pub elo: u32,
    /// Search limits that produce it.
    pub strength: Strength,
}

/// Builds a row of the table.
const fn level(elo: u32, (nodes, noise): (u64, i32), (plies, solved_noise): (u32, i32)) -> Level {
    Level {
        elo,
        strength: Strength { nodes, noise, solved: Foresight { plies, noise: solved_noise } },
    }
}

/// All levels, from weakest to strongest. The last one plays as [`Strength::FULL`]; its number of positions is the one
/// used in the measurement, its foresight only bounds that of ratings below. protocol.md describes the measurement.
pub const LEVELS: [Level; 10] = [
    level(1100, (400, 18_200), (1, 16_000)),
    level(1200, (400, 12_500), (3, 3800)),
    level(1300, (400, 9700), (4, 2500)),
    level(1400, (400, 7600), (5, 1700)),
    level(1500, (400, 6000), (7, 1500)),
    level(1600, (430, 4800), (10, 1500)),
    level(1700, (500, 3750), (12, 1500)),
    level(1800, (620, 3000), (15, 1500)),
    level(1900, (850, 2200), (20, 1500)),
    level(2000, (20_000, 0), (22, 0)),
];

impl Foresight {
    /// Perfect play.
    pub const PERFECT: Foresight = Foresight { plies: u32::MAX, noise: 0 };
}

impl Strength {
    /// Full strength.
    pub const FULL: Strength = Strength { nodes: u64::MAX, noise: 0, solved: Foresight::PERFECT };

    /// Strength of a level, from 1; full for the last level and above.
    pub fn of_level(level: u32) -> Strength {
        let below_last = &LEVELS[..LEVELS.len() - 1];
        let level = (level.max(1) - 1) as usize;
        below_last.get(level).map_or(Strength::FULL, |level| level.strength)
    }

    /// Strength for a rating, interpolated between the two levels around it; full from the rating of the last level on.
    pub fn of_elo(elo: u32) -> Strength {
        let elo = elo.max(LEVELS[0].elo);
        let around = LEVELS.windows(2).find(|pair| elo < pair[1].elo);
        let Some([below, above]) = around else {
            return Strength::FULL;
        };
        let step = i64::from(above.elo - below.elo);
        let done = i64::from(elo - below.elo);
        let between = |from: i64, to: i64| from + (to - from) * done / step;
        let (from, to) = (below.strength, above.strength);
        Strength {
            nodes: between(from.nodes as i64, to.nodes as i64) as u64,
            noise: between(from.noise.into(), to.noise.into()) as i32,
            solved: Foresight {
                plies: between(from.solved.plies.into(), to.solved.plies.into()) as u32,
                noise: between(from.solved.noise.into(), to.solved.noise.into()) as i32,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_has_the_strength_of_its_rating() {
        for (index, level) in LEVELS.iter().enumerate() {
            let number = index as u32 + 1;
            assert_eq!(Strength::of_level(number), Strength::of_elo(level.elo));
        }
        assert_eq!(Strength::of_level(10), Strength::FULL);
    }

    #[test]
    fn a_higher_rating_never_looks_at_less_or_errs_more() {
        let (least, most) = (LEVELS[0].elo, LEVELS[9].elo);
        for elo in least..most {
            let (lower, higher) = (Strength::of_elo(elo), Strength::of_elo(elo + 1));
            assert!(lower.nodes <= higher.nodes, "{elo}");
            assert!(lower.noise >= higher.noise, "{elo}");
            let (lower, higher) = (lower.solved, higher.solved);
            assert!(lower.plies <= higher.plies, "{elo}");
            assert!(lower.noise >= higher.noise, "{elo}");
        }
    }
}
