//! The first start of each engine, before the first game.

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::RunError;
use crate::plan::{EngineSpec, Plan};
use crate::play::engine::{Engine, Placement, StartError, is_left_out};
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::play::sandbox::Isolation;
use crate::record::printable::shortened;

/// Time after which a notice says which engine is being waited for.
const NOTICE_AFTER: Duration = Duration::from_secs(3);
/// Maximum number of characters of a name that comes from an engine.
const LONGEST_ID_NAME: usize = 40;

/// Receives the name of an engine that has not been ready for a few seconds.
pub type Notice<'a> = dyn Fn(&str) + Sync + 'a;

/// Result of the first start of the engines of a plan.
#[derive(Debug)]
pub struct FirstStart {
    /// Their `id name`s.
    pub id_names: Vec<Option<String>>,
    /// Remarks on options that were left out.
    pub remarks: Vec<String>,
}

/// Starts every engine of a plan once, and decides the draft of each by its offers: names it by its `id name`, made
/// unique, and drops the optional options that it does not offer.
///
/// # Errors
/// [`RunError::Start`] for the first engine that cannot be started, does not answer `uci` and `isready`, or rejects its
/// configuration.
pub fn start_engines(
    plan: &mut Plan,
    isolation: Option<Isolation>,
    log: &Log,
    interrupt: &Interrupt,
    notice: &Notice<'_>,
) -> Result<FirstStart, RunError> {
    let engines = plan.engines.iter();
    let engines = engines.map(|spec| start(spec, plan, isolation, log, interrupt, notice));
    let engines: Vec<Engine> = engines.collect::<Result<_, _>>()?;
    let remarks = settle(&mut plan.engines, &engines);
    let id_name = |engine: &Engine| engine.id_name().map(String::from);
    let id_names = engines.iter().map(id_name).collect();
    Engine::quit_all(engines);
    Ok(FirstStart { id_names, remarks })
}

/// Decides the draft of each engine; returns a remark on each option that some of them do not offer.
fn settle(specs: &mut [EngineSpec], engines: &[Engine]) -> Vec<String> {
    let mut dropped: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut nameless = Vec::new();
    for (index, (spec, engine)) in specs.iter_mut().zip(engines).enumerate() {
        let draft = std::mem::take(&mut spec.draft);
        spec.options.retain(|(name, value)| {
            let is_dropped = is_left_out(&draft, name, engine.offers());
            if is_dropped {
                let setting = format!("option.{name}={value}");
                dropped.entry(setting).or_default().push(index);
            }
            !is_dropped
        });
        if draft.is_nameless {
            let id_name = engine.id_name().map(str::trim);
            if let Some(id_name) = id_name.filter(|name| !name.is_empty()) {
                spec.name = shortened(id_name, LONGEST_ID_NAME).into_owned();
            }
            nameless.push(index);
        }
    }
    make_unique(specs, &nameless);
    let remark = |(setting, engines): (String, Vec<usize>)| {
        let names = engines.into_iter().map(|index| specs[index].name.as_str());
        let names: Vec<&str> = names.collect();
        format!("--each {setting} is left out for {}: no such option", names.join(", "))
    };
    dropped.into_iter().map(remark).collect()
}

/// Numbers the `nameless` engines whose name another engine has, too.
fn make_unique(engines: &mut [EngineSpec], nameless: &[usize]) {
    let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for &index in nameless {
        let name = &names[index];
        if names.iter().filter(|other| *other == name).count() > 1 {
            let number = numbers.entry(name).or_default();
            let is_taken = |name: &str| engines.iter().any(|engine| engine.name == name);
            engines[index].name = loop {
                *number += 1;
                let numbered = format!("{name} ({number})");
                if !is_taken(&numbered) {
                    break numbered;
                }
            };
        }
    }
}

/// Starts an engine and waits until it is ready.
fn start(
    spec: &EngineSpec,
    plan: &Plan,
    isolation: Option<Isolation>,
    log: &Log,
    interrupt: &Interrupt,
    notice: &Notice<'_>,
) -> Result<Engine, StartError> {
    let (started, starting) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if starting.recv_timeout(NOTICE_AFTER) == Err(RecvTimeoutError::Timeout) {
                notice(&spec.name);
            }
        });
        // Dropped at the end of the start, however it ends.
        let _started = started;
        let patience = plan.patience.ready;
        let place = Placement::anywhere(isolation);
        let mut engine = Engine::start(spec, plan.rules.told(), place, patience, log, interrupt)?;
        engine.confirm_options(&spec.name, patience)?;
        Ok(engine)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Limit;

    #[test]
    fn only_nameless_engines_are_numbered() {
        let names = ["x", "x", "y", "x (1)", "y"];
        let mut engines = names.map(|name| EngineSpec::new(name, "x", Limit::default()));
        make_unique(&mut engines, &[0, 1, 4]);
        let names = engines.map(|engine| engine.name);
        assert_eq!(names, ["x (2)", "x (3)", "y", "x (1)", "y (1)"]);
    }
}
