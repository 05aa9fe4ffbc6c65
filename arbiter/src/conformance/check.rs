//! Conformance check: tests an engine against everything that protocol.md promises, and reports the failures.
//!
//! A [`Check`] has a name, a severity, a one-line explanation and a function that talks to a running engine. A failure
//! is shown with the transcript that led to it. The needs of a match come first, so that the first answer is whether
//! the engine can play. Once several checks of a group have failed for the same cause, the rest of it is left out.

mod answers;
mod commands;
mod infos;
mod input;
mod limits;
mod options;
mod output;
mod positions;
mod rules;
mod run;
mod scope;
mod soak;
mod state;
mod talk;
mod texts;

use std::time::Duration;

use buxtehude::rules::Variant;
use clap::ValueEnum;

pub use output::{Format, text};
pub use rules::{RulesSettings, run as run_rules};
use run::cause;
pub use run::run;
use scope::Scope;
pub use scope::Table;
pub use soak::Soak;
use talk::{Fault, Talk, built_in};

use matches::plan::EngineSpec;
use matches::plan::rules::Rules;
use matches::play::sandbox::Isolation;

#[derive(Clone, Debug)]
pub struct Settings {
    pub program: EngineSpec,
    /// Isolation of the engine, if possible.
    pub isolation: Option<Isolation>,
    /// Selects the checks; `None` for the needs of a match, then the rest of protocol.md unless the engine is small.
    pub profile: Option<Profile>,
    /// `true` to send the legal moves with each `go`, as with `legal=on` in a match.
    pub legal: bool,
    /// The only game to check, or `None` for all built-in ones. The program of the rules, if any, is running.
    pub rules: Option<Rules>,
    /// The only number of seats to check, or `None` for all that the engine plays.
    pub players: Option<usize>,
    /// Run only checks whose names contain one of these, and all of them; every check if empty.
    pub only: Vec<String>,
    /// Longest timeout for an expected answer; an engine that answers fast has less.
    pub patience: Duration,
    /// Length of the final check of memory, if wanted.
    pub soak: Option<Soak>,
}

/// The protocol that an engine promises to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// All of protocol.md
    Full,
    /// The needs of a match: legal moves in time, for every variant and number of seats offered
    Match,
    /// Plain UCI: two seats, no cards
    Uci,
}

/// Parts of the names of checks without which an engine cannot play a match.
const NEEDS: &[&str] = &["/moves", "limits/movetime", "limits/clock"];

/// Parts of the names of further checks that concern a match. A match copes with a failure.
const MATCH: &[&str] = &[
    "uci/lines", "isready/idle", "ucinewgame", "options/", "go/once", PONDERING, "end/quit", "soak",
];

/// Part of the names of checks that `ponder=on` needs.
const PONDERING: &str = "go/ponder";

/// `true` if an engine that fails this check cannot play a match. The arbiter sends no time below zero.
fn is_needed(name: &str) -> bool {
    NEEDS.iter().any(|part| name.contains(part)) && name != "limits/clock-negative"
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It can mislead a client.
    Error,
    /// A client can cope with it.
    Warning,
}

/// One requirement and its test.
pub struct Check {
    /// Unique name, of words joined by `-` and `/`.
    pub name: String,
    pub severity: Severity,
    /// The expectation, in one line.
    pub explanation: String,
    run: Box<Test>,
}

/// Talks to the engine; the error names the failure.
type Test = dyn Fn(&mut Talk) -> Result<(), Fault>;

#[derive(Clone, Debug)]
pub struct Outcome {
    pub name: String,
    pub severity: Severity,
    /// The expectation, in one line.
    pub explanation: String,
    pub verdict: Verdict,
    /// A remark on the result, passed or not.
    pub note: Option<String>,
    pub stderr: Vec<String>,
    /// `true` if neither the user has asked for the check nor a match needs it.
    pub is_beyond: bool,
    pub elapsed: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed {
        /// The failure, in one line.
        reason: String,
        transcript: String,
    },
    /// The check does not apply to the engine.
    Skipped {
        reason: String,
    },
    /// Several checks of its group have failed before.
    LeftOut {
        cause: String,
    },
}

#[derive(Clone, Debug)]
pub struct Report {
    /// Result of each check, in the order of execution.
    pub outcomes: Vec<Outcome>,
    /// Games and numbers of seats that the engine can play in a match; `None` if this was not checked.
    pub playable: Option<Vec<Table>>,
    /// The other games and numbers of seats that were checked.
    pub unplayable: Vec<Table>,
    /// Remarks on unchecked parts.
    pub remarks: Vec<String>,
}

impl Check {
    fn new(
        name: impl Into<String>,
        explanation: impl Into<String>,
        run: impl Fn(&mut Talk) -> Result<(), Fault> + 'static,
    ) -> Check {
        Check {
            name: name.into(),
            severity: Severity::Error,
            explanation: explanation.into(),
            run: Box::new(run),
        }
    }

    fn of_table(
        (rules, seats): &Table,
        what: &str,
        explanation: impl Into<String>,
        run: impl Fn(&mut Talk, &Rules, usize) -> Result<(), Fault> + 'static,
    ) -> Check {
        let (rules, seats) = (rules.clone(), *seats);
        let name = format!("{}/{seats}/{what}", rules.name());
        Check::new(name, explanation, move |talk| run(talk, &rules, seats))
    }

    /// Creates a check of a built-in game with a number of seats; other games skip it.
    fn of_built_in(
        table: &Table,
        what: &str,
        explanation: impl Into<String>,
        run: impl Fn(&mut Talk, &'static Variant, usize) -> Result<(), Fault> + 'static,
    ) -> Check {
        Check::of_table(table, what, explanation, move |talk, rules, seats| {
            run(talk, built_in(rules)?, seats)
        })
    }

    fn outcome(self, verdict: Verdict) -> Outcome {
        Outcome {
            name: self.name,
            severity: self.severity,
            explanation: self.explanation,
            verdict,
            note: None,
            stderr: Vec::new(),
            is_beyond: false,
            elapsed: Duration::ZERO,
        }
    }

    fn lightly(self) -> Check {
        Check { severity: Severity::Warning, ..self }
    }
}

impl Outcome {
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error && self.is_failure()
    }

    /// `true` if it is an error in what the user has asked for or a match needs.
    pub fn counts(&self) -> bool {
        self.is_error() && !self.is_beyond
    }

    fn is_failure(&self) -> bool {
        matches!(self.verdict, Verdict::Failed { .. })
    }
}

/// All checks of a stage, in the order of execution.
fn checks(scope: &Scope) -> Vec<Check> {
    let profile = scope.profile;
    let mut checks = options::introduction();
    checks.extend(positions::checks(scope));
    checks.extend(answers::checks(scope));
    checks.extend(limits::checks(profile));
    if profile == Profile::Full {
        checks.extend(limits::clocks(scope));
        checks.extend(infos::checks(scope));
        checks.extend(commands::checks(scope));
        checks.extend(options::checks(scope));
        checks.extend(texts::checks(scope));
        checks.extend(state::checks(scope));
    }
    checks.extend(input::refusals(profile));
    checks.extend(input::checks(profile));
    checks.extend(soak::checks(scope));
    let only = &scope.settings.only;
    if profile == Profile::Match {
        let concerns = |name: &str| MATCH.iter().any(|part| name.contains(part));
        checks.retain(|check| is_needed(&check.name) || concerns(&check.name));
        let asked = scope.settings.profile;
        if asked.is_none() && !scope.offers_pondering {
            checks.retain(|check| !check.name.contains(PONDERING));
        }
        if asked != Some(Profile::Full) && only.is_empty() {
            let is_strict = |check: &Check| is_needed(&check.name) || check.name == "soak";
            checks = checks
                .into_iter()
                .map(|check| if is_strict(&check) { check } else { check.lightly() })
                .collect();
        }
    }
    checks.retain(|check| only.is_empty() || only.iter().any(|part| check.name.contains(part)));
    checks
}
