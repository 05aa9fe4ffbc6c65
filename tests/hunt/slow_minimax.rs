//! A second implementation of the article's minimax on a board of 8x8 squares: without pruning, slow and obvious.

use std::collections::{HashMap, VecDeque};

use buxtehude::articles::minimax::Heuristic;

/// File and row, from 0 at a1.
type Place = (i8, i8);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// In the order of the text: row 8 first, each row from the left.
    wolves: [Place; 4],
    rabbit: Place,
    wolves_move: bool,
}

impl Board {
    /// Parses a position's text.
    pub fn read(text: &str) -> Board {
        let mut fields = text.split(' ');
        let mut wolves = Vec::new();
        let mut rabbit = None;
        for (row, squares) in (0..8).rev().zip(fields.next().unwrap().split('/')) {
            let mut file = 0;
            for letter in squares.chars() {
                match letter {
                    'h' => wolves.push((file, row)),
                    'F' => rabbit = Some((file, row)),
                    _ => file += letter.to_digit(10).unwrap() as i8 - 1,
                }
                file += 1;
            }
        }
        Board {
            wolves: wolves.try_into().unwrap(),
            rabbit: rabbit.unwrap(),
            wolves_move: fields.next() == Some("b"),
        }
    }

    fn is_free(&self, place: Place) -> bool {
        let (file, row) = place;
        let inside = (0..8).contains(&file) && (0..8).contains(&row);
        inside && self.rabbit != place && !self.wolves.contains(&place)
    }

    /// Moves in the order of generation, with the resulting boards; none if the game is over.
    fn moves(&self) -> Vec<(String, Board)> {
        let mut moves = Vec::new();
        if self.rabbit.1 == 7 {
            return moves;
        }
        let movers: &[Place] = if self.wolves_move { &self.wolves } else { &[self.rabbit] };
        let steps: &[Place] = &[(-1, -1), (1, -1), (-1, 1), (1, 1)];
        for &from in movers {
            let count = if self.wolves_move { 2 } else { 4 };
            for step in &steps[..count] {
                let to = (from.0 + step.0, from.1 + step.1);
                if !self.is_free(to) {
                    continue;
                }
                let mut next = *self;
                next.wolves_move = !self.wolves_move;
                if self.wolves_move {
                    let moved = next.wolves.iter_mut().find(|wolf| **wolf == from).unwrap();
                    *moved = to;
                    next.wolves.sort_by_key(|&(file, row)| (-row, file));
                } else {
                    next.rabbit = to;
                }
                moves.push((format!("{}{}", name(from), name(to)), next));
            }
        }
        moves
    }

    fn value(&self, heuristic: Heuristic) -> i32 {
        if self.rabbit.1 == 7 {
            return 0;
        }
        if self.moves().is_empty() {
            return if self.wolves_move { 0 } else { 254 };
        }
        if heuristic == Heuristic::Height {
            return (7 - self.rabbit.1).into();
        }
        let mut steps = HashMap::from([(self.rabbit, 0)]);
        let mut queue = VecDeque::from([self.rabbit]);
        while let Some(place) = queue.pop_front() {
            let here = steps[&place];
            if place.1 == 7 {
                return here;
            }
            for (file, row) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] {
                let next = (place.0 + file, place.1 + row);
                if self.is_free(next) && !steps.contains_key(&next) {
                    steps.insert(next, here + 1);
                    queue.push_back(next);
                }
            }
        }
        254
    }
}

fn name((file, row): Place) -> String {
    format!("{}{}", char::from(b'a' + file as u8), row + 1)
}

/// Minimax with one heuristic and a cache of its results.
pub struct SlowMinimax {
    heuristic: Heuristic,
    known: HashMap<(Board, u32), i32>,
}

impl SlowMinimax {
    pub fn new(heuristic: Heuristic) -> SlowMinimax {
        let known = HashMap::new();
        SlowMinimax { heuristic, known }
    }

    /// The best move and its value at `depth` plies.
    pub fn best(&mut self, board: &Board, depth: u32) -> (String, i32) {
        let mut best: Option<(String, i32)> = None;
        for (mv, next) in board.moves() {
            let value = self.value(&next, depth - 1);
            let is_better = |(_, best): &(String, i32)| {
                if board.wolves_move { value > *best } else { value <= *best }
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some((mv, value));
            }
        }
        best.expect("a legal move")
    }

    fn value(&mut self, board: &Board, depth: u32) -> i32 {
        if depth == 0 || board.moves().is_empty() {
            return board.value(self.heuristic);
        }
        if let Some(&known) = self.known.get(&(*board, depth)) {
            return known;
        }
        let (_, value) = self.best(board, depth);
        self.known.insert((*board, depth), value);
        value
    }
}
