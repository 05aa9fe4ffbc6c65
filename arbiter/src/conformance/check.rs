//! A conformance walk: asks an engine everything that protocol.md promises, and says what it does otherwise.
//!
//! A [`Check`] has a name, a severity, a line that says what is expected, and a function that talks to a
//! running engine. What went wrong is shown with the talk that shows it. Engines of plain UCI are asked less:
//! see [`Profile`].

mod answers;
mod clocks;
mod commands;
mod infos;
mod input;
mod introduction;
mod limits;
mod options;
mod output;
mod positions;
mod refusals;
mod soak;
mod tables;
mod talk;
mod texts;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use buxtehude::rules::Variant;

pub use output::{Format, is_error, write};
pub use soak::Soak;
use talk::{Fault, Talk};

use crate::conformance::transcript::ProgramError;

/// What is to be checked, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The dialect that it speaks.
    pub profile: Profile,
    /// Whether it gets the legal moves with each `go`, as with `legal=on` in a match.
    pub legal: bool,
    /// The only variant that is asked about, or `None` for all.
    pub variant: Option<&'static Variant>,
    /// Parts of names: only the checks that have one of them are run; all, if there are none.
    pub only: Vec<String>,
    /// How long to wait for an answer that is due.
    pub patience: Duration,
    /// Whether memory is watched over many games at the end, and how long.
    pub soak: Option<Soak>,
}

/// A dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// protocol.md.
    Full,
    /// What a match asks for and no more: legal moves in time, for all variants and numbers of seats that it offers.
    Match,
    /// UCI as chess engines speak it: two seats, no cards, no estimates, and bad input may be passed over in
    /// silence.
    Uci,
}

/// Parts of the names of checks that matter for a match.
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

/// Checks that may go by without a word of the engine before the rest is skipped.
const MOST_MUTE: u32 = 3;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// A client can be led astray.
    Error,
    /// A client can live with it.
    Warning,
}

/// Something that an engine has to do.
pub struct Check {
    /// Its name, of words joined by `-` and `/`.
    pub name: String,
    /// How bad it is if it is not done.
    pub severity: Severity,
    /// What is expected, in one line.
    pub explanation: String,
    run: Box<Test>,
}

/// Talks to the engine; an error says what was wrong.
type Test = dyn Fn(&mut Talk) -> Result<(), Fault>;

/// What came of a check.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The check's name.
    pub name: String,
    /// How bad it is if it is not done.
    pub severity: Severity,
    /// What is expected, in one line.
    pub explanation: String,
    /// What was found.
    pub verdict: Verdict,
    /// What there is to say of it, passed or not.
    pub note: Option<String>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Whether what is expected is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Passed,
    /// It is not.
    Failed {
        /// What was wrong, in one line.
        reason: String,
        /// The talk that shows it, as a transcript.
        transcript: String,
    },
    /// It could not be asked.
    Skipped {
        /// Why.
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

    /// What comes of it where it cannot be asked.
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

    /// The same check, of less weight.
    fn lightly(self) -> Check {
        Check {
            severity: Severity::Warning,
            ..self
        }
    }
}

/// All checks of a profile, for the variants asked about, in the order in which they are run.
pub fn checks(settings: &Settings) -> Vec<Check> {
    let mut checks = introduction::checks();
    checks.extend(positions::checks(settings));
    checks.extend(answers::checks(settings));
    checks.extend(limits::checks(settings.profile));
    if settings.profile == Profile::Full {
        checks.extend(clocks::checks(settings));
        checks.extend(infos::checks(settings));
        checks.extend(commands::checks(settings));
        checks.extend(options::checks(settings));
        checks.extend(texts::checks(settings));
    }
    checks.extend(refusals::checks(settings.profile));
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

/// Runs all checks, and hands each outcome to `observe`.
///
/// # Errors
/// [`ProgramError::NotStarted`] where the program cannot be run at all.
pub fn run(
    settings: &Settings,
    mut observe: impl FnMut(&Outcome),
) -> Result<Vec<Outcome>, ProgramError> {
    let mut outcomes = Vec::new();
    let mut talk = None;
    // Checks in a row before which the engine did not even introduce itself.
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
        // Whatever went wrong before is not held against what follows.
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
