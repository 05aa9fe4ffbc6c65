//! How much of a result is luck: what the seat, the cards and the moves did to what each seat could expect.
//!
//! The engines' own estimates tell what a seat could expect before each move. From one to the next a game goes one
//! step, and its result is an even share and the sum of all steps. A step in which a card was drawn is one of the
//! cards: an estimate already counts with the best move and the mean over what that may draw. All others are steps of
//! the moves: what somebody, or the search itself, had not seen before. What the engine expected of its seat at the
//! start, and the first moves of an opening, are the seat's step.

use matches::report::{self, Column, percent};
use matches::score;

use super::game::Game;

/// The kinds of step that a result is made of.
const KINDS: [&str; 3] = ["seat and opening", "cards", "moves"];
const SEAT: usize = 0;
const CARDS: usize = 1;
const MOVES: usize = 2;

/// The table: the mean square of what each kind adds up to in a game, for a seat, as a share of the mean square of
/// results, and the standard deviation in permille of the points. What the three leave of 100 % is how they go
/// together.
pub fn table_of(games: &[Game]) -> String {
    let splits: Vec<Split> = games.iter().filter_map(split).flatten().collect();
    let columns = [
        Column::left("what a result is made of"),
        Column::right("of its variance"),
        Column::right("permille, one in three beyond"),
    ];
    let mean_square = |part: &dyn Fn(&Split) -> f64| {
        let squares = splits.iter().map(|split| part(split).powi(2));
        squares.sum::<f64>() / splits.len().max(1) as f64
    };
    let whole = mean_square(&|split| split.steps.iter().sum());
    let row = |name: &str, square: f64| {
        let share = if whole > 0.0 {
            percent(square / whole)
        } else {
            "-".to_string()
        };
        vec![name.to_string(), share, format!("{:.0}", square.sqrt())]
    };
    let kinds = KINDS.iter().enumerate();
    let rows = kinds.map(|(kind, name)| row(name, mean_square(&|split| split.steps[kind])));
    report::table(&columns, rows.chain([row("all", whole)]))
}

/// What each kind of step adds up to for a seat in a game, in permille of all points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Split {
    steps: [f64; KINDS.len()],
}

/// The splits of all seats; `None` where the game was not played to its end or no estimate is known.
fn split(game: &Game) -> Option<Vec<Split>> {
    let seats = game.seats();
    let par = 1000.0 / seats as f64;
    let plies = game.plies[game.opening..].iter();
    let mut splits = vec![Split::default(); seats];
    let mut before = vec![par; seats];
    let mut kind = SEAT;
    for (ply, turn) in plies.zip(&game.record.turns) {
        // What is expected where nothing is told goes on until something is.
        if turn.estimate.len() == seats {
            let now = turn
                .estimate
                .iter()
                .map(|&share| f64::from(share))
                .collect();
            step(&mut splits, kind, &before, &now);
            before = now;
            kind = MOVES;
        }
        if ply.draw.is_some() && kind != SEAT {
            kind = CARDS;
        }
    }
    if kind == SEAT || !game.is_over() {
        return None;
    }
    let points = score::points(&game.record.places).into_iter();
    let result = points
        .map(|points| 1000.0 * points / score::points_of_a_game(seats))
        .collect();
    step(&mut splits, kind, &before, &result);
    Some(splits)
}

fn step(splits: &mut [Split], kind: usize, before: &[f64], now: &Vec<f64>) {
    for ((split, before), now) in splits.iter_mut().zip(before).zip(now) {
        split.steps[kind] += now - before;
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::examples::stopped;
    use super::*;

    /// A game of two in which seat 2 draws a card and seat 1 finishes.
    fn game(estimates: &[&[u16]]) -> Game {
        let mut game = stopped(&["a", "b"], "59,15,0/60,10,0 2 - -", "1 +show 5");
        assert_eq!(game.record.turns.len(), estimates.len());
        for (turn, estimate) in game.record.turns.iter_mut().zip(estimates) {
            turn.estimate = estimate.to_vec();
        }
        game
    }

    #[test]
    fn steps_add_up_to_the_result() {
        let splits = split(&game(&[&[600, 400], &[900, 100]])).unwrap();
        assert_eq!(splits[0].steps, [100.0, 300.0, 100.0]);
        assert_eq!(splits[1].steps, [-100.0, -300.0, -100.0]);
        let text = table_of(&[game(&[&[600, 400], &[900, 100]])]);
        assert!(text.contains("36.0 %"), "{text}");
    }

    #[test]
    fn an_estimate_that_is_missing_is_passed_over() {
        let splits = split(&game(&[&[600, 400], &[]])).unwrap();
        assert_eq!(splits[0].steps, [100.0, 400.0, 0.0]);
        assert_eq!(split(&game(&[&[], &[]])), None);
        let stopped = stopped(&["a", "b"], "63,5,0/61,10,0 2 - -", "-5");
        assert_eq!(split(&stopped), None);
    }
}
