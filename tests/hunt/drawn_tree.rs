//! The tree drawn in the article, as far as the article describes it: V3 has the value 6, so after V5 with 5, the rest
//! of V4 is pruned; and a second cut of the same kind.

use std::cell::RefCell;

use buxtehude::articles::Extent;
use buxtehude::articles::minimax::{MinimaxModel, search};
use buxtehude::search::Control;

/// Vertices below each vertex. V1 belongs to the wolves, who maximize.
const BELOW: &[(&str, &[&str])] = &[
    ("V1", &["V3", "V4", "V7"]),
    ("V3", &["V31", "V32"]),
    ("V4", &["V5", "V6"]),
    ("V7", &["V8", "V9", "V10"]),
];

const LEAVES: &[(&str, i32)] =
    &[("V31", 8), ("V32", 6), ("V5", 5), ("V6", 9), ("V8", 7), ("V9", 2), ("V10", 1)];

#[derive(Default)]
struct DrawnTree {
    seen: RefCell<Vec<&'static str>>,
}

impl MinimaxModel for DrawnTree {
    type Position = &'static str;
    type Move = &'static str;

    fn moves(&self, vertex: &&'static str) -> impl Iterator<Item = &'static str> {
        let below = BELOW.iter().find(|(name, _)| name == vertex);
        below.map_or(&[][..], |(_, below)| below).iter().copied()
    }

    fn play(&self, _: &&'static str, below: &'static str) -> &'static str {
        self.seen.borrow_mut().push(below);
        below
    }

    fn wants_large(&self, vertex: &&'static str) -> bool {
        *vertex == "V1"
    }

    fn value(&self, vertex: &&'static str) -> i32 {
        let leaf = LEAVES.iter().find(|(name, _)| name == vertex);
        leaf.map_or(0, |(_, value)| *value)
    }
}

#[test]
fn irrelevant_vertices_are_pruned() {
    let tree = DrawnTree::default();
    let extent = Extent { moves: vec!["V3", "V4", "V7"], depth: 2, nodes: u64::MAX, multipv: 1 };
    let mut seen = Vec::new();
    let line = search(&tree, &"V1", &extent, &Control::new(None), &mut |_| {
        seen = tree.seen.take();
    })
    .expect("V1 has moves");
    assert_eq!((line.value, line.pv), (6, vec!["V3", "V32"]));
    assert_eq!(seen, ["V3", "V31", "V32", "V4", "V5", "V7", "V8", "V9"]);
}
