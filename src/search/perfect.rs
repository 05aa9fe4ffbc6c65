//! Perfect play in a solved two-player game: no search, only a choice among moves with the same result.
//!
//! The winner plays the fastest win; among several, the lowest move. So a win is never thrown away.
//!
//! The loser plays one of the moves that lose latest: the one with the smallest share of winning replies, since a
//! winner that errs does so most easily where most replies are wrong. Among equal shares it prefers the smaller share
//! two plies later, after the winner's fastest reply (among several, the one that is worst for the loser) and its own
//! best answer by this same rule; then four plies later, up to [`SHARES`] shares in all. If all shares are equal, it
//! plays the lowest move.

use std::cmp::Ordering;

use super::{Answer, Report, Request, Value};
use crate::eval::CERTAIN;
use crate::rules::{Game, MAX_SEATS, Outcome, Seat, Turn};

/// Number of shares that the loser compares, two plies apart.
pub const SHARES: usize = 3;

/// Ranks the moves of a position of a solved game, and reports the best with their lines to the end.
///
/// # Returns
/// `None` if no seat is to move, or none of the requested moves is legal.
///
/// # Panics
/// If the game is not solved.
pub(super) fn search<G: Game>(
    position: &G,
    request: &Request,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let mover = position.turn().mover()?;
    let mut ranked = ranked_moves(position);
    ranked.retain(|(mv, _)| request.asks_for(*mv));
    let nodes = ranked.len() as u64;
    let mut best = None;
    for (index, &(mv, after)) in ranked.iter().take(request.multipv.max(1)).enumerate() {
        let pv = line_from(position, mv);
        let report = Report {
            depth: pv.len() as u32,
            seldepth: pv.len() as u32,
            multipv: index + 1,
            value: value(&after, mover),
            worth: Vec::new(),
            nodes,
            hashfull: 0,
            pv: pv.iter().map(G::Move::to_string).collect(),
        };
        best.get_or_insert((pv, report.value));
        observe(report);
    }
    let (line, value) = best?;
    Some(Answer { is_final: true, ..Answer::of_line(position, &line, value, nodes) })
}

/// Value of a move of `mover` that leads to a position with this result.
pub(super) fn value(after: &Outcome, mover: Seat) -> Value {
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
fn ranked_moves<G: Game>(position: &G) -> Vec<(G::Move, Outcome)> {
    let mut ranked: Vec<(G::Move, Outcome)> =
        position.legal_moves().map(|mv| (mv, outcome(&position.play_unchecked(mv)))).collect();
    let is_win = |after: &Outcome| position.turn() == Turn::Seat(after.winner);
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

/// Shares of winning replies now, two plies later, and so on, in [`WHOLE`]ths. Entries not compared yet, or beyond the
/// end of the game, are 0.
type Shares = [u32; SHARES];

/// Divisible by every number up to 16, so that shares of up to 16 replies are exact.
const WHOLE: u32 = 720_720;

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
    let share = WHOLE * winning.count() as u32 / replies().len() as u32;
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

fn outcome<G: Game>(position: &G) -> Outcome {
    // Either all positions of a game are solved or none.
    position.solved().expect("the game is solved")
}
