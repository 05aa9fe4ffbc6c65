//! Matches on several machines: the machines in the store and in the report.

use std::path::Path;

use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};
use matches::record::{GameRecord, Machine};

use crate::common::{program, stored};
use program::{content, directory, scattered};
use stored::{export, numbers};

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
    let copied = source.for_each_game(Extent::Whole, None, |game| {
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

#[test]
fn a_report_on_several_machines_has_a_section_on_them() {
    let (plain, many) = stores("machines_reported");
    let text = content(&["report", &many, "--format", "text"]);
    let line = text.lines().find(|line| line.trim_start().starts_with("two<b>"));
    let cells: Vec<&str> = line.unwrap().split_whitespace().collect();
    let expected =
        ["two<b>", "4", "50.0", "%", "4.00", "0.07", "0.90", "0", "0", "0", "400", "1.250"];
    assert_eq!(cells, expected, "{text}");
    assert!(text.contains("elsewhere"), "{text}");
    let page = content(&["report", &many, "--format", "html"]);
    for part in ["<section id=\"machines\">", "two&lt;b&gt;", "Share by machine"] {
        assert!(page.contains(part), "{part}");
    }
    for format in ["text", "html"] {
        let page = content(&["report", &plain, "--format", format]);
        assert!(!page.contains("elsewhere") && !page.contains("id=\"machines\""));
    }
}

#[test]
fn the_games_of_a_machine_that_is_set_aside_are_kept_apart() {
    let (_, many) = stores("machines_set_aside");
    let before = export(&many, &[]);
    let mut store = Store::resume(Path::new(&many)).unwrap();
    store.set_aside("one", "its engines crash").unwrap();
    store.set_aside("one", "another reason").unwrap();
    assert_eq!(store.keep_out("one").unwrap(), [1, 2, 5, 6]);
    assert!(store.keep_out("one").unwrap().is_empty());
    drop(store);
    assert_eq!(numbers(&many), [3, 4, 7, 8].into());
    let store = Store::open(Path::new(&many)).unwrap();
    let mut kept_out = String::new();
    let read = store.for_each_kept_out(|kept| {
        kept_out += &format!("{}\n", serde_json::to_string(&kept).unwrap());
        Ok::<(), ArchiveError>(())
    });
    read.unwrap();
    let lines = before.lines().filter(|line| line.contains(r#""worker":"one""#));
    assert_eq!(kept_out.lines().collect::<Vec<_>>(), lines.collect::<Vec<_>>());
    let text = content(&["report", &many, "--format", "text"]);
    let expected = "machine one is set aside: its engines crash; 4 of its games are not counted";
    assert!(text.contains(expected), "{text}");
    assert!(content(&["report", &many, "--format", "html"]).contains(expected));
    // The numbers of these games are free again, and new games with them count.
    drop(store);
    content(&["resume", &many]);
    assert_eq!(numbers(&many), (1..=8).collect());
}
