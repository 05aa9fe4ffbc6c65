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
mod scope;
mod soak;
mod talk;
mod texts;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::time::{Duration, Instant};

use buxtehude::rules::Variant;
use clap::ValueEnum;

pub use output::{Format, write};
use scope::Scope;
pub use scope::Table;
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
    /// Selects the checks; `None` for the needs of a match, then all of protocol.md unless the engine is small.
    pub profile: Option<Profile>,
    /// `true` to send the legal moves with each `go`, as with `legal=on` in a match.
    pub legal: bool,
    /// The only variant to check, or `None` for all.
    pub variant: Option<&'static Variant>,
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

/// Number of failures in a group for the same cause after which the rest of the group is left out; also the number of
/// starts that may fail.
const MOST_ALIKE: usize = 3;

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
    /// Lines that the engine wrote to its standard error during the check.
    pub stderr: Vec<String>,
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
    /// Several checks of its group have failed before.
    LeftOut {
        /// The cause of those failures.
        cause: String,
    },
}

/// Result of the check of an engine.
#[derive(Clone, Debug)]
pub struct Report {
    /// Result of each check, in the order of execution.
    pub outcomes: Vec<Outcome>,
    /// Games and numbers of seats for which the engine can play a match, if this was checked.
    pub playable: Option<Vec<Table>>,
    /// The other games and numbers of seats that were checked.
    pub unplayable: Vec<Table>,
    /// Remarks on what was not checked.
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

    /// The outcome with this verdict.
    fn outcome(self, verdict: Verdict) -> Outcome {
        Outcome {
            name: self.name,
            severity: self.severity,
            explanation: self.explanation,
            verdict,
            note: None,
            stderr: Vec::new(),
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

impl Outcome {
    /// `true` if it is a failure of severity [`Severity::Error`].
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error && self.is_failure()
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
    }
    checks.extend(input::refusals(profile));
    checks.extend(input::checks(profile));
    checks.extend(soak::checks(scope));
    if profile == Profile::Match {
        let matters = |name: &str| MATCH.iter().any(|part| name.contains(part));
        checks.retain(|check| matters(&check.name));
    }
    let only = &scope.settings.only;
    checks.retain(|check| only.is_empty() || only.iter().any(|part| check.name.contains(part)));
    checks
}

/// Runs all checks, and passes each outcome to `observe`, with the number of checks that are left.
///
/// # Errors
/// [`ProgramError`] if the program cannot be started.
pub fn run(
    settings: &Settings,
    observe: &mut dyn FnMut(&Outcome, usize),
) -> Result<Report, ProgramError> {
    let mut run = Run {
        scope: Scope::new(settings),
        report: Report {
            outcomes: Vec::new(),
            playable: None,
            unplayable: Vec::new(),
            remarks: Vec::new(),
        },
        slowest: None,
        failures: HashMap::new(),
        observe,
    };
    if !run.introduce()? {
        return Ok(run.report);
    }
    if settings.profile != Some(Profile::Uci) {
        run.stage(Profile::Match)?;
        if settings.only.is_empty() {
            run.judge();
        }
    }
    match settings.profile {
        Some(Profile::Match) => {}
        None if settings.only.is_empty() && run.scope.is_small()? => run.report.remarks.push(
            "the engine is small: it answers neither `d` nor `query`, so only the needs of a match were checked \
             (--profile full checks all of protocol.md)"
                .into(),
        ),
        profile => run.stage(profile.unwrap_or(Profile::Full))?,
    }
    Ok(run.report)
}

/// A running check.
struct Run<'a> {
    scope: Scope,
    report: Report,
    /// Longest time to an answer so far.
    slowest: Option<Duration>,
    /// Failures of each group by their causes.
    failures: HashMap<String, HashMap<String, usize>>,
    observe: &'a mut dyn FnMut(&Outcome, usize),
}

impl Run<'_> {
    /// Introduces the engine and finds out what it plays; returns `false` if it does not answer.
    fn introduce(&mut self) -> Result<bool, ProgramError> {
        let mut talk = Talk::start(&self.scope, None)?;
        let result = talk.introduce();
        self.slowest = talk.slowest();
        let Err(Fault::Wrong(reason) | Fault::Skipped(reason)) = result else {
            self.report.remarks = self.scope.find_tables(talk)?;
            return Ok(true);
        };
        let explanation = "`uci` is answered with `uciok`";
        let check = Check::new("uci/answered", explanation, |_| Ok(()));
        let transcript = talk.transcript();
        let outcome = check.outcome(Verdict::Failed { reason, transcript });
        self.report.playable = Some(Vec::new());
        self.report.outcomes.push(Outcome {
            stderr: talk.end(),
            ..outcome
        });
        Ok(false)
    }

    /// Runs the checks of a profile that have not run before.
    fn stage(&mut self, profile: Profile) -> Result<(), ProgramError> {
        self.scope.profile = profile;
        let outcomes = self.report.outcomes.iter();
        let known: HashSet<&str> = outcomes.map(|outcome| outcome.name.as_str()).collect();
        let mut checks = checks(&self.scope);
        checks.retain(|check| !known.contains(check.name.as_str()));
        let mut left = checks.len();
        let mut talk = None;
        for check in checks {
            left -= 1;
            let outcome = match self.settled_cause(group(&check.name)) {
                Some(cause) => check.outcome(Verdict::LeftOut { cause }),
                None => self.outcome(check, &mut talk)?,
            };
            (self.observe)(&outcome, left);
            self.report.outcomes.push(outcome);
        }
        Ok(())
    }

    /// The cause of so many failures of a group, or of so many starts, that another one would say nothing new.
    fn settled_cause(&self, group: &str) -> Option<String> {
        if !self.scope.settings.only.is_empty() {
            return None;
        }
        let groups = [START, group].into_iter();
        let mut causes = groups
            .filter_map(|group| self.failures.get(group))
            .flatten();
        let settled = causes.find(|(_, count)| **count >= MOST_ALIKE);
        settled.map(|(cause, _)| cause.clone())
    }

    /// Runs a check. After a failure, the next one gets a fresh engine.
    fn outcome(&mut self, check: Check, talk: &mut Option<Talk>) -> Result<Outcome, ProgramError> {
        let begun = Instant::now();
        let mut running = match talk.take() {
            Some(running) => running,
            None => Talk::start(&self.scope, self.slowest)?,
        };
        let beginning = running.begin();
        let has_begun = beginning.is_ok();
        let result = beginning.and_then(|()| (check.run)(&mut running));
        let verdict = match result {
            Ok(()) => Verdict::Passed,
            Err(Fault::Skipped(reason)) => Verdict::Skipped { reason },
            Err(Fault::Wrong(reason)) => Verdict::Failed {
                reason,
                transcript: running.transcript().to_string(),
            },
        };
        if let Verdict::Failed { reason, .. } = &verdict {
            let group = if has_begun { group(&check.name) } else { START };
            let causes = self.failures.entry(group.into()).or_default();
            *causes.entry(cause(reason)).or_default() += 1;
        }
        let mut outcome = check.outcome(verdict);
        outcome.note = running.take_note();
        outcome.elapsed = begun.elapsed();
        self.slowest = running.slowest();
        outcome.stderr = running.take_errors();
        if !outcome.is_failure() && running.is_open() {
            *talk = Some(running);
        } else {
            outcome.stderr.extend(running.end());
        }
        Ok(outcome)
    }

    /// Decides for which games and numbers of seats the engine can play a match, by its checks so far: a failed check
    /// of a game and a number of seats excludes only these, any other failure all.
    fn judge(&mut self) {
        let errors = self
            .report
            .outcomes
            .iter()
            .filter(|outcome| outcome.is_error());
        let names: Vec<&str> = errors.map(|outcome| outcome.name.as_str()).collect();
        let tables = self.scope.tables.iter();
        let fails = |&&(variant, seats): &&Table| {
            let of_table = format!("{}/{seats}/", variant.name);
            let is_of_any = |name: &&str| name.matches('/').count() == 2;
            names
                .iter()
                .any(|name| !is_of_any(name) || name.starts_with(&of_table))
        };
        let (unplayable, playable) = tables.partition(fails);
        self.report.playable = Some(playable);
        self.report.unplayable = unplayable;
    }
}

/// Group of failures before a check.
const START: &str = "start";

/// Group of a check: its name without game, seats and details.
fn group(name: &str) -> &str {
    match name.split('/').collect::<Vec<&str>>()[..] {
        [_, _, what] => what,
        [first, ..] => first,
        [] => name,
    }
}

/// The cause of a failure: its reason without numbers, and without what is quoted or in brackets.
fn cause(reason: &str) -> String {
    let (mut cause, mut depth, mut is_quoted) = (String::new(), 0_u32, false);
    for c in reason.chars() {
        let was_inside = is_quoted || depth > 0;
        match c {
            '"' => is_quoted = !is_quoted,
            '[' | '{' | '(' if !is_quoted => depth += 1,
            ']' | '}' | ')' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_inside = is_quoted || depth > 0;
        match c {
            _ if is_inside && !was_inside => cause.push('…'),
            _ if is_inside || was_inside => {}
            '0'..='9' if cause.ends_with('#') => {}
            '0'..='9' => cause.push('#'),
            _ => cause.push(c),
        }
    }
    cause
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_that_differ_in_details_have_the_same_cause() {
        for (reason, expected) in [
            ("no `uciok` within 5000 ms", "no `uciok` within # ms"),
            (
                r#"expected one error, got ["a (b"]"#,
                "expected one error, got …",
            ),
            (r#""e1d2" is illegal after "x""#, "… is illegal after …"),
            ("Info { depth: Some(1) } is wrong", "Info … is wrong"),
        ] {
            assert_eq!(cause(reason), expected);
        }
        let groups = ["hase-und-igel/3/moves", "refuses/go-twice", "bench"].map(group);
        assert_eq!(groups, ["moves", "refuses", "bench"]);
    }
}
