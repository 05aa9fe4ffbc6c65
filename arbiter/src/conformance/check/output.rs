//! Output of the outcomes: text for people, JSON or JUnit for programs.

use std::io::{self, Write};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::{Outcome, Severity, Verdict};
use matches::record::printable::{printable_json, printable_lines};

/// Format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Readable lines
    Text,
    /// One JSON object
    Json,
    /// JUnit XML
    Junit,
}

/// Writes all outcomes in the given format.
///
/// # Errors
/// Those of `output`.
pub fn write(
    outcomes: &[Outcome],
    program: &str,
    format: Format,
    to: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Text => {
            let mut text = Vec::new();
            write_text(outcomes, &mut text)?;
            let text = String::from_utf8_lossy(&text);
            to.write_all(printable_lines(&text).as_bytes())
        }
        Format::Json => {
            let json = json_of(outcomes, program).to_string();
            writeln!(to, "{}", printable_json(&json))
        }
        Format::Junit => junit_of(outcomes, program, to),
    }
}

fn write_text(outcomes: &[Outcome], to: &mut dyn Write) -> io::Result<()> {
    for outcome in outcomes {
        match &outcome.verdict {
            Verdict::Passed => {
                if let Some(note) = &outcome.note {
                    writeln!(to, "{}: {note}", outcome.name)?;
                }
            }
            Verdict::Skipped { reason } => writeln!(to, "skipped {}: {reason}", outcome.name)?,
            Verdict::Failed { reason, transcript } => {
                writeln!(
                    to,
                    "{} {}: {}",
                    word(outcome.severity),
                    outcome.name,
                    outcome.explanation
                )?;
                writeln!(to, "    {reason}")?;
                for line in transcript.lines() {
                    writeln!(to, "    {line}")?;
                }
            }
        }
    }
    let count = |is: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    writeln!(
        to,
        "{} checks: {} passed, {} errors, {} warnings, {} skipped",
        outcomes.len(),
        count(|outcome| outcome.verdict == Verdict::Passed),
        count(is_error),
        count(is_warning),
        count(|outcome| matches!(outcome.verdict, Verdict::Skipped { .. })),
    )
}

/// `true` if the outcome is a failure of severity [`Severity::Error`](super::Severity::Error).
pub fn is_error(outcome: &Outcome) -> bool {
    outcome.severity == Severity::Error && matches!(outcome.verdict, Verdict::Failed { .. })
}

fn is_warning(outcome: &Outcome) -> bool {
    outcome.severity == Severity::Warning && matches!(outcome.verdict, Verdict::Failed { .. })
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn json_of(outcomes: &[Outcome], program: &str) -> Value {
    let check = |outcome: &Outcome| {
        let (verdict, reason, transcript) = match &outcome.verdict {
            Verdict::Passed => ("passed", None, None),
            Verdict::Failed { reason, transcript } => ("failed", Some(reason), Some(transcript)),
            Verdict::Skipped { reason } => ("skipped", Some(reason), None),
        };
        json!({
            "name": outcome.name,
            "severity": word(outcome.severity),
            "explanation": outcome.explanation,
            "verdict": verdict,
            "reason": reason,
            "transcript": transcript,
            "note": outcome.note,
            "micros": outcome.elapsed.as_micros() as u64,
        })
    };
    json!({
        "program": program,
        "checks": outcomes.iter().map(check).collect::<Vec<Value>>(),
    })
}

fn junit_of(outcomes: &[Outcome], program: &str, to: &mut dyn Write) -> io::Result<()> {
    use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
    let mut suite = TestSuite::new(program);
    for outcome in outcomes {
        let status = match &outcome.verdict {
            Verdict::Passed => TestCaseStatus::success(),
            Verdict::Skipped { reason } => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(reason);
                status
            }
            Verdict::Failed { reason, transcript } => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(reason);
                status.set_type(word(outcome.severity));
                status.set_description(transcript);
                status
            }
        };
        let mut case = TestCase::new(&outcome.name, status);
        case.set_time(outcome.elapsed);
        suite.add_test_case(case);
    }
    let mut report = Report::new("arbiter check");
    report.add_test_suite(suite);
    let text = report.to_string().map_err(io::Error::other)?;
    writeln!(to, "{}", printable_lines(&text))
}
