//! The article's test of its pruning: series of eight moves for each of two seats, with and without pruning.

use buxtehude::articles::strategy::{Prune, Strategy};
use buxtehude::rules::hase::{HASE_UND_IGEL, Position};
use buxtehude::rules::{Game, Turn};

use super::positions::random_positions;
use super::{HARE_MODELS, run, settings};

const MOVES: usize = 16;

/// The moves of two seats with the preset from a position; a draw yields the first kind of card that is left.
fn series(start: &Position, strategy: Strategy, prune: Prune, depth: u32) -> Vec<String> {
    let settings = settings(strategy, HARE_MODELS[0], prune, true);
    let mut position = *start;
    let mut moves = Vec::new();
    while moves.len() < MOVES {
        match position.turn() {
            Turn::Seat(_) => {
                let reports = run(&position, &settings, depth);
                let word = reports.last().expect("a depth").pv[0].clone();
                let mv = word.parse().expect("a move");
                position.play(mv).expect("a legal move");
                moves.push(word);
            }
            Turn::Card(_) => {
                let (card, _) = position.outcomes().next().expect("a card is left");
                position = position.draw_unchecked(card);
            }
            Turn::Over => break,
        }
    }
    moves
}

fn assert_same_series(start: &Position, strategy: Strategy, depth: u32) {
    let plain = series(start, strategy, Prune::Off, depth);
    let pruned = series(start, strategy, Prune::Exact, depth);
    assert_eq!(plain, pruned, "{strategy:?}, depth {depth} from\n{start:?}");
}

#[test]
fn exact_pruning_plays_the_same_series_from_the_start() {
    let start = Position::start(&HASE_UND_IGEL, 2).expect("a game for two");
    for depth in 1..=6 {
        for strategy in super::STRATEGIES {
            assert_same_series(&start, strategy, depth);
        }
    }
}

#[test]
fn exact_pruning_plays_the_same_series_from_random_positions() {
    for (index, start) in random_positions(2, 200).iter().enumerate() {
        let depth = 2 + index as u32 % 3;
        assert_same_series(start, Strategy::RELATIVE, depth);
        assert_same_series(start, Strategy::ABSOLUTE, depth.min(3));
    }
}
