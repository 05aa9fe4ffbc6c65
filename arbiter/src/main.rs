//! The arbiter as a program: arguments in, tables out, and an exit code.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]

mod check_command;
mod cost_command;
mod documents_command;
mod explain_command;
mod export_command;
mod openings_command;
mod play;
mod replay_command;
mod report_command;
mod transcript_command;
mod verify_command;

use std::io::{self, Write};
use std::process::ExitCode;

use arbiter::args::Command;
use arbiter::config::{self, ConfigError};
use rustix::process::{Resource, getrlimit, setrlimit};

/// Exit code where the settings of a file are wrong.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    allow_many_descriptors();
    let parsed = match config::parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(ConfigError::Typed(error)) => error.exit(),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            return ExitCode::from(USAGE);
        }
    };
    match parsed.cli.command {
        Command::Match(args) => play::play(&args),
        Command::Tournament(args) => play::play_tournament(&args),
        Command::Engine(args) => buxtehude::session::serve_stdio(&args.args),
        Command::Resume(args) => play::resume(&args),
        Command::Report(args) => report_command::report(&args),
        Command::Export(args) => export_command::export(&args),
        Command::Replay(args) => replay_command::replay(&args),
        Command::Openings(args) => openings_command::openings(&args),
        Command::Explain(args) => explain_command::run(&args),
        Command::Verify(args) => verify_command::verify(&args),
        Command::Cost(args) => cost_command::cost(&args),
        Command::Check(args) => check_command::check(&args),
        Command::Transcript(args) => transcript_command::transcript(&args),
        Command::Completions(args) => documents_command::completions(&args),
        Command::Man(args) => documents_command::man(&args),
    }
}

/// Allows as many open pipes as the system does: every engine takes three.
fn allow_many_descriptors() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // With fewer a match of fewer engines is played.
    let _ = setrlimit(Resource::Nofile, limit);
}
