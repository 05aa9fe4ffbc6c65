//! Reuse of a tree after further moves: keeps the part below the current position.

use super::TreeSearch;
use super::arena::{Arena, NodeIndex, ROOT};
use crate::eval::Evaluate;
use crate::rules::{Game, Turn};
use crate::search::Past;
use crate::search::goal::Goal;

/// The root of a tree, and the goal that its values refer to.
#[derive(Debug)]
pub struct Root<G> {
    pub position: G,
    pub goal: Goal,
}

/// Keeps the part of the tree below `new`, which the game has reached from `old` through `past`; clears the tree if no
/// walk reached `new`.
pub fn keep<G: Game>(arena: &mut Arena, old: Option<&Root<G>>, new: &Root<G>, past: &[Past]) {
    // Sums for a different goal are useless.
    let old = old.filter(|old| old.goal.is_compatible(&new.goal));
    let found = old.and_then(|old| {
        let node = find(arena, &old.position, &new.position, past)?;
        let proven = |goal: &Goal| (goal.seat, goal.best_open_place);
        let are_proofs_valid = proven(&old.goal) == proven(&new.goal);
        Some((node, are_proofs_valid))
    });
    let Some((node, are_proofs_valid)) = found else {
        return arena.clear();
    };
    if node != ROOT {
        arena.keep(node, 1);
    }
    if !are_proofs_valid {
        arena.forget_mates();
    }
}

/// Finds the node of a position in the tree below another.
fn find<G: Game>(arena: &Arena, old: &G, new: &G, past: &[Past]) -> Option<NodeIndex> {
    if arena.is_empty() {
        return None;
    }
    if old == new {
        return Some(ROOT);
    }
    let since = past.iter().rposition(|past| past.key == old.key())? + 1;
    let way = past[since..].iter().map(|past| past.key);
    let mut at = (*old, ROOT);
    for key in way.chain([new.key()]) {
        at = step(arena, &at.0, at.1, key)?;
    }
    (at.0 == *new).then_some(at.1)
}

/// Follows one move, and the cards after it, to the position with `key`, where a seat is to move.
fn step<G: Game>(arena: &Arena, from: &G, node: NodeIndex, key: u64) -> Option<(G, NodeIndex)> {
    let children = arena.edges(node).iter().map(|edge| edge.child);
    let arrive = |(next, child): (G, NodeIndex)| match next.turn() {
        _ if child == ROOT => None,
        Turn::Card(_) => step(arena, &next, child, key),
        _ => (next.key() == key).then_some((next, child)),
    };
    match from.turn() {
        Turn::Seat(_) => {
            let moves = from.legal_moves().map(|mv| from.play_unchecked(mv));
            moves.zip(children).find_map(arrive)
        }
        Turn::Card(_) => {
            let cards = from.outcomes().map(|(card, _)| from.draw_unchecked(card));
            cards.zip(children).find_map(arrive)
        }
        Turn::Over => None,
    }
}

impl<G: Evaluate> TreeSearch<'_, G> {
    /// Recomputes the statistics of a reused root from its considered moves.
    pub fn reuse_root(&mut self) {
        self.set_priors(ROOT);
        self.restrict_root();
        let considered = self.arena.considered(ROOT);
        let visits = considered.map(|edge| self.arena.visits(edge)).sum();
        let mate = self.certainty(ROOT, Some(self.root.goal.seat));
        let root = self.arena.node_mut(ROOT);
        root.visits = visits;
        root.mate = mate;
        self.visits.seldepth = self.arena.height();
    }
}
