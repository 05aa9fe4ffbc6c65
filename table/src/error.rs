//! Errors for clients, as JSON with an HTTP status.

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use matches::plan::deck::SysError;
use matches::play::engine::StartError;
use matches::record::printable::{printable, shortened};
use serde_json::{Value, json};
use thiserror::Error;

/// Maximum length of a parser's message, which quotes the client.
const MAX_REASON_LENGTH: usize = 400;

/// Maximum length of a client's text in a message.
const MAX_QUOTED_LENGTH: usize = 100;

#[derive(Debug, Error)]
#[error("{message}")]
pub struct ApiError {
    status: StatusCode,
    /// The fault, and the expected input.
    message: String,
}

impl ApiError {
    pub fn new(status: StatusCode, message: impl Into<String>) -> ApiError {
        let message = message.into();
        ApiError { status, message }
    }

    pub fn invalid(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, message)
    }

    pub fn not_found(what: &str, name: &str, expected: &str) -> ApiError {
        let message = format!("there is no {what} {name:?}; expected {expected}");
        ApiError::new(StatusCode::NOT_FOUND, message)
    }

    /// The request is valid, but the server cannot answer it.
    pub fn internal(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// An engine fails, or its answer is useless.
    pub fn bad_gateway(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_GATEWAY, message)
    }

    pub fn ending() -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "the server is shutting down")
    }

    /// JSON for the client; invisible characters are escaped.
    pub fn body(&self) -> Value {
        json!({
            "ok": false,
            "error": printable(&self.message),
            "status": self.status.as_u16(),
        })
    }
}

impl From<SysError> for ApiError {
    fn from(error: SysError) -> ApiError {
        ApiError::internal(format!("the system has no random numbers: {error}"))
    }
}

impl From<StartError> for ApiError {
    fn from(error: StartError) -> ApiError {
        match error {
            StartError::Interrupted => ApiError::ending(),
            error => ApiError::bad_gateway(error.to_string()),
        }
    }
}

/// The error of a value that does not match the schema of an operation.
fn mismatch(reason: &str) -> ApiError {
    let reason = shortened(reason, MAX_REASON_LENGTH);
    ApiError::invalid(format!("{reason}; expected the form described in docs/table.md"))
}

impl From<serde_json::Error> for ApiError {
    fn from(error: serde_json::Error) -> ApiError {
        mismatch(&error.to_string())
    }
}

impl From<PathRejection> for ApiError {
    fn from(rejection: PathRejection) -> ApiError {
        mismatch(&rejection.body_text())
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> ApiError {
        mismatch(&rejection.body_text())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(self.body())).into_response()
    }
}

/// Quotes a client's text, shortened if it is long.
pub fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text, MAX_QUOTED_LENGTH))
}
