//! The course of a check: its stages, and failures with the same cause.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use matches::run::exit::ExitError;

use super::scope::{Scope, Table};
use super::talk::{Fault, Talk};
use super::{Check, Outcome, Profile, Report, Settings, Severity, Verdict, checks, is_needed};

/// Number of failures in a group for the same cause after which the rest of the group is left out; also the number of
/// starts that may fail.
const MAX_ALIKE: usize = 3;

/// Runs all checks, and passes each outcome to `observe`, with the number of checks that are left.
///
/// # Errors
/// [`ExitError`] if the program cannot be started, or the rules program of its game fails.
pub fn run(
    settings: &Settings,
    observe: &mut dyn FnMut(&Outcome, usize),
) -> Result<Report, ExitError> {
    let mut run = Run::new(settings, Talk::begin, observe);
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

pub struct Run<'a> {
    scope: Scope,
    pub report: Report,
    /// Prepares the engine for the next check.
    begin: fn(&mut Talk) -> Result<(), Fault>,
    /// Longest time to an answer so far.
    slowest: Option<Duration>,
    /// Whether the checks of this stage are beyond the needs of a match.
    is_beyond: bool,
    /// Failures of each group by their causes.
    failures: HashMap<String, HashMap<String, usize>>,
    observe: &'a mut dyn FnMut(&Outcome, usize),
}

impl<'a> Run<'a> {
    /// Creates a check that has not run yet. `begin` prepares the program for each of its parts.
    pub fn new(
        settings: &Settings,
        begin: fn(&mut Talk) -> Result<(), Fault>,
        observe: &'a mut dyn FnMut(&Outcome, usize),
    ) -> Run<'a> {
        Run {
            scope: Scope::new(settings),
            report: Report {
                outcomes: Vec::new(),
                playable: None,
                unplayable: Vec::new(),
                remarks: Vec::new(),
            },
            begin,
            slowest: None,
            is_beyond: false,
            failures: HashMap::new(),
            observe,
        }
    }

    /// Introduces the engine and finds its games; returns `false` without an answer.
    fn introduce(&mut self) -> Result<bool, ExitError> {
        let mut talk = Talk::start(&self.scope, None)?;
        let result = talk.introduce();
        self.slowest = talk.slowest;
        let Err(fault) = result else {
            self.report.remarks = self.scope.find_tables(talk)?;
            return Ok(true);
        };
        let explanation = "`uci` is answered with `uciok`";
        let check = Check::new("uci/answered", explanation, |_| Ok(()));
        let transcript = talk.transcript();
        let reason = fault.to_string();
        let outcome = check.outcome(Verdict::Failed { reason, transcript });
        self.report.playable = Some(Vec::new());
        self.report.outcomes.push(Outcome { stderr: talk.end(), ..outcome });
        Ok(false)
    }

    /// Runs the checks of a profile that have not run before.
    fn stage(&mut self, profile: Profile) -> Result<(), ExitError> {
        self.scope.profile = profile;
        let settings = &self.scope.settings;
        self.is_beyond =
            profile == Profile::Full && settings.profile.is_none() && settings.only.is_empty();
        let outcomes = self.report.outcomes.iter();
        let known: HashSet<&str> = outcomes.map(|outcome| outcome.name.as_str()).collect();
        let mut checks = checks(&self.scope);
        checks.retain(|check| !known.contains(check.name.as_str()));
        self.checks(checks)
    }

    /// Runs some checks.
    ///
    /// # Errors
    /// [`ExitError`] if the program cannot be started, or the rules program of its game fails.
    pub fn checks(&mut self, checks: Vec<Check>) -> Result<(), ExitError> {
        let mut left = checks.len();
        let mut talk = None;
        for check in checks {
            left -= 1;
            let outcome = match self.settled_cause(group(&check.name)) {
                Some(cause) => check.outcome(Verdict::LeftOut { cause }),
                None => self.outcome(check, &mut talk)?,
            };
            let outcome = Outcome { is_beyond: self.is_beyond, ..outcome };
            (self.observe)(&outcome, left);
            self.report.outcomes.push(outcome);
        }
        Ok(())
    }

    /// Returns the common cause of [`MAX_ALIKE`] failures of a group, or of starts.
    fn settled_cause(&self, group: &str) -> Option<String> {
        if !self.scope.settings.only.is_empty() {
            return None;
        }
        let groups = [START, group].into_iter();
        let mut causes = groups.filter_map(|group| self.failures.get(group)).flatten();
        let settled = causes.find(|(_, count)| **count >= MAX_ALIKE);
        settled.map(|(cause, _)| cause.clone())
    }

    /// Runs a check. After a failure, the next one gets a fresh engine.
    fn outcome(&mut self, check: Check, talk: &mut Option<Talk>) -> Result<Outcome, ExitError> {
        let begun = Instant::now();
        let mut running = match talk.take() {
            Some(running) => running,
            None => Talk::start(&self.scope, self.slowest)?,
        };
        let beginning = (self.begin)(&mut running);
        let has_begun = beginning.is_ok();
        let result = beginning.and_then(|()| (check.run)(&mut running));
        let verdict = match result {
            Ok(()) => Verdict::Passed,
            Err(Fault::Skipped(reason)) => Verdict::Skipped { reason },
            Err(Fault::Rules(fault)) if self.scope.settings.rules.is_some() => {
                return Err(fault.into());
            }
            Err(fault) => Verdict::Failed {
                reason: fault.to_string(),
                transcript: running.transcript().to_string(),
            },
        };
        if let Verdict::Failed { reason, .. } = &verdict {
            let group = if has_begun { group(&check.name) } else { START };
            let causes = self.failures.entry(group.into()).or_default();
            *causes.entry(cause(reason)).or_default() += 1;
        }
        let mut outcome = check.outcome(verdict);
        outcome.note = running.note.take();
        outcome.elapsed = begun.elapsed();
        self.slowest = running.slowest;
        outcome.stderr = running.take_errors();
        if !outcome.is_failure() && running.is_open {
            *talk = Some(running);
        } else {
            outcome.stderr.extend(running.end());
        }
        Ok(outcome)
    }

    /// Sorts the games and numbers of seats by the needs of a match: a failed check of a game with a number of seats
    /// excludes this table, any other failure all tables. A check left out after such failures counts as failed.
    fn judge(&mut self) {
        let is_error = |outcome: &&Outcome| {
            let is_left_out = matches!(outcome.verdict, Verdict::LeftOut { .. });
            outcome.is_error() || is_left_out && outcome.severity == Severity::Error
        };
        let errors = self.report.outcomes.iter().filter(is_error);
        let names = errors.map(|outcome| outcome.name.as_str());
        let names: Vec<&str> = names.filter(|name| is_needed(name)).collect();
        let is_of = |name: &str, (rules, seats): &Table| {
            name.strip_prefix(rules.name())
                .is_some_and(|rest| rest.starts_with(&format!("/{seats}/")))
        };
        let fails = |table: &Table| {
            let is_of_any = |name| self.scope.tables.iter().any(|any| is_of(name, any));
            names.iter().any(|name| is_of(name, table) || !is_of_any(name))
        };
        let tables = self.scope.tables.iter().cloned();
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
