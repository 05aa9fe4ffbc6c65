//! Chance: which card a game draws.
//!
//! The server keeps nothing of a game, so it cannot keep a shuffled deck either: every card is drawn on its own from
//! those that are left, each kind as likely as it is numerous, which is the same by the laws of chance.
//!
//! What that means for fairness: from the system's random numbers nobody can know a card before it is drawn; but who
//! asks again, with the same game, draws again. From a seed a card is a function of the seed and of the game so far:
//! asking again brings the same card, and so does the same game another time; who tries a move out knows its card.
//! Either is right for a board on one's own machine. Where neither may be, a match of the arbiter is the place.

use matches::plan::deck::Deck;
use matches::plan::seed::{DeckSeed, Purpose, Seed, SysError};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::Played;

/// Where cards come from.
#[derive(Clone, Copy, Debug)]
pub enum Chance {
    /// The system's random numbers.
    System,
    /// A seed.
    Seeded(Seed),
}

/// There are no random numbers.
#[derive(Debug, Error)]
#[error("the system has no random numbers: {0}")]
pub struct NoChance(#[from] SysError);

impl Chance {
    /// A card for a game in which one is due; an empty word where none is.
    ///
    /// # Errors
    /// [`NoChance`] where the system has no random numbers.
    pub fn draw(&self, played: &Played) -> Result<String, NoChance> {
        Ok(Deck::new(self.deck_seed(played)?).draw(&played.position.outcomes()))
    }

    fn deck_seed(&self, played: &Played) -> Result<DeckSeed, NoChance> {
        let (seed, number) = match *self {
            Chance::System => (Seed::secret()?, 0),
            Chance::Seeded(seed) => (seed, number_of(played)),
        };
        Ok(seed.numbered(Purpose::Tables, number).0)
    }
}

/// A number that no two games share but by chance.
fn number_of(played: &Played) -> u64 {
    let mut hash = Sha256::new();
    // No word, name or text has a line feed in it.
    hash.update(format!("{}\n{}", played.variant.name, played.first));
    for word in played.words() {
        hash.update(format!("\n{word}"));
    }
    let mut first = [0; 8];
    first
        .iter_mut()
        .zip(hash.finalize())
        .for_each(|(byte, of_hash)| *byte = of_hash);
    u64::from_be_bytes(first)
}
