//! Perft counts compared with a table from an independent program, in bulk and played to the last ply.

use buxtehude::rules::Game;
use buxtehude::rules::{Variant, hase, perft, perft_by_playing};
use buxtehude::with_position;

const TABLE: &str = include_str!("data/perft.txt");

/// Number of leaves above which only the bulk count runs.
const MAX_PLAYED_LEAVES: u64 = 1_000_000;

#[test]
fn counts_agree_with_the_table() {
    let mut rows = 0;
    for row in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = row.split(" | ").collect();
        let [variant, text, depth, leaves] = fields[..] else { panic!("bad row {row:?}") };
        let (depth, leaves) = (depth.parse().unwrap(), leaves.parse().unwrap());
        let position = Variant::by_name(variant).unwrap().parse(text).unwrap();
        with_position!(position, position => check(&position, depth, leaves));
        rows += 1;
    }
    assert!(rows >= 100, "the table has only {rows} rows");
}

fn check<G: Game>(position: &G, depth: u32, leaves: u64) {
    let counted = perft(position, depth, &mut || false);
    assert_eq!(counted, Some(leaves), "depth {depth}\n{position:?}");
    if leaves <= MAX_PLAYED_LEAVES {
        let played = perft_by_playing(position, depth, &mut || false);
        assert_eq!(played, Some(leaves), "played, depth {depth}\n{position:?}");
    }
}

#[test]
fn a_perft_count_can_be_stopped() {
    let start = hase::Position::start(&hase::HASE_UND_IGEL, 2).unwrap();
    let mut asked = 0;
    let stopped = perft(&start, 30, &mut || {
        asked += 1;
        asked > 100
    });
    assert_eq!(stopped, None);
}
