//! Errors for clients: each has its status, and a message with the error and the expected input.

use axum::body::Body;
use axum::http::header::HOST;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use table::game::MAX_WORDS;
use table::requests::MAX_BODY_BYTES;

use crate::common::program::folder;
use crate::common::server::{NAME, Server};

fn fox(words: &[&str]) -> Value {
    json!({ "variant": "fox-and-hounds", "players": 2, "moves": words })
}

#[tokio::test]
async fn invalid_requests_are_explained() {
    let server = Server::with_engine(&["--longest-search", "1000"]);
    let hare = json!({ "variant": "hase-und-igel", "players": 2, "moves": ["1"] });
    for (path, request, expected) in [
        ("/api/new", json!({}), "missing field `variant`"),
        (
            "/api/new",
            json!({ "variant": "chess", "players": 2 }),
            "unknown variant \"chess\": expected hase-und-igel",
        ),
        (
            "/api/new",
            json!({ "variant": "hase-und-igel" }),
            "neither players nor start; expected one of",
        ),
        (
            "/api/new",
            json!({ "variant": "hase-und-igel", "players": 7 }),
            "expected one of 2, 3, 4, 5, 6",
        ),
        (
            "/api/new",
            json!({ "variant": "hase-und-igel", "players": u64::MAX }),
            "18446744073709551615 players: expected one of 2, 3, 4, 5, 6",
        ),
        ("/api/new", json!({ "variant": "fox-and-hounds", "players": 3 }), "3 players: expected 2"),
        (
            "/api/new",
            json!({ "variant": "fox-and-hounds", "players": -1 }),
            "invalid value: integer `-1`",
        ),
        (
            "/api/new",
            json!({ "variant": "hase-und-igel", "players": 2, "start": "x" }),
            "both players and start",
        ),
        ("/api/new", json!({ "variant": "hase-und-igel", "start": "x" }), "position \"x\" refused"),
        (
            "/api/new",
            json!({ "variant": "hase-und-igel", "start": "x".repeat(1001) }),
            "expected at most 1000",
        ),
        (
            "/api/new",
            json!({ "variant": "hase-und-igel", "players": 2, "colour": 3 }),
            "unknown field `colour`",
        ),
        ("/api/new", json!([]), "invalid type: sequence, expected an object"),
        ("/api/show", json!({ "game": fox(&["e1d2", "a1a1"]) }), "word 2: a1a1 is illegal"),
        ("/api/show", json!({ "game": fox(&["e1c3"]) }), "word 1: e1c3 is illegal"),
        ("/api/show", json!({ "game": fox(&["e1\u{1b}[31m"]) }), r"\u{1b}"),
        (
            "/api/show",
            json!({ "game": fox(&[&"9".repeat(500)]) }),
            "is not a move: expected a move or a card",
        ),
        (
            "/api/show",
            json!({ "game": { "variant": "fox-and-hounds", "players": 2, "moves": [3] } }),
            "expected a string",
        ),
        ("/api/play", json!({ "game": fox(&[]) }), "missing field `move`"),
        ("/api/play", json!({ "game": fox(&[]), "move": "e1e3" }), "word 1: e1e3"),
        ("/api/play", json!({ "game": fox(&[]), "move": "e1d2", "draw": 1 }), "expected a boolean"),
        ("/api/play", json!({ "game": hare, "move": "4" }), "word 2: 4 is illegal"),
        (
            "/api/draw",
            json!({ "game": fox(&[]) }),
            "no card is due; expected a game where a card is due",
        ),
        (
            "/api/ai",
            json!({ "game": hare }),
            "a card is due; expected a game where a seat is to move",
        ),
        (
            "/api/ai",
            json!({ "game": fox(&[]), "engine": "x" }),
            "there is no engine \"x\"; expected one of buxtehude",
        ),
        (
            "/api/ai",
            json!({ "game": fox(&[]), "limit": "infinite" }),
            "limit \"infinite\"; expected movetime, depth",
        ),
        (
            "/api/ai",
            json!({ "game": fox(&[]), "limit": "movetime 1001" }),
            "expected a movetime of at most 1000",
        ),
        (
            "/api/ai",
            json!({ "game": fox(&[]), "limit": "depth 1\nquit" }),
            "expected movetime, depth",
        ),
        (
            "/api/ai",
            json!({ "game": fox(&[]), "options": { "Strength": "3" } }),
            "the engine does not offer it",
        ),
        (
            "/api/ai",
            json!({ "game": fox(&[]), "options": { "Level": "11" } }),
            "it accepts a whole number from 1 to 10",
        ),
        (
            "/api/ai",
            json!({ "game": fox(&[]), "options": { "Hash": "65536" } }),
            "65536; expected at most 256",
        ),
        (
            "/api/ai",
            json!({ "game": fox(&[]), "options": { "threads": "64" } }),
            "64; expected at most 1",
        ),
        (
            "/api/ai",
            json!({ "game": fox(&[]), "options": { "Level": "1", "level": "2" } }),
            "it is given twice",
        ),
        ("/api/ai", json!({ "game": fox(&[]), "options": { "Level": 1 } }), "expected a string"),
        ("/api/analyse", json!({ "game": fox(&[]), "options": { "MultiPV": "73" } }), "MultiPV"),
    ] {
        let error = server.post(path, &request).await.error(StatusCode::BAD_REQUEST);
        assert!(error.contains(expected), "{path} {request}: {error}");
    }
}

/// Clients may not set options that name files or do more than set a value.
#[tokio::test]
async fn no_client_reaches_a_file_or_another_variant() {
    let folder = folder("refusals_options");
    let server = Server::with_engine(&[]);
    let file = folder.join("log").display().to_string();
    for name in
        ["Debug Log File", "debug log file", "EvalFile", "Caps", "UCI_Variant", "Clear Hash"]
    {
        let options = json!({ "game": fox(&[]), "limit": "depth 1", "options": { name: file } });
        let error = server.post("/api/ai", &options).await.error(StatusCode::BAD_REQUEST);
        assert!(error.contains("clients may not set it"), "{name}: {error}");
    }
    assert_eq!(folder.read_dir().unwrap().count(), 0);
    let engines = server.get("/api/engines").await.json;
    let offered = engines["engines"][0]["options"].as_array().unwrap();
    assert!(
        offered
            .iter()
            .all(|option| ["check", "spin", "combo"].contains(&option["type"].as_str().unwrap()))
    );
}

#[tokio::test]
async fn malformed_json_is_refused() {
    let server = Server::new(&[]);
    for text in ["", "{", "null", "3", "{\"variant\":", "\u{0}", "{\"variant\":\"x\",}"] {
        let error = server.post_text("/api/new", text).await.error(StatusCode::BAD_REQUEST);
        assert!(error.ends_with("; expected the form described in docs/table.md"), "{error}");
    }
    let bytes = server.post_text("/api/new", vec![0xff, 0xfe, b'{']).await;
    bytes.error(StatusCode::BAD_REQUEST);
    let deep = "[".repeat(100_000);
    server.post_text("/api/new", deep).await.error(StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn bodies_and_games_are_bounded() {
    let server = Server::new(&[]);
    let start = r#"{"variant":"fox-and-hounds","players":2,"start":""#;
    let text = format!("{start}{}\"}}", "x".repeat(MAX_BODY_BYTES));
    let error = server.post_text("/api/new", text).await.error(StatusCode::PAYLOAD_TOO_LARGE);
    assert!(error.contains("expected at most 262144 bytes"), "{error}");
    // One word more than the maximum, mostly moves to and fro.
    let words = ["e1d2", "b8a7", "d2e1", "x"];
    let long: Vec<&str> = words.into_iter().cycle().take(MAX_WORDS + 1).collect();
    let error = server
        .post("/api/show", &json!({ "game": fox(&long) }))
        .await
        .error(StatusCode::BAD_REQUEST);
    assert!(error.contains("4097 words; expected at most 4096"), "{error}");
}

#[tokio::test]
async fn unknown_paths_are_refused() {
    let server = Server::new(&[]);
    for path in
        ["/nothing", "/api/", "/api/new/", "/table.js/x", "/../Cargo.toml", "/%2e%2e/Cargo.toml"]
    {
        let error = server.get(path).await.error(StatusCode::NOT_FOUND);
        assert!(error.contains(path) && error.contains("expected a path"), "{error}");
    }
    // No answer repeats a long text.
    let long = "a".repeat(20_000);
    let path = server.get(&format!("/{long}")).await;
    let field = server.post("/api/new", &json!({ &long: 1 })).await;
    let fault = server.post("/api/new", &json!({ "variant": long })).await;
    for answer in [path, field, fault] {
        assert!(answer.status.is_client_error());
        assert!(answer.json.to_string().len() < 1000, "{}", answer.json);
    }
    for (what, path) in [
        ("file of etudes", "/api/etudes/x"),
        ("file of games", "/api/games/x"),
        ("file of games", "/api/games/x/1"),
    ] {
        let error = server.get(path).await.error(StatusCode::NOT_FOUND);
        assert!(error.contains(&format!("there is no {what} \"x\"; expected none")), "{error}");
    }
    let error = server.get("/api/games/x/one").await.error(StatusCode::BAD_REQUEST);
    assert!(error.contains("one"), "{error}");
    server.get("/api/games/%ff").await.error(StatusCode::BAD_REQUEST);
    let error = server.get("/api/games/x?count=-1").await.error(StatusCode::BAD_REQUEST);
    assert!(error.contains("expected the form described in docs/table.md"), "{error}");
    server.get("/api/games/x?page=1").await.error(StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn another_method_is_refused() {
    let server = Server::new(&[]);
    for (method, path) in [
        ("GET", "/api/new"),
        ("PUT", "/api/play"),
        ("DELETE", "/"),
        ("OPTIONS", "/api/ai"),
        ("POST", "/table.js"),
        ("POST", "/api/engines"),
        ("BREW", "/api/show"),
    ] {
        let request =
            Request::builder().method(method).uri(path).header(HOST, NAME).body(Body::empty());
        let error = server.send(request.unwrap()).await.error(StatusCode::METHOD_NOT_ALLOWED);
        assert!(error.contains(method) && error.contains("expected a method"), "{error}");
    }
}
