//! Unusual lines to a rules program, and the same questions in other circumstances.
//!
//! Each exchange ends with `ugi`, so that missing and superfluous answers show.

use std::rc::Rc;

use buxtehude::rules::{Turn, is_card};
use matches::plan::rules::external::ExternalPosition;
use matches::record::printable::ends_of;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::super::input::ends;
use super::super::scope::Scope;
use super::super::talk::{Fault, Talk, expect, is_refusal, nothing};
use super::super::{Check, Settings};
use super::games::Games;

/// Positions after which each invalid line is sent.
const REFUSALS: usize = 20;

/// Questions sent at once.
const TOGETHER: usize = 250;

/// Lines without an answer.
const IGNORED: [(&str, &str); 5] = [
    ("unknown", "hop"),
    ("of-engines", "isready\nuginewgame\nsetoption name Hash value 1\ngo nodes 1\nstop"),
    ("similar", "querystate\npositions startpos\nquitter\nugi2"),
    ("empty", "\n   \n\t\n"),
    ("unicode", "hüpf 馬 \u{1f407}"),
];

/// Queries that no program answers with words.
const UNKNOWN_QUERIES: [&str; 3] = ["query weather", "query", "query wéather 馬"];

/// Makes the argument of an invalid `position` from a position.
type Spoil = fn(&ExternalPosition) -> String;

/// Invalid positions, with names and the expectation.
const REFUSED: [(&str, Spoil); 9] = [
    ("illegal-word", |position| format!("{position} no-such-move")),
    ("other-kind", |position| format!("{position} {}", of_other_kind(position))),
    ("illegal-first", |position| {
        format!("{position}").replacen(" moves", " moves no-such-move", 1)
    }),
    ("unicode", |position| format!("{position} 馬\u{1f407}")),
    ("long-word", |position| format!("{position} {}", "x".repeat(100_000))),
    ("long-line", |position| format!("{position}{}", " x".repeat(400_000))),
    ("players-0", |_| "startpos players 0".into()),
    ("players-word", |_| "startpos players two".into()),
    ("fen", |_| "fen no-such-position".into()),
];

pub fn begin(talk: &mut Talk) -> Result<(), Fault> {
    talk.forget();
    fence(talk)?;
    talk.forget();
    Ok(())
}

/// Sends `ugi` and returns the answers and errors before its answer.
fn fence(talk: &mut Talk) -> Result<Vec<String>, Fault> {
    talk.send("ugi")?;
    let mut lines = talk.until("ugiok")?;
    lines.retain(|line| is_answer(line));
    Ok(lines)
}

fn is_answer(line: &str) -> bool {
    is_refusal(line) || line.split_ascii_whitespace().next() == Some("response")
}

/// Sends lines and returns the answers and errors.
fn ask(talk: &mut Talk, lines: &[&str]) -> Result<Vec<String>, Fault> {
    for line in lines {
        talk.send(line)?;
    }
    fence(talk)
}

fn expect_answers(talk: &mut Talk, lines: &[&str], expected: &[&str]) -> Result<(), Fault> {
    let answers = ask(talk, lines)?;
    expect(answers == expected, || format!("expected {expected:?}, got {answers:?}"))
}

/// Returns the answer to lines with one query.
fn response(talk: &mut Talk, lines: &[&str]) -> Result<String, Fault> {
    let mut answers = ask(talk, lines)?;
    let is_one = answers.len() == 1 && !is_refusal(&answers[0]);
    expect(is_one, || format!("expected one response, got {answers:?}"))?;
    Ok(answers.remove(0))
}

/// Returns the state of a valid position.
fn state(talk: &mut Talk, position: &str) -> Result<String, Fault> {
    talk.forget();
    response(talk, &[&format!("position {position}"), "query state"])
}

fn states(talk: &mut Talk, positions: &[String]) -> Result<Vec<String>, Fault> {
    positions.iter().map(|position| state(talk, position)).collect()
}

/// Fails unless positions have these states, asked in an order by the seed.
fn expect_states(
    talk: &mut Talk,
    positions: &[String],
    states: &[String],
    seed: u64,
) -> Result<(), Fault> {
    let mut asked: Vec<_> = positions.iter().zip(states).collect();
    asked.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    for (position, expected) in asked {
        let now = state(talk, position)?;
        expect(now == *expected, || {
            format!("position {:?}: first {expected:?}, then {now:?}", ends_of(position))
        })?;
    }
    Ok(())
}

/// An illegal word: a draw for a move, a move for a draw, or the last word again after the end.
fn of_other_kind(position: &ExternalPosition) -> String {
    let last =
        |is_card_wanted| position.words().filter(|word| is_card(word) == is_card_wanted).last();
    match position.facts().turn {
        Turn::Seat(_) => last(true).unwrap_or("+1").into(),
        Turn::Card(_) => last(false).unwrap_or("no-such-move").into(),
        Turn::Over => position.words().last().unwrap_or_default().into(),
    }
}

/// All checks, in the order of execution.
pub fn checks(games: &Rc<Games>, settings: &Settings) -> Vec<Check> {
    let samples: Rc<[ExternalPosition]> = Rc::from(&*games.samples());
    let positions: Rc<[String]> = samples.iter().map(ExternalPosition::to_string).collect();
    let mut checks = same(&positions, games.settings.seed, settings);
    checks.push(seats(&samples));
    checks.push(texts(&positions));
    let every = samples.len().div_ceil(REFUSALS);
    // The last position of a game follows its others: an even step could miss all ends.
    let some: Rc<[ExternalPosition]> = samples.iter().rev().step_by(every | 1).cloned().collect();
    for (name, spoil) in REFUSED {
        let some = Rc::clone(&some);
        let explanation =
            "an invalid position has one `info string error: `, and the position before stays";
        checks.push(Check::new(format!("refuses/{name}"), explanation, move |talk| {
            some.iter().try_for_each(|position| is_refused(talk, position, &spoil(position)))
        }));
    }
    let Some(position) = positions.first().cloned() else {
        return checks;
    };
    let ignores = |name: &str, explanation: &str, lines: String| {
        let position = position.clone();
        Check::new(format!("ignores/{name}"), explanation, move |talk| {
            let before = state(talk, &position)?;
            expect_answers(talk, &[&lines, "query state"], &[&before])
        })
    };
    for (name, lines) in IGNORED {
        let explanation = format!("{lines:?} has no answer and changes nothing");
        checks.push(ignores(name, &explanation, lines.into()));
    }
    let explanation = "an unknown line of two megabytes has no answer and changes nothing";
    checks.push(ignores("overlong", explanation, "hop ".repeat(500_000)).lightly());
    checks.push(Check::new(
        "queries",
        "each query has one response, alone if unknown",
        move |talk| {
            let before = state(talk, &position)?;
            for query in ["players", "text", "picture", "stake"] {
                response(talk, &[&format!("query {query}")])?;
            }
            for query in UNKNOWN_QUERIES {
                let answer = response(talk, &[query])?;
                expect(answer == "response", || {
                    format!("`{query}`: expected `response` alone, got {answer:?}")
                })?;
            }
            expect_answers(talk, &["query state"], &[&before])
        },
    ));
    checks.push(Check::new("end/quit", "`quit` ends the program", |talk| ends(talk, &["quit"])));
    let explanation = "the end of its input ends the program";
    checks.push(Check::new("end/input", explanation, |talk| {
        talk.close_input();
        ends(talk, &[])
    }));
    checks
}

/// Checks that the same position has the same state.
fn same(positions: &Rc<[String]>, seed: u64, settings: &Settings) -> Vec<Check> {
    let [order, process, together] = [(); 3].map(|()| Rc::clone(positions));
    let scope = Scope::new(settings);
    vec![
        Check::new(
            "same/order",
            "the same position has the same state in any order",
            move |talk| {
                let states = states(talk, &order)?;
                expect_states(talk, &order, &states, seed)
            },
        ),
        Check::new(
            "same/process",
            "the same position has the same state in another process",
            move |talk| {
                let states = states(talk, &process)?;
                let mut other = Talk::start(&scope, None)?;
                begin(&mut other)?;
                expect_states(&mut other, &process, &states, seed.wrapping_add(1))
            },
        ),
        Check::new("same/together", "many questions can be sent at once", move |talk| {
            let positions = &together[..together.len().min(TOGETHER)];
            let states = states(talk, positions)?;
            let lines =
                positions.iter().map(|position| format!("position {position}\nquery state\n"));
            talk.send_bytes(lines.collect::<String>().as_bytes())?;
            for expected in &states {
                let answer = loop {
                    let line = talk.line()?;
                    if is_answer(&line) {
                        break line;
                    }
                };
                expect(answer == *expected, || format!("expected {expected:?}, got {answer:?}"))?;
            }
            nothing(&fence(talk)?)
        }),
    ]
}

/// Checks that a game has the same number of seats from its start to its end.
fn seats(samples: &Rc<[ExternalPosition]>) -> Check {
    let samples = Rc::clone(samples);
    let explanation = "`query players` has the same answer in all positions of a game";
    Check::new("same/players", explanation, move |talk| {
        for sample in samples.iter() {
            let position = sample.to_string();
            state(talk, &position)?;
            let answer = response(talk, &["query players"])?;
            let expected = format!("response {}", sample.seats());
            expect(answer == expected, || {
                format!("position {:?}: expected {expected:?}, got {answer:?}", ends_of(&position))
            })?;
        }
        Ok(())
    })
}

/// Checks that `position fen` reads the answers to `query text`.
fn texts(positions: &Rc<[String]>) -> Check {
    let positions = Rc::clone(positions);
    let explanation = "`position fen` reads the answer to `query text` as a position of the same state and players";
    Check::new("text", explanation, move |talk| {
        for position in positions.iter() {
            let before = [state(talk, position)?, response(talk, &["query players"])?];
            let text = response(talk, &["query text"])?;
            let text = text.trim_start_matches("response").trim();
            if text.is_empty() {
                return Err(Fault::Skipped("it has no texts of positions".into()));
            }
            let after = [state(talk, &format!("fen {text}"))?, response(talk, &["query players"])?];
            expect(before == after, || {
                let position = ends_of(position);
                format!("position {position:?} has {before:?}, but its text {text:?} {after:?}")
            })?;
        }
        Ok(())
    })
}

fn is_refused(talk: &mut Talk, position: &ExternalPosition, invalid: &str) -> Result<(), Fault> {
    let before = state(talk, &position.to_string())?;
    let answers = ask(talk, &[&format!("position {invalid}")])?;
    let invalid = ends_of(invalid);
    expect(answers.len() == 1 && is_refusal(&answers[0]), || {
        format!("position {invalid:?}: expected one error, got {answers:?}")
    })?;
    let after = response(talk, &["query state"])?;
    expect(before == after, || {
        format!("after the error to position {invalid:?}, the state {before:?} is {after:?}")
    })
}
