//! The pages: markup that is filled by scripts.

use maud::{DOCTYPE, Markup, html};
use serde::Serialize;

pub fn page(language: &str, title: &str, script: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(language) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/board.css";
                link rel="stylesheet" href="/table.css";
                script type="module" src=(script) {}
            }
            body { (body) }
        }
    }
}

/// The page at `/`: the table. It contains the games, so that it can show one before it knows the engines.
pub fn table(variants: &impl Serialize) -> Markup {
    // They always have a JSON form.
    let variants = serde_json::to_string(variants).unwrap_or_default();
    let body = html! {
        main #table data-variants=(variants) {
            noscript { p { "This page needs JavaScript." } }
        }
    };
    page("en", "buxtehude", "/table.js", &body)
}
