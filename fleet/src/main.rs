//! The fleet as a program: arguments in, tables out, and an exit code.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]

use std::future::Future;
use std::process::ExitCode;

use fleet::args::{Cli, Command};
use fleet::{coordinator, status, worker};
use matches::play::walls;
use matches::run::exit;
use settings::args::validate;
use settings::config::{self, ConfigError};

fn main() -> ExitCode {
    if let Some(code) = walls::launch(std::env::args_os()) {
        return code;
    }
    let parsed = config::parse(std::env::args_os(), |cli: &Cli| match &cli.command {
        Command::Match(args) => validate::plan(args).map(drop),
        Command::Tournament(args) => validate::tournament(args).map(drop),
        _ => Ok(()),
    });
    let cli = match &parsed {
        Ok(parsed) => &parsed.cli,
        Err(ConfigError::Typed(error)) => return config::print_parser_message(error),
        Err(error) => return exit::fail(exit::USAGE, error),
    };
    let server = &cli.server;
    match &cli.command {
        Command::Match(args) => block_on(coordinator::begin(
            server,
            validate::plan(args),
            &args.common,
        )),
        Command::Tournament(args) => {
            let planned = validate::tournament(args);
            block_on(coordinator::begin(server, planned, args.common()))
        }
        Command::Resume(args) => block_on(coordinator::resume(server, args)),
        Command::Work(args) => block_on(worker::work(server, args)),
        Command::Status(args) => block_on(status::status(server, args)),
        Command::Engine(args) => buxtehude::session::serve_stdio(&args.args),
    }
}

fn block_on(command: impl Future<Output = ExitCode>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => {
            let code = runtime.block_on(command);
            // Whatever still waits for the server is not waited for.
            runtime.shutdown_background();
            code
        }
        Err(error) => exit::fail(exit::USAGE, format_args!("no threads: {error}")),
    }
}
