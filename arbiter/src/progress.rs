//! What is seen while a match is played: a progress bar on a terminal, else a line for each game.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::record::GameRecord;
use crate::report::{ordinal, percent};
use crate::score::Standings;

/// Engines of which the bar shows the share.
const SHOWN_SHARES: usize = 4;

/// Shows how a match goes on.
#[derive(Debug)]
pub enum Progress {
    /// A bar on standard error.
    Bar(ProgressBar),
    /// Lines on standard output.
    Lines {
        /// Number of games of the match.
        games: u64,
    },
}

impl Progress {
    /// A bar if standard error is a terminal, else lines.
    pub fn new(games: u64) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress::Lines { games };
        }
        let template = "{bar:30} {pos}/{len} games  {per_sec}, {eta} left  {wide_msg}";
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(games).with_style(style.progress_chars("━╸─"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress::Bar(bar)
    }

    /// Shows a game that has ended, already counted in `standings`.
    pub fn game(&self, record: &GameRecord, standings: &Standings) {
        match self {
            Progress::Bar(bar) => {
                if record.fault.is_some() {
                    bar.println(describe(record));
                }
                bar.set_message(shares(standings));
                bar.set_position(standings.games());
            }
            Progress::Lines { games } => {
                let width = games.to_string().len();
                let count = standings.games();
                // A closed output is no reason to stop a match that is recorded.
                let _ = writeln!(
                    io::stdout(),
                    "{count:>width$}/{games}  {}",
                    describe(record)
                );
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// A game in one line: who came where in seat order, its length, and what went wrong.
fn describe(record: &GameRecord) -> String {
    let seats = record.seats.iter().zip(&record.places);
    let places: Vec<String> = seats
        .map(|(name, &place)| format!("{name} {}", ordinal(place as usize)))
        .collect();
    let plies = record
        .moves
        .split_whitespace()
        .filter(|word| !word.starts_with('+'))
        .count();
    let seconds = record.turns.iter().map(|turn| turn.micros).sum::<u64>() as f64 / 1e6;
    let mut line = format!(
        "game {}: {}  ({plies} plies, {seconds:.1} s)",
        record.game,
        places.join(", ")
    );
    if let Some(fault) = &record.fault {
        let seat = (fault.seat as usize).wrapping_sub(1);
        let ending = record
            .endings
            .get(seat)
            .map_or("fault", |ending| ending.name());
        line += &format!("  seat {}: {ending}: {}", fault.seat, fault.reason);
    }
    line
}

/// The shares of the first few engines.
fn shares(standings: &Standings) -> String {
    let engines = standings.engines().take(SHOWN_SHARES);
    let shares: Vec<String> = engines
        .filter_map(|(name, tally)| Some(format!("{name} {}", percent(tally.share()?))))
        .collect();
    shares.join("  ")
}
