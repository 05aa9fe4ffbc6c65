//! Measuring luck before a report.

use std::num::NonZero;
use std::path::Path;
use std::thread;

use arbiter::args::ReportArgs;
use buxtehude::rules::Variant;
use matches::archive::game_file::{GameFile, Kind};
use matches::archive::store::Store;
use matches::judge::STALL;
use matches::luck::{Evaluator, LuckMeter, measure_store};
use matches::plan::{LuckBy, USUAL_LUCK_PERCENT};
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
    pub fn of(
        args: &ReportArgs,
        file: &GameFile,
        kind: &Kind,
    ) -> Result<Option<Luck>, CommandError> {
        let evaluator = match (&args.luck_engine, args.luck) {
            (Some(engine), _) => Evaluator::engine(engine.clone(), STALL, percent(file)?),
            (None, Some(nodes)) => Evaluator::built_in(nodes, variant_of(file, kind)?, kind.seats),
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
        let measured = measure_store(&mut store, &self.meter(interrupt), threads, &|done, due| {
            bar.set_length(due as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        Ok(measured?)
    }
}

/// Maximum time of an engine in percent of the time of play: as in the plan of the match, if it has such a limit.
fn percent(file: &GameFile) -> Result<u32, CommandError> {
    let GameFile::Store(store) = file else { return Ok(USUAL_LUCK_PERCENT) };
    Ok(match store.plan()?.luck.by {
        Some(LuckBy::Engine { percent }) => percent,
        _ => USUAL_LUCK_PERCENT,
    })
}

fn variant_of(file: &GameFile, kind: &Kind) -> Result<&'static Variant, CommandError> {
    let GameFile::Store(store) = file else {
        return Ok(Variant::by_name(&kind.variant)?);
    };
    let game = &kind.variant;
    let expected = || {
        format!("--luck: the built-in engine does not play {game}: expected --luck-engine").into()
    };
    store.plan()?.rules.built_in().ok_or_else(expected)
}
