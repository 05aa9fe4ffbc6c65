//! `arbiter report`: the tables at the end of a match, made of its recorded games.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arbiter::args::ReportArgs;
use arbiter::game_file::{GameFile, GameFileError};
use arbiter::output::print;
use arbiter::report::Report;
use thiserror::Error;

/// Exit code where a line is left out.
const WRONG: u8 = 1;
/// Exit code where the file cannot be reported.
const USAGE: u8 = 2;

/// Prints the tables of the games in a file.
pub fn report(args: &ReportArgs) -> ExitCode {
    match read(&args.file) {
        Ok((report, is_whole)) => {
            let _ = print(&report.text());
            if is_whole {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(WRONG)
            }
        }
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(USAGE)
        }
    }
}

/// Why the games of a file cannot be reported.
#[derive(Debug, Error)]
enum Unreportable {
    #[error(transparent)]
    File(#[from] GameFileError),
    #[error("{place}: game {game} once more, expected the games of one match, each once")]
    Twice { place: String, game: u64 },
    #[error("{place}: game {game} has {found} seats, expected {expected} as in the games before")]
    Seats {
        place: String,
        game: u64,
        found: usize,
        expected: usize,
    },
    #[error("{}: no game in it", .0.display())]
    Empty(PathBuf),
}

/// The report on the games of a file, and whether every line of it is one.
fn read(path: &Path) -> Result<(Report, bool), Unreportable> {
    let file = GameFile::open(path)?;
    match &file {
        GameFile::Store(store) => {
            let mut report = Report::of(&store.plan().map_err(GameFileError::from)?);
            store.for_each_outline(|record| {
                report.add(&record);
                Ok::<(), GameFileError>(())
            })?;
            Ok((report, true))
        }
        GameFile::Lines(path) => read_lines(&file, path),
    }
}

/// The report on the games in a record, and whether every line of it is one.
fn read_lines(file: &GameFile, path: &Path) -> Result<(Report, bool), Unreportable> {
    let (names, seats) = names_and_seats(file, path)?;
    let mut report = Report::new(names, seats);
    let mut seen = HashSet::new();
    let mut is_whole = true;
    file.for_each(|place, game| {
        let record = match game {
            Ok(record) => record,
            Err(flaw) => {
                is_whole = false;
                complain(&format!("{place}: {flaw}"));
                return Ok(());
            }
        };
        let (place, game, found) = (place.to_string(), record.game, record.seats.len());
        if found != seats {
            let expected = seats;
            return Err(Unreportable::Seats {
                place,
                game,
                found,
                expected,
            });
        }
        if !seen.insert(game) {
            return Err(Unreportable::Twice { place, game });
        }
        report.add(&record);
        Ok(())
    })?;
    Ok((report, is_whole))
}

/// The engines of the games in a record, in the order of the first game of each, and the number of seats.
fn names_and_seats(file: &GameFile, path: &Path) -> Result<(Vec<String>, usize), Unreportable> {
    let mut seats = None;
    let mut first_seats: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    file.for_each(|_, game| {
        let Ok(record) = game else { return Ok(()) };
        seats.get_or_insert(record.seats.len());
        for (seat, name) in record.seats.into_iter().enumerate() {
            let here = (record.game, seat);
            let first = first_seats.entry(name).or_insert(here);
            *first = here.min(*first);
        }
        Ok::<(), Unreportable>(())
    })?;
    let mut names: Vec<(String, (u64, usize))> = first_seats.into_iter().collect();
    names.sort_by_key(|&(_, first)| first);
    let seats = seats.ok_or_else(|| Unreportable::Empty(path.to_path_buf()))?;
    Ok((names.into_iter().map(|(name, _)| name).collect(), seats))
}

fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
