//! Evaluation of Rabbits and Wolves: the rabbit's distance from row 8 if no wolf moves.
//!
//! Source: the article "Rabbits & Wolves", where values go from 0, a win of the rabbit, to [`UNREACHABLE`].

use std::sync::Arc;

use super::{
    Article, ArticleModel, Evaluate, Evaluator, Evaluators, MinimaxModel, ModelOption,
    ModelSettings, NoModel, STRENGTH_UNIT, Values, Vector, WORTH_UNIT,
};
use crate::rules::fox::board::{ROW_8, Square, neighbours};
use crate::rules::fox::{Move, Position, RABBIT, WOLVES};
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
fn distance(position: &Position) -> i32 {
    let steps = reached_by_steps(position).position(|squares| squares & ROW_8 != 0);
    steps.map_or(UNREACHABLE, |steps| steps as i32)
}

/// Converts a value to a worth for each seat.
fn worth(value: i32) -> Vector {
    let to_rabbit = STEP * (EVEN - value.min(BLOCKED));
    let mut worth = [0; MAX_SEATS];
    worth[RABBIT.index()] = to_rabbit;
    worth[WOLVES.index()] = -to_rabbit;
    worth
}

/// The article's model of the game: the wolves maximise the value, the rabbit minimises it.
#[derive(Clone, Copy, Debug)]
pub struct Pursuit {
    heuristic: Heuristic,
}

impl MinimaxModel for Pursuit {
    type Position = Position;
    type Move = Move;

    /// The wolves' moves in the order of the position's text, left before right; the rabbit's moves down before up,
    /// left before right. The article numbers the wolves from the start instead, which a position does not tell.
    fn moves(&self, position: &Position) -> impl Iterator<Item = Move> {
        let moves = position.legal_moves();
        // Ascending moves are in this order, except for the rows of the wolves.
        let rows = (0..8).rev();
        rows.flat_map(move |row| moves.filter(move |mv| mv.from.row() == row))
    }

    #[inline]
    fn play(&self, position: &Position, mv: Move) -> Position {
        position.play_unchecked(mv)
    }

    #[inline]
    fn wants_large(&self, position: &Position) -> bool {
        position.mover() == WOLVES
    }

    fn value(&self, position: &Position) -> i32 {
        match position.winner() {
            Some(RABBIT) => 0,
            Some(_) => UNREACHABLE,
            None => match self.heuristic {
                Heuristic::Distance => distance(position),
                Heuristic::Height => 7 - i32::from(position.rabbit().row()),
            },
        }
    }

    fn worth(&self, value: i32) -> Vector {
        worth(value)
    }
}

/// The evaluator: the rabbit is stronger the fewer steps it has to row 8.
#[derive(Clone, Copy, Debug)]
pub struct Distance;

impl Evaluator<Position> for Distance {
    fn strengths(&self, position: &Position) -> Vector {
        worth(distance(position)).map(|worth| worth * STRENGTH_UNIT / WORTH_UNIT)
    }

    fn explain(&self, position: &Position) -> Vec<String> {
        explain_with(position, &Pursuit { heuristic: Heuristic::Distance })
    }
}

impl Evaluate for Position {
    type Evaluator = Distance;
    type Article = RabbitsAndWolves;

    fn evaluator(&self, _: &Evaluators) -> Arc<Distance> {
        Arc::new(Distance)
    }
}

/// Settings of the article's model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Value of a position at the end of the search.
    pub heuristic: Heuristic,
}

/// Value of a position at the end of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heuristic {
    /// Length in steps of the rabbit's shortest way to row 8 if no wolf moves.
    #[default]
    Distance,
    /// Number of rows to row 8, ignoring the wolves.
    Height,
}

/// Options for the settings.
pub const OPTIONS: &[ModelOption] = &[ModelOption {
    name: "Heuristic",
    values: Values::Names(&["distance", "height"]),
    get: |settings| settings.fox.heuristic as u32,
    set: |settings, value| {
        settings.fox.heuristic = match value {
            0 => Heuristic::Distance,
            _ => Heuristic::Height,
        };
    },
}];

/// The article "Rabbits & Wolves".
#[derive(Clone, Copy, Debug)]
pub struct RabbitsAndWolves;

impl Article<Position> for RabbitsAndWolves {
    type Vectors = NoModel<Position>;
    type Minimax = Pursuit;

    fn model(
        _: &Position,
        settings: &ModelSettings,
    ) -> Option<ArticleModel<NoModel<Position>, Pursuit>> {
        Some(ArticleModel::Minimax(pursuit(settings)))
    }

    fn worth(position: &Position, settings: &ModelSettings) -> Option<Vector> {
        Some(worth(pursuit(settings).value(position)))
    }

    fn explain(position: &Position, settings: &ModelSettings) -> Vec<String> {
        explain_with(position, &pursuit(settings))
    }
}

fn pursuit(settings: &ModelSettings) -> Pursuit {
    Pursuit { heuristic: settings.fox.heuristic }
}

/// The map of distances, the value, and a line for each seat.
fn explain_with(position: &Position, pursuit: &Pursuit) -> Vec<String> {
    let mut lines = distance_map(position);
    let value = pursuit.value(position);
    let name = match pursuit.heuristic {
        Heuristic::Distance => "distance",
        Heuristic::Height => "height",
    };
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

    #[test]
    fn moves_are_in_the_order_of_the_text() {
        let pursuit = pursuit(&ModelSettings::default());
        for (text, expected) in [
            ("1h1h4/8/8/h7/8/2F5/7h/8 b", "b8a7 b8c7 d8c7 d8e7 a5b4 h2g1"),
            ("1h1h1h1h/8/8/8/8/8/3F4/8 w", "d2c1 d2e1 d2c3 d2e3"),
        ] {
            let position = Position::parse(&(), text).unwrap();
            let moves: Vec<String> = pursuit.moves(&position).map(|mv| mv.to_string()).collect();
            assert_eq!(moves.join(" "), expected, "{position:?}");
        }
    }

    #[test]
    fn an_end_has_the_value_of_the_winner() {
        for heuristic in [Heuristic::Distance, Heuristic::Height] {
            for (text, expected) in [
                ("1F6/8/8/8/8/8/8/h1h1h1h1 b", 0),
                ("8/8/8/8/8/2F5/8/h1h1h1h1 b", 0),
                ("1h1h1h2/8/8/8/8/8/1h6/F7 w", UNREACHABLE),
            ] {
                let position = Position::parse(&(), text).unwrap();
                let value = Pursuit { heuristic }.value(&position);
                assert_eq!(value, expected, "{heuristic:?} {position:?}");
            }
        }
    }
}
