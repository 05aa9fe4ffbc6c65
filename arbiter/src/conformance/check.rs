//! Conformance check: tests an engine against everything that protocol.md promises, and reports the failures.
//!
//! Nearly every check is a transcript of the `suite`; `soak` is the other one. A failure is shown with the
//! transcript that led to it. The needs of a match come first, so that the first answer is whether the engine can play.
//! Once several checks of a group have failed for the same cause, the rest of it is left out.

use std::time::{Duration, Instant};

use clap::ValueEnum;
use matches::plan::rules::PositionError;
use matches::run::exit::ExitError;
use serde::Serialize;

pub use super::output::{Format, text};
use super::program::Fault;
pub use super::rules::{GamesArgs, run as run_rules};
pub use super::soak::Soak;
use super::suite::{self, MANY_GAMES};
use super::talk::Talk;
pub use super::talk::{Scope, Table};

/// Number of failures in a group for the same cause after which the rest of the group is left out; also the number of
/// starts that may fail.
const MAX_ALIKE: usize = 3;

/// The files of the suite, in the order of execution.
const FILES: [&str; 6] = [
    include_str!("../../conformance/introduction.transcript"),
    include_str!("../../conformance/positions.transcript"),
    include_str!("../../conformance/searches.transcript"),
    include_str!("../../conformance/commands.transcript"),
    include_str!("../../conformance/input.transcript"),
    include_str!("../../conformance/options.transcript"),
];

/// Part of the names of checks that `ponder=on` needs.
const PONDERING: &str = "go/ponder";

/// Group of failures before a check.
const START: &str = "start";

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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It can mislead a client.
    #[default]
    Error,
    /// A client can cope with it.
    Warning,
}

/// One requirement.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Check {
    /// Unique name, of words joined by `-` and `/`.
    pub name: String,
    /// Kind of engines that the check is for, as a file of the suite says: `needed` for a match, `match`, `uci`,
    /// `only uci`; empty for engines of the whole protocol.
    #[serde(skip)]
    pub profile: String,
    /// The only game and number of seats that it concerns.
    #[serde(skip)]
    pub table: Option<Table>,
    pub severity: Severity,
    /// The expectation, in one line.
    pub explanation: String,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Outcome {
    #[serde(flatten)]
    pub check: Check,
    pub verdict: Verdict,
    /// The failure, or why the check was skipped, in one line; the cause of earlier failures if it was left out.
    pub reason: Option<String>,
    /// The conversation that led to a failure.
    pub transcript: Option<String>,
    /// A remark on the result, passed or not.
    pub note: Option<String>,
    pub stderr: Vec<String>,
    /// `true` if neither the user has asked for the check nor a match needs it.
    #[serde(rename = "beyond")]
    pub is_beyond: bool,
    pub micros: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    #[default]
    Passed,
    Failed,
    /// The check does not apply to the engine.
    Skipped,
    /// Several checks of its group have failed before.
    #[serde(rename = "left out")]
    LeftOut,
}

#[derive(Clone, Debug, Default)]
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
    fn is_needed(&self) -> bool {
        self.profile == "needed"
    }

    fn is_of(&self, profile: Profile) -> bool {
        match self.profile.as_str() {
            "needed" | "match" => true,
            "uci" => profile != Profile::Match,
            "only uci" => profile == Profile::Uci,
            _ => profile == Profile::Full,
        }
    }
}

impl Outcome {
    pub fn is_error(&self) -> bool {
        self.check.severity == Severity::Error && self.is_failure()
    }

    /// `true` if it is an error in what the user has asked for or a match needs.
    pub fn counts(&self) -> bool {
        self.is_error() && !self.is_beyond
    }

    pub fn is_failure(&self) -> bool {
        self.verdict == Verdict::Failed
    }
}

/// Runs all checks, and passes each outcome to `observe`, with the number of checks that are left.
///
/// # Errors
/// [`ExitError`] if the program cannot be started, or the rules program of its game fails.
pub fn run(scope: Scope, observe: &mut dyn FnMut(&Outcome, usize)) -> Result<Report, ExitError> {
    let (asked, wants_all) = (scope.asked, scope.only.is_empty());
    let mut run = Run::new(scope, Talk::begin, observe);
    if !run.introduce()? {
        return Ok(run.report);
    }
    if asked != Some(Profile::Uci) {
        run.stage(Profile::Match)?;
        if wants_all {
            run.judge();
        }
    }
    match asked {
        Some(Profile::Match) => {}
        None if wants_all && run.scope.is_small()? => run.report.remarks.push(
            "the engine is small: it answers neither `d` nor `query`, so only the needs of a match were checked \
             (--profile full checks all of protocol.md)"
                .into(),
        ),
        profile => run.stage(profile.unwrap_or(Profile::Full))?,
    }
    Ok(run.report)
}

pub struct Run<'a> {
    pub scope: Scope,
    pub report: Report,
    /// Prepares the engine for the next check.
    begin: fn(&mut Talk) -> Result<(), Fault>,
    /// The engine, unless the next check starts it.
    talk: Option<Talk>,
    /// Longest time to an answer so far.
    slowest: Option<Duration>,
    /// Number of checks of this stage that have not run yet.
    pub left: usize,
    /// Whether the checks of this stage are beyond the needs of a match.
    is_beyond: bool,
    /// Group and cause of each failure.
    failures: Vec<(String, String)>,
    observe: &'a mut dyn FnMut(&Outcome, usize),
}

impl<'a> Run<'a> {
    /// Creates a check that has not run yet. `begin` prepares the program for each of its parts.
    pub fn new(
        scope: Scope,
        begin: fn(&mut Talk) -> Result<(), Fault>,
        observe: &'a mut dyn FnMut(&Outcome, usize),
    ) -> Run<'a> {
        Run {
            scope,
            report: Report::default(),
            begin,
            talk: None,
            slowest: None,
            left: 0,
            is_beyond: false,
            failures: Vec::new(),
            observe,
        }
    }

    /// Introduces the engine and finds its games; returns `false` without an answer.
    fn introduce(&mut self) -> Result<bool, ExitError> {
        let check = Check {
            name: "uci/answered".into(),
            explanation: "`uci` is answered with `uciok`".into(),
            ..Check::default()
        };
        let mut talk = Talk::start(&self.scope, None)?;
        let answered = talk.introduce();
        let outcome = self.outcome(check, START, talk, answered)?;
        match self.talk.take() {
            Some(talk) => self.report.remarks = self.scope.explore(talk)?,
            None => {
                self.report.playable = Some(Vec::new());
                self.report.outcomes.push(outcome);
            }
        }
        Ok(self.report.playable.is_none())
    }

    /// Runs the checks of a profile that have not run before.
    fn stage(&mut self, profile: Profile) -> Result<(), ExitError> {
        self.scope.profile = profile;
        let (asked, wants_all) = (self.scope.asked, self.scope.only.is_empty());
        self.is_beyond = profile == Profile::Full && wants_all && asked.is_none();
        let is_match = profile == Profile::Match;
        let without_pondering = is_match && asked.is_none() && !self.scope.offers_pondering;
        let is_soft = is_match && wants_all && asked != Some(Profile::Full);
        let is_due = |check: &mut Check| {
            if is_soft && !check.is_needed() {
                check.severity = Severity::Warning;
            }
            check.is_of(profile)
                && !(without_pondering && check.name.contains(PONDERING))
                && self.wants(check)
                && self.report.outcomes.iter().all(|known| known.check.name != check.name)
        };
        let mut blocks = suite::blocks(&FILES, &self.scope.tables);
        blocks.retain_mut(|block| {
            (block.places != MANY_GAMES || self.scope.soak.is_some()) && is_due(&mut block.check)
        });
        self.left = blocks.len();
        for block in blocks {
            self.one(block.check.clone(), |talk| block.play(talk))?;
        }
        Ok(())
    }

    /// `true` if the user has not asked for other checks only.
    pub fn wants(&self, check: &Check) -> bool {
        let only = &self.scope.only;
        only.is_empty() || only.iter().any(|part| check.name.contains(part))
    }

    /// Runs one check. After a failure, the next one gets a fresh engine.
    ///
    /// # Errors
    /// [`ExitError`] if the program cannot be started, or the rules program of its game fails.
    pub fn one(
        &mut self,
        check: Check,
        test: impl FnOnce(&mut Talk) -> Result<(), Fault>,
    ) -> Result<(), ExitError> {
        self.left = self.left.saturating_sub(1);
        let begun = Instant::now();
        let mut outcome = if let Some(cause) = self.settled_cause(group(&check.name)) {
            let (verdict, reason) = (Verdict::LeftOut, Some(cause));
            Outcome { check, verdict, reason, ..Outcome::default() }
        } else {
            let mut talk = match self.talk.take() {
                Some(talk) => talk,
                None => Talk::start(&self.scope, self.slowest)?,
            };
            talk.program.log.clear();
            let beginning = (self.begin)(&mut talk);
            let group = if beginning.is_ok() { group(&check.name) } else { START }.to_string();
            let result = beginning.and_then(|()| test(&mut talk));
            self.outcome(check, &group, talk, result)?
        };
        outcome.micros = begun.elapsed().as_micros() as u64;
        outcome.is_beyond = self.is_beyond;
        (self.observe)(&outcome, self.left);
        self.report.outcomes.push(outcome);
        Ok(())
    }

    /// Returns the common cause of [`MAX_ALIKE`] failures of a group, or of starts.
    fn settled_cause(&self, group: &str) -> Option<String> {
        if !self.scope.only.is_empty() {
            return None;
        }
        let is_settled = |failure: &&(String, String)| {
            let alike = self.failures.iter().filter(|other| other == failure).count();
            [START, group].contains(&failure.0.as_str()) && alike >= MAX_ALIKE
        };
        self.failures.iter().find(is_settled).map(|(_, cause)| cause.clone())
    }

    /// Makes the outcome of a check from its result; ends the engine if it has failed.
    fn outcome(
        &mut self,
        check: Check,
        group: &str,
        mut talk: Talk,
        result: Result<(), Fault>,
    ) -> Result<Outcome, ExitError> {
        let mut outcome = Outcome { check, note: talk.note.take(), ..Outcome::default() };
        match result {
            Ok(()) => {}
            Err(Fault::Position(PositionError::Rules(fault))) if self.scope.rules.is_some() => {
                return Err(fault.into());
            }
            Err(fault) => {
                outcome.reason = Some(fault.to_string());
                outcome.verdict = Verdict::Skipped;
                if !matches!(fault, Fault::Skipped(_)) {
                    self.failures.push((group.into(), cause(&fault.to_string())));
                    outcome.verdict = Verdict::Failed;
                    outcome.transcript = Some(talk.transcript());
                    talk.is_open = false;
                }
            }
        }
        self.slowest = talk.program.slowest;
        outcome.stderr = talk.errors.try_iter().collect();
        if talk.is_open {
            self.talk = Some(talk);
        } else {
            outcome.stderr.extend(talk.end());
        }
        Ok(outcome)
    }

    /// Sorts the games and numbers of seats by the needs of a match: a failed check of a game with a number of seats
    /// excludes this table, any other failure all tables. A check left out after such failures counts as failed.
    fn judge(&mut self) {
        let is_error = |outcome: &&Outcome| {
            let has_failed = matches!(outcome.verdict, Verdict::Failed | Verdict::LeftOut);
            has_failed && outcome.check.is_needed() && outcome.check.severity == Severity::Error
        };
        let fails = |(rules, seats): &Table| {
            let mut errors = self.report.outcomes.iter().filter(is_error);
            errors.any(|outcome| match &outcome.check.table {
                Some((other, number)) => other.name() == rules.name() && number == seats,
                None => true,
            })
        };
        let tables = self.scope.tables.iter().cloned();
        let (unplayable, playable) = tables.partition(fails);
        self.report.playable = Some(playable);
        self.report.unplayable = unplayable;
    }
}

/// Group of a check: its name without game, seats and details.
fn group(name: &str) -> &str {
    match name.split('/').collect::<Vec<&str>>()[..] {
        [_, _, .., what] => what,
        [first, ..] => first,
        [] => name,
    }
}

/// Returns the cause of a failure: its reason without numbers, quotations and brackets.
pub fn cause(reason: &str) -> String {
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
            (r#"expected one error, got ["a (b"]"#, "expected one error, got …"),
            (r#""e1d2" is illegal after "x""#, "… is illegal after …"),
            ("Info { depth: Some(1) } is wrong", "Info … is wrong"),
        ] {
            assert_eq!(cause(reason), expected);
        }
        let groups = ["hase-und-igel/3/moves", "refuses/go-twice", "bench"].map(group);
        assert_eq!(groups, ["moves", "refuses", "bench"]);
    }
}
