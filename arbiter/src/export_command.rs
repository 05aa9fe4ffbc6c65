//! `arbiter export`: recorded games as JSON Lines or as text, sorted by number.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use arbiter::args::{ExportArgs, ExportFormat};
use arbiter::game_file::{GameFile, GameFileError};
use arbiter::record::GameRecord;
use arbiter::replay;
use thiserror::Error;

/// Exit code where a line is left out.
const WRONG: u8 = 1;
/// Exit code where the file cannot be read.
const USAGE: u8 = 2;
/// Exit code where the games cannot be written.
const STORAGE: u8 = 3;

/// Why no more games are exported.
#[derive(Debug, Error)]
enum ExportError {
    #[error(transparent)]
    File(#[from] GameFileError),
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

/// Prints the games of a file.
pub fn export(args: &ExportArgs) -> ExitCode {
    match write_games(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(WRONG),
        // Whoever closed the output has seen enough.
        Err(ExportError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error @ ExportError::Output(_)) => fail(STORAGE, &error),
        Err(error @ ExportError::File(_)) => fail(USAGE, &error),
    }
}

/// Writes all games to standard output; returns whether every line of the file was one.
fn write_games(args: &ExportArgs) -> Result<bool, ExportError> {
    let mut output = BufWriter::new(io::stdout().lock());
    let mut is_whole = true;
    let on_flaw = |place: arbiter::game_file::Place<'_>, flaw: replay::Flaw| {
        is_whole = false;
        let _ = writeln!(io::stderr(), "{place}: {flaw}");
    };
    GameFile::open(&args.file)?.for_each_sorted(on_flaw, |record| {
        let record = match args.without_clock {
            true => record.without_clock(),
            false => record,
        };
        write_game(&mut output, &record, args.format)
    })?;
    output.flush()?;
    Ok(is_whole)
}

fn write_game(
    output: &mut impl Write,
    record: &GameRecord,
    format: ExportFormat,
) -> Result<(), ExportError> {
    match format {
        ExportFormat::JsonLines => {
            serde_json::to_writer(&mut *output, record).map_err(io::Error::from)?;
            output.write_all(b"\n")?;
        }
        ExportFormat::Text => output.write_all(replay::game_text(record).as_bytes())?,
    }
    Ok(())
}

fn fail(code: u8, error: &ExportError) -> ExitCode {
    let _ = writeln!(io::stderr(), "error: {error}");
    ExitCode::from(code)
}
