//! Static files of the pages, embedded in the program.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

/// A static file: its path on the server, and its text.
#[derive(Clone, Copy, Debug)]
pub struct Asset(pub &'static str, &'static str);

/// All files, including the board script and style that the arbiter's report uses too.
pub const ASSETS: &[Asset] = &[
    Asset("/board.js", board::SCRIPT),
    Asset("/board.css", board::STYLE),
    Asset("/advice.js", include_str!("page/advice.js")),
    Asset("/api.js", include_str!("page/api.js")),
    Asset("/dialogs.js", include_str!("page/dialogs.js")),
    Asset("/ending.js", include_str!("page/ending.js")),
    Asset("/game.js", include_str!("page/game.js")),
    Asset("/games.js", include_str!("page/games.js")),
    Asset("/library.js", include_str!("page/library.js")),
    Asset("/log.js", include_str!("page/log.js")),
    Asset("/play.js", include_str!("page/play.js")),
    Asset("/puzzle.js", include_str!("page/puzzle.js")),
    Asset("/review.js", include_str!("page/review.js")),
    Asset("/rules.js", include_str!("page/rules.js")),
    Asset("/setup.js", include_str!("page/setup.js")),
    Asset("/study.js", include_str!("page/study.js")),
    Asset("/table.js", include_str!("page/table.js")),
    Asset("/texts.js", include_str!("page/texts.js")),
    Asset("/view.js", include_str!("page/view.js")),
    Asset("/words.js", include_str!("page/words.js")),
    Asset("/table.css", include_str!("page/table.css")),
];

impl IntoResponse for Asset {
    fn into_response(self) -> Response {
        let Asset(path, text) = self;
        let kind = match path.ends_with(".js") {
            true => "text/javascript; charset=utf-8",
            false => "text/css; charset=utf-8",
        };
        // Another program may serve another page at the same address later.
        ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")], text).into_response()
    }
}
