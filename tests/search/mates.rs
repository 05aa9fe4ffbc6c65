//! Places that are certain with all cards, in positions made by hand.

use buxtehude::eval::CERTAIN;
use buxtehude::rules::Game;

use super::lines::parse;
use super::{request, run, tree_request};

/// Text of a position, depth, mate, and best moves. With two seats the depth is that of alpha-beta.
const MATES: &[(&str, u32, i32, &[&str])] = &[
    // One square from the finish with few carrots.
    ("63,5,0/10,68,3 1 - -", 1, 1, &["1"]),
    ("63,5,0/10,68,3 1 - -", 4, 1, &["1"]),
    ("10,68,3/63,5,0 2 - -", 3, 1, &["1"]),
    // The mover misses its turn, and the rival finishes.
    ("57,10,1!/63,5,0 1 - -", 2, -1, &["0"]),
    ("57,10,1!/63,5,0 1 - -", 4, -1, &["0"]),
    // Beyond the depth.
    ("57,10,1!/63,5,0 1 - -", 1, 0, &["0"]),
    // By way of hare square 63: half, free, show, give and shuffle all leave one to ten carrots, enough to finish.
    ("60,9,0/42,10,1! 1 - BBDDRR", 4, 2, &["3"]),
    ("60,9,0/42,10,1! 1 - BBDDRR", 5, 2, &["3"]),
    ("60,9,0/42,10,1! 1 - BBDDRR", 2, 0, &["3"]),
    // With 65 carrots, which one of the cards left restores, no hare may finish. The best move then depends on the
    // evaluation.
    ("60,9,0/42,10,1! 1 - BBDDR", 3, 0, &["1", "3", "-4"]),
    // Three seats: the best open place, the last place, and one between them.
    ("63,5,0/10,68,3/20,68,3 1 - -", 2, 1, &["1"]),
    ("64,0,0/63,5,0/10,68,3 2 1 -", 2, 1, &["1"]),
    // The rival need not play its best move: it could stay in the race.
    ("64,0,0/57,10,1!/63,5,0 2 1 -", 6, 0, &["0"]),
    ("62,0,1!/63,5,0/42,10,1! 1 - -", 4, 0, &["0"]),
];

/// Depth at which the tree search finds all mates.
const TREE_DEPTH: u32 = 10;

#[test]
fn certain_places_are_found() {
    for &(text, depth, mate, best) in MATES {
        let position = parse(text);
        let mut requests = vec![request(&position, depth)];
        match position.seats() {
            // The tree search may see a mate beyond the depth of alpha-beta.
            2 if mate == 0 => {}
            2 => requests.push(tree_request(&position, TREE_DEPTH)),
            _ => requests.push(tree_request(&position, depth)),
        }
        for request in requests {
            let (reports, answer) = run(&request, 1);
            let context = || format!("{text} at {depth}: {reports:?}\n{position:?}");
            assert_eq!(answer.value.mate, mate, "{}", context());
            assert!(best.contains(&answer.best.as_str()), "{}", context());
        }
    }
}

#[test]
fn a_certain_place_is_worth_all_its_points() {
    let leads = |text: &str, depth| run(&request(&parse(text), depth), 1).1.value.leads;
    assert_eq!(leads("63,5,0/10,68,3 1 - -", 3)[..2], [CERTAIN, -CERTAIN]);
    assert_eq!(leads("57,10,1!/63,5,0 1 - -", 3)[..2], [-CERTAIN, CERTAIN]);
    assert_eq!(leads("63,5,0/10,68,3/20,68,3 1 - -", 2)[0], 2 * CERTAIN);
    // Second of three: one rival ahead, one behind.
    let second = parse("62,0,1!/63,5,0/42,10,1! 1 - -");
    let second = run(&tree_request(&second, 12), 1).1.value.leads;
    let exact = [0, 2 * CERTAIN, -2 * CERTAIN, 0, 0, 0];
    for (found, exact) in second.into_iter().zip(exact) {
        assert!((found - exact).abs() < CERTAIN / 200, "{second:?}");
    }
}

/// A hare on the last hedgehog square blocks the way back for the other, which must finish.
#[test]
fn the_last_place_is_certain_if_the_rivals_have_no_choice() {
    let position = parse("63,1,0/64,0,0/59,6,0 3 2 BRFFGG");
    let mut request = tree_request(&position, 10);
    request.searchmoves = vec!["-3".into()];
    let (_, answer) = run(&request, 1);
    assert_eq!(answer.value.mate, -1, "{answer:?}\n{position:?}");
}
