//! `arbiter match`, `arbiter tournament` and `arbiter resume`.

use std::path::PathBuf;
use std::process::ExitCode;

use matches::plan::Plan;
use matches::run::exit::ExitError;
use matches::run::{self, ThisMachine};
use settings::args::validate;
use settings::args::{GameArgs, MatchArgs, ResumeArgs, TournamentArgs};

pub fn play(args: &MatchArgs) -> ExitCode {
    begin(validate::plan(args), &args.common)
}

pub fn play_tournament(args: &TournamentArgs) -> ExitCode {
    begin(validate::tournament(args), args.common())
}

fn begin(planned: Result<(Plan, Vec<String>), ExitError>, args: &GameArgs) -> ExitCode {
    let (plan, mut remarks) = match planned {
        Ok(planned) => planned,
        Err(error) => return error.exit(),
    };
    let mut new = args.new_match();
    if args.store.is_none() && args.plays_levels() {
        let file = unused_file();
        remarks.push(format!("stored in {}; --store none keeps nothing", file.display()));
        new.store = Some(file);
    }
    run::begin((plan, remarks), &new, &mut ThisMachine::default())
}

/// The first unused file `match-N.db` in the current folder.
fn unused_file() -> PathBuf {
    let mut files = (1..).map(|number| PathBuf::from(format!("match-{number}.db")));
    let unused = |file: &PathBuf| file.symlink_metadata().is_err();
    files.find(unused).unwrap_or_default()
}

pub fn resume(args: &ResumeArgs) -> ExitCode {
    run::resume(&args.stored_match(), &mut ThisMachine::default())
}
