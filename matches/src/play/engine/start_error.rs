//! Why an engine cannot take part.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;
use thiserror::Error;

use super::Failure;
use crate::record::Evidence;
use crate::record::printable::{printable, shortened};

/// The most names or values offered that an error lists; of more it tells how many there are.
const LISTED: usize = 20;
/// The most characters of each.
const LONGEST_LISTED: usize = 60;

/// Why an engine cannot take part.
#[derive(Debug, Error)]
pub enum StartError {
    /// The program cannot be run.
    #[error("engine {engine}: cannot start {}: {source}", command.display())]
    NotStarted {
        /// The engine's name.
        engine: String,
        /// The program.
        command: PathBuf,
        /// What keeps it from being run.
        source: io::Error,
    },
    /// It did not answer `uci` with `uciok`.
    #[error("engine {engine}: no uciok: {failure}{}", quoted(stderr))]
    NoUciOk {
        /// The engine's name.
        engine: String,
        /// What happened instead.
        failure: Failure,
        /// The last lines of its standard error.
        stderr: Vec<String>,
        /// What somebody else may have done to its process, in words.
        interference: Option<String>,
        /// Its last moments.
        evidence: Box<Evidence>,
    },
    /// It does not offer an option that was configured.
    #[error(
        "engine {engine} has no option {option:?}: it offers {}",
        listed(offered)
    )]
    UnknownOption {
        /// The engine's name.
        engine: String,
        /// The option asked for.
        option: String,
        /// The names of all options offered.
        offered: Vec<String>,
    },
    /// An option cannot have the value that was configured.
    #[error("engine {engine}: option {option:?} cannot be {value:?}: it accepts {accepted}")]
    OptionValue {
        /// The engine's name.
        engine: String,
        /// The option.
        option: String,
        /// The value asked for.
        value: String,
        /// What would have been accepted.
        accepted: String,
    },
    /// It does not list the variant.
    #[error(
        "engine {engine} does not play {variant}: its UCI_Variant offers {}",
        listed(offered)
    )]
    UnknownVariant {
        /// The engine's name.
        engine: String,
        /// The variant asked for.
        variant: &'static str,
        /// All variants offered.
        offered: Vec<String>,
    },
    /// Its program, or a file among its arguments, is not what it was at the start.
    #[error(
        "engine {engine}: {} was changed while the match was played, expected the program of the start, or \
         --changed-engines",
        file.display()
    )]
    Changed {
        /// The engine's name.
        engine: String,
        /// The program or file.
        file: PathBuf,
    },
    /// We were told to end.
    #[error("interrupted")]
    Interrupted,
}

impl StartError {
    /// Whether it stops the match: the system has no room for another process or no namespaces any more, which is no
    /// fault of the engine, or the engine is another than that of the games before.
    pub fn stops_the_match(&self) -> bool {
        let source = match self {
            StartError::NotStarted { source, .. } => source,
            StartError::Changed { .. } => return true,
            _ => return false,
        };
        // The reasons of a launcher, which have no number.
        if source.kind() == io::ErrorKind::Other {
            return true;
        }
        let shortages = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM];
        let error = Errno::from_io_error(source);
        error.is_some_and(|error| shortages.contains(&error))
    }

    /// In words, what somebody else may have done to its process.
    pub fn interference(&self) -> Option<&str> {
        match self {
            StartError::NoUciOk { interference, .. } => interference.as_deref(),
            _ => None,
        }
    }
}

/// What an engine offers, in a few lines whatever it is.
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

/// A name or value of an engine as an error quotes it.
pub(super) fn excerpt(text: &str) -> String {
    shortened(&printable(text), LONGEST_LISTED).into_owned()
}

fn quoted(stderr: &[String]) -> String {
    match stderr {
        [] => String::new(),
        lines => format!("; its standard error ends with: {}", lines.join(" | ")),
    }
}
