//! Makes the set of judged etudes in `data/`: positions of recorded games, each judged by play.
//!
//! An etude says who is winning a position with seat 1 to move. Here nobody guesses: a position is played to
//! its first finisher [`VERDICT_GAMES`] times between equal searchers, and the seat that comes first in 65 % of
//! these games or more is the verdict. A position without such a seat is left out. What looks hopeless in a
//! few games of screening is not played on; the verdict is made of fresh games alone, so that no luck of the
//! screening is in it. A game that runs into the cap on plies is a game that nobody has won.
//!
//! What makes the games of a position differ, though all who play are equal:
//! - Cards: each game has a shuffled deck of its own.
//! - Moves: a seat chooses at random among moves that its search values almost alike, in its first few turns.
//!   Without that a position from which nobody draws a card would be one game, played a hundred times. Its
//!   share of different games is counted, and where less than half of them differ there is no verdict.
//! - Seats: the hares sit in all rotations of the seats in turn, so that whatever the search does by order of
//!   seats is spread over all of them.
//!
//! The set is filled cell by cell, a cell being a number of seats and the quarter of the track that the
//! leading hare has reached. Within a cell there is a most for each winning seat and for verdicts that go to
//! the hare in the lead, so that neither "who moves" nor "who is ahead" answers it; and no two etudes come from
//! one block of games, which has one opening. Then each cell is dealt out at random to two halves, one to
//! tune on and one to check on. All of it is a pure function of the records and the seed.
//!
//! The records of the set in `data/`, and the set (`ENGINE` is `cmd=target/release/buxtehude`):
//! ```text
//! cargo build --release --workspace --examples
//! for plies in 4 12 20; do
//!   target/release/arbiter match --players 2 --games 600 --random-plies $plies --seed 1$plies \
//!     --engine "$ENGINE name=deep depth=4" --engine "$ENGINE name=shallow depth=2" --record records/2-$plies.jsonl
//!   target/release/arbiter match --players 3 --games 600 --random-plies $plies --seed 2$plies \
//!     --engine "$ENGINE name=deep depth=3" --engine "$ENGINE name=shallow depth=1" --record records/3-$plies.jsonl
//! done
//! target/release/examples/judge_etudes --seed 1978 --into data records/*.jsonl
//! ```

mod candidates;
mod output;
mod play;
mod selection;

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use crate::candidates::{Candidate, Cell};
use crate::play::Tables;
use crate::selection::{Etude, Judge, Shelf};

/// Games of the screening; a multiple of 2 and of 3, so that each rotation of the seats is as frequent.
const SCREENING_GAMES: u64 = 18;

/// Games of which a verdict is made; likewise.
const VERDICT_GAMES: u64 = 102;

/// Makes a set of judged etudes from recorded games.
#[derive(Debug, Parser)]
struct Args {
    /// Records made with `arbiter match --record`
    #[arg(value_name = "FILE", required = true)]
    records: Vec<PathBuf>,

    /// The seed of all that is random: the same seed and records, the same set
    #[arg(long, value_name = "N")]
    seed: u64,

    /// Etudes wanted in each cell: a number of seats and a quarter of the track
    #[arg(long, value_name = "N", default_value = "32")]
    per_cell: usize,

    /// Games played at the same time [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// The directory to write to
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let threads = match args.threads {
        Some(threads) => threads,
        None => available_parallelism()?,
    };
    let candidates = candidates::read(&args.records, args.seed)?;
    eprintln!("{} candidates", candidates.len());
    let bar = ProgressBar::new((Cell::ALL.len() * args.per_cell) as u64);
    bar.set_style(ProgressStyle::with_template(
        "{bar:30} {pos}/{len} etudes  {elapsed}  {wide_msg}",
    )?);
    let mut judge = Judge {
        seed: args.seed,
        screened: 0,
        judged: 0,
        bar,
        tables: Tables::new(threads),
    };
    let etudes = fill(candidates, args.per_cell, &mut judge);
    judge.bar.finish_and_clear();
    print!("{}", output::summary(&etudes));
    output::write(&args.into, &etudes, args.seed)?;
    Ok(())
}

/// Judges candidates in rounds until every cell is full or nobody is left to be judged.
fn fill(candidates: Vec<Candidate>, per_cell: usize, judge: &mut Judge) -> Vec<Etude> {
    let mut shelf = Shelf::new(per_cell);
    let mut untried = candidates;
    let mut promising = Vec::new();
    loop {
        let screened = shelf.next_to_screen(&mut untried, &promising);
        let are_all_tried = screened.is_empty();
        promising.extend(judge.screen(screened));
        let admitted = shelf.next_to_judge(&mut promising);
        if are_all_tried && admitted.is_empty() {
            return shelf.into_etudes();
        }
        for etude in judge.verdicts(admitted) {
            shelf.put(etude);
        }
        judge.show(&shelf);
    }
}
