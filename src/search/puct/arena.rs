//! Memory of a tree search: nodes and their edges in two lists of fixed capacity.
//!
//! A node comes after its parent in the list, and its edges after its parent's edges. So the part of the tree that is
//! still useful can be moved to the front in one pass.

use crate::search::goal::Shares;

/// Index into the list of nodes.
pub type NodeIndex = u32;

/// Node of the searched position.
pub const ROOT: NodeIndex = 0;

/// A visited position.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node {
    /// Index of its first edge.
    first: u32,
    /// Number of walks through this node.
    pub visits: u32,
    /// Sum of the walks' values for each seat; a value is the share of rivals that the seat finishes before.
    pub sums: Shares,
    /// Own moves of the root's mover until its place is certain, as in [`Value::mate`](super::Value::mate).
    pub mate: i16,
    /// Number of edges.
    len: u8,
}

/// A move or a card.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Node that it leads to, or [`ROOT`] before the first visit, since no edge leads to the root.
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
    /// Scratch space with an entry per node, such as its new index if it is kept.
    moved: Vec<NodeIndex>,
    most_nodes: usize,
    most_edges: usize,
}

/// Smallest capacity in nodes, however little memory there is.
const LEAST_NODES: usize = 1024;

/// Capacity in edges per node.
const EDGES_A_NODE: usize = 10;

impl Arena {
    /// Creates one of `trees` trees that together take about `mebibytes` MiB.
    pub fn new(mebibytes: usize, trees: usize) -> Arena {
        let node = size_of::<Node>() + size_of::<Shares>() + size_of::<NodeIndex>();
        let size = node + EDGES_A_NODE * size_of::<Edge>();
        let most_nodes = ((mebibytes << 20) / trees / size).max(LEAST_NODES);
        Arena { most_nodes, most_edges: most_nodes * EDGES_A_NODE, ..Arena::default() }
    }

    /// Clears the tree, and allocates its memory on first use.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.at_sight.clear();
        self.edges.clear();
        self.nodes.reserve_exact(self.most_nodes);
        self.at_sight.reserve_exact(self.most_nodes);
        self.edges.reserve_exact(self.most_edges);
        self.moved.reserve_exact(self.most_nodes);
    }

    /// `true` if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of edges to the deepest node.
    pub fn height(&mut self) -> usize {
        let depths = &mut self.moved;
        depths.clear();
        depths.resize(self.nodes.len(), 0);
        let mut height = 0;
        for (index, node) in self.nodes.iter().enumerate() {
            let depth = depths[index] + 1;
            for edge in &self.edges[node.first as usize..][..usize::from(node.len)] {
                if edge.child != ROOT {
                    depths[edge.child as usize] = depth;
                    height = height.max(depth);
                }
            }
        }
        height as usize
    }

    /// Clears all proofs.
    pub fn forget_mates(&mut self) {
        for node in &mut self.nodes {
            node.mate = 0;
        }
    }

    /// `true` if there is room for a node with this number of edges.
    pub fn has_room(&self, edges: usize) -> bool {
        self.nodes.len() < self.most_nodes && self.edges.len() + edges <= self.most_edges
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
    pub fn visits(&self, edge: &Edge) -> u32 {
        if edge.child == ROOT { 0 } else { self.node(edge.child).visits }
    }

    /// Drops the least visited nodes until at least half of the capacity is free.
    pub fn make_room(&mut self) {
        // Number of nodes and edges, by the number of binary digits of the visits.
        let mut sizes = [(0, 0); u32::BITS as usize + 1];
        for node in &self.nodes {
            let digits = u32::BITS - node.visits.leading_zeros();
            let (nodes, edges) = &mut sizes[digits as usize];
            *nodes += 1;
            *edges += usize::from(node.len);
        }
        let (mut nodes, mut edges) = (0, 0);
        let mut digits = u32::BITS;
        while digits > 0 {
            nodes += sizes[digits as usize].0;
            edges += sizes[digits as usize].1;
            if 2 * nodes > self.most_nodes || 2 * edges > self.most_edges {
                break;
            }
            digits -= 1;
        }
        self.keep(ROOT, 1u32.checked_shl(digits).unwrap_or(u32::MAX));
    }

    /// Keeps the part of the tree below `root`, which becomes the root, except nodes with fewer visits than `least`.
    pub fn keep(&mut self, root: NodeIndex, least: u32) {
        const GONE: NodeIndex = NodeIndex::MAX;
        self.moved.clear();
        self.moved.resize(self.nodes.len(), GONE);
        self.moved[root as usize] = ROOT;
        let mut kept = 0;
        let mut kept_edges = 0;
        for index in root as usize..self.nodes.len() {
            if self.moved[index] == GONE {
                continue;
            }
            let mut node = self.nodes[index];
            for edge in node.first as usize..node.first as usize + usize::from(node.len) {
                let mut moving = self.edges[edge];
                if self.visits(&moving) < least {
                    moving.child = ROOT;
                } else if moving.child != ROOT {
                    // Marks the child as kept; its new index follows when the loop reaches it.
                    self.moved[moving.child as usize] = ROOT;
                }
                self.edges[kept_edges + edge - node.first as usize] = moving;
            }
            node.first = kept_edges as u32;
            kept_edges += usize::from(node.len);
            self.moved[index] = kept;
            self.nodes[kept as usize] = node;
            self.at_sight[kept as usize] = self.at_sight[index];
            kept += 1;
        }
        self.nodes.truncate(kept as usize);
        self.at_sight.truncate(kept as usize);
        self.edges.truncate(kept_edges);
        for edge in &mut self.edges {
            if edge.child != ROOT {
                edge.child = self.moved[edge.child as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(value: f32) -> Edge {
        Edge { child: ROOT, prior: 0.0, value }
    }

    fn child(arena: &mut Arena, parent: NodeIndex, index: usize, values: &[f32]) -> NodeIndex {
        let child = arena.add(values.iter().map(|&value| edge(value)));
        arena.edges_mut(parent)[index].child = child;
        arena.node_mut(child).visits = values[0] as u32;
        child
    }

    #[test]
    fn what_is_below_the_new_root_is_kept_and_the_rest_is_gone() {
        let mut arena = Arena::new(1, 1);
        arena.clear();
        let root = arena.add([edge(1.0), edge(2.0)].into_iter());
        let first = child(&mut arena, root, 0, &[10.0, 11.0]);
        let second = child(&mut arena, root, 1, &[20.0, 21.0, 22.0]);
        child(&mut arena, first, 1, &[12.0]);
        let under_second = child(&mut arena, second, 0, &[30.0, 31.0]);
        child(&mut arena, second, 2, &[3.0]);
        child(&mut arena, under_second, 1, &[40.0]);
        assert_eq!(arena.height(), 3);
        arena.keep(second, 5);
        let values =
            |index| -> Vec<f32> { arena.edges(index).iter().map(|edge| edge.value).collect() };
        assert_eq!(values(ROOT), [20.0, 21.0, 22.0]);
        assert_eq!(arena.edges(ROOT)[2].child, ROOT, "it had few visits");
        let below = arena.edges(ROOT)[0].child;
        assert_eq!(values(below), [30.0, 31.0]);
        assert_eq!(values(arena.edges(below)[1].child), [40.0]);
        assert_eq!(arena.height(), 2);
        assert_eq!(arena.nodes.len(), 3);
        assert_eq!(arena.edges.len(), 6);
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
            arena.make_room();
            assert!(2 * arena.nodes.len() <= LEAST_NODES, "{rounds}");
            assert!(arena.nodes.len() > 2, "{rounds}: {}", arena.nodes.len());
            assert_eq!(arena.edges(ROOT)[0].child, often);
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
