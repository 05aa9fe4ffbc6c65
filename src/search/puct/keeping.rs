//! What is kept of a tree when the game has gone on: the part below the position that is now on the board.

use super::Search;
use super::arena::{Arena, NodeIndex, ROOT};
use super::goal::Goal;
use crate::eval::Evaluate;
use crate::rules::{Game, Seat, Turn};
use crate::search::Past;

/// The root of a tree, and how what is certain was counted in it.
#[derive(Debug)]
pub struct Root<G> {
    pub position: G,
    pub mover: Seat,
    pub best_open_place: usize,
    pub goal: Goal,
}

/// Keeps what the tree below `old` knows of the position of `new`, to which the game has come through `past`; nothing
/// where its walks did not come there.
pub fn keep<G: Game>(arena: &mut Arena, old: Option<&Root<G>>, new: &Root<G>, past: &[Past]) {
    // Sums of something else than is sought now are worth nothing.
    let old = old.filter(|old| old.goal.counts_like(&new.goal));
    let found = old.and_then(|old| {
        let node = find(arena, &old.position, &new.position, past)?;
        let is_counted_alike = (old.mover, old.best_open_place) == (new.mover, new.best_open_place);
        Some((node, is_counted_alike))
    });
    let Some((node, is_counted_alike)) = found else {
        return arena.clear();
    };
    if node != ROOT {
        arena.keep(node, 1);
    }
    if !is_counted_alike {
        arena.forget_mates();
    }
}

/// The node of a position in the tree below another.
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

/// From a position by a move, and the cards that it brings, to the one of a key, in which a seat moves.
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

impl<G: Evaluate> Search<'_, G> {
    /// Has a root that was kept begin with what its moves know, those that are considered.
    pub fn replant(&mut self) {
        self.promise(ROOT);
        self.consider();
        let considered = self
            .arena
            .edges(ROOT)
            .iter()
            .filter(|edge| edge.prior >= 0.0);
        let visits = considered.map(|edge| self.arena.visits(edge)).sum();
        let mate = self.certainty(ROOT, Some(self.root.mover));
        let root = self.arena.node_mut(ROOT);
        root.visits = visits;
        root.mate = mate;
        self.visits.seldepth = self.arena.height();
    }
}
