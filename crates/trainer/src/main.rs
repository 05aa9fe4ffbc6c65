//! The trainer program.

use std::error::Error;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use buxtehude::eval::hase::{Net, Weights};
use buxtehude::rules::hase::HARE_AND_TORTOISE;
use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use matches::own_files::{NamedFile, refuse_overwriting};
use matches::play::interrupt::Interrupt;
use matches::record::printable::printable_lines;
use matches::run::display::duration;
use matches::run::exit::{ExitError, INTERRUPTED, print_error};
use matches::run::signals;
use matches::spelling::join;
use trainer::course::{Course, CourseError, NODES};
use trainer::endings::Solver;
use trainer::measure::{self, GAME_PARTS, calibrations, compare, whole};
use trainer::player::Player;
use trainer::records::{RecordedGame, ruleset};
use trainer::{endings, facts, records, self_play};

/// Learns the weights of buxtehude's evaluation from games against itself
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Learns the weights for a variant and a number of seats; resumes an interrupted run
    Learn(Box<Learn>),
    /// Learns all weights shipped with the engine, one after the other
    LearnAll {
        /// Directory of the weights files
        #[arg(long, default_value = "data/nets")]
        output: PathBuf,
        /// Learn only the weights for these numbers of seats
        #[arg(long, num_args = 1.., default_values_t = [2, 3, 4, 5, 6])]
        seats: Vec<usize>,
    },
    /// Plays games of a net against itself and writes them as JSON Lines
    Games {
        /// Weights file
        #[arg(long)]
        weights: PathBuf,
        /// Number of games
        #[arg(long, default_value_t = 1000)]
        games: usize,
        #[command(flatten)]
        play: Play,
    },
    /// Plays two nets against each other, each opening with the same cards in both seatings
    Compare {
        /// Weights files of both nets
        #[arg(num_args = 2, required = true)]
        weights: Vec<PathBuf>,
        /// Number of openings
        #[arg(long, default_value_t = 2000)]
        openings: usize,
        #[command(flatten)]
        play: Play,
    },
    /// Measures how well nets predict recorded games
    Measure {
        /// Games as JSON Lines, from `games` or from the arbiter's `--record` or `export`
        games: PathBuf,
        /// Weights files
        #[arg(long, required = true, num_args = 1..)]
        weights: Vec<PathBuf>,
        /// Plot the calibration curves of the first net to this file, as SVG
        #[arg(long)]
        plot: Option<PathBuf>,
    },
    /// Solves the endings of recorded two-seat games and measures the error of a net, with and without search
    Endings {
        /// Games as JSON Lines, as for `measure`
        games: PathBuf,
        /// Weights file
        #[arg(long)]
        weights: PathBuf,
        /// Use positions with both hares at most this many turns from home
        #[arg(long, default_value_t = 3)]
        turns: u32,
        /// Nodes of the engine's search
        #[arg(long, default_value_t = NODES, value_parser = clap::value_parser!(u64).range(1..))]
        nodes: u64,
        /// Largest number of positions to visit when solving an ending
        #[arg(long, default_value_t = 1_000_000)]
        positions: usize,
    },
    /// Prints statistics of recorded games: lengths, cards, repetitions, places and luck
    Facts {
        /// Games as JSON Lines, as for `measure`, all with the same number of seats
        #[arg(required = true)]
        games: Vec<PathBuf>,
        /// Plies searched for the effect of a card [default: 6 for two seats, 2 for more]
        // A deeper search would take days.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=20))]
        depth: Option<u32>,
    },
}

#[derive(Args)]
struct Play {
    /// Nodes of the engine's search per move; with 0, moves are chosen by static evaluation
    #[arg(long, default_value_t = NODES)]
    nodes: u64,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Args)]
struct Learn {
    #[command(flatten)]
    course: Course,
    /// Weights to start from, for any board
    #[arg(long)]
    from: Option<PathBuf>,
    /// Weights file to write
    #[arg(long)]
    output: PathBuf,
    /// Overwrite an output with weights for another game or number of seats
    #[arg(long)]
    force: bool,
}

/// Rounds on another board, starting from the weights of the first.
const ROUNDS_CARRIED_OVER: u64 = 100;
const LAST_ROUNDS_CARRIED_OVER: u64 = 150;

/// Rounds between two log lines, if there is no progress bar.
const ROUNDS_A_LINE: u64 = 10;

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut text = error.to_string();
            let interrupted = error.downcast_ref::<CourseError>();
            let is_interrupted = matches!(interrupted, Some(CourseError::Interrupted { .. }));
            if is_interrupted {
                text += &format!("; to continue: {}", command_line());
            }
            // If standard error fails too, there is no one left to inform.
            let _ = writeln!(io::stderr(), "trainer: {}", printable_lines(&text));
            if is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::FAILURE }
        }
    }
}

/// The command line of this process, quoted for a shell.
fn command_line() -> String {
    let words: Vec<String> = std::env::args().collect();
    join(words.iter().map(String::as_str))
}

/// Returns a flag that the first signal sets; the second one ends the process.
fn interrupt() -> Result<Interrupt, ExitError> {
    let interrupt = Interrupt::new();
    let flag = interrupt.clone();
    signals::listen(&interrupt, move || {
        if flag.is_set() {
            std::process::exit(INTERRUPTED.into());
        }
        flag.set();
        print_error(
            "stopping; interrupt again to stop at once, with the rounds up to the last multiple of ten",
        );
    })?;
    Ok(interrupt)
}

fn run(command: Command) -> Result<(), Box<dyn Error>> {
    let mut output = BufWriter::new(io::stdout().lock());
    match command {
        Command::Learn(learn) => {
            let Learn { mut course, from, output, force } = *learn;
            if let Some(from) = &from {
                course.from = Some(read_weights(from)?);
                refuse_overwriting(&[
                    NamedFile::input("--from", from),
                    NamedFile::output("--output", &output),
                ])?;
            }
            if !force {
                course.check_output(&output)?;
            }
            run_course(&course, &output, &interrupt()?)?;
        }
        Command::LearnAll { output, seats } => learn_all(&output, &seats, &interrupt()?)?,
        Command::Games { weights: path, games, play } => {
            let weights = read_weights(&path)?;
            let player = Player::new(ruleset(&weights.variant)?, &weights, play.nodes);
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            for game in self_play::recorded(player, &name, play.seed).take(games) {
                writeln!(output, "{}", serde_json::to_string(&game)?)?;
            }
        }
        Command::Compare { weights: paths, openings, play } => {
            // The parser accepts exactly two.
            let weights = [read_weights(&paths[0])?, read_weights(&paths[1])?];
            if weights[0].seats != weights[1].seats || weights[0].variant != weights[1].variant {
                return Err("expected weights for the same variant and number of seats".into());
            }
            let ruleset = ruleset(&weights[0].variant)?;
            let mut players = weights.map(|weights| Player::new(ruleset, &weights, play.nodes));
            let (share, error) = compare(&mut players, openings, play.seed);
            let first = paths[0].display();
            writeln!(output, "{first} takes {share:.2} % ± {error:.2} of the points")?;
        }
        Command::Measure { games, weights, plot } => {
            let plot_file = plot.as_deref().map(|path| NamedFile::output("--plot", path));
            let read = weights
                .iter()
                .map(|path| NamedFile::input("--weights", path))
                .chain([NamedFile::input("the games", &games)]);
            refuse_overwriting(&plot_file.into_iter().chain(read).collect::<Vec<_>>())?;
            let games = finished_games(&games)?;
            for (index, path) in weights.iter().enumerate() {
                let weights = read_weights(path)?;
                let net = Net::new(ruleset(&weights.variant)?, &weights);
                let parts = calibrations(&net, &games);
                writeln!(output, "{}: {} games", path.display(), games.len())?;
                for (part, name) in parts.iter().zip(GAME_PARTS) {
                    writeln!(output, "{name}: {part}")?;
                }
                writeln!(output, "all: {}", whole(&parts))?;
                if let (0, Some(plot)) = (index, &plot) {
                    let title = format!("{} seats, {} games", net.seats(), games.len());
                    measure::plot(plot, &title, &parts)?;
                }
            }
        }
        Command::Endings { games, weights, turns, nodes, positions } => {
            let weights = read_weights(&weights)?;
            let games = finished_games(&games)?;
            if weights.seats != 2 || games.iter().any(|game| game.seats() != 2) {
                return Err("expected weights and games for two seats".into());
            }
            let mut player = Player::new(ruleset(&weights.variant)?, &weights, nodes);
            let errors = endings::errors(&mut player, &games, turns, &mut Solver::new(positions));
            writeln!(output, "{errors}")?;
        }
        Command::Facts { games, depth } => {
            let (tables, skipped) = facts::of_files(&games, depth)?;
            output.write_all(tables.as_bytes())?;
            if skipped > 0 {
                output.flush()?;
                return Err(format!("{skipped} lines skipped").into());
            }
        }
    }
    output.flush()?;
    Ok(())
}

/// Runs a course with a progress bar or, if that is not visible, a line from time to time.
fn run_course(course: &Course, output: &Path, interrupt: &Interrupt) -> Result<(), Box<dyn Error>> {
    let whole = course.whole();
    let bar = ProgressBar::new(whole)
        .with_style(ProgressStyle::with_template("{prefix} {bar:30} round {pos} of {len}, {msg}")?);
    bar.set_prefix(format!("{} {}", course.ruleset.name, course.seats));
    bar.enable_steady_tick(Duration::from_millis(200));
    let begun = Instant::now();
    let mut done = 0;
    let finished = course.run(output, interrupt, &mut |round| {
        done += 1;
        bar.set_position(round.round);
        let samples_a_game = round.samples as f64 / round.games as f64;
        let news = format!(
            "cross-entropy {:.4}, {samples_a_game:.1} samples per game, {}",
            round.loss,
            left(course, begun.elapsed(), done, round.round)
        );
        if bar.is_hidden() && (done == 1 || round.round % ROUNDS_A_LINE == 0) {
            let _ = writeln!(io::stderr(), "round {} of {whole}, {news}", round.round);
        }
        bar.set_message(news);
    });
    bar.finish();
    Ok(finished?)
}

/// The remaining time, by the mean time of the `done` rounds so far; rounds with search take longer.
fn left(course: &Course, elapsed: Duration, done: u32, round: u64) -> String {
    let left = (course.whole() - round) as f64 / f64::from(done);
    let is_slower_later = round < course.rounds && course.last_rounds > 0;
    let prefix = if is_slower_later { "at least " } else { "" };
    format!("{prefix}{} left", duration(elapsed.mul_f64(left)))
}

/// Learns both boards, the second from the weights of the first.
fn learn_all(output: &Path, seats: &[usize], interrupt: &Interrupt) -> Result<(), Box<dyn Error>> {
    for &seats in seats {
        let file = |course: &Course| output.join(format!("{}-{seats}.net", course.ruleset.name));
        // With the defaults of `learn`.
        let first = Course::parse_from(["learn", "--seats", &seats.to_string()]);
        run_course(&first, &file(&first), interrupt)?;
        let second = Course {
            ruleset: &HARE_AND_TORTOISE,
            rounds: ROUNDS_CARRIED_OVER,
            last_rounds: LAST_ROUNDS_CARRIED_OVER,
            from: Some(read_weights(&file(&first))?),
            ..first
        };
        run_course(&second, &file(&second), interrupt)?;
    }
    Ok(())
}

fn read_weights(path: &Path) -> Result<Weights, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Weights::from_bytes(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn finished_games(path: &Path) -> Result<Vec<RecordedGame>, Box<dyn Error>> {
    let games: Result<Vec<RecordedGame>, _> = records::read(path)?.collect();
    let mut games = games?;
    games.retain(RecordedGame::is_over);
    Ok(games)
}
