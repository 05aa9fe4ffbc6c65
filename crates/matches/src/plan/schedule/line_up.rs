//! The line-ups of a format, and the seating of each game of a block.

use std::ops::Range;

use super::SeatedEngine;
use crate::plan::Format;

/// The line-ups of a format. Each fills the seats as evenly as possible: with fewer engines than seats, every engine
/// has a seat before any engine has a second one.
#[derive(Clone, Copy, Debug)]
pub struct LineUps {
    format: Format,
    engines: usize,
    seats: usize,
    all_orders: bool,
}

impl LineUps {
    /// Creates the line-ups of `engines` engines; see [`Plan`](crate::plan::Plan) for the arguments.
    pub fn new(format: Format, engines: usize, seats: usize, all_orders: bool) -> LineUps {
        LineUps { format, engines, seats, all_orders }
    }

    /// Number of line-ups, at least 1. Each plays one block per round.
    pub fn count(&self) -> u64 {
        let ways = match self.format {
            Format::RoundRobin => ways_to_fill(self.seats, self.engines),
            Format::Gauntlet { challengers } => {
                challengers as u64 * ways_to_fill(self.seats - 1, self.engines - challengers)
            }
        };
        ways.max(1)
    }

    /// Number of games per block: the number of seats, or of all orders of the engines.
    pub fn games_per_block(&self) -> u64 {
        if self.all_orders { orders(&self.line_up(0)) } else { self.seats as u64 }
    }

    /// Returns the engine of each seat in game `number`, from 1.
    pub fn seats(&self, number: u64) -> Vec<SeatedEngine> {
        let (block, game) = self.block_of(number);
        self.seating(block, game)
    }

    /// Returns the block of a game, from 1, and its number within the block, both from 0.
    pub fn block_of(&self, number: u64) -> (u64, u64) {
        let (index, games) = (number.saturating_sub(1), self.games_per_block());
        (index / games, index % games)
    }

    /// `true` if a line-up has none of the engines that are out.
    pub fn can_do_without(&self, is_out: impl Fn(usize) -> bool) -> bool {
        // With fewer engines than seats, each has a seat in every line-up.
        let can_fill = |seats: usize, engines: Range<usize>| {
            let needed = seats.min(engines.len());
            engines.filter(|&engine| !is_out(engine)).count() >= needed
        };
        match self.format {
            Format::RoundRobin => can_fill(self.seats, 0..self.engines),
            Format::Gauntlet { challengers } => {
                can_fill(1, 0..challengers) && can_fill(self.seats - 1, challengers..self.engines)
            }
        }
    }

    /// Returns the engine of each seat in a game, given the numbers of its block and within the block, both from 0.
    pub fn seating(&self, block: u64, game: u64) -> Vec<SeatedEngine> {
        let line_up = self.line_up(block % self.count());
        if self.all_orders {
            return seated(&order(game % orders(&line_up), line_up));
        }
        let mut seats = seated(&line_up);
        seats.rotate_left((game % self.seats as u64) as usize);
        seats
    }

    /// Returns the indices of the engines of a line-up.
    fn line_up(&self, index: u64) -> Vec<usize> {
        match self.format {
            Format::RoundRobin => fill(index, self.seats, 0..self.engines),
            Format::Gauntlet { challengers } => {
                let ways = ways_to_fill(self.seats - 1, self.engines - challengers).max(1);
                let challenger = (index / ways) as usize;
                let others = fill(index % ways, self.seats - 1, challengers..self.engines);
                [challenger].into_iter().chain(others).collect()
            }
        }
    }
}

/// Number of ways to fill the seats: the choices of the engines that have one seat more than the others.
fn ways_to_fill(seats: usize, engines: usize) -> u64 {
    binomial(engines, seats % engines)
}

/// Returns the `index`-th way to fill the seats.
fn fill(index: u64, seats: usize, engines: Range<usize>) -> Vec<usize> {
    let number = engines.len();
    let everyone = (0..seats / number).flat_map(|_| engines.clone());
    let more = combination(index, number, seats % number);
    everyone.chain(more.into_iter().map(|engine| engines.start + engine)).collect()
}

/// Numbers the copies of each engine.
fn seated(engines: &[usize]) -> Vec<SeatedEngine> {
    let seat = |(seat, &engine): (usize, &usize)| SeatedEngine {
        engine,
        copy: engines[..seat].iter().filter(|&&other| other == engine).count(),
    };
    engines.iter().enumerate().map(seat).collect()
}

/// Number of distinct orders of `engines`, where copies of an engine are interchangeable.
fn orders(engines: &[usize]) -> u64 {
    let seats = seated(engines);
    let all: u64 = (1..=seats.len() as u64).product();
    let alike: u64 = seats.iter().map(|seat| seat.copy as u64 + 1).product();
    all / alike
}

/// Returns the `index`-th order of `engines`; engines that come first in the line-up come first.
fn order(mut index: u64, mut engines: Vec<usize>) -> Vec<usize> {
    let mut ordered = Vec::with_capacity(engines.len());
    while !engines.is_empty() {
        let mut tried = Vec::new();
        for (place, &engine) in engines.iter().enumerate() {
            if tried.contains(&engine) {
                continue;
            }
            tried.push(engine);
            let mut rest = engines.clone();
            rest.remove(place);
            let ways = orders(&rest);
            if index < ways {
                ordered.push(engine);
                engines = rest;
                break;
            }
            index -= ways;
        }
    }
    ordered
}

fn binomial(n: usize, k: usize) -> u64 {
    if k > n {
        return 0;
    }
    (0..k as u64).fold(1, |ways, chosen| ways * (n as u64 - chosen) / (chosen + 1))
}

/// Returns the `index`-th choice of `k` numbers below `n`, in lexicographic order.
fn combination(mut index: u64, n: usize, k: usize) -> Vec<usize> {
    let mut chosen = Vec::new();
    for candidate in 0..n {
        if chosen.len() == k {
            break;
        }
        let ways_with_it = binomial(n - candidate - 1, k - chosen.len() - 1);
        if index < ways_with_it {
            chosen.push(candidate);
        } else {
            index -= ways_with_it;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines_of(line_ups: LineUps) -> Vec<Vec<usize>> {
        (0..line_ups.count()).map(|index| line_ups.line_up(index)).collect()
    }

    fn round_robin(engines: usize, seats: usize) -> LineUps {
        LineUps::new(Format::RoundRobin, engines, seats, false)
    }

    fn gauntlet(challengers: usize, engines: usize, seats: usize) -> LineUps {
        LineUps::new(Format::Gauntlet { challengers }, engines, seats, false)
    }

    #[test]
    fn too_few_engines_take_turns_with_the_seats_left_over() {
        assert_eq!(engines_of(round_robin(1, 2)), [[0, 0]]);
        assert_eq!(engines_of(round_robin(2, 3)), [[0, 1, 0], [0, 1, 1]]);
        let five = [[0, 1, 2, 0, 1], [0, 1, 2, 0, 2], [0, 1, 2, 1, 2]];
        assert_eq!(engines_of(round_robin(3, 5)), five);
    }

    #[test]
    fn a_gauntlet_has_one_challenger_in_each_game() {
        assert_eq!(engines_of(gauntlet(1, 4, 2)), [[0, 1], [0, 2], [0, 3]]);
        let two = [[0, 2, 3], [0, 2, 4], [0, 3, 4], [1, 2, 3], [1, 2, 4], [1, 3, 4]];
        assert_eq!(engines_of(gauntlet(2, 5, 3)), two);
        assert_eq!(engines_of(gauntlet(1, 2, 4)), [[0, 1, 1, 1]]);
        assert_eq!(engines_of(gauntlet(1, 3, 4)), [[0, 1, 2, 1], [0, 1, 2, 2]]);
    }

    #[test]
    fn a_line_up_without_some_engines_is_found_without_looking_at_all() {
        for line_ups in [
            round_robin(1, 2),
            round_robin(2, 3),
            round_robin(4, 3),
            round_robin(6, 6),
            gauntlet(1, 2, 4),
            gauntlet(1, 4, 2),
            gauntlet(2, 5, 3),
            gauntlet(3, 5, 3),
        ] {
            for out in 0u32..1 << line_ups.engines {
                let is_out = |engine: usize| out >> engine & 1 == 1;
                let mut all = engines_of(line_ups).into_iter();
                let expected = all.any(|engines| !engines.into_iter().any(is_out));
                assert_eq!(line_ups.can_do_without(is_out), expected, "{line_ups:?} {out:b}");
            }
        }
        assert!(round_robin(100, 6).can_do_without(|engine| engine > 5));
        assert!(!round_robin(100, 6).can_do_without(|engine| engine > 4));
    }

    #[test]
    fn all_orders_are_different_and_all_there() {
        for (engines, seats, expected) in
            [(3, 3, 6), (4, 3, 6), (2, 3, 3), (2, 4, 6), (1, 3, 1), (6, 6, 720)]
        {
            let line_ups = LineUps::new(Format::RoundRobin, engines, seats, true);
            assert_eq!(line_ups.games_per_block(), expected, "{line_ups:?}");
            for block in 0..line_ups.count() {
                let mut seen: Vec<Vec<usize>> = (0..expected)
                    .map(|game| line_ups.seating(block, game))
                    .map(|seats| seats.iter().map(|seat| seat.engine).collect())
                    .collect();
                seen.sort();
                seen.dedup();
                assert_eq!(seen.len() as u64, expected, "{line_ups:?}: {seen:?}");
            }
        }
    }
}
