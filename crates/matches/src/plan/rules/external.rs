//! A game by the rules of another program, and its positions.
//!
//! A position holds all its facts, so that only a new position needs the program. The program keeps nothing between two
//! questions: each contains the start and all words since. Its answers, like the words of engines and record files, are
//! hostile: nothing reaches it that is not a word, and a move is legal only if the program has listed it.

mod position;

use std::sync::{Arc, PoisonError, RwLock};

use buxtehude::rules::{MAX_SEATS, SetupError};

pub use self::position::ExternalPosition;
use super::PositionError;
use super::facts::{Facts, FactsError, is_word, whole_number};
use super::program::{Answer, Answers, MAX_LINE_LENGTH, Question, RulesError, RulesPlan};
use crate::record::printable::{printable, shortened};

/// Room in a line for `position` and its newline.
const COMMAND_BYTES: usize = 16;
/// Maximum number of characters of an error quoted from the program.
const MAX_REASON_LENGTH: usize = 400;

/// A game by the rules of another program.
#[derive(Debug)]
pub struct External {
    plan: RulesPlan,
    program: RwLock<Option<Arc<dyn Answers>>>,
}

impl External {
    /// Creates a game whose program does not run yet.
    pub fn new(plan: RulesPlan) -> External {
        External { plan, program: RwLock::default() }
    }

    pub fn plan(&self) -> &RulesPlan {
        &self.plan
    }

    pub fn name(&self) -> &str {
        &self.plan.program.name
    }

    /// Lets `program` answer from now on.
    pub fn connect(&self, program: Arc<dyn Answers>) {
        let mut connected = self.program.write().unwrap_or_else(PoisonError::into_inner);
        *connected = Some(program);
    }

    /// Returns the usual start for a number of seats.
    ///
    /// # Errors
    /// [`PositionError`] if the game cannot be played by that number.
    pub fn start(self: &Arc<External>, seats: usize) -> Result<ExternalPosition, PositionError> {
        self.begin(usual_start(seats), Some(seats))
    }

    /// Parses the text of a start, as [`ExternalPosition::start_text`] returns it.
    ///
    /// # Errors
    /// [`PositionError`] if the text is invalid.
    pub fn parse(self: &Arc<External>, text: &str) -> Result<ExternalPosition, PositionError> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        if let ["startpos", "players", seats] = words[..]
            && let Some(seats) = whole_number(seats, 2..=MAX_SEATS)
        {
            return self.start(seats);
        }
        if is_text(&words) {
            self.begin(format!("fen {}", words.join(" ")), None)
        } else {
            let reason =
                format!("expected startpos players N with N from 2 to {MAX_SEATS}, or {TEXT}");
            Err(refused(text, &reason))
        }
    }

    /// Asks for the facts of a start. `seats` is the number of seats if the line contains it.
    fn begin(
        self: &Arc<External>,
        line: String,
        seats: Option<usize>,
    ) -> Result<ExternalPosition, PositionError> {
        let question =
            Question { position: &line, queries: &["players", "state", "text", "stake"] };
        let broken = |error: FactsError, query: &str| {
            self.broken(
                &format!("its answer to `query {query}` has {error}"),
                &question.to_string(),
            )
        };
        let [players, state, text, stake] = match self.ask(&[question])?.pop() {
            Some(Answer::Refused(reason)) => return Err(refused(&line, &reason)),
            Some(Answer::Responses(responses)) => responses.try_into().unwrap_or_default(),
            None => Default::default(),
        };
        let [players, stake] = [players.trim_ascii(), stake.trim_ascii()];
        let expected = seats.map_or("a number of players".to_string(), |seats| seats.to_string());
        let found = match (whole_number::<usize>(players, 1..=usize::MAX), seats) {
            (None, Some(seats)) if players.is_empty() => seats,
            (Some(found), None) => found,
            (Some(found), Some(seats)) if found == seats => found,
            _ => return Err(broken(FactsError::new(players, expected), "players").into()),
        };
        if !(2..=MAX_SEATS).contains(&found) {
            let reason = format!("it has {found} players, expected 2 to {MAX_SEATS}");
            return Err(refused(&line, &reason));
        }
        let stake = match stake {
            "" => None,
            stake => Some(whole_number(stake, 1..=u32::MAX).ok_or_else(|| {
                broken(FactsError::new(stake, "a whole number from 1, or nothing"), "stake")
            })?),
        };
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let text = match (words.is_empty(), line.strip_prefix("fen ")) {
            (false, _) if is_text(&words) => words.join(" "),
            (false, _) => return Err(broken(FactsError::new(&text, TEXT), "text").into()),
            (true, Some(text)) => text.to_string(),
            (true, None) => line.clone(),
        };
        let facts = Facts::parse(&state, found, stake).map_err(|error| broken(error, "state"))?;
        Ok(ExternalPosition::start(self, line, text, stake, facts))
    }

    fn ask(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>, RulesError> {
        let longest = questions.iter().max_by_key(|question| question.position.len());
        if let Some(question) = longest
            && question.position.len() + COMMAND_BYTES > MAX_LINE_LENGTH
        {
            let what = format!("the game is too long for a line of {MAX_LINE_LENGTH} bytes");
            return Err(self.broken(&what, &question.to_string()));
        }
        let program = self.program().ok_or_else(|| self.absent())?;
        let answers = program.ask(questions)?;
        let is_complete = |(question, answer): (&Question<'_>, &Answer)| match answer {
            Answer::Responses(responses) => responses.len() == question.queries.len(),
            Answer::Refused(_) => true,
        };
        if answers.len() == questions.len() && questions.iter().zip(&answers).all(is_complete) {
            Ok(answers)
        } else {
            Err(self.broken("it gave another number of answers", ""))
        }
    }

    fn program(&self) -> Option<Arc<dyn Answers>> {
        let program = self.program.read();
        program.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn absent(&self) -> RulesError {
        RulesError::Absent { name: self.name().to_string() }
    }

    fn broken(&self, what: &str, asked: &str) -> RulesError {
        match self.program() {
            Some(program) => program.broken(what.to_string(), asked),
            None => self.absent(),
        }
    }
}

/// Words that can be the text of a position.
const TEXT: &str =
    "words without invisible characters, none of them moves and the first not startpos";

fn is_text(words: &[&str]) -> bool {
    let is_usable = |word: &&str| is_word(word) && *word != "moves";
    !words.is_empty() && words[0] != "startpos" && words.iter().all(is_usable)
}

fn usual_start(seats: usize) -> String {
    format!("startpos players {seats}")
}

fn refused(text: &str, reason: &str) -> PositionError {
    let text = shortened(text, MAX_REASON_LENGTH).into_owned();
    let reason = shortened(&printable(reason), MAX_REASON_LENGTH).into_owned();
    let reason = reason.into();
    SetupError::Text { text, reason }.into()
}

#[cfg(test)]
mod tests;
