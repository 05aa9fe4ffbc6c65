//! Rulesets: board, starting holding and deck of each variant as tables.

use std::sync::LazyLock;

use super::cards::FIFTEEN;
use super::track::{TRACK_1978, TRACK_LATER, Track};
use super::turns_home::TurnsHome;

/// Tables of a variant.
#[derive(Debug)]
pub struct Ruleset {
    /// Name of the variant.
    pub name: &'static str,
    /// The track.
    pub track: Track,
    /// Carrots of each hare at the start, and when it goes back to the start.
    pub carrots: u16,
    /// Lettuces of each hare at the start.
    pub lettuces: u8,
    /// Number of cards of each [`Card`](super::Card), in deck order. A deck must have a `Shuffle`, so that it never
    /// runs out.
    pub deck: [u8; 8],
    /// Turns to the finish of a lone hare; computed on first use.
    pub turns_home: LazyLock<TurnsHome>,
}

/// The game of 1978: its track, 68 carrots, 3 lettuces, a deck of fifteen cards.
pub static HASE_UND_IGEL: Ruleset = Ruleset {
    name: "hase-und-igel",
    track: Track::new(TRACK_1978),
    carrots: 68,
    lettuces: 3,
    deck: FIFTEEN,
    turns_home: LazyLock::new(|| TurnsHome::of(&HASE_UND_IGEL.track, HASE_UND_IGEL.lettuces)),
};

/// The later English-language game: its track, 65 carrots, 3 lettuces, a deck of fifteen cards.
pub static HARE_AND_TORTOISE: Ruleset = Ruleset {
    name: "hare-and-tortoise",
    track: Track::new(TRACK_LATER),
    carrots: 65,
    lettuces: 3,
    deck: FIFTEEN,
    turns_home: LazyLock::new(|| {
        TurnsHome::of(&HARE_AND_TORTOISE.track, HARE_AND_TORTOISE.lettuces)
    }),
};
