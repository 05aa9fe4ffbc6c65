//! The `arbiter` program: arguments in, tables and an exit status out.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]

mod commands;

use std::process::ExitCode;

use arbiter::args::{self, Command, RulesCommand};
use matches::play::sandbox;

fn main() -> ExitCode {
    sandbox::launcher_or(run)
}

fn run() -> ExitCode {
    let cli = match args::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return error.exit(),
    };
    match cli.command {
        Command::Match(args) => commands::play(&args),
        Command::Tournament(args) => commands::play_tournament(&args),
        Command::Engine(args) => buxtehude::session::serve_stdio(&args.args),
        Command::Resume(args) => commands::resume(&args),
        Command::Report(args) => commands::report::report(&args),
        Command::Export(args) => commands::export::export(&args),
        Command::Replay(args) => commands::replay::replay(&args),
        Command::Openings(args) => commands::openings::openings(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Verify(args) => commands::verify::verify(&args),
        Command::Review(args) => commands::review::review(&args),
        Command::Check(args) => commands::check::check(&args),
        Command::Rules(RulesCommand::Check(args)) => commands::check::check_rules(&args),
        Command::Transcript(args) => commands::check::transcript(&args),
        Command::Completions(args) => commands::completions(&args),
        Command::Man(args) => commands::man(&args),
    }
}
