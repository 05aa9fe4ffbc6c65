//! Which game is number n: a pure function of the plan.
//!
//! Games come in *blocks*: the same opening and the same cards in all cyclic rotations of the seats, or in all
//! orders, so that within a block every engine sits equally often in each seat. Every line-up of the format
//! plays a block in turn: that is a round; then the next opening begins.

mod line_up;

use buxtehude::rules::{AnyPosition, Seat, Turn};
use rand::Rng;
use rand::seq::IndexedRandom;
use serde::{Deserialize, Serialize};

use crate::plan::deck::Deck;
use crate::plan::openings::OpeningError;
use crate::plan::seed::{DeckSeed, Purpose};
use crate::plan::{Opening, Plan};

pub use line_up::LineUps;

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledGame {
    /// Its number in the match, from 1.
    pub number: u64,
    /// The number of its block, from 1.
    pub block: u64,
    /// Who sits where.
    pub seats: Vec<SeatedEngine>,
    /// The text of the start, or `None` for the variant's own.
    pub start: Option<String>,
    /// Moves and cards played before the engines are asked, random plies included.
    pub opening: Vec<String>,
    /// The seed of the cards: the k-th card drawn after `start` is the same in all games of a block.
    pub deck_seed: DeckSeed,
}

/// What chance gives to all games of a block. Nothing that it gives to other blocks follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dealt {
    /// Moves and cards played before the engines are asked, random plies included.
    pub opening: Vec<String>,
    /// The seed of the cards.
    pub deck_seed: DeckSeed,
}

impl ScheduledGame {
    /// The same game with other cards, to be played again.
    pub fn dealt_anew(&self) -> ScheduledGame {
        ScheduledGame {
            deck_seed: self.deck_seed.another(),
            ..self.clone()
        }
    }

    /// How the game begins, random plies included.
    pub fn as_opening(&self) -> Opening {
        Opening {
            start: self.start.clone(),
            moves: self.opening.clone(),
        }
    }
}

/// A process of an engine: copies of one engine in a game are different processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeatedEngine {
    /// Index into the engines of the plan.
    pub engine: usize,
    /// Which of its copies in this game, from 0.
    pub copy: usize,
}

/// The games of a plan.
#[derive(Clone, Debug)]
pub struct Schedule<'a> {
    plan: &'a Plan,
    line_ups: LineUps,
    /// Where the moves of each opening of the plan begin.
    starts: Vec<AnyPosition>,
}

impl<'a> Schedule<'a> {
    /// The schedule of a plan.
    ///
    /// # Errors
    /// [`OpeningError`] where an opening of the plan cannot be played.
    pub fn new(plan: &'a Plan) -> Result<Schedule<'a>, OpeningError> {
        let mut starts = Vec::new();
        for opening in &plan.openings {
            opening.position(plan.variant, plan.seats)?;
            starts.push(opening.start(plan.variant, plan.seats)?);
        }
        Ok(Schedule {
            plan,
            line_ups: plan.line_ups(),
            starts,
        })
    }

    /// Who sits where in game `number`, counted from 1.
    pub fn seats(&self, number: u64) -> Vec<SeatedEngine> {
        let (block, game) = self.block_of(number);
        self.line_ups.seating(block, game)
    }

    /// The block of a game, and its number in it, both from 0.
    fn block_of(&self, number: u64) -> (u64, u64) {
        let (index, games) = (number.saturating_sub(1), self.line_ups.games_per_block());
        (index / games, index % games)
    }

    /// Which of the plan's openings a block has.
    fn opening_of(&self, block: u64) -> usize {
        let round = block / self.line_ups.count();
        (round % self.starts.len() as u64) as usize
    }

    /// Game `number`, counted from 1.
    pub fn game(&self, number: u64) -> ScheduledGame {
        self.game_dealt(number, self.dealt(number))
    }

    /// Game `number`, counted from 1, with what chance gives to its block, so that nothing of it follows from the seed
    /// of the plan.
    pub fn game_dealt(&self, number: u64, dealt: Dealt) -> ScheduledGame {
        let (block, _) = self.block_of(number);
        ScheduledGame {
            number,
            block: block + 1,
            seats: self.seats(number),
            start: self.plan.openings[self.opening_of(block)].start.clone(),
            opening: dealt.opening,
            deck_seed: dealt.deck_seed,
        }
    }

    /// What chance gives to the block of game `number`, counted from 1.
    pub fn dealt(&self, number: u64) -> Dealt {
        let (block, _) = self.block_of(number);
        let index = self.opening_of(block);
        let chosen = &self.plan.openings[index];
        let (deck_seed, mut rng) = self.plan.seed.numbered(Purpose::Blocks, block);
        let mut opening = chosen.moves.clone();
        let mut deck = Deck::new(deck_seed);
        let mut position = self.starts[index];
        play_opening(&mut position, &opening, &mut deck);
        for _ in 0..self.plan.random_plies {
            if !play_random_ply(&mut position, &mut opening, &mut rng, &mut deck) {
                break;
            }
        }
        Dealt { opening, deck_seed }
    }
}

/// Plays the words of an opening, each card taking the place of one of the deck.
fn play_opening(position: &mut AnyPosition, words: &[String], deck: &mut Deck) {
    for word in words {
        if let Turn::Card(_) = position.turn() {
            deck.draw(&position.outcomes());
        }
        // The schedule has only openings that can be played.
        let _ = position.play(word);
    }
}

/// Plays a random move, with the card it draws; false where every move would finish a hare.
pub fn play_random_ply(
    position: &mut AnyPosition,
    played: &mut Vec<String>,
    rng: &mut impl Rng,
    deck: &mut Deck,
) -> bool {
    draw_if_due(position, played, deck);
    let candidates: Vec<(String, AnyPosition)> = position
        .legal_actions()
        .into_iter()
        .filter_map(|word| {
            let mut next = *position;
            next.play(&word).ok()?;
            (finished(&next) == finished(position)).then_some((word, next))
        })
        .collect();
    let Some((word, next)) = candidates.choose(rng) else {
        return false;
    };
    played.push(word.clone());
    *position = *next;
    draw_if_due(position, played, deck);
    true
}

fn draw_if_due(position: &mut AnyPosition, played: &mut Vec<String>, deck: &mut Deck) {
    while let Turn::Card(_) = position.turn() {
        let card = deck.draw(&position.outcomes());
        if position.play(&card).is_err() {
            return;
        }
        played.push(card);
    }
}

/// Number of seats whose place is decided.
fn finished(position: &AnyPosition) -> usize {
    let seats = (0..position.seats() as u8).map(Seat);
    seats.filter(|&seat| position.place(seat).is_some()).count()
}
