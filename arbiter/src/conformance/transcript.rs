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
//! use arbiter::conformance::transcript::{Program, Script, accept};
//!
//! let script: Script = "> uci\n> isready\n".parse()?;
//! let mut engine = Program::start("./mine".as_ref(), &[], None)?;
//! let transcript = accept(&script, &mut engine)?;
//! // insta::assert_snapshot!(transcript);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! `examples/transcript_snapshot.rs` is a complete test of this kind.

use std::str::FromStr;
use std::time::Duration;

use super::laws;
pub use super::program::{Fault, Program, spec};
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
    lines: Vec<String>,
}

impl FromStr for Script {
    type Err = String;

    /// Parses a script; names the first malformed line.
    fn from_str(text: &str) -> Result<Script, String> {
        for (number, line) in (1..).zip(text.lines()) {
            let (mark, argument) = parts(line);
            let is_time = argument.is_empty() || argument.parse::<u32>().is_ok();
            match mark {
                None | Some(b'>' | b'<' | b'=' | b'#') => {}
                Some(b'~') if is_time => {}
                Some(b'~') => {
                    return Err(format!(
                        "line {number}: {argument:?} is not a waiting time: expected a whole number of milliseconds, \
                         or nothing"
                    ));
                }
                Some(_) => {
                    return Err(format!(
                        "line {number}: {line:?} is not a line of a script: expected `> `, `< `, `~`, `=`, `#` or an \
                         empty line"
                    ));
                }
            }
        }
        Ok(Script { lines: text.lines().map(String::from).collect() })
    }
}

impl Script {
    /// The lines, those that expect lines together with their neighbours of this kind; each with its number.
    fn steps(&self) -> impl Iterator<Item = (usize, &[String])> {
        let mut number = 1;
        let steps =
            self.lines.chunk_by(|one, other| one.starts_with('<') && other.starts_with('<'));
        steps.map(move |lines| {
            let first = number;
            number += lines.len();
            (first, lines)
        })
    }
}

/// The first character of a line, and the text after it and a space.
fn parts(line: &str) -> (Option<u8>, &str) {
    let argument = line.get(1..).unwrap_or_default();
    (line.bytes().next(), argument.strip_prefix(' ').unwrap_or(argument))
}

/// The text that a line sends, unless it sends bytes.
fn command(line: &str) -> Option<&str> {
    match parts(line) {
        (Some(b'>'), text) if !text.starts_with("> ") => Some(text),
        _ => None,
    }
}

fn patterns(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| parts(line).1.to_string()).collect()
}

impl Program {
    /// Plays the text of a script.
    ///
    /// # Errors
    /// [`Fault`] with the first difference.
    pub(super) fn run(&mut self, script: &str) -> Result<(), Fault> {
        self.play(&script.parse().map_err(Fault::Wrong)?)
    }

    /// Plays a script: a line is sent after all expected lines before it.
    ///
    /// # Errors
    /// [`Fault`] with the first difference.
    fn play(&mut self, script: &Script) -> Result<(), Fault> {
        for (number, lines) in script.steps() {
            match parts(&lines[0]) {
                (Some(b'<'), _) => self.expect(number, &patterns(lines))?,
                (Some(b'='), law) => {
                    let next = script.lines[number..].iter().find_map(|line| command(line));
                    laws::check(self, law, next)?;
                }
                _ => self.perform(&lines[0])?,
            }
        }
        Ok(())
    }

    /// Executes a line without expectations; queues the lines that come meanwhile.
    fn perform(&mut self, line: &str) -> Result<(), Fault> {
        let (mark, argument) = parts(line);
        if mark == Some(b'>') {
            let value = self.answer.iter().find_map(|line| line.strip_prefix("response "));
            return match argument.strip_prefix("> ") {
                Some(escaped) => self.send_bytes(&bytes(escaped)),
                None => {
                    self.send(&argument.replace("{response}", value.unwrap_or_default().trim()))
                }
            };
        }
        self.log.push(line.into());
        if mark == Some(b'~') {
            let time = argument.parse::<u32>().ok();
            self.wait(time.map(|time| Duration::from_millis(time.into())))?;
        }
        Ok(())
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
pub fn check(script: &Script, program: &mut Program) -> Result<Checked, Fault> {
    program.log.clear();
    let difference = match program.play(script).and_then(|()| no_more(script, program)) {
        Ok(()) => None,
        Err(fault @ Fault::Program(_)) => return Err(fault),
        Err(fault) => Some(fault.to_string()),
    };
    let transcript = program.log.iter().map(|line| format!("{line}\n")).collect();
    Ok(Checked { transcript, difference })
}

/// Fails if a line follows the last step, unless that is `...`.
fn no_more(script: &Script, program: &mut Program) -> Result<(), Fault> {
    let last = script.lines.iter().rfind(|line| line.starts_with('<'));
    if last.is_some_and(|last| parts(last).1 == ANY_LINES) {
        return Ok(());
    }
    match program.next(program.quiet)? {
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
pub fn accept(script: &Script, program: &mut Program) -> Result<String, Fault> {
    let mut transcript = String::new();
    let mut sent = Vec::new();
    let mut steps = script.steps().peekable();
    while let Some((_, lines)) = steps.next() {
        let line = &lines[0];
        let mut expected = Vec::new();
        if line.starts_with('<') {
            expected = patterns(lines);
        } else {
            transcript.push_str(line);
            transcript.push('\n');
            program.perform(line)?;
            sent.extend(command(line));
            let goes_on = steps.peek().is_some_and(|(_, next)| next[0].starts_with(['<', '~']));
            if goes_on || !line.starts_with(['>', '~']) {
                continue;
            }
        }
        let final_words: Vec<&str> = sent.drain(..).filter_map(last_word_on).collect();
        let lines = program.lines_until_quiet(&final_words)?;
        let masked: Vec<String> = lines.iter().map(|line| shown(line)).collect();
        let is_met = are_like(&expected, &masked) || are_like(&expected, &lines);
        for line in if is_met { expected } else { masked } {
            transcript.push_str(&marked('<', &line));
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
const MEASURED_FIELDS: [&str; 2] = ["time", "nps"];

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
        is_value = !is_text && MEASURED_FIELDS.contains(&word);
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
