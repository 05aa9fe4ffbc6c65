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

/// A file in the folder of the page, by its name.
macro_rules! of_page {
    ($kind:expr, $name:literal) => {
        Asset {
            path: concat!("/", $name),
            kind: $kind,
            text: include_str!(concat!("page/", $name)),
        }
    };
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
    of_page!(STYLE, "table.css"),
    of_page!(SCRIPT, "api.js"),
    of_page!(SCRIPT, "card.js"),
    of_page!(SCRIPT, "game.js"),
    of_page!(SCRIPT, "library.js"),
    of_page!(SCRIPT, "play.js"),
    of_page!(SCRIPT, "review.js"),
    of_page!(SCRIPT, "rules.js"),
    of_page!(SCRIPT, "seats.js"),
    of_page!(SCRIPT, "setup.js"),
    of_page!(SCRIPT, "study.js"),
    of_page!(SCRIPT, "symbols.js"),
    of_page!(SCRIPT, "table.js"),
    of_page!(SCRIPT, "texts.js"),
    of_page!(SCRIPT, "view.js"),
];

impl IntoResponse for Asset {
    fn into_response(self) -> Response {
        // Another program may serve another page at the same address later.
        let headers = [(CONTENT_TYPE, self.kind), (CACHE_CONTROL, "no-cache")];
        (headers, self.text).into_response()
    }
}
