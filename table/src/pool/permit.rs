//! A question to an engine, and the permit that its asker holds until it is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use buxtehude::protocol::{Go, Info, PositionCommand};
use buxtehude::rules::Variant;
use tokio::sync::{mpsc, oneshot, watch};

use super::scheduler::Scheduler;
use super::{Busy, Failing};

/// Capacity for an engine's reports that the asker has not read; further ones are dropped.
const MOST_UNTAKEN: usize = 1024;

/// A question to an engine.
#[derive(Clone, Debug)]
pub struct Question {
    /// Index of the engine.
    pub engine: usize,
    pub variant: &'static Variant,
    /// The position, as a start and moves.
    pub position: PositionCommand,
    /// Legal moves there, at least one.
    pub legal: Vec<String>,
    /// Limits of the search, always with a time.
    pub go: Go,
    /// Options for this question only, with the engine's spelling.
    pub options: Vec<(String, String)>,
}

/// A valid answer.
#[derive(Clone, Debug)]
pub struct Found {
    /// The legal move.
    pub mv: String,
    /// The estimate in its answer; empty if there is none.
    pub estimate: Vec<u16>,
    /// Last report of the search.
    pub info: Info,
}

/// A queued or running question.
#[derive(Debug)]
pub(super) struct Job {
    pub number: u64,
    pub question: Question,
    /// Stop flag: the answer is no longer needed.
    pub stop: Arc<AtomicBool>,
    pub infos: Option<mpsc::Sender<Info>>,
    /// Number of questions before it while it waits.
    pub ahead: watch::Sender<usize>,
    pub answer: oneshot::Sender<Result<Found, Failing>>,
}

/// The permit for an answer. Dropping it early stops the search.
#[derive(Debug)]
pub struct Permit {
    number: u64,
    stop: Arc<AtomicBool>,
    scheduler: Arc<Scheduler>,
    /// Reports of the running search; `None` if they are not requested.
    pub infos: Option<mpsc::Receiver<Info>>,
    /// Number of questions before this one; 0 once it runs.
    pub ahead: watch::Receiver<usize>,
    /// The answer. The channel closes without one if the pool has ended.
    pub answer: oneshot::Receiver<Result<Found, Failing>>,
}

impl Permit {
    /// Waits for the answer.
    ///
    /// # Errors
    /// [`Failing`].
    pub async fn wait(mut self) -> Result<Found, Failing> {
        (&mut self.answer).await.unwrap_or(Err(Failing::Ending))
    }

    /// Creates a question with its permit.
    pub(super) fn issue(
        scheduler: &Arc<Scheduler>,
        number: u64,
        question: Question,
        follows: bool,
    ) -> (Job, Permit) {
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
        let permit = Permit {
            number,
            stop,
            scheduler: scheduler.clone(),
            infos: infos_heard,
            ahead: ahead_seen,
            answer: answer_heard,
        };
        (job, permit)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.scheduler.forget(self.number);
    }
}

impl Job {
    /// Answers that the pool has no room or is shutting down.
    pub fn refuse(self) {
        // This fails if the asker no longer waits.
        let _ = self.answer.send(Err(Failing::Ending));
    }
}

/// Result of [`Scheduler::ask`].
pub(super) type Asked = Result<Permit, Busy>;
