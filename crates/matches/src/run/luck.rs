//! The luck of a match that is resumed, or measured once all its games are stored.

use super::announcement::count;
use super::past::Past;
use super::progress::luck_bar;
use super::{ExitError, Ledger, Match, SourceError};
use crate::archive::store::Store;
use crate::luck::{Evaluator, LuckMeter, measure_store};
use crate::output::print;
use crate::plan::{EngineSpec, LuckBy, Plan};
use crate::play::interrupt::Interrupt;
use crate::play::sandbox::Isolation;
use crate::score::Verdict;
use crate::spelling::quote_path;

/// Returns the evaluator for the rest of a stored match; none, with a remark, if earlier luck is by another one, or the
/// engine that measures it is missing.
///
/// # Errors
/// [`ExitError`] instead of the remark if `engine` is given or the sequential test needs luck.
pub(super) fn of_resumed(
    store: &Store,
    plan: &Plan,
    engine: Option<&EngineSpec>,
    remarks: &mut Vec<String>,
) -> Result<Option<Evaluator>, ExitError> {
    let reason = match (Evaluator::of(plan, engine), store.luck_by()?) {
        (Err(error), _) => error.to_string(),
        (Ok(Some(evaluator)), Some(before)) if evaluator.identity() != before => {
            let now = evaluator.identity();
            let (flag, file) = (evaluator.flag(), quote_path(store.path()));
            format!(
                "luck: by {before} so far, now by {now}: not measured; \
                 `arbiter report {file} {flag}` measures all games anew"
            )
        }
        (Ok(luck), _) => return Ok(luck),
    };
    if engine.is_some() || plan.sprt.is_some_and(|sprt| sprt.uses_luck()) {
        Err(ExitError::usage(reason))
    } else {
        remarks.push(reason);
        Ok(None)
    }
}

impl Match {
    /// Measures the luck of stored games that have none, since it is due after the last game or an engine failed, and
    /// reads the report again.
    ///
    /// # Errors
    /// [`SourceError::Source`] if a game cannot be measured.
    pub(super) fn measure_luck(&mut self) -> Result<(), SourceError> {
        let Ledger { store: Some(store), report, interrupt, .. } = &mut self.ledger else {
            return Ok(());
        };
        // The verdict has set the interrupt of the games.
        let decided = Interrupt::new();
        let interrupt = if report.verdict() == Verdict::Open { &*interrupt } else { &decided };
        let failed = |error: &dyn ToString| SourceError::Source(error.to_string());
        let missing = store.games_without_luck().map_err(|error| failed(&error))?;
        let Some(evaluator) = self.luck.as_ref().filter(|_| !missing.is_empty()) else {
            return Ok(());
        };
        let isolation = Isolation::of(self.plan.isolate, &self.plan.engines);
        let (isolation, _) = isolation.map_err(|error| failed(&error))?;
        let meter = LuckMeter::new(evaluator, isolation, interrupt);
        let bar = luck_bar(missing.len());
        if bar.is_hidden() && matches!(self.plan.luck.by, Some(LuckBy::Engine { .. })) {
            // If standard output is closed, the end of the match finds out.
            let _ =
                print(&format!("measuring the luck of {}\n", count(missing.len() as u64, "game")));
        }
        let on_game = |done, _| bar.set_position(done as u64);
        let measured = measure_store(store, &meter, self.plan.concurrency, &on_game);
        bar.finish_and_clear();
        measured.map_err(|error| failed(&error))?;
        let past = Past::of(store, &self.plan).map_err(|error| failed(&error))?;
        *report = past.report;
        Ok(())
    }
}
