//! Every error that a client is told of, as JSON with a fitting status.

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

/// Why a request is not done as it was asked for.
#[derive(Debug, Error)]
pub enum Refusal {
    /// It is not said to be JSON.
    #[error("content type {found}; expected application/json")]
    ContentType {
        /// What it is said to be, quoted, or that nothing is said.
        found: String,
    },
    /// The body is too long.
    #[error("the body is too large; expected at most {MOST_BODY_BYTES} bytes")]
    TooLarge,
    /// The body does not come.
    #[error("the body did not arrive within {seconds} seconds; expected all of it by then")]
    TooSlow {
        /// How long it was waited for.
        seconds: u64,
    },
    /// The body broke off.
    #[error("the body is incomplete; expected all of it before the connection closes")]
    BrokenBody,
    /// The body is not what the operation takes.
    #[error("{0}; expected the form described by GET /api")]
    Json(#[from] serde_json::Error),
    /// The path or the query is not what the operation takes.
    #[error("{0}; expected the form described by GET /api")]
    Target(String),
    /// It is sent to somebody else.
    #[error("host {found}; expected {expected}")]
    Host {
        /// The name, quoted, or that there is none.
        found: String,
        /// The names by which we are known.
        expected: String,
    },
    /// It comes from the page of somebody else.
    #[error("{header} {found}; expected a page of this server, or no browser")]
    Origin {
        /// The header that says so.
        header: &'static str,
        /// What it says, quoted.
        found: String,
    },
    /// There is nothing of that path.
    #[error("there is no {path:?}; expected a path listed by GET /api")]
    NoPath {
        /// The path.
        path: String,
    },
    /// There is nothing of that name.
    #[error("there is no {what} {name:?}; expected {expected}")]
    Nothing {
        /// What it would be.
        what: &'static str,
        /// The name.
        name: String,
        /// What there is.
        expected: String,
    },
    /// The path is for other methods.
    #[error("{method} {path:?} is not supported; expected a method listed by GET /api")]
    Method {
        /// The method.
        method: String,
        /// The path.
        path: String,
    },
    /// The game cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Something else about the request is wrong: what it was, and what was expected.
    #[error("{0}")]
    Wrong(String),
    /// Something of ours cannot be read or written.
    #[error("{0}")]
    Ours(String),
    /// What the client saw is not there any more.
    #[error("{0}")]
    Changed(String),
    /// There are no random numbers.
    #[error(transparent)]
    NoChance(#[from] NoChance),
    /// There is no room in the queue for engines.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// There are too many requests at a time.
    #[error("too many requests: {most} are in progress; try again later")]
    Crowded {
        /// How many are answered at a time.
        most: usize,
    },
    /// A position of a review has no value.
    #[error("{0}")]
    Unvalued(String),
    /// The engine gives no answer that stands.
    #[error(transparent)]
    Engine(#[from] Failing),
}

impl Refusal {
    /// The status with which it is sent.
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

    /// What the client is told: characters that are not seen are escapes in it.
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
