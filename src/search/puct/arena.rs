//! Memory of a tree search: nodes and their edges in two lists of fixed capacity.
//!
//! A node comes after its parent in the list, and its edges after its parent's edges. So the part of the tree that is
//! still useful can be moved to the front in one pass. That takes seconds if the memory is large, so it is postponed
//! until there is no room, and can be interrupted.
//!
//! After further moves of the game the part of the tree below the current position is kept.

use super::TreeSearch;
use crate::eval::Evaluate;
use crate::rules::{Game, MAX_MOVES, MAX_OUTCOMES, Turn};
use crate::search::Past;
use crate::search::goal::{Goal, Shares, Sums};

/// Index into the list of nodes.
pub type NodeIndex = u32;

/// Child of an edge before its first visit, since no edge leads to the first node.
pub const UNVISITED: NodeIndex = 0;

/// A visited position, in one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct Node {
    /// Sum of the walks' values for each seat; a value is the share of rivals that the seat finishes before.
    pub sums: Sums,
    /// Number of walks through this node.
    pub visits: u64,
    /// Index of its first edge.
    first: u32,
    /// Own moves of the root's mover until its place is certain, as in [`Value::mate`](super::Value::mate).
    mate: i16,
    /// Number of edges.
    len: u8,
    /// Number of the proofs that `mate` belongs to.
    proofs: u8,
}

/// A move or a card.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Node that it leads to, or [`UNVISITED`].
    pub child: NodeIndex,
    /// Prior: of a move, from its static evaluation; of a card, its chance. Negative for a move that is not considered.
    pub prior: f32,
    /// Static evaluation of a move, for its mover.
    pub value: f32,
}

/// Nodes and edges of a tree.
#[derive(Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    /// Static value of each node after a card; where a card is due, from the second visit on, the mean over the cards.
    /// In a list of its own, since few nodes need it.
    static_value: Vec<Shares>,
    edges: Vec<Edge>,
    /// While the tree is compacted, the new index of the edge to each node that stays; otherwise [`NO_EDGE`].
    edges_to: Vec<u32>,
    root: NodeIndex,
    /// Number of the valid proofs.
    proofs: u8,
    most_nodes: usize,
    most_edges: usize,
}

/// Smallest capacity in nodes, however little memory there is.
const MIN_NODES: usize = 1024;

/// Capacity in edges per node.
const EDGES_A_NODE: usize = 10;

/// Largest number of edges of a node.
const MAX_EDGES: usize = if MAX_MOVES > MAX_OUTCOMES { MAX_MOVES } else { MAX_OUTCOMES };

const NO_EDGE: u32 = u32::MAX;

/// Number of nodes between two questions whether to stop.
const NODES_PER_POLL: usize = 1 << 14;

/// Converts a number of visits. A signed conversion takes one instruction, an unsigned one a branch.
#[inline]
pub fn as_float(visits: u64) -> f32 {
    visits as i64 as f32
}

impl Arena {
    /// Creates one of `trees` trees that together take about `mebibytes` MiB.
    pub fn new(mebibytes: usize, trees: usize) -> Arena {
        let node = size_of::<Node>() + size_of::<Shares>() + size_of::<u32>();
        let size = node + EDGES_A_NODE * size_of::<Edge>();
        let most_nodes = ((mebibytes << 20) / trees / size).max(MIN_NODES);
        Arena { most_nodes, most_edges: most_nodes * EDGES_A_NODE, ..Arena::default() }
    }

    /// Clears the tree, and allocates its memory on first use.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.static_value.clear();
        self.edges.clear();
        self.edges_to.clear();
        self.root = 0;
        self.proofs = 0;
        self.nodes.reserve_exact(self.most_nodes);
        self.static_value.reserve_exact(self.most_nodes);
        self.edges.reserve_exact(self.most_edges);
        self.edges_to.reserve_exact(self.most_nodes);
    }

    /// Clears the tree and frees its memory.
    pub fn free(&mut self) {
        let (most_nodes, most_edges) = (self.most_nodes, self.most_edges);
        *self = Arena { most_nodes, most_edges, ..Arena::default() };
    }

    /// `true` if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Node of the searched position.
    #[inline]
    pub fn root(&self) -> NodeIndex {
        self.root
    }

    /// Makes a node of the tree the root. The other nodes stay until their room is needed.
    pub fn set_root(&mut self, root: NodeIndex) {
        self.root = root;
    }

    /// Clears all proofs; the whole tree if their number is used up.
    pub fn forget_mates(&mut self) {
        match self.proofs.checked_add(1) {
            Some(proofs) => self.proofs = proofs,
            None => self.clear(),
        }
    }

    /// Moves of the root's mover until its place is certain; 0 if it is not.
    #[inline]
    pub fn mate(&self, index: NodeIndex) -> i16 {
        let node = self.node(index);
        if node.proofs == self.proofs { node.mate } else { 0 }
    }

    pub fn set_mate(&mut self, index: NodeIndex, mate: i16) {
        let node = &mut self.nodes[index as usize];
        node.mate = mate;
        node.proofs = self.proofs;
    }

    /// `true` if there is room for a node with this number of edges.
    pub fn has_room(&self, edges: usize) -> bool {
        self.nodes.len() < self.most_nodes && self.edges.len() + edges <= self.most_edges
    }

    /// `true` if the next node may need the room of nodes that are no longer below the root.
    #[inline]
    pub fn must_drop_unreachable(&self) -> bool {
        self.root != 0 && !self.has_room(MAX_EDGES)
    }

    /// Used part of the capacity, in permille.
    pub fn fill_permille(&self) -> u16 {
        let nodes = 1000 * self.nodes.len() / self.most_nodes.max(1);
        let edges = 1000 * self.edges.len() / self.most_edges.max(1);
        nodes.max(edges).min(1000) as u16
    }

    /// Adds a node with its edges.
    pub fn add(&mut self, edges: impl Iterator<Item = Edge>) -> NodeIndex {
        let index = self.nodes.len() as NodeIndex;
        let first = self.edges.len();
        self.edges.extend(edges);
        self.nodes.push(Node {
            first: first as u32,
            len: (self.edges.len() - first) as u8,
            ..Node::default()
        });
        self.static_value.push(Shares::default());
        self.edges_to.push(NO_EDGE);
        index
    }

    #[inline]
    pub fn static_value(&self, index: NodeIndex) -> &Shares {
        &self.static_value[index as usize]
    }

    #[inline]
    pub fn static_value_mut(&mut self, index: NodeIndex) -> &mut Shares {
        &mut self.static_value[index as usize]
    }

    #[inline]
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index as usize]
    }

    #[inline]
    pub fn node_mut(&mut self, index: NodeIndex) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    #[inline]
    pub fn edges(&self, index: NodeIndex) -> &[Edge] {
        let node = &self.nodes[index as usize];
        &self.edges[node.first as usize..][..usize::from(node.len)]
    }

    #[inline]
    pub fn edges_mut(&mut self, index: NodeIndex) -> &mut [Edge] {
        let node = &self.nodes[index as usize];
        &mut self.edges[node.first as usize..][..usize::from(node.len)]
    }

    /// Edges of a node that are considered.
    #[inline]
    pub fn considered(&self, index: NodeIndex) -> impl Iterator<Item = &Edge> + Clone {
        self.edges(index).iter().filter(|edge| edge.prior >= 0.0)
    }

    /// Visits of the edge's child.
    #[inline]
    pub fn visits(&self, edge: &Edge) -> u64 {
        if edge.child == UNVISITED { 0 } else { self.node(edge.child).visits }
    }

    /// Drops the nodes that are not below the root.
    ///
    /// # Returns
    /// `false` if `should_stop` interrupted it. Then the tree is empty.
    pub fn drop_unreachable(&mut self, should_stop: &dyn Fn() -> bool) -> bool {
        self.compact(1, should_stop)
    }

    /// Drops the least visited nodes until at least half of the capacity is free. All nodes must be below the root.
    ///
    /// # Returns
    /// `false` if `should_stop` interrupted it. Then the tree is empty.
    pub fn make_room(&mut self, should_stop: &dyn Fn() -> bool) -> bool {
        // Number of nodes and edges, by the number of binary digits of the visits.
        let mut sizes = [(0, 0); u64::BITS as usize + 1];
        for nodes in self.nodes.chunks(NODES_PER_POLL) {
            if should_stop() {
                self.clear();
                return false;
            }
            for node in nodes {
                let digits = u64::BITS - node.visits.leading_zeros();
                let (nodes, edges) = &mut sizes[digits as usize];
                *nodes += 1;
                *edges += usize::from(node.len);
            }
        }
        let (mut nodes, mut edges) = (0, 0);
        let mut digits = u64::BITS;
        while digits > 0 {
            nodes += sizes[digits as usize].0;
            edges += sizes[digits as usize].1;
            if 2 * nodes > self.most_nodes || 2 * edges > self.most_edges {
                break;
            }
            digits -= 1;
        }
        self.compact(1u64.checked_shl(digits).unwrap_or(u64::MAX), should_stop)
    }

    /// Moves the tree below the root to the front, except nodes with fewer visits than `least`; `false`, with an empty
    /// tree, if it was interrupted.
    fn compact(&mut self, least: u64, should_stop: &dyn Fn() -> bool) -> bool {
        let root = self.root as usize;
        let (mut nodes, mut edges) = (0, 0);
        for index in root..self.nodes.len() {
            if (index - root).is_multiple_of(NODES_PER_POLL) && should_stop() {
                self.clear();
                return false;
            }
            let edge_to = std::mem::replace(&mut self.edges_to[index], NO_EDGE);
            if edge_to != NO_EDGE {
                self.edges[edge_to as usize].child = nodes as NodeIndex;
            } else if index != root {
                continue;
            }
            let mut node = self.nodes[index];
            let first = node.first as usize;
            node.first = edges as u32;
            for old in first..first + usize::from(node.len) {
                let mut edge = self.edges[old];
                if self.visits(&edge) < least {
                    edge.child = UNVISITED;
                } else {
                    self.edges_to[edge.child as usize] = edges as u32;
                }
                self.edges[edges] = edge;
                edges += 1;
            }
            self.nodes[nodes] = node;
            self.static_value[nodes] = self.static_value[index];
            nodes += 1;
        }
        self.nodes.truncate(nodes);
        self.static_value.truncate(nodes);
        self.edges_to.truncate(nodes);
        self.edges.truncate(edges);
        self.root = 0;
        true
    }
}

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
    use crate::search::{Control, MAX_DEPTH, Memory, Preset, Report, Request, search};

    fn edge(value: f32) -> Edge {
        Edge { child: UNVISITED, prior: 0.0, value }
    }

    fn child(arena: &mut Arena, parent: NodeIndex, index: usize, values: &[f32]) -> NodeIndex {
        let child = arena.add(values.iter().map(|&value| edge(value)));
        arena.edges_mut(parent)[index].child = child;
        arena.node_mut(child).visits = values[0] as u64;
        child
    }

    /// A tree whose root moves on to a node with two children that have children.
    fn tree() -> Arena {
        let mut arena = Arena::new(1, 1);
        arena.clear();
        let root = arena.add([edge(1.0), edge(2.0)].into_iter());
        let first = child(&mut arena, root, 0, &[10.0, 11.0]);
        let second = child(&mut arena, root, 1, &[20.0, 21.0, 22.0]);
        child(&mut arena, first, 1, &[12.0]);
        let under_second = child(&mut arena, second, 0, &[30.0, 31.0]);
        child(&mut arena, second, 2, &[3.0]);
        child(&mut arena, under_second, 1, &[40.0]);
        arena.set_root(second);
        arena
    }

    fn values(arena: &Arena, index: NodeIndex) -> Vec<f32> {
        arena.edges(index).iter().map(|edge| edge.value).collect()
    }

    #[test]
    fn what_is_below_the_new_root_is_kept_and_the_rest_is_gone() {
        for least in [1, 5] {
            let mut arena = tree();
            assert_eq!(values(&arena, arena.root()), [20.0, 21.0, 22.0]);
            assert!(arena.compact(least, &|| false));
            let edges = arena.edges(arena.root());
            assert_eq!(values(&arena, arena.root()), [20.0, 21.0, 22.0]);
            assert_eq!(edges[2].child == UNVISITED, least == 5, "it has 3 visits");
            let below = edges[0].child;
            assert_eq!(values(&arena, below), [30.0, 31.0]);
            assert_eq!(values(&arena, arena.edges(below)[1].child), [40.0]);
            let is_small = usize::from(least == 5);
            assert_eq!(arena.nodes.len(), 4 - is_small);
            assert_eq!(arena.edges.len(), 7 - is_small);
            assert!(arena.edges_to.iter().all(|edge| *edge == NO_EDGE));
        }
    }

    #[test]
    fn a_tree_whose_compaction_is_interrupted_is_empty() {
        for compact in [Arena::drop_unreachable, Arena::make_room] {
            let mut arena = tree();
            assert!(!compact(&mut arena, &|| true));
            assert!(arena.is_empty());
            let root = arena.add([edge(1.0)].into_iter());
            assert_eq!(root, arena.root());
            assert!(compact(&mut arena, &|| false));
            assert_eq!(values(&arena, root), [1.0]);
        }
    }

    #[test]
    fn proofs_are_forgotten_as_often_as_need_be() {
        let mut arena = Arena::new(0, 1);
        for round in 0..600 {
            if arena.is_empty() {
                arena.clear();
                arena.add([edge(0.0)].into_iter());
            }
            assert_eq!(arena.mate(0), 0, "{round}");
            arena.set_mate(0, 7);
            assert_eq!(arena.mate(0), 7, "{round}");
            arena.forget_mates();
        }
    }

    #[test]
    fn what_has_the_most_visits_stays_when_room_is_made() {
        let mut arena = Arena::new(0, 1);
        for rounds in 1..40 {
            arena.clear();
            let root = arena.add([edge(0.0), edge(0.0)].into_iter());
            let often = child(&mut arena, root, 0, &[1000.0, 0.0]);
            let mut last = child(&mut arena, root, 1, &[900.0, 0.0]);
            arena.node_mut(root).visits = 2000;
            let mut visits = 800.0;
            while arena.has_room(2) {
                last = child(&mut arena, last, 1, &[visits, 0.0]);
                visits = f32::max(visits - rounds as f32, 1.0);
            }
            assert!(arena.make_room(&|| false));
            assert!(2 * arena.nodes.len() <= MIN_NODES, "{rounds}");
            assert!(arena.nodes.len() > 2, "{rounds}: {}", arena.nodes.len());
            assert_eq!(arena.edges(root)[0].child, often);
            assert!(arena.has_room(72));
        }
    }

    #[test]
    fn there_is_room_for_as_much_as_was_said() {
        let mut arena = Arena::new(1, 1);
        arena.clear();
        let mut nodes = 0;
        while arena.has_room(9) {
            arena.add((0..9).map(|_| edge(0.0)));
            nodes += 1;
        }
        let size = nodes * (size_of::<Node>() + size_of::<Shares>() + 4 + 9 * size_of::<Edge>());
        assert!((900 << 10..=1 << 20).contains(&size), "{size}");
        assert!(arena.fill_permille() > 990);
    }

    fn tree_request(position: Position) -> Request {
        Request { preset: Preset::Tree, ..Request::new(position.into(), MAX_DEPTH) }
    }

    /// The start, and a memory with a search of it.
    fn searched(mebibytes: usize, nodes: u64) -> (Position, Memory) {
        let start = Position::start(&HASE_UND_IGEL, 2).unwrap();
        let mut memory = Memory::new(mebibytes);
        let request = Request { nodes, ..tree_request(start) };
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
                    let request = Request { past, ..tree_request(next) };
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
