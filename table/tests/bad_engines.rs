//! Faulty engines: each fault costs one answer, is reported, and affects no other request.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use matches::spelling::{engine_text, quote_path};
use serde_json::{Value, json};

use crate::common::program::{engine, folder};
use crate::common::server::{Answer, Server, built_in};
use crate::engines::events;

/// An engine's name, its action on `go`, the status of the answer, and a part of the error.
const FAULTS: [(&str, &str, StatusCode, &str); 8] = [
    (
        "crashing",
        "echo 'out of carrots' >&2; exit 3",
        StatusCode::BAD_GATEWAY,
        "ends with: out of carrots",
    ),
    ("killed", "kill -9 $$", StatusCode::BAD_GATEWAY, "its process ended with signal: 9"),
    ("stalling", "sleep 100", StatusCode::GATEWAY_TIMEOUT, "no answer in time"),
    ("late", "sleep 5; echo \"bestmove $1\"", StatusCode::GATEWAY_TIMEOUT, "no answer in time"),
    (
        "cheating",
        "echo 'bestmove h8h1'",
        StatusCode::BAD_GATEWAY,
        "its best move is \"h8h1\"; expected one of",
    ),
    ("resigning", "echo 'bestmove (none)'", StatusCode::BAD_GATEWAY, "its best move is \"(none)\""),
    ("muttering", "echo 'bestmove'", StatusCode::BAD_GATEWAY, "missing argument"),
    ("leaving", "exec 1>&-; sleep 100", StatusCode::BAD_GATEWAY, "it closed its output or input"),
];

fn ask(engine: &str) -> Value {
    json!({
        "game": { "variant": "fox-and-hounds", "players": 2 },
        "engine": engine,
        "limit": "movetime 50 nodes 10",
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_is_reported_and_costs_one_answer() {
    let folder = folder("bad_engines");
    let mut arguments: Vec<String> =
        ["--margin", "300", "--processes", "3", "--queue", "100"].map(String::from).to_vec();
    let bad = FAULTS.map(|(name, go, _, _)| engine(&folder, name, go, ":"));
    for engine in [built_in()].iter().chain(&bad) {
        arguments.extend(["--engine".to_string(), engine.clone()]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let server = Server::new(&arguments);
    let healthy = {
        let server = server.clone();
        tokio::spawn(async move {
            for _ in 0..100 {
                server.content("/api/ai", &ask("buxtehude")).await;
            }
        })
    };
    for round in 0..2 {
        let mut client = 0;
        let answers = FAULTS.map(|(name, ..)| {
            client += 1;
            let server = server.client(client);
            tokio::spawn(async move { server.post("/api/ai", &ask(name)).await })
        });
        for (answer, (name, _, status, words)) in answers.into_iter().zip(FAULTS) {
            let answer: Answer = answer.await.unwrap();
            let error = answer.error(status);
            assert!(
                error.contains(&format!("engine {name}")) && error.contains(words),
                "{round}: {error}"
            );
        }
    }
    healthy.await.unwrap();
    let game = json!({ "variant": "hase-und-igel", "players": 2, "moves": ["2"] });
    for (path, request) in [
        ("/api/analyse", ask("crashing")),
        ("/api/review", json!({ "game": game, "engine": "crashing" })),
    ] {
        let events = events(&server, path, &request).await;
        let (event, data) = events.last().unwrap();
        assert_eq!((event.as_str(), &data["ok"]), ("error", &json!(false)), "{path}");
        assert!(data["error"].as_str().unwrap().contains("out of carrots"), "{path}: {data}");
    }
}

#[tokio::test]
async fn an_engine_that_says_nothing_is_listed_with_its_fault() {
    let folder = folder("bad_engines_mute");
    let mute = folder.join("mute.sh");
    std::fs::write(&mute, "while read -r line; do :; done").unwrap();
    let mute = format!("{} name=mute", engine_text("/bin/sh", &[mute.to_str().unwrap()]));
    let server = Server::new(&[
        "--ready",
        "200",
        "--engine",
        &built_in(),
        "--engine",
        &mute,
        "--engine",
        "cmd=/nonexistent/x name=gone",
    ]);
    let engines = server.get("/api/engines").await.json["engines"].clone();
    assert_eq!(engines[0]["error"], Value::Null);
    for (number, name, words) in
        [(1, "mute", "no uciok"), (2, "gone", "cannot start /nonexistent/x")]
    {
        let listed = engines[number]["error"].as_str().unwrap();
        assert!(listed.contains(words), "{listed}");
        let error = server.post("/api/ai", &ask(name)).await.error(StatusCode::BAD_GATEWAY);
        assert!(error.contains(words), "{error}");
    }
    server.content("/api/ai", &ask("buxtehude")).await;
}

/// A process that has died while idle is replaced without an error.
#[tokio::test]
async fn a_process_that_died_while_idle_is_replaced() {
    let folder = folder("bad_engines_idle");
    let pid = folder.join("pid");
    let go = format!("echo $$ > {}; echo \"bestmove $1\"", quote_path(&pid));
    let server =
        Server::new(&["--engine", &engine(&folder, "mortal", &go, ":"), "--processes", "1"]);
    let mut request = ask("mortal");
    server.content("/api/ai", &request).await;
    let id: i32 = std::fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
    let id = rustix::process::Pid::from_raw(id).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    // Another game, so that the process gets a command before the question.
    request["game"]["moves"] = json!(["e1d2"]);
    server.content("/api/ai", &request).await;
}

/// A process that does not stop after its asker has gone is killed, and the next question gets a new one.
#[tokio::test]
async fn an_engine_that_does_not_stop_is_replaced() {
    let folder = folder("bad_engines_deaf");
    let server = Server::new(&[
        "--engine",
        &engine(&folder, "deaf", "sleep 100", ":"),
        "--engine",
        &built_in(),
        "--processes",
        "1",
    ]);
    let (asked, mut request) = (server.clone(), ask("deaf"));
    request["limit"] = json!("movetime 50000");
    let asking = tokio::spawn(async move { asked.post("/api/ai", &request).await });
    while server.app.pool.load().0 == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    asking.abort();
    let begun = Instant::now();
    server.content("/api/ai", &ask("buxtehude")).await;
    assert!(begun.elapsed() < Duration::from_secs(20));
}
