//! What is refused, and with which words.

use crate::common::Fleet;
use crate::common::fleet::await_that;

const WORDS: &[&str] = &["--games", "2", "--nodes", "50", "--seed", "5"];

#[test]
fn a_worker_with_another_engine_plays_nothing_and_says_so() {
    let Some(mut fleet) = Fleet::new() else {
        return;
    };
    let mut coordinator = fleet.begin(WORDS);
    let wrong = fleet.start(&["work", "--name", "wrong", "--engine", "name=a,cmd=/bin/sh"]);
    wrong.await_words("engine a: /bin/sh has SHA-256");
    let store = fleet.store();
    let mut statuses = Vec::new();
    for _ in 0..40 {
        let mut status = fleet.start(&["status", store.to_str().unwrap()]);
        assert_eq!(status.end(), 0, "{}", status.output());
        statuses.push(status.output());
        if statuses
            .iter()
            .any(|status| status.contains("refuses match"))
        {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    let status = statuses.last().unwrap();
    assert!(status.contains("0 of 2 games stored"), "{status}");
    assert!(
        status.contains("wrong") && status.contains("refuses match"),
        "{status}"
    );
    // With the right engines it is played.
    let _worker = fleet.worker("right");
    assert_eq!(coordinator.end(), 0, "{}", coordinator.output());
}

#[test]
fn two_coordinators_cannot_have_one_store() {
    let Some(mut fleet) = Fleet::new() else {
        return;
    };
    let mut first = fleet.begin(WORDS);
    first.await_words("`fleet work` plays it");
    let mut second = fleet.resume();
    assert_eq!(second.end(), 2, "{}", second.output());
    assert!(
        second
            .output()
            .contains("another arbiter is playing this match"),
        "{}",
        second.output()
    );
    let mut third = fleet.begin(WORDS);
    assert_eq!(third.end(), 2);
    assert!(
        third.output().contains("exists already"),
        "{}",
        third.output()
    );
    let _worker = fleet.worker("one");
    assert_eq!(first.end(), 0, "{}", first.output());
    await_that("two games", || {
        crate::common::fleet::stored(&fleet.store()) == 2
    });
}

#[test]
fn what_is_missing_is_named() {
    let Some(mut fleet) = Fleet::new() else {
        return;
    };
    let mut without = fleet.start(&["match", "--games", "2", "--nodes", "1"]);
    assert_eq!(without.end(), 2);
    assert!(
        without.output().contains("--store: expected"),
        "{}",
        without.output()
    );
    fleet.server.kill();
    let mut unreached = fleet.begin(WORDS);
    assert_eq!(unreached.end(), 2);
    assert!(
        unreached.output().contains("--nats nats://127.0.0.1"),
        "{}",
        unreached.output()
    );
    assert!(!fleet.store().exists());
}
