//! Bars next to the numbers of a table, as inline SVG stretched to its cell.

use maud::{Markup, html};

use super::plot::COLOURS;
use matches::report::{ordinal, percent};
use matches::score::Tally;

/// A share as a bar, with error whiskers and a tick at par.
pub fn share(tally: &Tally) -> Markup {
    let Some(share) = tally.share() else {
        return html! {};
    };
    let at = |part: f64| format!("{:.2}", 100.0 * part.clamp(0.0, 1.0));
    let interval = tally.interval();
    let label = match interval {
        Some(interval) => format!("{} ± {}", percent(share), percent(interval.error())),
        None => percent(share),
    };
    html! {
        svg.bar viewBox="0 0 100 16" preserveAspectRatio="none" role="img" aria-label=(label) {
            rect.ground x="0" y="3" width="100" height="10" {}
            rect.share x="0" y="3" width=(at(share)) height="10" {}
            @if let Some(par) = tally.par() {
                path.par d=(format!("M{0} 1V15", at(par))) {}
            }
            @if let Some(interval) = interval {
                path.whisker d=(format!("M{0} 5V11M{0} 8H{1}M{1} 5V11", at(interval.low), at(interval.high))) {}
            }
        }
    }
}

/// Frequency of each place, as parts of one bar.
pub fn places(tally: &Tally) -> Markup {
    let all: u64 = tally.places.iter().sum();
    let mut from = 0.0;
    let parts: Vec<(usize, u64, f64, f64)> = tally
        .places
        .iter()
        .enumerate()
        .map(|(index, &count)| {
            let width = 100.0 * count as f64 / all.max(1) as f64;
            let start = from;
            from += width;
            (index, count, start, width)
        })
        .collect();
    html! {
        svg.bar.places viewBox="0 0 100 16" preserveAspectRatio="none" role="img" aria-label="places" {
            rect.ground x="0" y="1" width="100" height="14" {}
            @for (index, count, start, width) in parts {
                rect x=(format!("{start:.2}")) y="1" width=(format!("{width:.2}")) height="14"
                    style=(place_style(index, tally.places.len())) {
                    title { (ordinal(index + 1)) ": " (count) }
                }
            }
        }
    }
}

pub fn place_legend(places: usize) -> Markup {
    html! {
        p.legend {
            @for index in 0..places {
                span { i style=(place_style(index, places).replace("fill", "background")) {} (ordinal(index + 1)) }
            }
        }
    }
}

/// Style of a place: the worse the place, the paler.
fn place_style(index: usize, places: usize) -> String {
    let opacity = 1.0 - 0.88 * index as f64 / (places.max(2) - 1) as f64;
    format!("fill:var(--accent);opacity:{opacity:.2}")
}

/// A spot in an engine's colour.
pub fn spot(index: usize) -> Markup {
    let index = index % COLOURS.len();
    html! { i.spot style=(format!("background:var(--colour-{index})")) {} }
}
