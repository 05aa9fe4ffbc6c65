//! Games between equal searchers, played from a candidate to the first finisher.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use buxtehude::eval::shares;
use buxtehude::rules::{AnyPosition, Seat, Turn, VARIANTS};
use buxtehude::search::{Control, Memory, Past, Preset, Report, Request, search};
use matches::plan::deck::Deck;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::candidates::Candidate;

/// Plies after which a game has no winner.
const MOST_PLIES: usize = 300;

/// Own turns in which a seat chooses among moves of almost the same value.
const VARIED_TURNS: usize = 3;

/// Moves among which it chooses at most.
const VARIED_MOVES: usize = 4;

/// How far below the best a move's own share may be, in permille, to be chosen.
const TOLERANCE: u16 = 20;

/// Mebibytes of the memory of a search: more than the largest reach fills.
const MEMORY_SIZE: usize = 4;

/// How far every seat searches: a depth, and the positions that a search may visit. What a search that would
/// need more has found by then counts, so that seats are equal still.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    depth: u32,
    nodes: u64,
}

impl Reach {
    /// The reach for a verdict: what a hundred games of each etude allow.
    pub fn deep(seats: usize) -> Reach {
        match seats {
            2 => Reach {
                depth: 5,
                nodes: 20_000,
            },
            _ => Reach {
                depth: 4,
                nodes: 8_000,
            },
        }
    }

    /// The reach for the screening, a small part of the time.
    pub fn shallow(seats: usize) -> Reach {
        Reach {
            nodes: 2_000,
            ..Reach::deep(seats)
        }
    }
}

/// How the games of a candidate ended.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Games played.
    pub games: u32,
    /// First places of each seat.
    wins: Vec<u32>,
    /// The games themselves, each as its moves and cards: equal ones are here once.
    lines: HashSet<String>,
}

impl Tally {
    fn new(seats: usize) -> Tally {
        Tally {
            games: 0,
            wins: vec![0; seats],
            lines: HashSet::new(),
        }
    }

    fn add(&mut self, played: Played) {
        self.games += 1;
        if let Some(winner) = played.winner {
            self.wins[winner] += 1;
        }
        self.lines.insert(played.line);
    }

    /// Each seat's first places in permille of the games, rounded down.
    pub fn shares(&self) -> Vec<u16> {
        let permille = |wins: &u32| (1000 * wins / self.games.max(1)) as u16;
        self.wins.iter().map(permille).collect()
    }

    /// The index of the seat with the most first places, and its share in permille.
    pub fn best(&self) -> (usize, u16) {
        let shares = self.shares().into_iter().enumerate();
        shares.max_by_key(|(_, share)| *share).unwrap_or((0, 0))
    }

    /// Games that differ from each other, in permille of all.
    pub fn different(&self) -> u16 {
        (1000 * self.lines.len() as u32 / self.games.max(1)) as u16
    }
}

/// One game: the index of the candidate's seat that came first, and the moves and cards.
struct Played {
    winner: Option<usize>,
    line: String,
}

/// What the threads that play remember of their searches.
pub struct Memories(Vec<Memory>);

impl Memories {
    /// For so many threads.
    pub fn new(threads: NonZeroUsize) -> Memories {
        let memories = (0..threads.get()).map(|_| Memory::new(MEMORY_SIZE));
        Memories(memories.collect())
    }

    /// Plays the games of these numbers from each candidate, every seat with the same reach for so many
    /// seats; `seen` is told of each game that ends.
    pub fn play(
        &mut self,
        candidates: &[&Candidate],
        reach: fn(usize) -> Reach,
        games: &Range<u64>,
        seed: u64,
        seen: &(dyn Fn() + Sync),
    ) -> Vec<Tally> {
        let per_candidate = (games.end - games.start) as usize;
        let all = candidates.len() * per_candidate;
        let next = AtomicUsize::new(0);
        let play_on = |memory: &mut Memory| {
            let mut played = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= all {
                    return played;
                }
                let game = games.start + (index % per_candidate) as u64;
                let which = index / per_candidate;
                let candidate = candidates[which];
                let reach = reach(candidate.hares.len());
                played.push((which, play_game(candidate, reach, game, seed, memory)));
                seen();
            }
        };
        let mut tallies: Vec<Tally> = candidates
            .iter()
            .map(|candidate| Tally::new(candidate.hares.len()))
            .collect();
        thread::scope(|scope| {
            let play_on = &play_on;
            let memories = self.0.iter_mut();
            let threads: Vec<_> = memories
                .map(|memory| scope.spawn(move || play_on(memory)))
                .collect();
            for thread in threads {
                let played = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                for (which, played) in played {
                    tallies[which].add(played);
                }
            }
        });
        tallies
    }
}

/// Plays game `number` from a candidate: a pure function of its arguments, whatever the memory holds.
fn play_game(
    candidate: &Candidate,
    reach: Reach,
    number: u64,
    seed: u64,
    memory: &mut Memory,
) -> Played {
    let seats = candidate.hares.len();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    // Stream 0 orders the candidates.
    random.set_stream((candidate.number + 1) << 32 | number);
    let mut deck = Deck::new(random.next_u64().into());
    let rotation = (number % seats as u64) as usize;
    let text = candidate.rotated_text(rotation);
    let start = VARIANTS[0].parse(&text);
    // A candidate is a position of a game under the rules, turned round the table.
    let mut position = start.unwrap_or_else(|error| panic!("{text}: {error}"));

    let mut past: Vec<Past> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut winner = None;
    while winner.is_none() && past.len() < MOST_PLIES {
        let word = match position.turn() {
            Turn::Card(_) => deck.draw(&position.outcomes()),
            Turn::Seat(mover) => {
                let word = choose(&position, mover, reach, &past, memory, &mut random);
                past.push(Past {
                    key: position.key(),
                    mover,
                    turns_home: position.turns_home(mover),
                });
                word
            }
            // Somebody has come first before a game is over.
            Turn::Over => break,
        };
        let legal = position.play(&word);
        // The search answers with legal moves, the deck with cards that are left.
        legal.unwrap_or_else(|error| panic!("{position}: {error}"));
        words.push(word);
        winner = (0..seats).find(|&seat| position.place(Seat(seat as u8)) == Some(1));
    }
    Played {
        winner: winner.map(|seat| (seat + seats - rotation) % seats),
        line: words.join(" "),
    }
}

/// The move of the seat to move: the best, or at the beginning of a game any that is almost as good.
fn choose(
    position: &AnyPosition,
    mover: Seat,
    reach: Reach,
    past: &[Past],
    memory: &mut Memory,
    random: &mut ChaCha8Rng,
) -> String {
    let turns = past.iter().filter(|past| past.mover == mover).count();
    let is_varied = turns < VARIED_TURNS;
    let request = Request {
        past: past.to_vec(),
        nodes: reach.nodes,
        multipv: if is_varied { VARIED_MOVES } else { 1 },
        // Whose depth is plies with two seats.
        preset: Preset::Search,
        ..Request::new(*position, reach.depth)
    };
    let mut reports: Vec<Report> = Vec::new();
    let mut keep_last = |report: Report| {
        if report.multipv == 1 {
            reports.clear();
        }
        reports.push(report);
    };
    let answer = search(&request, memory, &Control::new(None), &mut keep_last);
    // Where a seat is to move there is a legal move.
    let best = answer.map(|answer| answer.best).unwrap_or_default();
    if !is_varied || reports.first().is_none_or(|report| report.value.mate != 0) {
        return best;
    }
    let share = |report: &Report| shares(&report.value.leads[..position.seats()])[mover.index()];
    let least = share(&reports[0]).saturating_sub(TOLERANCE);
    reports.retain(|report| share(report) >= least);
    let chosen = reports.choose(random).and_then(|report| report.pv.first());
    chosen.cloned().unwrap_or(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::candidate_of_line;

    fn tally(games: Range<u64>, threads: usize) -> Tally {
        let candidate = candidate_of_line("49;30;0;f;47;42;0;f;-");
        let mut memories = Memories::new(NonZeroUsize::new(threads).unwrap());
        memories
            .play(&[&candidate], Reach::shallow, &games, 5, &|| ())
            .remove(0)
    }

    #[test]
    fn the_same_games_whatever_the_number_of_threads() {
        let (one, three) = (tally(0..12, 1), tally(0..12, 3));
        assert_eq!(one.wins, three.wins);
        assert_eq!(one.lines, three.lines);
        assert_eq!(one.games, 12);
    }

    #[test]
    fn other_numbers_are_other_games() {
        let (screening, verdict) = (tally(0..6, 1), tally(6..12, 1));
        assert_ne!(screening.lines, verdict.lines);
    }

    #[test]
    fn a_win_belongs_to_the_hare_wherever_it_sits() {
        // The first hare is home with its move; the other needs many turns.
        let candidate = candidate_of_line("60;15;0;f;20;90;3;f;-");
        let mut memories = Memories::new(NonZeroUsize::MIN);
        let tally = memories
            .play(&[&candidate], Reach::deep, &(0..4), 5, &|| ())
            .remove(0);
        assert_eq!(tally.shares(), [1000, 0]);
        assert_eq!(tally.best(), (0, 1000));
    }

    #[test]
    fn shares_are_of_all_games_and_rounded_down() {
        let mut tally = Tally::new(3);
        for winner in [Some(1), Some(1), None, Some(2), Some(1), Some(0)] {
            let line = format!("{winner:?}");
            tally.add(Played { winner, line });
        }
        assert_eq!(tally.shares(), [166, 500, 166]);
        assert_eq!(tally.best(), (1, 500));
        assert_eq!(tally.different(), 666);
    }
}
