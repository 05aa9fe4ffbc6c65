//! Conformance check: tests an engine against everything that protocol.md promises, and reports the failures.
//!
//! A [`Check`] has a name, a severity, a one-line explanation and a function that talks to a running engine. A failure
//! is shown with the transcript that led to it. Engines of plain UCI are checked for less: see [`Profile`].

mod answers;
mod commands;
mod infos;
mod input;
mod limits;
mod options;
mod output;
mod positions;
mod soak;
mod talk;
mod texts;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use buxtehude::rules::{AnyPosition, MAX_SEATS, VARIANTS, Variant};
use clap::ValueEnum;

pub use output::{Format, is_error, write};
pub use soak::Soak;
use talk::{Fault, Talk};

use crate::conformance::transcript::ProgramError;
use matches::play::sandbox::Isolation;

/// Settings of a conformance check.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The engine's program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Isolation of the engine, if possible.
    pub isolation: Option<Isolation>,
    /// Selects the checks.
    pub profile: Profile,
    /// `true` to send the legal moves with each `go`, as with `legal=on` in a match.
    pub legal: bool,
    /// The only variant to check, or `None` for all.
    pub variant: Option<&'static Variant>,
    /// Run only checks whose names contain one of these; all if empty.
    pub only: Vec<String>,
    /// Timeout for an expected answer.
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

impl Settings {
    /// Each variant to check with each number of seats that it allows.
    fn tables(&self) -> Vec<(&'static Variant, usize)> {
        let is_asked =
            |variant: &&Variant| self.variant.is_none_or(|only| only.name == variant.name);
        // Plain UCI knows two seats and no cards.
        let is_plain = |start: &AnyPosition| start.seats() == 2 && !start.has_cards();
        let is_said = |start| self.profile != Profile::Uci || is_plain(&start);
        let mut tables = Vec::new();
        for variant in VARIANTS.iter().filter(is_asked) {
            let seats = (2..=MAX_SEATS).filter(|&seats| variant.start(seats).is_ok_and(is_said));
            tables.extend(seats.map(|seats| (variant, seats)));
        }
        tables
    }
}

/// Parts of the names of checks that a match needs.
const MATCH: &[&str] = &[
    "uci/id-name",
    "uci/lines",
    "isready/idle",
    "ucinewgame",
    "/moves",
    "options/",
    "go/once",
    "limits/movetime",
    "limits/clock",
    "end/quit",
    "soak",
];

/// Number of unanswered checks in a row after which the rest is skipped.
const MOST_MUTE: u32 = 3;

/// Severity of a failure.
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
    /// Severity of a failure.
    pub severity: Severity,
    /// The expectation, in one line.
    pub explanation: String,
    run: Box<Test>,
}

/// Talks to the engine; the error names the failure.
type Test = dyn Fn(&mut Talk) -> Result<(), Fault>;

/// Result of a check.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the check.
    pub name: String,
    /// Severity of a failure.
    pub severity: Severity,
    /// The expectation, in one line.
    pub explanation: String,
    pub verdict: Verdict,
    /// A remark on the result, passed or not.
    pub note: Option<String>,
    /// Duration of the check.
    pub elapsed: Duration,
}

/// Verdict of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The engine meets the expectation.
    Passed,
    /// The engine fails the expectation.
    Failed {
        /// The failure, in one line.
        reason: String,
        /// Transcript that shows the failure.
        transcript: String,
    },
    /// The check does not apply to the engine.
    Skipped {
        /// The reason.
        reason: String,
    },
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

    /// The outcome of a skipped check.
    fn skipped(self, reason: String) -> Outcome {
        Outcome {
            name: self.name,
            severity: self.severity,
            explanation: self.explanation,
            verdict: Verdict::Skipped { reason },
            note: None,
            elapsed: Duration::ZERO,
        }
    }

    /// Reduces the severity to a warning.
    fn lightly(self) -> Check {
        Check {
            severity: Severity::Warning,
            ..self
        }
    }
}

/// All checks for the settings, in the order of execution.
pub fn checks(settings: &Settings) -> Vec<Check> {
    let mut checks = options::introduction();
    checks.extend(positions::checks(settings));
    checks.extend(answers::checks(settings));
    checks.extend(limits::checks(settings.profile));
    if settings.profile == Profile::Full {
        checks.extend(limits::clocks(settings));
        checks.extend(infos::checks(settings));
        checks.extend(commands::checks(settings));
        checks.extend(options::checks(settings));
        checks.extend(texts::checks(settings));
    }
    checks.extend(input::refusals(settings.profile));
    checks.extend(input::checks(settings.profile));
    checks.extend(soak::checks(settings));
    if settings.profile == Profile::Match {
        let matters = |name: &str| MATCH.iter().any(|part| name.contains(part));
        checks.retain(|check| matters(&check.name));
    }
    let only = &settings.only;
    checks.retain(|check| only.is_empty() || only.iter().any(|part| check.name.contains(part)));
    checks
}

/// Runs all checks, and passes each outcome to `observe`.
///
/// # Errors
/// [`ProgramError`] if the program cannot be started.
pub fn run(
    settings: &Settings,
    mut observe: impl FnMut(&Outcome),
) -> Result<Vec<Outcome>, ProgramError> {
    let mut outcomes = Vec::new();
    let mut talk = None;
    // Checks in a row where the engine did not even introduce itself.
    let mut mute = 0;
    for check in checks(settings) {
        let begun = Instant::now();
        if mute == MOST_MUTE {
            let outcome = check.skipped(format!(
                "it did not answer in the previous {MOST_MUTE} checks"
            ));
            observe(&outcome);
            outcomes.push(outcome);
            continue;
        }
        // After a failure, the next check gets a fresh engine.
        let mut running = match talk.take() {
            Some(running) => running,
            None => Talk::start(settings)?,
        };
        let beginning = running.begin();
        let was_mute = beginning.is_err() && begun.elapsed() >= settings.patience;
        mute = if was_mute { mute + 1 } else { 0 };
        let result = beginning.and_then(|()| (check.run)(&mut running));
        let verdict = match result {
            Ok(()) => Verdict::Passed,
            Err(Fault::Skipped(reason)) => Verdict::Skipped { reason },
            Err(Fault::Wrong(reason)) => Verdict::Failed {
                reason,
                transcript: running.transcript().to_string(),
            },
        };
        let outcome = Outcome {
            name: check.name,
            severity: check.severity,
            explanation: check.explanation,
            verdict,
            note: running.take_note(),
            elapsed: begun.elapsed(),
        };
        observe(&outcome);
        if !matches!(outcome.verdict, Verdict::Failed { .. }) && running.is_open() {
            talk = Some(running);
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}
