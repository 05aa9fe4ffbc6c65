//! Input features of the net for a hare: its square and state, its lettuces, and its carrots including the next income.
//!
//! A *feature* is one combination of these. For play, each feature has a number and a row of its own. For learning, and
//! in a weights file, a feature is the sum of several rows that it shares with similar features (see
//! [`Features::parts`]).

use crate::rules::hase::{FINISH, Position, Ruleset, Square, cost};
use crate::rules::{Game, Seat, Turn};

/// Number of holding classes.
pub const HOLDINGS: usize = 128;

/// Number of lettuce counts, including 0.
pub const LETTUCES: usize = 4;

/// Largest number of placements, the combinations of square and state, on a track.
pub const MAX_PLACEMENTS: usize = 112;

/// Number of deck states, as numbered by [`deck_index`].
pub const DECKS: usize = 3usize.pow(DECK_KINDS as u32);

/// Number of kinds of card that stay drawn.
pub const DECK_KINDS: usize = 7;

/// Number of rows in the sum for a feature.
pub const PARTS: usize = 7;

/// Below this every holding is a class of its own; then classes have two carrots, then eight.
const SINGLE: usize = 80;
const BY_TWOS: usize = 144;
const MAX_HELD_CARROTS: usize = BY_TWOS + 8 * 16 - 1;

/// Class of each holding.
const HOLDING: [u8; MAX_HELD_CARROTS + 1] = {
    let mut table = [0; MAX_HELD_CARROTS + 1];
    let mut carrots = 0;
    while carrots <= MAX_HELD_CARROTS {
        table[carrots] = if carrots < SINGLE {
            carrots
        } else if carrots < BY_TWOS {
            SINGLE + (carrots - SINGLE) / 2
        } else {
            SINGLE + (BY_TWOS - SINGLE) / 2 + (carrots - BY_TWOS) / 8
        } as u8;
        carrots += 1;
    }
    table
};

/// Smallest holding of a class.
fn carrots_of(holding: usize) -> usize {
    HOLDING.iter().position(|&number| usize::from(number) == holding).unwrap_or(MAX_HELD_CARROTS)
}

/// Next action of a hare: it moves, misses its turn or draws a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Misses,
    Draws,
}

const STATES: usize = 3;

/// Numbering of the features on a track.
#[derive(Clone, Debug)]
pub struct Features {
    /// Number of each placement, by square and state.
    placement: [[u8; STATES]; FINISH as usize + 1],
    /// Square and state of each placement.
    placements: Vec<(u8, State)>,
}

/// Number of rows in each of the tables that make up features.
pub const PART_ROWS: [usize; PARTS] = [
    MAX_PLACEMENTS * LETTUCES,
    (FINISH as usize + 1) * (HOLDINGS / 4),
    STATES * LETTUCES * HOLDINGS,
    MAX_TURNS * LETTUCES,
    SURPLUSES * LETTUCES,
    (FINISH as usize / 8 + 1) * HOLDINGS,
    MAX_PLACEMENTS * LETTUCES * (HOLDINGS / 8),
];

/// Number of classes of turns home; the last one is open-ended.
const MAX_TURNS: usize = 32;

/// Number of classes of the difference between the holding and the cost of a single move home.
const SURPLUSES: usize = 128;

impl Features {
    /// Numbers the features on the track of a ruleset.
    pub fn of(ruleset: &Ruleset) -> Features {
        let mut features =
            Features { placement: [[0; STATES]; FINISH as usize + 1], placements: Vec::new() };
        for square in 0..=FINISH {
            for state in [State::Free, State::Misses, State::Draws] {
                let kind = ruleset.track.square(square);
                let is_possible = match state {
                    State::Free => true,
                    State::Misses => matches!(kind, Square::Lettuce | Square::Hare),
                    State::Draws => kind == Square::Hare,
                };
                if is_possible {
                    features.placement[usize::from(square)][state as usize] =
                        features.placements.len() as u8;
                    features.placements.push((square, state));
                }
            }
        }
        assert!(features.placements.len() <= MAX_PLACEMENTS, "a track with more hare squares");
        features
    }

    /// Number of features; they are numbered from 0.
    pub fn count(&self) -> usize {
        self.placements.len() * LETTUCES * HOLDINGS
    }

    /// The placements in order of their numbers: the square, and 0 for a hare that moves freely, 1 for one that misses
    /// its turn, 2 for one that draws a card.
    pub fn placements(&self) -> impl Iterator<Item = (u8, usize)> {
        self.placements.iter().map(|&(square, state)| (square, state as usize))
    }

    /// Number of the feature of a seat.
    #[inline(always)]
    pub fn index(&self, position: &Position, seat: Seat) -> usize {
        let hare = position.hare(seat);
        let state = if position.misses_turn(seat) {
            State::Misses
        } else if position.turn() == Turn::Card(seat) {
            State::Draws
        } else {
            State::Free
        };
        let placement = self.placement[usize::from(hare.square)][state as usize];
        let held = usize::from(hare.carrots) + usize::from(position.income(seat));
        let held = if hare.square == FINISH { 0 } else { held };
        let holding = HOLDING[held.min(MAX_HELD_CARROTS)];
        (usize::from(placement) * LETTUCES + usize::from(hare.lettuces) % LETTUCES) * HOLDINGS
            + usize::from(holding)
    }

    /// Rows that sum up to a feature, one index for each table of [`PART_ROWS`].
    pub fn parts(&self, ruleset: &Ruleset, feature: usize) -> [usize; PARTS] {
        let holding = feature % HOLDINGS;
        let lettuces = feature / HOLDINGS % LETTUCES;
        let placement = feature / HOLDINGS / LETTUCES;
        let (square, state) = self.placements[placement];
        let carrots = carrots_of(holding);
        let turns = ruleset.turns_home.turns(
            (lettuces as u8).min(ruleset.lettuces),
            square,
            carrots as u16,
        );
        let price = usize::from(cost(u16::from(FINISH - square)));
        let surplus = (carrots + SURPLUSES / 2).saturating_sub(price).min(SURPLUSES - 1);
        let square = usize::from(square);
        [
            placement * LETTUCES + lettuces,
            square * (HOLDINGS / 4) + holding / 4,
            (state as usize * LETTUCES + lettuces) * HOLDINGS + holding,
            usize::from(turns).min(MAX_TURNS - 1) * LETTUCES + lettuces,
            surplus * LETTUCES + lettuces,
            square / 8 * HOLDINGS + holding,
            (placement * LETTUCES + lettuces) * (HOLDINGS / 8) + holding / 8,
        ]
    }
}

/// Number of a deck state: the number drawn of each kind as digits to the base 3, the first kind lowest.
#[inline(always)]
pub fn deck_index(drawn: &[u8; 8]) -> usize {
    // Two multiplications sum up three and four digits in the byte above them, without a carry.
    let word = u64::from_le_bytes(*drawn);
    let low = (word & 0xFF_FFFF).wrapping_mul(0x01_03_09) >> 16 & 0xFF;
    let high = (word >> 24 & 0xFFFF_FFFF).wrapping_mul(0x01_03_09_1B) >> 24 & 0xFF;
    (low + 27 * high) as usize
}

/// Number of cards drawn of each kind, from the number of a deck state.
pub fn deck_of(index: usize) -> [usize; DECK_KINDS] {
    let mut rest = index;
    std::array::from_fn(|_| {
        let digit = rest % 3;
        rest /= 3;
        digit
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL};

    #[test]
    fn what_is_drawn_has_a_number_of_its_own() {
        for index in 0..DECKS {
            let drawn = deck_of(index);
            let mut bytes = [0; 8];
            for (byte, number) in bytes.iter_mut().zip(drawn) {
                *byte = number as u8;
            }
            assert_eq!(deck_index(&bytes), index, "{drawn:?}");
            // The card that never stays drawn is ignored.
            bytes[DECK_KINDS] = 1;
            assert_eq!(deck_index(&bytes), index, "{drawn:?}");
        }
    }

    #[test]
    fn the_rows_of_each_look_are_there() {
        for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
            let features = Features::of(ruleset);
            let mut most = [0; PARTS];
            for feature in 0..features.count() {
                for (table, part) in features.parts(ruleset, feature).into_iter().enumerate() {
                    assert!(part < PART_ROWS[table], "{feature}: {part} of table {table}");
                    most[table] = most[table].max(part);
                }
            }
            // The tables of squares and holdings have no unused rows.
            for table in [1, 2, 4, 5] {
                assert_eq!(most[table] + 1, PART_ROWS[table], "table {table}");
            }
        }
    }

    #[test]
    fn holdings_ascend_without_a_gap() {
        assert_eq!(HOLDING[0], 0);
        assert_eq!(usize::from(HOLDING[MAX_HELD_CARROTS]), HOLDINGS - 1);
        for pair in HOLDING.windows(2) {
            assert!(pair[1] == pair[0] || pair[1] == pair[0] + 1, "{pair:?}");
        }
        for (carrots, &holding) in HOLDING.iter().enumerate() {
            let least = carrots_of(holding.into());
            assert!(least <= carrots && HOLDING[least] == holding);
            assert!(least == 0 || HOLDING[least - 1] < holding);
        }
    }
}
