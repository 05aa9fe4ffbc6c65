//! A sequential test on many machines decides as on one, and stops all of them.

use std::time::Duration;

use fleet::message::Beat;
use fleet::queue::bucket::Bucket;
use matches::score::Verdict;

use crate::common::one_machine::{counted, decided_on_one_machine};
use crate::common::{FLEET, Fleet, with_jetstream};

const WORDS: &[&str] = &[
    "--games",
    "1000",
    "--seed",
    "5",
    "--random-plies",
    "4",
    "--sprt",
    "elo0=0",
    "elo1=200",
];

/// The engine `a` searches longer.
fn engines() -> [String; 2] {
    [("a", 400), ("b", 1)]
        .map(|(name, nodes)| format!("cmd={FLEET} args=engine name={name} nodes={nodes}"))
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_test_decides_as_on_one_machine_and_then_all_stop() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin_with(&engines(), WORDS);
    let workers = [fleet.worker("one"), fleet.worker("two")];
    let code = coordinator.end();
    let (found, expected) = (
        counted(&fleet.store()),
        decided_on_one_machine(&engines(), WORDS),
    );
    let decided = match expected.verdict() {
        Verdict::H1 => 10,
        Verdict::H0 => 11,
        Verdict::Open => 0,
    };
    assert_ne!(decided, 0, "{}", expected.text());
    assert_eq!(code, decided, "{}", coordinator.output());
    assert_eq!(found.verdict(), expected.verdict());
    assert_eq!(found.standings().games(), expected.standings().games());
    assert_eq!(found.llr(), expected.llr());
    // Few games are played after the deciding block; they are stored, too.
    let beyond = found.played() - found.standings().games();
    assert!(beyond <= 40, "{beyond}: {}", coordinator.output());
    let playing = || {
        with_jetstream(&fleet.server.url(), async |context| {
            let beats = Bucket::beats(&context).await;
            let beats: Vec<Beat> = beats.unwrap().all().await.unwrap();
            (
                beats.len(),
                beats.iter().map(|beat| beat.playing).sum::<u64>(),
            )
        })
    };
    fleet.await_that("workers that play nothing", || {
        std::thread::sleep(Duration::from_millis(500));
        playing() == (workers.len(), 0)
    });
}
