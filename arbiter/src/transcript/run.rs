//! Running a script: checking what comes against it, or writing down what comes.

use std::time::{Duration, Instant};

use thiserror::Error;

use super::mask::mask;
use super::pattern::{ANY_LINES, are_like, is_like};
use super::program::{NoLine, Patience, Program, ProgramError};
use super::script::{Script, Step};

/// A script that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The script with what came in the place of what was expected, masked, as far as it was run.
    pub transcript: String,
    /// What was otherwise, or `None`.
    pub difference: Option<Difference>,
}

/// The first thing that was not as expected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Difference {
    /// Another line came.
    #[error("line {line}: expected {expected:?}, got {found:?}")]
    Line {
        /// The line of the script, from 1.
        line: usize,
        /// What it expects.
        expected: String,
        /// What came.
        found: String,
    },
    /// No line came.
    #[error("line {line}: expected {expected:?}, got {instead}")]
    Nothing {
        /// The line of the script, from 1.
        line: usize,
        /// What it expects.
        expected: String,
        /// What came of it.
        instead: String,
    },
    /// A line came after the last that was expected.
    #[error("at the end: expected nothing more, got {found:?}")]
    More {
        /// The line.
        found: String,
    },
}

/// Runs a script and compares: a line is sent when all lines before it have come, and after the last
/// nothing more may come. Stops at the first difference.
///
/// # Errors
/// [`ProgramError::Deaf`] where a line cannot be sent.
pub fn check(
    script: &Script,
    program: &mut Program,
    patience: &Patience,
) -> Result<Checked, ProgramError> {
    let mut transcript = String::new();
    let mut ends_open = false;
    let mut queue = Vec::new();
    for step in &script.steps {
        match step {
            Step::Expect { line, patterns } => {
                ends_open = patterns.last().is_some_and(|last| last == ANY_LINES);
                let difference = compare(
                    *line,
                    patterns,
                    &mut queue,
                    program,
                    patience,
                    &mut transcript,
                );
                if difference.is_some() {
                    return Ok(Checked {
                        transcript,
                        difference,
                    });
                }
            }
            step => perform(step, program, patience, &mut queue, &mut transcript)?,
        }
    }
    let difference = if ends_open {
        None
    } else {
        let more = next(&mut queue, program, patience.quiet).ok();
        more.map(|found| {
            write_answer(&mut transcript, &found);
            Difference::More { found }
        })
    };
    Ok(Checked {
        transcript,
        difference,
    })
}

/// Runs a script and writes down what comes: expectations that are met stay as they are, others are replaced
/// by what came, and where there were none what came is put in. What belongs to a line that was sent is
/// what comes until the last word on it (such as `uciok` or `bestmove`), or until nothing more comes.
///
/// # Errors
/// [`ProgramError::Deaf`] where a line cannot be sent.
pub fn accept(
    script: &Script,
    program: &mut Program,
    patience: &Patience,
) -> Result<String, ProgramError> {
    let mut transcript = String::new();
    let mut queue = Vec::new();
    let mut sent = Vec::new();
    let mut steps = script.steps.iter().peekable();
    while let Some(step) = steps.next() {
        if let Step::Expect { patterns, .. } = step {
            settle(
                patterns,
                &sent,
                &mut queue,
                program,
                patience,
                &mut transcript,
            );
            sent.clear();
            continue;
        }
        perform(step, program, patience, &mut queue, &mut transcript)?;
        if let Step::Send(line) = step {
            sent.push(line.clone());
        }
        let goes_on = matches!(steps.peek(), Some(Step::Expect { .. } | Step::Wait(_)));
        if !goes_on && matches!(step, Step::Send(_) | Step::Wait(_)) {
            settle(&[], &sent, &mut queue, program, patience, &mut transcript);
            sent.clear();
        }
    }
    Ok(transcript)
}

/// Writes down a step that expects nothing, and does what it says; lines that come meanwhile are queued.
fn perform(
    step: &Step,
    program: &mut Program,
    patience: &Patience,
    queue: &mut Vec<String>,
    transcript: &mut String,
) -> Result<(), ProgramError> {
    match step {
        Step::Remark(text) => write_line(transcript, text),
        Step::Send(line) => {
            write_marked(transcript, '>', line);
            program.send(line)?;
        }
        Step::Wait(Some(time)) => {
            write_line(transcript, &format!("~ {}", time.as_millis()));
            let end = Instant::now() + *time;
            while let Ok(line) = program.line(end.saturating_duration_since(Instant::now())) {
                queue.push(line);
            }
            // A program that has ended leaves no wait unfinished.
            std::thread::sleep(end.saturating_duration_since(Instant::now()));
        }
        Step::Wait(None) => {
            write_line(transcript, "~");
            while let Ok(line) = program.line(patience.quiet) {
                queue.push(line);
            }
        }
        Step::Expect { .. } => {}
    }
    Ok(())
}

/// The next line: one that is queued, or one that comes in time.
fn next(
    queue: &mut Vec<String>,
    program: &mut Program,
    patience: Duration,
) -> Result<String, NoLine> {
    if queue.is_empty() {
        program.line(patience)
    } else {
        Ok(queue.remove(0))
    }
}

/// Compares the lines that come with those that are expected, and writes down what came.
fn compare(
    first_line: usize,
    patterns: &[String],
    queue: &mut Vec<String>,
    program: &mut Program,
    patience: &Patience,
    transcript: &mut String,
) -> Option<Difference> {
    let mut skipping = false;
    for (index, pattern) in patterns.iter().enumerate() {
        if pattern == ANY_LINES {
            skipping = true;
            continue;
        }
        loop {
            let line = first_line + index;
            let expected = pattern.clone();
            let found = match next(queue, program, patience.line) {
                Ok(found) => found,
                Err(NoLine::End) => {
                    let instead = "the end of the output".to_string();
                    return Some(Difference::Nothing {
                        line,
                        expected,
                        instead,
                    });
                }
                Err(NoLine::Silence) => {
                    let instead = format!("nothing within {} ms", patience.line.as_millis());
                    return Some(Difference::Nothing {
                        line,
                        expected,
                        instead,
                    });
                }
            };
            write_answer(transcript, &found);
            if is_like(pattern, &found) || is_like(pattern, &mask(&found)) {
                break;
            }
            if !skipping {
                return Some(Difference::Line {
                    line,
                    expected,
                    found,
                });
            }
        }
        skipping = false;
    }
    None
}

/// Collects what answers the lines that were `sent`, and writes down the patterns if they say it, or else
/// what came.
fn settle(
    patterns: &[String],
    sent: &[String],
    queue: &mut Vec<String>,
    program: &mut Program,
    patience: &Patience,
    transcript: &mut String,
) {
    let mut lines = std::mem::take(queue);
    let last_words: Vec<&str> = sent.iter().filter_map(|line| last_word_on(line)).collect();
    let is_said = |lines: &[String]| {
        let mut words = last_words.iter();
        let mut wanted = words.next();
        for line in lines {
            if wanted.is_some_and(|word| line.starts_with(word)) {
                wanted = words.next();
            }
        }
        wanted.is_none()
    };
    loop {
        let is_said = is_said(&lines);
        let wait = if is_said {
            patience.quiet
        } else {
            patience.line
        };
        match program.line(wait) {
            Ok(line) => lines.push(line),
            Err(_) => break,
        }
    }
    let masked: Vec<String> = lines.iter().map(|line| mask(line)).collect();
    let kept = if are_like(patterns, &masked) || are_like(patterns, &lines) {
        patterns
    } else {
        &masked
    };
    for line in kept {
        write_marked(transcript, '<', line);
    }
}

/// What the last line of the answer to a command begins with, if that is known.
fn last_word_on(command: &str) -> Option<&'static str> {
    let mut words = command.split_whitespace();
    match words.next()? {
        "uci" => Some("uciok"),
        "ugi" => Some("ugiok"),
        "isready" => Some("readyok"),
        "query" => Some("response"),
        "go" => {
            let words: Vec<&str> = words.collect();
            let waits = words.is_empty()
                || words.contains(&"infinite")
                || words.contains(&"ponder")
                || words.contains(&"perft");
            (!waits).then_some("bestmove")
        }
        _ => None,
    }
}

fn write_answer(transcript: &mut String, line: &str) {
    write_marked(transcript, '<', &mask(line));
}

fn write_marked(transcript: &mut String, mark: char, line: &str) {
    transcript.push(mark);
    if !line.is_empty() {
        transcript.push(' ');
    }
    write_line(transcript, line);
}

fn write_line(transcript: &mut String, line: &str) {
    transcript.push_str(line);
    transcript.push('\n');
}
