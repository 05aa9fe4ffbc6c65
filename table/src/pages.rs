//! The pages for the browser, with their scripts and style, embedded in the program.
//!
//! On a slow line each request takes long. So a page contains its style, and names all scripts that will be imported.

use std::sync::LazyLock;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State as Shared;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use data_encoding::BASE64;
use matches::plan::binary::hash_bytes;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html as markup};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::api::{App, offer, usual_game};
use crate::error::ApiError;
use crate::requests::identify;

const ENGLISH: &str = include_str!("page/rules.md");
const GERMAN: &str = include_str!("page/regeln.md");

/// Hexadecimal digits of a tag.
const TAG_DIGITS: usize = 24;

/// The style of every page; its first part is also the one of the arbiter's report.
const STYLE: [&str; 2] = [board::STYLE, include_str!("page/table.css")];

/// The only source of styles that a page may have, for its `Content-Security-Policy`.
pub static STYLE_SOURCE: LazyLock<String> = LazyLock::new(|| {
    let digest = Sha256::digest(STYLE.concat());
    format!("'sha256-{}'", BASE64.encode(&digest))
});

/// The main scripts of the pages.
const TABLE: &str = "/page.js";
const RULES: &str = "/rules.js";

/// Scripts and their texts by path; the arbiter's report has the board script, too.
const ASSETS: &[(&str, &str)] = &[
    ("/board.js", board::SCRIPT),
    ("/advice.js", include_str!("page/advice.js")),
    ("/controls.js", include_str!("page/controls.js")),
    ("/game.js", include_str!("page/game.js")),
    ("/games.js", include_str!("page/games.js")),
    ("/library.js", include_str!("page/library.js")),
    (TABLE, include_str!("page/page.js")),
    ("/review.js", include_str!("page/review.js")),
    (RULES, include_str!("page/rules.js")),
    ("/server.js", include_str!("page/server.js")),
    ("/study.js", include_str!("page/study.js")),
    ("/table.js", include_str!("page/table.js")),
    ("/texts.js", include_str!("page/texts.js")),
    ("/texts.json", include_str!("page/texts.json")),
    ("/view.js", include_str!("page/view.js")),
];

/// Content that never changes while the server runs, with the tag that browsers send back for it.
#[derive(Clone, Debug)]
struct StaticFile {
    kind: String,
    tag: String,
    content: Bytes,
}

/// Routes of all pages and files.
pub fn routes() -> Router<App> {
    let mut routes = Router::new().route("/", get(table));
    for (path, page) in [("/rules", english()), ("/regeln", german())] {
        let page = StaticFile::page(page);
        routes = routes.route(path, get(async move |headers: HeaderMap| page.answer(&headers)));
    }
    routes = routes.layer(middleware::from_fn(identify));
    for &(path, text) in ASSETS {
        let kind = if path.ends_with(".js") { "text/javascript" } else { "application/json" };
        let file = StaticFile::new(&format!("{kind}; charset=utf-8"), text);
        routes = routes.route(path, get(async move |headers: HeaderMap| file.answer(&headers)));
    }
    routes
}

impl StaticFile {
    /// A file with content of a type such as `text/html; charset=utf-8`.
    fn new(kind: &str, content: impl Into<Bytes>) -> StaticFile {
        let content = content.into();
        let digits = hash_bytes(&content);
        // A weak tag, since it is the same for the compressed content.
        StaticFile {
            kind: kind.to_string(),
            tag: format!("W/\"{}\"", &digits[..TAG_DIGITS]),
            content,
        }
    }

    fn page(page: Markup) -> StaticFile {
        StaticFile::new("text/html; charset=utf-8", page.into_string())
    }

    /// Answers a request; without the content if the browser has it.
    fn answer(&self, request: &HeaderMap) -> Response {
        let known = request.get(IF_NONE_MATCH);
        let is_known = known.is_some_and(|known| known.as_bytes() == self.tag.as_bytes());
        // Another program may serve another page at the same address later, so browsers ask each time.
        let headers = [
            (CONTENT_TYPE, self.kind.as_str()),
            (CACHE_CONTROL, "no-cache"),
            (ETAG, self.tag.as_str()),
        ];
        if is_known {
            (StatusCode::NOT_MODIFIED, headers).into_response()
        } else {
            (headers, self.content.clone()).into_response()
        }
    }
}

/// The page at `/`: the table. It contains the games, the engines and a new game, so that it can begin at once.
async fn table(Shared(app): Shared<App>, headers: HeaderMap) -> Result<Response, ApiError> {
    let body = html! {
        main #table data-offer=(offer(&app)) data-game=(json!(usual_game()?)) {
            header .top { h1 { "buxtehude" } }
            noscript { p { "This page needs JavaScript." } }
            // In place of the board until the scripts have arrived.
            div .layout { section .stage { p #status { span .now { "…" } } div .board {} } }
        }
    };
    Ok(StaticFile::page(page("en", "buxtehude", TABLE, &body)).answer(&headers))
}

/// The page at `/rules`.
fn english() -> Markup {
    let other = html! { a href="/regeln" lang="de" { "Deutsch" } };
    page_of("en", "The rules", ENGLISH, &other, "Back to the table")
}

/// The page at `/regeln`.
fn german() -> Markup {
    let other = html! { a href="/rules" lang="en" { "English" } };
    page_of("de", "Die Regeln", GERMAN, &other, "Zurück zum Tisch")
}

fn page_of(language: &str, title: &str, text: &str, other: &Markup, back: &str) -> Markup {
    let body = html! {
        main .rules {
            nav { a href="/" { (back) } " · " (other) }
            (PreEscaped(html_of(text)))
        }
    };
    page(language, title, RULES, &body)
}

/// Converts the text to HTML. A picture whose caption ends with the name of a variant becomes a placeholder for that
/// board, headings get anchors, and a link to another file becomes plain text, since other files are not served.
fn html_of(text: &str) -> String {
    let mut out = Vec::new();
    let mut parser = Parser::new_ext(text, Options::ENABLE_TABLES);
    while let Some(event) = parser.next() {
        match event {
            Event::Start(Tag::Image { .. }) => {
                let caption = text_of(&inner(&mut parser, TagEnd::Image));
                out.push(board(&caption));
            }
            Event::Start(Tag::Heading { level, .. }) => {
                let words = inner(&mut parser, TagEnd::Heading(level));
                let opening = format!("<{level} id=\"{}\">", anchor(&text_of(&words)));
                out.push(Event::InlineHtml(opening.into()));
                out.extend(words);
                out.push(Event::InlineHtml(format!("</{level}>\n").into()));
            }
            Event::Start(Tag::Link { ref dest_url, .. }) if !dest_url.starts_with('#') => {
                out.extend(inner(&mut parser, TagEnd::Link));
            }
            Event::Start(Tag::Table(_)) => {
                out.push(Event::Html("<div class=\"scroll\" tabindex=\"0\">".into()));
                out.push(event);
            }
            Event::End(TagEnd::Table) => {
                out.push(event);
                out.push(Event::Html("</div>".into()));
            }
            _ => out.push(event),
        }
    }
    let mut html = String::new();
    markup::push_html(&mut html, out.into_iter());
    html
}

/// Returns the events inside an element, up to its end.
fn inner<'a>(events: &mut impl Iterator<Item = Event<'a>>, end: TagEnd) -> Vec<Event<'a>> {
    let is_inside = |event: &Event<'_>| *event != Event::End(end);
    events.take_while(is_inside).collect()
}

fn text_of(events: &[Event<'_>]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
        _ => None,
    });
    texts.collect()
}

/// Placeholder for a board, from a caption such as "The later board, hare-and-tortoise".
fn board(caption: &str) -> Event<'static> {
    let variant = caption.rsplit(", ").next().unwrap_or_default();
    let place = html! { div data-variant=(variant) data-label=(caption) {} };
    Event::InlineHtml(CowStr::from(place.into_string()))
}

/// Anchor of a heading, as usual for Markdown.
fn anchor(heading: &str) -> String {
    let words = heading.split_whitespace().map(str::to_lowercase);
    words.collect::<Vec<String>>().join("-")
}

fn page(language: &str, title: &str, script: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(language) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="data:,";
                style { @for part in STYLE { (PreEscaped(part)) } }
                script type="module" src=(script) {}
                @if script == TABLE {
                    @for (path, _) in ASSETS.iter().filter(|(path, _)| ![TABLE, RULES].contains(path)) {
                        link rel="modulepreload" href=(path) as=[path.ends_with(".json").then_some("json")];
                    }
                }
            }
            body { (body) }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use buxtehude::rules::Variant;

    use super::*;

    #[test]
    fn pictures_headings_and_links_become_those_of_the_page() {
        let text = "## Two *words*\n\n![A board, some-game](x.svg) see [there](there.md) and [up](#two-words)";
        let expected = "<h2 id=\"two-words\">Two <em>words</em></h2>\n<p>\
            <div data-variant=\"some-game\" data-label=\"A board, some-game\"></div> see there and \
            <a href=\"#two-words\">up</a></p>\n";
        assert_eq!(html_of(text), expected);
    }

    #[test]
    fn both_languages_show_the_same_boards_and_their_links_lead_somewhere() {
        let boards = |page: &str| -> BTreeSet<String> {
            let names = page.split("data-variant=\"").skip(1);
            names.filter_map(|rest| Some(rest.split_once('"')?.0.to_string())).collect()
        };
        let pages = [english().into_string(), german().into_string()];
        let shown = pages.each_ref().map(|page| boards(page));
        assert_eq!(shown[0], shown[1]);
        assert!(shown[0].len() > 2, "{shown:?}");
        for name in &shown[0] {
            assert!(Variant::by_name(name).is_ok(), "{name}");
        }
        for page in pages {
            for link in page.split("href=\"#").skip(1) {
                let (anchor, _) = link.split_once('"').unwrap();
                assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
            }
        }
    }
}
