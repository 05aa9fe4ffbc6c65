//! A search that reports its progress and can be stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use buxtehude::protocol::{Command, Info};

use super::answer::{self, Kind};
use super::{Answer, Engine, Failure, after, deadline};
use crate::play::interrupt::Interrupt;

/// A search request with its timeouts.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// Commands to send: options, a position, and `go` as the last.
    pub commands: &'a [Command],
    /// Timeout for the answer.
    pub patience: Duration,
    /// Stop flag; once it is set, the engine receives `stop`.
    pub stop: &'a AtomicBool,
    /// Timeout for the answer after `stop`.
    pub patience_after_stop: Duration,
}

impl Engine {
    /// Begins a new game, unrelated to earlier requests. `game` is its name in the log.
    ///
    /// # Errors
    /// The engine is not ready within `patience`; it can no longer be used.
    pub fn begin(
        &mut self,
        game: &str,
        patience: Duration,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let deadline = deadline(patience);
        self.begin_game(game, None, deadline, interrupt)?;
        self.await_ready(deadline, interrupt)
    }

    /// Waits until the engine is ready; after a long pause its process may be slow or gone.
    ///
    /// # Errors
    /// As [`Engine::begin`].
    pub fn make_ready(&mut self, patience: Duration, interrupt: &Interrupt) -> Result<(), Failure> {
        self.usable = false;
        let deadline = deadline(patience);
        let ready = format!("{}\n", Command::IsReady);
        self.conversation
            .send(ready.as_bytes(), deadline, interrupt)?;
        self.await_ready(deadline, interrupt)
    }

    /// Runs a search and waits for the answer; calls `on_info` for each line with a depth and a value.
    ///
    /// # Errors
    /// There is no answer in time; the engine can no longer be used.
    pub fn search(
        &mut self,
        search: Search<'_>,
        interrupt: &Interrupt,
        mut on_info: impl FnMut(Info),
    ) -> Result<Answer, Failure> {
        self.usable = false;
        self.info.clear();
        self.measure();
        let lines: String = search
            .commands
            .iter()
            .map(|command| format!("{command}\n"))
            .collect();
        let sent = Instant::now();
        let mut until = after(sent, search.patience);
        self.conversation.send(lines.as_bytes(), until, interrupt)?;
        let mut is_stopped = false;
        loop {
            if !is_stopped && search.stop.load(Ordering::Relaxed) {
                is_stopped = true;
                until = deadline(search.patience_after_stop);
                self.send_stop(until, interrupt)?;
            }
            let Some(line) = self.conversation.next_line_soon(until, interrupt)? else {
                continue;
            };
            match answer::kind(line.text) {
                Kind::BestMove => {
                    let arrived = line.arrived;
                    let answer = Answer::read(arrived - sent, line.text, &self.info);
                    self.usable = true;
                    let waited = self.conversation.processor().end(arrived, self.rests);
                    return Ok(Answer { waited, ..answer });
                }
                kind @ (Kind::Info | Kind::Lesser) => {
                    answer::read_info(line.text)
                        .into_iter()
                        .for_each(&mut on_info);
                    if let Kind::Info = kind {
                        self.info.clear();
                        self.info.extend_from_slice(line.text);
                    }
                }
                Kind::Other => {}
            }
        }
    }

    /// Sends `stop` and keeps the engine's output, which may contain the answer.
    fn send_stop(&mut self, deadline: Instant, interrupt: &Interrupt) -> Result<(), Failure> {
        let stop = format!("{}\n", Command::Stop);
        self.conversation
            .send_between(stop.as_bytes(), deadline, interrupt)
    }
}
