//! Checks of commands beyond plain UCI: the UGI greeting, debugging, node counts and human-readable output.

use buxtehude::protocol::Reply;

use super::positions::{Reached, for_positions};
use super::talk::{Fault, Talk, expect, nothing, wrong};
use super::{Check, Scope};

const PERFT_DEPTH: u32 = 2;

/// Positions counted by perft for each variant and number of seats.
const COUNTED: usize = 6;

pub fn checks(scope: &Scope) -> Vec<Check> {
    let mut checks = vec![
        Check::new(
            "ugi/introduction",
            "`ugi` is answered like `uci`, except for `ugiok` at the end",
            |talk| {
                let ugi = greeting(talk, "ugi", "ugiok")?;
                let uci = greeting(talk, "uci", "uciok")?;
                expect(ugi == uci, || "the two introductions differ".into())
            },
        ),
        Check::new(
            "ugi/bestmove",
            "after `ugi`, `bestmove` is two words; after `uci`, it is as before",
            |talk| {
                let before = talk.go("go depth 2")?.best;
                greeting(talk, "ugi", "ugiok")?;
                let search = talk.go("go depth 2")?;
                greeting(talk, "uci", "uciok")?;
                let best = &search.best;
                expect(best.ponder.is_none() && best.estimate.is_empty(), || format!("{best:?}"))?;
                let after = talk.go("go depth 2")?.best;
                expect(after.estimate.is_empty() == before.estimate.is_empty(), || {
                    format!("{after:?}, but before `ugi` {before:?}")
                })
            },
        ),
        Check::new("uginewgame", "`uginewgame` is not answered", |talk| {
            nothing(&talk.ask("uginewgame")?)
        }),
        Check::new("ucinewgame/position", "a new game keeps the position", |talk| {
            talk.set(&[talk.after_moves(1)?])?;
            let before = talk.ask("d")?;
            for command in ["ucinewgame", "uginewgame"] {
                talk.ask(command)?;
                let after = talk.ask("d")?;
                expect(before == after, || format!("`{command}` changes it"))?;
            }
            Ok(())
        }),
        Check::new(
            "busy/answers",
            "queries are answered during a search, which continues",
            |talk| {
                let home = talk.ask("query legal")?;
                let picture = talk.ask("d")?;
                talk.send("go infinite")?;
                expect(home == without_infos(talk.ask("query legal")?), || {
                    "the answer to `query legal` differs".into()
                })?;
                expect(picture == without_infos(talk.ask("d")?), || {
                    "the answer to `d` differs".into()
                })?;
                talk.send("uci")?;
                talk.until("uciok")?;
                expect(!without_infos(talk.ask("help")?).is_empty(), || {
                    "`help` is not answered".into()
                })?;
                talk.go_for_a_move("stop").map(drop)
            },
        ),
        Check::new(
            "busy/position",
            "a `position` during a search applies to the next one",
            |talk| {
                let position = talk.after_moves(5)?;
                let before = talk.ask("d")?;
                talk.send("go infinite")?;
                talk.set(&[position])?;
                let during = without_infos(talk.ask("d")?);
                talk.go_for_a_move("stop")?;
                let after = talk.ask("d")?;
                expect(before != during && during == after, || {
                    format!("before the search {before:?}, in it {during:?}, after it {after:?}")
                })
            },
        ),
        Check::new(
            "bench",
            "`bench` counts the same positions each time, and more at a greater depth",
            |talk| {
                let [first, second] = [bench(talk, 1)?, bench(talk, 1)?];
                expect(first == second, || format!("{first} and {second}"))?;
                let deeper = bench(talk, 2)?;
                expect(deeper > first, || format!("{deeper} at depth 2, {first} at depth 1"))
            },
        )
        .lightly(),
    ];
    for table in &scope.tables {
        checks.push(Check::of_built_in(
            table,
            "perft",
            "`go perft` counts the legal moves and cards, for each first one and in total",
            |talk, variant, seats| {
                for_positions(talk, &variant.into(), seats, COUNTED, perft_is_right)
            },
        ));
    }
    checks
}

fn perft_is_right(talk: &mut Talk, reached: &Reached) -> Result<(), Fault> {
    for depth in 0..=PERFT_DEPTH {
        let counts = match depth {
            0 => Vec::new(),
            _ => {
                let position = reached.position.built_in();
                let counts = position.and_then(|of| of.perft_by_action(depth, &mut || false));
                counts.unwrap_or_default()
            }
        };
        let sum: u64 = match depth {
            0 => 1,
            _ => counts.iter().map(|(_, count)| count).sum(),
        };
        let lines = counts.iter().map(|(word, count)| format!("{word}: {count}"));
        let sum = [String::new(), format!("Nodes searched: {sum}")];
        let expected: Vec<String> = lines.chain(sum).collect();
        let found = talk.answer_up_to(&format!("go perft {depth}"), "Nodes")?;
        expect(found == expected, || {
            format!("perft {depth}: expected {expected:?}, got {found:?}")
        })?;
    }
    Ok(())
}

/// The answer to a greeting: the engine's names and options.
fn greeting(talk: &mut Talk, greeting: &str, last: &str) -> Result<Vec<String>, Fault> {
    let mut lines = talk.answer_up_to(greeting, last)?;
    let end = lines.pop();
    expect(end.as_deref() == Some(last), || format!("got {end:?}"))?;
    Ok(lines)
}

/// Nodes visited by a bench.
fn bench(talk: &mut Talk, depth: u32) -> Result<u64, Fault> {
    let lines = talk.answer_up_to(&format!("bench {depth}"), "Nodes/second")?;
    let count = lines.iter().find_map(|line| line.strip_prefix("Nodes searched"));
    let digits = |text: &str| text.trim_start_matches([' ', ':']).parse().ok();
    match count.and_then(digits) {
        Some(count) => Ok(count),
        None => wrong(format!("no line `Nodes searched: N` in {lines:?}")),
    }
}

/// Removes the `info` lines of the running search.
fn without_infos(lines: Vec<String>) -> Vec<String> {
    let is_info = |line: &String| matches!(line.parse(), Ok(Reply::Info(_) | Reply::InfoString(_)));
    lines.into_iter().filter(|line| !is_info(line)).collect()
}
