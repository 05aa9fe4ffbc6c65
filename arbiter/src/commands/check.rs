//! `arbiter check`: tests an engine against the protocol and prints the failures.

use std::process::ExitCode;
use std::time::Duration;

use arbiter::args::CheckArgs;
use arbiter::conformance::check::{Settings, Verdict, checks, is_error, run, write};
use buxtehude::rules::Variant;
use matches::output;

use super::{exit, isolate, progress};

/// Checks an engine; the exit status is 1 if a check of severity "error" failed.
pub fn check(args: &CheckArgs) -> ExitCode {
    let variant = match args.variant.as_deref().map(Variant::by_name).transpose() {
        Ok(variant) => variant,
        Err(error) => return exit::fail(exit::USAGE, format_args!("--variant: {error}")),
    };
    let [program, arguments @ ..] = args.command.as_slice() else {
        // Unreachable: clap requires at least one word.
        return ExitCode::from(exit::USAGE);
    };
    let isolation = match isolate(args.isolation.isolate, &[]) {
        Ok(isolation) => isolation,
        Err(error) => return exit::fail(exit::USAGE, error),
    };
    let settings = Settings {
        program: program.clone(),
        arguments: arguments.to_vec(),
        isolation,
        profile: args.profile,
        legal: args.legal,
        variant,
        only: args.only.clone(),
        soak: args.soak,
        patience: Duration::from_millis(args.timeout),
    };
    let number = checks(&settings).len() as u64;
    let bar = progress(number, "{pos}/{len} checks  {elapsed}  {wide_msg}");
    let mut failed = 0;
    let ran = run(&settings, |outcome| {
        failed += u64::from(matches!(outcome.verdict, Verdict::Failed { .. }));
        bar.set_message(format!("{failed} failed, last {}", outcome.name));
        bar.inc(1);
    });
    bar.finish_and_clear();
    let outcomes = match ran {
        Ok(outcomes) => outcomes,
        Err(error) => return exit::fail(exit::USAGE, error),
    };
    let mut text = Vec::new();
    let name = program.to_string_lossy();
    // Writing text to memory does not fail.
    let written = write(&outcomes, &name, args.format, &mut text);
    let printed = output::print(&String::from_utf8_lossy(&text));
    if written.is_err() || printed.is_err() {
        return ExitCode::from(exit::STORAGE);
    }
    if outcomes.iter().any(is_error) {
        ExitCode::from(exit::WRONG)
    } else {
        ExitCode::SUCCESS
    }
}
