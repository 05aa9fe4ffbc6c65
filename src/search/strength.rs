//! Playing strength: levels and ratings, and play in a solved game, perfect or weaker.
//!
//! At a weaker level the engine searches fewer positions and misjudges each. It still plays the best move that it sees,
//! so its mistakes are those of a player who misjudges positions, not of one who overlooks moves. In a solved game the
//! mover takes a win and avoids a loss that is a few plies away, and errs where the end is far, as people do.

use std::cmp::{Ordering, Reverse};

use super::{Answer, Report, Request, Value};
use crate::eval::{CERTAIN, Evaluate, Evaluator, Evaluators, Judge, Noise, lead};
use crate::rules::{Game, MAX_SEATS, Seat, Solution, Turn, splitmix64};

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
pub(super) fn search_by_foresight<G: Evaluate>(
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
    let lines = moves.into_iter().map(|(mv, judgement)| (vec![mv], judgement.value));
    answer_of_lines(position, lines, nodes, request, observe)
}

/// Reports the best lines, each with its value, and answers with the first; `None` if there is none.
fn answer_of_lines<G: Game>(
    position: &G,
    lines: impl Iterator<Item = (Vec<G::Move>, Value)>,
    nodes: u64,
    request: &Request,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let mut best = None;
    for (index, (line, value)) in lines.take(request.multipv.max(1)).enumerate() {
        observe(Report {
            depth: line.len() as u32,
            seldepth: line.len() as u32,
            multipv: index + 1,
            value,
            worth: Vec::new(),
            nodes,
            hashfull: 0,
            pv: line.iter().map(G::Move::to_string).collect(),
        });
        best.get_or_insert((line, value));
    }
    let (line, value) = best?;
    Some(Answer { is_final: true, ..Answer::of_line(position, &line, value, nodes) })
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
            value: value_of(&outcome, mover),
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

/// Number of shares that the loser compares, two plies apart.
const SHARES: usize = 3;

/// Ranks the moves of a position of a solved game, and reports the best with their lines to the end.
///
/// The winner plays the fastest win; among several, the lowest move. So a win is never thrown away.
///
/// The loser plays one of the moves that lose latest: the one with the smallest share of winning replies, since a
/// winner that errs does so most easily where most replies are wrong. Among equal shares it prefers the smaller share
/// two plies later, after the winner's fastest reply (among several, the one that is worst for the loser) and its own
/// best answer by this same rule; then four plies later, up to [`SHARES`] shares in all. If all shares are equal, it
/// plays the lowest move.
///
/// # Returns
/// `None` if no seat is to move, or none of the requested moves is legal.
///
/// # Panics
/// If the game is not solved.
pub(super) fn search_perfectly<G: Game>(
    position: &G,
    request: &Request,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let mover = position.turn().mover()?;
    let mut ranked = ranked_moves(position);
    ranked.retain(|(mv, _)| request.asks_for(*mv));
    let nodes = ranked.len() as u64;
    let lines = ranked.iter().map(|(mv, after)| (line_from(position, *mv), value_of(after, mover)));
    answer_of_lines(position, lines, nodes, request, observe)
}

/// Value of a move of `mover` that leads to a position with this result.
fn value_of(after: &Solution, mover: Seat) -> Value {
    let mut leads = [0; MAX_SEATS];
    leads[..2].fill(-CERTAIN);
    leads[after.winner.index()] = CERTAIN;
    // The mover makes the first ply and every second one after it.
    let own_moves = (after.plies as i32 + 2) / 2;
    let mate = if after.winner == mover { own_moves } else { -own_moves };
    Value { leads, mate, seats: 2 }
}

/// A move and the line of perfect play after it, to the end of the game.
fn line_from<G: Game>(position: &G, mv: G::Move) -> Vec<G::Move> {
    let mut line = vec![mv];
    let mut position = position.play_unchecked(mv);
    while let Some(best) = best_move(&position) {
        line.push(best);
        position = position.play_unchecked(best);
    }
    line
}

/// Move of perfect play; `None` if the game is over.
fn best_move<G: Game>(position: &G) -> Option<G::Move> {
    let mut moves = optimal_moves(position);
    if position.turn() == Turn::Seat(outcome(position).winner) {
        return moves.next();
    }
    // `min_by` returns the first of equal moves, hence the lowest.
    moves.min_by(|&a, &b| compare_losses(&position.play_unchecked(a), &position.play_unchecked(b)))
}

/// All legal moves with the result after each, best first: wins, fastest first, then losses, latest first. Equally fast
/// wins are in ascending order, equally late losses in the loser's order of preference. The first move is
/// [`best_move`].
fn ranked_moves<G: Game>(position: &G) -> Vec<(G::Move, Solution)> {
    let mut ranked: Vec<(G::Move, Solution)> =
        position.legal_moves().map(|mv| (mv, outcome(&position.play_unchecked(mv)))).collect();
    let is_win = |after: &Solution| position.turn() == Turn::Seat(after.winner);
    // The sort is stable, and the moves start in ascending order.
    ranked.sort_by(|(a, after_a), (b, after_b)| match (is_win(after_a), is_win(after_b)) {
        (true, true) => after_a.plies.cmp(&after_b.plies),
        (false, false) => after_b.plies.cmp(&after_a.plies).then_with(|| {
            compare_losses(&position.play_unchecked(*a), &position.play_unchecked(*b))
        }),
        (a, b) => b.cmp(&a),
    });
    ranked
}

/// Shares of winning replies now, two plies later, and so on, in parts of [`REPLIES_UNIT`]. Entries not compared yet,
/// or beyond the end of the game, are 0.
type Shares = [u32; SHARES];

/// Divisible by every number up to 16, so that shares of up to 16 replies are exact.
const REPLIES_UNIT: u32 = 720_720;

/// Compares two positions won by the side to move by the loser's preference: `Less` if it prefers the first.
///
/// Computes later shares only if the earlier ones are equal, which saves nearly all of the work.
fn compare_losses<G: Game>(a: &G, b: &G) -> Ordering {
    (1..=SHARES)
        .map(|end| shares(a, 0, end).cmp(&shares(b, 0, end)))
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Shares of a position won by the side to move, at the indices from `place` up to `end`.
fn shares<G: Game>(position: &G, place: usize, end: usize) -> Shares {
    if place == end {
        return Shares::default();
    }
    let winner = outcome(position).winner;
    let replies = || position.legal_moves().map(|mv| position.play_unchecked(mv));
    let winning = replies().filter(|after| outcome(after).winner == winner);
    // The game is not over, so the seat to move has replies.
    let share = REPLIES_UNIT * winning.count() as u32 / replies().len() as u32;
    let mut shares = Shares::default();
    if place + 1 < end {
        let after_the_answer = |reply| {
            let position = position.play_unchecked(reply);
            optimal_moves(&position)
                .map(|answer| self::shares(&position.play_unchecked(answer), place + 1, end))
                .min()
                .unwrap_or_default()
        };
        let fastest = optimal_moves(position);
        shares = fastest.map(after_the_answer).max().unwrap_or_default();
    }
    shares[place] = share;
    shares
}

/// Moves that win fastest or lose latest, in ascending order.
fn optimal_moves<G: Game>(position: &G) -> impl Iterator<Item = G::Move> {
    let now = outcome(position);
    position.legal_moves().filter(move |&mv| {
        let after = outcome(&position.play_unchecked(mv));
        after.winner == now.winner && after.plies + 1 == now.plies
    })
}

fn outcome<G: Game>(position: &G) -> Solution {
    // Either all positions of a game are solved or none.
    position.solved().expect("the game is solved")
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
