//! Certain places: proofs that start at the ends of games and are backed up the tree as far as they hold.
//!
//! They hold whatever the rivals play, except that with two seats the rival is assumed to play its best, as in chess.

use super::TreeSearch;
use super::arena::{NodeIndex, UNVISITED};
use crate::eval::Evaluate;
use crate::rules::Seat;

impl<G: Evaluate> TreeSearch<'_, G> {
    /// Backs up along a walk whether the place of the root's mover is now certain. The walk proves something only if
    /// that seat has finished in `end`.
    pub fn back_up_proof(&mut self, end: &G) {
        let mut mate = match end.place(self.root.goal.seat) {
            // The sign tells which place; the number counts moves from the node.
            Some(place) if place == self.root.goal.best_open_place => 1,
            Some(place) if place == end.seats() => -1,
            _ => return,
        };
        for step in (0..self.path.len()).rev() {
            let (node, mover) = self.path[step];
            if step + 1 < self.path.len() {
                match self.certainty(node, mover) {
                    0 => return,
                    known => mate = known,
                }
            }
            self.arena.set_mate(node, mate);
        }
    }

    /// Certainty of a node derived from its children, counted from 1 at the end.
    pub fn certainty(&self, node: NodeIndex, mover: Option<Seat>) -> i16 {
        let mates = self.arena.considered(node).map(|edge| match edge.child {
            UNVISITED => 0,
            child => self.arena.mate(child),
        });
        let slowest = mates.clone().max_by_key(|mate| mate.abs()).unwrap_or(0);
        if mover == Some(self.root.goal.seat) {
            return match mates.clone().filter(|&mate| mate > 0).min() {
                Some(fastest) => fastest + 1,
                None if mates.clone().all(|mate| mate < 0) => slowest - 1,
                None => 0,
            };
        }
        if mover.is_some()
            && self.root.position.seats() == 2
            && let Some(fastest) = mates.clone().filter(|&mate| mate < 0).max()
        {
            return fastest;
        }
        let all_good = mates.clone().all(|mate| mate > 0);
        let all_bad = mates.clone().all(|mate| mate < 0);
        if all_good || all_bad { slowest } else { 0 }
    }
}
