//! Sections of the page as HTML, and the bars in its tables: inline SVG, stretched to its cell.

use matches::plan::EngineSpec;
use matches::report::{FAIRNESS_LEGEND, RATINGS_LEGEND, Rows, engines_by_lead, ordinal, percent};
use matches::score::{Standings, Tally};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::plots::{COLOURS, Plot};
use super::{EngineEntry, FaultEntry, Page};

/// Content security policy: the page loads nothing, since its styles and script are inline.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// Number of faults shown open; the others are folded.
const OPEN_FAULTS: usize = 8;

pub fn page(page: &Page) -> Markup {
    let title = format!("arbiter: {}", headline(page));
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(board::STYLE)) (PreEscaped(include_str!("page.css"))) }
            }
            body {
                (header(page))
                main {
                    (standings(page))
                    (games(page))
                    (seats(page))
                    (places(page.report.standings()))
                    (crosstable(page.report.standings()))
                    (curves(page))
                    (time_use(page))
                    (faults(page))
                    (settings(page))
                }
                script type="application/json" id="shown-games" { (PreEscaped(page.shown.json())) }
                script type="module" {
                    (PreEscaped(board::SCRIPT))
                    (PreEscaped(include_str!("review.js")))
                    (PreEscaped(include_str!("picture.js")))
                    (PreEscaped(include_str!("page.js")))
                }
            }
        }
    }
}

/// The result, or before there is one the game.
fn headline(page: &Page) -> String {
    let verdict = page.report.verdict_in_words();
    verdict.unwrap_or_else(|| page.subject.title.clone())
}

fn header(page: &Page) -> Markup {
    let games = page.report.played();
    let counted = page.report.standings().games();
    html! {
        header {
            h1 { (headline(page)) }
            p.lead {
                (page.subject.title) ", " (games) " games"
                @if counted < games { ", " (counted) " of them counted" }
            }
            nav {
                @for (id, name) in [
                    ("results", "Standings"),
                    ("games", "Games"),
                    ("time", "Time use"),
                    ("faults", "Faults"),
                    ("settings", "Settings"),
                ] {
                    a href=(format!("#{id}")) { (name) }
                }
            }
        }
    }
}

fn settings(page: &Page) -> Markup {
    html! {
        section #settings {
            h2 { "Settings" }
            dl.settings {
                @for (name, value) in &page.subject.settings {
                    div { dt { (name) } dd { (value) } }
                }
            }
            @if !page.subject.engines.is_empty() {
                div.scroll { table #engines {
                    thead { tr {
                        @for head in ["engine", "id name", "limit", "options", "command", "sha256"] { th { (head) } }
                    } }
                    tbody { @for EngineEntry { spec, id_name, sha256 } in &page.subject.engines { tr {
                        th scope="row" { (spec.name) }
                        td { (id_name.as_deref().unwrap_or("-")) }
                        td { (spec.limit.in_words()) }
                        td { (options(spec)) }
                        td.command { code {
                            (spec.command.display()) @for argument in &spec.args { " " (argument) }
                        } }
                        td { @if let Some(hash) = sha256 {
                            code title=(hash) { (hash.get(..12).unwrap_or(hash)) }
                        } @else { "-" } }
                    } } }
                } }
            }
        }
    }
}

/// The options and switches that the user has set.
fn options(engine: &EngineSpec) -> String {
    let options = engine.options.iter().map(|(name, value)| format!("{name}={value}"));
    let set: Vec<String> = options.chain(engine.switches()).collect();
    if set.is_empty() { "-".to_string() } else { set.join(", ") }
}

/// A table, optionally with a bar after the heading of each row.
fn rows(id: &str, rows: &Rows, bars: Option<(&str, Vec<Markup>)>) -> Markup {
    let class = |index: usize| rows.columns[index].is_of_numbers().then_some("number");
    let (bar_name, bars) = bars.unzip();
    let bar = |row: usize| bars.as_ref().and_then(|bars| bars.get(row));
    html! {
        div.scroll { table id=(id) {
            thead { tr {
                @for (index, column) in rows.columns.iter().enumerate() {
                    th class=[class(index)] { (column.name()) }
                    @if let Some(name) = bar_name.filter(|_| index == 0) { th.wide { (name) } }
                }
            } }
            tbody { @for (number, row) in rows.rows.iter().enumerate() { tr {
                @for (index, cell) in row.iter().enumerate() {
                    @if index == 0 {
                        th scope="row" { (cell) }
                        @if let Some(bar) = bar(number) { td.wide { (bar) } }
                    } @else { td class=[class(index)] { (cell) } }
                }
            } } }
        } }
    }
}

fn standings(page: &Page) -> Markup {
    let standings = page.report.standings();
    let by_engine = engines_by_lead(standings).into_iter().map(|(_, tally)| share_bar(tally));
    html! {
        section #results {
            h2 { "Standings" }
            (rows("standings", &page.report.engines(), Some(("share, error, par", by_engine.collect()))))
            p.note { (page.report.legend()) }
            @for sentence in page.report.uncounted() { p { (sentence) } }
            @for remark in page.report.remarks() { p.warning { (remark) } }
            @if let Some(summary) = page.report.summary() { p #summary { (summary) } }
            @if let Some(summary) = page.report.adjusted_summary() { p #adjusted { (summary) } }
            @if let Some(compared) = page.report.head_to_head() {
                h3 { (compared.title) }
                dl #head-to-head.settings.lines {
                    @for (label, text) in compared.lines { div { dt { (label) } dd { (text) } } }
                }
            }
            @if let Some(ratings) = page.report.ratings() {
                h3 { "Ratings" }
                (rows("ratings", &ratings, None))
                p.note { (RATINGS_LEGEND) }
            }
        }
    }
}

fn seats(page: &Page) -> Markup {
    let by_seat = page.report.standings().seats().iter().map(share_bar);
    html! {
        section {
            h2 { "Share by seat" }
            (rows("seats", &page.report.seats(), Some(("share, error, par", by_seat.collect()))))
        }
    }
}

fn places(standings: &Standings) -> Markup {
    let engines = engines_by_lead(standings);
    let seat = |(index, tally): (usize, &Tally)| (format!("seat {}", index + 1), places_bar(tally));
    let seats = standings.seats().iter().enumerate().map(seat);
    html! {
        section {
            h2 { "Places" }
            (place_legend(standings.seats().len()))
            div.scroll { table #places { tbody {
                @for (name, tally) in engines { tr { th scope="row" { (name) } td.wide { (places_bar(tally)) } } }
                @for (name, bar) in seats { tr { th scope="row" { (name) } td.wide { (bar) } } }
            } } }
        }
    }
}

/// Crosstable of the engines, if there are several.
fn crosstable(standings: &Standings) -> Markup {
    let names: Vec<&str> = standings.engines().map(|(name, _)| name).collect();
    if names.len() < 2 {
        return html! {};
    }
    let cell = |one: usize, other: usize| {
        let found = standings.crosstable().between(one, other);
        let share = found.points() / f64::from(found.pairs.max(1));
        html! {
            @if one == other { td.number.diagonal {} }
            @else if found.pairs == 0 { td.number { "-" } }
            @else { td.number title=(percent(share)) style=(format!("--share:{share:.3}")) {
                (found.points()) span.of { " / " (found.pairs) }
            } }
        }
    };
    html! {
        section {
            h2 { "Crosstable" }
            div.scroll { table #crosstable {
                thead { tr { th {} @for name in &names { th.number { (name) } } } }
                tbody { @for (one, name) in names.iter().enumerate() { tr {
                    th scope="row" { (name) }
                    @for other in 0..names.len() { (cell(one, other)) }
                } } }
            } }
            p.note { "Compares each seat of the row's engine with each seat of the column's engine in the same \
                game: 1 for the better place, 1/2 for a shared one; of the number of comparisons." }
        }
    }
}

/// Names of the engines with their colours in plots.
fn legend(standings: &Standings) -> Markup {
    html! {
        p.legend {
            @for (index, (name, _)) in standings.engines().enumerate() { span { (spot(index)) (name) } }
        }
    }
}

fn figure(title: &str, plot: &Plot) -> Markup {
    html! {
        @if let Some(svg) = plot.svg() {
            figure { figcaption { (title) } (PreEscaped(svg)) }
        }
    }
}

/// Curves of ratings, Elo and LLR.
fn curves(page: &Page) -> Markup {
    let plots = page.history.plots(&page.report);
    html! {
        @if !plots.is_empty() { section {
            h2 { "Over time" }
            @if page.report.ratings().is_some() { (legend(page.report.standings())) }
            div.plots { @for (title, plot) in &plots { (figure(title, plot)) } }
        } }
    }
}

fn time_use(page: &Page) -> Markup {
    let (plots, fairness) = (page.time_use.plots(), &page.report.fairness);
    html! {
        section #time {
            h2 { "Time use" }
            @if plots.is_empty() { p.note { "No times are recorded." } }
            @else { (legend(page.report.standings())) }
            div.plots { @for (title, plot) in &plots { (figure(title, plot)) } }
            @if let Some(table) = fairness.rows() {
                (rows("fairness", &table, None))
                p.note { (FAIRNESS_LEGEND) }
            }
            @for line in fairness.suspects().into_iter().chain(fairness.warning()) { p.warning { (line) } }
        }
    }
}

fn faults(page: &Page) -> Markup {
    let unlisted = page.fault_count - page.faults.len();
    let entries: Vec<Markup> = page
        .faults
        .iter()
        .map(|(&number, entry)| fault(number, entry, page.shown.contains(number)))
        .collect();
    let (open, closed) = entries.split_at(entries.len().min(OPEN_FAULTS));
    html! {
        section #faults {
            h2 { "Faults: " (page.fault_count) }
            @for entry in open { (entry) }
            @if !closed.is_empty() {
                details { summary { (closed.len()) " more" } @for entry in closed { (entry) } }
            }
            @if unlisted > 0 { p { (unlisted) " more are not listed" } }
        }
    }
}

fn fault(game: u64, entry: &FaultEntry, is_shown: bool) -> Markup {
    html! {
        article.fault {
            h3 {
                @if is_shown { a href=(format!("#game-{game}")) { "game " (game) } }
                @else { "game " (game) }
                ", seat " (entry.fault.seat) ", " (entry.engine) ": " (entry.ending)
            }
            p { (entry.fault.reason) }
            @if !entry.fault.stderr.is_empty() { pre { (entry.fault.stderr.join("\n")) } }
        }
    }
}

/// The place where the script shows games.
fn games(page: &Page) -> Markup {
    let (shown, all) = (page.shown.len() as u64, page.report.played());
    html! {
        section #games {
            h2 { "Games" }
            @if shown < all {
                p.note #shown {
                    (shown) " of " (all) " games can be shown: those with faults, then the first ones. All numbers \
                        cover all games."
                }
            }
            @if shown > 0 { div #game { noscript { p { "Stepping through the games needs JavaScript." } } } }
        }
    }
}

/// A share as a bar, with error whiskers and a tick at par.
fn share_bar(tally: &Tally) -> Markup {
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
fn places_bar(tally: &Tally) -> Markup {
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

fn place_legend(places: usize) -> Markup {
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
fn spot(index: usize) -> Markup {
    let index = index % COLOURS.len();
    html! { i.spot style=(format!("background:var(--colour-{index})")) {} }
}
