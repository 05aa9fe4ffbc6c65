//! Makes the set of judged etudes in `data/`: positions of recorded games, each judged by play.
//!
//! An etude says who is winning a position with seat 1 to move. Here nobody guesses: a position is played to
//! its first finisher more than a hundred times between equal searchers, and a seat that comes first in 65 % of
//! these games or more is the verdict. A position without such a seat is left out. What looks hopeless in a
//! few games of screening is not played on; the verdict is made of fresh games alone, so that no luck of the
//! screening is in it. A game that runs into the cap on plies counts as a game that nobody has won.
//!
//! What makes the games of a position differ, though all who play are equal:
//! - Cards: each game has a shuffled deck of its own.
//! - Moves: a seat chooses at random among moves that its search values almost alike, in its first few turns.
//!   Without that a position from which nobody draws a card would be one game, played a hundred times. Where
//!   less than half of the games differ from each other there is no verdict.
//! - Seats: the hares sit in all rotations of the seats in turn, so that whatever the search does by order of
//!   seats is spread over all of them.
//!
//! The set is filled cell by cell, a cell being a number of seats and the quarter of the track that the
//! leading hare has reached. Within a cell there is a most for each winning seat and for verdicts that go to
//! the hare in the lead, so that neither "who moves" nor "who is ahead" answers it; and no two etudes come from
//! one block of games, which has one opening. Then each cell is dealt out at random to two halves, one to
//! tune on and one to check on. All of it is a pure function of the records and the seed.
//!
//! Of the arbiter this uses the records and the deck, of the engine the search, which the arbiter itself does
//! not see: hence an example. The commands that made the set are in `docs/etudes.md`.

mod candidates;
mod judge;
mod output;
mod play;
mod selection;

use std::error::Error;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use crate::candidates::{Candidate, Cell};
use crate::judge::{Etude, Judge};
use crate::play::Memories;
use crate::selection::Shelf;

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
        memories: Memories::new(threads),
    };
    let mut shelf = Shelf::new(args.per_cell);
    fill(&mut shelf, candidates, &mut judge, &|etudes| {
        output::write(&args.into, etudes, args.seed)
    })?;
    judge.bar.finish_and_clear();
    print!("{}", output::summary(shelf.etudes()));
    Ok(())
}

/// Judges candidates in rounds until every cell is full or nobody is left to be judged. A set takes an hour:
/// what there is of it is kept after each round.
fn fill(
    shelf: &mut Shelf,
    candidates: Vec<Candidate>,
    judge: &mut Judge,
    keep: &dyn Fn(&[Etude]) -> io::Result<()>,
) -> io::Result<()> {
    let mut untried = candidates;
    let mut promising = Vec::new();
    loop {
        let screened = shelf.next_to_screen(&mut untried, &promising);
        let are_all_tried = screened.is_empty();
        promising.extend(judge.screen(screened));
        judge.show(&shelf.counts());
        let admitted = shelf.next_to_judge(&mut promising);
        if are_all_tried && admitted.is_empty() {
            return Ok(());
        }
        for etude in judge.verdicts(admitted) {
            shelf.put(etude);
        }
        keep(shelf.etudes())?;
        judge.show(&shelf.counts());
    }
}
