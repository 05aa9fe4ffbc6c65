//! The schedule of a match, a pure function of its plan.
//!
//! A *block* is a set of games with the same opening and the same cards, in all cyclic rotations or all orders of the
//! seats, so that within a block every engine has each seat equally often. In a *round*, every line-up of the format
//! plays one block; the next round takes the next opening.

use std::ops::Range;

use buxtehude::rules::Turn;
use rand::Rng;
use rand::seq::IndexedRandom;
use serde::{Deserialize, Serialize};

use crate::plan::Format;
use crate::plan::deck::Deck;
use crate::plan::deck::{DeckSeed, Purpose};
use crate::plan::rules::{Position, PositionError};
use crate::plan::{Opening, Plan};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledGame {
    /// Number of the game in the match, from 1.
    pub number: u64,
    /// Number of its block, from 1.
    pub block: u64,
    pub seats: Vec<SeatedEngine>,
    /// Its moves are all before the first move of an engine, including random plies.
    pub opening: Opening,
    /// Seed of the cards, which are paired in the games of a block; see [`Draws`](crate::plan::deck::Draws).
    pub deck_seed: DeckSeed,
}

/// The random part of a block, the same in all its games. It reveals nothing about other blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dealt {
    /// Moves and cards before the first move of an engine, including random plies.
    pub opening: Vec<String>,
    pub deck_seed: DeckSeed,
}

impl ScheduledGame {
    /// Returns the same game with different cards, for a rerun.
    pub fn dealt_anew(&self) -> ScheduledGame {
        ScheduledGame { deck_seed: self.deck_seed.another(), ..self.clone() }
    }
}

/// An engine in a seat. Copies of an engine in the same game are separate processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeatedEngine {
    /// Index into the engines of the plan.
    pub engine: usize,
    /// Number of the copy within the game, from 0.
    pub copy: usize,
}

#[derive(Clone, Debug)]
pub struct Schedule<'a> {
    plan: &'a Plan,
    line_ups: LineUps,
    /// Start position of each opening of the plan.
    starts: Vec<Position>,
}

impl<'a> Schedule<'a> {
    /// Creates the schedule of a plan.
    ///
    /// # Errors
    /// [`PositionError`] if an opening of the plan cannot be played.
    pub fn new(plan: &'a Plan) -> Result<Schedule<'a>, PositionError> {
        let mut starts = Vec::new();
        for opening in &plan.openings {
            opening.position(&plan.rules, plan.seats)?;
            starts.push(opening.start(&plan.rules)?);
        }
        Ok(Schedule { plan, line_ups: plan.line_ups(), starts })
    }

    /// Returns the engine of each seat in game `number`, from 1.
    pub fn seats(&self, number: u64) -> Vec<SeatedEngine> {
        self.line_ups.seats(number)
    }

    /// Index of a block's opening in the plan.
    fn opening_of(&self, block: u64) -> usize {
        let round = block / self.line_ups.count();
        (round % self.starts.len() as u64) as usize
    }

    /// Returns game `number`, from 1.
    ///
    /// # Errors
    /// [`PositionError`] if a rules program fails.
    pub fn game(&self, number: u64) -> Result<ScheduledGame, PositionError> {
        Ok(self.game_dealt(number, self.dealt(number)?))
    }

    /// Returns game `number`, from 1, with the given random part instead of the one from the plan's seed.
    pub fn game_dealt(&self, number: u64, dealt: Dealt) -> ScheduledGame {
        let (block, _) = self.line_ups.block_of(number);
        ScheduledGame {
            number,
            block: block + 1,
            seats: self.seats(number),
            opening: Opening {
                start: self.plan.openings[self.opening_of(block)].start.clone(),
                moves: dealt.opening,
            },
            deck_seed: dealt.deck_seed,
        }
    }

    /// Returns the random part of the block of game `number`, from 1.
    ///
    /// # Errors
    /// [`PositionError`] if a rules program fails.
    pub fn dealt(&self, number: u64) -> Result<Dealt, PositionError> {
        let (block, _) = self.line_ups.block_of(number);
        let index = self.opening_of(block);
        let chosen = &self.plan.openings[index];
        let (deck_seed, mut rng) = self.plan.seed.numbered(Purpose::Blocks, block);
        let mut opening = chosen.moves.clone();
        let mut deck = Deck::new(deck_seed, self.plan.rules.draws());
        let mut position = self.starts[index].clone();
        play_opening(&mut position, &opening, &mut deck)?;
        for _ in 0..self.plan.random_plies {
            if !play_random_ply(&mut position, &mut opening, &mut rng, &mut deck)? {
                break;
            }
        }
        Ok(Dealt { opening, deck_seed })
    }
}

/// Plays an opening; each of its cards replaces one from the deck.
///
/// # Errors
/// [`PositionError`] if a move or card is illegal, or a rules program fails.
pub fn play_opening(
    position: &mut Position,
    words: &[String],
    deck: &mut Deck,
) -> Result<(), PositionError> {
    let (after, error) = position.walk(words.iter().map(String::as_str));
    for next in after {
        if let Turn::Card(seat) = position.turn() {
            deck.draw(seat, &position.outcomes());
        }
        *position = next;
    }
    error.map_or(Ok(()), Err)
}

/// Plays a random move and draws its card; returns `false` if every move, or the card, would decide a place.
///
/// # Errors
/// [`PositionError`] if a rules program fails.
pub fn play_random_ply(
    position: &mut Position,
    played: &mut Vec<String>,
    rng: &mut impl Rng,
    deck: &mut Deck,
) -> Result<bool, PositionError> {
    let (start, length, before) = (position.clone(), played.len(), deck.clone());
    draw_if_due(position, played, deck)?;
    let mut candidates = position.children()?;
    candidates.retain(|(_, next)| finished(next) == finished(position));
    let Some((word, next)) = candidates.choose(rng) else {
        return Ok(false);
    };
    played.push(word.clone());
    *position = next.clone();
    draw_if_due(position, played, deck)?;
    if finished(position) > finished(&start) {
        (*position, *deck) = (start, before);
        played.truncate(length);
        return Ok(false);
    }
    Ok(true)
}

fn draw_if_due(
    position: &mut Position,
    played: &mut Vec<String>,
    deck: &mut Deck,
) -> Result<(), PositionError> {
    while let Turn::Card(seat) = position.turn() {
        let card = deck.draw(seat, &position.outcomes());
        position.play(&card)?;
        played.push(card);
    }
    Ok(())
}

/// Number of seats whose place is decided.
fn finished(position: &Position) -> usize {
    position.places().flatten().count()
}

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
    /// Creates the line-ups of `engines` engines; see [`Plan`] for the arguments.
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
