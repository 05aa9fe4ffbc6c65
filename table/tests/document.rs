//! docs/table.md describes the operations as the server has them.

use std::collections::BTreeSet;
use std::path::Path;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::common::server::Server;

const DOCUMENT: &str = include_str!("../../docs/table.md");
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

fn server() -> Server {
    let data = |name: &str| Path::new(DATA).join(name).display().to_string();
    let (etudes, games) = (data("etudes.csv"), data("games.jsonl"));
    Server::with_engine(&["--etudes", &etudes, "--games", &games])
}

/// A row of the document's table of operations.
struct Operation {
    method: &'static str,
    path: &'static str,
    fields: BTreeSet<&'static str>,
    answer: BTreeSet<&'static str>,
}

/// The words of a text that are marked as code.
fn marked(text: &'static str) -> Vec<&'static str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn operations() -> Vec<Operation> {
    let rows = DOCUMENT.lines().filter(|line| line.starts_with("| `") && line.contains(" /api/"));
    let operation = |row: &'static str| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let (method, path) = marked(cells[0])[0].split_once(' ').unwrap();
        let fields = marked(cells[1]).into_iter().collect();
        Operation { method, path, fields, answer: marked(cells[2]).into_iter().collect() }
    };
    rows.map(operation).collect()
}

/// The examples: a method, a path, and the body of a `POST`.
fn examples() -> Vec<(&'static str, &'static str, Value)> {
    let (_, block) = DOCUMENT.split_once("```text\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let example = |line: &'static str| {
        let mut parts = line.splitn(3, ' ');
        let (method, path) = (parts.next().unwrap(), parts.next().unwrap());
        let body = parts.next().map_or(Value::Null, |body| serde_json::from_str(body).unwrap());
        (method, path, body)
    };
    block.lines().map(example).collect()
}

/// Whether the path of an example, without its query, is one of an operation.
fn is_of(path: &str, operation: &Operation) -> bool {
    let (path, _) = path.split_once('?').unwrap_or((path, ""));
    let (parts, pattern): (Vec<&str>, Vec<&str>) =
        (path.split('/').collect(), operation.path.split('/').collect());
    parts.len() == pattern.len()
        && parts.iter().zip(pattern).all(|(part, name)| *part == name || name.starts_with('{'))
}

#[test]
fn every_route_has_a_row_and_every_row_a_route() {
    let source = include_str!("../src/api.rs");
    let routes: Vec<(&str, &str)> = source
        .split(".route(\"")
        .skip(1)
        .filter(|route| route.starts_with("/api/"))
        .map(|route| {
            let (path, rest) = route.split_once('"').unwrap();
            (if rest.starts_with(", get(") { "GET" } else { "POST" }, path)
        })
        .collect();
    let rows: Vec<(&str, &str)> = operations().iter().map(|row| (row.method, row.path)).collect();
    assert!(rows.len() > 10);
    assert_eq!(rows, routes);
}

/// The server names the fields that it knows if it gets another one.
#[tokio::test]
async fn every_row_has_the_fields_of_its_request() {
    let server = server();
    for row in operations() {
        let path = row.path.replace("{file}", "games").replace("{number}", "1");
        let answer = match row.method {
            "POST" => server.post(&path, &json!({ "other": 1 })).await,
            _ if row.fields.is_empty() => continue,
            _ => server.get(&format!("{path}?other=1")).await,
        };
        let error: &'static str = answer.error(StatusCode::BAD_REQUEST).leak();
        let (_, known) = error.split_once("unknown field `other`, expected ").unwrap();
        assert_eq!(row.fields, marked(known).into_iter().collect(), "{}", row.path);
    }
}

#[tokio::test]
async fn every_row_has_an_example_that_gives_its_answer() {
    let server = server();
    let mut rows = operations();
    for (method, path, body) in examples() {
        let answer = match method {
            "GET" => server.get(path).await,
            _ => server.post(path, &body).await,
        };
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.json);
        let row = rows.iter().position(|row| row.method == method && is_of(path, row)).unwrap();
        let row = rows.remove(row);
        let described: BTreeSet<&str> = marked(DOCUMENT).into_iter().collect();
        match &answer.json {
            Value::String(events) => {
                let events: BTreeSet<&str> =
                    events.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
                assert!(events.is_subset(&row.answer) && events.contains("done"), "{events:?}");
            }
            answer => {
                let mut expected = row.answer;
                expected.insert("ok");
                if expected.remove("state") {
                    expected.extend(marked(sentence("A state has")));
                }
                let found = answer.as_object().unwrap().keys().map(String::as_str);
                assert_eq!(found.collect::<BTreeSet<&str>>(), expected, "{path}");
                for name in names_in(answer) {
                    assert!(described.contains(&*name), "{path}: docs/table.md lacks {name:?}");
                }
            }
        }
    }
    let without: Vec<&str> = rows.iter().map(|row| row.path).collect();
    assert!(without.is_empty(), "{without:?} have no example");
}

/// The sentence of the document that begins with some words.
fn sentence(words: &str) -> &'static str {
    let (_, rest) = DOCUMENT.split_once(words).unwrap();
    rest.split_once('.').unwrap().0
}

/// The names of the fields in a value, at any depth.
fn names_in(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            fields.keys().cloned().chain(fields.values().flat_map(names_in)).collect()
        }
        Value::Array(items) => items.iter().flat_map(names_in).collect(),
        _ => Vec::new(),
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
    let server = server();
    let mut sent = 0;
    for (_, path, body) in examples() {
        for request in with_arrays(&body) {
            let answer = server.post(path, &request).await;
            let error = answer.error(StatusCode::BAD_REQUEST);
            let expected = "invalid type: sequence, expected";
            assert!(error.contains(expected), "{path} {request}: {error}");
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
        server.post(path, &request).await.error(StatusCode::BAD_REQUEST);
    }
}
