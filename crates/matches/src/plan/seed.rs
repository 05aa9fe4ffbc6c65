//! Random numbers derived from the seed of a match.
//!
//! A seed that is a number starts a stream of random numbers for each block; anyone who knows the cards of a few blocks
//! can find the number by trial and error. A seed that is a key yields separate keys for each block, which reveal
//! nothing about the seed or other blocks.

use std::fmt;

pub use rand::rngs::SysError;
use rand::rngs::SysRng;
use rand::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use crate::record::seed::{Seed, SeedTextError};

/// Purpose of random numbers. Numbers for one purpose reveal nothing about numbers for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Blocks,
    /// Candidates for a suite of openings.
    Candidates,
    /// Games outside of a match.
    Tables,
}

/// Seed of the cards of a game.
///
/// # Examples
/// ```
/// use matches::plan::seed::DeckSeed;
///
/// assert_eq!(DeckSeed::from(7), DeckSeed::from(7));
/// assert_ne!(DeckSeed::from(7), DeckSeed::from(8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckSeed([u8; 32]);

impl From<u64> for DeckSeed {
    fn from(number: u64) -> DeckSeed {
        DeckSeed(ChaCha8Rng::seed_from_u64(number).get_seed())
    }
}

impl fmt::Display for DeckSeed {
    /// Writes the first 16 hexadecimal digits, enough to tell seeds apart.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl DeckSeed {
    /// Returns the seed of other cards, about which these cards reveal nothing.
    pub fn another(self) -> DeckSeed {
        DeckSeed(Sha256::digest([self.0.as_slice(), b"another"].concat()).into())
    }

    /// Returns the random numbers that shuffle the cards.
    pub fn random(self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.0)
    }
}

impl Seed {
    /// Returns an unpredictable key.
    ///
    /// # Errors
    /// The system cannot provide random numbers.
    pub fn secret() -> Result<Seed, SysError> {
        let mut key = [0; 16];
        SysRng.try_fill_bytes(&mut key)?;
        Ok(Seed::Key(key))
    }

    /// `true` if the random numbers cannot be predicted without knowledge of the seed.
    pub fn is_secret(self) -> bool {
        matches!(self, Seed::Key(_))
    }

    /// Returns the deck seed of block or candidate `number`, from 0, and the random numbers for everything else in it.
    pub fn numbered(self, purpose: Purpose, number: u64) -> (DeckSeed, ChaCha8Rng) {
        match self {
            Seed::Number(seed) => {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                random.set_stream(number);
                (DeckSeed::from(random.next_u64()), random)
            }
            Seed::Key(key) => {
                let [cards, plies] = match purpose {
                    Purpose::Blocks => ["cards of block", "plies of block"],
                    Purpose::Candidates => ["cards of candidate", "plies of candidate"],
                    Purpose::Tables => ["cards of table", "plies of table"],
                };
                let plies = ChaCha8Rng::from_seed(derived(key, plies, number));
                (DeckSeed(derived(key, cards, number)), plies)
            }
        }
    }

    /// Returns the random numbers that sample outcomes of a game. They are independent of the outcomes that it draws.
    pub fn samples(self, game: u64) -> ChaCha8Rng {
        match self {
            Seed::Number(seed) => {
                let hash = Sha256::new().chain_update(seed.to_be_bytes());
                let hash = hash.chain_update(game.to_be_bytes()).chain_update("samples");
                ChaCha8Rng::from_seed(hash.finalize().into())
            }
            Seed::Key(key) => ChaCha8Rng::from_seed(derived(key, "samples of game", game)),
        }
    }

    /// Returns the random numbers that shuffle the openings.
    pub fn order_of_openings(self) -> ChaCha8Rng {
        match self {
            Seed::Number(seed) => ChaCha8Rng::seed_from_u64(seed),
            Seed::Key(key) => ChaCha8Rng::from_seed(derived(key, "order of openings", 0)),
        }
    }
}

/// Returns the key for one purpose and number: the SHA-256 of the secret, the purpose and the number.
fn derived(key: [u8; 16], what: &str, number: u64) -> [u8; 32] {
    // Key and number have fixed lengths, so that different inputs never hash the same bytes.
    let hash =
        Sha256::new().chain_update(key).chain_update(number.to_be_bytes()).chain_update(what);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 16] = *b"sixteen letters!";

    fn drawn(seed: Seed, purpose: Purpose, number: u64) -> (DeckSeed, u64) {
        let (cards, mut random) = seed.numbered(purpose, number);
        (cards, random.next_u64())
    }

    /// Recorded matches with a number as seed must stay reproducible.
    #[test]
    fn what_follows_from_a_number_stays_as_it_is() {
        let (cards, next) = drawn(Seed::Number(9), Purpose::Blocks, 3);
        let mut random = ChaCha8Rng::seed_from_u64(9);
        random.set_stream(3);
        assert_eq!(cards, DeckSeed::from(random.next_u64()));
        assert_eq!(next, random.next_u64());
        let mut deck = cards.random();
        random.set_stream(3);
        random.set_word_pos(0);
        let mut expected = ChaCha8Rng::seed_from_u64(random.next_u64());
        assert_eq!(deck.next_u64(), expected.next_u64());
    }

    /// Expected value from `sha256sum` of the letters of the key, eight bytes of the number, and the words.
    #[test]
    fn a_key_is_hashed_with_number_and_purpose() {
        let (cards, _) = drawn(Seed::Key(KEY), Purpose::Blocks, 1);
        assert_eq!(cards.to_string(), "22d27592bebfe907");
    }

    #[test]
    fn nothing_follows_twice_from_a_key() {
        let mut seen = Vec::new();
        for purpose in [Purpose::Blocks, Purpose::Candidates, Purpose::Tables] {
            for number in 0..20 {
                let (cards, random) = Seed::Key(KEY).numbered(purpose, number);
                seen.extend([cards.0, random.get_seed()]);
            }
        }
        seen.push(Seed::Key(KEY).order_of_openings().get_seed());
        let number = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), number);
    }

    #[test]
    fn no_two_secrets_are_the_same() {
        assert_ne!(Seed::secret().unwrap(), Seed::secret().unwrap());
    }
}
