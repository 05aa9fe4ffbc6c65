//! Checks that a search keeps its limits.

use std::time::Duration;

use buxtehude::protocol::{Info, Score};

use super::talk::{Fault, Search, Talk, expect};
use super::{Check, Profile};

/// Margin beyond a time limit, for communication and a busy machine.
pub const MARGIN: Duration = Duration::from_millis(150);

/// Number of attempts; only if all are late does the engine fail, since one may be the machine's fault.
pub const TRIES: usize = 3;

pub fn checks(profile: Profile) -> Vec<Check> {
    let mut checks = Vec::new();
    for depth in [1, 2, 4] {
        checks.push(Check::new(
            format!("limits/depth-{depth}"),
            format!("`go depth {depth}` searches no deeper"),
            move |talk| {
                let search = search(talk, &format!("go depth {depth}"))?;
                let deepest = search.infos.iter().filter_map(|info| info.depth).max();
                // The result of a game that is solved or ends soon may be known at a greater depth.
                let is_known = search.infos.iter().any(is_mate);
                expect(
                    is_known || deepest.is_none_or(|deepest| deepest <= depth),
                    || format!("depth {deepest:?}"),
                )
            },
        ));
    }
    for nodes in [1, 100, 5000] {
        checks.push(Check::new(
            format!("limits/nodes-{nodes}"),
            format!("`go nodes {nodes}` stays close to its limit"),
            move |talk| {
                let search = search(talk, &format!("go nodes {nodes}"))?;
                let visited = search.infos.iter().filter_map(|info| info.nodes).max();
                // Engines test the node count only now and then.
                expect(
                    visited.is_none_or(|visited| visited <= nodes + 2000),
                    || format!("{visited:?} positions"),
                )
            },
        ));
    }
    for movetime in [1, 20, 100] {
        checks.push(Check::new(
            format!("limits/movetime-{movetime}"),
            format!("`go movetime {movetime}` is answered in time"),
            move |talk| in_time(talk, &format!("go movetime {movetime}"), movetime),
        ));
    }
    // Engines of plain UCI may answer early.
    if profile == Profile::Full {
        checks.push(movetime_used());
    }
    for (name, go, limit) in [
        ("clock", "go wtime 200 btime 200 winc 0 binc 0", 200),
        (
            "clock-increment",
            "go wtime 100 btime 100 winc 50 binc 50",
            100,
        ),
        ("clock-movestogo", "go wtime 100 btime 100 movestogo 1", 100),
        ("clock-zero", "go wtime 0 btime 0", 0),
        ("clock-negative", "go wtime -50 btime -50", 0),
        ("depth-and-time", "go depth 90 movetime 50", 50),
        ("nodes-and-time", "go nodes 100000000000 movetime 50", 50),
    ] {
        checks.push(Check::new(
            format!("limits/{name}"),
            format!("`{go}` is answered in time"),
            move |talk| in_time(talk, go, limit),
        ));
    }
    checks
}

fn movetime_used() -> Check {
    Check::new(
        "limits/movetime-used",
        "`go movetime 100` uses at least four fifths of its time",
        |talk| {
            let search = search(talk, "go movetime 100")?;
            let is_known = search.infos.iter().any(is_mate);
            expect(
                is_known || search.elapsed >= Duration::from_millis(75),
                || format!("after {:?}", search.elapsed),
            )
        },
    )
}

fn is_mate(info: &Info) -> bool {
    matches!(info.score, Some(Score::Mate(_)))
}

fn search(talk: &mut Talk, go: &str) -> Result<Search, Fault> {
    talk.set(&["ucinewgame".into(), talk.beginning()?])?;
    let search = talk.go(go)?;
    expect(search.best.best.is_some(), || "no move".into())?;
    Ok(search)
}

/// Fails unless one of [`TRIES`] searches is answered within `limit` milliseconds.
fn in_time(talk: &mut Talk, go: &str, limit: u64) -> Result<(), Fault> {
    let limit = Duration::from_millis(limit) + MARGIN;
    in_time_of(limit, || Ok(search(talk, go)?.elapsed))
}

/// Fails unless one of [`TRIES`] attempts stays within the limit.
pub fn in_time_of(
    limit: Duration,
    mut attempt: impl FnMut() -> Result<Duration, Fault>,
) -> Result<(), Fault> {
    let mut elapsed = attempt()?;
    for _ in 1..TRIES {
        if elapsed > limit {
            elapsed = elapsed.min(attempt()?);
        }
    }
    expect(elapsed <= limit, || format!("after {elapsed:?}"))
}
