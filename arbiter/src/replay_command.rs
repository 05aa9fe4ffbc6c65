//! `arbiter replay`: checks a file of recorded games, or shows one of them.

use std::io::{self, Write};
use std::process::ExitCode;

use arbiter::args::ReplayArgs;
use arbiter::game_file::{GameFile, GameFileError, Place};
use arbiter::record::GameRecord;
use arbiter::replay;

/// Exit code where a game is not in order.
const WRONG: u8 = 1;
/// Exit code where the file cannot be read or the game is not in it.
const USAGE: u8 = 2;

/// Checks a file, or shows a game of it; the exit code is 1 if anything is wrong.
pub fn replay(args: &ReplayArgs) -> ExitCode {
    let file = args.file.display();
    let checked = match check_file(args) {
        Ok(checked) => checked,
        Err(error) => return fail(&error.to_string()),
    };
    match args.game {
        Some(wanted) if checked.games == 0 => {
            return fail(&format!("--game: {file} has no game {wanted}"));
        }
        Some(_) => {}
        None if checked.games == 1 => say(&format!("{file}: 1 game, {}\n", checked.verdict())),
        None => say(&format!(
            "{file}: {} games, {}\n",
            checked.games,
            checked.verdict()
        )),
    }
    match checked.wrong {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(WRONG),
    }
}

/// How many games were looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Checked {
    games: u64,
    wrong: u64,
}

impl Checked {
    fn verdict(self) -> String {
        match self.wrong {
            0 => "all in order".to_string(),
            wrong => format!("{wrong} wrong"),
        }
    }
}

/// Looks at the games that are asked for; says what is wrong with each.
fn check_file(args: &ReplayArgs) -> Result<Checked, GameFileError> {
    let mut checked = Checked::default();
    GameFile::open(&args.file)?.for_each(|place, game| {
        let is_in_order = match (game, args.game) {
            (Ok(record), Some(wanted)) if record.game != wanted => return Ok(()),
            (Ok(record), wanted) => check_game(&record, wanted.is_some(), place),
            // A line that cannot be read is not the game that is asked for.
            (Err(_), Some(_)) => return Ok(()),
            (Err(flaw), None) => {
                say(&format!("{place}: {flaw}\n"));
                false
            }
        };
        checked.games += 1;
        checked.wrong += u64::from(!is_in_order);
        Ok::<(), GameFileError>(())
    })?;
    Ok(checked)
}

fn check_game(record: &GameRecord, is_shown: bool, place: Place<'_>) -> bool {
    if is_shown {
        say(&replay::show(record));
    }
    let flaws = replay::check(record);
    for flaw in &flaws {
        say(&format!("{place}: game {}: {flaw}\n", record.game));
    }
    flaws.is_empty()
}

fn say(text: &str) {
    // Whoever closes the output has seen enough.
    let _ = io::stdout().write_all(text.as_bytes());
}

fn fail(error: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "error: {error}");
    ExitCode::from(USAGE)
}
