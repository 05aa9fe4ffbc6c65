//! Checks of unusual input and of the program's end.

use std::time::{Duration, Instant};

use super::talk::{Fault, Talk, expect, wrong};
use super::{Check, Profile};

/// Time for an engine to exit.
const TIME_TO_END: Duration = Duration::from_secs(2);

pub fn checks(profile: Profile) -> Vec<Check> {
    let mut checks = vec![
        Check::new(
            "input/empty-lines",
            "empty lines are not answered",
            |talk| {
                talk.send_bytes(b"\n\n   \n\t\n")?;
                let lines = talk.fence()?;
                expect(lines.is_empty(), || format!("{:?} came", lines[0]))
            },
        ),
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
                let search = talk.go("\tgo   depth  1 ")?;
                expect(search.best.best.is_some(), || "no move".into())
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
        Check::new(
            "input/long-line",
            "a line of a megabyte does no harm",
            |talk| {
                let line = format!("position startpos moves {}", "x".repeat(1_000_000));
                talk.ask(&line)?;
                talk.set(&[talk.beginning()?])?;
                talk.go("go depth 1").map(drop)
            },
        ),
        Check::new("input/bytes", "binary input does no harm", |talk| {
            talk.send_bytes(b"\xff\xfe\x00\x80\n")?;
            talk.fence()?;
            talk.set(&[talk.beginning()?])?;
            talk.go("go depth 1").map(drop)
        }),
        Check::new("end/quit", "`quit` ends the program", |talk| {
            ends(talk, &["quit"])
        }),
        Check::new(
            "end/quit-search",
            "`quit` ends the program during a search too",
            |talk| ends(talk, &["position startpos", "go infinite", "quit"]),
        ),
    ];
    if profile == Profile::Full {
        checks.push(Check::new(
            "input/bytes-refused",
            "bytes that are not UTF-8 are rejected",
            |talk| {
                talk.send_bytes(b"\xff\xfe\n")?;
                let lines = talk.fence()?;
                expect(
                    lines.len() == 1 && lines[0].starts_with("info string error: "),
                    || format!("expected one error, got {lines:?}"),
                )
            },
        ));
        checks.push(
            Check::new("help", "`help` lists the commands", |talk| {
                let lines = talk.ask("help")?;
                expect(
                    lines.iter().any(|line| line.contains("position startpos")),
                    || format!("{lines:?}"),
                )
            })
            .lightly(),
        );
        checks.push(
            Check::new("eval", "`eval` ends with the estimate", |talk| {
                talk.set(&[talk.beginning()?])?;
                let lines = talk.ask("eval")?;
                expect(
                    lines.iter().any(|line| line.starts_with("estimate ")),
                    || format!("{lines:?}"),
                )
            })
            .lightly(),
        );
    }
    checks
}

/// Sends lines, the last of which ends the program, and waits for its exit.
fn ends(talk: &mut Talk, lines: &[&str]) -> Result<(), Fault> {
    for line in lines {
        talk.send(line)?;
    }
    talk.close();
    let deadline = Instant::now() + TIME_TO_END;
    while Instant::now() < deadline {
        match talk.line_within(deadline.saturating_duration_since(Instant::now())) {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(_) => return Ok(()),
        }
    }
    wrong(format!(
        "it still runs after {} ms",
        TIME_TO_END.as_millis()
    ))
}
