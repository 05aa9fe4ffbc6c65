//! By what a game is recognised: a hash of all that was played and said, but of nothing that the wall clock said.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::line::Line;
use super::printable::printable_json;
use super::{GameRecord, TurnSums};

/// Bytes of a hash that make a digest.
const BYTES: usize = 16;

/// A game as it was kept, with what was kept beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Line", into = "Line")]
pub struct KeptGame {
    /// The game.
    pub record: GameRecord,
    /// Its digest when it was played, or `None` of a game that was kept before there were digests.
    pub digest: Option<String>,
    /// What the turns of each seat were said to add up to, or `None` where only the turns are kept.
    pub totals: Option<Vec<TurnSums>>,
}

impl GameRecord {
    /// The first 32 hexadecimal digits of the SHA-256 of the game's JSON line without clock and digest.
    pub fn digest(&self) -> String {
        let line = Line::without_digest(self.clone().without_clock());
        // A record always has a JSON form.
        let line = serde_json::to_string(&line).unwrap_or_default();
        text(Sha256::digest(&*printable_json(&line)).as_slice())
    }
}

impl From<GameRecord> for Line {
    fn from(record: GameRecord) -> Line {
        let digest = Some(record.digest());
        let mut line = Line::without_digest(record);
        line.digest = digest;
        line
    }
}

impl From<KeptGame> for Line {
    fn from(KeptGame { record, digest, .. }: KeptGame) -> Line {
        let mut line = Line::without_digest(record);
        line.digest = digest;
        line
    }
}

impl From<Line> for KeptGame {
    fn from(mut line: Line) -> KeptGame {
        KeptGame {
            digest: line.digest.take(),
            totals: None,
            record: line.into(),
        }
    }
}

impl KeptGame {
    /// The same game without anything that the wall clock said; its digest does not depend on that.
    pub fn without_clock(self) -> KeptGame {
        KeptGame {
            record: self.record.without_clock(),
            digest: self.digest,
            totals: None,
        }
    }
}

/// The digest of a whole match: that of the digests of its games, in their order.
///
/// # Examples
/// ```
/// use arbiter::record::digest::MatchDigest;
///
/// let mut digest = MatchDigest::default();
/// digest.add("0123456789abcdef0123456789abcdef");
/// assert_eq!(digest.text().len(), 32);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MatchDigest(Sha256);

impl MatchDigest {
    /// Adds the next game by its digest.
    pub fn add(&mut self, digest: &str) {
        self.0.update(digest);
        self.0.update("\n");
    }

    /// The first 32 hexadecimal digits of the SHA-256 of the digests so far, one a line.
    pub fn text(self) -> String {
        text(self.0.finalize().as_slice())
    }
}

fn text(hash: &[u8]) -> String {
    let digits = hash.iter().take(BYTES).map(|byte| format!("{byte:02x}"));
    digits.collect()
}
