//! `arbiter export`: prints recorded games as JSON Lines or as text, sorted by number, or the settings of a match.

use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arbiter::args::{ExportArgs, ExportFormat};
use arbiter::reports;
use matches::archive::game_file::{GameFile, GameFileError};
use matches::archive::replay;
use matches::record::digest::{KeptGame, MatchDigest};
use matches::record::printable::{printable_json, printable_lines};
use settings::config;
use thiserror::Error;

use super::exit;

type Output = BufWriter<StdoutLock<'static>>;

/// Errors that stop the export.
#[derive(Debug, Error)]
enum ExportError {
    #[error(transparent)]
    File(#[from] GameFileError),
    #[error("{}: a record contains no settings, expected a store", .0.display())]
    NoSettings(PathBuf),
    #[error("{}: {reason}", path.display())]
    Settings {
        path: PathBuf,
        reason: toml::ser::Error,
    },
    #[error(
        "{}: a setting contains invisible characters, which TOML cannot escape: {shown}", path.display()
    )]
    Hidden { path: PathBuf, shown: String },
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

/// Prints the games, or the settings, of a file.
pub fn export(args: &ExportArgs) -> ExitCode {
    match write(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(exit::WRONG),
        // A closed pipe is not an error.
        Err(ExportError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error @ ExportError::Output(_)) => exit::fail(exit::STORAGE, error),
        Err(error) => exit::fail(exit::USAGE, error),
    }
}

/// Writes the requested text to standard output; returns `true` if nothing was skipped.
fn write(args: &ExportArgs) -> Result<bool, ExportError> {
    match args.format {
        ExportFormat::JsonLines => write_games(args, write_json),
        ExportFormat::Text => write_games(args, |output, kept| {
            let text = reports::game_text(&kept.record);
            Ok(output.write_all(printable_lines(&text).as_bytes())?)
        }),
        ExportFormat::Config => write_settings(&args.file).map(|()| true),
    }
}

/// Writes all games to standard output; returns `true` if every line of the file was a game.
fn write_games(
    args: &ExportArgs,
    write_game: impl Fn(&mut Output, &KeptGame) -> Result<(), ExportError>,
) -> Result<bool, ExportError> {
    let mut output = BufWriter::new(io::stdout().lock());
    let mut is_whole = true;
    let (mut digest, mut games) = (MatchDigest::default(), 0);
    let on_flaw = |place: matches::archive::game_file::Place<'_>, flaw: replay::Flaw| {
        is_whole = false;
        exit::complain(format_args!("{place}: {flaw}"));
    };
    GameFile::open(&args.file)?.for_each_sorted(on_flaw, |kept| {
        games += 1;
        // The digest is of the game as it is, not the one stored with it.
        digest.add(&kept.record.digest());
        let kept = match args.without_clock {
            true => kept.without_clock(),
            false => kept,
        };
        write_game(&mut output, &kept)
    })?;
    output.flush()?;
    let digest = digest.text();
    match games {
        0 => {}
        1 => exit::complain(format_args!("digest of 1 game: {digest}")),
        _ => exit::complain(format_args!("digest of {games} games: {digest}")),
    }
    Ok(is_whole)
}

/// Writes the settings of a match to standard output.
fn write_settings(path: &Path) -> Result<(), ExportError> {
    let GameFile::Store(store) = GameFile::open(path)? else {
        return Err(ExportError::NoSettings(path.to_path_buf()));
    };
    let plan = store.plan().map_err(GameFileError::from)?;
    let text = config::text(&plan).map_err(|reason| ExportError::Settings {
        path: path.to_path_buf(),
        reason,
    })?;
    // Some TOML strings have no escapes, so invisible characters would stay invisible.
    let hidden = text.lines().find(|line| printable_lines(line) != *line);
    if let Some(line) = hidden {
        return Err(ExportError::Hidden {
            path: path.to_path_buf(),
            shown: printable_lines(line).into_owned(),
        });
    }
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    Ok(output.flush()?)
}

fn write_json(output: &mut Output, kept: &KeptGame) -> Result<(), ExportError> {
    let line = serde_json::to_string(kept).map_err(io::Error::from)?;
    Ok(writeln!(output, "{}", printable_json(&line))?)
}
