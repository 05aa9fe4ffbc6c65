//! The games of a match on many machines are the same as on one, byte by byte.

use crate::common::{Fleet, lines_of, played_on_one_machine};

fn assert_same(words: &[&str]) {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(words);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    assert_eq!(coordinator.end(), 0, "{}", coordinator.output());
    let expected = played_on_one_machine(words);
    let found = lines_of(&fleet.store());
    assert_eq!(found.len(), expected.len());
    assert_eq!(found, expected);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn two_workers_play_the_games_of_one_machine() {
    assert_same(&[
        "--games",
        "16",
        "--nodes",
        "300",
        "--seed",
        "7",
        "--random-plies",
        "4",
    ]);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn so_do_they_with_three_seats() {
    assert_same(&[
        "--players",
        "3",
        "--games",
        "18",
        "--depth",
        "2",
        "--seed",
        "8",
        "--random-plies",
        "5",
    ]);
}
