//! Routes, and layers around all of them.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware;
use axum::routing::{get, post};
use matches::record::printable::shortened;
use tower_http::compression::CompressionLayer;

use crate::access::{Hosts, guard};
use crate::api::{self, App};
use crate::assets::{ASSETS, StaticFile};
use crate::clients::{MAX_BODY_BYTES, identify};
use crate::error::{ApiError, quoted};
use crate::{page, rules_page};

pub fn router(app: App, hosts: Hosts) -> Router {
    let mut pages = Router::new();
    for (path, page) in [
        ("/", page::table(&api::variants())),
        ("/rules", rules_page::english()),
        ("/regeln", rules_page::german()),
    ] {
        let page = StaticFile::new("text/html; charset=utf-8", page.into_string());
        pages = pages.route(path, get(async move |headers: HeaderMap| page.answer(&headers)));
    }
    pages = pages.layer(middleware::from_fn(identify));
    for &asset in ASSETS {
        let file = StaticFile::from(asset);
        pages = pages.route(asset.0, get(async move |headers: HeaderMap| file.answer(&headers)));
    }
    pages = pages.layer(CompressionLayer::new());
    let api = Router::new()
        .route("/api/new", post(api::new))
        .route("/api/show", post(api::show))
        .route("/api/play", post(api::play))
        .route("/api/draw", post(api::draw))
        .route("/api/solved", post(api::solved))
        .route("/api/ai", post(api::ai))
        .route("/api/analyse", post(api::analyse))
        .route("/api/review", post(api::review))
        .route("/api/record", post(api::record))
        .route("/api/engines", get(api::engines))
        .route("/api/etudes", get(api::etude_files))
        .route("/api/etudes/{file}", get(api::etudes))
        .route("/api/games", get(api::game_files))
        .route("/api/games/{file}", get(api::games))
        .route("/api/games/{file}/{number}", get(api::game))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES));
    // Pages are not admitted, so that they are served even if their client's requests are refused.
    pages
        .merge(api)
        .fallback(no_path)
        .method_not_allowed_fallback(no_method)
        .with_state(app)
        .layer(middleware::from_fn_with_state(hosts, guard))
}

async fn no_path(uri: Uri) -> ApiError {
    let path = quoted(uri.path());
    let message = format!("there is no {path}; expected a path listed in docs/table.md");
    ApiError::new(StatusCode::NOT_FOUND, message)
}

async fn no_method(method: Method, uri: Uri) -> ApiError {
    let expected = "expected a method listed in docs/table.md";
    let (method, path) = (shortened(method.as_str(), 20), quoted(uri.path()));
    let message = format!("{method} {path} is not supported; {expected}");
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message)
}
