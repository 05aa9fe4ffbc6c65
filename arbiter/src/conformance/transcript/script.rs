//! Parsing of scripts. A script is checked as a whole before any line is sent.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

/// A script of lines to send and lines to expect.
///
/// - `> LINE` sends a line.
/// - `< PATTERN` expects a line; each `*` matches any text, and `< ...` any number of lines.
/// - `~ MS` waits for MS milliseconds; `~` alone waits for silence.
/// - `# TEXT` and empty lines are comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub(super) steps: Vec<Step>,
}

/// One or more lines of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A comment or an empty line.
    Remark(String),
    /// A line to send.
    Send(String),
    /// A wait, for a time or until silence.
    Wait(Option<Duration>),
    /// Expected lines; `line` is the number of the first in the script.
    Expect { line: usize, patterns: Vec<String> },
}

/// A line of a script that is malformed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ScriptError(String);

impl FromStr for Script {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Script, ScriptError> {
        let mut steps = Vec::new();
        for (index, text) in text.lines().enumerate() {
            let line = index + 1;
            let argument = text.get(1..).unwrap_or_default();
            let argument = argument.strip_prefix(' ').unwrap_or(argument).to_string();
            match text.bytes().next() {
                None | Some(b'#') => steps.push(Step::Remark(text.to_string())),
                Some(b'>') => steps.push(Step::Send(argument)),
                Some(b'~') => steps.push(Step::Wait(time(&argument, line)?)),
                Some(b'<') => match steps.last_mut() {
                    Some(Step::Expect { patterns, .. }) => patterns.push(argument),
                    _ => steps.push(Step::Expect { line, patterns: vec![argument] }),
                },
                Some(_) => {
                    return Err(ScriptError(format!(
                        "line {line}: {text:?} is not a line of a script: expected `> `, `< `, `~`, `#` or an \
                         empty line"
                    )));
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_meaning_by_its_beginning() {
        let script: Script = "# a\n\n> uci\n>\n< id *\n<\n~ 20\n~\n".parse().unwrap();
        let text = |text: &str| text.to_string();
        let expected = [
            Step::Remark(text("# a")),
            Step::Remark(text("")),
            Step::Send(text("uci")),
            Step::Send(text("")),
            Step::Expect { line: 5, patterns: vec![text("id *"), text("")] },
            Step::Wait(Some(Duration::from_millis(20))),
            Step::Wait(None),
        ];
        assert_eq!(script.steps, expected);
    }

    #[test]
    fn a_wrong_script_line_is_named() {
        for (text, expected) in [
            (
                "> uci\nuciok",
                "line 2: \"uciok\" is not a line of a script: expected `> `, `< `, `~`, `#` or an empty line",
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
}
