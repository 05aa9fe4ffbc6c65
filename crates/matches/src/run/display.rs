//! The output of a match: its header or its schedule, the progress of its games (a bar on a terminal, otherwise one
//! line per game), and the lines below its tables.

use std::cell::Cell;
use std::env;
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

use super::{Match, SourceError};
use crate::output::{OutputClosed, error_width, print};
use crate::plan::rules::PositionError;
use crate::plan::schedule::Schedule;
use crate::plan::{EngineSpec, LuckBy, Plan};
use crate::record::GameRecord;
use crate::record::printable::{printable, printable_lines};
use crate::report::{Report, ordinal};
use crate::score::Verdict;
use crate::spelling::quote_path;

/// Least interval between two updates of the table on a terminal.
const TABLE_INTERVAL: Duration = Duration::from_millis(500);

/// Number of combinations of engines in a remark; the others are only counted.
const MAX_LISTED_TEAMS: usize = 5;
/// Bytes of a schedule to print at a time.
const PIECE: usize = 1 << 16;

/// Returns the header: the variant, the engines with their limits, the isolation and the remarks.
pub fn header(
    plan: &Plan,
    id_names: &[Option<String>],
    sandbox: &str,
    remarks: &[String],
) -> String {
    let block = plan.line_ups().games_per_block();
    let blocks = plan.games / block;
    let at_most = plan.sprt.map_or("", |_| "at most ");
    let mut text = format!(
        "{}, {} seats, {at_most}{} in {} of {block}, {}\n",
        plan.rules.name(),
        plan.seats,
        count(plan.games, "game"),
        count(blocks, "block"),
        if plan.seed.is_secret() {
            "secret seed".to_string()
        } else {
            format!("seed {}", plan.seed)
        },
    );
    if let Some(sprt) = plan.sprt {
        text += &format!("test: {sprt}\n");
    }
    text += &format!("{sandbox}\n");
    for remark in remarks {
        text += &format!("note: {remark}\n");
    }
    let widths = plan.engines.iter().map(|engine| engine.name.chars().count());
    let width = widths.max().unwrap_or(0);
    for (engine, id_name) in plan.engines.iter().zip(id_names) {
        text += &format!("  {:width$}  {}\n", engine.name, settings(engine, id_name.as_deref()));
    }
    text
}

/// Returns a remark on the combinations of engines that the number of games leaves out.
pub fn unplayed(plan: &Plan) -> Option<String> {
    let line_ups = plan.line_ups();
    let (all, block) = (line_ups.count(), line_ups.games_per_block());
    let missing = plan.games / block..all;
    let left_out = missing.end.saturating_sub(missing.start);
    let names = |line_up| {
        let seats = line_ups.seating(line_up, 0).into_iter();
        let names = seats.map(|seated| plan.engines[seated.engine].name.as_str());
        names.collect::<Vec<&str>>().join(" - ")
    };
    let listed: Vec<String> = missing.take(MAX_LISTED_TEAMS).map(names).collect();
    let more = match left_out.saturating_sub(MAX_LISTED_TEAMS as u64) {
        0 => String::new(),
        more => format!(" and {}", count(more, "other combination")),
    };
    let games = plan.games;
    (left_out > 0).then(|| {
        format!(
            "{} leave out {}{more}: a round of all combinations has {}",
            count(games, "game"),
            listed.join(", "),
            count(all * block, "game")
        )
    })
}

fn settings(engine: &EngineSpec, id_name: Option<&str>) -> String {
    let mut words = vec![engine.limit.in_words()];
    words.extend(engine.switches());
    words.extend(engine.options.iter().map(|(name, value)| format!("{name}={value}")));
    words.extend(id_name.map(|name| format!("({name})")));
    words.join("  ")
}

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
        let speed = |state: &ProgressState, text: &mut dyn Write| {
            // Without the speed, the bar is still useful.
            let _ = write!(text, "{:.1} games/s", state.per_sec());
        };
        let style = progress_style(template).with_key("speed", speed);
        let both = MultiProgress::new();
        let bar = both.add(ProgressBar::new(games).with_style(style)).with_position(played);
        // Games of earlier runs must not affect the speed.
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(200));
        let table = both.add(ProgressBar::no_length().with_style(progress_style("{msg}")));
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

/// Style of a progress bar, as of [`ProgressStyle::with_template`]; the usual one if the template is invalid.
pub fn progress_style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─")
}

/// A bar for the luck of stored games; hidden unless standard error is a terminal.
pub(super) fn luck_bar(games: usize) -> ProgressBar {
    let style = progress_style("{bar:30} luck of {pos}/{len} games  {eta} left");
    let bar = ProgressBar::new(games as u64).with_style(style);
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

/// Formats a number with its noun, such as `1 game` or `2 games`.
pub fn count(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Prints the games of the match, one per line, until standard output is closed: number and block, the engine of each
/// seat, the seed of the cards, and the opening as arguments of `position`.
///
/// # Errors
/// [`PositionError`] if an opening of the plan cannot be played.
pub fn print_schedule(plan: &Plan) -> Result<(), PositionError> {
    let schedule = Schedule::new(plan)?;
    let mut text = String::new();
    for number in 1..=plan.games {
        let game = schedule.game(number)?;
        let name = |engine: usize| plan.engines[engine].name.as_str();
        let seats: Vec<&str> = game.seats.iter().map(|seated| name(seated.engine)).collect();
        // Writing to a string never fails.
        let _ = writeln!(
            text,
            "game {number}  block {}  {}  cards {}  {}",
            game.block,
            seats.join(", "),
            game.deck_seed,
            game.opening,
        );
        if text.len() >= PIECE || number == plan.games {
            if print(&text).is_err() {
                break;
            }
            text.clear();
        }
    }
    Ok(())
}

/// Returns the number of games, their time, the files that contain them, the source's remarks, and notes about
/// engines; each line ends with a line feed.
pub(super) fn footer(
    ended: &Match,
    elapsed: Duration,
    outcome: &Result<(), SourceError>,
    remarks: &str,
) -> String {
    let mut text = games_in_words(ended, elapsed, outcome);
    let games = ended.ledger.report.played();
    if let Some(file) = ended.ledger.record_file.as_ref().filter(|_| games > 0) {
        text += &format!(", recorded in {}", file.path().display());
    }
    if let Some(store) = &ended.ledger.store {
        text += &format!(", stored in {}", store.path().display());
        if !ended.is_over() {
            let path = quote_path(store.path());
            let forgive = if ended.ledger.retired.is_empty() { "" } else { " --forgive" };
            let luck_engine = match (ended.plan.luck.by, &ended.luck) {
                (Some(LuckBy::Engine { .. }), Some(luck)) => format!(" {}", luck.flag()),
                (Some(LuckBy::Engine { .. }), None) => " --luck-engine ...".to_string(),
                _ => String::new(),
            };
            let program = program();
            let outputs = ended.outputs.flags();
            text +=
                &format!("; `{program} resume {path}{outputs}{forgive}{luck_engine}` continues it");
            if let Err(SourceError::Rules(_)) = outcome {
                text += "; if the rules program has changed, with --changed-engines";
            }
        }
    }
    if ended.ledger.store.is_none() && games > 0 {
        text += match ended.ledger.record_file {
            Some(_) => ", not stored",
            None => ", not stored: `--store FILE` keeps the games",
        };
    }
    text += "\n";
    text += remarks;
    if ended.ledger.reruns > 0 {
        let reruns = ended.ledger.reruns;
        text += &format!("games rerun after a suspect loss: {reruns}\n");
    }
    if !ended.ledger.retired.is_empty() {
        text += &format!("retired: {}\n", ended.ledger.retired.join(", "));
    }
    if let Some(seed) = ended.known_seed().filter(|seed| seed.is_secret()) {
        text += &format!("seed: {seed}\n");
    }
    text
}

fn games_in_words(ended: &Match, elapsed: Duration, outcome: &Result<(), SourceError>) -> String {
    let (all, time) = (ended.plan.games, duration(elapsed));
    let report = &ended.ledger.report;
    let games = report.played();
    let before = match ended.past.played.len() {
        0 => String::new(),
        before => format!(", {before} of them in earlier runs"),
    };
    if outcome.is_err() {
        return format!("{games} of {all} games in {time}{before}");
    }
    if report.verdict() != Verdict::Open {
        let judged = report.judged();
        let games_in_words = count(judged, "game");
        let more = match games - judged {
            0 => String::new(),
            more => format!(", {more} more played and not counted"),
        };
        return format!("{games_in_words} in {time}{before}, ended by the test{more}");
    }
    if games == all {
        return format!("{} in {time}{before}", count(games, "game"));
    }
    let reason = if ended.ledger.retired.is_empty() || ended.ledger.interrupt.ends() {
        " (interrupted)"
    } else {
        ", because an engine was retired"
    };
    format!("{games} of {all} games in {time}{before}{reason}")
}

/// This program as the user called it, since it need not be on the `PATH`.
fn program() -> String {
    let called = env::args_os().next();
    called.map_or("arbiter".to_string(), |program| quote_path(Path::new(&program)))
}
