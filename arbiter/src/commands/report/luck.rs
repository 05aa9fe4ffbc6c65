//! Measuring luck before a report.

use std::num::NonZero;
use std::path::Path;
use std::thread;

use arbiter::args::ReportArgs;
use buxtehude::rules::Variant;
use matches::archive::ArchiveError;
use matches::archive::game_file::GameFile;
use matches::archive::store::Store;
use matches::judge::STALL;
use matches::luck::{Evaluator, LuckMeter, measure_store};
use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;

use super::super::{CommandError, isolate, progress, stop_on_signals};

/// Evaluator of the luck of games in a file, as far as the user asks for it.
pub struct Luck {
    evaluator: Evaluator,
    isolation: Option<Isolation>,
}

impl Luck {
    /// Returns the evaluator that the user asks for, if any.
    pub fn of(args: &ReportArgs, file: &GameFile) -> Result<Option<Luck>, CommandError> {
        let evaluator = match (&args.luck_engine, args.luck) {
            (Some(engine), _) => Evaluator::engine(engine.clone(), STALL),
            (None, Some(nodes)) => {
                let (variant, seats) = game_in(file, &args.input.file)?;
                Evaluator::built_in(nodes, variant, seats)
            }
            (None, None) => return Ok(None),
        };
        let engines = args.luck_engine.as_slice();
        Ok(Some(Luck { isolation: isolate(args.isolation.isolate, engines)?, evaluator }))
    }

    /// Returns the meter for the games of a record.
    pub fn meter<'a>(&'a self, interrupt: &'a Interrupt) -> LuckMeter<'a> {
        LuckMeter::new(&self.evaluator, self.isolation, interrupt)
    }

    /// Measures the luck of the games in a store that have none.
    pub fn measure(&self, path: &Path, interrupt: &Interrupt) -> Result<(), CommandError> {
        stop_on_signals(interrupt)?;
        let mut store = Store::resume(path)?;
        let bar = progress(0, "luck of {pos}/{len} games  {eta} left");
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let measured = measure_store(&mut store, &self.meter(interrupt), threads, |done, due| {
            bar.set_length(due as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        Ok(measured?)
    }
}

/// Variant and number of seats of the games in a file.
fn game_in(file: &GameFile, path: &Path) -> Result<(&'static Variant, usize), CommandError> {
    if let GameFile::Store(store) = file {
        let plan = store.plan()?;
        let variant = plan.rules.built_in().ok_or_else(|| {
            let game = plan.rules.name();
            format!("--luck: the built-in engine does not play {game}: expected --luck-engine")
        })?;
        return Ok((variant, plan.seats));
    }
    let mut first = None;
    file.for_each(|_, game| {
        first = first.take().or_else(|| game.ok());
        Ok::<(), ArchiveError>(())
    })?;
    let first = first.ok_or_else(|| format!("{}: no games in this file", path.display()))?;
    Ok((Variant::by_name(&first.variant)?, first.seats.len()))
}
