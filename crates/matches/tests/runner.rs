//! Engines that do not restart, seats that need no engine, and engines that rest.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use crate::common::table;
use matches::archive::replay;
use matches::plan::{EngineSpec, Opening, Plan};
use matches::play::lag::LagMeter;
use matches::play::log::Log;
use matches::play::referee::RerunQuota;
use matches::play::runner::{Event, GameQueue, Games, Next, RunError, Runner};
use matches::record::GameRecord;
use matches::record::ending::Ending;
use matches::spelling::quote_path;
use table::{Table, tiny};

/// An engine that crashes in its first game and does `again` when it is restarted; `file` marks the first start.
fn once(file: &Path, again: &str) -> EngineSpec {
    let file = quote_path(file);
    let before = format!("if [ -e {file} ]; then echo worn out >&2; {again}; fi; : > {file}");
    EngineSpec { name: "once".to_string(), ..tiny(&["exit 3", "", "", &before]) }
}

fn file(name: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.starts"));
    let _ = std::fs::remove_file(&file);
    file
}

/// Plays a match of these engines; returns its records, in order.
fn play(engines: Vec<EngineSpec>, start: Option<&str>) -> Vec<GameRecord> {
    play_games(engines, start, &GameQueue::new(Some))
}

/// Plays the selected games of such a match.
fn play_games(engines: Vec<EngineSpec>, start: Option<&str>, games: &dyn Games) -> Vec<GameRecord> {
    let mut table = Table::new(engines);
    table.plan.referee_limits.ready = Duration::from_secs(1);
    let plan = Plan {
        games: table.plan.seats as u64,
        openings: vec![
            start.map_or(Opening::usual(table.plan.seats), |text| text.parse().unwrap()),
        ],
        ..table.plan
    };
    let mut records = Vec::new();
    let lag = LagMeter::start();
    let runner = Runner {
        plan: &plan,
        games,
        past: None,
        reruns: &RerunQuota::new(&plan.engines, &[]),
        log: &Log::none(),
        interrupt: &table.interrupt,
        lag: &lag,
        first_core: 0,
        isolation: None,
        programs: None,
        complete: None,
        is_followed: false,
    };
    let outcome = runner.run(|event| {
        if let Event::Ended(record) = event {
            records.push(*record);
        }
        Ok::<(), RunError>(())
    });
    assert!(outcome.is_ok(), "{outcome:?}");
    for record in &records {
        let flaws = replay::check(record);
        assert!(flaws.is_empty(), "{flaws:?} in {record:?}");
    }
    records
}

#[test]
fn an_engine_that_does_not_restart_is_named() {
    for (again, ending, reason) in [
        ("exit 9", Ending::Crash, "exit status: 9"),
        ("exec sleep 1000", Ending::Stall, "did not answer in time"),
        ("exec >&-; sleep 1000", Ending::Disconnect, "closed its output"),
    ] {
        let once = once(&file(ending.name()), again);
        let records = play(vec![tiny(&[]), once], None);
        let second = &records[1];
        let seen = format!("{again}: {second:?}");
        assert_eq!(second.endings, [ending, Ending::Ended], "{seen}");
        let fault = second.fault.as_ref().expect(&seen);
        assert!(fault.reason.contains(reason), "{seen}");
        assert_eq!(fault.stderr, ["worn out"], "{seen}");
    }
}

#[test]
fn a_seat_that_has_finished_in_the_opening_needs_no_engine() {
    let once = once(&file("finished"), "exit 9");
    let engines = vec![tiny(&[]), once, tiny(&[])];
    let names = ["one", "once", "two"].map(String::from);
    let engines =
        engines.into_iter().zip(names).map(|(engine, name)| EngineSpec { name, ..engine });
    let start = "64,5,0/40,30,1/20,30,0 2 1 -";
    let records = play(engines.collect(), Some(start));
    assert_eq!(records.len(), 3);
    for record in &records {
        let seat = record.seats.iter().position(|name| name == "once").unwrap();
        let fault = record.fault.as_ref().map(|fault| fault.seat as usize - 1);
        let expected = (seat != 0).then_some(seat);
        assert_eq!(fault, expected, "{record:?}");
        assert_eq!(record.endings[0], Ending::Finish, "{record:?}");
    }
}

/// Plays a match whose first game never ends and whose third game stops it, by an interrupt or because that game cannot
/// be completed. Returns the numbers of the games that the match tells.
fn told_of_stopped(is_error: bool) -> (Vec<u64>, Result<(), RunError>) {
    let engines = ["one", "two"].map(|name| EngineSpec { name: name.to_string(), ..tiny(&[]) });
    let mut table = Table::new(engines.to_vec());
    table.plan.referee_limits.failures = 1;
    let interrupt = &table.interrupt;
    let plan = Plan { games: 100, concurrency: 2, ..table.plan };
    let complete = |record: &mut GameRecord| match record.game {
        1 => {
            while !interrupt.is_set() {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err("interrupted".to_string())
        }
        3 if is_error => Err("no luck".to_string()),
        3 => {
            interrupt.set();
            Ok(())
        }
        _ => Ok(()),
    };
    let lag = LagMeter::start();
    let runner = Runner {
        plan: &plan,
        games: &GameQueue::new(Some),
        past: None,
        reruns: &RerunQuota::new(&plan.engines, &[]),
        log: &Log::none(),
        interrupt,
        lag: &lag,
        first_core: 0,
        isolation: None,
        programs: None,
        complete: Some(&complete),
        is_followed: false,
    };
    let mut told = Vec::new();
    let outcome = runner.run(|event| {
        if let Event::Ended(record) = event {
            told.push(record.game);
        }
        Ok::<(), RunError>(())
    });
    (told, outcome)
}

#[test]
fn finished_games_are_told_although_an_earlier_one_never_ends() {
    let (told, outcome) = told_of_stopped(false);
    assert!(told == [2, 3] && outcome.is_ok(), "{told:?} {outcome:?}");
    let (told, outcome) = told_of_stopped(true);
    let is_of_3 = matches!(outcome, Err(RunError::Complete { game: 3, .. }));
    assert!(told == [2, 3] && is_of_3, "{told:?} {outcome:?}");
}

/// A fixed sequence of answers to a thread's requests for games, last one first.
struct Told(Mutex<Vec<Next>>);

impl Games for Told {
    fn next(&self) -> Next {
        self.0.lock().unwrap().pop().unwrap_or(Next::End)
    }
}

#[test]
fn engines_are_kept_from_game_to_game_unless_they_rest() {
    for (told, starts) in [
        (vec![Next::Game(2, None), Next::Game(1, None)], 1),
        (vec![Next::Game(2, None), Next::Rest, Next::Rest, Next::Game(1, None)], 2),
    ] {
        let notes = file("rest");
        let note = format!("echo started >> {}", quote_path(&notes));
        let engines = ["one", "two"]
            .map(|name| EngineSpec { name: name.to_string(), ..tiny(&["", "", "", &note]) });
        let records = play_games(engines.to_vec(), None, &Told(Mutex::new(told)));
        let numbers: Vec<u64> = records.iter().map(|record| record.game).collect();
        assert_eq!(numbers, [1, 2]);
        let notes = std::fs::read_to_string(notes).unwrap();
        assert_eq!(notes.lines().count(), 2 * starts);
    }
}
