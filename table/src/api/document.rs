//! The description of all operations: an OpenAPI document, generated from the types of requests and answers.

use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::analyse::{AnalyseRequest, DoneEvent, InfoEvent, QueueEvent};
use super::engines::{AiAnswer, AiRequest, Engines};
use super::etudes::{EtudeFiles, Etudes, JudgeRequest, Judged};
use super::games::{GameFiles, Games, Recorded};
use super::record::{GameLine, RecordRequest};
use super::review::ReviewRequest;
use super::rules::{GameRequest, NewRequest, PlayRequest, ShowRequest, Shown, Solved};
use crate::board::{State, Took};

type OfType = fn(&mut SchemaGenerator) -> Schema;

/// An operation with the types of its request and of its answer, unless the answer is a stream of events. A file names
/// its method and path, and has an example of its request and answer.
struct Operation {
    file: &'static str,
    request: Option<OfType>,
    answer: Option<OfType>,
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

const fn get<A: JsonSchema>(file: &'static str) -> Operation {
    let (request, answer) = (None, Some(of::<A> as OfType));
    Operation { file, request, answer }
}

const fn post<R: JsonSchema, A: JsonSchema>(file: &'static str) -> Operation {
    let request = Some(of::<R> as OfType);
    Operation { request, ..get::<A>(file) }
}

const fn stream<R: JsonSchema>(file: &'static str) -> Operation {
    let (request, answer) = (Some(of::<R> as OfType), None);
    Operation { file, request, answer }
}

const OPERATIONS: &[Operation] = &[
    post::<NewRequest, State>(include_str!("examples/new.json")),
    post::<ShowRequest, Shown>(include_str!("examples/show.json")),
    post::<PlayRequest, Took>(include_str!("examples/play.json")),
    post::<GameRequest, Took>(include_str!("examples/draw.json")),
    post::<AiRequest, AiAnswer>(include_str!("examples/ai.json")),
    stream::<AnalyseRequest>(include_str!("examples/analyse.json")),
    stream::<ReviewRequest>(include_str!("examples/review.json")),
    post::<GameRequest, Solved>(include_str!("examples/solved.json")),
    post::<RecordRequest, GameLine>(include_str!("examples/record.json")),
    get::<Engines>(include_str!("examples/engines.json")),
    get::<EtudeFiles>(include_str!("examples/etude_files.json")),
    get::<Etudes>(include_str!("examples/etudes.json")),
    post::<JudgeRequest, Judged>(include_str!("examples/judge.json")),
    get::<GameFiles>(include_str!("examples/game_files.json")),
    get::<Games>(include_str!("examples/games.json")),
    get::<Recorded>(include_str!("examples/game.json")),
];

/// `GET /api`
pub async fn document() -> impl IntoResponse {
    static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| make().to_string().into());
    ([(CONTENT_TYPE, "application/json")], DOCUMENT.clone())
}

fn make() -> Value {
    let settings = SchemaSettings::draft2020_12();
    let settings = settings.with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for operation in OPERATIONS {
        // A test checks that all examples are valid JSON.
        let example: Value = serde_json::from_str(operation.file).unwrap_or_default();
        let target = example["operation"].as_str().unwrap_or_default();
        let (method, path) = target.split_once(' ').unwrap_or_default();
        let described = operation.described(&example, path, &mut generator);
        paths.entry(path).or_insert_with(|| json!({}))[method] = described;
    }
    for event in [of::<QueueEvent>, of::<InfoEvent>, of::<DoneEvent>] {
        event(&mut generator);
    }
    let mut schemas = generator.take_definitions(true);
    schemas.insert("Error".to_string(), error_schema());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "table",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A board in the browser. The server stores no games: each request contains the whole game. \
                Seats are numbered from 1, squares and pieces from 0.",
        },
        "paths": paths,
        "components": { "schemas": schemas },
    })
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "The error, and the expected input.",
        "properties": {
            "ok": { "const": false },
            "error": { "type": "string" },
            "status": { "type": "integer", "description": "Status of the answer, or of an event `error`." },
        },
        "required": ["ok", "error", "status"],
        "additionalProperties": false,
    })
}

impl Operation {
    fn described(&self, example: &Value, path: &str, generator: &mut SchemaGenerator) -> Value {
        let json = |schema: Value, example: &Value| {
            let content = json!({ "schema": schema, "example": example });
            json!({ "application/json": content })
        };
        let answer = match self.answer {
            Some(of_type) => json(of_type(generator).into(), &example["answer"]),
            None => json!({
                "text/event-stream": { "schema": { "type": "string" }, "example": example["answer"] },
            }),
        };
        let mut described = json!({
            "summary": example["about"],
            "responses": {
                "200": { "description": "Success.", "content": answer },
                "default": {
                    "description": "An error.",
                    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
                },
            },
        });
        if let Some(of_type) = self.request {
            let content = json(of_type(generator).into(), &example["request"]);
            described["requestBody"] = json!({ "required": true, "content": content });
        }
        let parameters = parameters(path, example["path"].as_str().unwrap_or_default());
        if !parameters.is_empty() {
            described["parameters"] = parameters.into();
        }
        described
    }
}

/// Returns the parameters in the path and in the query, with their values in the example.
fn parameters(path: &str, example: &str) -> Vec<Value> {
    let values = example.split(['/', '?']);
    let in_path = path.split('/').zip(values).filter_map(|(name, value)| {
        let name = name.strip_prefix('{')?.strip_suffix('}')?;
        Some(json!({
            "name": name, "in": "path", "required": true, "schema": { "type": "string" }, "example": value,
        }))
    });
    let (_, query) = example.split_once('?').unwrap_or_default();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let in_query = pairs.map(|(name, value)| {
        json!({ "name": name, "in": "query", "schema": { "type": "integer" }, "example": value })
    });
    in_path.chain(in_query).collect()
}
