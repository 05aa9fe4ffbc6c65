//! The evaluation of Rabbits and Wolves: how far the rabbit is from row 8 if no wolf moves.

use super::lookahead::ModelSettings;
use super::{Evaluate, NoModel, Vector};
use crate::rules::fox::board::{ROW_8, neighbours};
use crate::rules::fox::{Position, RABBIT, WOLVES};
use crate::rules::{Game, MAX_SEATS};

/// What a step of the rabbit is worth to it, in hundredths.
const STEP: i32 = 400;

/// The distance at which neither side is better off: the whole board.
const EVEN: i32 = 7;

/// A way that is blocked counts as this many steps, and so does a longer one.
const BLOCKED: u32 = 14;

/// The fewest steps that lead the rabbit to row 8 if no wolf moves, or `None` where the way is blocked.
fn distance(position: &Position) -> Option<u32> {
    let free = !position.wolves();
    let mut reached = position.rabbit().bit();
    let mut steps = 0;
    while reached & ROW_8 == 0 {
        let further = reached | neighbours(reached) & free;
        if further == reached {
            return None;
        }
        reached = further;
        steps += 1;
    }
    Some(steps)
}

/// What the position is worth to the rabbit, in hundredths.
fn worth_to_rabbit(position: &Position) -> i32 {
    let steps = distance(position).unwrap_or(BLOCKED).min(BLOCKED);
    STEP * (EVEN - steps as i32)
}

impl Evaluate for Position {
    type Model = NoModel<Position>;

    fn worth(&self) -> Vector {
        let mut worth = [0; MAX_SEATS];
        let to_rabbit = worth_to_rabbit(self);
        worth[RABBIT.index()] = to_rabbit;
        worth[WOLVES.index()] = -to_rabbit;
        worth
    }

    fn explain(&self) -> Vec<String> {
        let way = match distance(self) {
            Some(steps) => format!("distance {steps} to row 8"),
            None => "no way to row 8".into(),
        };
        let worth = worth_to_rabbit(self);
        [(RABBIT, worth), (WOLVES, -worth)]
            .map(|(seat, worth)| match self.place(seat) {
                Some(place) => format!("seat {seat}: place {place}"),
                None => format!("seat {seat}: {way} = E {worth}"),
            })
            .to_vec()
    }

    fn model(&self, _: &ModelSettings) -> Option<NoModel<Position>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_that_of_the_shortest_way_around_the_wolves() {
        for (text, expected) in [
            ("1h1h1h1h/8/8/8/8/8/8/4F3 w", None),
            ("1h1h1h2/6h1/8/8/8/8/8/4F3 w", None),
            ("1h1h1h2/8/5h2/8/8/8/8/4F3 w", Some(7)),
            ("8/8/8/8/8/h1h1h3/5h2/4F3 w", None),
            ("7h/8/8/8/8/2h1h3/1h6/2F5 w", Some(9)),
            ("8/F7/8/8/8/8/8/h1h1h1h1 w", Some(1)),
            ("1F6/8/8/8/8/8/8/h1h1h1h1 b", Some(0)),
        ] {
            let position = Position::parse(&(), text).unwrap();
            assert_eq!(distance(&position), expected, "{position:?}");
        }
    }
}
