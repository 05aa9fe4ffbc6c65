//! Communication with the checked engine. Every line is kept, to be shown with a failure.

mod games;

use std::error::Error;
use std::fmt;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use buxtehude::protocol::{BestMove, Command, Info, OptionOffer, Reply, Score};
use matches::plan::rules::program::RulesError;
use matches::plan::rules::{Position, PositionError, Rules};

use super::{Profile, Scope};
use crate::conformance::transcript::{NoLine, Program, ProgramError, mask};
pub use games::{built_in, first_words, is_legal};
use matches::record::printable::{printable, shortened};

/// Maximum number of lines shown.
const SHOWN_LINES: usize = 60;

/// Maximum number of lines kept of the standard error during a check.
const KEPT_ERRORS: usize = 100;

/// Number of times that an answer may take as long as the slowest one so far.
const TIMES_SLOWEST: u32 = 10;

/// Shortest timeout for an expected answer, unless the user sets a shorter one.
const MIN_PATIENCE: Duration = Duration::from_secs(2);

/// Maximum number of characters shown of an engine's line.
const MAX_SHOWN_LENGTH: usize = 1000;

/// Commands that are answered at once in every state.
const ALWAYS_ANSWERED: [&str; 4] = ["d", "query", "eval", "help"];

/// Reasons for a check not to pass.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The engine did not meet the expectation; with the reason.
    Wrong(String),
    /// The check does not apply to the engine; with the reason.
    Skipped(String),
    /// The rules program failed.
    Rules(RulesError),
}

/// Every error but a fault of the rules counts as the engine's.
impl<E: Error + 'static> From<E> for Fault {
    fn from(error: E) -> Fault {
        let position_error = (&error as &dyn Error).downcast_ref::<PositionError>();
        match position_error.and_then(PositionError::fault_of_rules) {
            Some(fault) => Fault::Rules(fault.clone()),
            None => Fault::Wrong(error.to_string()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Wrong(reason) | Fault::Skipped(reason) => f.write_str(reason),
            Fault::Rules(fault) => fault.fmt(f),
        }
    }
}

/// Output of a `go`.
#[derive(Clone, Debug)]
pub struct Search {
    /// All lines before `bestmove`.
    pub lines: Vec<String>,
    /// The `info` lines among them that have fields.
    pub infos: Vec<Info>,
    pub best: BestMove,
    /// Time from `go` to `bestmove`.
    pub elapsed: Duration,
}

/// A running engine and the transcript of its communication.
pub struct Talk {
    program: Program,
    scope: Scope,
    transcript: Vec<String>,
    /// Lines of its standard error.
    errors: Receiver<String>,
    /// The options that it offers; empty before the introduction.
    pub offers: Vec<OptionOffer>,
    /// `true` if the line of the option that selects a game cannot be read.
    has_unreadable_choice: bool,
    /// `true` if the engine can run another check, since it has neither ended nor received `quit`.
    pub is_open: bool,
    /// Time of the last line sent.
    sent: Instant,
    /// Longest time to an expected answer; `None` before the first one.
    pub slowest: Option<Duration>,
    /// The game that it plays, if known.
    rules: Option<Rules>,
    /// The last position set, if the legal moves are sent with each `go`.
    position: Option<Position>,
    /// `true` if the engine plays the game where checks begin.
    is_home: bool,
    /// Note for the outcome of the check, passed or not.
    pub note: Option<String>,
}

/// `Err` with a reason; spells out an empty list in it.
pub fn wrong<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong(reason.into().replace("[]", "nothing")))
}

pub fn expect(holds: bool, reason: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { wrong(reason()) }
}

pub fn nothing(lines: &[String]) -> Result<(), Fault> {
    expect(lines.is_empty(), || format!("{:?} came", lines[0]))
}

pub fn is_refusal(line: &str) -> bool {
    line.starts_with("info string error: ")
}

pub fn is_best_move(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

/// `true` if the value of a search is exact, since the game is solved or ends soon.
pub fn is_mate(info: &Info) -> bool {
    matches!(info.score, Some(Score::Mate(_)))
}

/// An engine's line as shown in a transcript.
fn shown(line: &str) -> String {
    shortened(&mask(&printable(line)), MAX_SHOWN_LENGTH).into_owned()
}

impl Talk {
    /// Starts the engine. `slowest` is the longest time to an answer in earlier checks.
    ///
    /// # Errors
    /// [`ProgramError`] if the program cannot be started.
    pub fn start(scope: &Scope, slowest: Option<Duration>) -> Result<Talk, ProgramError> {
        let settings = &scope.settings;
        let (sender, errors) = sync_channel(KEPT_ERRORS);
        let keep = move |line: &str| drop(sender.try_send(shown(line)));
        Ok(Talk {
            program: Program::start_with(&settings.program, settings.isolation, keep)?,
            scope: scope.clone(),
            transcript: Vec::new(),
            errors,
            offers: Vec::new(),
            has_unreadable_choice: false,
            is_open: true,
            sent: Instant::now(),
            slowest,
            is_home: false,
            rules: None,
            position: None,
            note: None,
        })
    }

    /// Ends the engine; returns the rest of its standard error.
    pub fn end(self) -> Vec<String> {
        drop(self.program);
        self.errors.try_iter().collect()
    }

    /// Takes the lines of its standard error since the last call.
    pub fn take_errors(&mut self) -> Vec<String> {
        self.errors.try_iter().collect()
    }

    /// Closes the engine's input; nothing can be sent any more.
    pub fn close_input(&mut self) {
        self.transcript.push("# end of input".into());
        self.program.close_input();
    }

    /// Clears the transcript, which is long and shows no failure.
    pub fn forget(&mut self) {
        self.transcript.clear();
    }

    /// Process id of the engine.
    pub fn process(&self) -> u32 {
        self.program.process()
    }

    /// Timeout for an expected answer, by the engine's own speed.
    pub fn patience(&self) -> Duration {
        let most = self.scope.settings.patience;
        let by_speed = |slowest| {
            let usual: Duration = slowest * TIMES_SLOWEST;
            usual.max(MIN_PATIENCE).min(most)
        };
        self.slowest.map_or(most, by_speed)
    }

    /// The transcript; if it is long, without its middle.
    pub fn transcript(&self) -> String {
        let lines = &self.transcript;
        if lines.len() <= SHOWN_LINES {
            return lines.join("\n");
        }
        let (start, end) = (SHOWN_LINES / 2, lines.len() - SHOWN_LINES / 2);
        let left_out = format!("# {} lines omitted", end - start);
        [&lines[..start], &[left_out], &lines[end..]].concat().join("\n")
    }

    /// Sends a line; adds the legal moves to a `go` if the settings say so.
    pub fn send(&mut self, line: &str) -> Result<(), Fault> {
        if self.scope.settings.legal {
            match line.parse() {
                Ok(Command::Position(set)) => self.position = self.position_of(&set)?,
                Ok(Command::Go(mut go)) if go.searchmoves.is_empty() => {
                    let moves = self.position.as_ref().map(Position::legal_actions);
                    go.searchmoves = moves.unwrap_or_default();
                    return self.send_bytes(format!("{}\n", Command::Go(go)).as_bytes());
                }
                _ => {}
            }
        }
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let text = String::from_utf8_lossy(bytes);
        let shown: String = text.trim_end_matches('\n').chars().take(300).collect();
        self.transcript.push(format!("> {}", printable(&shown)));
        self.sent = Instant::now();
        Ok(self.program.send_bytes(bytes)?)
    }

    /// Returns the next line, or `None` after the timeout.
    pub fn line_within(&mut self, patience: Duration) -> Result<Option<String>, Fault> {
        match self.program.line(patience) {
            Ok(line) => {
                self.transcript.push(format!("< {}", shown(&line)));
                Ok(Some(line))
            }
            Err(NoLine::Silence) => Ok(None),
            Err(NoLine::End) => {
                let hint = self.program.hint();
                wrong(format!("the program has ended, or closed its output{hint}"))
            }
        }
    }

    /// Returns the next line; fails after the timeout.
    pub fn line(&mut self) -> Result<String, Fault> {
        self.expected_line("answer")
    }

    fn expected_line(&mut self, expected: &str) -> Result<String, Fault> {
        let patience = self.patience();
        match self.line_within(patience)? {
            Some(line) => {
                self.slowest = self.slowest.max(Some(self.sent.elapsed()));
                Ok(line)
            }
            None => {
                // A program that has answered before flushes its output.
                let hint = match self.slowest {
                    None => "; does it flush its output after each line?",
                    Some(_) => "",
                };
                let patience = patience.as_millis();
                wrong(format!("no {expected} within {patience} ms{hint}"))
            }
        }
    }

    /// Reads up to and including a line whose first word is `word`.
    pub fn until(&mut self, word: &str) -> Result<Vec<String>, Fault> {
        let patience = self.patience();
        let deadline = Instant::now() + patience;
        let goes_on = |rest: &str| rest.starts_with(char::is_alphanumeric);
        let expected = format!("`{word}`");
        let mut lines = Vec::new();
        loop {
            let line = self.expected_line(&expected)?;
            let is_last = line.strip_prefix(word).is_some_and(|rest| !goes_on(rest));
            lines.push(line);
            if is_last {
                return Ok(lines);
            }
            if Instant::now() > deadline {
                return wrong(format!("no {expected} within {} ms", patience.as_millis()));
            }
        }
    }

    /// Sends a command other than `go` and reads its answer up to and including a line whose first word is `last`;
    /// fails at once if the engine rejects the command.
    pub fn answer_up_to(&mut self, line: &str, last: &str) -> Result<Vec<String>, Fault> {
        self.send(line)?;
        let patience = self.patience();
        let deadline = Instant::now() + patience;
        let mut lines: Vec<String> = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(answer) = self.line_within(left)? else {
                let instead = lines.last().map_or("nothing".into(), |line| format!("{line:?}"));
                let patience = patience.as_millis();
                return wrong(format!(
                    "no `{last}` within {patience} ms after `{line}`: {instead} came"
                ));
            };
            let is_rejected = answer.to_lowercase().contains("unknown command");
            if is_rejected || is_refusal(&answer) {
                return wrong(format!("`{line}` is rejected: {answer:?}"));
            }
            let is_last = answer.split([' ', ':']).next() == Some(last);
            lines.push(answer);
            if is_last {
                return Ok(lines);
            }
        }
    }

    /// Returns the answer to `uci`.
    pub fn introduction(&mut self) -> Result<Vec<String>, Fault> {
        self.send("uci")?;
        self.until("uciok")
    }

    /// Sends `isready` and returns the lines before its answer.
    pub fn fence(&mut self) -> Result<Vec<String>, Fault> {
        self.send("isready")?;
        let mut lines = self.until("readyok")?;
        lines.pop();
        Ok(lines)
    }

    /// Returns the answer to a line other than `go`.
    pub fn ask(&mut self, line: &str) -> Result<Vec<String>, Fault> {
        self.send(line)?;
        let answer = self.fence()?;
        let word = line.split(' ').next().unwrap_or_default();
        let is_answered = !ALWAYS_ANSWERED.contains(&word) || !answer.is_empty();
        expect(is_answered, || format!("no answer to `{word}`"))?;
        Ok(answer)
    }

    pub fn expect_answer(&mut self, line: &str, expected: &[String]) -> Result<(), Fault> {
        let answer = self.ask(line)?;
        expect(answer == expected, || format!("{line}: expected {expected:?}, got {answer:?}"))
    }

    /// Fails unless `d` shows these lines, and perhaps others.
    pub fn expect_shown(&mut self, lines: &[String]) -> Result<(), Fault> {
        let shown = self.ask("d")?;
        match lines.iter().find(|line| !shown.contains(line)) {
            Some(missing) => wrong(format!("no line {missing:?} in {shown:?}")),
            None => Ok(()),
        }
    }

    /// Sends lines and ignores their answers.
    pub fn set(&mut self, lines: &[String]) -> Result<(), Fault> {
        for line in lines {
            self.send(line)?;
        }
        self.fence().map(drop)
    }

    /// Sends a `go` and reads up to its `bestmove`.
    pub fn go(&mut self, line: &str) -> Result<Search, Fault> {
        let begun = Instant::now();
        self.send(line)?;
        self.best_move(begun)
    }

    /// Sends a `go` that must be answered by a move.
    pub fn go_for_a_move(&mut self, line: &str) -> Result<Search, Fault> {
        let search = self.go(line)?;
        expect(search.best.best.is_some(), || "no move".into())?;
        Ok(search)
    }

    /// Skips the check unless the engine offers an option.
    pub fn need_option(&self, name: &str) -> Result<(), Fault> {
        if self.offers.iter().any(|offer| offer.name == name) {
            Ok(())
        } else {
            Err(Fault::Skipped("it does not offer this option".into()))
        }
    }

    /// Reads up to the `bestmove` of a `go` sent at `begun`.
    pub fn best_move(&mut self, begun: Instant) -> Result<Search, Fault> {
        let mut lines = self.until("bestmove")?;
        let elapsed = begun.elapsed();
        let last = lines.pop().unwrap_or_default();
        let Ok(Reply::BestMove(best)) = last.parse() else {
            return wrong(format!("malformed: {last:?}"));
        };
        let infos = lines.iter().filter_map(|line| match line.parse() {
            Ok(Reply::Info(info)) => Some(info),
            _ => None,
        });
        Ok(Search { infos: infos.collect(), lines, best, elapsed })
    }
}
