//! The schedule of a match, a pure function of its plan.
//!
//! A *block* is a set of games with the same opening and the same cards, in all cyclic rotations or all orders of the
//! seats, so that within a block every engine has each seat equally often. In a *round*, every line-up of the format
//! plays one block; the next round takes the next opening.

mod line_up;

use buxtehude::rules::Turn;
use rand::Rng;
use rand::seq::IndexedRandom;
use serde::{Deserialize, Serialize};

use crate::plan::deck::Deck;
use crate::plan::openings::OpeningError;
use crate::plan::rules::{Position, PositionError};
use crate::plan::seed::{DeckSeed, Purpose};
use crate::plan::{Opening, Plan};

pub use line_up::LineUps;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledGame {
    /// Number of the game in the match, from 1.
    pub number: u64,
    /// Number of its block, from 1.
    pub block: u64,
    pub seats: Vec<SeatedEngine>,
    /// Text of the start position; `None` for the variant's own.
    pub start: Option<String>,
    /// Moves and cards before the first move of an engine, including random plies.
    pub opening: Vec<String>,
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

    /// Returns the opening of the game, including random plies.
    pub fn as_opening(&self) -> Opening {
        Opening { start: self.start.clone(), moves: self.opening.clone() }
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
    /// [`OpeningError`] if an opening of the plan cannot be played.
    pub fn new(plan: &'a Plan) -> Result<Schedule<'a>, OpeningError> {
        let mut starts = Vec::new();
        for opening in &plan.openings {
            opening.position(&plan.rules, plan.seats)?;
            starts.push(opening.start(&plan.rules, plan.seats)?);
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
            start: self.plan.openings[self.opening_of(block)].start.clone(),
            opening: dealt.opening,
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
