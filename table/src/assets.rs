//! Static files of the pages, embedded in the program.

use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use matches::plan::binary::hash_bytes;

/// Hexadecimal digits of a tag.
const TAG_DIGITS: usize = 24;

/// A static file: its path on the server, and its text.
#[derive(Clone, Copy, Debug)]
pub struct Asset(pub &'static str, &'static str);

/// All files, including the board script and style that the arbiter's report uses too.
pub const ASSETS: &[Asset] = &[
    Asset("/board.js", board::SCRIPT),
    Asset("/board.css", board::STYLE),
    Asset("/advice.js", include_str!("page/advice.js")),
    Asset("/api.js", include_str!("page/api.js")),
    Asset("/chart.js", include_str!("page/chart.js")),
    Asset("/dialogs.js", include_str!("page/dialogs.js")),
    Asset("/display.js", include_str!("page/display.js")),
    Asset("/ending.js", include_str!("page/ending.js")),
    Asset("/game.js", include_str!("page/game.js")),
    Asset("/games.js", include_str!("page/games.js")),
    Asset("/library.js", include_str!("page/library.js")),
    Asset("/log.js", include_str!("page/log.js")),
    Asset("/mine.js", include_str!("page/mine.js")),
    Asset("/notices.js", include_str!("page/notices.js")),
    Asset("/opponents.js", include_str!("page/opponents.js")),
    Asset("/play.js", include_str!("page/play.js")),
    Asset("/puzzle.js", include_str!("page/puzzle.js")),
    Asset("/rating.js", include_str!("page/rating.js")),
    Asset("/review.js", include_str!("page/review.js")),
    Asset("/rules.js", include_str!("page/rules.js")),
    Asset("/seats.js", include_str!("page/seats.js")),
    Asset("/server.js", include_str!("page/server.js")),
    Asset("/setup.js", include_str!("page/setup.js")),
    Asset("/study.js", include_str!("page/study.js")),
    Asset("/table.js", include_str!("page/table.js")),
    Asset("/texts.js", include_str!("page/texts.js")),
    Asset("/view.js", include_str!("page/view.js")),
    Asset("/words.js", include_str!("page/words.js")),
    Asset("/table.css", include_str!("page/table.css")),
];

/// Content that never changes while the server runs, with the tag that browsers send back for it.
#[derive(Clone, Debug)]
pub struct StaticFile {
    kind: &'static str,
    tag: String,
    content: Bytes,
}

impl StaticFile {
    /// A file with content of a type such as `text/html; charset=utf-8`.
    pub fn new(kind: &'static str, content: impl Into<Bytes>) -> StaticFile {
        let content = content.into();
        let digits = hash_bytes(&content);
        // A weak tag, since it is the same for the compressed content.
        StaticFile { kind, tag: format!("W/\"{}\"", &digits[..TAG_DIGITS]), content }
    }

    /// Answers a request; without the content if the browser has it.
    pub fn answer(&self, request: &HeaderMap) -> Response {
        let known = request.get(IF_NONE_MATCH);
        let is_known = known.is_some_and(|known| known.as_bytes() == self.tag.as_bytes());
        // Another program may serve another page at the same address later, so browsers ask each time.
        let headers =
            [(CONTENT_TYPE, self.kind), (CACHE_CONTROL, "no-cache"), (ETAG, self.tag.as_str())];
        if is_known {
            (StatusCode::NOT_MODIFIED, headers).into_response()
        } else {
            (headers, self.content.clone()).into_response()
        }
    }
}

impl From<Asset> for StaticFile {
    fn from(Asset(path, text): Asset) -> StaticFile {
        let kind = if path.ends_with(".js") {
            "text/javascript; charset=utf-8"
        } else {
            "text/css; charset=utf-8"
        };
        StaticFile::new(kind, text)
    }
}
