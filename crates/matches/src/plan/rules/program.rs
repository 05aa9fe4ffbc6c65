//! A rules program: the questions to it, its answers and its faults.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::plan::EngineSpec;
use crate::plan::deck::Draws;
use crate::record::printable::{ends_of, printable};

/// Maximum length of a line in both directions, including its newline.
pub const MAX_LINE_LENGTH: usize = 1 << 20;
/// Maximum number of questions that are sent before the first answer.
pub const AT_ONCE: usize = 32;

/// A rules program as the user gave it. Its name is the name of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesPlan {
    #[serde(flatten)]
    pub program: EngineSpec,
    /// Value of `UCI_Variant` for engines that offer it.
    #[serde(rename = "variant")]
    pub told: String,
    pub draws: Draws,
}

/// A running rules program.
pub trait Answers: fmt::Debug + Send + Sync {
    /// Asks at most [`AT_ONCE`] questions, and returns an answer to each.
    ///
    /// # Errors
    /// The program does not answer, or an interrupt was set.
    fn ask(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>, RulesError>;

    /// Ends the program, because its answer to `asked` breaks a law; returns the error with its last words.
    fn broken(&self, what: String, asked: &str) -> RulesError;
}

#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Argument of `position`.
    pub position: &'a str,
    /// Arguments of `query`, at least one.
    pub queries: &'a [&'a str],
}

impl fmt::Display for Question<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position {}; query {}", self.position, self.queries.join(", "))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The response to each query, without the word `response`.
    Responses(Vec<String>),
    /// The position is invalid, in the program's words.
    Refused(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RulesError {
    #[error("interrupted")]
    Interrupted,
    #[error("the rules of {name} come from a program, which is not running: expected --rules")]
    Absent { name: String },
    /// The program does not answer, or not as it must.
    #[error("rules program {name}: {what}{}{said}", in_question(asked))]
    Broken {
        name: String,
        what: String,
        /// The question as the program received it; empty before the first.
        asked: String,
        /// The last lines of its standard error, as the end of the sentence, or an empty text.
        said: String,
    },
}

/// The question as a part of the sentence, shortened and safe to show.
fn in_question(asked: &str) -> String {
    if asked.is_empty() {
        return String::new();
    }
    format!("; asked `{}`", ends_of(&printable(asked)))
}

impl RulesError {
    /// `true` if the program failed, rather than that none is given or the wait for it was interrupted.
    pub fn is_broken(&self) -> bool {
        matches!(self, RulesError::Broken { .. })
    }

    /// Position of the question at which the program failed, as the argument of `position`.
    pub fn position(&self) -> Option<&str> {
        let RulesError::Broken { asked, .. } = self else {
            return None;
        };
        let (position, _) = asked.strip_prefix("position ")?.rsplit_once("; query ")?;
        Some(position)
    }

    /// Creates [`RulesError::Broken`] with texts that are safe to show; `said` must be.
    pub fn broken(name: &str, what: &str, asked: &str, said: String) -> RulesError {
        RulesError::Broken {
            name: name.to_string(),
            what: printable(what).into_owned(),
            asked: asked.to_string(),
            said,
        }
    }
}
