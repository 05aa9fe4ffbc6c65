//! The ledger of a match, without engines: games are stored, all or none, before they count.

use std::fs;
use std::path::Path;

use buxtehude::rules::VARIANTS;
use matches::archive::ArchiveError;
use matches::archive::record_file::RecordFile;
use matches::archive::store::{Extent, Store};
use matches::plan::{EngineSpec, Limit, Plan};
use matches::play::interrupt::Interrupt;
use matches::play::runner::Event;
use matches::record::GameRecord;
use matches::record::ending::Ending;
use matches::report::Report;
use matches::run::display::Progress;
use matches::run::events::EventFile;
use matches::run::ledger::{Ledger, LedgerError};

fn plan() -> Plan {
    let engine = |name: &str| EngineSpec::new(name, "/bin/sh", Limit::depth(1));
    Plan { games: 4, ..Plan::new(&VARIANTS[0], 2, vec![engine("alpha"), engine("beta")]) }
}

fn game(number: u64) -> GameRecord {
    GameRecord {
        game: number,
        block: number.div_ceil(2),
        variant: VARIANTS[0].name.to_string(),
        start: "63,1,0/61,10,0 1 - -".to_string(),
        seats: ["alpha", "beta"].map(String::from).to_vec(),
        moves: "1".to_string(),
        places: vec![1, 2],
        endings: vec![Ending::Finish, Ending::Last],
        ..GameRecord::default()
    }
}

fn retirement() -> Event {
    Event::Retired { engine: "beta".to_string(), failures: 3 }
}

fn ledger(plan: &Plan, folder: &Path) -> Ledger {
    Ledger {
        store: Some(Store::create(&folder.join("match.db"), plan).unwrap()),
        record_file: Some(RecordFile::append_to(&folder.join("games.jsonl")).unwrap()),
        events: Some(EventFile::create(&folder.join("events.jsonl")).unwrap()),
        report: Report::of(plan),
        report_every: None,
        reruns: 0,
        retired: Vec::new(),
        has_warned: false,
        has_told_repeats: false,
        interrupt: Interrupt::new(),
    }
}

fn stored(folder: &Path) -> Vec<u64> {
    let mut games = Vec::new();
    let store = Store::open(&folder.join("match.db")).unwrap();
    let read = store.for_each_game(Extent::Summary, |game| {
        games.push(game.record.game);
        Ok::<(), ArchiveError>(())
    });
    read.unwrap();
    games
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).unwrap().lines().count()
}

#[test]
fn a_game_is_stored_recorded_counted_and_streamed() {
    let folder = tempfile::tempdir().unwrap();
    let (plan, path) = (plan(), folder.path());
    let mut ledger = ledger(&plan, path);
    let progress = Progress::new(plan.games, 0);
    for record in [game(1), game(2)] {
        ledger.store(&[&record]).unwrap();
        ledger.enter(&plan, &Event::Ended(Box::new(record)), &progress).unwrap();
    }
    ledger.enter(&plan, &retirement(), &progress).unwrap();
    assert_eq!(ledger.report.played(), 2);
    assert_eq!(ledger.retired, ["beta"]);
    assert_eq!(lines(&path.join("games.jsonl")), 2);
    let events = fs::read_to_string(path.join("events.jsonl")).unwrap();
    for event in ["\"event\":\"end\"", "\"event\":\"standings\"", "\"event\":\"retired\""] {
        assert!(events.contains(event), "{event}: {events}");
    }
    drop(ledger);
    assert_eq!(stored(path), [1, 2]);
}

#[test]
fn games_are_stored_all_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut ledger = ledger(&plan(), path);
    ledger.store(&[&game(1)]).unwrap();
    let again = ledger.store(&[&game(2), &game(1)]);
    assert!(matches!(again, Err(LedgerError::Store { game: 2, .. })), "{again:?}");
    assert_eq!(ledger.report.played(), 0);
    assert_eq!(lines(&path.join("games.jsonl")), 0);
    drop(ledger);
    assert_eq!(stored(path), [1]);
}
