//! Reviews of games, as the page requests them.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::common::games::game;
use crate::common::server::Server;
use buxtehude::rules::Variant;

/// Parts of a seat's result, which add up to it.
const PARTS: [&str; 6] = ["start", "skill", "gifts", "luck", "noise", "verdict"];

/// The `move` events of a review, and the data of `done`.
async fn review(server: &Server, game: &Value) -> (Vec<Value>, Value) {
    let request = json!({ "game": game, "limit": "nodes 100" });
    let mut events = crate::engines::events(server, "/api/review", &request).await;
    let (last, done) = events.pop().unwrap();
    assert_eq!(last, "done", "{done}");
    assert!(events.iter().all(|(event, _)| event == "move"), "{events:?}");
    (events.into_iter().map(|(_, data)| data).collect(), done)
}

#[tokio::test]
async fn each_move_is_reviewed_and_all_adds_up() {
    let server = Server::with_engine(&[]);
    let variant = Variant::by_name("hase-und-igel").unwrap();
    let words = ["5", "7", "1", "+free", "5", "0"].map(String::from);
    let (moves, done) = review(&server, &game(variant, 3, &words)).await;
    let played: Vec<&str> = moves.iter().map(|mv| mv["move"].as_str().unwrap()).collect();
    assert_eq!(played, ["5", "7", "1", "5", "0"]);
    assert_eq!(moves[2]["cards"][0]["card"], "+free");
    assert!(moves[4]["is_forced"].as_bool().unwrap() && moves[4]["loss"] == 0.0);
    for seat in done["seats"].as_array().unwrap() {
        let sum: f64 = PARTS.iter().map(|part| seat[part].as_f64().unwrap()).sum();
        assert!((sum - seat["result"].as_f64().unwrap()).abs() < 1e-6, "{seat}");
    }
}

#[tokio::test]
async fn a_solved_game_needs_no_engine() {
    let server = Server::new(&["--engine", "cmd=/bin/false"]);
    let variant = Variant::by_name("fox-and-hounds").unwrap();
    let words = ["e1d2", "b8a7", "d2e3", "d8c7"].map(String::from);
    let (moves, done) = review(&server, &game(variant, 2, &words)).await;
    assert_eq!(moves.len(), 4);
    for seat in done["seats"].as_array().unwrap() {
        assert_eq!(seat["noise"], 0.0, "{seat}");
    }
}

#[tokio::test]
async fn failures_of_a_review_are_reported() {
    let server = Server::new(&["--engine", "cmd=/bin/false name=broken"]);
    let game = game(Variant::by_name("hase-und-igel").unwrap(), 2, &["5".to_string()]);
    let wrong = json!({ "game": game, "engine": "nobody" });
    let answer = server.post("/api/review", &wrong).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{}", answer.json);
    let events = crate::engines::events(&server, "/api/review", &json!({ "game": game })).await;
    let (event, data) = events.last().unwrap();
    assert_eq!(event, "error");
    assert!(data["error"].as_str().unwrap().contains("broken"), "{data}");
}
