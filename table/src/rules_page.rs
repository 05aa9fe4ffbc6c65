//! The rules as a page: the project's own text, with boards drawn by the page's script.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html as markup};

use crate::page;

const ENGLISH: &str = include_str!("page/rules.md");
const GERMAN: &str = include_str!("page/regeln.md");

/// The page at `/rules`.
pub fn english() -> Markup {
    let other = html! { a href="/regeln" lang="de" { "Deutsch" } };
    page_of("en", "The rules", ENGLISH, &other, "Back to the table")
}

/// The page at `/regeln`.
pub fn german() -> Markup {
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
    page::page(language, title, "/rules.js", &body)
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

#[cfg(test)]
mod tests {
    use super::*;
    use buxtehude::rules::VARIANTS;

    #[test]
    fn pictures_headings_and_links_become_those_of_the_page() {
        let text = "## Two *words*\n\n![A board, some-game](x.svg) see [there](there.md) and [up](#two-words)";
        let expected = "<h2 id=\"two-words\">Two <em>words</em></h2>\n<p>\
            <div data-variant=\"some-game\" data-label=\"A board, some-game\"></div> see there and \
            <a href=\"#two-words\">up</a></p>\n";
        assert_eq!(html_of(text), expected);
    }

    #[test]
    fn each_language_shows_each_board_and_its_links_lead_somewhere() {
        for page in [english().into_string(), german().into_string()] {
            for variant in VARIANTS.iter().filter(|variant| variant.name != "ludo") {
                let place = format!("data-variant=\"{}\"", variant.name);
                assert!(page.contains(&place), "{}", variant.name);
            }
            for link in page.split("href=\"#").skip(1) {
                let (anchor, _) = link.split_once('"').unwrap();
                assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
            }
        }
    }
}
