//! A course: the rounds where a net plays itself and learns, from scratch or from another net.
//!
//! A round plays games with the current weights until it has enough samples, shuffles them, and learns from each once.
//! The random numbers of a round are derived from the seed and its number, and a game's from its own number. So
//! a resumed course gives the same result as an uninterrupted one, on any number of threads.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use buxtehude::eval::hase::{Features, LETTUCES, PART_ROWS, Weights};
use buxtehude::rules::hase::{HASE_UND_IGEL, Ruleset};
use clap::Parser;
use matches::plan::syntax::Seats;
use matches::play::interrupt::Interrupt;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::learner::Learner;
use crate::player::Player;
use crate::records;
use crate::self_play::{self, Sample};

/// Learning rate at the start of the last part; the first part starts at 1. In each part the rate falls with the square
/// of the remaining fraction.
const LAST_RATE: f32 = 0.3;

/// Lower limit of the factor on the learning rate.
const MIN_RATE: f32 = 0.01;

const ROUNDS_A_CHECKPOINT: u64 = 10;

/// Number of games played before the number of samples is checked.
const GAMES_AT_A_TIME: usize = 64;

/// One sample in this many is used to measure the loss before learning.
const MEASURED_SHARE: usize = 20;

/// Nodes of a search per move, unless the user sets them.
pub const NODES: u64 = 100;

#[derive(Clone, Debug, Parser)]
pub struct Course {
    /// Variant to learn
    #[arg(long = "variant", value_name = "VARIANT", value_parser = records::ruleset)]
    #[arg(default_value = HASE_UND_IGEL.name)]
    pub ruleset: &'static Ruleset,
    /// Number of seats
    #[arg(long, value_parser = Seats::parse::<usize>)]
    pub seats: usize,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Rounds with moves chosen by static evaluation
    #[arg(long, default_value_t = 500)]
    pub rounds: u64,
    /// Rounds after these with moves chosen by the engine's search
    #[arg(long, default_value_t = 250)]
    pub last_rounds: u64,
    /// Nodes of this search per move
    #[arg(long, default_value_t = NODES)]
    pub nodes: u64,
    /// Samples per round
    #[arg(long, default_value_t = 100_000)]
    pub samples: usize,
    /// Threads that play, by default one per processor; the result does not depend on their number
    #[arg(long, default_value_t = thread::available_parallelism().map_or(1, usize::from))]
    pub threads: usize,
    /// Initial weights, for the same number of seats
    #[arg(skip)]
    pub from: Option<Weights>,
}

#[derive(Clone, Copy, Debug)]
pub struct RoundReport {
    /// Number of the round, from 1.
    pub round: u64,
    pub games: usize,
    pub samples: usize,
    /// Cross-entropy before learning, in nats per pair of rivals.
    pub loss: f64,
}

/// Errors that stop a course.
#[derive(Debug, Error)]
pub enum CourseError {
    /// A file cannot be read or written, or belongs to another course.
    #[error("{0}")]
    File(String),
    #[error("interrupted: {rounds} of {whole} rounds are kept in {}", progress.display())]
    Interrupted { progress: PathBuf, rounds: u64, whole: u64 },
}

impl Course {
    /// Learns and writes the weights to `output`. Checkpoints go to a progress file next to it, from which an
    /// interrupted course resumes; `interrupt` stops it in the middle of a round, which is then played anew.
    ///
    /// # Errors
    /// [`CourseError`] if a file cannot be read or written, or belongs to a different course, or after an interrupt.
    pub fn run(
        &self,
        output: &Path,
        interrupt: &Interrupt,
        observe: &mut dyn FnMut(RoundReport),
    ) -> Result<(), CourseError> {
        let progress = output.with_extension("progress");
        let (mut learner, first) = self.begin_or_resume(&progress)?;
        let features = Features::of(self.ruleset);
        for round in first..self.whole() {
            let Some(report) = self.learn_round(&mut learner, &features, round, interrupt) else {
                self.save(&mut learner, round, &progress)?;
                return Err(CourseError::Interrupted {
                    progress,
                    rounds: round,
                    whole: self.whole(),
                });
            };
            observe(report);
            if report.round % ROUNDS_A_CHECKPOINT == 0 {
                self.save(&mut learner, report.round, &progress)?;
            }
        }
        write(output, &learner.weights.to_bytes())?;
        match fs::remove_file(&progress) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&progress)(error)),
            _ => Ok(()),
        }
    }

    /// Rejects an output that has weights for another game or number of seats, or none.
    ///
    /// # Errors
    /// [`CourseError::File`]
    pub fn check_output(&self, output: &Path) -> Result<(), CourseError> {
        let bytes = match fs::read(output) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(at(output)(error)),
        };
        let weights = |variant: &str, seats| format!("weights for {variant} with {seats} seats");
        let wanted = weights(self.ruleset.name, self.seats);
        let found = match Weights::from_bytes(&bytes) {
            Ok(found) => weights(&found.variant, found.seats),
            Err(_) => "other content than weights".into(),
        };
        if found == wanted {
            return Ok(());
        }
        Err(CourseError::File(format!(
            "{} has {found}, this course learns {wanted}: expected another --output, or --force to overwrite it",
            output.display()
        )))
    }

    /// Writes the progress file before round number `next`, from 0.
    fn save(&self, learner: &mut Learner, next: u64, path: &Path) -> Result<(), CourseError> {
        let mut bytes = self.header().into_bytes();
        bytes.extend(next.to_le_bytes());
        bytes.extend(learner.state().flat_map(|x| x.to_le_bytes()));
        write(path, &bytes)
    }

    pub fn whole(&self) -> u64 {
        self.rounds + self.last_rounds
    }

    /// Random numbers of a round: for its games, numbered from 1, or with 0 for everything else.
    fn random(&self, round: u64, game: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(((round + 1) << 32) + game);
        random
    }

    fn begin(&self) -> Learner {
        if let Some(weights) = &self.from {
            return Learner::from_weights(self.ruleset, carried_over(weights, self.ruleset));
        }
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        Learner::new(self.ruleset, self.seats, &mut random)
    }

    /// Plays a round and learns from it; `None` after an interrupt, which leaves the learner as it was.
    fn learn_round(
        &self,
        learner: &mut Learner,
        features: &Features,
        round: u64,
        interrupt: &Interrupt,
    ) -> Option<RoundReport> {
        let mut random = self.random(round, 0);
        let (done, part, first_rate, nodes) = if round < self.rounds {
            (round, self.rounds, 1.0, 0)
        } else {
            let done = round - self.rounds;
            (done, self.last_rounds, LAST_RATE, self.nodes)
        };
        let left = 1.0 - done as f32 / part as f32;
        let rate = first_rate * (left * left).max(MIN_RATE);
        let mut samples: Vec<Sample> = Vec::with_capacity(self.samples * 2);
        let mut games = 0;
        // One for each thread.
        let players = (0..self.threads.clamp(1, GAMES_AT_A_TIME))
            .map(|_| Player::new(self.ruleset, &learner.weights, nodes));
        let mut players: Vec<Player> = players.collect();
        while samples.len() < self.samples {
            if interrupt.is_set() {
                return None;
            }
            self.play(&mut players, features, round, games, &mut samples);
            games += GAMES_AT_A_TIME;
        }
        let loss = mean_loss(learner, samples.iter().step_by(MEASURED_SHARE));
        samples.shuffle(&mut random);
        for sample in &samples {
            learner.learn(sample, rate);
        }
        learner.end_round();
        Some(RoundReport { round: round + 1, games, samples: samples.len(), loss })
    }

    /// Plays the games of a round from number `first` on, and adds their samples in the order of the games.
    fn play(
        &self,
        players: &mut [Player],
        features: &Features,
        round: u64,
        first: usize,
        samples: &mut Vec<Sample>,
    ) {
        let mut played = vec![Vec::new(); GAMES_AT_A_TIME];
        let games_each = GAMES_AT_A_TIME.div_ceil(players.len());
        thread::scope(|scope| {
            let chunks = played.chunks_mut(games_each).enumerate();
            for (player, (chunk, games)) in players.iter_mut().zip(chunks) {
                scope.spawn(move || {
                    for (index, samples) in games.iter_mut().enumerate() {
                        let game = first + chunk * games_each + index;
                        let mut random = self.random(round, game as u64 + 1);
                        self_play::play(player, features, &mut random, samples);
                    }
                });
            }
        });
        samples.extend(played.into_iter().flatten());
    }

    /// First line of the progress file.
    fn header(&self) -> String {
        format!(
            "{} {} {} {} {} {} {} {}\n",
            self.ruleset.name,
            self.seats,
            self.seed,
            self.rounds,
            self.last_rounds,
            self.nodes,
            self.samples,
            if self.from.is_some() { "from" } else { "anew" },
        )
    }

    /// Returns a learner and the number of the next round.
    fn begin_or_resume(&self, path: &Path) -> Result<(Learner, u64), CourseError> {
        let mut learner = self.begin();
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((learner, 0)),
            Err(error) => return Err(at(path)(error)),
        };
        let header = self.header();
        let state = bytes.strip_prefix(header.as_bytes());
        let numbers = state.and_then(|state| state.split_first_chunk::<8>());
        let of_another = || {
            let found = String::from_utf8_lossy(&bytes);
            CourseError::File(format!(
                "{} belongs to a different course: expected {}, found {}; remove it to start over",
                path.display(),
                header.trim_end(),
                found.lines().next().unwrap_or_default()
            ))
        };
        let (round, numbers) = numbers.ok_or_else(of_another)?;
        if numbers.len() != 4 * learner.state().count() {
            return Err(of_another());
        }
        for (x, bytes) in learner.state().zip(numbers.as_chunks().0) {
            *x = f32::from_le_bytes(*bytes);
        }
        learner.refresh();
        Ok((learner, u64::from_le_bytes(*round)))
    }
}

/// Indices of the tables of parts that depend on the numbering of placements.
const BY_STAND: [usize; 2] = [0, 6];

/// Converts weights of any ruleset to weights for `ruleset`: rows of the same square and state are copied.
pub fn carried_over(weights: &Weights, ruleset: &Ruleset) -> Weights {
    let mut carried = weights.clone();
    let from = records::ruleset(&weights.variant);
    let Some(from) = from.ok().filter(|from| from.name != ruleset.name) else {
        return carried;
    };
    carried.variant = ruleset.name.into();
    let from = Features::of(from);
    for (placement, at) in Features::of(ruleset).placements().enumerate() {
        let known = from.placements().position(|other| other == at);
        // A placement that the other board does not have is treated as a hare that moves freely from the square.
        let free = from.placements().position(|(square, _)| square == at.0);
        let Some(known) = known.or(free) else {
            continue;
        };
        for table in BY_STAND {
            let rows = PART_ROWS[table] / PART_ROWS[0] * LETTUCES;
            for row in 0..rows {
                carried.parts[table][placement * rows + row] =
                    weights.parts[table][known * rows + row];
            }
        }
    }
    carried
}

/// Mean cross-entropy over samples, in nats per pair of rivals.
fn mean_loss<'a>(learner: &Learner, samples: impl Iterator<Item = &'a Sample>) -> f64 {
    let mut sum = 0.0;
    let mut pairs = 0;
    for sample in samples {
        let (loss, rivals) = learner.loss(sample);
        sum += f64::from(loss);
        pairs += rivals;
    }
    sum / f64::from(pairs.max(1))
}

/// Writes a file atomically.
fn write(path: &Path, bytes: &[u8]) -> Result<(), CourseError> {
    let beside = path.with_extension("new");
    fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path)).map_err(at(path))
}

/// Adds the file to an error of the system.
fn at(path: &Path) -> impl Fn(io::Error) -> CourseError + '_ {
    |error| CourseError::File(format!("{}: {error}", path.display()))
}
