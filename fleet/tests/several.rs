//! Several matches on one server at the same time, several workers of one name, and accidental removals on the server.

use preconditions::needs;
use std::path::PathBuf;
use std::process::Command;

use fleet::queue::{COORDINATOR, MATCHES, OPEN, PLANS};

use futures_util::TryStreamExt;

use crate::attacks::word_after;
use crate::common::fleet::engines;
use crate::common::{
    FLEET, Fleet, Process, lines_of, played_on_one_machine, program, with_jetstream,
};

/// A match with its store and arguments.
struct Match {
    store: PathBuf,
    words: String,
    coordinator: Process,
}

fn begin_three(fleet: &mut Fleet) -> [Match; 3] {
    [21, 22, 23].map(|seed| {
        let store = fleet.path(&format!("match-{seed}.db"));
        let words = format!("--games 6 --nodes 10000 --seed {seed} --random-plies 4");
        let coordinator = fleet.begin_in(&store, &format!("{} {words}", engines()));
        Match { store, words, coordinator }
    })
}

fn assert_whole(matches: &mut [Match]) {
    for played in matches {
        let output = played.coordinator.ends(0, &[]);
        let expected = played_on_one_machine(&played.words);
        assert_eq!(lines_of(&played.store), expected, "{output}");
    }
}

#[needs(nats_server)]
#[test]
fn several_matches_have_common_workers() {
    let mut fleet = Fleet::new();
    let mut matches = begin_three(&mut fleet);
    let _workers =
        [fleet.worker_by(&mut program(), "--name one --concurrency 2"), fleet.worker("two")];
    assert_whole(&mut matches);
    fleet.start("status").ends(0, &["no match is open"]);
}

#[needs(nats_server)]
#[test]
fn what_is_removed_by_hand_is_created_again() {
    let mut fleet = Fleet::new();
    let mut matches = begin_three(&mut fleet);
    let names = matches.each_ref().map(|begun| fleet.await_work(&begun.store));
    let worker = fleet.worker("one");
    with_jetstream(&fleet.server.url(), async |context| {
        let state = context.get_key_value(MATCHES).await.unwrap();
        // The first match loses its units, the second its consumer of results, and the third is hidden from new
        // workers.
        context.delete_stream(names[0].work_stream()).await.unwrap();
        let results = context.get_stream(names[1].result_stream()).await.unwrap();
        results.delete_consumer(COORDINATOR).await.unwrap();
        state.delete(names[2].state()).await.unwrap();
        let keys: Vec<String> = state.keys().await.unwrap().try_collect().await.unwrap();
        for list in keys.iter().filter(|key| key.starts_with(OPEN)) {
            state.delete(list).await.unwrap();
        }
        context.delete_stream(format!("OBJ_{PLANS}")).await.unwrap();
    });
    for (lost, words) in matches.iter().zip([
        "the server has lost the match",
        "the server has lost the match",
        "the server has lost the state of the match",
    ]) {
        lost.coordinator.await_words(words);
    }
    // A new worker finds all of them.
    drop(worker);
    let _other = fleet.worker("other");
    assert_whole(&mut matches);
}

#[needs(nats_server)]
#[test]
fn workers_of_one_name_have_keys_of_their_own_and_keep_them() {
    let mut fleet = Fleet::new();
    let begin = |fleet: &mut Fleet| {
        let worker = fleet.worker("same");
        let key = word_after(&worker, "positions/s in each slot, key ");
        (worker, key)
    };
    let (mut one, key) = begin(&mut fleet);
    let (_two, other_key) = begin(&mut fleet);
    assert_ne!(key, other_key);
    one.kill();
    let (_three, again) = begin(&mut fleet);
    assert_eq!(key, again);
    // No folder can be created there.
    let mut without = Command::new("env");
    without.args(["XDG_CONFIG_HOME=/proc/none", FLEET]);
    let without = fleet.worker_by(&mut without, "--name same");
    without.await_words("worker-same.nk: No such file or directory");
    without.await_words("the key is new, and is not kept");
    without.await_words("worker same is ready");
}
