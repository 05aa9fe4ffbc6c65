//! Taking up a match: its plan, with the engines of this machine, each of which is tried once.

use async_nats::jetstream::consumer::PullConsumer;
use matches::VERSION;
use matches::plan::{Plan, binary};
use matches::play::interrupt::Interrupt;
use matches::play::runner::{self, Programs, RunError};
use matches::play::walls::{Isolation, IsolationError};
use thiserror::Error;

use super::Worker;
use super::engines::{self, EngineError};
use super::fetch::{FetchError, Fetched};
use crate::message::State;
use crate::names::Names;
use crate::plan_file::{self, PlanFileError};
use crate::queue::bucket::get_plan;
use crate::queue::{QueueError, workers_consumer};
use crate::time_scale;

/// A match that is played here.
pub(crate) struct Adopted {
    pub(crate) names: Names,
    /// Where its units are pulled.
    pub(crate) work: PullConsumer,
    /// Its state when it was taken up.
    pub(crate) state: State,
    /// Its plan, with the programs of this machine, for one game at a time.
    pub(crate) plan: Plan,
    pub(crate) isolation: Option<Isolation>,
    pub(crate) programs: Programs,
    /// Ends its games.
    pub(crate) interrupt: Interrupt,
    /// The speed of this machine then, in positions a second.
    pub(crate) speed: Option<u64>,
    /// Its limits of time, in permille of those of the match; `None` where they are the same.
    pub(crate) time_scale: Option<u32>,
    _fetched: Vec<Fetched>,
}

/// Why a match is not taken up.
#[derive(Debug, Error)]
pub(crate) enum AdoptionError {
    /// The server does not give what is needed; it may later.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// It is played by another version.
    #[error("the match needs arbiter {found}, this worker has {VERSION}")]
    Arbiter { found: String },
    /// Its games did not count.
    #[error("this worker is set aside; `fleet status` says why")]
    SetAside,
    /// The plan is not the one that the match names.
    #[error("the plan has SHA-256 {found}, the match has {expected}")]
    Hash { found: String, expected: String },
    /// The plan makes no sense here.
    #[error(transparent)]
    Plan(#[from] PlanFileError),
    /// An engine is not here.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// An engine cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// An engine cannot be started.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Engines cannot be isolated as the match asks for.
    #[error(transparent)]
    Isolation(#[from] IsolationError),
    /// An engine does not answer.
    #[error("{0}")]
    NoAnswer(String),
}

/// Takes up a match.
pub(crate) async fn adopt(
    worker: &Worker,
    names: Names,
    state: State,
) -> Result<Adopted, AdoptionError> {
    if state.arbiter != VERSION {
        let found = state.arbiter;
        return Err(AdoptionError::Arbiter { found });
    }
    if state.set_aside.contains(&worker.name) {
        return Err(AdoptionError::SetAside);
    }
    let work = workers_consumer(&worker.context, &names)?;
    let bytes = get_plan(&worker.context, &state.plan).await?;
    let (found, expected) = (binary::hash_bytes(&bytes), state.plan.clone());
    if found != expected {
        return Err(AdoptionError::Hash { found, expected });
    }
    let mut plan = tokio::task::block_in_place(|| plan_file::read(&bytes))?;
    let fetched = find_engines(worker, &names, &state, &mut plan).await?;
    tokio::task::block_in_place(|| {
        plan.concurrency = 1;
        let speed = worker.speed();
        let time_scale = time_scale::scale_of(&plan, state.reference_speed, speed);
        if let Some(permille) = time_scale {
            time_scale::apply(&mut plan, permille);
        }
        // Who retires is for the coordinator to say, who sees all games.
        plan.patience.failures = 0;
        let (isolation, _) = Isolation::of_plan(&plan)?;
        let programs = Programs::of(&plan);
        let interrupt = Interrupt::new();
        let checked = runner::check_engines(&plan, isolation, &worker.log, &worker.interrupt)?;
        if let Some(remark) = checked.1.into_iter().next() {
            return Err(AdoptionError::NoAnswer(remark));
        }
        Ok(Adopted {
            names,
            work,
            state,
            plan,
            isolation,
            programs: programs.without_changed_arguments(),
            interrupt,
            speed,
            time_scale,
            _fetched: fetched,
        })
    })
}

/// Puts engines of this machine, or fetched ones, in the place of those of a plan; returns those that were fetched.
async fn find_engines(
    worker: &Worker,
    names: &Names,
    state: &State,
    plan: &mut Plan,
) -> Result<Vec<Fetched>, AdoptionError> {
    engines::check_number(plan, &state.engines)?;
    let mut fetched = Vec::new();
    for (engine, id) in plan.engines.iter_mut().zip(&state.engines) {
        let local = &worker.args.engine;
        let found = tokio::task::block_in_place(|| engines::substitute(engine, id, local));
        match (found, &worker.fetcher) {
            (Ok(()), _) => {}
            (Err(_), Some(fetcher)) if id.is_shared => {
                fetched.push(fetcher.fetch(&worker.context, names, engine, id).await?);
            }
            (Err(reason), None) if id.is_shared => {
                let reason = Box::new(reason);
                return Err(EngineError::NotAccepted { reason }.into());
            }
            (Err(error), _) => return Err(error.into()),
        }
    }
    if let Some(fetcher) = &worker.fetcher {
        fetcher.adapt(plan, fetched.len())?;
    }
    Ok(fetched)
}
