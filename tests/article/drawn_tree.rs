//! The tree drawn in the article: 18 vertices, two moves of seat 1 with one of seat 2 between them.

use std::cell::RefCell;

use buxtehude::articles::strategy::{Prune, Strategy, VectorSettings};
use buxtehude::articles::vectors::{Model, search};
use buxtehude::articles::{Extent, Line};
use buxtehude::eval::Vector;
use buxtehude::rules::{Seat, Turn};
use buxtehude::search::Control;

/// Vertices below each vertex, from 1; those beyond 8 are leaves.
const BELOW: [&[u8]; 8] =
    [&[2, 3], &[4, 5, 6], &[7, 8], &[9, 10], &[11], &[12, 13], &[14, 15, 16], &[17, 18]];

/// Vectors of the leaves 9 to 18, chosen so that 2 has [3, 2] and 7 has [2, 4], as the article says.
const LEAVES: [[i32; 2]; 10] =
    [[4, 1], [1, 3], [3, 2], [5, 0], [2, 1], [1, 4], [2, 4], [0, 3], [9, 1], [1, 1]];

/// The tree, with the vertices visited.
#[derive(Default)]
struct DrawnTree {
    seen: RefCell<Vec<u8>>,
}

impl Model for DrawnTree {
    type Position = u8;
    type Move = u8;

    fn seats(&self, _: &u8) -> usize {
        2
    }

    fn turn(&self, vertex: &u8) -> Turn {
        Turn::Seat(Seat(u8::from(matches!(vertex, 2 | 3))))
    }

    fn moves(&self, vertex: &u8) -> impl Iterator<Item = u8> {
        BELOW[usize::from(*vertex) - 1].iter().copied()
    }

    fn play(&self, _: &u8, below: u8) -> u8 {
        self.seen.borrow_mut().push(below);
        below
    }

    fn outcomes(&self, _: &u8) -> impl Iterator<Item = (u8, u32)> {
        std::iter::empty()
    }

    fn is_decided(&self, _: &u8, _: Seat) -> bool {
        false
    }

    fn worth<const N: usize>(&self, vertex: &u8) -> [i32; N] {
        let leaf = usize::from(*vertex).checked_sub(9).map_or([0, 0], |leaf| LEAVES[leaf]);
        std::array::from_fn(|seat| leaf[seat])
    }
}

/// Returns the line found and the vertices visited.
fn search_with(strategy: Strategy, prune: Prune) -> (Line<u8, Vector>, Vec<u8>) {
    let tree = DrawnTree::default();
    let settings = VectorSettings { strategy, prune, sort: false, ..VectorSettings::best() };
    let extent = Extent { moves: vec![2, 3], depth: 3, nodes: u64::MAX, multipv: 1 };
    let mut seen = Vec::new();
    let line = search(&tree, &1, &settings, &extent, &Control::new(None), &mut |line| {
        // Only the last depth counts.
        seen = tree.seen.take();
        assert!(line.depth <= 3);
    });
    (line.expect("seat 1 is to move"), seen)
}

#[test]
fn the_root_has_the_vector_of_the_article() {
    for strategy in [Strategy::ABSOLUTE, Strategy::RELATIVE, Strategy::HYBRID] {
        for prune in [Prune::Off, Prune::Exact, Prune::Article] {
            let (line, _) = search_with(strategy, prune);
            assert_eq!(line.value[..2], [3, 2], "{strategy:?}, {prune:?}");
            assert_eq!(line.pv, [2, 5, 11], "{strategy:?}, {prune:?}");
        }
    }
}

#[test]
fn vertex_8_is_not_looked_into_when_pruning() {
    let looks_below_8 = |strategy, prune| {
        let (_, seen) = search_with(strategy, prune);
        seen.contains(&17) || seen.contains(&18)
    };
    assert!(looks_below_8(Strategy::ABSOLUTE, Prune::Off));
    assert!(looks_below_8(Strategy::RELATIVE, Prune::Off));
    assert!(!looks_below_8(Strategy::ABSOLUTE, Prune::Article));
    assert!(!looks_below_8(Strategy::RELATIVE, Prune::Article));
    assert!(!looks_below_8(Strategy::RELATIVE, Prune::Exact));
    // Under `absolute`, seat 2 may choose a vector below 8 that is good for both, so exact pruning makes no cut.
    assert!(looks_below_8(Strategy::ABSOLUTE, Prune::Exact));
}
