//! A sequential test on many machines decides as on one, and stops all of them.

use matches::score::Verdict;
use preconditions::needs;

use crate::common::fleet::{children, engine};
use crate::common::one_machine::{counted, decided_on_one_machine};
use crate::common::{FLEET, Fleet};

/// The engine `a` searches longer.
fn words() -> String {
    let with_nodes = |(name, nodes): (&str, u32)| {
        engine(FLEET, &["engine"], &format!("name={name} nodes={nodes}"))
    };
    let engines = [("a", 400), ("b", 1)].map(with_nodes).join(" ");
    format!("{engines} --games 1000 --seed 5 --random-plies 4 --sprt elo0=0 elo1=200")
}

#[needs(nats_server)]
#[test]
fn a_test_decides_as_on_one_machine_and_then_all_stop() {
    let mut fleet = Fleet::new();
    let store = fleet.store();
    let mut coordinator = fleet.begin_in(&store, &words());
    let workers = [fleet.worker("one"), fleet.worker("two")];
    let expected = decided_on_one_machine(&words());
    let decided = match expected.verdict() {
        Verdict::H1 => 10,
        Verdict::H0 => 11,
        Verdict::Open => panic!("{}", expected.text()),
    };
    let output = coordinator.ends(decided, &[]);
    let found = counted(&store);
    assert_eq!(found.verdict(), expected.verdict());
    assert_eq!(found.standings().games(), expected.standings().games());
    assert_eq!(found.llr(), expected.llr());
    // Few games are played after the deciding block; they are stored, too.
    let beyond = found.played() - found.standings().games();
    assert!(beyond <= 40, "{beyond}: {output}");
    // Engines quit once their match is over.
    fleet.await_that("workers without engines", || {
        workers.iter().all(|worker| children(worker.pid()).is_empty())
    });
}
