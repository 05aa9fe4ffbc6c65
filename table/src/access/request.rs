//! The body of a request: JSON of limited length, without unknown fields.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

use super::Refusal;
use matches::record::printable::shortened;

/// Maximum length of a body.
pub const MOST_BODY_BYTES: usize = 256 * 1024;
/// Timeout for a body.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum length of a header in an error message.
const LONGEST_QUOTED: usize = 100;

/// Parsed body of a request.
///
/// Only a body with content type JSON is accepted: a page of another site can send one only if the server allows it by
/// CORS headers, which it never does.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Wanted<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Wanted<T>, Refusal> {
        check_content_type(request.headers())?;
        let bytes = tokio::time::timeout(PATIENCE, read(request.into_body())).await;
        let bytes = bytes.map_err(|_| Refusal::TooSlow {
            seconds: PATIENCE.as_secs(),
        })??;
        Ok(Wanted(serde_json::from_slice(&bytes)?))
    }
}

async fn read(body: Body) -> Result<axum::body::Bytes, Refusal> {
    to_bytes(body, MOST_BODY_BYTES).await.map_err(|error| {
        // axum wraps the error of a body that is too long in its own.
        let mut cause: Option<&dyn std::error::Error> = Some(&error);
        while let Some(error) = cause {
            if error.to_string().contains("length limit") {
                return Refusal::TooLarge;
            }
            cause = error.source();
        }
        Refusal::BrokenBody
    })
}

fn check_content_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let found = headers
        .get(CONTENT_TYPE)
        .map(|value| value.to_str().unwrap_or("?"));
    let essence = found
        .and_then(|value| value.split(';').next())
        .map(str::trim);
    if essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json")) {
        return Ok(());
    }
    let found = match found {
        Some(value) => quoted(value),
        None => "is missing".to_string(),
    };
    Err(Refusal::ContentType { found })
}

/// Quotes a client's text, shortened if it is long.
pub fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text, LONGEST_QUOTED))
}
