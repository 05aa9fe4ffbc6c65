//! The `fleet` program: parses arguments, runs a subcommand, and returns its exit status.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]

use std::process::ExitCode;

use fleet::args::{Cli, Command, Coordinated};
use fleet::{coordinator, status, worker};
use matches::play::sandbox;
use matches::run::exit;
use settings::config;

fn main() -> ExitCode {
    sandbox::launcher_or(run)
}

fn run() -> ExitCode {
    let (mut cli, typed) = match config::parse::<Cli>(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(error) => return config::exit(&error),
    };
    if let Command::Engine(args) = &cli.command {
        return buxtehude::session::serve_stdio(&args.args);
    }
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = match built {
        Ok(runtime) => runtime,
        Err(error) => {
            return exit::fail(exit::USAGE, format_args!("cannot start threads: {error}"));
        }
    };
    let server = &cli.server;
    let status = match &mut cli.command {
        Command::Match(command) => {
            let Coordinated { args, coordinator } = &mut **command;
            coordinator::begin(&runtime, server, config::new_match(args, &typed), coordinator)
        }
        Command::Tournament(command) => {
            let Coordinated { args, coordinator } = &mut **command;
            coordinator::begin(&runtime, server, config::new_tournament(args, &typed), coordinator)
        }
        Command::Resume(resumed) => {
            let Coordinated { args, coordinator } = &**resumed;
            coordinator::resume(&runtime, server, args, coordinator)
        }
        Command::Work(args) => runtime.block_on(worker::work(server, args)),
        Command::Status(args) => runtime.block_on(status::status(server, args)),
        Command::Engine(_) => ExitCode::SUCCESS,
    };
    // Pending calls to the server do not delay the exit.
    runtime.shutdown_background();
    status
}
