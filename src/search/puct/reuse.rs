//! Reuse of a tree after further moves: keeps the part below the current position.

use super::TreeSearch;
use super::arena::{Arena, NodeIndex, UNVISITED};
use crate::eval::Evaluate;
use crate::rules::{Game, Turn};
use crate::search::Past;
use crate::search::goal::Goal;

/// The root of a tree, and the goal that its values refer to.
#[derive(Debug)]
pub struct Root<G> {
    pub position: G,
    pub goal: Goal,
    /// Deepest ply that a walk has reached.
    pub seldepth: usize,
}

/// Moves the root of a tree to `new`, which the game has reached from `old` through `past`; clears the tree if no walk
/// reached `new`. Looks only at the nodes on the way, since a tree can have hundreds of millions.
///
/// # Returns
/// Number of plies from `old` to `new`, if the tree is kept.
pub fn keep<G: Game>(
    arena: &mut Arena,
    old: Option<&Root<G>>,
    new: &Root<G>,
    past: &[Past],
) -> Option<usize> {
    // Sums for a different goal are useless.
    let old = old.filter(|old| old.goal.is_compatible(&new.goal));
    let found = old.and_then(|old| Some((old, find(arena, &old.position, &new.position, past)?)));
    let Some((old, (node, plies))) = found else {
        arena.clear();
        return None;
    };
    arena.set_root(node);
    let proven = |goal: &Goal| (goal.seat, goal.best_open_place);
    if proven(&old.goal) != proven(&new.goal) {
        arena.forget_mates();
    }
    Some(plies)
}

/// Finds the node of a position in the tree below another, and the number of plies between them.
fn find<G: Game>(arena: &Arena, old: &G, new: &G, past: &[Past]) -> Option<(NodeIndex, usize)> {
    if arena.is_empty() {
        return None;
    }
    let mut at = (*old, arena.root(), 0);
    if old != new {
        let since = past.iter().rposition(|past| past.key == old.key())? + 1;
        let way = past[since..].iter().map(|past| past.key);
        for key in way.chain([new.key()]) {
            at = step(arena, at, key)?;
        }
    }
    let (position, node, plies) = at;
    (position == *new).then_some((node, plies))
}

/// Follows one move, and the cards after it, to the position with `key`, where a seat is to move.
fn step<G: Game>(
    arena: &Arena,
    (from, node, plies): (G, NodeIndex, usize),
    key: u64,
) -> Option<(G, NodeIndex, usize)> {
    let children = arena.edges(node).iter().map(|edge| edge.child);
    let arrive = |(next, child): (G, NodeIndex)| {
        let at = (next, child, plies + 1);
        match next.turn() {
            _ if child == UNVISITED => None,
            Turn::Card(_) => step(arena, at, key),
            _ => (next.key() == key).then_some(at),
        }
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
        let root = self.arena.root();
        self.set_priors(root);
        self.restrict_root();
        let considered = self.arena.considered(root);
        self.arena.node_mut(root).visits = considered.map(|edge| self.arena.visits(edge)).sum();
        let mate = self.certainty(root, Some(self.root.goal.seat));
        self.arena.set_mate(root, mate);
        self.visits.seldepth = self.root.seldepth;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::hase::{HASE_UND_IGEL, Position};
    use crate::rules::{AnyPosition, MAX_MOVES};
    use crate::search::puct::FIRST_WALKS;
    use crate::search::{Control, MAX_DEPTH, Memory, Report, Request, search};

    /// The start, and a memory with a search of it.
    fn searched(mebibytes: usize, nodes: u64) -> (Position, Memory) {
        let start = Position::start(&HASE_UND_IGEL, 2).unwrap();
        let mut memory = Memory::new(mebibytes);
        let request = Request { nodes, ..Request::new(start.into(), MAX_DEPTH) };
        search(&request, &mut memory, &Control::new(None), &mut |_| ()).unwrap();
        (start, memory)
    }

    /// Requests for the positions that the tree has at the mover's next turn, each with its visits. No card is drawn on
    /// the way.
    fn next_turns(start: &Position, arena: &Arena) -> Vec<(Request, u64)> {
        let after = |position: &Position, node| -> Vec<(Position, NodeIndex)> {
            let children = arena.edges(node).iter().map(|edge| edge.child);
            let next = position.legal_moves().map(|mv| position.play_unchecked(mv)).zip(children);
            let is_kept = |(next, child): &(Position, NodeIndex)| {
                *child != UNVISITED && matches!(next.turn(), Turn::Seat(_))
            };
            next.filter(is_kept).collect()
        };
        let past = |position: &Position| Past::of(&AnyPosition::Hase(*position)).unwrap();
        let mut turns = Vec::new();
        for (reply, node) in after(start, arena.root()) {
            for (next, node) in after(&reply, node) {
                if next.turn() == start.turn() {
                    let past = vec![past(start), past(&reply)];
                    let request = Request { past, ..Request::new(next.into(), MAX_DEPTH) };
                    turns.push((request, arena.node(node).visits));
                }
            }
        }
        turns
    }

    #[test]
    fn a_kept_tree_is_not_walked_before_its_room_is_needed() {
        let (start, mut memory) = searched(1, 3_000);
        let fill = memory.arenas[0].fill_permille();
        let turns = next_turns(&start, &memory.arenas[0]);
        let (request, visits) = turns.iter().max_by_key(|(_, visits)| visits).unwrap();
        let control = Control::new(None);
        control.stop();
        search(request, &mut memory, &control, &mut |_| ()).unwrap();
        let arena = &memory.arenas[0];
        assert_eq!(arena.fill_permille(), fill);
        // The first walk of a node adds it, and the later ones continue to its children.
        assert_eq!(arena.node(arena.root()).visits, visits - 1);
    }

    #[test]
    fn a_search_that_must_stop_while_it_makes_room_answers_with_what_it_knew() {
        let (start, mut memory) = searched(0, 3_000);
        let turns = next_turns(&start, &memory.arenas[0]);
        let (request, visits) = turns.into_iter().max_by_key(|(_, visits)| *visits).unwrap();
        let arena = &mut memory.arenas[0];
        while arena.has_room(MAX_MOVES) {
            arena.add(std::iter::empty());
        }
        // The last iteration that needs no new walk.
        let last = ((visits - 1) / FIRST_WALKS).ilog2();
        assert!(last > 0);
        let control = Control::new(None);
        let stop = &mut |report: Report| {
            if report.depth == last {
                control.stop();
            }
        };
        let answer = search(&request, &mut memory, &control, stop).unwrap();
        assert!(request.position.legal_actions().contains(&answer.best), "{answer:?}");
        assert_eq!(answer.nodes, 0);
        assert!(memory.arenas[0].is_empty());
        let request = Request { nodes: 1000, ..request };
        let again = search(&request, &mut memory, &Control::new(None), &mut |_| ()).unwrap();
        assert!(again.nodes > 900, "{again:?}");
    }
}
