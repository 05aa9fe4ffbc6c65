//! The description of the operations matches the server.
//!
//! With `UPDATE_EXAMPLES=1` the test rewrites the answers in the examples.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::program::folder;
use crate::common::server::{Answer, Server};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/api/examples");
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// A server with games and etudes; the etudes are a copy that may be judged.
pub fn server(test: &str) -> Server {
    let etudes = folder(test).join("etudes.csv");
    std::fs::copy(Path::new(DATA).join("etudes.csv"), &etudes).unwrap();
    let games = Path::new(DATA).join("games.jsonl");
    Server::with_engine(&[
        "--processes",
        "2",
        "--seed",
        "7",
        "--etudes",
        etudes.to_str().unwrap(),
        "--games",
        games.to_str().unwrap(),
    ])
}

/// The operations of the document, each with its method and path.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, operations)| {
        let operations = operations.as_object().unwrap().iter();
        operations.map(|(method, operation)| (method.clone(), path.clone(), operation.clone()))
    });
    all.collect()
}

fn assert_valid(document: &Value, schema: &Value, value: &Value) {
    let whole = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [schema], "components": document["components"] });
    let validator = jsonschema::draft202012::new(&whole).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| error.to_string()).take(3).collect();
    assert!(errors.is_empty(), "{errors:?} in {value}");
}

/// The answer with varying numbers replaced by 0.
fn masked(answer: &Answer) -> Value {
    let Value::String(text) = &answer.json else {
        return answer.json.clone();
    };
    let mut masked = text.clone();
    for name in ["nps", "time"] {
        let key = format!("\"{name}\":");
        let parts: Vec<String> = masked
            .split(&key)
            .enumerate()
            .map(|(index, part)| match index {
                0 => part.to_string(),
                _ => format!("0{}", part.trim_start_matches(|c: char| c.is_ascii_digit())),
            })
            .collect();
        masked = parts.join(&key);
    }
    Value::String(masked)
}

#[tokio::test]
async fn every_example_runs() {
    let server = server("document_examples");
    let document = server.get("/api").await.json;
    let mut examples: Vec<PathBuf> =
        std::fs::read_dir(EXAMPLES).unwrap().map(|entry| entry.unwrap().path()).collect();
    // Examples that change a file come last.
    examples.sort_by_key(|path| (path.ends_with("judge.json"), path.clone()));
    let updates = std::env::var_os("UPDATE_EXAMPLES").is_some();
    for file in &examples {
        let mut example: Value =
            serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let stem = file.file_stem().unwrap().to_str().unwrap();
        let path = example["path"].as_str().map_or(format!("/api/{stem}"), String::from);
        let answer = match &example["request"] {
            Value::Null => server.get(&path).await,
            request => server.post(&path, request).await,
        };
        assert!(answer.status.is_success(), "{path}: {}", answer.json);
        if updates {
            example["answer"] = masked(&answer);
            let text = serde_json::to_string_pretty(&example).unwrap();
            std::fs::write(file, format!("{text}\n")).unwrap();
        }
        assert_eq!(masked(&answer), example["answer"], "{path}");
    }
    let described = operations(&document);
    assert_eq!(described.len(), examples.len());
    if updates {
        return;
    }
    for (method, path, operation) in described {
        let request = &operation["requestBody"]["content"]["application/json"];
        if method == "post" {
            assert_valid(&document, &request["schema"], &request["example"]);
        }
        let answer = &operation["responses"]["200"]["content"];
        if let Some(answer) = answer.get("application/json") {
            assert_eq!(answer["example"]["ok"], json!(true), "{path}");
            assert_valid(&document, &answer["schema"], &answer["example"]);
        }
    }
}

/// Every object with values replaced by an array of its values.
fn with_arrays(value: &Value) -> Vec<Value> {
    let Value::Object(fields) = value else {
        return Vec::new();
    };
    let mut found = vec![Value::Array(fields.values().cloned().collect())];
    for (name, field) in fields {
        for inner in with_arrays(field) {
            let mut whole = value.clone();
            whole[name] = inner;
            found.push(whole);
        }
    }
    found
}

/// An object in a request cannot be sent as an array of its fields.
#[tokio::test]
async fn no_array_is_an_object() {
    let server = server("document_arrays");
    let document = server.get("/api").await.json;
    let mut sent = 0;
    for (method, path, operation) in operations(&document) {
        let example = &operation["requestBody"]["content"]["application/json"]["example"];
        for request in with_arrays(example) {
            let answer = server.post(&path, &request).await;
            let error = answer.error(axum::http::StatusCode::BAD_REQUEST);
            let expected = "invalid type: sequence, expected";
            assert!(error.contains(expected), "{method} {path} {request}: {error}");
            sent += 1;
        }
    }
    assert!(sent > 10);
    // The fields in the order of the struct, which serde accepts.
    let game = json!(["fox-and-hounds", 2, null, []]);
    for (path, request) in [
        ("/api/new", json!(["fox-and-hounds", 2, null])),
        ("/api/show", json!({ "game": game })),
        ("/api/draw", json!([game])),
    ] {
        let answer = server.post(path, &request).await;
        answer.error(axum::http::StatusCode::BAD_REQUEST);
    }
}

#[tokio::test]
async fn events_and_errors_are_described() {
    let server = server("document_events");
    let document = server.get("/api").await.json;
    let schema = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let request = json!({
        "game": { "variant": "hare-and-tortoise", "players": 4 }, "limit": "nodes 300", "lines": 2,
    });
    let events = crate::engines::events(&server, "/api/analyse", &request).await;
    assert!(events.len() > 2);
    for (event, data) in events {
        let name = if event == "done" { "DoneEvent" } else { "InfoEvent" };
        assert_valid(&document, &schema(name), &data);
    }
    for (path, request) in
        [("/api/new", json!({})), ("/api/nothing", json!({})), ("/api/engines", json!({}))]
    {
        assert_valid(&document, &schema("Error"), &server.post(path, &request).await.json);
    }
}

/// The document describes exactly the paths of the router.
#[tokio::test]
async fn every_path_is_described() {
    let server = server("document_paths");
    let document = server.get("/api").await.json;
    let source = include_str!("../src/router.rs");
    let routed: Vec<&str> =
        source.split(".route(").skip(1).filter_map(|rest| rest.split('"').nth(1)).collect();
    let routed: Vec<&str> = routed.into_iter().filter(|path| path.starts_with("/api/")).collect();
    let described = document["paths"].as_object().unwrap();
    assert!(routed.len() > 10);
    for path in &routed {
        assert!(described.contains_key(*path), "{path}");
    }
    assert_eq!(routed.len(), described.len());
}
