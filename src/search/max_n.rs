//! Max^n for three seats and more: each mover takes what is best for itself.
//!
//! Source: C. Luckhardt and K. Irani, "An algorithmic solution of n-person games" (1986).

use super::Value;
use super::alpha_beta::Path;
use super::tree::Tree;
use crate::eval::{Evaluate, VectorMean};
use crate::rules::{MAX_SEATS, Seat, Turn};

impl<G: Evaluate> Tree<'_, G> {
    /// The value of a position that a move or card led to, searched `depth` plies deep.
    pub fn value_after(&mut self, position: &G, depth: u32, path: Path) -> Value {
        const STOPPED: Value = Value {
            leads: [0; MAX_SEATS],
            mate: 0,
        };
        if self.visits.visit(path.ply) {
            return STOPPED;
        }
        let mover = match position.turn() {
            Turn::Card(_) => return self.mean_value(position, depth, path),
            Turn::Seat(mover) if depth > 0 => mover,
            turn => {
                self.reached_horizon |= turn != Turn::Over;
                self.pv.clear(path.ply);
                return self.static_value(position, path.own_moves);
            }
        };
        let mut best: Option<Value> = None;
        for mv in position.legal_moves() {
            let next = position.play_unchecked(mv);
            let value = self.value_after(&next, depth - 1, path.down(mover, self));
            if self.visits.stopped {
                return STOPPED;
            }
            if best.is_none_or(|best| self.prefers(mover, &value, &best)) {
                best = Some(value);
                self.pv.extend(path.ply, mv);
            }
        }
        // A seat that is to move has at least one legal move.
        best.unwrap_or(STOPPED)
    }

    /// Whether `mover` takes the first value rather than the second. Equal shares are told apart by how
    /// soon the place of the root's mover is certain, which it wants for itself and others do not.
    fn prefers(&self, mover: Seat, first: &Value, second: &Value) -> bool {
        let leads = |value: &Value| value.leads[mover.index()];
        if leads(first) != leads(second) {
            return leads(first) > leads(second);
        }
        let gain = first.mate_rank() - second.mate_rank();
        if mover == self.root_seat {
            gain > 0
        } else {
            gain < 0
        }
    }

    /// The value over all cards that can be drawn now.
    fn mean_value(&mut self, position: &G, depth: u32, path: Path) -> Value {
        let mut leads = VectorMean::default();
        let mut slowest: Option<i32> = None;
        for (card, weight) in position.outcomes() {
            let next = position.draw_unchecked(card);
            let value = self.value_after(&next, depth, path);
            if self.visits.stopped {
                return value;
            }
            leads.add(&value.leads, weight);
            slowest = Some(match slowest {
                None => value.mate,
                Some(mate) if mate.signum() == value.mate.signum() => {
                    if mate.abs() > value.mate.abs() {
                        mate
                    } else {
                        value.mate
                    }
                }
                Some(_) => 0,
            });
        }
        self.pv.clear(path.ply);
        Value {
            leads: leads.leads(),
            mate: slowest.unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::alpha_beta::Window;
    use super::super::tree::value_of_two;
    use super::super::{Control, Table};
    use super::*;
    use crate::rules::Game;
    use crate::rules::hase::{HASE_UND_IGEL, Position};

    const POSITIONS: &[&str] = &[
        "0,68,3/0,68,3 1 - -",
        "10,43,3/13,29,3 2 - H",
        "45,26,2/29,19,0 1 - BDD",
        "58,30,1/61,9,0 1 - BDRHFSG",
        "60,9,0/42,10,1! 1 - BBDDRR",
        "57,10,1!/63,5,0 1 - -",
    ];

    #[test]
    fn with_two_seats_it_agrees_with_alpha_beta() {
        let control = Control::new(None);
        let mut table = Table::new(1);
        for text in POSITIONS {
            let position = Position::parse(&HASE_UND_IGEL, text).unwrap();
            let Turn::Seat(mover) = position.turn() else {
                panic!("{text}");
            };
            table.begin_search();
            let mut tree = Tree::new(&position, mover, &control, &mut table, u64::MAX);
            let path = Path {
                ply: 1,
                own_moves: 1,
            };
            for mv in position.legal_moves() {
                let next = position.play_unchecked(mv);
                for depth in 0..=3 {
                    let lead = tree.lead_after(mover, &next, depth, path, Window::FULL);
                    let value = tree.value_after(&next, depth, path);
                    assert_eq!(
                        value,
                        value_of_two(lead, mover),
                        "{mv}, {depth} in {position:?}"
                    );
                }
            }
        }
    }
}
