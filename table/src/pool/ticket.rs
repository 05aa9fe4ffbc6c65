//! A question, and what its asker holds until it is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use buxtehude::protocol::{Go, Info, PositionCommand};
use buxtehude::rules::Variant;
use tokio::sync::{mpsc, oneshot, watch};

use super::desk::Desk;
use super::{Busy, Failing};

/// What an engine said that nobody has taken yet; beyond that the rest is dropped.
const MOST_UNTAKEN: usize = 1024;

/// What an engine is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The number of the engine.
    pub engine: usize,
    /// What is played.
    pub variant: &'static Variant,
    /// The position, by the way to it.
    pub position: PositionCommand,
    /// The legal moves there, at least one.
    pub legal: Vec<String>,
    /// The limits of the search; its time is among them.
    pub go: Go,
    /// Options that hold for this question alone, as the engine offers them.
    pub options: Vec<(String, String)>,
}

/// An answer that stands.
#[derive(Clone, Debug)]
pub struct Found {
    /// The move, which is legal.
    pub mv: String,
    /// The estimate of its answer; empty where it gave none.
    pub estimate: Vec<u16>,
    /// What it last said of its search.
    pub info: Info,
}

/// A question on its way.
#[derive(Debug)]
pub(super) struct Job {
    pub number: u64,
    pub question: Question,
    /// Whether the answer is not wanted any more.
    pub stop: Arc<AtomicBool>,
    pub infos: Option<mpsc::Sender<Info>>,
    /// How many questions are before it, while it waits.
    pub ahead: watch::Sender<usize>,
    pub answer: oneshot::Sender<Result<Found, Failing>>,
}

/// The right to an answer. Dropped before it, it ends the search.
#[derive(Debug)]
pub struct Ticket {
    number: u64,
    stop: Arc<AtomicBool>,
    desk: Arc<Desk>,
    /// What the engine says on the way; `None` where nobody follows.
    pub infos: Option<mpsc::Receiver<Info>>,
    /// How many questions wait before this one; 0 once it is its turn.
    pub ahead: watch::Receiver<usize>,
    /// The answer. Where its other end is gone, the pool has ended.
    pub answer: oneshot::Receiver<Result<Found, Failing>>,
}

impl Ticket {
    /// Waits for the answer.
    ///
    /// # Errors
    /// [`Failing`] says why there is none.
    pub async fn wait(mut self) -> Result<Found, Failing> {
        (&mut self.answer).await.unwrap_or(Err(Failing::Ending))
    }

    /// A question with its ticket.
    pub(super) fn issue(
        desk: &Arc<Desk>,
        number: u64,
        question: Question,
        follows: bool,
    ) -> (Job, Ticket) {
        let stop = Arc::new(AtomicBool::new(false));
        let (ahead, ahead_seen) = watch::channel(0);
        let (answer, answer_heard) = oneshot::channel();
        let (infos, infos_heard) = match follows {
            true => {
                let (infos, heard) = mpsc::channel(MOST_UNTAKEN);
                (Some(infos), Some(heard))
            }
            false => (None, None),
        };
        let job = Job {
            number,
            question,
            stop: stop.clone(),
            infos,
            ahead,
            answer,
        };
        let ticket = Ticket {
            number,
            stop,
            desk: desk.clone(),
            infos: infos_heard,
            ahead: ahead_seen,
            answer: answer_heard,
        };
        (job, ticket)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.desk.forget(self.number);
    }
}

impl Job {
    /// Tells the asker that the pool has no room or ends.
    pub fn refuse(self) {
        // Whoever has gone is not told.
        let _ = self.answer.send(Err(Failing::Ending));
    }
}

/// What [`Desk::ask`] returns.
pub(super) type Asked = Result<Ticket, Busy>;
