//! Rulesets: a board, holding or mix of cards is a table here, not code.

use std::sync::LazyLock;

use super::cards::FIFTEEN;
use super::track::{TRACK_1978, TRACK_LATER, Track};
use super::turns_home::TurnsHome;

/// The tables of a variant.
#[derive(Debug)]
pub struct Ruleset {
    /// The name of the variant.
    pub name: &'static str,
    /// The track.
    pub track: Track,
    /// Carrots of each hare at the start, and after falling back to it.
    pub carrots: u16,
    /// Lettuces of each hare at the start.
    pub lettuces: u8,
    /// The number of cards of each [`Card`](super::Card), in its order. A deck has a `shuffle`, so that
    /// it never runs out.
    pub deck: [u8; 8],
    /// The hare squares near the finish, bit n being square n: a card drawn there may cost the race.
    pub last_hares: u64,
    /// How far it is to the finish for a hare alone; made when it is first asked for.
    pub turns_home: LazyLock<TurnsHome>,
}

/// The game of 1978: its track, 68 carrots, 3 lettuces, a deck of fifteen cards.
pub static HASE_UND_IGEL: Ruleset = Ruleset {
    name: "hase-und-igel",
    track: Track::new(TRACK_1978),
    carrots: 68,
    lettuces: 3,
    deck: FIFTEEN,
    last_hares: 1 << 58 | 1 << 61 | 1 << 63,
    turns_home: LazyLock::new(|| TurnsHome::of(&HASE_UND_IGEL)),
};

/// The later English-language game: its track, 65 carrots, 3 lettuces, a deck of fifteen cards.
pub static HARE_AND_TORTOISE: Ruleset = Ruleset {
    name: "hare-and-tortoise",
    track: Track::new(TRACK_LATER),
    carrots: 65,
    lettuces: 3,
    deck: FIFTEEN,
    last_hares: 1 << 58 | 1 << 62,
    turns_home: LazyLock::new(|| TurnsHome::of(&HARE_AND_TORTOISE)),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_hares_are_the_hare_squares_beyond_57() {
        for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
            assert_eq!(ruleset.last_hares, ruleset.track.hares & u64::MAX << 58);
        }
    }
}
