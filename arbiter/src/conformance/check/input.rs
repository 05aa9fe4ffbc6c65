//! Checks of unusual and of invalid input, which is answered with an error and changes nothing, and of the program's
//! end.

use std::time::{Duration, Instant};

use super::talk::{Fault, Talk, expect, is_refusal, nothing, wrong};
use super::{Check, Profile};

const TIME_TO_END: Duration = Duration::from_secs(2);

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
    ("setoption-too-large", "setoption name MultiPV value 99999999999999999999"),
    ("setoption-variant", "setoption name UCI_Variant value no-such-variant"),
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
    let mut checks = vec![
        Check::new("input/empty-lines", "empty lines are not answered", |talk| {
            talk.send_bytes(b"\n\n   \n\t\n")?;
            nothing(&talk.fence()?)
        }),
        Check::new("input/crlf", "lines may end with CR LF", |talk| {
            let start = talk.beginning()?;
            talk.send_bytes(format!("{start}\r\nisready\r\n").as_bytes())?;
            talk.until("readyok")?;
            talk.send_bytes(b"go depth 1\r\n")?;
            let search = talk.best_move(Instant::now())?;
            expect(search.best.best.is_some(), || "no move".into())
        }),
        Check::new(
            "input/blanks",
            "words may be separated by any number of spaces and tabs",
            |talk| {
                let start = talk.beginning()?.replace(' ', " \t ");
                talk.send_bytes(format!("  {start}  \n").as_bytes())?;
                talk.go_for_a_move("\tgo   depth  1 ").map(drop)
            },
        ),
        Check::new("input/pieces", "a line may arrive in pieces", |talk| {
            for piece in [&b"isr"[..], b"ead", b"y\n"] {
                talk.send_bytes(piece)?;
                std::thread::sleep(Duration::from_millis(5));
            }
            talk.until("readyok").map(drop)
        }),
        Check::new("input/together", "many lines may arrive at once", |talk| {
            let start = talk.beginning()?;
            talk.send_bytes(format!("{start}\ngo depth 1\n").as_bytes())?;
            talk.best_move(Instant::now()).map(drop)
        }),
        Check::new("input/long-line", "a line of a megabyte does no harm", |talk| {
            let line = format!("position startpos moves {}", "x".repeat(1_000_000));
            talk.ask(&line)?;
            talk.set_beginning()?;
            talk.go("go depth 1").map(drop)
        }),
        Check::new("input/bytes", "binary input does no harm", |talk| {
            talk.send_bytes(b"\xff\xfe\x00\x80\n")?;
            talk.fence()?;
            talk.set_beginning()?;
            talk.go("go depth 1").map(drop)
        }),
        Check::new("end/quit", "`quit` ends the program", |talk| ends(talk, &["quit"])),
        Check::new("end/quit-search", "`quit` ends the program during a search too", |talk| {
            ends(talk, &["position startpos", "go infinite", "quit"])
        }),
    ];
    if profile == Profile::Full {
        let contains = |lines: Vec<String>, text: &str| {
            let is_there = format!("\n{}", lines.join("\n")).contains(text);
            expect(is_there, || format!("{lines:?}"))
        };
        checks.extend([
            Check::new("input/bytes-refused", "bytes that are not UTF-8 are rejected", |talk| {
                talk.send_bytes(b"\xff\xfe\n")?;
                only_a_refusal(&talk.fence()?)
            }),
            Check::new("help", "`help` lists the commands", move |talk| {
                contains(talk.ask("help")?, "position startpos")
            })
            .lightly(),
            Check::new("eval", "`eval` ends with the estimate", move |talk| {
                talk.set_beginning()?;
                contains(talk.ask("eval")?, "\nestimate ")
            })
            .lightly(),
        ]);
    }
    checks
}

/// Sends lines, the last of which ends the program, and waits for its exit.
pub fn ends(talk: &mut Talk, lines: &[&str]) -> Result<(), Fault> {
    for line in lines {
        talk.send(line)?;
    }
    talk.is_open = false;
    let deadline = Instant::now() + TIME_TO_END;
    while Instant::now() < deadline {
        match talk.line_within(deadline.saturating_duration_since(Instant::now())) {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(_) => return Ok(()),
        }
    }
    wrong(format!("it still runs after {} ms", TIME_TO_END.as_millis()))
}

/// Checks that invalid input is rejected or, by engines of less than the whole protocol, survived.
pub fn refusals(profile: Profile) -> Vec<Check> {
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

/// Fails unless exactly one of the lines rejects something.
fn one_refusal(lines: &[String]) -> Result<(), Fault> {
    let refusals = lines.iter().filter(|line| is_refusal(line)).count();
    expect(refusals == 1, || format!("expected one error, got {lines:?}"))
}

fn only_a_refusal(lines: &[String]) -> Result<(), Fault> {
    one_refusal(lines)?;
    nothing(&lines[1..])
}

fn is_refused(talk: &mut Talk, line: &str) -> Result<(), Fault> {
    let before = talk.ask("d")?;
    let lines = talk.ask(line)?;
    only_a_refusal(&lines)?;
    let after = talk.ask("d")?;
    expect(before == after, || "the position has changed".into())
}

fn is_refused_with_answer(talk: &mut Talk, line: &str) -> Result<(), Fault> {
    talk.set_beginning()?;
    let search = talk.go(line)?;
    one_refusal(&search.lines)?;
    expect(search.best.best.is_none(), || format!("it plays {:?}", search.best.best))
}

fn is_refused_when_busy(talk: &mut Talk, line: &str) -> Result<(), Fault> {
    talk.set_beginning()?;
    talk.send("go infinite")?;
    let lines = talk.ask(line)?;
    talk.go_for_a_move("stop")?;
    one_refusal(&lines)
}

fn is_survived(talk: &mut Talk, line: &str) -> Result<(), Fault> {
    talk.ask(line)?;
    talk.set(&["ucinewgame".into(), talk.beginning()?])?;
    talk.go_for_a_move("go depth 1").map(drop)
}
