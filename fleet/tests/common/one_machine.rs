//! The same match on one machine, played by the arbiter's library.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use clap::Parser as _;
use fleet::args::{Cli, Command};
use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};
use matches::luck::{Evaluator, LuckMeter};
use matches::plan::Plan;
use matches::play::interrupt::Interrupt;
use matches::play::lag::LagMeter;
use matches::play::log::Log;
use matches::play::referee::RerunQuota;
use matches::play::rules::connect;
use matches::play::runner::{Complete, Event, GameQueue, RunError, Runner};
use matches::record::GameRecord;
use matches::report::Report;
use matches::run::events::EventFile;
use matches::run::past::Past;
use matches::score::Verdict;
use settings::config;

use super::fleet::{Fleet, Process, engines};

/// Games of the matches that were played, by their arguments: many tests have the same match.
static PLAYED: LazyLock<Mutex<HashMap<String, Lines>>> = LazyLock::new(Mutex::default);

/// Games of a match, once they are played.
type Lines = Arc<OnceLock<Vec<String>>>;

/// Plan of `arbiter match` with these arguments.
pub fn plan(words: &str) -> Plan {
    let words = shlex::split(&format!("fleet match {words}")).unwrap();
    let Command::Match(args) = Cli::parse_from(words).command else {
        unreachable!("it is a match")
    };
    config::plan_of_match(&args.args).unwrap().0
}

/// Plays a match until it is over or interrupted.
fn play(plan: &Plan, interrupt: &Interrupt, mut on_event: impl FnMut(&Event)) {
    let (lag, log) = (LagMeter::start(), Log::none());
    if let Some(game) = plan.rules.program() {
        connect(game, None, plan.referee_limits.ready, &log, interrupt).unwrap();
    }
    let evaluator = Evaluator::of(plan, None).unwrap();
    let meter = evaluator.as_ref().map(|evaluator| LuckMeter::new(evaluator, None, interrupt));
    let measure = meter.as_ref().map(|meter| {
        |record: &mut GameRecord| meter.measure(record).map_err(|error| error.to_string())
    });
    let runner = Runner {
        plan,
        games: &GameQueue::new(Some),
        past: None,
        reruns: &RerunQuota::new(&plan.engines, &[]),
        log: &log,
        interrupt,
        lag: &lag,
        first_core: 0,
        isolation: None,
        programs: None,
        is_followed: true,
        complete: measure.as_ref().map(|measure| measure as &Complete<'_>),
    };
    let played = runner.run(|event| {
        on_event(&event);
        Ok::<(), RunError>(())
    });
    played.unwrap();
}

/// Games of the match between [`engines`], as printed by `arbiter export --without-clock`.
pub fn played_on_one_machine(words: &str) -> Vec<String> {
    played_by(&engines(), words)
}

/// Like [`played_on_one_machine`], between these engines.
pub fn played_by(engines: &str, words: &str) -> Vec<String> {
    let words = format!("{engines} {words}");
    let played = PLAYED.lock().unwrap().entry(words.clone()).or_default().clone();
    let play = || {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.db");
        let plan = plan(&words);
        let mut store = Store::create(&path, &plan).unwrap();
        play(&plan, &Interrupt::new(), |event| {
            if let Event::Ended(record) = event {
                store.add(&[record]).unwrap();
            }
        });
        lines_of(&path)
    };
    played.get_or_init(play).clone()
}

/// Checks that the coordinator succeeds and that its match has the same games as on one machine; returns its output.
pub fn assert_whole(fleet: &Fleet, coordinator: &mut Process, words: &str) -> String {
    let output = coordinator.ends(0, &[]);
    let (found, expected) = (lines_of(&fleet.store()), played_on_one_machine(words));
    assert_eq!(found, expected, "{output}");
    output
}

/// Report of a match with a sequential test, played on one machine until the test has decided.
pub fn decided_on_one_machine(words: &str) -> Report {
    let plan = plan(words);
    let mut report = Report::of(&plan);
    let interrupt = Interrupt::new();
    play(&plan, &interrupt, |event| {
        if let Event::Ended(record) = event {
            report.add(record);
        }
        if report.verdict() != Verdict::Open {
            interrupt.set();
        }
    });
    report
}

/// Event stream of the match between [`engines`].
pub fn events_of_one_machine(words: &str) -> String {
    let plan = plan(&format!("{} {words}", engines()));
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut events = EventFile::create(file.path()).unwrap();
    let mut report = Report::of(&plan);
    play(&plan, &Interrupt::new(), |event| {
        if let Event::Ended(record) = event {
            report.add(record);
        }
        events.event(&plan, event, &report).unwrap();
    });
    fs::read_to_string(file.path()).unwrap()
}

/// Report of the match in a store.
pub fn counted(path: &Path) -> Report {
    let store = Store::open(path).unwrap();
    let plan = store.plan().unwrap();
    Past::of(&store, &plan).unwrap().report
}

/// Games in a store, as printed by `arbiter export --without-clock`.
pub fn lines_of(path: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let read = Store::open(path).unwrap().for_each_game(Extent::Whole, |kept| {
        lines.push(serde_json::to_string(&kept.without_clock()).unwrap());
        Ok::<(), ArchiveError>(())
    });
    read.unwrap();
    lines
}
