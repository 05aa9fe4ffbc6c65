//! Etudes and recorded games, from files.

use std::fs::{self, File};
use std::path::Path;
use std::time::SystemTime;

use axum::http::StatusCode;
use buxtehude::rules::{VARIANTS, is_card};
use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};
use matches::plan::{EngineSpec, Limit, Plan};
use matches::record::GameRecord;
use matches::record::ending::Ending;
use serde_json::{Value, json};

use crate::common::program::folder;
use crate::common::server::Server;

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games.jsonl");

const ETUDES: &str =
    "5;53;3;f;13;13;3;f;1\r\n\n14;10;3;f;15;26;3;f;-\nno etude\n2;65;3;f;10;22;3;f;2";

fn etudes(test: &str) -> (std::path::PathBuf, Server) {
    let file = folder(test).join("set.csv");
    fs::write(&file, ETUDES).unwrap();
    let server = Server::new(&["--etudes", file.to_str().unwrap()]);
    (file, server)
}

#[tokio::test]
async fn etudes_are_listed_with_their_verdicts() {
    let (file, server) = etudes("files_etudes");
    let files = server.get("/api/etudes").await.json["files"].clone();
    assert_eq!(files, json!([{ "file": "set", "variant": "hase-und-igel", "etudes": 3 }]));
    let listed = server.get("/api/etudes/set").await.json["etudes"].clone();
    let numbers: Vec<u64> =
        listed.as_array().unwrap().iter().map(|etude| etude["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 3, 5]);
    assert_eq!(listed[1]["verdict"], Value::Null);
    assert_eq!(listed[1]["position"], json!("14,10,3/15,26,3 1 - -"));
    fs::remove_file(&file).unwrap();
    let error = server.get("/api/etudes/set").await.error(StatusCode::INTERNAL_SERVER_ERROR);
    assert!(error.starts_with("set.csv: cannot be read"), "{error}");
}

fn records() -> Vec<GameRecord> {
    let mut records = Vec::new();
    let store = Store::open_or_import(Path::new(GAMES)).unwrap();
    assert_eq!(store.flaws(), [""; 0]);
    store
        .for_each_game(Extent::Whole, |game| {
            records.push(game.record);
            Ok::<(), ArchiveError>(())
        })
        .unwrap();
    records
}

/// A game that does not count as played by the rules, but can be listed.
fn stored_game(number: u64, moves: &str) -> GameRecord {
    GameRecord {
        game: number,
        block: number.div_ceil(2),
        variant: VARIANTS[0].name.to_string(),
        start: "63,1,0/61,10,0 1 - -".to_string(),
        seats: ["alpha", "beta"].map(String::from).to_vec(),
        moves: moves.to_string(),
        places: vec![1, 2],
        endings: vec![Ending::Finish, Ending::Last],
        ..GameRecord::default()
    }
}

/// Creates a store for 60 games between two engines.
fn new_store(path: &Path) -> Store {
    let engine = |name: &str| EngineSpec::new(name, "/bin/sh", Limit::depth(1));
    let engines = vec![engine("alpha"), engine("beta")];
    let plan = Plan { games: 60, ..Plan::new(&VARIANTS[0], 2, engines) };
    Store::create(path, &plan).unwrap()
}

#[tokio::test]
async fn games_of_a_file_that_has_been_replaced_are_not_shown() {
    let folder = folder("replaced_file");
    let path = folder.join("match.db");
    let lines: Vec<String> =
        (1..=2).map(|number| serde_json::to_string(&stored_game(number, "1")).unwrap()).collect();
    fs::write(&path, lines.join("\n")).unwrap();
    let server = Server::new(&["--games", path.to_str().unwrap()]);
    let shown = async || {
        let list = server.get("/api/games/match").await.json;
        let games = list["games"].as_array().unwrap().clone();
        let last = games.len();
        // Not all of the moves are legal, but the game is there.
        let game = server.get(&format!("/api/games/match/{last}")).await;
        assert_ne!(game.status, StatusCode::NOT_FOUND);
        games.iter().map(|game| game["plies"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(shown().await, [1, 1]);
    // A store replaces the lines, in the same file and in other files.
    for (plies, games) in [(2, 3), (3, 3), (4, 5), (5, 2)] {
        let new = folder.join("new.db");
        let mut store = new_store(&new);
        let moves = vec!["1"; plies].join(" ");
        let stored: Vec<GameRecord> =
            (1..=games).map(|number| stored_game(number, &moves)).collect();
        store.add(&stored.iter().collect::<Vec<_>>()).unwrap();
        drop(store);
        if plies == 2 || plies == 5 {
            fs::write(&path, fs::read(&new).unwrap()).unwrap();
            fs::remove_file(&new).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
            fs::rename(&new, &path).unwrap();
        }
        assert_eq!(shown().await, vec![plies as u64; games as usize]);
    }
}

#[tokio::test]
async fn games_of_a_running_match_are_listed_at_once_and_read_once() {
    let path = folder("running_match").join("match.db");
    let mut store = new_store(&path);
    let other = rusqlite::Connection::open(&path).unwrap();
    let log = path.with_extension("db-wal");
    let server = Server::new(&["--games", path.to_str().unwrap()]);
    let listed = async || {
        let list = server.get("/api/games/match").await.json;
        let games = list["games"].as_array().unwrap().clone();
        games.iter().map(|game| game["number"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let mut played = Vec::new();
    // Games that are played concurrently end in another order.
    for number in (1..=60).map(|number| if number % 2 == 1 { number + 1 } else { number - 1 }) {
        store.add(&[&stored_game(number, "1")]).unwrap();
        // As if nothing had happened since the last request: neither lengths nor times need to change.
        other.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
        for file in [&path, &log] {
            let file = File::options().write(true).open(file).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
        played.push(number);
        played.sort_unstable();
        assert_eq!(listed().await, played);
        assert_eq!(server.get(&format!("/api/games/match/{number}")).await.status, StatusCode::OK);
        if number == 2 {
            // A reader of all games would stumble over this one.
            other.execute("UPDATE seats SET ending = 'never' WHERE game = 2", []).unwrap();
        }
    }
    drop(other);
    drop(store);
    assert_eq!(listed().await.len(), 60);
    assert!(!log.exists(), "the table keeps the store open");

    // A game that is played anew is read again.
    let mut store = Store::resume(&path).unwrap();
    store.drop_wrong(&[2, 7], None).unwrap();
    store.add(&[&stored_game(2, "1 1 1")]).unwrap();
    played.retain(|&number| number != 7);
    assert_eq!(listed().await, played);
    let game = &server.get("/api/games/match").await.json["games"][1];
    assert_eq!((&game["number"], &game["plies"]), (&json!(2), &json!(3)));
}

#[tokio::test]
async fn recorded_games_are_shown_as_they_were_played() {
    let server = Server::new(&["--games", GAMES]);
    let records = records();
    let files = server.get("/api/games").await.json["files"].clone();
    assert_eq!(files, json!([{ "file": "games", "games": records.len() }]));
    let list = server.get("/api/games/games").await.json;
    assert_eq!(list["total"], json!(records.len()));
    for (record, summary) in records.iter().zip(list["games"].as_array().unwrap()) {
        assert_eq!(summary["number"], json!(record.game));
        assert_eq!(summary["names"], json!(record.seats));
        assert_eq!(summary["places"], json!(record.places));
        assert_eq!(summary["endings"], json!(record.endings));
        assert_eq!(summary["plies"], json!(record.plies()));
        let shown = server.get(&format!("/api/games/games/{}", record.game)).await.json;
        let moves: Vec<&str> = record.moves.split(' ').collect();
        assert_eq!(shown["game"]["moves"], json!(moves));
        assert_eq!(shown["game"]["players"], json!(2));
        assert_eq!(shown["opening"], json!(record.opening_plies()));
        let turns = shown["turns"].as_array().unwrap();
        let played: Vec<&str> = moves.iter().copied().filter(|word| !is_card(word)).collect();
        assert_eq!(turns.len(), played.len());
        for (turn, mv) in turns.iter().zip(played) {
            assert_eq!(turn["move"], json!(mv));
        }
        for (said, turn) in record.turns.iter().zip(&turns[record.opening_plies()..]) {
            assert_eq!(turn["seat"], json!(said.seat));
            assert_eq!(turn["estimate"], json!(said.estimate));
            assert_eq!(turn["nodes"], json!(said.nodes));
            assert_eq!(turn["micros"], json!(said.micros));
        }
        let state = server.content("/api/show", &json!({ "game": shown["game"] })).await;
        assert_eq!(state["places"], json!(record.places));
    }
}

#[tokio::test]
async fn a_list_comes_in_parts_and_grows_with_its_file() {
    let file = folder("files_parts").join("growing.jsonl");
    let text = fs::read_to_string(GAMES).unwrap();
    let line = text.lines().next().unwrap();
    let numbered =
        |number: usize| line.replacen("\"game\":1", &format!("\"game\":{number}"), 1) + "\n";
    fs::write(&file, (1..=5).map(numbered).collect::<String>() + "no game\n").unwrap();
    let server = Server::new(&["--games", file.to_str().unwrap()]);
    let numbers = async |query: &str| {
        let list = server.get(&format!("/api/games/growing?{query}")).await.json;
        let games = list["games"].as_array().unwrap();
        let numbers: Vec<u64> = games.iter().map(|game| game["number"].as_u64().unwrap()).collect();
        (list["total"].as_u64().unwrap(), numbers)
    };
    assert_eq!(numbers("").await, (5, vec![1, 2, 3, 4, 5]));
    assert_eq!(numbers("from=1&count=2").await, (5, vec![2, 3]));
    assert_eq!(numbers("from=9").await, (5, vec![]));
    let more: String = (1..=9).map(numbered).collect();
    fs::write(&file, more).unwrap();
    assert_eq!(numbers("from=7").await, (9, vec![8, 9]));
    let error = server.get("/api/games/growing/10").await.error(StatusCode::NOT_FOUND);
    assert_eq!(
        error,
        "there is no game \"10\"; expected a number that GET /api/games/growing lists"
    );
}
