//! Checks of a search's answer: exactly one, in time, and deterministic.

use std::time::{Duration, Instant};

use super::limits::in_time_of;
use super::positions::random_position;
use super::tables::tables;
use super::talk::{Fault, Talk, expect, first_words, is_legal, wrong};
use super::{Check, Profile, Settings};
use crate::conformance::transcript::mask;
use buxtehude::rules::Variant;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Time to wait for output that must not come.
const SILENCE: Duration = Duration::from_millis(60);

pub fn checks(settings: &Settings) -> Vec<Check> {
    let mut checks = vec![
        Check::new(
            "go/once",
            "each `go` is answered with one `bestmove`, and nothing follows it",
            |talk| {
                start(talk)?;
                talk.go("go depth 2")?;
                let lines = talk.ask("stop")?;
                expect(lines.is_empty(), || format!("{:?} came", lines[0]))
            },
        ),
        Check::new(
            "go/infinite",
            "`go infinite` is answered after `stop`, not before",
            |talk| held_until(talk, "go infinite", "stop"),
        ),
        Check::new(
            "go/infinite-depth",
            "`infinite` delays the answer even with another limit",
            |talk| held_until(talk, "go infinite depth 1", "stop"),
        ),
        Check::new(
            "go/ponder",
            "`go ponder` is answered after `ponderhit`, not before",
            |talk| held_until(talk, "go ponder depth 1", "ponderhit"),
        ),
        Check::new(
            "go/ponder-stop",
            "`go ponder` is answered after `stop` too",
            |talk| held_until(talk, "go ponder depth 1", "stop"),
        ),
        Check::new(
            "go/isready",
            "`isready` is answered during a search",
            |talk| {
                start(talk)?;
                talk.send("go infinite")?;
                for _ in 0..5 {
                    let lines = talk.fence()?;
                    let best = lines.iter().find(|line| line.starts_with("bestmove"));
                    expect(best.is_none(), || format!("{best:?} before `stop`"))?;
                }
                talk.go("stop").map(drop)
            },
        ),
        Check::new("go/stop", "`stop` is answered within 200 ms", |talk| {
            in_time_of(Duration::from_millis(200), || {
                start(talk)?;
                talk.send("go infinite")?;
                talk.fence()?;
                talk.go("stop").map(|search| search.elapsed)
            })
        }),
        Check::new(
            "stop/idle",
            "`stop` without a search is not answered",
            |talk| {
                let lines = talk.ask("stop")?;
                expect(lines.is_empty(), || format!("{:?} came", lines[0]))
            },
        ),
        Check::new(
            "go/many",
            "each of several searches in a row is answered once",
            |talk| {
                start(talk)?;
                for _ in 0..50 {
                    talk.go("go depth 1")?;
                }
                let lines = talk.fence()?;
                expect(lines.is_empty(), || format!("{:?} came", lines[0]))
            },
        ),
        Check::new(
            "go/multipv",
            "`MultiPV N` lists N different moves, numbered from 1",
            multipv,
        ),
    ];
    if let Some(&(variant, seats)) = tables(settings).first() {
        checks.push(Check::new(
            "go/searchmoves",
            "`bestmove` is one of `searchmoves`",
            move |talk| {
                talk.choose(variant)?;
                let mut rng = ChaCha8Rng::seed_from_u64(1);
                for _ in 0..8 {
                    let (position, actions) = random_position(variant, seats, &mut rng)?;
                    let moves = position.legal_actions();
                    let Some(last) = moves.last().filter(|mv| is_legal(&position, mv)) else {
                        continue;
                    };
                    let command = talk.position(seats, &actions);
                    talk.set(&[command])?;
                    let search = talk.go(&format!("go depth 2 searchmoves {last}"))?;
                    expect(search.best.best.as_ref() == Some(last), || {
                        format!("{:?} instead of {last}", search.best.best)
                    })?;
                }
                Ok(())
            },
        ));
    }
    let first = tables(settings).first().copied();
    if let Some((variant, _)) = first.filter(|_| settings.profile == Profile::Full) {
        checks.push(Check::new(
            "go/searchmoves-several",
            "all moves of `searchmoves` are considered",
            move |talk| searchmoves(talk, variant),
        ));
    }
    for (variant, seats) in tables(settings) {
        let name = format!("{}/{seats}/deterministic", variant.name);
        let is_full = settings.profile == Profile::Full;
        let explanation =
            "repeated searches to a fixed depth print the same, except for times and speeds";
        let check = Check::new(name, explanation, move |talk| {
            talk.choose(variant)?;
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

/// Sets the start position.
fn start(talk: &mut Talk) -> Result<(), Fault> {
    talk.set(&[talk.beginning()?])
}

/// Sends a `go` that must not be answered before `release` is sent.
fn held_until(talk: &mut Talk, go: &str, release: &str) -> Result<(), Fault> {
    start(talk)?;
    talk.send(go)?;
    let end = Instant::now() + SILENCE;
    while let Some(line) = talk.line_within(end.saturating_duration_since(Instant::now()))? {
        expect(!line.starts_with("bestmove"), || {
            format!("{line:?} before `{release}`")
        })?;
        if Instant::now() >= end {
            break;
        }
    }
    talk.go(release).map(drop)
}

/// Both moves of `searchmoves` are reported with MultiPV.
fn searchmoves(talk: &mut Talk, variant: &'static Variant) -> Result<(), Fault> {
    if !talk.offers().iter().any(|offer| offer.name == "MultiPV") {
        return Err(Fault::Skipped("it does not offer MultiPV".into()));
    }
    talk.choose(variant)?;
    let (words, start) = first_words(variant, 0)?;
    let asked: Vec<String> = start.legal_actions().into_iter().take(2).collect();
    talk.set(&[
        "setoption name MultiPV value 72".into(),
        talk.position(2, &words),
    ])?;
    let search = talk.go(&format!("go depth 1 searchmoves {}", asked.join(" ")));
    talk.set(&["setoption name MultiPV value 1".into()])?;
    let mut found: Vec<String> = search?
        .infos
        .iter()
        .filter_map(|info| info.pv.first().cloned())
        .collect();
    found.sort();
    found.dedup();
    let mut expected = asked;
    expected.sort();
    expected.dedup();
    expect(found == expected, || {
        format!("{found:?} instead of {expected:?}")
    })
}

fn multipv(talk: &mut Talk) -> Result<(), Fault> {
    if !talk.offers().iter().any(|offer| offer.name == "MultiPV") {
        return Err(Fault::Skipped("it does not offer MultiPV".into()));
    }
    talk.set(&["setoption name MultiPV value 2".into(), talk.beginning()?])?;
    let search = talk.go("go depth 2");
    talk.set(&["setoption name MultiPV value 1".into()])?;
    let search = search?;
    let last = search.infos.iter().filter_map(|info| info.depth).max();
    let lines: Vec<(Option<u32>, Option<&String>)> = search
        .infos
        .iter()
        .filter(|info| info.depth == last && !info.pv.is_empty())
        .map(|info| (info.multipv, info.pv.first()))
        .collect();
    match lines.as_slice() {
        [.., (Some(1), first), (Some(2), second)] if first != second => Ok(()),
        lines => wrong(format!("the lines of the last depth: {lines:?}")),
    }
}
