//! Options of engines that a match may not set: texts, which may name any file of this machine to be read or written,
//! and buttons.

use buxtehude::protocol::{OptionKind, OptionOffer};
use matches::plan::{EngineSpec, Plan};
use matches::play::engine::{Engine, Placement};
use matches::play::sandbox::Isolation;

use super::Worker;

/// Starts each engine with options once, without them, to see what kind each of them has.
///
/// # Errors
/// The reason to refuse the match.
pub(super) fn check(
    plan: &Plan,
    isolation: Option<Isolation>,
    worker: &Worker,
) -> Result<(), String> {
    for engine in plan.engines.iter().filter(|engine| !engine.options.is_empty()) {
        let plain = EngineSpec { options: Vec::new(), ..engine.clone() };
        let placement = Placement::anywhere(isolation);
        let (patience, interrupt) = (plan.patience.ready, &worker.interrupt);
        let started =
            Engine::start(&plain, plan.rules.told(), placement, patience, &worker.log, interrupt);
        let started = started.map_err(|error| error.to_string())?;
        let refused = refused(engine, &started.offers().readable, &worker.args.allow_option);
        Engine::quit_all([started]);
        if let Some(option) = refused {
            let name = &engine.name;
            return Err(format!(
                "engine {name}: the match sets option {option:?}, a text or a button, which could read or write \
                 files here; `fleet work --allow-option {option:?}` allows it"
            ));
        }
    }
    Ok(())
}

/// Returns the first option that is neither harmless nor allowed. An unknown one is refused when it is set.
fn refused<'a>(
    engine: &'a EngineSpec,
    offers: &[OptionOffer],
    allowed: &[String],
) -> Option<&'a str> {
    let mut names = engine.options.iter().map(|(name, _)| name.as_str());
    let is_refused = |name: &&str| {
        let is_allowed = allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(name));
        let mut offers = offers.iter().filter(|offer| offer.name.eq_ignore_ascii_case(name));
        let is_free = |offer: &OptionOffer| {
            !matches!(offer.kind, OptionKind::String { .. } | OptionKind::Button)
        };
        !is_allowed && !offers.all(is_free)
    };
    names.find(is_refused)
}
