//! The arbiter as a program: arguments in, tables out, and an exit code.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]

mod check_command;
mod export_command;
mod play;
mod replay_command;
mod report_command;
mod transcript_command;
mod verify_command;

use std::process::ExitCode;

use arbiter::args::{Cli, Command};
use clap::Parser;

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Match(args) => play::play(&args),
        Command::Engine(args) => buxtehude::session::serve_stdio(&args.args),
        Command::Resume(args) => play::resume(&args),
        Command::Report(args) => report_command::report(&args),
        Command::Export(args) => export_command::export(&args),
        Command::Replay(args) => replay_command::replay(&args),
        Command::Verify(args) => verify_command::verify(&args),
        Command::Check(args) => check_command::check(&args),
        Command::Transcript(args) => transcript_command::transcript(&args),
    }
}
