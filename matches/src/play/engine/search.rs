//! A search that somebody follows, and may end early.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use buxtehude::protocol::{Command, Info};

use super::answer::{self, Kind};
use super::{Answer, Engine, Failure, after, deadline};
use crate::play::interrupt::Interrupt;

/// What an engine is asked, and for how long it is listened to.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// What it is sent: options, a position, and a `go` as the last.
    pub commands: &'a [Command],
    /// How long the answer is waited for.
    pub patience: Duration,
    /// Once set, the engine is told to stop.
    pub stop: &'a AtomicBool,
    /// How long the answer is waited for after `stop`.
    pub patience_after_stop: Duration,
}

impl Engine {
    /// Begins another game: what the engine is asked from now on has nothing to do with what it was asked before.
    /// `game` is for the log.
    ///
    /// # Errors
    /// Why it is not ready within `patience`; the engine cannot be used any more then.
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

    /// Waits until the engine says that it is ready, as a process that has been left alone for long may not be.
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

    /// Has the engine search, and waits for the answer; hands what it says of each line on the way to `on_info`, as
    /// far as it says a depth and a value.
    ///
    /// # Errors
    /// Why there is no answer in time; the engine cannot be used any more then.
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

    /// Sends `stop`, without dropping the answer that may be on its way.
    fn send_stop(&mut self, deadline: Instant, interrupt: &Interrupt) -> Result<(), Failure> {
        let stop = format!("{}\n", Command::Stop);
        self.conversation
            .send_between(stop.as_bytes(), deadline, interrupt)
    }
}
