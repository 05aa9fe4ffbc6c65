//! Several matches on one server at the same time, and accidental removals there.

use fleet::names::{COORDINATOR, MATCHES, Names, OPEN, PLANS};

use crate::common::fleet::{Process, program};
use crate::common::{Fleet, lines_of, played_on_one_machine, with_jetstream};

/// Arguments of the match with this seed.
fn words(seed: &'static str) -> [&'static str; 8] {
    [
        "--games",
        "12",
        "--nodes",
        "20000",
        "--seed",
        seed,
        "--random-plies",
        "4",
    ]
}

/// Matches on one server, each with its store, arguments and coordinator.
struct Matches {
    all: Vec<(std::path::PathBuf, [&'static str; 8], Process)>,
}

impl Matches {
    fn begin(fleet: &mut Fleet, seeds: &[&'static str]) -> Matches {
        let begin = |&seed: &&'static str| {
            let store = fleet.folder.path().join(format!("match-{seed}.db"));
            let words = words(seed);
            let process = fleet.begin_by(&mut program(), &store, &words);
            (store, words, process)
        };
        Matches {
            all: seeds.iter().map(begin).collect(),
        }
    }

    fn names(&self, fleet: &Fleet, index: usize) -> Names {
        Names::of(&fleet.await_id_in(&self.all[index].0)).unwrap()
    }

    fn assert_whole(&mut self) {
        for (store, words, coordinator) in &mut self.all {
            assert_eq!(coordinator.end(), 0, "{}", coordinator.output());
            let (found, expected) = (lines_of(store), played_on_one_machine(words));
            assert_eq!(found, expected, "{}", coordinator.output());
        }
    }
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn several_matches_have_common_workers() {
    let mut fleet = Fleet::new();
    let mut matches = Matches::begin(&mut fleet, &["21", "22", "23"]);
    let _workers = [
        fleet.worker_by(&mut program(), "one", &["--concurrency", "2"]),
        fleet.worker("two"),
    ];
    matches.assert_whole();
    let mut status = fleet.start(&["status"]);
    assert_eq!(status.end(), 0, "{}", status.output());
    assert!(
        status.output().contains("no match is open"),
        "{}",
        status.output()
    );
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn what_is_removed_by_hand_is_made_anew() {
    let mut fleet = Fleet::new();
    let mut matches = Matches::begin(&mut fleet, &["31", "32", "33"]);
    let names: Vec<Names> = (0..3).map(|index| matches.names(&fleet, index)).collect();
    let worker = fleet.worker("one");
    for (store, _, _) in &matches.all {
        fleet.await_work_in(store);
    }
    with_jetstream(&fleet.server.url(), async |context| {
        let state = context.get_key_value(MATCHES).await.unwrap();
        // The first match loses its units, the second its consumer of results, and the third is hidden from new
        // workers.
        context.delete_stream(names[0].work_stream()).await.unwrap();
        let results = context.get_stream(names[1].result_stream()).await.unwrap();
        results.delete_consumer(COORDINATOR).await.unwrap();
        state.purge(names[2].state()).await.unwrap();
        state.purge(OPEN).await.unwrap();
        context.delete_stream(format!("OBJ_{PLANS}")).await.unwrap();
    });
    for (_, _, coordinator) in &matches.all[..2] {
        coordinator.await_words("the server has lost the match");
    }
    matches.all[2]
        .2
        .await_words("the server has lost the state of the match");
    // A new worker finds all of them.
    drop(worker);
    let _other = fleet.worker("other");
    matches.assert_whole();
}
