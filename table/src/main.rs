//! The `table` program.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]

use std::io;
use std::process::ExitCode;
use std::thread;

use matches::play::{engine, sandbox};
use matches::run::signals;
use settings::config;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use table::args::{Cli, Command};
use table::server::{self, print_error};
use tokio::sync::oneshot;

fn main() -> ExitCode {
    sandbox::launcher_or(run)
}

fn run() -> ExitCode {
    let (cli, _) = match config::parse::<Cli>(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(error) => return config::exit(&error),
    };
    if let Some(Command::Engine { args }) = cli.command {
        return buxtehude::session::serve_stdio(&args);
    }
    let end = end_on_signals().map_err(server::lacking);
    match end.and_then(|end| server::serve(&cli.serve, end)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&error.message);
            ExitCode::from(error.status)
        }
    }
}

/// Returns a channel that gets a message on the first signal to terminate. Signals from engines are ignored.
fn end_on_signals() -> io::Result<oneshot::Receiver<()>> {
    let mut signals = signals::handle(&[SIGINT, SIGTERM, SIGHUP])?;
    let (end, ends) = oneshot::channel();
    thread::Builder::new().name("signals".to_string()).spawn(move || {
        for signal in signals.forever() {
            let sender = signal.process.and_then(|process| u32::try_from(process.pid).ok());
            let Some(engine) = sender.and_then(engine::engine_of) else {
                break;
            };
            print_error(&format!("ignored a signal sent by the engine with process id {engine}"));
        }
        // This fails if the server has already ended.
        let _ = end.send(());
    })?;
    Ok(ends)
}
