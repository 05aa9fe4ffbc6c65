//! Adopting a match: reads its plan, finds or fetches its engines, and starts each of them once as a test.

use async_nats::jetstream::consumer::PullConsumer;
use matches::VERSION;
use matches::plan::{Plan, binary};
use matches::play::interrupt::Interrupt;
use matches::play::runner::{self, Programs, RunError};
use matches::play::sandbox::{Isolation, IsolationError};
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

/// A match that this worker plays.
pub(crate) struct Adopted {
    pub(crate) names: Names,
    /// Consumer of its units.
    pub(crate) work: PullConsumer,
    /// State when it was adopted.
    pub(crate) state: State,
    /// Plan with this machine's programs and a concurrency of 1.
    pub(crate) plan: Plan,
    pub(crate) isolation: Option<Isolation>,
    pub(crate) programs: Programs,
    /// Stops its games.
    pub(crate) interrupt: Interrupt,
    /// Speed of this machine when it was adopted, in positions a second.
    pub(crate) speed: Option<u64>,
    /// Scale of its time limits, in permille; `None` if they are not scaled.
    pub(crate) time_scale: Option<u32>,
    _fetched: Vec<Fetched>,
}

/// Reasons not to adopt a match.
#[derive(Debug, Error)]
pub(crate) enum AdoptionError {
    /// A call to the server failed; it may succeed later.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// Another version of the arbiter plays it.
    #[error("the match needs arbiter {found}, this worker has {VERSION}")]
    Arbiter { found: String },
    #[error("this worker is set aside; `fleet status` says why")]
    SetAside,
    /// The plan's hash differs from the one in the match's state.
    #[error("the plan has SHA-256 {found}, the match has {expected}")]
    Hash { found: String, expected: String },
    /// The plan cannot be read.
    #[error(transparent)]
    Plan(#[from] PlanFileError),
    /// An engine is missing here, or differs.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// An engine cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// An engine cannot be started.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Engines cannot be isolated as the match requires.
    #[error(transparent)]
    Isolation(#[from] IsolationError),
    #[error("{0}")]
    NoAnswer(String),
}

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
        // Only the coordinator retires engines, since it sees all games.
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

/// Replaces the engines of a plan by this machine's or by fetched ones; returns the fetched ones.
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
