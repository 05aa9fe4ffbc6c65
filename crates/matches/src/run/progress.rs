//! The display of a running match: a progress bar on a terminal, otherwise one line per game.

use std::cell::Cell;
use std::fmt;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

use crate::output::{OutputClosed, error_width, print};
use crate::record::GameRecord;
use crate::record::printable::{printable, printable_lines};
use crate::report::{Report, ordinal};

/// Least interval between two updates of the table on a terminal.
const TABLE_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub enum Progress {
    /// A bar and the current table, on standard error.
    Live {
        /// Games, speed and remaining time.
        bar: ProgressBar,
        /// Table below the bar.
        table: ProgressBar,
        /// Time of its last update.
        drawn: Cell<Option<Instant>>,
    },
    /// Lines on standard output.
    Lines { games: u64 },
}

impl Progress {
    /// Creates a bar with a table if standard error is a terminal, otherwise lines. `played` games are from earlier
    /// runs.
    pub fn new(games: u64, played: u64) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress::Lines { games };
        }
        let template = "{bar:30} {pos}/{len} games  {speed}  {eta} left  {prefix}{wide_msg}";
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let speed = |state: &ProgressState, text: &mut dyn fmt::Write| {
            // Without the speed, the bar is still useful.
            let _ = write!(text, "{:.1} games/s", state.per_sec());
        };
        let style = style.with_key("speed", speed);
        let both = MultiProgress::new();
        let bar = both.add(ProgressBar::new(games).with_style(style.progress_chars("━╸─")));
        let bar = bar.with_position(played);
        // Games of earlier runs must not affect the speed.
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(200));
        let plain = ProgressStyle::with_template("{msg}");
        let plain = plain.unwrap_or_else(|_| ProgressStyle::default_bar());
        let table = both.add(ProgressBar::no_length().with_style(plain));
        Progress::Live { bar, table, drawn: Cell::new(None) }
    }

    /// Shows a finished game that the report has counted.
    ///
    /// # Errors
    /// [`OutputClosed`] if standard output is closed.
    pub fn game(&self, record: &GameRecord, report: &Report) -> Result<(), OutputClosed> {
        match self {
            Progress::Live { bar, table, drawn } => {
                bar.set_message(llr(report).trim_start().to_string());
                bar.set_position(report.played());
                let is_fresh = |at: Instant| at.elapsed() < TABLE_INTERVAL;
                if !drawn.get().is_some_and(is_fresh) {
                    drawn.set(Some(Instant::now()));
                    let text = report.engines().text_within(error_width());
                    table.set_message(text.trim_end().to_string());
                }
                if record.fault.is_some() {
                    bar.println(format!("game {}: {}", record.game, describe(record)));
                }
                Ok(())
            }
            Progress::Lines { games } => {
                let width = games.to_string().len();
                let count = report.played();
                let (game, description) = (record.game, describe(record) + &llr(report));
                print(&format!("{count:>width$}/{games}  game {game:>width$}: {description}\n"))
            }
        }
    }

    /// Returns the bar, whose prefix tells what else is being done; hidden without a terminal.
    pub fn activity(&self) -> ProgressBar {
        match self {
            Progress::Live { bar, .. } => bar.clone(),
            Progress::Lines { .. } => ProgressBar::hidden(),
        }
    }

    /// Shows a message between the games; it ends with a newline.
    ///
    /// # Errors
    /// [`OutputClosed`] if standard output is closed.
    pub fn say(&self, text: &str) -> Result<(), OutputClosed> {
        match self {
            Progress::Live { bar, .. } => {
                bar.println(printable_lines(text.trim_end()));
                Ok(())
            }
            Progress::Lines { .. } => print(text),
        }
    }

    pub fn finish(&self) {
        if let Progress::Live { bar, table, .. } = self {
            table.finish_and_clear();
            bar.finish_and_clear();
        }
    }
}

/// A bar for the luck of stored games; hidden unless standard error is a terminal.
pub(super) fn luck_bar(games: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} luck of {pos}/{len} games  {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(games as u64).with_style(style.progress_chars("━╸─"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Describes a game in one line: places in seat order, its length, and its fault.
fn describe(record: &GameRecord) -> String {
    let seats = record.seats.iter().zip(&record.places);
    let places: Vec<String> = seats
        .map(|(name, &place)| format!("{} {}", printable(name), ordinal(place as usize)))
        .collect();
    let plies = record.plies();
    let micros = record.turns.iter().filter_map(|turn| turn.micros).sum();
    let time = duration(Duration::from_micros(micros));
    let mut line = format!("{}  ({plies} plies, {time})", places.join(", "));
    if let Some((fault, name, ending)) = record.named_fault() {
        let (name, reason) = (printable(name), printable(&fault.reason));
        line += &format!("  {name}, seat {}: {ending}: {reason}", fault.seat);
    }
    line
}

/// Formats the LLR of the test; empty without a test.
fn llr(report: &Report) -> String {
    report.llr().map_or_else(String::new, |llr| format!("  LLR {llr:.2}"))
}

pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        1..60 => format!("{seconds:.1} s"),
        whole @ 60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        whole => format!("{} h {} min", whole / 3600, whole / 60 % 60),
    }
}
