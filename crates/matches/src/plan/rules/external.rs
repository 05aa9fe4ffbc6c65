//! A game by the rules of another program, and its positions.
//!
//! A position holds all its facts, so that only a new position needs the program. The program keeps nothing between two
//! questions: each contains the start and all words since. Its answers, like the words of engines and record files, are
//! hostile: nothing reaches it that is not a word, and a move is legal only if the program has listed it.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::slice;
use std::sync::{Arc, PoisonError, RwLock};

use buxtehude::rules::{ActionError, MAX_SEATS, Seat, SetupError, Turn};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::PositionError;
use super::facts::{Facts, FactsError, is_action, is_word, whole_number};
use crate::plan::EngineSpec;
use crate::plan::deck::Draws;
use crate::record::printable::{ends_of, printable, printable_lines, shortened};

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
            && question.position.len() + COMMAND_BYTES > MAX_RULES_LINE_LENGTH
        {
            let what = format!("the game is too long for a line of {MAX_RULES_LINE_LENGTH} bytes");
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
    let reason = shortened(&printable(reason), MAX_REASON_LENGTH).into_owned().into();
    SetupError::Text { text, reason }.into()
}

/// Maximum length of a line in both directions, including its newline.
pub const MAX_RULES_LINE_LENGTH: usize = 1 << 20;
/// Maximum number of questions that are sent before the first answer.
pub const AT_ONCE: usize = 32;

/// A rules program as the user gave it. Its name is the name of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesPlan {
    #[serde(flatten)]
    pub program: EngineSpec,
    /// Value of `UCI_Variant` for engines that offer it.
    #[serde(rename = "variant")]
    pub uci_variant: String,
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

/// Maximum number of characters of a list of legal actions in an error.
const MAX_LIST_LENGTH: usize = 200;
/// Maximum number of outcomes without a move between them: more would never let an engine move.
const MAX_DRAWS: u32 = 1000;
/// Maximum number of characters of a picture.
const MAX_PICTURE_LENGTH: usize = 4000;

/// A position of an [`External`] game; clones share it.
#[derive(Clone)]
pub struct ExternalPosition(Arc<Node>);

struct Node {
    start: Arc<Start>,
    /// Argument of `position`, which begins with the line of the start.
    line: String,
    facts: Facts,
    /// Number of outcomes since the last move.
    draws: u32,
}

struct Start {
    game: Arc<External>,
    /// Argument of `position` without moves.
    line: String,
    /// Text in records.
    text: String,
    /// Largest sum of winnings.
    stake: Option<u32>,
}

impl ExternalPosition {
    pub(super) fn start(
        game: &Arc<External>,
        line: String,
        text: String,
        stake: Option<u32>,
        facts: Facts,
    ) -> ExternalPosition {
        let start = Start { game: Arc::clone(game), line: line.clone(), text, stake };
        let start = Arc::new(start);
        ExternalPosition(Arc::new(Node { start, line, facts, draws: 0 }))
    }

    pub fn seats(&self) -> usize {
        self.0.facts.places.len()
    }

    pub fn facts(&self) -> &Facts {
        &self.0.facts
    }

    /// Place of a seat, from 1, or `None` while it is open.
    pub fn place(&self, seat: Seat) -> Option<usize> {
        self.0.facts.places.get(seat.index()).copied().flatten()
    }

    /// Outcomes that can be drawn, each with its weight; empty unless one is due.
    pub fn outcomes(&self) -> Vec<(String, u32)> {
        let facts = &self.0.facts;
        let outcomes = facts.actions.iter().cloned();
        outcomes.zip(facts.weights.iter().copied()).collect()
    }

    /// Text of the position where its words begin, for [`External::parse`].
    pub fn start_text(&self) -> &str {
        &self.0.start.text
    }

    /// Moves and outcomes since the start.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.moves().split_ascii_whitespace().skip(1)
    }

    /// The word `moves` with the moves and outcomes, or an empty text.
    fn moves(&self) -> &str {
        self.0.line[self.0.start.line.len()..].trim_start()
    }

    /// A 64-bit key of the start and the words since.
    pub fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.start_text(), self.moves()).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the position after a move or outcome.
    ///
    /// # Errors
    /// [`PositionError`] if the word is not legal.
    pub fn after(&self, word: &str) -> Result<ExternalPosition, PositionError> {
        let mut after = Vec::with_capacity(1);
        self.walk_some(&[word], &mut after)?;
        // There is a position for each word.
        Ok(after.pop().unwrap_or_else(|| self.clone()))
    }

    /// Returns the positions after each of `words`, up to the first that cannot be played, with its error.
    pub fn walk<'w>(
        &self,
        words: impl IntoIterator<Item = &'w str>,
    ) -> (Vec<ExternalPosition>, Option<PositionError>) {
        let words: Vec<&str> = words.into_iter().collect();
        let mut after = Vec::with_capacity(words.len());
        for words in words.chunks(AT_ONCE) {
            let before = after.last().unwrap_or(self).clone();
            if let Err(error) = before.walk_some(words, &mut after) {
                return (after, Some(error));
            }
        }
        (after, None)
    }

    /// Adds the positions after each of at most [`AT_ONCE`] words to `after`.
    fn walk_some(
        &self,
        words: &[&str],
        after: &mut Vec<ExternalPosition>,
    ) -> Result<(), PositionError> {
        // Spares the program a question without a use.
        if let [first, ..] = words {
            self.check(first)?;
        }
        // Later words are sent before it is clear whether they are legal, but nothing that is not a word.
        let sent = words.iter().take_while(|word| is_action(word));
        let mut line = self.0.line.clone();
        let lines: Vec<String> = sent
            .map(|word| {
                line = self.line_after(&line, word);
                line.clone()
            })
            .collect();
        let answers = self.ask(&lines)?;
        let mut before = self.clone();
        for ((word, line), answer) in words.iter().zip(lines).zip(answers) {
            before.check(word)?;
            before = before.child(word, line, answer)?;
            before.confirm_result()?;
            after.push(before.clone());
        }
        match words.iter().find(|word| !is_action(word)) {
            Some(word) => Ok(before.check(word)?),
            None => Ok(()),
        }
    }

    /// Returns each legal action with the position after it, in the program's order.
    ///
    /// # Errors
    /// [`RulesError`] if the program does not answer as it must.
    pub fn children(&self) -> Result<Vec<(String, ExternalPosition)>, RulesError> {
        let mut children = Vec::with_capacity(self.0.facts.actions.len());
        for actions in self.0.facts.actions.chunks(AT_ONCE) {
            let lines: Vec<String> =
                actions.iter().map(|word| self.line_after(&self.0.line, word)).collect();
            let answers = self.ask(&lines)?;
            for ((word, line), answer) in actions.iter().zip(lines).zip(answers) {
                children.push((word.clone(), self.child(word, line, answer)?));
            }
        }
        Ok(children)
    }

    /// Returns the picture of each position of a game: the program's drawing or, without one, its text of the position.
    ///
    /// # Errors
    /// [`RulesError`] if the program does not answer as it must.
    pub fn pictures(positions: &[&ExternalPosition]) -> Result<Vec<Option<String>>, RulesError> {
        let mut pictures = Vec::with_capacity(positions.len());
        for some in positions.chunks(AT_ONCE) {
            let game = &some[0].0.start.game;
            let questions: Vec<Question<'_>> = some
                .iter()
                .map(|position| Question {
                    position: &position.0.line,
                    queries: &["picture", "text"],
                })
                .collect();
            let answers = game.ask(&questions)?;
            for (question, answer) in questions.iter().zip(answers) {
                match answer {
                    Answer::Responses(texts) => {
                        let mut texts = texts.iter().map(String::as_str);
                        pictures.push(texts.find(|text| !text.is_empty()).map(drawn));
                    }
                    Answer::Refused(reason) => {
                        let what = format!("it refuses a position of its own: {reason}");
                        return Err(game.broken(&what, &question.to_string()));
                    }
                }
            }
        }
        Ok(pictures)
    }

    fn line_after(&self, line: &str, word: &str) -> String {
        if line.len() == self.0.start.line.len() {
            format!("{line} moves {word}")
        } else {
            format!("{line} {word}")
        }
    }

    fn ask(&self, lines: &[String]) -> Result<Vec<Answer>, RulesError> {
        let questions: Vec<Question<'_>> = lines.iter().map(|line| state_of(line)).collect();
        self.0.start.game.ask(&questions)
    }

    /// Checks that the program has listed a word.
    fn check(&self, word: &str) -> Result<(), ActionError> {
        let facts = &self.0.facts;
        if facts.actions.iter().any(|action| action == word) {
            return Ok(());
        }
        let listed = facts
            .actions
            .iter()
            .take(MAX_LIST_LENGTH)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        let expected = match facts.turn {
            Turn::Over => "the game is over".to_string(),
            _ => format!("expected one of {}", shortened(&listed, MAX_LIST_LENGTH)),
        };
        if is_action(word) {
            Err(ActionError::Illegal { word: word.to_string(), reason: expected.into() })
        } else {
            Err(ActionError::Unreadable {
                word: shortened(word, MAX_LIST_LENGTH).into_owned(),
                expected,
            })
        }
    }

    /// Asks once more if the game is over. A result that the program corrects, however late, is no result.
    fn confirm_result(&self) -> Result<(), RulesError> {
        if self.0.facts.turn != Turn::Over {
            return Ok(());
        }
        let (game, line) = (&self.0.start.game, &self.0.line);
        let again = match self.ask(slice::from_ref(line))?.pop() {
            Some(Answer::Responses(mut responses)) => responses.pop().unwrap_or_default(),
            Some(Answer::Refused(reason)) => reason,
            None => String::new(),
        };
        match Facts::parse(&again, self.seats(), self.0.start.stake) {
            Ok(facts) if facts == self.0.facts => Ok(()),
            _ => {
                let again = shortened(&again, MAX_LIST_LENGTH);
                let what = format!("the game is over, but its second answer is \"{again}\"");
                Err(game.broken(&what, &state_of(line).to_string()))
            }
        }
    }

    /// Returns the position after a listed word, with the answer about it.
    fn child(
        &self,
        word: &str,
        line: String,
        answer: Answer,
    ) -> Result<ExternalPosition, RulesError> {
        let start = &self.0.start;
        let broken = |what: String| start.game.broken(&what, &state_of(&line).to_string());
        let state = match answer {
            Answer::Responses(mut responses) => responses.pop().unwrap_or_default(),
            Answer::Refused(reason) => {
                return Err(broken(format!("it listed {word}, but refuses it: {reason}")));
            }
        };
        let facts = Facts::parse(&state, self.seats(), start.stake);
        let facts = facts
            .and_then(|facts| facts.check_decided(&self.0.facts).map(|()| facts))
            .map_err(|error| broken(format!("its answer has {error}")))?;
        let draws = match self.0.facts.turn {
            Turn::Card(_) => self.0.draws + 1,
            Turn::Seat(_) | Turn::Over => 0,
        };
        if draws > MAX_DRAWS {
            return Err(broken(format!(
                "{draws} outcomes follow each other: expected a move after at most {MAX_DRAWS}"
            )));
        }
        let start = Arc::clone(start);
        Ok(ExternalPosition(Arc::new(Node { start, line, facts, draws })))
    }
}

/// The lines of a response, safe to show.
fn drawn(response: &str) -> String {
    let text = shortened(response, MAX_PICTURE_LENGTH).replace("\\n", "\n");
    printable_lines(&text).into_owned()
}

fn state_of(line: &str) -> Question<'_> {
    Question { position: line, queries: &["state"] }
}

impl PartialEq for ExternalPosition {
    /// Compares the start and the words since; the program's answers do not matter.
    fn eq(&self, other: &ExternalPosition) -> bool {
        (self.start_text(), self.moves()) == (other.start_text(), other.moves())
    }
}

impl fmt::Display for ExternalPosition {
    /// Writes the text of a start, or the argument of `position`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.moves() {
            "" => f.write_str(self.start_text()),
            _ => f.write_str(&self.0.line),
        }
    }
}

impl fmt::Debug for ExternalPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExternalPosition({})", self.0.line)
    }
}

#[cfg(test)]
mod tests;
