//! One game of the article's search against itself, with different curves for each seat.

use buxtehude::eval::lookahead::Lookahead;
use buxtehude::rules::hase::{Card, HASE_UND_IGEL, Move, Position};
use buxtehude::rules::{Game, Seat, Turn};
use buxtehude::search::Control;
use buxtehude::search::article::Extent;
use buxtehude::search::article::vectors::{self, VectorSettings};
use rand::seq::{IteratorRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Largest number of moves of a game, not counting opening and cards.
pub const MOST_MOVES: usize = 300;

/// Result of a game.
pub struct Outcome {
    /// Share of the points of each seat: place p of N is worth N - p, and seats that have not finished share the rest.
    pub shares: Vec<f64>,
    /// Number of moves.
    pub moves: usize,
    /// `true` if the game was stopped.
    pub was_stopped: bool,
}

/// A position after up to four random moves per seat, with a seat to move.
pub fn opening(seats: usize, rng: &mut ChaCha8Rng) -> Position {
    let mut moves_left = rng.random_range(0..=4 * seats);
    // In the start position a seat is to move.
    let mut position = Position::start(&HASE_UND_IGEL, seats).expect("2 to 6 seats");
    loop {
        position = match position.turn() {
            Turn::Seat(_) if moves_left > 0 => {
                moves_left -= 1;
                let mv = position.legal_moves().choose(rng);
                position.play_unchecked(mv.expect("a seat to move has a move"))
            }
            Turn::Card(_) => position.draw_unchecked(Deck::draw_one(&position, rng)),
            _ => return position,
        };
    }
}

/// Plays a game from `position`; seat n searches `models[n]` to `depth` plies. The cards come from `deck` and do not
/// depend on the moves between the draws.
pub fn play(mut position: Position, models: &[&Lookahead], depth: u32, deck: u64) -> Outcome {
    let mut deck = Deck::new(deck);
    let mut moves = 0;
    // The players are deterministic: a position that repeats without a card in between would repeat for ever.
    let mut since_card = Vec::new();
    while moves < MOST_MOVES {
        match position.turn() {
            Turn::Seat(seat) => {
                if since_card.contains(&position) {
                    moves = MOST_MOVES;
                    break;
                }
                since_card.push(position);
                position =
                    position.play_unchecked(best_move(&position, models[seat.index()], depth));
                moves += 1;
            }
            Turn::Card(_) => {
                position = position.draw_unchecked(deck.draw(&position));
                since_card.clear();
            }
            Turn::Over => break,
        }
    }
    Outcome {
        shares: shares(&position),
        moves,
        was_stopped: position.turn() != Turn::Over,
    }
}

fn best_move(position: &Position, model: &Lookahead, depth: u32) -> Move {
    let extent = Extent {
        moves: position.legal_moves().collect(),
        depth,
        nodes: u64::MAX,
        multipv: 1,
    };
    // Without caps the order of moves does not affect the result, and with this strategy sorting saves nothing.
    let settings = VectorSettings {
        sort: false,
        ..VectorSettings::default()
    };
    let control = Control::new(None);
    let best = vectors::search(model, position, &settings, &extent, &control, &mut |_| {});
    best.expect("a seat to move has a move").pv[0]
}

fn shares(position: &Position) -> Vec<f64> {
    let seats = position.seats();
    let points_of_a_game = (seats * (seats - 1)) as f64 / 2.0;
    let open = (0..seats).filter(|&seat| position.place(Seat(seat as u8)).is_none());
    let open = open.count() as f64;
    let points = (0..seats).map(|seat| match position.place(Seat(seat as u8)) {
        Some(place) => (seats - place) as f64,
        None => (open - 1.0) / 2.0,
    });
    points.map(|points| points / points_of_a_game).collect()
}

/// A shuffled deck.
struct Deck {
    rng: ChaCha8Rng,
    /// Cards that are left; the last one is the top.
    order: Vec<Card>,
}

impl Deck {
    fn new(seed: u64) -> Deck {
        Deck {
            rng: ChaCha8Rng::seed_from_u64(seed),
            order: Vec::new(),
        }
    }

    /// Draws the next card. If the cards left have changed otherwise, shuffles the deck first.
    fn draw(&mut self, position: &Position) -> Card {
        let mut left = cards_left(position);
        let mut known = self.order.clone();
        known.sort();
        if left != known {
            left.shuffle(&mut self.rng);
            self.order = left;
        }
        self.order.pop().expect("a card is due")
    }

    fn draw_one(position: &Position, rng: &mut ChaCha8Rng) -> Card {
        let card = cards_left(position).into_iter().choose(rng);
        card.expect("a card is due")
    }
}

/// Cards that are left, in order.
fn cards_left(position: &Position) -> Vec<Card> {
    let kinds = position.outcomes();
    let mut cards: Vec<Card> = kinds
        .flat_map(|(card, number)| std::iter::repeat_n(card, number as usize))
        .collect();
    cards.sort();
    cards
}
