//! The processes of rules programs.
//!
//! Each thread that asks has its own process: on Linux the kernel kills a process when the thread that started it ends.
//! A process ends with its thread, and after an error; the next question then starts another one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::plan::EngineSpec;
use crate::plan::rules::external::External;
use crate::plan::rules::external::{Answer, Answers, MAX_RULES_LINE_LENGTH, Question, RulesError};
use crate::plan::rules::facts::MAX_QUOTED_ANSWER_LENGTH;
use crate::play::engine::conversation::Conversation;
use crate::play::engine::{
    AnswerError, Placement, QUIT_PATIENCE, deadline, error_words, explained, quoted,
};
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::play::runner::WatchedProgram;
use crate::play::sandbox::Isolation;
use crate::record::printable::{printable_bytes, shortened};

/// Maximum number of lines to read that the program sent without a question.
const LINES_BETWEEN: usize = 10_000;
/// Maximum number of characters of an error that the program reports.
const MAX_ERROR_LENGTH: usize = 400;

thread_local! {
    /// The processes of this thread, by [`Program::number`].
    static RUNNING: RefCell<HashMap<u64, Running>> = RefCell::default();
}

/// Starts the program of a game on this thread, and lets it answer from now on. Other threads start their own process
/// with their first question.
///
/// `timeout` is for `ugiok` and for each answer; `interrupt` stops every wait.
///
/// # Errors
/// [`RulesError`] if the program does not start.
pub fn connect(
    game: &External,
    isolation: Option<Isolation>,
    timeout: Duration,
    log: &Log,
    interrupt: &Interrupt,
) -> Result<(), RulesError> {
    static PROGRAMS: AtomicU64 = AtomicU64::new(0);
    let mut program = Program {
        number: PROGRAMS.fetch_add(1, Ordering::Relaxed),
        spec: game.plan().program.clone(),
        isolation,
        timeout,
        log: log.clone(),
        interrupt: interrupt.clone(),
        files: None,
    };
    let mut files = WatchedProgram::of(&program.spec, interrupt);
    program.ask(&[])?;
    // The program may write files at its start, such as a log.
    files.forget_changed_arguments();
    program.files = Some(files);
    game.connect(Arc::new(program));
    Ok(())
}

/// A rules program, with all that is needed to start it.
#[derive(Debug)]
struct Program {
    number: u64,
    spec: EngineSpec,
    isolation: Option<Isolation>,
    timeout: Duration,
    log: Log,
    interrupt: Interrupt,
    /// The program's files, from its first start on.
    files: Option<WatchedProgram>,
}

/// A process that receives `quit` and half a second to end.
struct Running(Option<Conversation>);

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut conversation) = self.0.take() {
            conversation.take_leave("quit\n");
            conversation.await_end(deadline(QUIT_PATIENCE));
        }
    }
}

impl Answers for Program {
    fn ask(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>, RulesError> {
        let mut conversation = match self.take() {
            Some(conversation) => conversation,
            None => self.start()?,
        };
        match converse(&mut conversation, questions, deadline(self.timeout)) {
            Ok(answers) => {
                let running = Running(Some(conversation));
                RUNNING.with_borrow_mut(|all| all.insert(self.number, running));
                Ok(answers)
            }
            Err((failure, asked)) => Err(self.error(conversation, failure, &asked)),
        }
    }

    fn broken(&self, what: String, asked: &str) -> RulesError {
        match self.take() {
            Some(conversation) => self.error(conversation, Some(what), asked),
            None => RulesError::broken(&self.spec.name, &what, asked, String::new()),
        }
    }
}

/// Why a process can no longer be used; `None` after an interrupt.
type Failure = Option<String>;

impl Program {
    /// Takes this thread's process.
    fn take(&self) -> Option<Conversation> {
        let running = RUNNING.with_borrow_mut(|running| running.remove(&self.number));
        running?.0.take()
    }

    fn start(&self) -> Result<Conversation, RulesError> {
        let spec = &self.spec;
        if let Some(file) = self.files.as_ref().and_then(WatchedProgram::changed) {
            let what = format!("{} has changed since the match began", file.display());
            return Err(RulesError::broken(&spec.name, &what, "", String::new()));
        }
        let place = Placement::anywhere(self.isolation);
        let started =
            Conversation::start(spec, place, MAX_RULES_LINE_LENGTH, &self.log, &self.interrupt);
        let mut conversation = started.map_err(|error| {
            let error = explained(error, &spec.command, spec.dir.as_deref());
            let what = format!("cannot start {}: {error}", spec.command.display());
            RulesError::broken(&spec.name, &what, "", String::new())
        })?;
        conversation.queue("ugi\n");
        let deadline = deadline(self.timeout);
        loop {
            match next_line(&mut conversation, deadline) {
                Ok(line) if line == b"ugiok" => return Ok(conversation),
                Ok(_) => {}
                Err(failure) => {
                    let what = failure.map(|reason| format!("no ugiok: {reason}"));
                    return Err(self.error(conversation, what, ""));
                }
            }
        }
    }

    /// Ends a process after an error, which came with the question `asked`.
    fn error(&self, mut conversation: Conversation, failure: Failure, asked: &str) -> RulesError {
        conversation.kill();
        let said = quoted(&conversation.stderr.lines());
        failure.map_or(RulesError::Interrupted, |what| {
            RulesError::broken(&self.spec.name, &what, asked, said)
        })
    }
}

/// Asks all questions, and reads the answers; an error comes with its question.
fn converse(
    conversation: &mut Conversation,
    questions: &[Question<'_>],
    deadline: Instant,
) -> Result<Vec<Answer>, (Failure, String)> {
    refuse_surplus(conversation).map_err(|failure| (failure, String::new()))?;
    let mut request = String::new();
    for question in questions {
        request += &format!("position {}\n", question.position);
        for query in question.queries {
            request += &format!("query {query}\n");
        }
    }
    conversation.queue(&request);
    let answers = questions
        .iter()
        .map(|question| {
            let answer = answer(conversation, question, deadline);
            answer.map_err(|failure| (failure, question.to_string()))
        })
        .collect::<Result<_, _>>()?;
    let last = questions.last().map(Question::to_string);
    refuse_surplus(conversation).map_err(|failure| (failure, last.unwrap_or_default()))?;
    Ok(answers)
}

/// Reads the lines that the program sent after its answer. Another answer is a fault, because it is unclear which of
/// them is meant.
fn refuse_surplus(conversation: &mut Conversation) -> Result<(), Failure> {
    for _ in 0..LINES_BETWEEN {
        let Some(line) = conversation.next_line_there() else {
            break;
        };
        if let Some(words) = response(line.text) {
            return Err(Some(format!("it answers without a question: {}", quote(words))));
        }
    }
    Ok(())
}

impl Drop for Program {
    fn drop(&mut self) {
        // An error means that the thread ends, and its processes with it.
        let _ = RUNNING.try_with(|running| running.borrow_mut().remove(&self.number));
    }
}

/// Reads the answer to one question.
fn answer(
    conversation: &mut Conversation,
    question: &Question<'_>,
    deadline: Instant,
) -> Result<Answer, Failure> {
    let mut refused = None;
    let mut responses = Vec::new();
    let mut stray = String::new();
    while responses.len() < question.queries.len() {
        let line = next_line(conversation, deadline)
            .map_err(|reason| reason.map(|reason| reason + &stray))?;
        if let Some(words) = error_words(&line) {
            let words = printable_bytes(words).into_owned();
            if refused.is_some() || !responses.is_empty() {
                return Err(Some(format!(
                    "it reports an error: {}",
                    shortened(&words, MAX_ERROR_LENGTH)
                )));
            }
            refused = Some(words);
        } else if let Some(words) = response(&line) {
            let text = std::str::from_utf8(words)
                .map_err(|_| format!("its answer is not UTF-8: {}", quote(words)))?;
            responses.push(text.to_string());
        } else if !line.is_empty() {
            stray = format!("; it sent {}, which is not a response", quote(&line));
        }
    }
    Ok(refused.map_or(Answer::Responses(responses), Answer::Refused))
}

/// Waits for the next line, without white space at its ends.
///
/// The line is copied, because an error describes the conversation.
fn next_line(conversation: &mut Conversation, deadline: Instant) -> Result<Vec<u8>, Failure> {
    match conversation.next_answer(deadline) {
        Ok(Some(line)) => Ok(line.text.trim_ascii().to_vec()),
        Ok(None) => Err(Some(format!("it sent a line of more than {MAX_RULES_LINE_LENGTH} bytes"))),
        Err(AnswerError::Interrupted) => Err(None),
        Err(error) => Err(Some(format!("{error}{}", conversation.unfinished_answer(error)))),
    }
}

/// Returns the words of a response, which may begin with blanks if they are a drawing.
fn response(line: &[u8]) -> Option<&[u8]> {
    let words = line.trim_ascii().strip_prefix(b"response")?;
    let is_word = words.first().is_none_or(u8::is_ascii_whitespace);
    is_word.then(|| words.get(1..).unwrap_or_default())
}

fn quote(bytes: &[u8]) -> String {
    format!("\"{}\"", shortened(&printable_bytes(bytes), MAX_QUOTED_ANSWER_LENGTH))
}

#[cfg(test)]
mod tests;
