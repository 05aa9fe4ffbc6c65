//! `arbiter transcript`: runs a script against an engine and prints the resulting transcript.

use std::fs;
use std::io::{self, Read};
use std::process::ExitCode;
use std::time::Duration;

use arbiter::args::TranscriptArgs;
use arbiter::conformance::transcript::{Patience, Program, Script, accept, check};
use matches::{input_file, output};

use super::{CommandError, exit, isolate};

/// Runs the script; the exit status is 1 if an expectation failed.
pub fn transcript(args: &TranscriptArgs) -> ExitCode {
    match run(args) {
        Ok(code) => code,
        Err(error) => exit::fail(exit::USAGE, error),
    }
}

fn run(args: &TranscriptArgs) -> Result<ExitCode, CommandError> {
    let script = read_script(args)?;
    let [program, arguments @ ..] = args.command.as_slice() else {
        // Unreachable: clap requires at least one word.
        return Ok(ExitCode::from(exit::USAGE));
    };
    let mut program = Program::start(program, arguments, isolate(args.isolation.isolate, &[])?)?;
    let patience = Patience {
        line: Duration::from_millis(args.timeout),
        quiet: Duration::from_millis(args.quiet),
    };
    if args.update {
        let accepted = accept(&script, &mut program, &patience)?;
        return Ok(match &args.script {
            None => print(&accepted),
            Some(path) => match fs::write(path, &accepted) {
                Ok(()) => ExitCode::SUCCESS,
                Err(source) => {
                    exit::fail(exit::STORAGE, format_args!("{}: {source}", path.display()))
                }
            },
        });
    }
    let checked = check(&script, &mut program, &patience)?;
    let printed = print(&checked.transcript);
    Ok(match checked.difference {
        Some(difference) => exit::fail(exit::WRONG, format_args!("{}: {difference}", name(args))),
        None => printed,
    })
}

fn read_script(args: &TranscriptArgs) -> Result<Script, CommandError> {
    let text = match &args.script {
        Some(path) => input_file::read_text(path),
        None => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).and_then(|_| input_file::text_of(bytes))
        }
    };
    let text = text.map_err(|error| format!("{}: {error}", name(args)))?;
    let script = text.parse::<Script>();
    script.map_err(|error| format!("{}: {error}", name(args)).into())
}

fn name(args: &TranscriptArgs) -> String {
    match &args.script {
        Some(path) => path.display().to_string(),
        None => "standard input".to_string(),
    }
}

fn print(text: &str) -> ExitCode {
    match output::print(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(exit::STORAGE),
    }
}
