//! Bodies of requests and answers, which are read and written as JSON on the threads that do the work.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderMap};
use axum::response::{IntoResponse, Response};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::access::quoted;
use crate::admission::{Admitted, MAX_BODY_BYTES, Place};
use crate::error::ApiError;

const JSON: &str = "application/json";
/// Timeout for a body.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request with a body that has not been parsed yet.
///
/// Only a body with content type JSON is accepted: a page of another site can send one only if the server allows it by
/// CORS headers, which it never does.
#[derive(Debug)]
pub struct JsonRequest<T> {
    pub place: Arc<Place>,
    bytes: Bytes,
    parsed: PhantomData<fn() -> T>,
}

#[derive(Debug)]
pub struct JsonAnswer(Vec<u8>);

impl<T: DeserializeOwned + 'static> JsonRequest<T> {
    /// Parses the body, and calls `work` with it, when it is the client's turn.
    ///
    /// # Errors
    /// [`ApiError`] if the body does not match the schema; errors of `work`.
    pub async fn run<A: Send + 'static>(
        self,
        work: impl FnOnce(T) -> Result<A, ApiError> + Send + 'static,
    ) -> Result<A, ApiError> {
        let JsonRequest { place, bytes, .. } = self;
        place.run(move || work(parsed(&bytes)?)).await
    }

    /// The same, with an answer as JSON.
    ///
    /// # Errors
    /// As [`JsonRequest::run`].
    pub async fn answer<A: Serialize + 'static>(
        self,
        work: impl FnOnce(T) -> Result<A, ApiError> + Send + 'static,
    ) -> Result<JsonAnswer, ApiError> {
        self.run(move |request| JsonAnswer::of(&work(request)?)).await
    }
}

impl JsonAnswer {
    /// Calls `work` when it is the client's turn.
    ///
    /// # Errors
    /// Errors of `work`.
    pub async fn by<A: Serialize>(
        place: &Arc<Place>,
        work: impl FnOnce() -> Result<A, ApiError> + Send + 'static,
    ) -> Result<JsonAnswer, ApiError> {
        place.run(move || JsonAnswer::of(&work()?)).await
    }

    fn of(answer: &impl Serialize) -> Result<JsonAnswer, ApiError> {
        let bytes = serde_json::to_vec(answer);
        let bytes = bytes.map_err(|error| ApiError::internal(error.to_string()))?;
        Ok(JsonAnswer(bytes))
    }
}

impl IntoResponse for JsonAnswer {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, JSON)], self.0).into_response()
    }
}

impl<S: Send + Sync, T> FromRequest<S> for JsonRequest<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<JsonRequest<T>, ApiError> {
        check_content_type(request.headers())?;
        let (mut parts, body) = request.into_parts();
        let Admitted(place) = Admitted::from_request_parts(&mut parts, state).await?;
        let request = Request::from_parts(parts, body);
        let bytes = tokio::time::timeout(PATIENCE, Bytes::from_request(request, state)).await;
        let bytes = bytes.map_err(|_| {
            let seconds = PATIENCE.as_secs();
            let message = format!(
                "the body did not arrive within {seconds} seconds; expected all of it by then"
            );
            ApiError::new(StatusCode::REQUEST_TIMEOUT, message)
        })?;
        let bytes = bytes.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => {
                let message =
                    format!("the body is too large; expected at most {MAX_BODY_BYTES} bytes");
                ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
            }
            _ => ApiError::invalid(
                "the body is incomplete; expected all of it before the connection closes",
            ),
        })?;
        Ok(JsonRequest { place, bytes, parsed: PhantomData })
    }
}

fn check_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let found = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or("?"));
    let essence = found.and_then(|value| value.split(';').next()).map(str::trim);
    if essence.is_some_and(|essence| essence.eq_ignore_ascii_case(JSON)) {
        return Ok(());
    }
    let found = found.map_or("is missing".to_string(), quoted);
    let message = format!("content type {found}; expected application/json");
    Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = object(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Deserializes a struct from an object only; serde also accepts an array of its fields.
///
/// # Errors
/// Errors of the deserializer.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct Object<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = T;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<T, M::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(Object(PhantomData))
}
