//! The exact table of Rabbits and Wolves, compared with a slow solver: a recursion over moves on a board of 8x8 squares
//! that shares only the rules with the table.

use std::collections::HashMap;

use buxtehude::rules::fox::{Position, RABBIT, Square, WOLVES};
use buxtehude::rules::{Game, Solution};

/// File and row of a square, from 0 at a1.
type Place = (i8, i8);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Board {
    /// In ascending order, so that equal boards compare equal.
    wolves: [Place; 4],
    rabbit: Place,
    wolves_move: bool,
}

impl Board {
    fn is_free(&self, (file, row): Place) -> bool {
        let inside = (0..8).contains(&file) && (0..8).contains(&row);
        inside && self.rabbit != (file, row) && !self.wolves.contains(&(file, row))
    }

    fn children(&self) -> Vec<Board> {
        let mut children = Vec::new();
        if self.rabbit.1 == 7 {
            return children;
        }
        let wolves_move = !self.wolves_move;
        if self.wolves_move {
            for (number, &(file, row)) in self.wolves.iter().enumerate() {
                for target in [(file - 1, row - 1), (file + 1, row - 1)] {
                    if self.is_free(target) {
                        let mut wolves = self.wolves;
                        wolves[number] = target;
                        wolves.sort_unstable();
                        children.push(Board { wolves, wolves_move, ..*self });
                    }
                }
            }
        } else {
            let (file, row) = self.rabbit;
            for (right, up) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] {
                let rabbit = (file + right, row + up);
                if self.is_free(rabbit) {
                    children.push(Board { rabbit, wolves_move, ..*self });
                }
            }
        }
        children
    }
}

#[derive(Default)]
struct SlowSolver {
    known: HashMap<Board, Solution>,
}

impl SlowSolver {
    fn outcome(&mut self, board: Board) -> Solution {
        if let Some(&known) = self.known.get(&board) {
            return known;
        }
        let (mover, opponent) = if board.wolves_move { (WOLVES, RABBIT) } else { (RABBIT, WOLVES) };
        let mut fastest_win = None;
        let mut latest_loss = None;
        for child in board.children() {
            let after = self.outcome(child);
            let plies = after.plies + 1;
            if after.winner == mover {
                fastest_win = Some(fastest_win.map_or(plies, |best: u32| best.min(plies)));
            } else {
                latest_loss = Some(latest_loss.map_or(plies, |best: u32| best.max(plies)));
            }
        }
        let outcome = if board.rabbit.1 == 7 {
            Solution { winner: RABBIT, plies: 0 }
        } else if let Some(plies) = fastest_win {
            Solution { winner: mover, plies }
        } else {
            Solution { winner: opponent, plies: latest_loss.unwrap_or(0) }
        };
        self.known.insert(board, outcome);
        outcome
    }
}

#[test]
fn the_table_is_what_a_slow_solver_finds_for_every_position() {
    let files_and_rows = (0..8).flat_map(|file| (0..8).map(move |row| (file, row)));
    let dark: Vec<Place> = files_and_rows.filter(|(file, row)| (file + row) % 2 == 0).collect();
    let number = |(file, row): Place| 4 * row as u8 + file as u8 / 2;
    let mut slow = SlowSolver::default();
    let mut compared = 0;
    let mut longest = [0; 2];
    for (a, &first) in dark.iter().enumerate() {
        for (b, &second) in dark.iter().enumerate().skip(a + 1) {
            for (c, &third) in dark.iter().enumerate().skip(b + 1) {
                for &fourth in &dark[c + 1..] {
                    let wolves = [first, second, third, fourth];
                    let set = wolves.iter().map(|&wolf| 1 << number(wolf)).sum();
                    for &rabbit in dark.iter().filter(|rabbit| !wolves.contains(rabbit)) {
                        for wolves_move in [false, true] {
                            let board = Board { wolves, rabbit, wolves_move };
                            let expected = slow.outcome(board);
                            let rabbit = Square::new(number(rabbit));
                            let mover = if wolves_move { WOLVES } else { RABBIT };
                            let position = Position::new(rabbit, set, mover).unwrap();
                            assert_eq!(position.solved(), Some(expected), "{position:?}");
                            compared += 1;
                            let longest = &mut longest[expected.winner.index()];
                            *longest = expected.plies.max(*longest);
                        }
                    }
                }
            }
        }
    }
    assert_eq!(compared, 2_013_760);
    assert_eq!(longest, [41, 44]);
}
