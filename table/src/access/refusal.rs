//! All errors for clients, as JSON with an HTTP status.

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use matches::record::printable::printable;
use serde_json::json;
use thiserror::Error;

use super::request::MOST_BODY_BYTES;
use crate::board::{GameError, NoChance};
use crate::pool::{Busy, Failing};

/// Reasons to refuse a request.
#[derive(Debug, Error)]
pub enum Refusal {
    /// The content type is not JSON.
    #[error("content type {found}; expected application/json")]
    ContentType {
        /// The content type, quoted, or a note that it is missing.
        found: String,
    },
    #[error("the body is too large; expected at most {MOST_BODY_BYTES} bytes")]
    TooLarge,
    /// The body did not arrive in time.
    #[error("the body did not arrive within {seconds} seconds; expected all of it by then")]
    TooSlow {
        /// Timeout in seconds.
        seconds: u64,
    },
    /// The connection was closed before the end of the body.
    #[error("the body is incomplete; expected all of it before the connection closes")]
    BrokenBody,
    /// The body does not match the operation's schema.
    #[error("{0}; expected the form described by GET /api")]
    Json(#[from] serde_json::Error),
    /// The path or the query does not match the operation.
    #[error("{0}; expected the form described by GET /api")]
    Target(String),
    /// The host is not one of this server's.
    #[error("host {found}; expected {expected}")]
    Host {
        /// The host, quoted, or a note that it is missing.
        found: String,
        /// The accepted hosts.
        expected: String,
    },
    /// The request comes from a page of another site.
    #[error("{header} {found}; expected a page of this server, or no browser")]
    Origin {
        /// Name of the header with the origin.
        header: &'static str,
        /// Its value, quoted.
        found: String,
    },
    /// There is no such path.
    #[error("there is no {path:?}; expected a path listed by GET /api")]
    NoPath { path: String },
    /// There is no file or game of this name.
    #[error("there is no {what} {name:?}; expected {expected}")]
    Nothing {
        /// Kind of object.
        what: &'static str,
        name: String,
        /// Existing names.
        expected: String,
    },
    /// The path does not support this method.
    #[error("{method} {path:?} is not supported; expected a method listed by GET /api")]
    Method { method: String, path: String },
    /// The game cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Another error in the request, with the expected input.
    #[error("{0}")]
    Wrong(String),
    /// A file of the server cannot be read or written.
    #[error("{0}")]
    Ours(String),
    /// The file has changed since the client read it.
    #[error("{0}")]
    Changed(String),
    /// The system has no random numbers.
    #[error(transparent)]
    NoChance(#[from] NoChance),
    /// The queue for engines is full.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// Too many requests are in progress.
    #[error("too many requests: {most} are in progress; try again later")]
    Crowded {
        /// Maximum number of concurrent requests.
        most: usize,
    },
    /// A position of a review has no value.
    #[error("{0}")]
    Unvalued(String),
    /// The engine gives no valid answer.
    #[error(transparent)]
    Engine(#[from] Failing),
}

impl Refusal {
    /// HTTP status of the answer.
    pub fn status(&self) -> StatusCode {
        match self {
            Refusal::ContentType { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Refusal::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::TooSlow { .. } => StatusCode::REQUEST_TIMEOUT,
            Refusal::BrokenBody
            | Refusal::Json(_)
            | Refusal::Target(_)
            | Refusal::Game(_)
            | Refusal::Wrong(_) => StatusCode::BAD_REQUEST,
            Refusal::Host { .. } => StatusCode::MISDIRECTED_REQUEST,
            Refusal::Origin { .. } => StatusCode::FORBIDDEN,
            Refusal::NoPath { .. } | Refusal::Nothing { .. } => StatusCode::NOT_FOUND,
            Refusal::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::Changed(_) => StatusCode::CONFLICT,
            Refusal::Ours(_) | Refusal::NoChance(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Refusal::Busy(_) | Refusal::Crowded { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Unvalued(_) => StatusCode::BAD_GATEWAY,
            Refusal::Engine(failing) => match failing {
                Failing::TooLate { .. } => StatusCode::GATEWAY_TIMEOUT,
                Failing::Ending => StatusCode::SERVICE_UNAVAILABLE,
                _ => StatusCode::BAD_GATEWAY,
            },
        }
    }

    /// JSON for the client; invisible characters are escaped.
    pub fn body(&self) -> serde_json::Value {
        json!({ "ok": false, "error": printable(&self.to_string()) })
    }
}

impl From<PathRejection> for Refusal {
    fn from(rejection: PathRejection) -> Refusal {
        Refusal::Target(rejection.body_text())
    }
}

impl From<QueryRejection> for Refusal {
    fn from(rejection: QueryRejection) -> Refusal {
        Refusal::Target(rejection.body_text())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status(), Json(self.body())).into_response()
    }
}
