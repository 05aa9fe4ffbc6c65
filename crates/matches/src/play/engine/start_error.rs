//! Errors at the start of an engine.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use thiserror::Error;

use super::AnswerError;
use crate::input_file;
use crate::plan::binary::file_of;
use crate::record::Evidence;
use crate::record::printable::{first_and_last, printable, printable_bytes, shortened};
use crate::spelling::did_you_mean;

/// Maximum number of offered names or values in a message; the others are only counted.
const LISTED: usize = 20;
/// Maximum number of unreadable lines in a message.
const SHOWN_LINES: usize = 3;
/// Maximum number of bytes of a script's first line.
const SHEBANG_BYTES: u64 = 256;
/// Maximum number of characters of each.
const MAX_LISTED_LENGTH: usize = 60;

#[derive(Debug, Error)]
pub enum StartError {
    #[error("engine {engine}: cannot start {}: {source}", command.display())]
    NotStarted { engine: String, command: PathBuf, source: io::Error },
    /// The engine did not answer `uci` with `uciok`, or the first `isready` with `readyok`.
    #[error("engine {engine}: {reason}{}", quoted(stderr))]
    NoAnswer {
        engine: String,
        error: AnswerError,
        /// The missing answer with the reason and what came instead, as a sentence.
        reason: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
        /// An end or stop of its process that another process may have caused.
        interference: Option<String>,
        /// State of the engine at that moment.
        evidence: Box<Evidence>,
    },
    #[error(
        "engine {engine} has no option {option:?}{}: it offers {}{}",
        did_you_mean(option, offered.iter().map(String::as_str)),
        listed(offered),
        shown_lines(unreadable)
    )]
    UnknownOption {
        engine: String,
        option: String,
        /// Names of all offered options whose lines can be read.
        offered: Vec<String>,
        /// Lines of the others, with the reasons.
        unreadable: Vec<String>,
    },
    #[error("engine {engine}: option {option:?} cannot be {value:?}: it accepts {accepted}")]
    OptionValue { engine: String, option: String, value: String, accepted: String },
    /// The engine reported an error after its options were set.
    #[error("engine {engine} rejects its options: {words}")]
    OptionsRejected {
        engine: String,
        /// Its words, without `info string error`.
        words: String,
    },
    #[error("engine {engine} does not play {variant}: its UCI_Variant offers {}", listed(offered))]
    UnknownVariant { engine: String, variant: String, offered: Vec<String> },
    /// The program, or a file among its arguments, has changed since the start of the match.
    #[error(
        "engine {engine}: {} has changed since the match began; restore it, or use \
         --changed-engines",
        file.display()
    )]
    Changed { engine: String, file: PathBuf },
    #[error("interrupted")]
    Interrupted,
}

impl StartError {
    /// `true` if the error stops the match: the program has changed since the earlier games, or the system cannot
    /// provide another process or namespace, which is not the engine's fault.
    pub fn stops_the_match(&self) -> bool {
        let source = match self {
            StartError::NotStarted { source, .. } => source,
            StartError::Changed { .. } => return true,
            _ => return false,
        };
        // Reasons from a launcher have no error number.
        if source.kind() == io::ErrorKind::Other {
            return true;
        }
        let shortages = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM];
        let error = Errno::from_io_error(source);
        error.is_some_and(|error| shortages.contains(&error))
    }

    /// Describes an end or stop of its process that another process may have caused.
    pub fn interference(&self) -> Option<&str> {
        match self {
            StartError::NoAnswer { interference, .. } => interference.as_deref(),
            _ => None,
        }
    }
}

/// Replaces the error of a script whose interpreter is missing, which the system does not tell from a missing script.
pub fn explained(error: io::Error, command: &Path, dir: Option<&Path>) -> io::Error {
    let script = file_of(command).map(|file| dir.map_or(file.clone(), |dir| dir.join(file)));
    match script.and_then(|script| interpreter(&script)) {
        Some(interpreter) if error.kind() == io::ErrorKind::NotFound => {
            let fault = if Path::new(&interpreter).exists() {
                "isolation hides, or which lacks its own interpreter; try --isolate off"
            } else {
                "does not exist"
            };
            let text = format!("its first line names {interpreter}, which {fault}");
            io::Error::new(io::ErrorKind::NotFound, text)
        }
        _ => error,
    }
}

/// Returns the program in the first line of a script, with its invisible characters escaped.
fn interpreter(script: &Path) -> Option<String> {
    let mut start = Vec::new();
    let file = input_file::open(script).ok()?;
    file.take(SHEBANG_BYTES).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let mut words = line.split(|byte| b" \t".contains(byte));
    let program = words.find(|word| !word.is_empty())?;
    Some(printable_bytes(program).into_owned())
}

/// Lists offers, shortened to a few lines.
pub(super) fn listed(offered: &[String]) -> String {
    if offered.is_empty() {
        return "nothing".to_string();
    }
    let shown = offered.iter().take(LISTED);
    let shown: Vec<String> = shown.map(|text| excerpt(text)).collect();
    let more = match offered.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}

/// Shows the first lines with their reasons, and counts the others.
fn shown_lines(unreadable: &[String]) -> String {
    let shown: String =
        unreadable.iter().take(SHOWN_LINES).map(|line| format!("; {line}")).collect();
    match unreadable.len().saturating_sub(SHOWN_LINES) {
        0 => shown,
        more => format!("{shown}; and {more} more lines"),
    }
}

/// Quotes and shortens a name or value of an engine.
pub(super) fn excerpt(text: &str) -> String {
    shortened(&printable(text), MAX_LISTED_LENGTH).into_owned()
}

/// Quotes the last lines of a standard error, if there are any.
pub fn quoted(stderr: &[String]) -> String {
    match &first_and_last(stderr)[..] {
        [] => String::new(),
        lines => format!("; its standard error ends with: {}", lines.join(" | ")),
    }
}
