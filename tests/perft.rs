//! Perft counts against a table from an independent program, in bulk and played to the last ply.

use buxtehude::rules::Game;
use buxtehude::rules::{Rules, Variant, hase, perft, perft_by_playing};

const TABLE: &str = include_str!("data/perft.txt");

/// Beyond this many leaves, a count is made in bulk alone.
const MOST_PLAYED_LEAVES: u64 = 1_000_000;

#[test]
fn counts_agree_with_the_table() {
    let mut rows = 0;
    for row in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = row.split(" | ").collect();
        let [variant, text, depth, leaves] = fields[..] else {
            panic!("bad row {row:?}")
        };
        let Rules::Hase(ruleset) = Variant::by_name(variant).unwrap().rules;
        let position = hase::Position::parse(ruleset, text).unwrap();
        let (depth, leaves) = (depth.parse().unwrap(), leaves.parse().unwrap());
        assert_eq!(
            perft(&position, depth, &mut || false),
            Some(leaves),
            "{row}"
        );
        if leaves <= MOST_PLAYED_LEAVES {
            let played = perft_by_playing(&position, depth, &mut || false);
            assert_eq!(played, Some(leaves), "played: {row}");
        }
        rows += 1;
    }
    assert!(rows >= 100, "the table has only {rows} rows");
}

#[test]
fn a_count_stops_when_it_is_told_to() {
    let start = hase::Position::start(&hase::HASE_UND_IGEL, 2).unwrap();
    let mut asked = 0;
    let stopped = perft(&start, 30, &mut || {
        asked += 1;
        asked > 100
    });
    assert_eq!(stopped, None);
}
