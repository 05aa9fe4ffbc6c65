//! Static files of the pages, embedded in the program.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Path on the server.
    pub path: &'static str,
    /// Content type.
    pub kind: &'static str,
    pub text: &'static str,
}

const fn script(path: &'static str, text: &'static str) -> Asset {
    Asset {
        path,
        kind: SCRIPT,
        text,
    }
}

const fn style(path: &'static str, text: &'static str) -> Asset {
    Asset {
        path,
        kind: STYLE,
        text,
    }
}

/// All files, including the board script and style that the arbiter's report uses too.
pub const ASSETS: &[Asset] = &[
    script("/board.js", board::SCRIPT),
    style("/board.css", board::STYLE),
    script("/api.js", include_str!("page/api.js")),
    script("/card.js", include_str!("page/card.js")),
    script("/game.js", include_str!("page/game.js")),
    script("/library.js", include_str!("page/library.js")),
    script("/pasted.js", include_str!("page/pasted.js")),
    script("/play.js", include_str!("page/play.js")),
    script("/review.js", include_str!("page/review.js")),
    script("/rules.js", include_str!("page/rules.js")),
    script("/seats.js", include_str!("page/seats.js")),
    script("/setup.js", include_str!("page/setup.js")),
    script("/study.js", include_str!("page/study.js")),
    script("/symbols.js", include_str!("page/symbols.js")),
    script("/table.js", include_str!("page/table.js")),
    script("/texts.js", include_str!("page/texts.js")),
    script("/view.js", include_str!("page/view.js")),
    style("/table.css", include_str!("page/table.css")),
];

impl IntoResponse for Asset {
    fn into_response(self) -> Response {
        // Another program may serve another page at the same address later.
        let headers = [(CONTENT_TYPE, self.kind), (CACHE_CONTROL, "no-cache")];
        (headers, self.text).into_response()
    }
}
