//! Checks that invalid input is answered with an error and changes nothing.

use super::talk::{Fault, Talk, expect};
use super::{Check, Profile};

/// Invalid lines, with names for their errors.
const BAD_LINES: &[(&str, &str)] = &[
    ("unknown-command", "hop"),
    ("unknown-case", "ISREADY"),
    ("argument-too-many", "isready now"),
    ("debug-argument", "debug maybe"),
    ("setoption-alone", "setoption"),
    ("setoption-no-name", "setoption value 3"),
    ("setoption-unknown", "setoption name No Such Option value 1"),
    ("setoption-word", "setoption name Hash value many"),
    ("setoption-negative", "setoption name Hash value -1"),
    (
        "setoption-too-large",
        "setoption name MultiPV value 99999999999999999999",
    ),
    (
        "setoption-variant",
        "setoption name UCI_Variant value no-such-variant",
    ),
    ("position-alone", "position"),
    ("position-unknown", "position somewhere"),
    ("position-players-0", "position startpos players 0"),
    ("position-players-7", "position startpos players 7"),
    ("position-players-word", "position startpos players two"),
    ("position-fen-empty", "position fen"),
    ("position-fen-nonsense", "position fen nonsense"),
    ("position-move-unknown", "position startpos moves nonsense"),
    ("position-moves-word", "position startpos move e1d2"),
    ("ponderhit-idle", "ponderhit"),
    ("bench-zero", "bench 0"),
    ("query-alone", "query"),
    ("query-unknown", "query weather"),
    ("not-utf8", "position startpos moves \u{fffd}\u{fffd}"),
];

/// Invalid `go` commands; each is also answered with `bestmove (none)`.
const BAD_GOES: &[(&str, &str)] = &[
    ("depth-zero", "go depth 0"),
    ("depth-word", "go depth deep"),
    ("depth-alone", "go depth"),
    ("depth-negative", "go depth -1"),
    ("nodes-zero", "go nodes 0"),
    ("movetime-zero", "go movetime 0"),
    ("movetime-word", "go movetime soon"),
    ("twice", "go depth 1 depth 2"),
    ("unknown-word", "go quickly"),
    ("searchmoves-illegal", "go depth 1 searchmoves nonsense"),
    ("clock-short", "go time 1000"),
    ("clock-mixed", "go wtime 1000 btime 1000 p1time 1000"),
    ("movestogo-zero", "go wtime 1000 btime 1000 movestogo 0"),
];

pub fn checks(profile: Profile) -> Vec<Check> {
    let mut checks = Vec::new();
    for &(name, line) in BAD_LINES {
        checks.push(match profile {
            Profile::Full => Check::new(
                format!("refuses/{name}"),
                format!("`{line}` is answered with one `info string error:` and changes nothing"),
                move |talk| is_refused(talk, line),
            ),
            Profile::Match | Profile::Uci => Check::new(
                format!("survives/{name}"),
                format!("`{line}` does no harm"),
                move |talk| is_survived(talk, line),
            ),
        });
    }
    if profile == Profile::Full {
        for &(name, line) in BAD_GOES {
            checks.push(Check::new(
                format!("refuses/go-{name}"),
                format!("`{line}` is answered with an error and `bestmove (none)`"),
                move |talk| is_refused_with_answer(talk, line),
            ));
        }
        for (name, line) in [
            ("go", "go depth 1"),
            ("setoption", "setoption name Hash value 1"),
            ("ucinewgame", "ucinewgame"),
            ("perft", "go perft 1"),
        ] {
            checks.push(Check::new(
                format!("busy/{name}"),
                format!("`{line}` is rejected during a search, which continues"),
                move |talk| is_refused_when_busy(talk, line),
            ));
        }
    }
    checks
}

/// The engine's description of its position.
fn state(talk: &mut Talk) -> Result<Vec<String>, Fault> {
    talk.ask("d")
}

fn is_refused(talk: &mut Talk, line: &str) -> Result<(), Fault> {
    let before = state(talk)?;
    let lines = talk.ask(line)?;
    expect(
        lines.len() == 1 && lines[0].starts_with("info string error: "),
        || format!("expected one line `info string error: ...`, got {lines:?}"),
    )?;
    let after = state(talk)?;
    expect(before == after, || "the position has changed".into())
}

fn is_refused_with_answer(talk: &mut Talk, line: &str) -> Result<(), Fault> {
    talk.set(&[talk.beginning()?])?;
    let search = talk.go(line)?;
    let errors = search
        .lines
        .iter()
        .filter(|line| line.starts_with("info string error: "));
    expect(errors.count() == 1, || {
        format!("expected one error, got {:?}", search.lines)
    })?;
    expect(search.best.best.is_none(), || {
        format!("it plays {:?}", search.best.best)
    })
}

fn is_refused_when_busy(talk: &mut Talk, line: &str) -> Result<(), Fault> {
    talk.set(&[talk.beginning()?])?;
    talk.send("go infinite")?;
    let lines = talk.ask(line)?;
    let errors = lines
        .iter()
        .filter(|line| line.starts_with("info string error: "))
        .count();
    let search = talk.go("stop")?;
    expect(errors == 1, || format!("expected one error, got {lines:?}"))?;
    expect(search.best.best.is_some(), || {
        "the search has lost its move".into()
    })
}

fn is_survived(talk: &mut Talk, line: &str) -> Result<(), Fault> {
    talk.ask(line)?;
    talk.set(&["ucinewgame".into(), talk.beginning()?])?;
    let search = talk.go("go depth 1")?;
    expect(search.best.best.is_some(), || "no move".into())
}
