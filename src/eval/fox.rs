//! Evaluation of Rabbits and Wolves: the rabbit's distance from row 8 if no wolf moves.
//!
//! Source: the article "Rabbits & Wolves", where values go from 0, a win of the rabbit, to [`UNREACHABLE`].

use std::sync::Arc;

use super::{Evaluate, Evaluator, Evaluators, STRENGTH_UNIT, Vector, WORTH_UNIT};
use crate::rules::fox::board::{ROW_8, Square, neighbours};
use crate::rules::fox::{Position, RABBIT, WOLVES};
use crate::rules::{Game, MAX_SEATS};

/// Value if the rabbit cannot reach row 8, or has lost.
pub const UNREACHABLE: i32 = 254;

/// Value of a step to the rabbit, in hundredths.
const STEP: i32 = 400;

/// Distance at which the sides are equal: the whole board.
const EVEN: i32 = 7;

/// Distance that a blocked rabbit, or any longer way, counts as.
const BLOCKED: i32 = 14;

/// Sets of squares that the rabbit first reaches after 0, 1, 2, ... steps if no wolf moves.
fn reached_by_steps(position: &Position) -> impl Iterator<Item = u32> {
    let free = !position.wolves();
    let rabbit = position.rabbit().bit();
    let mut reached = rabbit;
    std::iter::successors(Some(rabbit), move |&last| {
        let next = neighbours(last) & free & !reached;
        reached |= next;
        (next != 0).then_some(next)
    })
}

/// Smallest number of steps to row 8 if no wolf moves, or [`UNREACHABLE`].
pub(crate) fn distance(position: &Position) -> i32 {
    let steps = reached_by_steps(position).position(|squares| squares & ROW_8 != 0);
    steps.map_or(UNREACHABLE, |steps| steps as i32)
}

/// Converts a value to a worth for each seat.
pub(crate) fn worth(value: i32) -> Vector {
    let to_rabbit = STEP * (EVEN - value.min(BLOCKED));
    let mut worth = [0; MAX_SEATS];
    worth[RABBIT.index()] = to_rabbit;
    worth[WOLVES.index()] = -to_rabbit;
    worth
}

/// The evaluator: the rabbit is stronger the fewer steps it has to row 8.
#[derive(Clone, Copy, Debug)]
pub struct Distance;

impl Evaluator<Position> for Distance {
    fn strengths(&self, position: &Position) -> Vector {
        worth(distance(position)).map(|worth| worth * STRENGTH_UNIT / WORTH_UNIT)
    }

    fn explain(&self, position: &Position) -> Vec<String> {
        let value = match position.winner() {
            Some(RABBIT) => 0,
            Some(_) => UNREACHABLE,
            None => distance(position),
        };
        explain(position, "distance", value)
    }
}

impl Evaluate for Position {
    type Evaluator = Distance;

    fn evaluator(&self, _: &Evaluators) -> Arc<Distance> {
        Arc::new(Distance)
    }
}

/// The rabbit's steps to each square, a value with its name, and a line for each seat.
pub(crate) fn explain(position: &Position, name: &str, value: i32) -> Vec<String> {
    let mut lines = distance_map(position);
    lines.push(format!("{name} {value}"));
    for seat in [RABBIT, WOLVES] {
        lines.push(match position.place(seat) {
            Some(place) => format!("seat {seat}: place {place}"),
            None => format!("seat {seat}: E {}", worth(value)[seat.index()]),
        });
    }
    lines
}

/// The board with the rabbit's steps to each square that it can reach if no wolf moves; `h` is a wolf, `-` an
/// unreachable square.
fn distance_map(position: &Position) -> Vec<String> {
    let reached: Vec<u32> = reached_by_steps(position).collect();
    let cell = |square: Square| {
        if position.wolves() & square.bit() != 0 {
            return "h".into();
        }
        let steps = reached.iter().position(|squares| squares & square.bit() != 0);
        steps.map_or("-".into(), |steps| steps.to_string())
    };
    let row = |row: u8| {
        let cells = (0..8).map(|file| Square::at(row, file).map_or(String::new(), cell));
        let line = cells.fold((row + 1).to_string(), |line, cell| format!("{line}{cell:>3}"));
        line.trim_end().to_string()
    };
    let mut lines: Vec<String> = (0..8).rev().map(row).collect();
    lines.push("   a  b  c  d  e  f  g  h".into());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_that_of_the_shortest_way_around_the_wolves() {
        for (text, expected) in [
            ("1h1h1h1h/8/8/8/8/8/8/4F3 w", UNREACHABLE),
            ("1h1h1h2/6h1/8/8/8/8/8/4F3 w", UNREACHABLE),
            ("1h1h1h2/8/5h2/8/8/8/8/4F3 w", 7),
            ("8/8/8/8/8/h1h1h3/5h2/4F3 w", UNREACHABLE),
            ("7h/8/8/8/8/2h1h3/1h6/2F5 w", 9),
            ("8/F7/8/8/8/8/8/h1h1h1h1 w", 1),
            ("1F6/8/8/8/8/8/8/h1h1h1h1 b", 0),
        ] {
            let position = Position::parse(&(), text).unwrap();
            assert_eq!(distance(&position), expected, "{position:?}");
        }
    }
}
