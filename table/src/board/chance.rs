//! The source of cards.
//!
//! The server stores no games, so it cannot store a shuffled deck either. It draws each card on its own from those that
//! are left, weighted by their numbers. The distribution is the same as for a shuffled deck.
//!
//! Consequences for fairness: with the system's random numbers no player can know a card before it is drawn, but
//! repeating a request draws again. With a seed, a card is a function of the seed and the game so far: repeating a
//! request, or the whole game, draws the same card, so a player who tries a move knows its card. Both are fine for a
//! board on one's own machine; otherwise play a match by the arbiter.

use buxtehude::rules::Seat;
use matches::plan::deck::{Deck, Draws};
use matches::plan::seed::{DeckSeed, Purpose, Seed, SysError};
use sha2::{Digest, Sha256};

use super::Played;

/// The source of cards.
#[derive(Clone, Copy, Debug)]
pub enum Chance {
    System,
    Seeded(Seed),
}

impl Chance {
    /// Draws the card that is due for `seat` in a game.
    ///
    /// # Errors
    /// [`SysError`] if the system has no random numbers.
    pub fn draw(&self, played: &Played, seat: Seat) -> Result<String, SysError> {
        let mut deck = Deck::new(self.deck_seed(played)?, Draws::Game);
        Ok(deck.draw(seat, &played.position.outcomes()))
    }

    fn deck_seed(&self, played: &Played) -> Result<DeckSeed, SysError> {
        let (seed, number) = match *self {
            Chance::System => (Seed::secret()?, 0),
            Chance::Seeded(seed) => (seed, number_of(played)),
        };
        Ok(seed.numbered(Purpose::Tables, number).0)
    }
}

/// A hash of the game so far.
fn number_of(played: &Played) -> u64 {
    let mut hash = Sha256::new();
    // Neither words nor names nor texts contain a line feed.
    hash.update(format!("{}\n{}", played.variant.name, played.first));
    for word in played.words() {
        hash.update(format!("\n{word}"));
    }
    let first = hash.finalize().into_iter().take(8);
    first.fold(0, |number, byte| number << 8 | u64::from(byte))
}
