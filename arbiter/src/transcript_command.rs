//! `arbiter transcript`: runs a script against an engine, and prints what came.

use std::fs;
use std::io::{self, Read};
use std::process::ExitCode;
use std::time::Duration;

use arbiter::args::TranscriptArgs;
use arbiter::output;
use arbiter::transcript::{Patience, Program, ProgramError, Script, ScriptError, accept, check};
use thiserror::Error;

/// Exit code where something was not as expected.
const DIFFERENT: u8 = 1;
/// Exit code where the script or the program is no good.
const USAGE: u8 = 2;
/// Exit code where the transcript cannot be written.
const NOT_WRITTEN: u8 = 3;

/// Why there is no transcript.
#[derive(Debug, Error)]
enum Problem {
    #[error("{name}: {source}")]
    Unreadable { name: String, source: io::Error },
    #[error("{name}: {source}")]
    NoScript { name: String, source: ScriptError },
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// Runs the script; the exit code is 1 if something was not as expected.
pub fn transcript(args: &TranscriptArgs) -> ExitCode {
    match run(args) {
        Ok(code) => code,
        Err(problem) => fail(&problem.to_string(), USAGE),
    }
}

fn run(args: &TranscriptArgs) -> Result<ExitCode, Problem> {
    let script = read_script(args)?;
    let [program, arguments @ ..] = args.command.as_slice() else {
        // The command line asks for at least one word.
        return Ok(ExitCode::from(USAGE));
    };
    let mut program = Program::start(program, arguments)?;
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
                Err(source) => fail(&format!("{}: {source}", path.display()), NOT_WRITTEN),
            },
        });
    }
    let checked = check(&script, &mut program, &patience)?;
    let printed = print(&checked.transcript);
    Ok(match checked.difference {
        Some(difference) => fail(&format!("{}: {difference}", name(args)), DIFFERENT),
        None => printed,
    })
}

fn read_script(args: &TranscriptArgs) -> Result<Script, Problem> {
    let text = match &args.script {
        Some(path) => fs::read_to_string(path),
        None => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map(|_| text)
        }
    };
    let name = name(args);
    let text = text.map_err(|source| Problem::Unreadable {
        name: name.clone(),
        source,
    })?;
    text.parse()
        .map_err(|source| Problem::NoScript { name, source })
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
        Err(_) => ExitCode::from(NOT_WRITTEN),
    }
}

fn fail(problem: &str, code: u8) -> ExitCode {
    eprintln!("arbiter transcript: {problem}");
    ExitCode::from(code)
}
