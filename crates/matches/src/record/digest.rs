//! The digest of a game: a hash of everything in its record that does not depend on the wall clock.

use std::borrow::Cow;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::line::Line;
use super::printable::printable_json;
use super::{GameRecord, TurnSums};

/// Number of bytes of a hash that make a digest.
const DIGEST_LENGTH: usize = 16;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Line", into = "Line")]
pub struct StoredGame {
    pub record: GameRecord,
    /// Digest at the time of the game; `None` for a game that was stored without one.
    pub digest: Option<String>,
    /// Stored totals of each seat's turns; `None` if only the turns are stored.
    pub totals: Option<Vec<TurnSums>>,
}

impl GameRecord {
    /// Returns the first 32 hexadecimal digits of the SHA-256 of the game's JSON line without clock, luck and digest.
    pub fn digest(&self) -> String {
        let mut record = self.clone().without_clock();
        record.luck = None;
        let line = Line::new(record, None);
        // A record always has a JSON form.
        let line = serde_json::to_string(&line).unwrap_or_default();
        text(Sha256::digest(&*printable_json(&line)).as_slice())
    }
}

impl From<GameRecord> for StoredGame {
    fn from(record: GameRecord) -> StoredGame {
        StoredGame { digest: Some(record.digest()), record, totals: None }
    }
}

impl From<GameRecord> for Line {
    fn from(record: GameRecord) -> Line {
        let digest = Some(record.digest());
        Line::new(record, digest)
    }
}

impl From<StoredGame> for Line {
    fn from(StoredGame { record, digest, .. }: StoredGame) -> Line {
        Line::new(record, digest)
    }
}

impl TryFrom<Line> for StoredGame {
    type Error = String;

    fn try_from(mut line: Line) -> Result<StoredGame, String> {
        Ok(StoredGame { digest: line.digest.take(), totals: None, record: line.try_into()? })
    }
}

impl StoredGame {
    /// Returns the stored totals of each seat's turns; without them, those of the record's turns.
    pub fn turn_sums(&self) -> Cow<'_, [TurnSums]> {
        match &self.totals {
            Some(totals) => Cow::Borrowed(totals),
            None => Cow::Owned(self.record.turn_sums()),
        }
    }

    /// Returns the stored digest, or computes it if none is stored.
    pub fn known_digest(&self) -> Cow<'_, str> {
        match &self.digest {
            Some(digest) => Cow::Borrowed(digest),
            None => Cow::Owned(self.record.digest()),
        }
    }

    /// Removes everything that depends on the wall clock; the digest stays the same.
    pub fn without_clock(self) -> StoredGame {
        StoredGame { record: self.record.without_clock(), digest: self.digest, totals: None }
    }
}

/// Digest of a match: the hash of its games' digests, in order.
///
/// # Examples
/// ```
/// use matches::record::digest::MatchDigest;
///
/// let mut digest = MatchDigest::default();
/// digest.add("0123456789abcdef0123456789abcdef");
/// assert_eq!(digest.text().len(), 32);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MatchDigest(Sha256);

impl MatchDigest {
    /// Adds the digest of the next game.
    pub fn add(&mut self, digest: &str) {
        self.0.update(digest);
        self.0.update("\n");
    }

    /// Returns the first 32 hexadecimal digits of the SHA-256 of all digests so far, one per line.
    pub fn text(self) -> String {
        text(self.0.finalize().as_slice())
    }
}

fn text(hash: &[u8]) -> String {
    HEXLOWER.encode(&hash[..DIGEST_LENGTH])
}
