//! Output of the outcomes: text for people, JSON or JUnit for programs.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::check::{Outcome, Report, Severity, Verdict, cause};
use super::talk::Table;
use matches::record::printable::{printable_json, printable_lines};

/// Lines shown of the conversation that led to a failure, unless the user asks for the check.
const SHOWN_LINES: usize = 6;

/// Lines shown of the standard error during a check.
const SHOWN_ERRORS: usize = 10;

/// Names shown of checks that are alike.
const SHOWN_NAMES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Readable lines
    Text,
    /// One JSON object
    Json,
    /// JUnit XML
    Junit,
}

/// Returns the result in the given format; the text shows every failure with its whole conversation if `is_detailed`,
/// otherwise one of each cause with its end.
pub fn text(report: &Report, program: &str, is_detailed: bool, format: Format) -> String {
    let text = match format {
        Format::Text => printable_lines(&lines_of(report, is_detailed).join("\n")).into_owned(),
        Format::Json => printable_json(&json_of(report, program).to_string()).into_owned(),
        Format::Junit => printable_lines(&junit_of(&report.outcomes, program)).into_owned(),
    };
    text + "\n"
}

fn lines_of(report: &Report, is_detailed: bool) -> Vec<String> {
    let mut lines = Vec::new();
    match report.playable.as_deref() {
        None => {}
        Some([]) => lines.push("cannot play matches".into()),
        Some(playable) => {
            lines.push(format!("can play matches: {}", in_words(playable)));
            if !report.unplayable.is_empty() {
                lines.push(format!("but not: {}", in_words(&report.unplayable)));
            }
        }
    }
    lines.extend(report.remarks.iter().map(|remark| format!("note: {remark}")));
    let is_asked = |outcome: &Outcome| !outcome.is_beyond;
    let (asked, beyond) = report.outcomes.split_at(report.outcomes.partition_point(is_asked));
    lines.extend(lines_of_outcomes(asked, is_detailed));
    if !beyond.is_empty() {
        lines.push(
            "beyond matches, the rest of protocol.md (--profile match leaves it out):".into(),
        );
        lines.extend(lines_of_outcomes(beyond, is_detailed));
    }
    lines
}

/// Notes, failures, skipped checks and the counts.
fn lines_of_outcomes(outcomes: &[Outcome], is_detailed: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for outcome in outcomes {
        if let (Verdict::Passed, Some(note)) = (outcome.verdict, &outcome.note) {
            lines.push(format!("{}: {note}", outcome.check.name));
        }
    }
    let mut failures: Vec<(String, Vec<&Outcome>)> = Vec::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.is_failure()) {
        let cause = cause(text_of(&outcome.reason));
        let is_alike = |(known, alike): &&mut (String, Vec<&Outcome>)| {
            *known == cause && alike[0].check.severity == outcome.check.severity
        };
        match failures.iter_mut().find(is_alike) {
            Some((_, alike)) if !is_detailed => alike.push(outcome),
            _ => failures.push((cause, vec![outcome])),
        }
    }
    for (cause, alike) in failures {
        let is_of_cause = |outcome: &&Outcome| {
            outcome.verdict == Verdict::LeftOut && outcome.reason.as_ref() == Some(&cause)
        };
        let left_out = outcomes.iter().filter(is_of_cause).count();
        lines.extend(lines_of_failures(&alike, left_out, is_detailed));
    }
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Skipped) {
        reasons.entry(text_of(&outcome.reason)).or_default().push(&outcome.check.name);
    }
    lines.extend(reasons.iter().map(|(reason, names)| {
        format!("skipped {}{}: {reason}", names[0], others(names.len() - 1))
    }));
    let mut unshown =
        outcomes.iter().filter(|outcome| !outcome.stderr.is_empty() && !outcome.is_failure());
    if let Some(first) = unshown.next() {
        let others = others(unshown.count());
        lines.push(format!("standard error during {}{others}:", first.check.name));
        lines.extend(last_lines("! ", &first.stderr, SHOWN_ERRORS));
    }
    let count = |is: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    let left_out = match count(|outcome| outcome.verdict == Verdict::LeftOut) {
        0 => String::new(),
        number => format!(
            ", {number} left out after failures of the same kind; --only NAME runs them, and shows all lines"
        ),
    };
    lines.push(format!(
        "{} checks: {} passed, {} errors, {} warnings, {} skipped{left_out}",
        outcomes.len(),
        count(|outcome| outcome.verdict == Verdict::Passed),
        count(Outcome::is_error),
        count(|outcome| outcome.is_failure() && !outcome.is_error()),
        count(|outcome| outcome.verdict == Verdict::Skipped),
    ));
    lines
}

/// Games with their numbers of seats, such as `hase-und-igel with 2, 3 seats; fox-and-hounds with 2 seats`.
fn in_words(tables: &[Table]) -> String {
    let games = tables.chunk_by(|one, other| one.0.name() == other.0.name());
    let words = games.map(|tables| {
        let seats: Vec<String> = tables.iter().map(|(_, seats)| seats.to_string()).collect();
        format!("{} with {} seats", tables[0].0.name(), seats.join(", "))
    });
    words.collect::<Vec<String>>().join("; ")
}

fn text_of(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or_default()
}

/// The first of several failures with the same cause, and the numbers of failures and of checks left out.
fn lines_of_failures(alike: &[&Outcome], left_out: usize, is_detailed: bool) -> Vec<String> {
    let Outcome { check, reason, transcript, stderr, .. } = alike[0];
    let severity = word(check.severity);
    let mut lines = vec![
        format!("{severity} {}: {}", check.name, check.explanation),
        format!("    {}", text_of(reason)),
    ];
    let transcript: Vec<String> = text_of(transcript).lines().map(String::from).collect();
    let most = if is_detailed { usize::MAX } else { SHOWN_LINES };
    lines.extend(last_lines("", &transcript, most));
    lines.extend(last_lines("! ", stderr, SHOWN_ERRORS));
    if !is_detailed && alike.len() + left_out > 1 {
        let names = alike[1..].iter().map(|outcome| outcome.check.name.as_str());
        let names = names.take(SHOWN_NAMES).collect::<Vec<&str>>().join(", ");
        let left_out = match left_out {
            0 => String::new(),
            _ => format!("; {left_out} like them left out"),
        };
        let number = alike.len();
        lines.push(format!("    {number} checks failed for this cause, also {names}{left_out}"));
    }
    lines
}

/// The end of some lines, with a mark before each.
fn last_lines(mark: &str, lines: &[String], most: usize) -> Vec<String> {
    let omitted = lines.len().saturating_sub(most);
    let remark = (omitted > 0).then(|| format!("    # {omitted} lines omitted"));
    let shown = lines[omitted..].iter().map(|line| format!("    {mark}{line}"));
    remark.into_iter().chain(shown).collect()
}

fn others(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " and another check".into(),
        _ => format!(" and {count} others"),
    }
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn json_of(report: &Report, program: &str) -> Value {
    let table = |(rules, seats): &Table| json!({ "variant": rules.name(), "seats": seats });
    let tables = |tables: &[Table]| tables.iter().map(table).collect::<Vec<Value>>();
    json!({
        "program": program,
        "playable": report.playable.as_deref().map(tables),
        "unplayable": tables(&report.unplayable),
        "remarks": report.remarks,
        "checks": report.outcomes,
    })
}

/// Writes a suite for the checks that count, and one for those beyond a match.
fn junit_of(outcomes: &[Outcome], program: &str) -> String {
    let mut report = quick_junit::Report::new("arbiter check");
    for part in outcomes.chunk_by(|one, other| one.is_beyond == other.is_beyond) {
        let beyond = if part[0].is_beyond { " beyond matches" } else { "" };
        report.add_test_suite(suite_of(part, &format!("{program}{beyond}")));
    }
    // Cannot fail in memory.
    report.to_string().unwrap_or_default()
}

fn suite_of(outcomes: &[Outcome], name: &str) -> quick_junit::TestSuite {
    use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
    let mut suite = TestSuite::new(name);
    for outcome in outcomes {
        let (mut status, left_out) = match outcome.verdict {
            Verdict::Passed => (TestCaseStatus::success(), ""),
            Verdict::Skipped => (TestCaseStatus::skipped(), ""),
            Verdict::LeftOut => (TestCaseStatus::skipped(), "left out: "),
            Verdict::Failed => (TestCaseStatus::non_success(NonSuccessKind::Failure), ""),
        };
        status.set_message(format!("{left_out}{}", text_of(&outcome.reason)));
        if outcome.is_failure() {
            status.set_type(word(outcome.check.severity));
            status.set_description(text_of(&outcome.transcript));
        }
        let mut case = TestCase::new(&outcome.check.name, status);
        case.set_time(Duration::from_micros(outcome.micros));
        if !outcome.stderr.is_empty() {
            case.set_system_err(outcome.stderr.join("\n"));
        }
        suite.add_test_case(case);
    }
    suite
}
