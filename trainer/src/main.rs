//! The trainer program.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use buxtehude::eval::net::{Net, Weights};
use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use trainer::course::Course;
use trainer::endings::Solver;
use trainer::measure::{Calibration, PARTS, TENTHS, calibrations, whole};
use trainer::player::Player;
use trainer::records::Played;
use trainer::{comparison, endings, facts, plot, records, self_play};

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
    Learn(Learn),
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
        /// Nodes of the engine's search per move; with 0, moves are chosen by static evaluation
        #[arg(long, default_value_t = NODES)]
        nodes: u64,
        /// Seed of all random numbers
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Plays two nets against each other, each opening with the same cards in both seatings
    Compare {
        /// Weights files of both nets
        #[arg(num_args = 2, required = true)]
        weights: Vec<PathBuf>,
        /// Number of openings
        #[arg(long, default_value_t = 2000)]
        openings: usize,
        /// Nodes of the engine's search per move; with 0, moves are chosen by static evaluation
        #[arg(long, default_value_t = NODES)]
        nodes: u64,
        /// Seed of all random numbers
        #[arg(long, default_value_t = 1)]
        seed: u64,
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
        /// Games as JSON Lines, from the arbiter's `--record` or `export`, all with the same number of seats
        #[arg(required = true)]
        games: Vec<PathBuf>,
        /// Plies searched for the effect of a card [default: 3 for two seats, 2 for more]
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=MOST_PLIES))]
        depth: Option<u32>,
    },
}

/// A deeper search of a card's effect would take days.
const MOST_PLIES: i64 = 20;

#[derive(Args)]
struct Learn {
    /// Variant to learn
    #[arg(long, default_value = "hase-und-igel")]
    variant: String,
    /// Number of seats
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=6))]
    seats: u8,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Rounds with moves chosen by static evaluation
    #[arg(long, default_value_t = ROUNDS)]
    rounds: u64,
    /// Rounds after these with moves chosen by the engine's search
    #[arg(long, default_value_t = LAST_ROUNDS)]
    last_rounds: u64,
    /// Nodes of this search per move
    #[arg(long, default_value_t = NODES)]
    nodes: u64,
    /// Samples per round
    #[arg(long, default_value_t = SAMPLES)]
    samples: usize,
    /// Threads that play, by default one per processor; the result does not depend on their number
    #[arg(long, default_value_t = processors())]
    threads: usize,
    /// Weights to start from, for any board
    #[arg(long)]
    from: Option<PathBuf>,
    /// Weights file to write
    #[arg(long)]
    output: PathBuf,
}

const ROUNDS: u64 = 500;
const LAST_ROUNDS: u64 = 250;
const SAMPLES: usize = 100_000;
const NODES: u64 = 100;

/// Rounds between two log lines, if there is no progress bar.
const ROUNDS_A_LINE: u64 = 10;

/// Rounds on another board, starting from the weights of the first.
const ROUNDS_CARRIED_OVER: u64 = 100;
const LAST_ROUNDS_CARRIED_OVER: u64 = 150;

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error fails too, there is no one left to inform.
            let _ = writeln!(io::stderr(), "trainer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Learn(learn) => run_learn(&learn),
        Command::LearnAll { output, seats } => learn_all(&output, &seats),
        Command::Games {
            weights,
            games,
            nodes,
            seed,
        } => play_games(&weights, games, nodes, seed),
        Command::Compare {
            weights,
            openings,
            nodes,
            seed,
        } => compare(&weights, openings, nodes, seed),
        Command::Measure {
            games,
            weights,
            plot,
        } => measure(&games, &weights, plot.as_deref()),
        Command::Endings {
            games,
            weights,
            turns,
            nodes,
            positions,
        } => {
            let weights = read_weights(&weights)?;
            let mut player = Player::new(records::ruleset(&weights.variant)?, &weights, nodes);
            let mut solver = Solver::new(positions);
            solve_endings(&mut player, &read_games(&games)?, turns, &mut solver)
        }
        Command::Facts { games, depth } => {
            let (tables, skipped) = facts::of_files(&games, depth)?;
            io::stdout().write_all(tables.as_bytes())?;
            match skipped {
                0 => Ok(()),
                _ => Err(format!("{skipped} lines skipped").into()),
            }
        }
    }
}

fn run_learn(learn: &Learn) -> Result<(), Box<dyn Error>> {
    let course = Course {
        ruleset: records::ruleset(&learn.variant)?,
        seats: learn.seats.into(),
        seed: learn.seed,
        rounds: learn.rounds,
        last_rounds: learn.last_rounds,
        nodes: learn.nodes,
        samples: learn.samples,
        threads: learn.threads,
        from: learn.from.as_deref().map(read_weights).transpose()?,
    };
    run_course(&course, &learn.output)
}

fn run_course(course: &Course, output: &Path) -> Result<(), Box<dyn Error>> {
    let bar = ProgressBar::new(course.whole()).with_style(ProgressStyle::with_template(
        "{prefix} {bar:30} round {pos} of {len}, {msg}, {eta} left",
    )?);
    bar.set_prefix(format!("{} {}", course.ruleset.name, course.seats));
    course.run(output, &mut |round| {
        bar.set_position(round.round);
        let samples_a_game = round.samples as f64 / round.games as f64;
        let news = format!(
            "cross-entropy {:.4}, {samples_a_game:.1} samples per game",
            round.loss
        );
        // Without a visible progress bar, prints a line from time to time.
        if bar.is_hidden() && round.round % ROUNDS_A_LINE == 0 {
            let (round, whole) = (round.round, course.whole());
            let _ = writeln!(io::stderr(), "round {round} of {whole}, {news}");
        }
        bar.set_message(news);
    })?;
    bar.finish();
    Ok(())
}

/// Learns both boards, the second from the weights of the first.
fn learn_all(output: &Path, seats: &[usize]) -> Result<(), Box<dyn Error>> {
    for &seats in seats {
        let file = |variant: &str| output.join(format!("{variant}-{seats}.net"));
        let [first, second] = ["hase-und-igel", "hare-and-tortoise"];
        let course = Course {
            ruleset: records::ruleset(first)?,
            seats,
            seed: 1,
            rounds: ROUNDS,
            last_rounds: LAST_ROUNDS,
            nodes: NODES,
            samples: SAMPLES,
            threads: processors(),
            from: None,
        };
        run_course(&course, &file(first))?;
        let course = Course {
            ruleset: records::ruleset(second)?,
            rounds: ROUNDS_CARRIED_OVER,
            last_rounds: LAST_ROUNDS_CARRIED_OVER,
            from: Some(read_weights(&file(first))?),
            ..course
        };
        run_course(&course, &file(second))?;
    }
    Ok(())
}

fn read_weights(path: &Path) -> Result<Weights, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Weights::from_bytes(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn read_net(path: &Path) -> Result<Net, String> {
    let weights = read_weights(path)?;
    Ok(Net::new(records::ruleset(&weights.variant)?, &weights))
}

fn play_games(weights: &Path, games: usize, nodes: u64, seed: u64) -> Result<(), Box<dyn Error>> {
    let weights = read_weights(weights)?;
    let ruleset = records::ruleset(&weights.variant)?;
    let mut player = Player::new(ruleset, &weights, nodes);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut output = BufWriter::new(io::stdout().lock());
    for _ in 0..games {
        self_play::record(&mut player, ruleset, &mut random).write(&mut output)?;
    }
    output.flush()?;
    Ok(())
}

fn compare(
    files: &[PathBuf],
    openings: usize,
    nodes: u64,
    seed: u64,
) -> Result<(), Box<dyn Error>> {
    let [first, second] = files else {
        return Err("expected two weights files".into());
    };
    let weights = [read_weights(first)?, read_weights(second)?];
    if weights[0].seats != weights[1].seats || weights[0].variant != weights[1].variant {
        return Err("expected weights for the same variant and number of seats".into());
    }
    let ruleset = records::ruleset(&weights[0].variant)?;
    let mut players = weights.map(|weights| Player::new(ruleset, &weights, nodes));
    let (share, error) = comparison::compare(&mut players, ruleset, openings, seed);
    let mut output = io::stdout().lock();
    writeln!(
        output,
        "{} takes {share:.2} % ± {error:.2} of the points",
        first.display()
    )?;
    Ok(())
}

fn read_games(path: &Path) -> Result<Vec<Played>, Box<dyn Error>> {
    let input = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(records::read(BufReader::new(input))?)
}

fn solve_endings(
    player: &mut Player,
    games: &[Played],
    turns: u32,
    solver: &mut Solver,
) -> Result<(), Box<dyn Error>> {
    if player.seats() != 2 || games.iter().any(|(_, places)| places.len() != 2) {
        return Err("expected weights and games for two seats".into());
    }
    let errors = endings::errors(player, games, turns, solver);
    let mut output = io::stdout().lock();
    writeln!(
        output,
        "{} endings solved, {} given up",
        errors.solved, errors.given_up
    )?;
    writeln!(
        output,
        "mean error of the chance of finishing first: static {:.4}, with search {:.4}",
        errors.at_first_sight(),
        errors.searched()
    )?;
    Ok(())
}

fn measure(games: &Path, weights: &[PathBuf], plot: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let games = read_games(games)?;
    let mut output = io::stdout().lock();
    for (index, path) in weights.iter().enumerate() {
        let net = read_net(path)?;
        let parts = calibrations(&net, &games);
        writeln!(output, "{}: {} games", path.display(), games.len())?;
        for (part, name) in parts.iter().zip(PARTS) {
            write_calibration(&mut output, name, part)?;
        }
        write_calibration(&mut output, "all", &whole(&parts))?;
        if let (0, Some(plot)) = (index, plot) {
            let title = format!("{} seats, {} games", net.seats(), games.len());
            plot::draw(plot, &title, &parts)?;
        }
    }
    Ok(())
}

fn write_calibration(output: &mut impl Write, name: &str, part: &Calibration) -> io::Result<()> {
    writeln!(
        output,
        "{name}: {:.0} pairs, cross-entropy {:.4}",
        part.pairs(),
        part.loss()
    )?;
    for (index, tenth) in part.tenths().iter().enumerate() {
        writeln!(
            output,
            "  {:.1} to {:.1}: {:.0} pairs, predicted {:.3}, observed {:.3} ± {:.3}",
            index as f64 / TENTHS as f64,
            (index + 1) as f64 / TENTHS as f64,
            tenth.pairs,
            tenth.expected(),
            tenth.found(),
            2.0 * tenth.error(),
        )?;
    }
    Ok(())
}
