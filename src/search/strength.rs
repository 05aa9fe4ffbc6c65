//! Weaker play: the engine searches fewer positions and misjudges each. In a solved game it sees the result of a
//! position only if the end is near.
//!
//! It still plays the best move that it sees, so its mistakes are those of a player who misjudges positions, not of one
//! who overlooks moves.
//!
//! In a solved game the mover takes a win and avoids a loss that is a few plies away, and errs where the end is far, as
//! people do.

use std::cmp::Reverse;

use super::{Answer, Report, Request, Value, perfect};
use crate::eval::{Evaluate, Evaluator, Evaluators, Judge, Noise, lead};
use crate::rules::{Game, MAX_SEATS, Seat, splitmix64};

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
/// used in the measurement, its foresight only bounds that of ratings below. docs/engine.md describes the measurement.
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

/// Judges the moves of a position of a solved game, and reports the best. Of equally good moves the lowest is best.
///
/// # Returns
/// `None` if no seat is to move, or none of the requested moves is legal.
pub(super) fn search_solved<G: Evaluate>(
    position: &G,
    request: &Request,
    evaluators: &Evaluators,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let mover = position.turn().mover()?;
    let foresight = request.strength.solved;
    let noise = Noise { size: foresight.noise, seed: game_key(position, request) };
    let judge = Judge::new(position, evaluators, noise);
    let mut moves: Vec<(G::Move, Judgement)> = request
        .asked(position)
        .into_iter()
        .map(|mv| {
            let after = position.play_unchecked(mv);
            let seen = Judgement::of_result(&after, mover, foresight.plies);
            let judgement = seen.unwrap_or_else(|| Judgement::by_evaluator(&after, mover, &judge));
            (mv, judgement)
        })
        .collect();
    // The sort is stable, and the moves start in ascending order.
    moves.sort_by_key(|(_, judgement)| Reverse(judgement.rank));
    let nodes = moves.len() as u64;
    for (index, (mv, judgement)) in moves.iter().take(request.multipv.max(1)).enumerate() {
        observe(Report {
            depth: 1,
            seldepth: 1,
            multipv: index + 1,
            value: judgement.value,
            worth: Vec::new(),
            nodes,
            hashfull: 0,
            pv: vec![mv.to_string()],
        });
    }
    let (best, judgement) = moves.first()?;
    Some(Answer { is_final: true, ..Answer::of_line(position, &[*best], judgement.value, nodes) })
}

/// Key of the game so far. Errors depend on all of it: few positions decide a game, and a seed for each start would
/// make a level strong or weak by chance.
fn game_key<G: Game>(position: &G, request: &Request) -> u64 {
    let past = request.past.iter().map(|past| past.key);
    past.fold(position.key(), |hash, key| splitmix64(hash ^ key))
}

/// Judgement of a move.
struct Judgement {
    /// Larger for better moves: above all strengths for a seen win, below them for a seen loss.
    rank: i32,
    value: Value,
}

impl Judgement {
    /// Result of the position after a move, if it is at most `plies` away.
    fn of_result<G: Evaluate>(after: &G, mover: Seat, plies: u32) -> Option<Judgement> {
        let outcome = after.solved().filter(|outcome| outcome.plies <= plies)?;
        let rank = i32::MAX - outcome.plies as i32;
        Some(Judgement {
            rank: if outcome.winner == mover { rank } else { -rank },
            value: perfect::value(&outcome, mover),
        })
    }

    /// Judgement by the evaluator.
    fn by_evaluator<G: Evaluate>(after: &G, mover: Seat, judge: &Judge<G>) -> Judgement {
        let strengths = judge.strengths(after);
        let difference = strengths[0] - strengths[1];
        let mut leads = [0; MAX_SEATS];
        leads[..2].copy_from_slice(&[lead(difference), -lead(difference)]);
        Judgement {
            rank: if mover == Seat(0) { difference } else { -difference },
            value: Value { leads, mate: 0, seats: 2 },
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
