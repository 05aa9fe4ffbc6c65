//! Transcripts: scripts of lines for an engine, with its expected answers.
//!
//! A line of a script that begins with `>` is sent, one with `<` is expected, one with `~` waits, and one with `=`
//! states a law of the answer; see [`Script`]. Answers are recorded [masked](mask), without the parts
//! that differ between runs. A transcript can therefore serve as a test of any engine, and can be updated when the
//! engine's output changes on purpose. The checks of `arbiter check` are transcripts, too.
//!
//! # Examples
//! For a snapshot test in Rust, send lines and record all answers:
//! ```no_run
//! use arbiter::conformance::transcript::{Timeouts, Program, Script, accept};
//!
//! let script: Script = "> uci\n> isready\n".parse()?;
//! let mut engine = Program::start("./mine".as_ref(), &[], None)?;
//! let transcript = accept(&script, &mut engine, &Timeouts::default())?;
//! // insta::assert_snapshot!(transcript);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! `examples/transcript_snapshot.rs` is a complete test of this kind.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::laws;
pub use super::program::{Fault, Program, Timeouts, spec};
use super::program::{MAX_QUOTED, marked, shown};
use matches::record::printable::shortened;

/// A script of lines to send and lines to expect.
///
/// - `> LINE` sends a line, and `>> TEXT` text without a line end, in which `\n`, `\r`, `\t` and `\xff` are bytes.
/// - `< PATTERN` expects a line; each `*` matches any text, and `< ...` any number of lines.
/// - `~ MS` waits for MS milliseconds; `~` alone waits for silence.
/// - `= LAW` states a law of the answer to the last lines sent.
/// - `# TEXT` and empty lines are comments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Each step with its first line.
    steps: Vec<(Step, String)>,
}

/// One or more lines of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// A comment or an empty line.
    Remark,
    /// A line to send.
    Send(String),
    SendBytes(Vec<u8>),
    /// A wait, for a time or until silence.
    Wait(Option<Duration>),
    /// Expected lines; `line` is the number of the first in the script.
    Expect {
        line: usize,
        patterns: Vec<String>,
    },
    /// A law of the answer.
    Law(String),
}

/// A line of a script that is malformed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ScriptError(String);

impl FromStr for Script {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Script, ScriptError> {
        let mut steps: Vec<(Step, String)> = Vec::new();
        for (index, text) in text.lines().enumerate() {
            let line = index + 1;
            let argument = text.get(1..).unwrap_or_default();
            let argument = argument.strip_prefix(' ').unwrap_or(argument).to_string();
            let step = match text.bytes().next() {
                None | Some(b'#') => Step::Remark,
                Some(b'>') => match argument.strip_prefix("> ") {
                    Some(escaped) => Step::SendBytes(bytes(escaped)),
                    None => Step::Send(argument),
                },
                Some(b'=') => Step::Law(argument),
                Some(b'~') => Step::Wait(time(&argument, line)?),
                Some(b'<') => match steps.last_mut() {
                    Some((Step::Expect { patterns, .. }, _)) => {
                        patterns.push(argument);
                        continue;
                    }
                    _ => Step::Expect { line, patterns: vec![argument] },
                },
                Some(_) => {
                    return Err(ScriptError(format!(
                        "line {line}: {text:?} is not a line of a script: expected `> `, `< `, `~`, `=`, `#` or \
                         an empty line"
                    )));
                }
            };
            steps.push((step, text.to_string()));
        }
        Ok(Script { steps })
    }
}

fn time(text: &str, line: usize) -> Result<Option<Duration>, ScriptError> {
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<u32>() {
        Ok(milliseconds) => Ok(Some(Duration::from_millis(milliseconds.into()))),
        Err(_) => Err(ScriptError(format!(
            "line {line}: {text:?} is not a waiting time: expected a whole number of milliseconds, or nothing"
        ))),
    }
}

impl Program {
    /// Plays the text of a script.
    ///
    /// # Errors
    /// [`Fault`] with the first difference.
    pub(super) fn run(&mut self, script: &str) -> Result<(), Fault> {
        let script = script.parse::<Script>().map_err(|error| Fault::Wrong(error.to_string()))?;
        self.play(&script)
    }

    /// Plays a script: a line is sent after all expected lines before it.
    ///
    /// # Errors
    /// [`Fault`] with the first difference.
    pub(super) fn play(&mut self, script: &Script) -> Result<(), Fault> {
        for (index, (step, text)) in script.steps.iter().enumerate() {
            match step {
                Step::Expect { line, patterns } => self.expect(*line, patterns)?,
                Step::Law(law) => {
                    let next = script.steps[index..].iter().find_map(|(step, _)| match step {
                        Step::Send(line) => Some(line.as_str()),
                        _ => None,
                    });
                    laws::check(self, law, next)?;
                }
                step => self.perform(step, text)?,
            }
        }
        Ok(())
    }

    /// Executes a step without expectations, whose line is `text`; queues the lines that come meanwhile.
    fn perform(&mut self, step: &Step, text: &str) -> Result<(), Fault> {
        match step {
            Step::Send(line) => {
                let value = self.answer.iter().find_map(|line| line.strip_prefix("response "));
                let line = line.replace("{answer}", value.unwrap_or_default().trim());
                return self.send(&line);
            }
            Step::SendBytes(bytes) => return self.send_bytes(bytes),
            _ => self.log.push(text.into()),
        }
        match step {
            Step::Wait(time) => self.wait(*time),
            _ => Ok(()),
        }
    }
}

/// Text with `\n`, `\r`, `\t` and `\xff` replaced by their bytes.
fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, escaped)) = rest.split_once('\\') {
        bytes.extend(before.as_bytes());
        let number = escaped.strip_prefix('x').and_then(|digits| digits.get(..2));
        let (byte, length) = match number.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => (byte, 3),
            None if escaped.starts_with('n') => (b'\n', 1),
            None if escaped.starts_with('r') => (b'\r', 1),
            None if escaped.starts_with('t') => (b'\t', 1),
            None => (b'\\', 0),
        };
        bytes.push(byte);
        rest = &escaped[length..];
    }
    bytes.extend(rest.as_bytes());
    bytes
}

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
/// [`Fault`] if a line cannot be sent, or the output does not end.
pub fn check(
    script: &Script,
    program: &mut Program,
    timeouts: &Timeouts,
) -> Result<Checked, Fault> {
    program.timeouts = *timeouts;
    program.log.clear();
    let difference = match program.play(script).and_then(|()| no_more(script, program)) {
        Ok(()) => None,
        Err(fault @ Fault::Program(_)) => return Err(fault),
        Err(fault) => Some(fault.to_string()),
    };
    let mut transcript = program.log.join("\n");
    if !transcript.is_empty() {
        transcript.push('\n');
    }
    Ok(Checked { transcript, difference })
}

/// Fails if a line follows the last step, unless that is `...`.
fn no_more(script: &Script, program: &mut Program) -> Result<(), Fault> {
    let expectations = script.steps.iter().rev().find_map(|(step, _)| match step {
        Step::Expect { patterns, .. } => patterns.last(),
        _ => None,
    });
    if expectations.is_some_and(|last| last == ANY_LINES) {
        return Ok(());
    }
    let quiet = program.timeouts.quiet;
    match program.next(quiet)? {
        Ok(found) => {
            let found = shortened(&found, MAX_QUOTED);
            Err(Fault::Wrong(format!("at the end: expected nothing more, got {found:?}")))
        }
        Err(_) => Ok(()),
    }
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
    timeouts: &Timeouts,
) -> Result<String, Fault> {
    program.timeouts = *timeouts;
    let mut transcript = String::new();
    let mut sent = Vec::new();
    let mut steps = script.steps.iter().peekable();
    while let Some((step, text)) = steps.next() {
        let mut patterns: &[String] = &[];
        if let Step::Expect { patterns: expected, .. } = step {
            patterns = expected;
        } else {
            transcript.push_str(text);
            transcript.push('\n');
            program.perform(step, text)?;
            if let Step::Send(line) = step {
                sent.push(line.as_str());
            }
            let goes_on = matches!(steps.peek(), Some((Step::Expect { .. } | Step::Wait(_), _)));
            if goes_on || !matches!(step, Step::Send(_) | Step::SendBytes(_) | Step::Wait(_)) {
                continue;
            }
        }
        let final_words: Vec<&str> = sent.drain(..).filter_map(last_word_on).collect();
        let lines = program.lines_until_quiet(&final_words)?;
        let masked: Vec<String> = lines.iter().map(|line| shown(line)).collect();
        let is_met = are_like(patterns, &masked) || are_like(patterns, &lines);
        for line in if is_met { patterns } else { &masked } {
            transcript.push_str(&marked('<', line));
            transcript.push('\n');
        }
    }
    Ok(transcript)
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

/// Fields of an `info` line with a time or a speed.
const MEASURED: [&str; 2] = ["time", "nps"];

/// Text before a time or a speed in the output of `bench`.
const MEASURED_LINES: [&str; 2] = ["Total time (ms): ", "Nodes/second"];

/// Replaces each time and speed in a line by `*`. Principal variations and the text of an `info string` stay unchanged.
///
/// # Examples
/// ```
/// use arbiter::conformance::transcript::mask;
///
/// let line = "info depth 3 nodes 20 nps 51233 time 7 pv 1 2";
/// assert_eq!(mask(line), "info depth 3 nodes 20 nps * time * pv 1 2");
/// ```
pub fn mask(line: &str) -> String {
    if let Some(beginning) = MEASURED_LINES.iter().find(|start| line.starts_with(**start)) {
        let end = line.find(": ").map_or(beginning.len(), |colon| colon + 2);
        return format!("{}*", &line[..end.min(line.len())]);
    }
    if !line.starts_with("info ") {
        return line.to_string();
    }
    let mut masked = Vec::new();
    let mut is_value = false;
    let mut is_text = false;
    for word in line.split(' ') {
        masked.push(if is_value { "*" } else { word });
        is_text |= matches!(word, "string" | "pv");
        is_value = !is_text && MEASURED.contains(&word);
    }
    masked.join(" ")
}

/// Pattern that matches any number of lines.
pub const ANY_LINES: &str = "...";

/// `true` if `line` matches `pattern`, where each `*` matches any text.
pub fn is_like(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('*');
    // Even an empty pattern has one part.
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    // Matching each part as early as possible leaves the most text for the others.
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// `true` if `lines` match `patterns`, where [`ANY_LINES`] matches any number of lines.
pub fn are_like(patterns: &[String], lines: &[String]) -> bool {
    match patterns.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == ANY_LINES => {
            (0..=lines.len()).any(|skipped| are_like(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| is_like(first, line) && are_like(rest, others)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_meaning_by_its_beginning() {
        let script: Script = "# a\n\n> uci\n>\n< id *\n<\n~ 20\n~\n".parse().unwrap();
        let text = |text: &str| text.to_string();
        let expected = [
            Step::Remark,
            Step::Remark,
            Step::Send(text("uci")),
            Step::Send(text("")),
            Step::Expect { line: 5, patterns: vec![text("id *"), text("")] },
            Step::Wait(Some(Duration::from_millis(20))),
            Step::Wait(None),
        ];
        let steps: Vec<Step> = script.steps.into_iter().map(|(step, _)| step).collect();
        assert_eq!(steps, expected);
    }

    #[test]
    fn a_wrong_script_line_is_named() {
        for (text, expected) in [
            (
                "> uci\nuciok",
                "line 2: \"uciok\" is not a line of a script: expected `> `, `< `, `~`, `=`, `#` or an empty line",
            ),
            (
                "~ soon",
                "line 1: \"soon\" is not a waiting time: expected a whole number of milliseconds, or nothing",
            ),
            (
                "~ -1",
                "line 1: \"-1\" is not a waiting time: expected a whole number of milliseconds, or nothing",
            ),
        ] {
            let error = text.parse::<Script>().unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn times_and_speeds_are_hidden_and_nothing_else() {
        for (line, expected) in [
            ("info time 1 depth 2", "info time * depth 2"),
            ("info depth 2 nps 10", "info depth 2 nps *"),
            ("info depth 2 time", "info depth 2 time"),
            ("info string time 3", "info string time 3"),
            ("info pv time 3", "info pv time 3"),
            ("bestmove time 3", "bestmove time 3"),
            ("Total time (ms): 21", "Total time (ms): *"),
            ("Nodes/second: 31", "Nodes/second: *"),
            ("Nodes/second    : 31", "Nodes/second    : *"),
            ("Nodes searched: 31", "Nodes searched: 31"),
            ("", ""),
        ] {
            assert_eq!(mask(line), expected, "{line:?}");
        }
    }

    #[test]
    fn a_star_is_any_text_within_a_line() {
        for (pattern, line) in [
            ("a", "a"),
            ("a*", "a"),
            ("*c", "abc"),
            ("a * c*", "a b c d"),
            ("*", ""),
            ("a*bc", "abbc"),
            ("*a*a*", "aa"),
        ] {
            assert!(is_like(pattern, line), "{pattern:?} {line:?}");
        }
        for (pattern, line) in
            [("a", "ab"), ("a*b", "bab"), ("ab*ba", "aba"), ("", "a"), ("*a*a*", "a")]
        {
            assert!(!is_like(pattern, line), "{pattern:?} {line:?}");
        }
    }

    #[test]
    fn dots_are_any_number_of_lines() {
        let lines = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        for (patterns, found, expected) in [
            ("...", "", true),
            ("... c", "a b c", true),
            ("a ... c", "a c", true),
            ("a ... c ...", "a b c c d", true),
            ("... c", "a b", false),
            ("a", "a b", false),
            ("a b", "a", false),
        ] {
            assert_eq!(are_like(&lines(patterns), &lines(found)), expected, "{patterns} {found}");
        }
    }
}
