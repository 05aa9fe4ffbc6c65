//! Bench: searches fixed positions to a fixed depth, by the tree search and by alpha-beta. The number of visited
//! positions is a signature of both searches: it changes if and only if the behaviour of one of them changes.

use std::time::Duration;

use crate::rules::Variant;
use crate::search::{Control, Memory, Preset, Request, search};

/// Default depth.
pub const DEFAULT_DEPTH: u32 = 6;

/// Size of the search memory. The number of positions of deep searches depends on it.
pub const MEBIBYTES: usize = 16;

/// Variant and text of the positions: openings, middle games and endings of races of two to six hares, some with a
/// missed turn or drawn cards.
const POSITIONS: &[(&str, &str)] = &[
    ("hase-und-igel", "0,68,3/0,68,3 1 - -"),
    ("hase-und-igel", "10,43,3/13,29,3 2 - H"),
    ("hase-und-igel", "22,31,2!/26,55,2 2 - BD"),
    ("hase-und-igel", "37,80,1/42,12,1! 1 - BRHS"),
    ("hase-und-igel", "45,26,2/29,19,0 1 - BDD"),
    ("hase-und-igel", "54,43,0/30,40,1 1 - -"),
    ("hase-und-igel", "58,30,1/61,9,0 1 - BDRHFSG"),
    ("hase-und-igel", "0,68,3/0,68,3/0,68,3 1 - -"),
    ("hase-und-igel", "21,34,3/17,52,2/22,20,2! 2 - FS"),
    ("hase-und-igel", "64,5,0/61,22,0/40,30,0 2 1 -"),
    ("hase-und-igel", "33,40,1/35,25,2/30,60,1/42,10,1! 3 - BBG"),
    ("hare-and-tortoise", "0,65,3/0,65,3 1 - -"),
    ("hare-and-tortoise", "41,33,1/50,18,0 2 - DDR"),
    ("hare-and-tortoise", "60,16,0/51,1,1! 1 - BBDDRRHHFFSSGG"),
    ("hare-and-tortoise", "12,40,3/5,61,3/18,22,3/10,30,3!/2,66,3 2 - -"),
    ("hare-and-tortoise", "3,59,3/9,20,3/15,40,3/20,25,3/24,70,2/6,44,3 4 - GG"),
];

/// Result of a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchResult {
    /// Positions visited in all searches together.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// Searches all positions to a depth; returns `None` if `control` stops it.
pub fn run(depth: u32, memory: &mut Memory, control: &Control) -> Option<BenchResult> {
    let before = control.elapsed();
    let mut nodes = 0;
    for &(variant, text) in POSITIONS {
        // A test ensures that every position of the list parses.
        let Ok(position) = Variant::by_name(variant).ok()?.parse(text) else {
            continue;
        };
        for preset in [Preset::Tree, Preset::AlphaBeta] {
            let request = Request { preset, ..Request::new(position, depth) };
            memory.forget();
            nodes += search(&request, memory, control, &mut |_| ())?.nodes;
            if control.should_stop() {
                return None;
            }
        }
    }
    Some(BenchResult { nodes, time: control.elapsed() - before })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_can_be_searched() {
        for &(variant, text) in POSITIONS {
            let position = Variant::by_name(variant).unwrap().parse(text).unwrap();
            assert!(!position.legal_actions().is_empty(), "{position:?}");
        }
    }

    /// The signature: a commit that changes it says so in its message.
    #[test]
    fn the_bench_visits_as_many_positions_as_ever() {
        let result = run(3, &mut Memory::new(MEBIBYTES), &Control::new(None)).unwrap();
        assert_eq!(result.nodes, 7_284);
    }
}
