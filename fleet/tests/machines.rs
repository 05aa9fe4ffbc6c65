//! Machines of different speed and fitness: the store keeps which machine played a game; unfit ones are set aside with
//! all their games.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};
use matches::record::{GameRecord, Machine};
use rustix::process::Signal;

use crate::common::fleet::FLEET;
use crate::common::{Fleet, lines_of, played_on_one_machine};

/// An engine that fails at its first search on a machine marked as broken, like one with too little memory.
const ENGINE: &str = r#"#!/bin/sh
[ -z "$BROKEN_MACHINE" ] && exec "$FLEET" engine
while read -r word rest; do
    case $word in
    uci) echo "id name broken"; echo uciok ;;
    isready) echo readyok ;;
    go) exit 1 ;;
    quit) exit 0 ;;
    esac
done
"#;

fn games_of(fleet: &Fleet) -> Vec<GameRecord> {
    let mut games = Vec::new();
    let read = Store::open(&fleet.store())
        .unwrap()
        .for_each_game(Extent::Whole, None, |game| {
            games.push(game.record);
            Ok::<(), ArchiveError>(())
        });
    read.unwrap();
    games
}

fn machine(record: &GameRecord) -> &Machine {
    record.machine.as_ref().unwrap()
}

/// Tables of a store, as from `arbiter report`.
fn report(fleet: &Fleet) -> String {
    let store = Store::open(&fleet.store()).unwrap();
    let past = matches::run::past::Past::of(&store, &store.plan().unwrap()).unwrap();
    past.report.text()
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn each_game_says_who_played_it_and_events_do_too() {
    let mut fleet = Fleet::new();
    let events = fleet.folder.path().join("events");
    let words = ["--games", "12", "--nodes", "300", "--seed", "7"];
    let mut all = words.to_vec();
    all.extend(["--events", events.to_str().unwrap()]);
    let mut coordinator = fleet.begin(&all);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    assert_eq!(coordinator.end(), 0, "{}", coordinator.output());
    for record in games_of(&fleet) {
        let machine = machine(&record);
        assert!(["one", "two"].contains(&machine.worker.as_str()));
        assert!(machine.speed.is_some_and(|speed| speed > 0), "{machine:?}");
        assert!(machine.micros > 0 && machine.lag_p99 >= machine.lag_median);
        assert_eq!((machine.slots, machine.time_scale), (1, None));
    }
    assert_eq!(lines_of(&fleet.store()), played_on_one_machine(&words));
    let events = fs::read_to_string(events).unwrap();
    let ends = events
        .lines()
        .filter(|line| line.contains(r#"{"event":"end","#));
    let ends: Vec<&str> = ends.collect();
    assert_eq!(ends.len(), 12);
    for end in ends {
        assert!(
            end.contains(r#","worker":"one","#) || end.contains(r#","worker":"two","#),
            "{end}"
        );
    }
    let report = report(&fleet);
    assert!(report.contains("games/s"), "{report}");
    // The coordinator prints them at the end as well.
    assert!(
        coordinator.output().contains("games/s"),
        "{}",
        coordinator.output()
    );
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_machine_on_which_engines_fail_is_set_aside_and_its_games_are_played_by_others() {
    let mut fleet = Fleet::new();
    let program = fleet.folder.path().join("engine");
    fs::write(&program, ENGINE.replace("$FLEET", FLEET)).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap();
    let store = fleet.store();
    let engine = |name: &str| format!("name={name},cmd={program}");
    let [a, b] = ["a", "b"].map(|name| format!("cmd={program} name={name}"));
    let words = [
        "match",
        "--store",
        store.to_str().unwrap(),
        "--engine",
        &a,
        "--engine",
        &b,
        "--games",
        "400",
        "--nodes",
        "100",
        "--seed",
        "7",
    ];
    let mut coordinator = fleet.start(&words);
    let work = |name| {
        [
            "work",
            "--name",
            name,
            "--engine",
            &engine("a"),
            "--engine",
            &engine("b"),
        ]
        .map(String::from)
    };
    let good = work("good");
    let _good = fleet.start(&good.each_ref().map(String::as_str));
    let bad = work("bad");
    let environment = [("BROKEN_MACHINE", "yes")];
    let _bad = fleet.start_in(&bad.each_ref().map(String::as_str), &environment);
    coordinator.await_words("worker bad is set aside: ");
    coordinator.await_words("of worker bad not counted");
    let mut status = fleet.start(&["status", store.to_str().unwrap()]);
    assert_eq!(status.end(), 0, "{}", status.output());
    // A resumed coordinator knows it, too.
    coordinator.kill();
    let mut coordinator = fleet.resume();
    assert_eq!(coordinator.end(), 0, "{}", coordinator.output());
    let games = games_of(&fleet);
    assert_eq!(games.len(), 400);
    assert!(
        games
            .iter()
            .all(|record| record.fault.is_none() && machine(record).worker == "good")
    );
    let stored = Store::open(&store).unwrap();
    let aside = stored.all_set_aside().unwrap();
    let [aside] = &aside[..] else {
        panic!("{aside:?}")
    };
    assert_eq!((aside.worker.as_str(), aside.keeps_out), ("bad", true));
    let mut kept_out = 0;
    let read = stored.for_each_kept_out(|kept| {
        assert!(kept.record.fault.is_some() && machine(&kept.record).worker == "bad");
        kept_out += 1;
        Ok::<(), ArchiveError>(())
    });
    read.unwrap();
    assert_eq!(aside.games, kept_out);
    assert!(kept_out >= 4, "{kept_out}");
    let report = report(&fleet);
    let expected = format!(
        "machine bad is set aside: {}; {kept_out} of its games are not counted",
        aside.reason
    );
    assert!(report.contains(&expected), "{expected}: {report}");
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn times_are_scaled_by_the_speed_of_the_machine() {
    let mut fleet = Fleet::new();
    // The reference is far slower than any machine.
    let words = [
        "--games",
        "4",
        "--movetime",
        "80",
        "--seed",
        "7",
        "--scale-time",
        "1000",
    ];
    let mut coordinator = fleet.begin(&words);
    let _worker = fleet.worker("one");
    assert_eq!(coordinator.end(), 0, "{}", coordinator.output());
    let games = games_of(&fleet);
    assert_eq!(games.len(), 4);
    for record in &games {
        assert_eq!(
            machine(record).time_scale,
            Some(125),
            "{:?}",
            machine(record)
        );
        let micros: Vec<u64> = record.turns.iter().filter_map(|turn| turn.micros).collect();
        let mean = micros.iter().sum::<u64>() / micros.len() as u64;
        // They search for 10 ms per move; at 80 ms no machine would be so fast.
        assert!(mean < 60_000, "{mean}");
    }
    let output = coordinator.output();
    assert!(
        output.contains("a machine with 1000 positions a second"),
        "{output}"
    );
    assert!(report(&fleet).contains("0.125"), "{}", report(&fleet));
    let store = fleet.store();
    let store = store.to_str().unwrap();
    let mut other = fleet.start(&["resume", "--scale-time", "2000", store]);
    // A complete match is only shown, and the flag is ignored.
    assert_eq!(other.end(), 0, "{}", other.output());
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn nothing_is_scaled_where_nothing_depends_on_time() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(&["--games", "2", "--nodes", "9", "--scale-time"]);
    assert_eq!(coordinator.end(), 2, "{}", coordinator.output());
    let output = coordinator.output();
    assert!(
        output.contains("--scale-time: no engine is limited by time"),
        "{output}"
    );
    assert!(!fleet.store().exists());
    let help = Command::new(FLEET)
        .args(["match", "--help"])
        .output()
        .unwrap();
    assert!(
        String::from_utf8(help.stdout)
            .unwrap()
            .contains("--quarantine <on|off>")
    );
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_machine_that_stands_still_again_and_again_is_set_aside_for_its_lag() {
    let mut fleet = Fleet::new();
    let coordinator = fleet.begin(&["--games", "4000", "--movetime", "1", "--seed", "7"]);
    let _good = fleet.worker("good");
    fleet.await_games(40);
    let slow = fleet.worker("slow");
    slow.await_words("playing match");
    let words = "worker slow is set aside: its lag exceeded the margin";
    // Four blocks take at least a dozen of these intervals.
    for _ in 0..120 {
        if coordinator.output().contains(words) {
            break;
        }
        slow.signal(Signal::STOP);
        sleep(Duration::from_millis(1500));
        slow.signal(Signal::CONT);
        sleep(Duration::from_millis(300));
    }
    coordinator.await_words(words);
    coordinator.await_words("of worker slow not counted");
    assert!(!coordinator.output().contains("worker good"));
}
