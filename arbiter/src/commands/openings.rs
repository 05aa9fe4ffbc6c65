//! `arbiter openings`: prints a suite of balanced openings to standard output and its statistics to standard error.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use arbiter::analysis::openings_suite::{self, Means, SuiteError, SuitePlan, Summary};
use arbiter::args::OpeningsArgs;
use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;
use matches::record::printable::printable;

use super::{exit, isolate, progress, stop_on_signals};

pub fn openings(args: &OpeningsArgs) -> ExitCode {
    let plan = match args.plan() {
        Ok(plan) => plan,
        Err(error) => return error.exit(),
    };
    let interrupt = Interrupt::new();
    if let Err(error) = stop_on_signals(&interrupt) {
        return exit::fail(exit::USAGE, error);
    }
    let isolation = match isolate(args.isolation.isolate, std::slice::from_ref(&plan.engine)) {
        Ok(isolation) => isolation,
        Err(error) => return exit::fail(exit::USAGE, error),
    };
    match make(&plan, isolation, &interrupt) {
        Ok(summary) => {
            exit::print_error(text(&summary, &plan));
            ExitCode::SUCCESS
        }
        // A closed pipe is not an error.
        Err(SuiteError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            if let SuiteError::TooFew(summary, _) = &error {
                exit::print_error(text(summary, &plan));
            }
            exit::fail(code_of(&error), error)
        }
    }
}

fn make(
    plan: &SuitePlan,
    isolation: Option<Isolation>,
    interrupt: &Interrupt,
) -> Result<Summary, SuiteError> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "# {}", printable(&settings(plan)))?;
    let bar = progress(plan.count, "{pos}/{len} openings  {eta} left  {msg}");
    let made = openings_suite::make(plan, isolation, interrupt, |line, drawn| {
        writeln!(stdout, "{}", printable(line))?;
        stdout.flush()?;
        bar.inc(1);
        bar.set_message(format!("{drawn} candidates"));
        Ok(())
    });
    bar.finish_and_clear();
    made
}

/// The settings that determine the suite, as one line.
fn settings(plan: &SuitePlan) -> String {
    let plies = match (plan.plies.start(), plan.plies.end()) {
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least}-{most}"),
    };
    format!(
        "{}, {} seats, {plies} random plies, seed {}; each seat within {} of {:.0} by {} ({})",
        plan.rules.name(),
        plan.seats,
        plan.seed,
        plan.within,
        1000.0 / plan.seats as f64,
        plan.engine.name,
        plan.engine.limit,
    )
}

/// Statistics of a finished suite.
fn text(summary: &Summary, plan: &SuitePlan) -> String {
    let mut text =
        format!("{} kept of {} candidates, seed {}", summary.kept.number, summary.drawn, plan.seed);
    if summary.repeated > 0 {
        text += &format!("; {} repeat an earlier one", summary.repeated);
    }
    if summary.short > 0 {
        text += &format!("; in {} a seat would have finished", summary.short);
    }
    text += "\nmean estimate of each seat\n";
    text += &format!("  candidates {}\n", numbers(&summary.judged));
    text += &format!("  openings   {}", numbers(&summary.kept));
    text
}

fn numbers(means: &Means) -> String {
    let means = means.of_seats();
    let numbers: Vec<String> = means.iter().map(|mean| format!("{mean:6.1}")).collect();
    match numbers.as_slice() {
        [] => "     -".to_string(),
        numbers => numbers.join(" "),
    }
}

fn code_of(error: &SuiteError) -> u8 {
    match error {
        SuiteError::TooFew(..) => exit::WRONG,
        SuiteError::Judge(_) => exit::USAGE,
        SuiteError::Rules(_) => exit::RULES_FAULT,
        SuiteError::Output(_) => exit::STORAGE,
        SuiteError::Interrupted => exit::INTERRUPTED,
    }
}
