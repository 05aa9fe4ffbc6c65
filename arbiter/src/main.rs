//! The `arbiter` program: arguments in, tables and an exit status out.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]

mod commands;

use std::path::PathBuf;
use std::process::ExitCode;

use arbiter::args::{Cli, Command, RulesCommand};
use matches::play::sandbox;
use matches::run::exit::ExitError;
use matches::run::{self, NewMatch, ThisMachine};
use settings::args::GameArgs;
use settings::config;

fn main() -> ExitCode {
    sandbox::launcher_or(run)
}

fn run() -> ExitCode {
    let (cli, typed) = match config::parse::<Cli>(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(error) => return config::exit(&error),
    };
    match cli.command {
        Command::Match(mut args) => play(config::new_match(&mut args, &typed), &args.common),
        Command::Tournament(mut args) => {
            play(config::new_tournament(&mut args, &typed), args.common())
        }
        Command::Engine(args) => buxtehude::session::serve_stdio(&args.args),
        Command::Resume(args) => {
            run::resume(&config::stored_match(&args), &mut ThisMachine::default())
        }
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

/// Plays a match on this machine. One between levels of the built-in engine is stored even if no store is named.
fn play(planned: Result<NewMatch, ExitError>, args: &GameArgs) -> ExitCode {
    let mut new = match planned {
        Ok(new) => new,
        Err(error) => return error.exit(),
    };
    if args.store.is_none() && args.plays_levels() {
        let file = unused_file();
        new.remarks.push(format!("stored in {}; --store none keeps nothing", file.display()));
        new.store = Some(file);
    }
    run::begin(new, &mut ThisMachine::default())
}

/// The first unused file `match-N.db` in the current folder.
fn unused_file() -> PathBuf {
    let mut files = (1..).map(|number| PathBuf::from(format!("match-{number}.db")));
    let unused = |file: &PathBuf| file.symlink_metadata().is_err();
    files.find(unused).unwrap_or_default()
}
