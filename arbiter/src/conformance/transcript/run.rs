//! Execution of a script, either to compare the output with it or to record the output.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::lines::{ANY_LINES, are_like, is_like, mask};
use super::program::{NoLine, Patience, Program, ProgramError};
use super::script::{Script, Step};
use matches::record::printable::{printable, shortened};

/// Maximum number of lines before an expected line or silence.
const MAX_LINES: usize = 100_000;

/// Maximum number of bytes of such lines.
const MAX_BYTES: usize = 16 << 20;

/// Maximum number of characters quoted of a line.
const MAX_QUOTED: usize = 80;

/// Result of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The script with the masked actual output in place of the expected output, up to the point where it stopped.
    pub transcript: String,
    /// The first difference, if any, in one line.
    pub difference: Option<String>,
}

/// Runs a script and compares the output: a line is sent after all expected lines before it, and no line may follow the
/// last one. Stops at the first difference.
///
/// # Errors
/// [`ProgramError`] if a line cannot be sent, or the output does not end.
pub fn check(
    script: &Script,
    program: &mut Program,
    patience: &Patience,
) -> Result<Checked, ProgramError> {
    let mut run = Run::new(program, patience);
    let difference = run.check(script)?;
    Ok(Checked { transcript: run.transcript, difference })
}

/// Runs a script and records the output: expectations that hold stay as they are, others are replaced by the actual
/// lines, and missing ones are added. The answer to a line ends with its last word (such as `uciok` or `bestmove`), or
/// with silence.
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

struct Run<'a> {
    program: &'a mut Program,
    patience: &'a Patience,
    /// Lines that came during a wait.
    queue: VecDeque<String>,
    /// Number of lines and of bytes since the last line sent or expected.
    taken: (usize, usize),
    transcript: String,
}

impl Run<'_> {
    fn new<'a>(program: &'a mut Program, patience: &'a Patience) -> Run<'a> {
        Run { program, patience, queue: VecDeque::new(), taken: (0, 0), transcript: String::new() }
    }

    fn check(&mut self, script: &Script) -> Result<Option<String>, ProgramError> {
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
            let found = shortened(&found, MAX_QUOTED);
            format!("at the end: expected nothing more, got {found:?}")
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

    /// Writes and executes a step without expectations; queues the lines that come meanwhile.
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
                // If the program has exited, still wait for the full time.
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

    /// Returns the next line from the program, if it comes in time.
    fn line(&mut self, patience: Duration) -> Result<Result<String, NoLine>, ProgramError> {
        let found = self.program.line(patience);
        if let Ok(line) = &found {
            self.taken.0 += 1;
            self.taken.1 += line.len();
            if self.taken.0 > MAX_LINES || self.taken.1 > MAX_BYTES {
                return Err(self.endless(line));
            }
        }
        Ok(found)
    }

    fn endless(&self, last: &str) -> ProgramError {
        let ((lines, bytes), last) = (self.taken, shortened(last, MAX_QUOTED));
        ProgramError(format!("endless output: {lines} lines, {bytes} bytes; the last is {last:?}"))
    }

    /// Returns the next line, queued or from the program, if it comes in time.
    fn next(&mut self, patience: Duration) -> Result<Result<String, NoLine>, ProgramError> {
        match self.queue.pop_front() {
            Some(line) => Ok(Ok(line)),
            None => self.line(patience),
        }
    }

    /// Compares the actual lines with the expected ones, and writes the actual ones.
    fn compare(
        &mut self,
        first_line: usize,
        patterns: &[String],
    ) -> Result<Option<String>, ProgramError> {
        let mut skipping = false;
        for (line, pattern) in (first_line..).zip(patterns) {
            if pattern == ANY_LINES {
                skipping = true;
                continue;
            }
            let difference =
                |found: &str| format!("line {line}: expected {pattern:?}, got {found}");
            loop {
                let found = match self.next(self.patience.line)? {
                    Ok(found) => found,
                    Err(NoLine::End) => return Ok(Some(difference("the end of the output"))),
                    Err(NoLine::Silence) => {
                        let patience = self.patience.line.as_millis();
                        return Ok(Some(difference(&format!("nothing within {patience} ms"))));
                    }
                };
                write_answer(&mut self.transcript, &found);
                if is_like(pattern, &found) || is_like(pattern, &shown(&found)) {
                    self.taken = (0, 0);
                    break;
                }
                if !skipping {
                    let found = shortened(&found, MAX_QUOTED);
                    return Ok(Some(difference(&format!("{found:?}"))));
                }
            }
            skipping = false;
        }
        Ok(None)
    }

    /// Collects the answer to the `sent` lines; writes the patterns if they match, otherwise the actual lines.
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

    /// Collects all lines until the last words have come, in their order, and then until silence.
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

/// First word of the last line of a command's answer, if known.
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

/// A line of the program as written in a transcript.
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
