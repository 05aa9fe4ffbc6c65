//! Strength of the engines of a match: Elo and the sequential test for two, ratings for more.

use super::{Column, Rows, percent, signed};
use crate::score::{BlockScores, EloInterval, EloModel, Rating, Sprt, Standings, Verdict};

/// Explanation of the ratings.
pub const RATINGS_LEGEND: &str =
    "rating: Weng-Lin on the scale of Elo, 0 at the start; uncertainty: its standard deviation\n";

/// A test with its current state.
#[derive(Clone, Copy, Debug)]
pub(super) struct TestState {
    pub sprt: Sprt,
    /// Log likelihood ratio of the counted blocks.
    pub llr: f64,
    pub verdict: Verdict,
}

/// Result of one engine against another.
#[derive(Clone, Debug)]
pub struct HeadToHead {
    /// Names of the two engines and number of games.
    pub title: String,
    /// Labels with their values.
    pub lines: Vec<(&'static str, String)>,
}

impl HeadToHead {
    /// Returns the title and the lines, with a newline at the end.
    pub fn text(&self) -> String {
        let lines = self.lines.iter();
        let lines = lines.map(|(label, text)| format!("  {label:10}  {text}\n"));
        format!("{}\n{}", self.title, lines.collect::<String>())
    }
}

/// Result of the first engine against the second; `None` unless there are exactly two engines.
pub(super) fn head_to_head(standings: &Standings, test: Option<TestState>) -> Option<HeadToHead> {
    let names: Vec<&str> = standings.engines().map(|(name, _)| name).collect();
    let [one, other] = names[..] else {
        return None;
    };
    let scores = standings.head_to_head();
    if scores.is_none() && test.is_none() {
        return None;
    }
    let counted = scores.map_or("no complete block yet".to_string(), blocks);
    let mut lines = scores.map_or(Vec::new(), |scores| strength(scores, one));
    lines.extend(test.map(|test| ("LLR", state(test))));
    Some(HeadToHead {
        title: format!("{one} against {other}, {counted}"),
        lines,
    })
}

fn blocks(scores: &BlockScores) -> String {
    match (scores.blocks(), scores.games_per_block()) {
        (1, 2) => "1 pair of games".to_string(),
        (pairs, 2) => format!("{pairs} pairs of games"),
        (1, games) => format!("1 block of {games} games"),
        (blocks, games) => format!("{blocks} blocks of {games} games"),
    }
}

/// Score, Elo and likelihood of superiority, one line each.
fn strength(scores: &BlockScores, one: &str) -> Vec<(&'static str, String)> {
    let mut lines = vec![("score", scores.mean().map_or("-".into(), percent))];
    if let Some(pairs) = scores.as_pentanomial() {
        let points = ["0", "0.5", "1", "1.5", "2"].iter().zip(pairs);
        let counts: Vec<String> = points
            .map(|(points, count)| format!("{count} of {points}"))
            .collect();
        lines.push(("pairs", format!("{} points", counts.join(", "))));
    }
    lines.push(("Elo", elo(scores.elo())));
    lines.push(("normalized", elo(scores.normalized_elo())));
    let superiority = scores.superiority().map_or_else(
        || "-".to_string(),
        |superiority| {
            let percent = percent(superiority);
            format!("{percent}, the likelihood that {one} is stronger")
        },
    );
    lines.push(("LOS", superiority));
    lines
}

/// Formats an Elo difference with its error, as far as they exist.
fn elo(interval: Option<EloInterval>) -> String {
    let Some(interval) = interval else {
        return "-".to_string();
    };
    let EloInterval { elo, low, high } = interval;
    let known = match interval.error() {
        Some(error) => format!(" ± {error:.1}"),
        None if low.is_finite() => format!(", at least {}", signed(low, 1)),
        None if high.is_finite() => format!(", at most {}", signed(high, 1)),
        None => ", error unknown".to_string(),
    };
    match elo {
        f64::INFINITY => format!("infinity, every block was won{known}"),
        f64::NEG_INFINITY => format!("minus infinity, every block was lost{known}"),
        elo => format!("{}{known}", signed(elo, 1)),
    }
}

/// Formats the LLR with its bounds and the result of the test.
fn state(test: TestState) -> String {
    let (elo0, elo1) = test.sprt.hypotheses();
    let (low, high) = test.sprt.bounds();
    let unit = match test.sprt.model() {
        EloModel::Logistic => "Elo",
        EloModel::Normalized => "normalized Elo",
    };
    let meaning = match test.verdict {
        Verdict::H1 => format!("H1 accepted: {unit} {elo1} rather than {elo0}"),
        Verdict::H0 => format!("H0 accepted: {unit} {elo0} rather than {elo1}"),
        Verdict::Open => format!("undecided: {unit} {elo0} or {elo1}"),
    };
    format!("{:.2}, bounds {low:.2} and {high:.2}; {meaning}", test.llr)
}

/// Table of ratings, best first; `None` for a two-seat match of two engines, where Elo says more.
pub(super) fn ratings(standings: &Standings) -> Option<Rows> {
    let engines = standings.engines().count();
    if engines < 2 || (engines == 2 && standings.seats().len() == 2) {
        return None;
    }
    let columns = [
        Column::left("engine"),
        Column::right("rating"),
        Column::right("uncertainty"),
    ];
    let rated = standings.engines().zip(standings.ratings().iter());
    let mut rated: Vec<(&str, Rating)> = rated.map(|((name, _), rating)| (name, rating)).collect();
    rated.sort_by(|(_, one), (_, other)| other.rating.total_cmp(&one.rating));
    let rows = rated.into_iter().map(|(name, rating)| {
        vec![
            name.to_string(),
            signed(rating.rating, 0),
            format!("{:.0}", rating.uncertainty),
        ]
    });
    Some(Rows {
        columns: columns.into(),
        rows: rows.collect(),
    })
}
