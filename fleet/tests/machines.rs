//! Machines of different speed and fitness: the store keeps which machine played a game; unfit ones are set aside with
//! all their games.

use crate::common::fleet::engine;
use std::thread::sleep;
use std::time::Duration;

use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};
use matches::record::{GameRecord, Machine};
use matches::spelling::quote;
use rustix::process::Signal;

use crate::common::engines::script;
use crate::common::one_machine::counted;
use crate::common::{FLEET, Fleet, program};

/// An engine that fails at its first search on a machine marked as broken, like one with too little memory.
const ENGINE: &str = r#"#!/bin/sh
[ -z "$BROKEN_MACHINE" ] && exec $FLEET engine
while read -r word rest; do
    case $word in
    uci) echo "id name broken"; echo uciok ;;
    isready) echo readyok ;;
    go) exit 1 ;;
    quit) exit 0 ;;
    esac
done
"#;

pub fn games_of(fleet: &Fleet) -> Vec<GameRecord> {
    let mut games = Vec::new();
    let read = Store::open(&fleet.store()).unwrap().for_each_game(Extent::Whole, None, |game| {
        games.push(game.record);
        Ok::<(), ArchiveError>(())
    });
    read.unwrap();
    games
}

pub fn machine(record: &GameRecord) -> &Machine {
    record.machine.as_ref().unwrap()
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_machine_on_which_engines_fail_is_set_aside_and_its_games_are_played_by_others() {
    let mut fleet = Fleet::new();
    let script = script(fleet.folder.path(), "engine", &ENGINE.replace("$FLEET", &quote(FLEET)));
    let script = script.to_str().unwrap();
    let engines = ["a", "b"].map(|name| engine(script, &[], &format!("name={name}")));
    let (engines, store) = (engines.join(" "), fleet.store());
    let words = format!("{engines} --games 200 --nodes 100 --seed 7");
    let mut coordinator = fleet.begin_in(&store, &words);
    let _good = fleet.start(&format!("work --name good {engines}"));
    let mut broken = program();
    broken.env("BROKEN_MACHINE", "yes");
    let _bad = fleet.start_by(&mut broken, &format!("work --name bad {engines}"));
    coordinator.await_words("worker bad-U");
    coordinator.await_words("not counted; given out again");
    // A resumed coordinator knows it, too.
    coordinator.kill();
    fleet.resume().ends(0, &[]);
    let games = games_of(&fleet);
    assert_eq!(games.len(), 200);
    let is_good =
        |record: &GameRecord| record.fault.is_none() && machine(record).worker.starts_with("good-");
    assert!(games.iter().all(is_good));
    let stored = Store::open(&store).unwrap();
    let aside = stored.all_set_aside().unwrap();
    let [aside] = &aside[..] else { panic!("{aside:?}") };
    assert!(aside.worker.starts_with("bad-") && aside.keeps_out);
    let mut kept_out = 0;
    let read = stored.for_each_kept_out(|kept| {
        assert!(kept.record.fault.is_some() && machine(&kept.record).worker == aside.worker);
        kept_out += 1;
        Ok::<(), ArchiveError>(())
    });
    read.unwrap();
    assert_eq!(aside.games, kept_out);
    assert!(kept_out >= 4, "{kept_out}");
    let report = counted(&store).text();
    let expected = format!(
        "machine {} is set aside: {}; {kept_out} of its games are not counted",
        aside.worker, aside.reason
    );
    assert!(report.contains(&expected), "{expected}: {report}");
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn times_are_scaled_by_the_speed_of_the_machine() {
    let mut fleet = Fleet::new();
    // The reference is far slower than any machine.
    let words = "--games 2 --movetime 80 --seed 7 --scale-time 1000";
    let mut coordinator = fleet.begin(words);
    let _worker = fleet.worker("one");
    coordinator.ends(0, &["a machine with 1000 positions a second"]);
    let games = games_of(&fleet);
    assert_eq!(games.len(), 2);
    for record in &games {
        assert_eq!(machine(record).time_scale, Some(125));
        let micros: Vec<u64> = record.turns.iter().filter_map(|turn| turn.micros).collect();
        let mean = micros.iter().sum::<u64>() / micros.len() as u64;
        // They search for 10 ms per move; at 80 ms no machine would be so fast.
        assert!(mean < 60_000, "{mean}");
    }
    let (store, report) = (fleet.store(), counted(&fleet.store()).text());
    assert!(report.contains("0.125"), "{report}");
    let mut other = fleet.start(&format!("resume --scale-time 2000 {}", store.display()));
    // A complete match is only shown, and the flag is ignored.
    other.ends(0, &[]);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_machine_that_stops_repeatedly_is_set_aside_for_its_lag() {
    let mut fleet = Fleet::new();
    // Engines that play at once but have much time, so that no stop makes them late, which would be a fault.
    let words = "--games 4000 --movetime 20000 --each option.Level=1 --seed 7";
    let coordinator = fleet.begin(words);
    let _good = fleet.worker("good");
    fleet.await_games(24);
    let slow = fleet.worker("slow");
    slow.await_words("playing match");
    let aside = "is set aside: its lag exceeded the margin";
    // The lag is measured every 5 ms; more than one measurement of a hundred is large.
    for _ in 0..300 {
        if coordinator.output().contains(aside) {
            break;
        }
        slow.signal(Signal::STOP);
        sleep(Duration::from_millis(700));
        slow.signal(Signal::CONT);
        sleep(Duration::from_millis(300));
    }
    coordinator.await_words(aside);
    coordinator.await_words("not counted; given out again");
    let output = coordinator.output();
    assert!(output.contains("worker slow-") && !output.contains("worker good-"), "{output}");
}
