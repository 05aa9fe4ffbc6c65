//! Matches on several machines: the machines in the store.

use std::path::Path;

use matches::archive::store::{Extent, Store};
use matches::record::{GameRecord, Machine};

use crate::common::{program, stored};
use program::{content, directory, scattered};
use stored::export;

/// A match of 8 games between two small engines, and a copy of it as if two machines had played it.
fn stores(test: &str) -> (String, String) {
    let directory = directory(test);
    let named = |name: &str| directory.join(name).to_str().unwrap().to_string();
    let (plain, many) = (named("plain.db"), named("many.db"));
    let engines = [("alpha", 1), ("beta", 2)].map(|(name, seed)| scattered(&directory, name, seed));
    let mut words = vec!["match", "--nodes", "1", "--games", "8", "--max-plies", "30"];
    words.extend(["--seed", "5", "--random-plies", "3", "--store", &plain]);
    engines.iter().for_each(|engine| words.extend(["--engine", engine]));
    content(&words);
    let source = Store::open(Path::new(&plain)).unwrap();
    let mut copy = Store::create(Path::new(&many), &source.plan().unwrap()).unwrap();
    let copied = source.for_each_game(Extent::Whole, |game| {
        let record = game.record;
        let worker = if record.block % 2 == 1 { "one" } else { "two<b>" };
        let machine = Machine {
            worker: worker.to_string(),
            slots: 2,
            micros: 500_000,
            lag_median: 70,
            lag_p99: 900,
            speed: Some(400_000),
            time_scale: Some(1250),
        };
        copy.add(&[&GameRecord { machine: Some(machine), ..record }])
    });
    copied.unwrap();
    (plain, many)
}

#[test]
fn machines_are_in_the_store_and_in_records_but_in_nothing_without_the_clock() {
    let (plain, many) = stores("machines_stored");
    let without = |store: &str| export(store, &["--without-clock"]);
    assert_eq!(without(&many), without(&plain));
    let with = export(&many, &[]);
    let expected = concat!(
        r#""machine":{"worker":"one","slots":2,"micros":500000,"lag_median":70,"#,
        r#""lag_p99":900,"speed":400000,"time_scale":1250}}"#
    );
    assert_eq!(with.matches(expected).count(), 4, "{with}");
    assert!(!export(&plain, &[]).contains("machine"));
    // A record gives the same report.
    let record = format!("{many}.jsonl");
    std::fs::write(&record, &with).unwrap();
    assert_eq!(export(&record, &[]), with);
    let report = |file: &str| content(&["report", file, "--format", "text"]);
    assert_eq!(report(&record), report(&many));
    let replayed = content(&["replay", &many]);
    assert!(replayed.ends_with(": 8 games, all in order\n"), "{replayed}");
}
