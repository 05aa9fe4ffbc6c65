//! `arbiter check`: walks through all that an engine has to do, and prints what it does otherwise.

use std::process::ExitCode;
use std::time::Duration;

use arbiter::args::CheckArgs;
use arbiter::check::{Settings, is_error, run, write};
use arbiter::output;
use buxtehude::rules::Variant;

/// Exit code where a check with the severity of an error failed.
const NOT_CONFORMING: u8 = 1;
/// Exit code where an argument is wrong, or the program cannot be started.
const USAGE: u8 = 2;
/// Exit code where the outcomes cannot be written.
const NOT_WRITTEN: u8 = 3;

/// Checks an engine; the exit code is 1 if a check with the severity of an error failed.
pub fn check(args: &CheckArgs) -> ExitCode {
    let variant = match args.variant.as_deref().map(Variant::by_name).transpose() {
        Ok(variant) => variant,
        Err(error) => return fail(&format!("--variant: {error}")),
    };
    let [program, arguments @ ..] = args.command.as_slice() else {
        // The command line asks for at least one word.
        return ExitCode::from(USAGE);
    };
    let settings = Settings {
        program: program.clone(),
        arguments: arguments.to_vec(),
        profile: args.profile.into(),
        variant,
        only: args.only.clone(),
        soak: args.soak,
        patience: Duration::from_millis(args.timeout),
    };
    let outcomes = match run(&settings, |_| {}) {
        Ok(outcomes) => outcomes,
        Err(error) => return fail(&error.to_string()),
    };
    let mut text = Vec::new();
    let name = program.to_string_lossy();
    // Writing to memory does not fail; what is written is text.
    let written = write(&outcomes, &name, args.format.into(), &mut text);
    let printed = output::print(&String::from_utf8_lossy(&text));
    if written.is_err() || printed.is_err() {
        return ExitCode::from(NOT_WRITTEN);
    }
    if outcomes.iter().any(is_error) {
        ExitCode::from(NOT_CONFORMING)
    } else {
        ExitCode::SUCCESS
    }
}

fn fail(problem: &str) -> ExitCode {
    eprintln!("arbiter check: {problem}");
    ExitCode::from(USAGE)
}
