//! Parts shared by the commands that analyse recorded games: selection, progress bar, heading and exit status.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use matches::archive::game_file::{GameFile, GameFileError};
use matches::archive::replay;
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::record::GameRecord;
use matches::record::digest::KeptGame;

use super::exit;

/// Selection of games by their numbers.
pub enum Wanted<'a> {
    /// Every n-th game, starting with the first.
    Sample(u64),
    /// Only these games; unreadable lines are ignored.
    Named(&'a [u64]),
}

impl Wanted<'_> {
    fn has(&self, game: u64) -> bool {
        match self {
            Wanted::Sample(step) => game.saturating_sub(1).is_multiple_of(*step),
            Wanted::Named(games) => games.contains(&game),
        }
    }
}

/// Returns the exit status of a command that skipped `left_out` games; prints the problem if it failed.
pub fn ended<E: Display>(left_out: Result<u64, E>, interrupt: &Interrupt) -> ExitCode {
    match left_out {
        Err(problem) => exit::fail(exit::USAGE, problem),
        Ok(_) if interrupt.is_set() => ExitCode::from(exit::INTERRUPTED),
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(exit::WRONG),
    }
}

/// Returns the selected games, at most `most`, sorted by number, and the number of invalid games skipped. Prints the
/// flaw of each skipped game.
///
/// # Errors
/// [`GameFileError`] if the file cannot be read.
pub fn choose(
    file: &Path,
    wanted: &Wanted<'_>,
    most: Option<u64>,
) -> Result<(Vec<GameRecord>, u64), GameFileError> {
    let most = most.unwrap_or(u64::MAX);
    let (mut games, mut unreadable, mut wrong) = (Vec::new(), 0, 0);
    GameFile::open(file)?.for_each_sorted(
        |place, flaw| {
            if let Wanted::Sample(_) = wanted {
                unreadable += 1;
                exit::complain(format_args!("{place}: {flaw}"));
            }
        },
        |kept: KeptGame| {
            let record = kept.record;
            if !wanted.has(record.game) || games.len() as u64 >= most {
                return Ok::<(), GameFileError>(());
            }
            match replay::check(&record).first() {
                None => games.push(record),
                Some(flaw) => {
                    wrong += 1;
                    let file = file.display();
                    exit::complain(format_args!("{file}: game {}: {flaw}", record.game));
                }
            }
            Ok(())
        },
    )?;
    Ok((games, unreadable + wrong))
}

/// Progress bar over the moves of the games; hidden unless standard error is a terminal.
pub fn progress(games: &[GameRecord]) -> ProgressBar {
    let turns: usize = games.iter().map(|game| game.turns.len()).sum();
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} moves  {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(turns as u64).with_style(style.progress_chars("━╸─"))
}

/// One line that says what was `done`, such as "judged", and by which engine.
pub fn heading(
    file: &Path,
    [games, moves, left_out]: [u64; 3],
    done: &str,
    engine: &EngineSpec,
) -> String {
    let games = match games {
        1 => "1 game".to_string(),
        games => format!("{games} games"),
    };
    let left_out = match left_out {
        0 => String::new(),
        left_out => format!("; {left_out} left out"),
    };
    let (file, name, limit) = (file.display(), &engine.name, engine.limit.in_words());
    format!("{file}: {games}, {moves} moves {done} by {name} ({limit}){left_out}\n")
}
