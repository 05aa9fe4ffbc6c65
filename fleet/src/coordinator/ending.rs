//! What is said at the end, and what is left on the server.

use std::process::ExitCode;
use std::time::Duration;

use async_nats::jetstream::Context;
use matches::output::print;
use matches::plan::Plan;
use matches::run::announcement::count;
use matches::run::exit::{
    ENGINE_FAULT, H0_ACCEPTED, H1_ACCEPTED, INTERRUPTED, STORAGE, USAGE, complain,
};
use matches::run::ledger::{Ledger, LedgerError};
use matches::run::progress::duration;
use matches::score::Verdict;

use super::drive::{DriveError, change_open};
use super::share;
use crate::message::State;
use crate::names::Names;
use crate::queue::MatchQueue;
use crate::queue::bucket::{Bucket, remove_plan};

/// A match that is coordinated no more.
pub(super) struct Driven {
    pub(super) plan: Plan,
    pub(super) ledger: Ledger,
    pub(super) names: Names,
    /// Games that had been played before.
    pub(super) before: usize,
    pub(super) elapsed: Duration,
    pub(super) is_interrupted: bool,
    pub(super) outcome: Result<(), DriveError>,
}

/// Prints the tables; the exit code says how it went.
pub(super) fn end(mut driven: Driven) -> ExitCode {
    let (word, code) = driven.result();
    let report = &driven.ledger.report;
    // It makes no difference any more whether somebody reads it.
    let _ = print(&format!("\n{}\n{}\n", report.text(), driven.footer()));
    match &driven.outcome {
        Ok(()) | Err(DriveError::Ledger(LedgerError::Output(_))) => {}
        Err(error) => complain(format_args!("error: {error}")),
    }
    let (games, seed) = (driven.ledger.report.played(), driven.plan.seed);
    let is_over = driven.is_over();
    let seed = (is_over || !seed.is_secret()).then_some(seed);
    if let Some(events) = &mut driven.ledger.events
        && let Err(error) = events.finish(word, code, games, seed)
    {
        complain(format_args!("--events: {error}"));
    }
    ExitCode::from(code)
}

impl Driven {
    fn is_over(&self) -> bool {
        let report = &self.ledger.report;
        report.played() >= self.plan.games || report.verdict() != Verdict::Open
    }

    /// How it went: a word, and the exit code, as of `arbiter match`.
    fn result(&self) -> (&'static str, u8) {
        let report = &self.ledger.report;
        match &self.outcome {
            Err(DriveError::Ledger(LedgerError::Output(_))) => ("interrupted", INTERRUPTED),
            Err(DriveError::Ledger(_)) => ("storage", STORAGE),
            Err(_) => ("error", USAGE),
            Ok(()) => match report.verdict() {
                Verdict::H1 => ("H1", H1_ACCEPTED),
                Verdict::H0 => ("H0", H0_ACCEPTED),
                Verdict::Open if self.is_interrupted && !self.is_over() => {
                    ("interrupted", INTERRUPTED)
                }
                Verdict::Open if !self.ledger.retired.is_empty() || report.faults() > 0 => {
                    ("engine fault", ENGINE_FAULT)
                }
                Verdict::Open => ("done", 0),
            },
        }
    }

    fn footer(&self) -> String {
        let report = &self.ledger.report;
        let (games, all) = (report.standings().games(), self.plan.games);
        let mut text = match games == all {
            true => count(games, "game"),
            false => format!("{games} of {all} games"),
        };
        text += &format!(" in {}", duration(self.elapsed));
        if self.before > 0 {
            text += &format!(", {} of them before", self.before);
        }
        if report.verdict() != Verdict::Open {
            text += ", ended by the test";
        }
        let more = report.played() - games;
        if more > 0 {
            text += &format!(", {more} more played and not counted");
        }
        if let Some(store) = &self.ledger.store {
            let path = store.path().display();
            text += &format!(", stored in {path}");
            if !self.is_over() {
                text += &format!(
                    "; `fleet resume {path}` continues match {}",
                    self.names.id()
                );
            }
        }
        if !self.ledger.retired.is_empty() {
            text += &format!("\nretired: {}", self.ledger.retired.join(", "));
        }
        if self.plan.seed.is_secret() && self.is_over() {
            text += &format!("\nseed: {}", self.plan.seed);
        }
        text
    }
}

/// Removes from the server what a match that is over has there, but for its state.
pub(super) async fn clear(context: &Context, names: &Names) {
    MatchQueue::remove(context, names).await;
    let Ok(matches) = Bucket::matches(context).await else {
        return;
    };
    // What stays is harmless: workers see that the match is over.
    let _ = change_open(&matches, |open| open.ids.retain(|id| id != names.id())).await;
    if let Ok(Some((state, _))) = matches.get::<State>(&names.state()).await {
        remove_plan(context, &state.plan).await;
        share::remove(context, names, &state.engines).await;
    }
}
