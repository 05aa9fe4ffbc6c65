//! The `arbiter` program: arguments in, tables and an exit status out.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]

mod commands;

use std::process::ExitCode;

use arbiter::args::{self, Command};
use matches::play::sandbox;
use rustix::process::{Resource, getrlimit, setrlimit};
use settings::config::{self, ConfigError};

fn main() -> ExitCode {
    if let Some(code) = sandbox::launch(std::env::args_os()) {
        return code;
    }
    allow_many_descriptors();
    let parsed = match args::parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(ConfigError::Typed(error)) => return config::print_parser_message(&error),
        Err(error) => {
            return commands::exit::fail(commands::exit::USAGE, error);
        }
    };
    match parsed.cli.command {
        Command::Match(args) => commands::play::play(&args),
        Command::Tournament(args) => commands::play::play_tournament(&args),
        Command::Engine(args) => buxtehude::session::serve_stdio(&args.args),
        Command::Resume(args) => commands::play::resume(&args),
        Command::Report(args) => commands::report::report(&args),
        Command::Export(args) => commands::export::export(&args),
        Command::Replay(args) => commands::replay::replay(&args),
        Command::Openings(args) => commands::openings::openings(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Verify(args) => commands::verify::verify(&args),
        Command::Review(args) => commands::review::review(&args),
        Command::Check(args) => commands::check::check(&args),
        Command::Transcript(args) => commands::transcript::transcript(&args),
        Command::Completions(args) => commands::documents::completions(&args),
        Command::Man(args) => commands::documents::man(&args),
    }
}

/// Raises the limit of open files to the system's maximum: every engine takes three pipes, and one for its sandbox.
fn allow_many_descriptors() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // With the lower limit, a match with fewer engines still works.
    let _ = setrlimit(Resource::Nofile, limit);
}
