//! Check of a rules program by "Rules by another program" of protocol.md.
//!
//! The arbiter's own client plays random games, and checks each answer as in a match. The other checks send lines that
//! a match does not, and compare what the program answers about the same positions in other circumstances.

mod games;
mod lines;

use std::rc::Rc;
use std::time::Duration;

use matches::plan::rules::program::RulesPlan;
use matches::play::sandbox::Isolation;
use matches::run::exit::ExitError;

use super::run::Run;
use super::{Outcome, Report, Settings, Verdict};
use games::Games;

#[derive(Clone, Debug)]
pub struct RulesSettings {
    pub plan: RulesPlan,
    /// Isolation of the program, if possible.
    pub isolation: Option<Isolation>,
    /// Numbers of players to check; all that the program allows if empty.
    pub players: Vec<usize>,
    /// Random games for each number of players.
    pub games: u64,
    /// Plies after which a game is broken off.
    pub plies: u64,
    pub seed: u64,
    /// Run only checks whose names contain one of these, after the games; every check if empty.
    pub only: Vec<String>,
    /// Timeout for an expected answer.
    pub patience: Duration,
}

/// Runs all checks of a rules program, and passes each outcome to `observe`, with the number of checks that are left.
///
/// # Errors
/// [`ExitError`] if the program cannot be started.
pub fn run(
    settings: &RulesSettings,
    observe: &mut dyn FnMut(&Outcome, usize),
) -> Result<Report, ExitError> {
    let plain = Settings {
        program: settings.plan.program.clone(),
        isolation: settings.isolation,
        profile: None,
        legal: false,
        rules: None,
        players: None,
        only: settings.only.clone(),
        patience: settings.patience,
        soak: None,
    };
    let games = Rc::new(Games::new(settings));
    let mut run = Run::new(&plain, lines::begin, observe);
    run.checks(games::introduction(&games))?;
    run.checks(games::of_each_number(&games))?;
    if !games.samples().is_empty() {
        let mut checks = games::laws(&games);
        checks.extend(lines::checks(&games, &plain));
        let only = &settings.only;
        checks.retain(|check| only.is_empty() || only.iter().any(|part| check.name.contains(part)));
        run.checks(checks)?;
    }
    let mut report = run.report;
    for outcome in &mut report.outcomes {
        if outcome.verdict == Verdict::Passed {
            outcome.note.get_or_insert_with(|| "passed".into());
        }
    }
    Ok(report)
}
