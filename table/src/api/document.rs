//! The description of all operations: an OpenAPI document, generated from the types of requests and answers.

use std::sync::LazyLock;

use axum::Json;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::analyse::{AnalyseRequest, DoneEvent, InfoEvent, QueueEvent};
use super::engines::{AiAnswer, AiRequest, Engines};
use super::etudes::{EtudeFiles, Etudes, JudgeRequest, Judged};
use super::games::{GameFiles, Games, Recorded};
use super::review::ReviewRequest;
use super::rules::{GameRequest, NewRequest, PlayRequest, Shown, Solved};
use crate::board::{State, Took};

/// Generates the schema of a type.
type OfType = fn(&mut SchemaGenerator) -> Schema;

/// An operation with an example of its request or path, and of its answer.
struct Operation {
    method: &'static str,
    path: &'static str,
    about: &'static str,
    request: Option<OfType>,
    answer: AnswerOf,
    example: &'static str,
}

/// Type of an answer.
enum AnswerOf {
    Json(OfType),
    Events,
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

const OPERATIONS: &[Operation] = &[
    Operation {
        method: "post",
        path: "/api/new",
        about: "Start a game.",
        request: Some(of::<NewRequest>),
        answer: AnswerOf::Json(of::<State>),
        example: include_str!("examples/new.json"),
    },
    Operation {
        method: "post",
        path: "/api/show",
        about: "Show a game with all its steps.",
        request: Some(of::<GameRequest>),
        answer: AnswerOf::Json(of::<Shown>),
        example: include_str!("examples/show.json"),
    },
    Operation {
        method: "post",
        path: "/api/play",
        about: "Play a move, or a card if one is due. Cards that become due are drawn unless `draw` is false.",
        request: Some(of::<PlayRequest>),
        answer: AnswerOf::Json(of::<Took>),
        example: include_str!("examples/play.json"),
    },
    Operation {
        method: "post",
        path: "/api/draw",
        about: "Draw the card that is due.",
        request: Some(of::<GameRequest>),
        answer: AnswerOf::Json(of::<Took>),
        example: include_str!("examples/draw.json"),
    },
    Operation {
        method: "post",
        path: "/api/ai",
        about: "Have an engine move. 502: the engine failed; 503: the queue is full; 504: the engine timed out.",
        request: Some(of::<AiRequest>),
        answer: AnswerOf::Json(of::<AiAnswer>),
        example: include_str!("examples/ai.json"),
    },
    Operation {
        method: "post",
        path: "/api/analyse",
        about: "Have an engine analyse a position. Events: `queue` (QueueEvent) while the search waits, `info` \
                (InfoEvent) for each report of the engine, finally `done` (DoneEvent) or `error` (Error). Closing the \
                connection stops the search.",
        request: Some(of::<AnalyseRequest>),
        answer: AnswerOf::Events,
        example: include_str!("examples/analyse.json"),
    },
    Operation {
        method: "post",
        path: "/api/review",
        about: "Have an engine review a game. Events: `move` for each move, with its loss and the luck of its cards, \
                finally `done` with the sums of each seat or `error` (Error). The data is the JSON of `arbiter \
                review`. Closing the connection stops it.",
        request: Some(of::<ReviewRequest>),
        answer: AnswerOf::Events,
        example: include_str!("examples/review.json"),
    },
    Operation {
        method: "post",
        path: "/api/solved",
        about: "Outcome of every move in a solved game.",
        request: Some(of::<GameRequest>),
        answer: AnswerOf::Json(of::<Solved>),
        example: include_str!("examples/solved.json"),
    },
    Operation {
        method: "get",
        path: "/api/engines",
        about: "Engines and their load, games, and limits of requests.",
        request: None,
        answer: AnswerOf::Json(of::<Engines>),
        example: include_str!("examples/engines.json"),
    },
    Operation {
        method: "get",
        path: "/api/etudes",
        about: "Files of etudes.",
        request: None,
        answer: AnswerOf::Json(of::<EtudeFiles>),
        example: include_str!("examples/etude_files.json"),
    },
    Operation {
        method: "get",
        path: "/api/etudes/{file}",
        about: "Etudes of a file.",
        request: None,
        answer: AnswerOf::Json(of::<Etudes>),
        example: include_str!("examples/etudes.json"),
    },
    Operation {
        method: "post",
        path: "/api/etudes/{file}",
        about: "Judge an etude. 409: its line has changed since it was read.",
        request: Some(of::<JudgeRequest>),
        answer: AnswerOf::Json(of::<Judged>),
        example: include_str!("examples/judge.json"),
    },
    Operation {
        method: "get",
        path: "/api/games",
        about: "Files of recorded games.",
        request: None,
        answer: AnswerOf::Json(of::<GameFiles>),
        example: include_str!("examples/game_files.json"),
    },
    Operation {
        method: "get",
        path: "/api/games/{file}",
        about: "Part of the games of a file: `count` games after the first `from`.",
        request: None,
        answer: AnswerOf::Json(of::<Games>),
        example: include_str!("examples/games.json"),
    },
    Operation {
        method: "get",
        path: "/api/games/{file}/{number}",
        about: "A recorded game with its engines' reports.",
        request: None,
        answer: AnswerOf::Json(of::<Recorded>),
        example: include_str!("examples/game.json"),
    },
];

/// `GET /api`
pub async fn document() -> Json<&'static Value> {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(make);
    Json(&DOCUMENT)
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
        let described = operation.described(&mut generator);
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = described;
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
        "properties": { "ok": { "const": false }, "error": { "type": "string" } },
        "required": ["ok", "error"],
        "additionalProperties": false,
    })
}

impl Operation {
    fn described(&self, generator: &mut SchemaGenerator) -> Value {
        // A test checks that all examples are valid JSON.
        let example: Value = serde_json::from_str(self.example).unwrap_or_default();
        let answer = match self.answer {
            AnswerOf::Json(of_type) => json!({
                "application/json": { "schema": of_type(generator), "example": example["answer"] },
            }),
            AnswerOf::Events => json!({
                "text/event-stream": { "schema": { "type": "string" }, "example": example["answer"] },
            }),
        };
        let error = json!({ "$ref": "#/components/schemas/Error" });
        let mut described = json!({
            "summary": self.about,
            "responses": {
                "200": { "description": "Success.", "content": answer },
                "default": {
                    "description": "An error.",
                    "content": { "application/json": { "schema": error } },
                },
            },
        });
        if let Some(of_type) = self.request {
            described["requestBody"] = json!({
                "required": true,
                "content": {
                    "application/json": { "schema": of_type(generator), "example": example["request"] },
                },
            });
        }
        let parameters = self.parameters(&example["path"]);
        if !parameters.is_empty() {
            described["parameters"] = parameters.into();
        }
        described
    }

    /// Returns the parameters in the path and in the query, with their values in the example.
    fn parameters(&self, example: &Value) -> Vec<Value> {
        let names = self.path.split('/');
        let values = example.as_str().unwrap_or_default().split(['/', '?']);
        let in_path = names.zip(values).filter_map(|(name, value)| {
            let name = name.strip_prefix('{')?.strip_suffix('}')?;
            Some(json!({
                "name": name, "in": "path", "required": true, "schema": { "type": "string" }, "example": value,
            }))
        });
        let mut all: Vec<Value> = in_path.collect();
        if let Some((_, query)) = example.as_str().and_then(|path| path.split_once('?')) {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            all.extend(pairs.map(|(name, value)| {
                json!({ "name": name, "in": "query", "schema": { "type": "integer" }, "example": value })
            }));
        }
        all
    }
}
