//! Memory of a tree search: nodes and their edges in two lists of fixed capacity.
//!
//! A node comes after its parent in the list, and its edges after its parent's edges. So the part of the tree that is
//! still useful can be moved to the front in one pass. That takes seconds if the memory is large, so it is postponed
//! until there is no room, and can be interrupted.

use crate::rules::{MAX_MOVES, MAX_OUTCOMES};
use crate::search::goal::{Shares, Sums};

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
    at_sight: Vec<Shares>,
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
const POLL_INTERVAL: usize = 1 << 14;

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
        self.at_sight.clear();
        self.edges.clear();
        self.edges_to.clear();
        self.root = 0;
        self.proofs = 0;
        self.nodes.reserve_exact(self.most_nodes);
        self.at_sight.reserve_exact(self.most_nodes);
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
        self.at_sight.push(Shares::default());
        self.edges_to.push(NO_EDGE);
        index
    }

    #[inline]
    pub fn at_sight(&self, index: NodeIndex) -> &Shares {
        &self.at_sight[index as usize]
    }

    #[inline]
    pub fn at_sight_mut(&mut self, index: NodeIndex) -> &mut Shares {
        &mut self.at_sight[index as usize]
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
        for nodes in self.nodes.chunks(POLL_INTERVAL) {
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
            if (index - root).is_multiple_of(POLL_INTERVAL) && should_stop() {
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
            self.at_sight[nodes] = self.at_sight[index];
            nodes += 1;
        }
        self.nodes.truncate(nodes);
        self.at_sight.truncate(nodes);
        self.edges_to.truncate(nodes);
        self.edges.truncate(edges);
        self.root = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
