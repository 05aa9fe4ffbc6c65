//! Routes, and layers around all of them.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::Semaphore;

use crate::access::{Hosts, MOST_BODY_BYTES, guard};
use crate::api::{self, App};
use crate::assets::ASSETS;
use crate::error::ApiError;
use crate::{page, rules_page};

/// Maximum number of concurrent requests, including those that wait for an engine.
pub const MOST_REQUESTS: usize = 512;

/// Returns the service that answers requests to these hosts.
pub fn router(app: App, hosts: Hosts) -> Router {
    let mut router = Router::new()
        .route("/", get(async || page::answer(page::table())))
        .route("/rules", get(async || page::answer(rules_page::english())))
        .route("/regeln", get(async || page::answer(rules_page::german())))
        .route("/api", get(api::document))
        .route("/api/new", post(api::new))
        .route("/api/show", post(api::show))
        .route("/api/play", post(api::play))
        .route("/api/draw", post(api::draw))
        .route("/api/solved", post(api::solved))
        .route("/api/ai", post(api::ai))
        .route("/api/analyse", post(api::analyse))
        .route("/api/review", post(api::review))
        .route("/api/engines", get(api::engines))
        .route("/api/etudes", get(api::etude_files))
        .route("/api/etudes/{file}", get(api::etudes).post(api::judge))
        .route("/api/games", get(api::game_files))
        .route("/api/games/{file}", get(api::games))
        .route("/api/games/{file}/{number}", get(api::game));
    for &asset in ASSETS {
        router = router.route(asset.0, get(move || async move { asset }));
    }
    router
        .fallback(no_path)
        .method_not_allowed_fallback(no_method)
        .with_state(app)
        .layer(DefaultBodyLimit::max(MOST_BODY_BYTES))
        .layer(middleware::from_fn_with_state(
            Arc::new(Semaphore::new(MOST_REQUESTS)),
            bound,
        ))
        .layer(middleware::from_fn_with_state(hosts, guard))
}

async fn no_path(uri: Uri) -> ApiError {
    let message = format!(
        "there is no {:?}; expected a path listed by GET /api",
        uri.path()
    );
    ApiError::new(StatusCode::NOT_FOUND, message)
}

async fn no_method(method: Method, uri: Uri) -> ApiError {
    let expected = "expected a method listed by GET /api";
    let message = format!("{method} {:?} is not supported; {expected}", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message)
}

/// Limits the number of concurrent requests; each counts until its answer begins.
async fn bound(State(room): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    match room.try_acquire() {
        Ok(_place) => next.run(request).await,
        Err(_) => ApiError::crowded(MOST_REQUESTS).into_response(),
    }
}
