//! Healthy engines: moves, analyses, options, and the number of processes.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{Request, StatusCode};
use buxtehude::rules::is_card;
use matches::spelling::quote_path;
use serde_json::{Value, json};

use crate::common::games::{game, starts};
use crate::common::program::{await_that, engine, folder};
use crate::common::server::{NAME, Server};

/// Events of an answer, each with its data.
pub async fn events(server: &Server, path: &str, request: &Value) -> Vec<(String, Value)> {
    let answer = server.post(path, request).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.json);
    let text = answer.json.as_str().unwrap();
    let blocks = text.split("\n\n").filter(|block| !block.is_empty() && !block.starts_with(':'));
    let event = |block: &str| {
        let (event, data) = block.split_once('\n').unwrap();
        let event = event.strip_prefix("event: ").unwrap().to_string();
        (event, serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap())
    };
    blocks.map(event).collect()
}

#[tokio::test]
async fn the_built_in_engine_plays_every_game() {
    let server = Server::with_engine(&["--processes", "2"]);
    for (variant, start) in starts() {
        let mut moves: Vec<String> = Vec::new();
        let mut position = start;
        for ply in 0..4 {
            let request = json!({ "game": game(variant, start.seats(), &moves), "limit": "nodes 50 depth 9" });
            let answer = server.content("/api/ai", &request).await;
            let mv = answer["move"].as_str().unwrap();
            let words: Vec<String> =
                serde_json::from_value(answer["game"]["moves"].clone()).unwrap();
            assert_eq!(words[moves.len()], mv);
            assert!(words[moves.len() + 1..].iter().all(|word| is_card(word)), "{words:?}");
            let estimate: Vec<u32> = serde_json::from_value(answer["estimate"].clone()).unwrap();
            assert_eq!(estimate.len(), start.seats());
            assert!(
                estimate.iter().sum::<u32>().abs_diff(1000) <= start.seats() as u32,
                "{estimate:?}"
            );
            assert_eq!(answer["pv"][0], json!(mv), "{} ply {ply}", variant.name);
            assert_eq!(answer["engine"], json!("buxtehude"));
            for word in &words[moves.len()..] {
                position.play(word).unwrap();
            }
            assert_eq!(answer["position"], json!(position.to_string()));
            moves = words;
        }
    }
}

#[tokio::test]
async fn an_analysis_reports_the_requested_number_of_lines() {
    let server = Server::with_engine(&[]);
    let (variant, start) = starts()[1];
    let options = json!({ "MultiPV": "3" });
    let game = game(variant, start.seats(), &[]);
    let request = json!({ "game": game, "limit": "nodes 400", "options": options });
    let events = events(&server, "/api/analyse", &request).await;
    let (last, infos) = events.split_last().unwrap();
    assert_eq!(last.0, "done");
    assert!(infos.iter().all(|(event, _)| event == "info"), "{events:?}");
    let legal = start.legal_actions();
    let mut lines = [false; 3];
    for (_, info) in infos {
        lines[info["line"].as_u64().unwrap() as usize - 1] = true;
        assert!(legal.iter().any(|mv| info["move"] == json!(mv)), "{info}");
        assert_eq!(info["move"], info["pv"][0]);
        assert_eq!(info["estimate"].as_array().unwrap().len(), start.seats());
    }
    assert_eq!(lines, [true; 3]);
    assert!(legal.iter().any(|mv| last.1["move"] == json!(mv)));
}

#[tokio::test]
async fn options_apply_to_one_request() {
    let folder = folder("engines_options");
    let log = folder.join("log");
    // It writes its input to a file.
    let go = format!(
        "echo \"bestmove $1\" ;;\n    setoption*|ucinewgame*) echo \"$line\" >> {}",
        quote_path(&log)
    );
    let server =
        Server::new(&["--engine", &engine(&folder, "moody", &go, ":"), "--processes", "1"]);
    let ask = async |mood: Option<&str>| {
        let mut request = json!({ "game": { "variant": "fox-and-hounds", "players": 2 } });
        if let Some(mood) = mood {
            request["options"] = json!({ "mood": mood });
        }
        server.content("/api/ai", &request).await;
    };
    for mood in [None, Some("wild"), Some("wild"), None, None, Some("WILD")] {
        ask(mood).await;
    }
    let heard = std::fs::read_to_string(log).unwrap();
    let expected = "ucinewgame\nsetoption name Mood value wild\nsetoption name Mood value calm\n\
        setoption name Mood value wild\n";
    assert_eq!(heard, expected);
}

#[tokio::test]
async fn ucinewgame_is_sent_only_for_another_game() {
    let folder = folder("engines_new_game");
    let log = folder.join("log");
    let go = format!("echo \"bestmove $1\" ;;\n    ucinewgame*) echo new >> {}", quote_path(&log));
    let server =
        Server::new(&["--engine", &engine(&folder, "counting", &go, ":"), "--processes", "1"]);
    let games = || std::fs::read_to_string(&log).unwrap().lines().count();
    let mut moves = json!([]);
    for _ in 0..3 {
        let request =
            json!({ "game": { "variant": "fox-and-hounds", "players": 2, "moves": moves } });
        moves = server.content("/api/ai", &request).await["game"]["moves"].clone();
        assert_eq!(games(), 1);
    }
    let other = json!({ "game": { "variant": "fox-and-hounds", "players": 2, "moves": ["e1f2"] } });
    server.content("/api/ai", &other).await;
    assert_eq!(games(), 2);
}

#[tokio::test]
async fn a_full_queue_refuses_searches_and_names_its_length() {
    let server =
        Server::with_engine(&["--processes", "1", "--queue", "2", "--longest-search", "60000"]);
    let (variant, start) = starts()[0];
    let request = json!({ "game": game(variant, start.seats(), &[]), "limit": "movetime 60000" });
    // Each request has a client of its own.
    let ask = |path: &'static str, client| {
        let (server, request) = (server.client(client), request.clone());
        tokio::spawn(async move { server.post(path, &request).await })
    };
    let load = || server.app.pool.load();
    let running = ask("/api/ai", 1);
    until(|| load() == (1, 0)).await;
    let waiting = ask("/api/ai", 2);
    until(|| load() == (1, 1)).await;
    // An analysis reports the number of searches before it.
    let followed =
        Request::post("/api/analyse").header(HOST, NAME).header(CONTENT_TYPE, "application/json");
    let followed = followed.body(Body::from(request.to_string())).unwrap();
    let response = tower::ServiceExt::oneshot(server.router.clone(), followed).await.unwrap();
    let mut body = response.into_body().into_data_stream();
    let mut next = async || {
        let chunk = futures_util::StreamExt::next(&mut body).await.unwrap().unwrap();
        String::from_utf8(chunk.to_vec()).unwrap()
    };
    assert_eq!(next().await, "event: queue\ndata: {\"ahead\":2}\n\n");
    let refused = server.client(3).post("/api/ai", &request).await;
    let error = refused.error(StatusCode::SERVICE_UNAVAILABLE);
    assert!(
        error.starts_with("2 searches are waiting for an engine; expected fewer than 2"),
        "{error}"
    );
    let queue = server.get("/api/engines").await.json["queue"].clone();
    assert_eq!(queue, json!({ "running": 1, "waiting": 2, "most": 2 }));
    // Closed requests leave the queue, and the engine stops.
    waiting.abort();
    assert_eq!(next().await, "event: queue\ndata: {\"ahead\":1}\n\n");
    running.abort();
    assert!(next().await.starts_with("event: info"));
    assert_eq!(load(), (1, 0));
}

async fn until(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_client_that_goes_ends_its_search_and_the_process_lives_on() {
    let server = Server::with_engine(&["--processes", "1"]);
    let (variant, start) = starts()[0];
    let game = game(variant, start.seats(), &[]);
    let processes = || children_of(std::process::id());
    server.content("/api/ai", &json!({ "game": game, "limit": "nodes 10" })).await;
    let before = processes();
    for path in ["/api/ai", "/api/analyse"] {
        let (asked, request) = (server.clone(), json!({ "game": game, "limit": "movetime 50000" }));
        let asking = tokio::spawn(async move { asked.post(path, &request).await });
        until(|| server.app.pool.load().0 == 1).await;
        asking.abort();
        let begun = Instant::now();
        until(|| server.app.pool.load().0 == 0).await;
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
    server.content("/api/ai", &json!({ "game": game, "limit": "nodes 10" })).await;
    assert!(before.iter().any(|id| processes().contains(id)), "{before:?}");
}

/// The living children of a process.
fn children_of(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        let fields: Vec<&str> = stat[stat.rfind(')').unwrap() + 1..].split_whitespace().collect();
        if fields[1].parse() == Ok(parent) && fields[0] != "Z" {
            found.extend(entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()));
        }
    }
    found
}

#[tokio::test]
async fn idle_processes_are_ended() {
    let folder = folder("engines_idle");
    let pid = folder.join("pid");
    let go = format!("echo $$ > {}; echo \"bestmove $1\"", quote_path(&pid));
    let server = Server::new(&["--engine", &engine(&folder, "idle", &go, ":"), "--idle", "50"]);
    let request = json!({ "game": { "variant": "fox-and-hounds", "players": 2 } });
    server.content("/api/ai", &request).await;
    let id = std::fs::read_to_string(&pid).unwrap();
    let path = format!("/proc/{}", id.trim());
    await_that("the process ends", || !std::path::Path::new(&path).exists());
    server.content("/api/ai", &request).await;
    assert_ne!(std::fs::read_to_string(&pid).unwrap(), id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_clients_play_at_once() {
    let server = Server::with_engine(&["--processes", "2", "--queue", "200"]);
    let mut clients = Vec::new();
    for client in 0..100 {
        let server = server.client(client);
        clients.push(tokio::spawn(async move {
            let starts = starts();
            let (variant, start) = starts[client % starts.len()];
            let new = json!({ "variant": variant.name, "players": start.seats() });
            let mut game = server.content("/api/new", &new).await["game"].clone();
            for _ in 0..3 {
                let request = json!({ "game": game, "limit": "nodes 20" });
                game = server.content("/api/ai", &request).await["game"].clone();
            }
            game["moves"].as_array().unwrap().len()
        }));
    }
    for client in clients {
        assert!(client.await.unwrap() >= 3);
    }
    assert_eq!(server.app.pool.load(), (0, 0));
}
