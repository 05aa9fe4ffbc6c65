//! Perfect play from the table: which of the moves of equal worth to choose.
//!
//! The winner plays the fastest win; of several, the lowest move. So a win is never let go.
//!
//! The loser plays one of the moves that lose latest: the one after which the winner has the fewest winning
//! replies, as a share of all its replies, since a winner that errs does so where most replies are wrong.
//! Of moves with equal shares it prefers the one with the smaller share two plies later, after the winner's
//! fastest reply (of several, the one that is worst for the loser) and its own best answer by this same
//! rule; then four plies later: [`SHARES`] shares in all. Of moves that are equal in every share
//! it plays the lowest.

use std::cmp::Ordering;

use super::{Move, Outcome, Position, Solved};

/// How many shares the loser compares, each two plies after the one before.
pub const SHARES: usize = 3;

/// The shares of winning replies now, two plies later, and so on, as many as are compared so far; 0 in the
/// other places and beyond the end of the game.
///
/// They are in 840ths: the winner has at most eight replies, and 1 to 8 all divide 840.
type Shares = [u16; SHARES];

const WHOLE: u16 = 840;

/// The move of perfect play, `None` when the game is over.
///
/// # Examples
/// ```
/// use buxtehude::rules::fox::solved::{Position, SOLVED, resistance};
///
/// let e1 = 2;
/// let variation = resistance::principal_variation(&SOLVED, Position::start(e1));
/// assert_eq!(variation.len(), 44);
/// assert_eq!(resistance::best_move(&SOLVED, Position::start(e1)), Some(variation[0]));
/// ```
pub fn best_move(solved: &Solved, position: Position) -> Option<Move> {
    let mut moves = optimal_moves(solved, position);
    if outcome(solved, position).winner == position.side() {
        return moves.next();
    }
    // Of moves that compare as equal this is the first, hence the lowest.
    moves.min_by(|&a, &b| compare_losses(solved, position.after(a), position.after(b)))
}

/// The moves of perfect play to the end of the game, as many as the plies of the outcome.
pub fn principal_variation(solved: &Solved, mut position: Position) -> Vec<Move> {
    let mut variation = Vec::new();
    while let Some(mv) = best_move(solved, position) {
        variation.push(mv);
        position = position.after(mv);
    }
    variation
}

/// All legal moves with the outcome after each, best first: the wins, fastest first, then the losses,
/// latest first. Wins that are as fast are in ascending order, losses that are as late in the order in
/// which the loser prefers them. The first is [`best_move`].
pub fn ranked_moves(solved: &Solved, position: Position) -> Vec<(Move, Outcome)> {
    let mut ranked: Vec<(Move, Outcome)> = position
        .moves()
        .map(|mv| (mv, outcome(solved, position.after(mv))))
        .collect();
    let compare = |(a, after_a): &(Move, Outcome), (b, after_b): &(Move, Outcome)| {
        let [wins_a, wins_b] = [after_a, after_b].map(|after| after.winner == position.side());
        match (wins_a, wins_b) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (true, true) => after_a.plies.cmp(&after_b.plies),
            (false, false) => after_b
                .plies
                .cmp(&after_a.plies)
                .then_with(|| compare_losses(solved, position.after(*a), position.after(*b))),
        }
    };
    // The sort is stable, and the moves came in ascending order.
    ranked.sort_by(compare);
    ranked
}

/// Which of two positions, won by the side to move, the loser prefers: `Less` for the first.
///
/// Looks at later shares only where the earlier ones are equal, which saves nearly all of the work.
fn compare_losses(solved: &Solved, a: Position, b: Position) -> Ordering {
    (1..=SHARES)
        .map(|end| shares(solved, a, 0, end).cmp(&shares(solved, b, 0, end)))
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// The shares of a position won by the side to move, in the places from `place` to before `end`.
fn shares(solved: &Solved, position: Position, place: usize, end: usize) -> Shares {
    if place == end {
        return Shares::default();
    }
    let replies = || position.moves().map(|mv| position.after(mv));
    let winning = replies().filter(|&after| outcome(solved, after).winner == position.side());
    let share = WHOLE * winning.count() as u16 / replies().count() as u16;
    if place + 1 == end {
        let mut shares = Shares::default();
        shares[place] = share;
        return shares;
    }
    let after_the_answer = |reply| {
        let position = position.after(reply);
        optimal_moves(solved, position)
            .map(|answer| shares(solved, position.after(answer), place + 1, end))
            .min()
            .unwrap_or_default()
    };
    let fastest = optimal_moves(solved, position);
    let mut shares = fastest.map(after_the_answer).max().unwrap_or_default();
    shares[place] = share;
    shares
}

/// The moves that win fastest or lose latest, ascending.
fn optimal_moves(solved: &Solved, position: Position) -> impl Iterator<Item = Move> {
    let now = outcome(solved, position);
    position.moves().filter(move |&mv| {
        let after = outcome(solved, position.after(mv));
        after.winner == now.winner && after.plies + 1 == now.plies
    })
}

fn outcome(solved: &Solved, position: Position) -> Outcome {
    solved.outcome(position.wolves, position.rabbit, position.wolves_move)
}

#[cfg(test)]
mod tests {
    use super::super::SOLVED;
    use super::super::placements::placements;
    use super::*;

    /// Some thousands of positions, all over the table.
    fn some_positions() -> impl Iterator<Item = Position> {
        placements().step_by(23).flat_map(|wolves| {
            let rabbits = (0..32).filter(move |rabbit| wolves >> rabbit & 1 == 0);
            let step = 1 + wolves as usize % 5;
            rabbits.step_by(step).flat_map(move |rabbit| {
                [false, true].map(|wolves_move| Position {
                    wolves,
                    rabbit,
                    wolves_move,
                })
            })
        })
    }

    #[test]
    fn a_variation_is_as_long_as_the_table_says() {
        for position in some_positions().step_by(7) {
            let expected = outcome(&SOLVED, position);
            let mut last = position;
            let variation = principal_variation(&SOLVED, position);
            for &mv in &variation {
                assert!(last.moves().any(|legal| legal == mv), "{mv:?} in {last:?}");
                last = last.after(mv);
            }
            assert_eq!(variation.len(), expected.plies.into(), "{position:?}");
            assert_eq!(last.moves().next(), None, "{last:?}");
            assert_eq!(
                outcome(&SOLVED, last),
                Outcome {
                    plies: 0,
                    ..expected
                },
                "{last:?}"
            );
        }
    }

    #[test]
    fn the_first_of_the_ranked_moves_is_the_best() {
        for position in some_positions().step_by(4) {
            let ranked = ranked_moves(&SOLVED, position);
            let first = ranked.first().map(|&(mv, _)| mv);
            assert_eq!(first, best_move(&SOLVED, position), "{position:?}");
            assert_eq!(ranked.len(), position.moves().count(), "{position:?}");
            let wins = ranked
                .iter()
                .take_while(|(_, after)| after.winner == position.side());
            let wins = wins.count();
            let plies: Vec<u8> = ranked.iter().map(|(_, after)| after.plies).collect();
            assert!(plies[..wins].is_sorted(), "{position:?}: {ranked:?}");
            assert!(
                plies[wins..].iter().rev().is_sorted(),
                "{position:?}: {ranked:?}"
            );
        }
    }

    /// The winner's wrong replies after a move, and all of them.
    fn wrong_replies(position: Position, mv: Move) -> (usize, usize) {
        let after = position.after(mv);
        let side = after.side();
        let wrong = |reply: &Move| outcome(&SOLVED, after.after(*reply)).winner != side;
        (after.moves().filter(wrong).count(), after.moves().count())
    }

    #[test]
    fn the_loser_leaves_the_greatest_share_of_wrong_replies() {
        let mut with_a_choice = 0;
        let mut decided_at_once = 0;
        for position in some_positions() {
            let now = outcome(&SOLVED, position);
            let Some(best) = best_move(&SOLVED, position) else {
                continue;
            };
            if now.winner == position.side() {
                continue;
            }
            let (wrong, replies) = wrong_replies(position, best);
            let latest = position
                .moves()
                .filter(|&mv| outcome(&SOLVED, position.after(mv)).plies + 1 == now.plies);
            let others: Vec<Move> = latest.filter(|&mv| mv != best).collect();
            with_a_choice += u32::from(!others.is_empty());
            let compared: Vec<Ordering> = others
                .iter()
                .map(|&mv| {
                    let (other_wrong, other_replies) = wrong_replies(position, mv);
                    (wrong * other_replies).cmp(&(other_wrong * replies))
                })
                .collect();
            assert!(!compared.contains(&Ordering::Less), "{position:?} {best:?}");
            decided_at_once += u32::from(compared.contains(&Ordering::Greater));
        }
        assert!(with_a_choice > 1000, "{with_a_choice}");
        assert!(decided_at_once > 500, "{decided_at_once}");
    }

    #[test]
    fn comparing_step_by_step_is_comparing_all_shares() {
        let mut decided_later = 0;
        for position in some_positions().step_by(5) {
            if outcome(&SOLVED, position).winner == position.side() {
                continue;
            }
            let after: Vec<Position> = optimal_moves(&SOLVED, position)
                .map(|mv| position.after(mv))
                .collect();
            for pair in after.windows(2) {
                let [a, b] = [pair[0], pair[1]];
                let [all_a, all_b] = [a, b].map(|after| shares(&SOLVED, after, 0, SHARES));
                assert_eq!(
                    compare_losses(&SOLVED, a, b),
                    all_a.cmp(&all_b),
                    "{a:?} {b:?}"
                );
                decided_later += u32::from(all_a != all_b && all_a[0] == all_b[0]);
            }
        }
        assert!(decided_later > 50, "{decided_later}");
    }

    #[test]
    fn shares_look_as_far_as_they_say() {
        // A position in which the wolves win in 44 plies has a share in every place.
        let start = Position::start(2);
        let after = start.after(best_move(&SOLVED, start).unwrap());
        let found = shares(&SOLVED, after, 0, SHARES);
        assert!(
            found.iter().all(|&share| share > 0 && share <= WHOLE),
            "{found:?}"
        );
        assert_eq!(shares(&SOLVED, after, SHARES, SHARES), [0; SHARES]);
    }
}
