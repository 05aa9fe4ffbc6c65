//! The page: markup that its scripts fill.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

/// The page at `/`.
pub fn page() -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "buxtehude" }
                link rel="stylesheet" href="/board.css";
                link rel="stylesheet" href="/table.css";
                script type="module" src="/table.js" {}
            }
            body { main id="table" {} }
        }
    }
}

/// The answer with the page.
pub async fn show() -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, page().into_string()).into_response()
}
