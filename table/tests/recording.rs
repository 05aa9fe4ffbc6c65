//! Records of people's games, and the arbiter's view of them.

use axum::http::StatusCode;
use matches::archive::ArchiveError;
use matches::archive::replay;
use matches::archive::store::{Extent, Store};
use matches::record::GameRecord;
use serde_json::{Value, json};

use crate::common::program::{Program, folder};
use crate::common::server::Server;

fn request(keep: bool) -> Value {
    let start = "7h/4F3/8/8/8/8/8/h1h1h3 w - - 0 1";
    json!({
        "game": { "variant": "fox-and-hounds", "start": start, "moves": ["e7d8"] },
        "seats": ["Anna", "buxtehude (level 3), movetime 700"],
        "keep": keep,
    })
}

fn games(path: &std::path::Path) -> Vec<GameRecord> {
    let mut games = Vec::new();
    let read = Store::open_or_import(path).unwrap().for_each_game(Extent::Whole, |game| {
        games.push(game.record);
        Ok::<(), ArchiveError>(())
    });
    read.unwrap();
    games
}

#[tokio::test]
async fn finished_games_are_appended_as_the_arbiter_records_them() {
    let file = folder("recording").join("people.jsonl");
    for number in [1, 2] {
        // A second server continues the numbers of the first.
        let server = Server::new(&["--record", file.to_str().unwrap()]);
        let mut request = request(true);
        request["id"] = json!(number);
        let answer = server.content("/api/record", &request).await;
        assert_eq!(answer["kept"], json!(true));
        request["keep"] = json!(false);
        let shown = server.content("/api/record", &request).await;
        assert_eq!(shown["kept"], json!(false));
        let games = games(&file);
        let last = games.last().unwrap();
        assert_eq!((games.len(), last.game, last.block), (number, number as u64, number as u64));
        assert_eq!(last.seats, ["Anna", "buxtehude (level 3), movetime 700"]);
        assert_eq!(last.places, [1, 2]);
        assert_eq!(last.turns.len(), 1);
        assert!(replay::check(last).is_empty());
        let line = answer["record"].as_str().unwrap();
        assert_eq!(&replay::read(line).unwrap(), last);
    }
}

#[test]
fn a_repeated_request_is_answered_alike_and_appended_once() {
    let file = folder("recording_repeats").join("people.jsonl");
    let game = |id: Option<u64>, name: &str| {
        let mut request = request(true);
        request["id"] = json!(id);
        request["seats"][0] = json!(name);
        request.to_string()
    };
    let different = [(Some(7), "Anna"), (Some(8), "Anna"), (None, "Anna"), (Some(8), "Bob")];
    let mut answers = Vec::new();
    // The second server has only the file.
    for _ in ["first", "second"] {
        let server = Program::start(&["--record", file.to_str().unwrap()]);
        for _ in ["sent", "sent again"] {
            answers.push(different.map(|(id, name)| {
                let answer = server.answer("/api/record", &game(id, name));
                answer.split_once("\r\n\r\n").unwrap().1.to_string()
            }));
        }
    }
    assert!(answers.iter().all(|again| *again == answers[0]), "{answers:?}");
    assert!(answers[0].iter().all(|answer| answer.contains(r#""kept":true"#)), "{answers:?}");
    let numbers = games(&file).iter().map(|game| game.game).collect::<Vec<_>>();
    assert_eq!(numbers, [1, 2, 3, 4]);
}

#[tokio::test]
async fn a_client_cannot_fill_the_disk_with_games() {
    let file = folder("recording_quota").join("people.jsonl");
    let server = Server::new(&["--record", file.to_str().unwrap()]);
    let mut request = request(true);
    request["seats"] = json!(["ß".repeat(200), "ß".repeat(200)]);
    let mut number = 0;
    let refused = loop {
        number += 1;
        request["id"] = json!(number);
        let answer = server.post("/api/record", &request).await;
        match answer.status {
            StatusCode::OK => assert!(number < 10_000, "without end"),
            _ => break answer,
        }
    };
    let words = refused.error(StatusCode::TOO_MANY_REQUESTS);
    assert!(words.contains("at most 4 MiB of games of a client a day"), "{words}");
    let length = file.metadata().unwrap().len();
    assert!((3 << 20..=4 << 20).contains(&length), "{length}");
    // A game that the file has is found there, and other clients are not concerned.
    request["id"] = json!(1);
    assert_eq!(server.content("/api/record", &request).await["kept"], json!(true));
    request["id"] = json!(number);
    let other = server.client(2);
    assert_eq!(other.content("/api/record", &request).await["kept"], json!(true));
}

#[tokio::test]
async fn without_a_file_games_are_recorded_only_in_the_answer() {
    let answer = Server::new(&[]).content("/api/record", &request(true)).await;
    assert_eq!(answer["kept"], json!(false));
    let record = answer["record"].as_str().unwrap();
    assert!(replay::read(record).is_ok());
    // A test of the arbiter reports on this file.
    assert_eq!(format!("{record}\n"), include_str!("data/saved.jsonl"));
}

#[tokio::test]
async fn unfinished_games_and_wrong_names_are_refused() {
    let file = folder("recording_refused").join("people.jsonl");
    let server = Server::new(&["--record", file.to_str().unwrap()]);
    for (field, value, expected) in [
        ("game", json!({ "variant": "fox-and-hounds", "players": 2 }), "not over"),
        ("seats", json!(["Anna"]), "expected 2 names"),
        ("seats", json!(["Anna", "a".repeat(201)]), "expected 2 names"),
    ] {
        let mut request = request(true);
        request[field] = value;
        let answer = server.post("/api/record", &request).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST);
        assert!(answer.json["error"].as_str().unwrap().contains(expected), "{}", answer.json);
    }
    assert!(games(&file).is_empty());
}
