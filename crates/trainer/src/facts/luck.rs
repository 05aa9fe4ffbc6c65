//! Share of luck in a result: the effect of seat, cards and moves on each seat's expected share of the points.
//!
//! The engines' own estimates give that share before each move. A result is the even share plus the sum of all steps
//! from one estimate to the next. A step where a card was drawn counts for the cards: an estimate already expects
//! the best move and the mean over its cards. All other steps count for the moves: they are due to something that an
//! engine had not foreseen. The step to the first estimate counts for the seat and the opening.

use matches::report::percent;
use matches::score;

use super::{dash, row};
use crate::records::RecordedGame;

/// Kinds of steps, with their indices.
const KINDS: [&str; 3] = ["seat and opening", "cards", "moves"];
const SEAT: usize = 0;
const CARDS: usize = 1;
const MOVES: usize = 2;

/// Sum of a seat's steps of each kind in a game, in permille of all points.
type Steps = [f64; KINDS.len()];

/// Table of the mean square of each kind's sum for a seat in a game, as a share of the mean square of the results, and
/// of the standard deviation. The rest to 100 % is covariance.
pub fn table(games: &[RecordedGame]) -> String {
    let all: Vec<Steps> = games.iter().filter_map(steps).flatten().collect();
    let mean_square = |part: &dyn Fn(&Steps) -> f64| {
        let squares = all.iter().map(|steps| part(steps).powi(2));
        // Unlike `sum`, the fold of no numbers has no sign.
        squares.fold(0.0, |sum, square| sum + square) / all.len().max(1) as f64
    };
    let whole = mean_square(&|steps| steps.iter().sum());
    let row = |name: &str, square: f64| {
        let share = (whole > 0.0).then(|| percent(square / whole));
        row(&[&name], [dash(share), format!("{:.0}", square.sqrt())])
    };
    let kinds = KINDS.iter().enumerate();
    let rows = kinds.map(|(kind, name)| row(name, mean_square(&|steps| steps[kind])));
    let columns = "what a result is made of|of its variance|permille, one in three beyond";
    super::table(&[columns], &[0], rows.chain([row("all", whole)]))
}

/// Steps of all seats; `None` if the game is not over or has no estimate.
fn steps(game: &RecordedGame) -> Option<Vec<Steps>> {
    let seats = game.seats();
    let mut sums = vec![[0.0; KINDS.len()]; seats];
    let mut before = vec![1000.0 / seats as f64; seats];
    let mut step = |kind: usize, now: Vec<f64>| {
        for ((sums, before), now) in sums.iter_mut().zip(&mut before).zip(now) {
            sums[kind] += now - *before;
            *before = now;
        }
    };
    let mut kind = SEAT;
    for (ply, turn) in game.own_plies().iter().zip(&game.record.turns) {
        // A step without an estimate is part of the next one.
        if turn.estimate.len() == seats {
            step(kind, turn.estimate.iter().copied().map(f64::from).collect());
            kind = MOVES;
        }
        if ply.card.is_some() && kind != SEAT {
            kind = CARDS;
        }
    }
    if kind == SEAT || !game.is_over() {
        return None;
    }
    step(kind, score::shares(&game.record.places));
    Some(sums)
}
