//! Imperfect play in a solved game: the mover sees the results that are near, and judges all other positions by the
//! evaluator, with errors.
//!
//! So it takes a win and avoids a loss that is a few plies away, and errs where the end is far, as people do.

use std::cmp::Reverse;

use super::perfect;
use super::{Answer, Report, Request, Value};
use crate::eval::{Evaluate, Evaluator, Evaluators, Judge, Noise, lead};
use crate::rules::{Game, MAX_SEATS, Seat, splitmix64};

/// Judges the moves of a position of a solved game, and reports the best. Of equally good moves the lowest is best.
///
/// # Returns
/// `None` if no seat is to move, or none of the requested moves is legal.
pub(super) fn search<G: Evaluate>(
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
            let judgement = seen.unwrap_or_else(|| Judgement::of_looks(&after, mover, &judge));
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
    fn of_looks<G: Evaluate>(after: &G, mover: Seat, judge: &Judge<G>) -> Judgement {
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
