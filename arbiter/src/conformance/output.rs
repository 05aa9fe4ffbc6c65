//! Output of the outcomes: text for people, JSON or JUnit for programs.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::time::Duration;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::check::{Check, Outcome, Report, Severity, Verdict, cause};
use super::talk::{Table, by_game};
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
    match format {
        Format::Text => {
            let mut text = String::new();
            // Writing to a string never fails.
            let _ = write_text(report, is_detailed, &mut text);
            printable_lines(&text).into_owned()
        }
        Format::Json => {
            let json = json_of(report, program).to_string();
            format!("{}\n", printable_json(&json))
        }
        Format::Junit => format!("{}\n", printable_lines(&junit_of(&report.outcomes, program))),
    }
}

fn write_text(report: &Report, is_detailed: bool, to: &mut String) -> fmt::Result {
    if let Some(playable) = &report.playable {
        match playable.as_slice() {
            [] => writeln!(to, "cannot play matches")?,
            playable => writeln!(to, "can play matches: {}", in_words(playable))?,
        }
        if !playable.is_empty() && !report.unplayable.is_empty() {
            writeln!(to, "but not: {}", in_words(&report.unplayable))?;
        }
    }
    for remark in &report.remarks {
        writeln!(to, "note: {remark}")?;
    }
    let is_asked = |outcome: &Outcome| !outcome.is_beyond;
    let (asked, beyond) = report.outcomes.split_at(report.outcomes.partition_point(is_asked));
    write_outcomes(asked, is_detailed, to)?;
    if !beyond.is_empty() {
        writeln!(to, "beyond matches, the rest of protocol.md (--profile match leaves it out):")?;
        write_outcomes(beyond, is_detailed, to)?;
    }
    Ok(())
}

/// Writes notes, failures, skipped checks and the counts.
fn write_outcomes(outcomes: &[Outcome], is_detailed: bool, to: &mut String) -> fmt::Result {
    for outcome in outcomes {
        if let (Verdict::Passed, Some(note)) = (outcome.verdict, &outcome.note) {
            writeln!(to, "{}: {note}", outcome.check.name)?;
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
        write_failures(&alike, left_out, is_detailed, to)?;
    }
    write_skipped(outcomes, to)?;
    let mut unshown =
        outcomes.iter().filter(|outcome| !outcome.stderr.is_empty() && !outcome.is_failure());
    if let Some(first) = unshown.next() {
        writeln!(to, "standard error during {}{}:", first.check.name, others(unshown.count()))?;
        write_lines("! ", &first.stderr, SHOWN_ERRORS, to)?;
    }
    let count = |is: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    let left_out = count(|outcome| outcome.verdict == Verdict::LeftOut);
    writeln!(
        to,
        "{} checks: {} passed, {} errors, {} warnings, {} skipped{}",
        outcomes.len(),
        count(|outcome| outcome.verdict == Verdict::Passed),
        count(Outcome::is_error),
        count(|outcome| outcome.is_failure() && !outcome.is_error()),
        count(|outcome| outcome.verdict == Verdict::Skipped),
        match left_out {
            0 => String::new(),
            _ => format!(
                ", {left_out} left out after failures of the same kind; --only NAME runs them, and shows all lines"
            ),
        }
    )
}

/// Games with their numbers of seats, such as `hase-und-igel with 2, 3 seats; fox-and-hounds with 2 seats`.
fn in_words(tables: &[Table]) -> String {
    let words = by_game(tables).map(|(rules, tables)| {
        let seats: Vec<String> = tables.iter().map(|(_, seats)| seats.to_string()).collect();
        format!("{} with {} seats", rules.name(), seats.join(", "))
    });
    words.collect::<Vec<String>>().join("; ")
}

fn text_of(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or_default()
}

/// Writes the first of several failures with the same cause, and the numbers of failures and of checks left out.
fn write_failures(
    alike: &[&Outcome],
    left_out: usize,
    is_detailed: bool,
    to: &mut String,
) -> fmt::Result {
    let (first, rest) = (alike[0], &alike[1..]);
    let Check { name, explanation, severity, .. } = &first.check;
    writeln!(to, "{} {name}: {explanation}", word(*severity))?;
    writeln!(to, "    {}", text_of(&first.reason))?;
    let lines: Vec<&str> = text_of(&first.transcript).lines().collect();
    write_lines("", &lines, if is_detailed { usize::MAX } else { SHOWN_LINES }, to)?;
    write_lines("! ", &first.stderr, SHOWN_ERRORS, to)?;
    if !is_detailed && (!rest.is_empty() || left_out > 0) {
        let names = rest
            .iter()
            .map(|outcome| outcome.check.name.as_str())
            .take(SHOWN_NAMES)
            .collect::<Vec<&str>>()
            .join(", ");
        let left_out = match left_out {
            0 => String::new(),
            _ => format!("; {left_out} like them left out"),
        };
        writeln!(to, "    {} checks failed for this cause, also {names}{left_out}", alike.len())?;
    }
    Ok(())
}

/// Writes the end of some lines.
fn write_lines(mark: &str, lines: &[impl AsRef<str>], most: usize, to: &mut String) -> fmt::Result {
    let omitted = lines.len().saturating_sub(most);
    if omitted > 0 {
        writeln!(to, "    # {omitted} lines omitted")?;
    }
    for line in &lines[omitted..] {
        writeln!(to, "    {mark}{}", line.as_ref())?;
    }
    Ok(())
}

/// Writes the reasons for skipped checks, each once.
fn write_skipped(outcomes: &[Outcome], to: &mut String) -> fmt::Result {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for outcome in outcomes {
        if outcome.verdict == Verdict::Skipped {
            reasons.entry(text_of(&outcome.reason)).or_default().push(&outcome.check.name);
        }
    }
    for (reason, names) in reasons {
        let others = others(names.len() - 1);
        writeln!(to, "skipped {}{others}: {reason}", names[0])?;
    }
    Ok(())
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
