//! `arbiter check`, `arbiter rules check` and `arbiter transcript`: test a program against the protocol or a script.

use std::io::{self, Read};
use std::process::ExitCode;
use std::time::Duration;
use std::{fs, slice};

use arbiter::args::{CheckArgs, CheckRulesArgs, TranscriptArgs};
use arbiter::conformance::check::{Format, Outcome, Report, Scope, run, run_rules, text};
use arbiter::conformance::transcript::{self, Program, Script, accept, spec};
use matches::plan::EngineSpec;
use matches::plan::rules::Rules;
use matches::run::exit::ExitError;
use matches::{input_file, output};
use settings::args::RulesArgs;

use super::{CommandError, exit, isolate, progress, start_rules};

/// Checks an engine; the exit status is 1 if it cannot play, or a check of severity "error" failed that the user has
/// asked for or a match needs.
pub fn check(args: &CheckArgs) -> ExitCode {
    report(&args.command[0].to_string_lossy(), !args.only.is_empty(), args.format, |observe| {
        // Clap requires at least one word.
        let program = spec(&args.command[0], &args.command[1..])?;
        let isolation = isolate(args.isolation.isolate, &[]).map_err(ExitError::usage)?;
        let timeout = Duration::from_millis(args.timeout);
        let scope = Scope {
            only: args.only.clone(),
            asked: args.profile,
            rules: rules_of(args)?,
            players: args.players,
            soak: args.soak,
            ..Scope::new(EngineSpec { legal: args.legal, ..program }, isolation, timeout)
        };
        run(scope, observe)
    })
}

/// The only game to check, if the user asks for one.
fn rules_of(args: &CheckArgs) -> Result<Option<Rules>, ExitError> {
    if args.rules.is_none() && args.variant.is_none() {
        return Ok(None);
    }
    let game =
        RulesArgs { variant: args.variant.clone().unwrap_or_default(), rules: args.rules.clone() };
    let (rules, timeout) = (game.rules()?, Duration::from_millis(args.timeout));
    start_rules(&rules, args.players, args.isolation.isolate, timeout)?;
    Ok(Some(rules))
}

/// Checks a rules program; the exit status is as of [`check`].
pub fn check_rules(args: &CheckRulesArgs) -> ExitCode {
    let program = &args.games.rules.program;
    report(&program.name, !args.only.is_empty(), args.format, |observe| {
        let isolation = isolate(args.isolation.isolate, slice::from_ref(program));
        let isolation = isolation.map_err(ExitError::usage)?;
        let timeout = Duration::from_millis(args.timeout);
        let only = args.only.clone();
        run_rules(
            &args.games,
            Scope { only, ..Scope::new(program.clone(), isolation, timeout) },
            observe,
        )
    })
}

/// Shows the progress of a check, then its report.
fn report(
    name: &str,
    is_detailed: bool,
    format: Format,
    run: impl FnOnce(&mut dyn FnMut(&Outcome, usize)) -> Result<Report, ExitError>,
) -> ExitCode {
    let bar = progress(0, "{pos}/{len} checks  {elapsed}  {wide_msg}");
    bar.set_message("waiting for the first answer");
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut errors = 0;
    let ran = run(&mut |outcome: &Outcome, left| {
        errors += u64::from(outcome.counts());
        bar.inc(1);
        bar.set_length(bar.position() + left as u64);
        bar.set_message(format!("{errors} errors, last {}", outcome.check.name));
    });
    bar.finish_and_clear();
    let report = match ran {
        Ok(report) => report,
        Err(error) => return error.exit(),
    };
    if output::print(&text(&report, name, is_detailed, format)).is_err() {
        return ExitCode::from(exit::STORAGE);
    }
    let is_unplayable = report.playable.as_ref().is_some_and(Vec::is_empty);
    if is_unplayable || report.outcomes.iter().any(Outcome::counts) {
        ExitCode::from(exit::WRONG)
    } else {
        ExitCode::SUCCESS
    }
}

/// Runs the script; the exit status is 1 if an expectation failed.
pub fn transcript(args: &TranscriptArgs) -> ExitCode {
    run_script(args).unwrap_or_else(|error| exit::fail(exit::USAGE, error))
}

fn run_script(args: &TranscriptArgs) -> Result<ExitCode, CommandError> {
    let path = args.script.as_deref();
    let name = path.map_or("standard input".to_string(), |path| path.display().to_string());
    let text = match path {
        Some(path) => input_file::read_text(path),
        None => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).and_then(|_| input_file::text_of(bytes))
        }
    };
    let text = text.map_err(|error| format!("{name}: {error}"))?;
    let script: Script = text.parse().map_err(|error| format!("{name}: {error}"))?;
    // Clap requires at least one word.
    let (program, arguments) = (&args.command[0], &args.command[1..]);
    let mut program = Program::start(program, arguments, isolate(args.isolation.isolate, &[])?)?;
    program.line_timeout = Duration::from_millis(args.timeout);
    program.quiet = Duration::from_millis(args.quiet);
    if args.update {
        let accepted = accept(&script, &mut program)?;
        return Ok(match path.map(|path| fs::write(path, &accepted)) {
            None => print_transcript(&accepted),
            Some(Ok(())) => ExitCode::SUCCESS,
            Some(Err(error)) => exit::fail(exit::STORAGE, format_args!("{name}: {error}")),
        });
    }
    let checked = transcript::check(&script, &mut program)?;
    let printed = print_transcript(&checked.transcript);
    Ok(match checked.difference {
        Some(difference) => exit::fail(exit::WRONG, format_args!("{name}: {difference}")),
        None => printed,
    })
}

fn print_transcript(text: &str) -> ExitCode {
    match output::print(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(exit::STORAGE),
    }
}
