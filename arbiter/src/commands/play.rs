//! `arbiter match`, `arbiter tournament` and `arbiter resume`.

use std::process::ExitCode;

use super::exit::fail;
use matches::plan::Plan;
use matches::run::{self, ThisMachine};
use settings::args::validate;
use settings::args::{ArgsError, GameArgs, MatchArgs, ResumeArgs, TournamentArgs};

/// Plays a match; returns its exit status.
pub fn play(args: &MatchArgs) -> ExitCode {
    begin(validate::plan(args), &args.common)
}

/// Plays a tournament; returns its exit status.
pub fn play_tournament(args: &TournamentArgs) -> ExitCode {
    begin(validate::tournament(args), args.common())
}

fn begin(planned: Result<(Plan, Vec<String>), ArgsError>, args: &GameArgs) -> ExitCode {
    match planned {
        Ok(planned) => run::begin(planned, &args.new_match(), &mut ThisMachine::default()),
        Err(error) => fail(error.status, error),
    }
}

/// Continues a stored match; returns its exit status.
pub fn resume(args: &ResumeArgs) -> ExitCode {
    run::resume(&args.stored_match(), &mut ThisMachine::default())
}
