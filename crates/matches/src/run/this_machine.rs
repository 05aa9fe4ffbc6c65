//! Games played by the threads of this process.

use super::progress::Progress;
use super::{Engines, ExitError, Match, Source, SourceError};
use crate::luck::LuckMeter;
use crate::play::lag::{LagMeter, LagSummary};
use crate::play::referee::RerunQuota;
use crate::play::runner::{self, Complete, GameQueue, RunError};
use crate::play::sandbox;
use crate::record::GameRecord;
use crate::score::Verdict;

/// Worker threads of this process, each with its own engine processes.
#[derive(Debug, Default)]
pub struct ThisMachine {
    engines: Option<Engines>,
    lag: Option<LagMeter>,
}

impl Source for ThisMachine {
    fn prepare(&mut self, planned: &mut Match, engines: Engines) -> Result<String, ExitError> {
        let mut text = engines.isolation_text.clone();
        let plan = &planned.plan;
        let remarks = [sandbox::memory_in_words(plan), sandbox::computing_in_words(plan)];
        for remark in remarks.into_iter().flatten() {
            text += &format!("\n{remark}");
        }
        self.engines = Some(engines);
        Ok(text)
    }

    fn play(&mut self, planned: &mut Match, progress: &Progress) -> Result<(), SourceError> {
        let lag = self.lag.insert(LagMeter::start());
        let Match { plan, log, ledger, past, luck, .. } = planned;
        let interrupt = ledger.interrupt.clone();
        let engines = self.engines.as_ref();
        let isolation = engines.and_then(|engines| engines.isolation);
        let evaluator = luck.as_ref().filter(|_| !plan.luck.after);
        let meter = evaluator.map(|evaluator| LuckMeter::new(evaluator, isolation, &interrupt));
        let activity = progress.activity();
        let measure = meter.as_ref().map(|meter| {
            |record: &mut GameRecord| {
                activity.set_prefix(format!("luck of game {}  ", record.game));
                let measured = meter.measure(record).map_err(|error| error.to_string());
                activity.set_prefix("");
                measured
            }
        });
        let next_due = |from| (from..=plan.games).find(|number| !past.played.contains(number));
        let games = runner::Match {
            plan,
            games: &GameQueue::new(next_due),
            past: Some(&past.ends),
            reruns: &RerunQuota::new(&plan.engines, &past.reruns),
            log,
            interrupt: &interrupt,
            lag,
            first_core: 0,
            isolation,
            programs: engines.map(|engines| &engines.programs),
            is_followed: ledger.events.is_some(),
            complete: measure.as_ref().map(|measure| measure as &Complete<'_>),
        };
        runner::run(games, |event| {
            ledger.enter(plan, &event, progress)?;
            if ledger.report.verdict() != Verdict::Open {
                interrupt.set();
            }
            Ok::<(), SourceError>(())
        })
    }

    fn remarks(&self) -> String {
        let Some(lag) = &self.lag else {
            return String::new();
        };
        let LagSummary { median, p99, longest } = lag.summary();
        let [median, p99, longest] =
            [median, p99, longest].map(|time| format!("{:.2}", time.as_secs_f64() * 1000.0));
        format!(
            "lag of the arbiter itself: median {median} ms, 99th percentile {p99} ms, maximum {longest} ms\n"
        )
    }
}

impl From<RunError> for SourceError {
    fn from(error: RunError) -> SourceError {
        match error.fault_of_rules() {
            Some(fault) => SourceError::Rules(fault.to_string()),
            None => SourceError::Source(error.to_string()),
        }
    }
}
