//! Running a script: checking what comes against it, or writing down what comes.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::mask::mask;
use super::pattern::{ANY_LINES, are_like, is_like};
use super::program::{NoLine, Patience, Program, ProgramError};
use super::script::{Script, Step};
use matches::record::printable::{printable, shortened};

/// The most lines that may come in the place of one that is expected, or before all is quiet.
const MOST_LINES: usize = 100_000;

/// The most bytes of such lines.
const MOST_BYTES: usize = 16 << 20;

/// The most letters of a line that are quoted.
const MOST_QUOTED: usize = 80;

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
/// [`ProgramError::Deaf`] where a line cannot be sent, [`ProgramError::Endless`] where lines come without end.
pub fn check(
    script: &Script,
    program: &mut Program,
    patience: &Patience,
) -> Result<Checked, ProgramError> {
    let mut run = Run::new(program, patience);
    let difference = run.check(script)?;
    Ok(Checked {
        transcript: run.transcript,
        difference,
    })
}

/// Runs a script and writes down what comes: expectations that are met stay as they are, others are replaced
/// by what came, and where there were none what came is put in. What belongs to a line that was sent is
/// what comes until the last word on it (such as `uciok` or `bestmove`), or until nothing more comes.
///
/// # Errors
/// As [`check`].
pub fn accept(
    script: &Script,
    program: &mut Program,
    patience: &Patience,
) -> Result<String, ProgramError> {
    let mut run = Run::new(program, patience);
    run.accept(script)?;
    Ok(run.transcript)
}

/// A script that is being run.
struct Run<'a> {
    program: &'a mut Program,
    patience: &'a Patience,
    /// Lines that came while none was looked for.
    queue: VecDeque<String>,
    /// How many lines and bytes have come since a line was sent or expected.
    taken: (usize, usize),
    transcript: String,
}

impl Run<'_> {
    fn new<'a>(program: &'a mut Program, patience: &'a Patience) -> Run<'a> {
        Run {
            program,
            patience,
            queue: VecDeque::new(),
            taken: (0, 0),
            transcript: String::new(),
        }
    }

    fn check(&mut self, script: &Script) -> Result<Option<Difference>, ProgramError> {
        let mut ends_open = false;
        for step in &script.steps {
            if let Step::Expect { line, patterns } = step {
                ends_open = patterns.last().is_some_and(|last| last == ANY_LINES);
                if let Some(difference) = self.compare(*line, patterns)? {
                    return Ok(Some(difference));
                }
            } else {
                self.perform(step)?;
            }
        }
        if ends_open {
            return Ok(None);
        }
        let more = self.next(self.patience.quiet)?.ok();
        Ok(more.map(|found| {
            write_answer(&mut self.transcript, &found);
            let found = shortened(&found, MOST_QUOTED).into_owned();
            Difference::More { found }
        }))
    }

    fn accept(&mut self, script: &Script) -> Result<(), ProgramError> {
        let mut sent = Vec::new();
        let mut steps = script.steps.iter().peekable();
        while let Some(step) = steps.next() {
            if let Step::Expect { patterns, .. } = step {
                self.settle(patterns, &sent)?;
                sent.clear();
                continue;
            }
            self.perform(step)?;
            if let Step::Send(line) = step {
                sent.push(line.clone());
            }
            let goes_on = matches!(steps.peek(), Some(Step::Expect { .. } | Step::Wait(_)));
            if !goes_on && matches!(step, Step::Send(_) | Step::Wait(_)) {
                self.settle(&[], &sent)?;
                sent.clear();
            }
        }
        Ok(())
    }

    /// Writes down a step that expects nothing, and does what it says; lines that come meanwhile are queued.
    fn perform(&mut self, step: &Step) -> Result<(), ProgramError> {
        match step {
            Step::Remark(text) => write_line(&mut self.transcript, text),
            Step::Send(line) => {
                write_marked(&mut self.transcript, '>', line);
                self.taken = (0, 0);
                self.program.send(line)?;
            }
            Step::Wait(Some(time)) => {
                write_line(&mut self.transcript, &format!("~ {}", time.as_millis()));
                let end = Instant::now() + *time;
                while let Ok(line) = self.line(end.saturating_duration_since(Instant::now()))? {
                    self.queue.push_back(line);
                }
                // A program that has ended leaves no wait unfinished.
                std::thread::sleep(end.saturating_duration_since(Instant::now()));
            }
            Step::Wait(None) => {
                write_line(&mut self.transcript, "~");
                let lines = self.lines_until_quiet(&[])?;
                self.queue.extend(lines);
            }
            Step::Expect { .. } => {}
        }
        Ok(())
    }

    /// The next line from the program, if it comes in time.
    fn line(&mut self, patience: Duration) -> Result<Result<String, NoLine>, ProgramError> {
        let found = self.program.line(patience);
        if let Ok(line) = &found {
            self.taken.0 += 1;
            self.taken.1 += line.len();
            if self.taken.0 > MOST_LINES || self.taken.1 > MOST_BYTES {
                return Err(self.endless(line));
            }
        }
        Ok(found)
    }

    fn endless(&self, last: &str) -> ProgramError {
        ProgramError::Endless {
            lines: self.taken.0,
            bytes: self.taken.1,
            last: shortened(last, MOST_QUOTED).into_owned(),
        }
    }

    /// The next line: one that is queued, or one that comes in time.
    fn next(&mut self, patience: Duration) -> Result<Result<String, NoLine>, ProgramError> {
        match self.queue.pop_front() {
            Some(line) => Ok(Ok(line)),
            None => self.line(patience),
        }
    }

    /// Compares the lines that come with those that are expected, and writes down what came.
    fn compare(
        &mut self,
        first_line: usize,
        patterns: &[String],
    ) -> Result<Option<Difference>, ProgramError> {
        let mut skipping = false;
        for (index, pattern) in patterns.iter().enumerate() {
            if pattern == ANY_LINES {
                skipping = true;
                continue;
            }
            let line = first_line + index;
            loop {
                let expected = pattern.clone();
                let instead = match self.next(self.patience.line)? {
                    Ok(found) => {
                        write_answer(&mut self.transcript, &found);
                        if is_like(pattern, &found) || is_like(pattern, &shown(&found)) {
                            self.taken = (0, 0);
                            break;
                        }
                        if skipping {
                            continue;
                        }
                        return Ok(Some(Difference::Line {
                            line,
                            expected,
                            found: shortened(&found, MOST_QUOTED).into_owned(),
                        }));
                    }
                    Err(NoLine::End) => "the end of the output".to_string(),
                    Err(NoLine::Silence) => {
                        format!("nothing within {} ms", self.patience.line.as_millis())
                    }
                };
                return Ok(Some(Difference::Nothing {
                    line,
                    expected,
                    instead,
                }));
            }
            skipping = false;
        }
        Ok(None)
    }

    /// Collects what answers the lines that were `sent`, and writes down the patterns if they say it, or else
    /// what came.
    fn settle(&mut self, patterns: &[String], sent: &[String]) -> Result<(), ProgramError> {
        let last_words: Vec<&str> = sent.iter().filter_map(|line| last_word_on(line)).collect();
        let lines = self.lines_until_quiet(&last_words)?;
        let masked: Vec<String> = lines.iter().map(|line| shown(line)).collect();
        let kept = if are_like(patterns, &masked) || are_like(patterns, &lines) {
            patterns
        } else {
            &masked
        };
        for line in kept {
            write_marked(&mut self.transcript, '<', line);
        }
        Ok(())
    }

    /// All lines that come until the last words were said, in their order, and then until nothing comes for a
    /// while.
    fn lines_until_quiet(&mut self, last_words: &[&str]) -> Result<Vec<String>, ProgramError> {
        let mut words = last_words.iter();
        let mut wanted = words.next();
        let mut lines: Vec<String> = Vec::new();
        let mut said = None;
        loop {
            if wanted.is_none() && said.is_none() {
                said = Some(Instant::now());
            }
            let patience = match said {
                Some(_) => self.patience.quiet,
                None => self.patience.line,
            };
            let Ok(line) = self.next(patience)? else {
                return Ok(lines);
            };
            if wanted.is_some_and(|word| line.starts_with(word)) {
                wanted = words.next();
            }
            if said.is_some_and(|said| said.elapsed() > self.patience.line) {
                return Err(self.endless(&line));
            }
            lines.push(line);
        }
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
    write_marked(transcript, '<', &shown(line));
}

/// A line of the program as it is written down.
fn shown(line: &str) -> String {
    mask(&printable(line))
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
