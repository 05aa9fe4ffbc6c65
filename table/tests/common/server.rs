//! The server without a socket, and its answers.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_TYPE, COOKIE, HOST};
use axum::http::{Request, StatusCode};
use clap::Parser;
use matches::spelling::engine_text;
use serde_json::{Value, json};
use table::access::Hosts;
use table::api::App;
use table::args::Cli;
use table::server::{app, router};
use tower::ServiceExt;

/// Host name of the server in requests.
pub const NAME: &str = "localhost:8000";

/// The built-in engine as a separate program.
pub fn built_in() -> String {
    format!("{} name=buxtehude", engine_text(env!("CARGO_BIN_EXE_table"), &["engine"]))
}

#[derive(Clone)]
pub struct Server {
    pub router: Router,
    pub app: App,
    /// Cookie of the client that sends the requests; empty for none.
    pub cookie: String,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub json: Value,
}

impl Server {
    /// Creates a server with these arguments; without `--engine` its only engine cannot be started.
    pub fn new(arguments: &[&str]) -> Server {
        let mut all = vec!["table"];
        all.extend(arguments);
        if !arguments.contains(&"--engine") {
            all.extend(["--engine", "cmd=/nonexistent/engine"]);
        }
        let cli = Cli::parse_from(all);
        let app = app(&cli.serve, None).unwrap();
        let address = "127.0.0.1:8000".parse().unwrap();
        Server { router: router(app.clone(), Hosts::of(address, &[])), app, cookie: String::new() }
    }

    /// The same server with another client.
    pub fn client(&self, number: usize) -> Server {
        let cookie = format!("client={number:032x}");
        Server { cookie, ..self.clone() }
    }

    /// A server with the built-in engine.
    pub fn with_engine(arguments: &[&str]) -> Server {
        let engine = built_in();
        Server::new(&[&["--engine", &engine], arguments].concat())
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let json = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
        Answer { status, json }
    }

    pub async fn get(&self, path: &str) -> Answer {
        let request = Request::get(path).header(HOST, NAME).body(Body::empty());
        self.send(request.unwrap()).await
    }

    pub async fn post_text(&self, path: &str, text: impl Into<Body>) -> Answer {
        let request = Request::post(path)
            .header(HOST, NAME)
            .header(COOKIE, &self.cookie)
            .header(CONTENT_TYPE, "application/json");
        self.send(request.body(text.into()).unwrap()).await
    }

    pub async fn post(&self, path: &str, json: &Value) -> Answer {
        self.post_text(path, json.to_string()).await
    }

    /// Sends a valid request; returns the answer.
    pub async fn content(&self, path: &str, json: &Value) -> Value {
        let answer = self.post(path, json).await;
        assert_eq!(answer.status, StatusCode::OK, "{path} {json}: {}", answer.json);
        assert_eq!(answer.json["ok"], json!(true), "{path} {json}: {}", answer.json);
        answer.json
    }
}

impl Answer {
    /// Returns the message of an error, which must have this status.
    pub fn error(&self, status: StatusCode) -> String {
        assert_eq!(self.status, status, "{}", self.json);
        assert_eq!(self.json["ok"], json!(false), "{}", self.json);
        self.json["error"].as_str().unwrap().to_string()
    }
}
