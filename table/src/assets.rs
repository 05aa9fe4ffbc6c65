//! What the page consists of beside its markup: files that are in the program itself.

use arbiter::results::page::{BOARD_SCRIPT, BOARD_STYLE};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// A file.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its path on the server.
    pub path: &'static str,
    /// The type of its content.
    pub kind: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// All files. Boards are drawn as in the arbiter's report.
pub const ASSETS: &[Asset] = &[
    Asset {
        path: "/board.js",
        kind: SCRIPT,
        text: BOARD_SCRIPT,
    },
    Asset {
        path: "/board.css",
        kind: STYLE,
        text: BOARD_STYLE,
    },
    Asset {
        path: "/table.js",
        kind: SCRIPT,
        text: include_str!("page/table.js"),
    },
    Asset {
        path: "/texts.js",
        kind: SCRIPT,
        text: include_str!("page/texts.js"),
    },
    Asset {
        path: "/table.css",
        kind: STYLE,
        text: include_str!("page/table.css"),
    },
];

impl IntoResponse for Asset {
    fn into_response(self) -> Response {
        // Another program may serve another page at the same address later.
        let headers = [(CONTENT_TYPE, self.kind), (CACHE_CONTROL, "no-cache")];
        (headers, self.text).into_response()
    }
}
