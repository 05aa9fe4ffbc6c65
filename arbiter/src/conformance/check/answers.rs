//! Checks of a search's answer: exactly one, in time, and deterministic.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::limits::in_time_of;
use super::positions::for_positions;
use super::talk::{
    Fault, Search, Talk, expect, first_words, is_best_move, is_legal, nothing, wrong,
};
use super::{Check, Profile, Scope};
use crate::conformance::transcript::mask;

/// Time to wait for output that must not come.
const SILENCE: Duration = Duration::from_millis(400);

pub fn checks(scope: &Scope) -> Vec<Check> {
    let mut checks = vec![
        Check::new(
            "go/once",
            "each `go` is answered with one `bestmove`, and nothing follows it",
            |talk| {
                for go in ["go depth 2", "go movetime 30"] {
                    talk.set_beginning()?;
                    talk.go(go)?;
                    silence(talk)?;
                    nothing(&talk.ask("stop")?)?;
                }
                Ok(())
            },
        ),
        Check::new("go/infinite", "`go infinite` is answered after `stop`, not before", |talk| {
            held_until(talk, "go infinite", "stop")
        }),
        Check::new(
            "go/infinite-depth",
            "`infinite` delays the answer even with another limit",
            |talk| held_until(talk, "go infinite depth 1", "stop"),
        ),
        Check::new(
            "go/ponder",
            "`go ponder` is answered after `ponderhit`, not before, as ponder=on needs",
            |talk| held_until(talk, "go ponder depth 1", "ponderhit"),
        ),
        Check::new(
            "go/ponder-stop",
            "`go ponder` is answered after `stop`, not before, as ponder=on needs",
            |talk| held_until(talk, "go ponder depth 1", "stop"),
        ),
        Check::new("go/isready", "`isready` is answered during a search", |talk| {
            talk.set_beginning()?;
            talk.send("go infinite")?;
            for _ in 0..5 {
                let lines = talk.fence()?;
                let best = lines.iter().find(|line| line.starts_with("bestmove"));
                expect(best.is_none(), || format!("{best:?} before `stop`"))?;
            }
            talk.go("stop").map(drop)
        }),
        Check::new("go/stop", "`stop` is answered within 200 ms", |talk| {
            in_time_of(Duration::from_millis(200), || {
                talk.set_beginning()?;
                talk.send("go infinite")?;
                talk.fence()?;
                talk.go("stop").map(|search| search.elapsed)
            })
        }),
        Check::new("stop/idle", "`stop` without a search is not answered", |talk| {
            nothing(&talk.ask("stop")?)
        }),
        Check::new("go/many", "each of several searches in a row is answered once", |talk| {
            talk.set_beginning()?;
            for _ in 0..50 {
                talk.go("go depth 1")?;
            }
            nothing(&talk.fence()?)
        }),
        Check::new("go/multipv", "`MultiPV N` lists N different moves, numbered from 1", multipv),
    ];
    let is_full = scope.profile == Profile::Full;
    if let Some((rules, seats)) = scope.tables.first().cloned() {
        checks.push(Check::new(
            "go/searchmoves",
            "`bestmove` is one of `searchmoves`",
            move |talk| {
                for_positions(talk, &rules, seats, 8, |talk, reached| {
                    let moves = reached.position.legal_actions();
                    let Some(last) = moves.last().filter(|mv| is_legal(&reached.position, mv))
                    else {
                        return Ok(());
                    };
                    let search = talk.go(&format!("go depth 2 searchmoves {last}"))?;
                    expect(search.best.best.as_ref() == Some(last), || {
                        format!("{:?} instead of {last}", search.best.best)
                    })
                })
            },
        ));
        if is_full {
            checks.push(Check::new(
                "go/searchmoves-several",
                "all moves of `searchmoves` are considered",
                searchmoves,
            ));
        }
    }
    for table in &scope.tables {
        let explanation =
            "repeated searches to a fixed depth print the same, except for times and speeds";
        let check =
            Check::of_table(table, "deterministic", explanation, move |talk, rules, seats| {
                talk.choose(rules)?;
                let command = talk.position(seats, &[]);
                let mut said = Vec::new();
                for _ in 0..2 {
                    talk.set(&["ucinewgame".into(), command.clone()])?;
                    let search = talk.go("go depth 3")?;
                    let lines: Vec<String> = search.lines.iter().map(|line| mask(line)).collect();
                    said.push((search.best, if is_full { lines } else { Vec::new() }));
                }
                expect(said[0] == said[1], || "the two searches differ".into())
            });
        checks.push(if is_full { check } else { check.lightly() });
    }
    checks
}

/// Sends a `go` that must not be answered before `release` is sent, and then once.
fn held_until(talk: &mut Talk, go: &str, release: &str) -> Result<(), Fault> {
    talk.set_beginning()?;
    talk.send(go)?;
    let lines = lines_within(talk, SILENCE)?;
    let early = lines.iter().find(|line| is_best_move(line));
    if let Some(line) = early {
        return wrong(format!("{line:?} before `{release}`"));
    }
    talk.go(release)?;
    silence(talk)
}

/// Fails if a second `bestmove` for one `go`, or any other line, follows the first.
fn silence(talk: &mut Talk) -> Result<(), Fault> {
    let lines = lines_within(talk, SILENCE)?;
    match lines.iter().find(|line| is_best_move(line)) {
        Some(second) => wrong(format!("a second bestmove for one go: {second:?}")),
        None => nothing(&lines),
    }
}

fn lines_within(talk: &mut Talk, time: Duration) -> Result<Vec<String>, Fault> {
    let end = Instant::now() + time;
    let mut lines = Vec::new();
    while let Some(line) = talk.line_within(end.saturating_duration_since(Instant::now()))? {
        lines.push(line);
        if Instant::now() >= end {
            break;
        }
    }
    Ok(lines)
}

/// Searches with `MultiPV N`.
fn go_with_lines(talk: &mut Talk, lines: u32, position: String, go: &str) -> Result<Search, Fault> {
    talk.need_option("MultiPV")?;
    talk.set(&[format!("setoption name MultiPV value {lines}"), position])?;
    let search = talk.go(go);
    talk.set(&["setoption name MultiPV value 1".into()])?;
    search
}

/// Both moves of `searchmoves` are reported with MultiPV.
fn searchmoves(talk: &mut Talk) -> Result<(), Fault> {
    let home = talk.home()?;
    talk.choose(&home.0)?;
    let (words, start) = first_words(&home, 0)?;
    let asked = start.legal_actions().into_iter().take(2);
    let asked: BTreeSet<String> = asked.collect();
    let list: Vec<&str> = asked.iter().map(String::as_str).collect();
    let go = format!("go depth 1 searchmoves {}", list.join(" "));
    let search = go_with_lines(talk, 72, talk.position(home.1, &words), &go)?;
    let firsts = search.infos.iter().filter_map(|info| info.pv.first());
    let found: BTreeSet<String> = firsts.cloned().collect();
    expect(found == asked, || format!("{found:?} instead of {asked:?}"))
}

fn multipv(talk: &mut Talk) -> Result<(), Fault> {
    let search = go_with_lines(talk, 2, talk.beginning()?, "go depth 2")?;
    let last = search.infos.iter().filter_map(|info| info.depth).max();
    let lines = search.infos.iter();
    let lines = lines.filter(|info| info.depth == last && !info.pv.is_empty());
    let lines: Vec<_> = lines.map(|info| (info.multipv, info.pv.first())).collect();
    match lines.as_slice() {
        [.., (Some(1), first), (Some(2), second)] if first != second => Ok(()),
        lines => wrong(format!("the lines of the last depth: {lines:?}")),
    }
}
