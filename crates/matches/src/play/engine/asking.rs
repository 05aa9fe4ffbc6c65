//! Requests for moves: each `go` has one `bestmove`. Another one is a flaw of the engine's next answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use buxtehude::protocol::{Command, Info};

use super::answer::{self, Answer, Kind};
use super::conversation::AnswerError;
use super::{Engine, after, deadline, lines};

/// Maximum number of lines to read from pondering before `ponderhit`.
const LINES_OF_PONDERING: usize = 10_000;

#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// Commands to send: options, a position, and `go` as the last.
    pub commands: &'a [Command],
    /// Timeout for the answer.
    pub patience: Duration,
    /// Stop flag; once it is set, the engine receives `stop`.
    pub stop: &'a AtomicBool,
    pub patience_after_stop: Duration,
}

impl Engine {
    /// Sends `request`, the lines of `position` and `go`, and waits for the answer.
    ///
    /// # Errors
    /// There is no answer within `patience`; the engine can no longer be used.
    pub fn ask(&mut self, request: &[u8], patience: Duration) -> Result<Answer, AnswerError> {
        self.ask_on(request, patience, None, |_| {})
    }

    /// Runs a search and waits for the answer; calls `on_info` for each line with a depth and a value.
    ///
    /// # Errors
    /// There is no answer in time; the engine can no longer be used.
    pub fn search(
        &mut self,
        search: Search<'_>,
        mut on_info: impl FnMut(Info),
    ) -> Result<Answer, AnswerError> {
        let request = lines(search.commands);
        let stop = Some((search.stop, search.patience_after_stop));
        self.ask_on(request.as_bytes(), search.patience, stop, |line| {
            if let Some(info) = answer::read_info(line) {
                on_info(info);
            }
        })
    }

    /// Sends `request` and waits for `bestmove`; calls `on_info` for each relevant `info` line. Once the flag of `stop`
    /// is set, sends `stop` and waits for its time.
    fn ask_on(
        &mut self,
        request: &[u8],
        patience: Duration,
        stop: Option<(&AtomicBool, Duration)>,
        on_info: impl FnMut(&[u8]),
    ) -> Result<Answer, AnswerError> {
        self.usable = false;
        self.info.clear();
        self.measure();
        let sent = Instant::now();
        let until = after(sent, patience);
        self.conversation.send(request, until)?;
        self.note_surplus();
        self.was_asked = true;
        let answer = self.await_best_move(sent, until, stop, on_info)?;
        Ok(answer.with_flaw(self.flaw.take()))
    }

    /// Notes a flaw if the engine has sent a `bestmove` that answers no `go`.
    fn note_surplus(&mut self) {
        if let Some(line) = self.conversation.take_best_move() {
            let kind = if self.was_asked {
                "a second bestmove for one go"
            } else {
                "a bestmove without a go"
            };
            self.flaw.get_or_insert(format!("{kind}: \"{line}\""));
        }
    }

    /// `true` if the engine sends another `bestmove` within `patience` after its answer, which therefore may have been
    /// a second one for an earlier `go`. Afterwards the engine cannot be used.
    pub fn answers_again(&mut self, patience: Duration) -> bool {
        self.usable = false;
        let deadline = deadline(patience);
        while let Ok(line) = self.conversation.next_line(deadline) {
            if answer::is_best_move(line.text) {
                return true;
            }
        }
        false
    }

    /// Waits for the `bestmove` of a search that was requested at `sent`, as [`Engine::ask_on`].
    fn await_best_move(
        &mut self,
        sent: Instant,
        mut until: Instant,
        mut stop: Option<(&AtomicBool, Duration)>,
        mut on_info: impl FnMut(&[u8]),
    ) -> Result<Answer, AnswerError> {
        loop {
            let line = match stop {
                Some((flag, patience)) if flag.load(Ordering::Relaxed) => {
                    stop = None;
                    until = deadline(patience);
                    let command = lines(&[Command::Stop]);
                    self.conversation.send_between(command.as_bytes(), until)?;
                    continue;
                }
                Some(_) => self.conversation.next_line_soon(until)?,
                None => Some(self.conversation.next_line(until)?),
            };
            let Some(line) = line else { continue };
            match answer::kind(line.text) {
                Kind::BestMove => {
                    let arrived = line.arrived;
                    let answer = Answer::read(arrived - sent, line.text, &self.info);
                    self.conversation.take_best_move();
                    self.usable = true;
                    let late_start = std::mem::take(&mut self.late_start);
                    let processor = self.conversation.processor();
                    return Ok(Answer {
                        out_of_turn: processor.used_at_rest() + late_start,
                        waited: processor.end(arrived, self.rests).waited,
                        ..answer
                    });
                }
                Kind::Info => {
                    on_info(line.text);
                    self.info.clear();
                    self.info.extend_from_slice(line.text);
                }
                Kind::Lesser => on_info(line.text),
                Kind::Other => {}
            }
        }
    }

    /// Starts pondering: sends `request`, the lines of `position` and `go ponder`. Either [`Engine::ponder_hit`] or
    /// [`Engine::stop_pondering`] must follow. An engine that does not read gets the rest of the request then, on its
    /// own time.
    ///
    /// # Errors
    /// The engine can no longer be used.
    pub fn ponder(&mut self, request: &[u8]) -> Result<(), AnswerError> {
        self.usable = false;
        self.info.clear();
        let sent = self.conversation.send_at_once(request);
        self.note_surplus();
        self.was_asked = true;
        sent
    }

    /// Sends `ponderhit`, because the expected move was played, and waits for the answer. The time counts from here.
    /// Returns `None` if the engine has answered before, which is a flaw of its next answer.
    ///
    /// # Errors
    /// As [`Engine::ask`].
    pub fn ponder_hit(&mut self, patience: Duration) -> Result<Option<Answer>, AnswerError> {
        let answer = self.end_pondering(Command::PonderHit, patience)?;
        Ok(answer.map(|answer| answer.with_flaw(self.flaw.take())))
    }

    /// Sends `stop`, because another move was played, and waits for the answer. Only its time counts. Returns `None` as
    /// [`Engine::ponder_hit`].
    ///
    /// # Errors
    /// There is no answer before the deadline; the engine can no longer be used.
    pub fn stop_pondering(&mut self, patience: Duration) -> Result<Option<Answer>, AnswerError> {
        self.end_pondering(Command::Stop, patience)
    }

    fn end_pondering(
        &mut self,
        command: Command,
        patience: Duration,
    ) -> Result<Option<Answer>, AnswerError> {
        // Reads the `info` lines of the pondering, up to a limit because they might never end.
        for _ in 0..LINES_OF_PONDERING {
            let Some(line) = self.conversation.next_line_there() else {
                break;
            };
            if let Kind::Info = answer::kind(line.text) {
                self.info.clear();
                self.info.extend_from_slice(line.text);
            }
        }
        if let Some(line) = self.conversation.take_best_move() {
            self.usable = true;
            self.flaw = Some(format!("bestmove before ponderhit or stop: \"{line}\""));
            return Ok(None);
        }
        self.measure();
        let sent = Instant::now();
        let until = after(sent, patience);
        self.conversation.send_to_end(lines(&[command]).as_bytes(), until)?;
        self.await_best_move(sent, until, None, |_| {}).map(Some)
    }
}
