//! Bodies of requests and answers, which are read and written as JSON on the threads that do the work.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderMap};
use axum::response::{IntoResponse, Response};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::clients::{Admitted, Clients, MAX_BODY_BYTES};
use crate::error::{ApiError, quoted};

const JSON: &str = "application/json";
/// Timeout for a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// A request with a body that has not been parsed yet.
///
/// Only a body with content type JSON is accepted: a page of another site can send one only if the server allows it by
/// CORS headers, which it never does.
#[derive(Debug)]
pub struct JsonRequest<T> {
    pub admitted: Arc<Admitted>,
    bytes: Bytes,
    parsed: PhantomData<fn() -> T>,
}

/// An answer that keeps its request in progress until it has been written.
#[derive(Debug)]
pub struct JsonAnswer(Bytes);

struct Content(Vec<u8>, #[expect(dead_code, reason = "ends with the content")] Arc<Admitted>);

impl<T: DeserializeOwned + 'static> JsonRequest<T> {
    /// Parses the body, and calls `work` with it, on another thread.
    ///
    /// # Errors
    /// [`ApiError`] if the body does not have the form of the operation; errors of `work`.
    pub async fn run<A: Send + 'static>(
        self,
        work: impl FnOnce(T) -> Result<A, ApiError> + Send + 'static,
    ) -> Result<A, ApiError> {
        let JsonRequest { admitted, bytes, .. } = self;
        admitted.run(move || work(parsed(&bytes)?)).await
    }

    /// The same, with an answer as JSON.
    ///
    /// # Errors
    /// As [`JsonRequest::run`].
    pub async fn answer<A: Serialize + 'static>(
        self,
        work: impl FnOnce(T) -> Result<A, ApiError> + Send + 'static,
    ) -> Result<JsonAnswer, ApiError> {
        let JsonRequest { admitted, bytes, .. } = self;
        JsonAnswer::by(admitted, move || work(parsed(&bytes)?)).await
    }
}

impl JsonAnswer {
    /// Calls `work` on another thread.
    ///
    /// # Errors
    /// Errors of `work`; [`ApiError`] if there is no room for the answer.
    pub async fn by<A: Serialize>(
        admitted: impl Into<Arc<Admitted>>,
        work: impl FnOnce() -> Result<A, ApiError> + Send + 'static,
    ) -> Result<JsonAnswer, ApiError> {
        let admitted = admitted.into();
        let answer = move || {
            let answer = serde_json::to_vec(&work()?);
            answer.map_err(|error| ApiError::internal(error.to_string()))
        };
        let bytes = admitted.run(answer).await?;
        admitted.grow(bytes.len())?;
        Ok(JsonAnswer(Bytes::from_owner(Content(bytes, admitted))))
    }
}

impl AsRef<[u8]> for Content {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl IntoResponse for JsonAnswer {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, JSON)], self.0).into_response()
    }
}

impl<S: Send + Sync, T> FromRequest<S> for JsonRequest<T>
where
    Arc<Clients>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<JsonRequest<T>, ApiError> {
        check_content_type(request.headers())?;
        let (mut parts, body) = request.into_parts();
        let admitted = Admitted::from_request_parts(&mut parts, state).await?;
        let request = Request::from_parts(parts, body);
        let bytes = tokio::time::timeout(BODY_TIMEOUT, Bytes::from_request(request, state)).await;
        let bytes = bytes.map_err(|_| {
            let seconds = BODY_TIMEOUT.as_secs();
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
        Ok(JsonRequest { admitted: Arc::new(admitted), bytes, parsed: PhantomData })
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
