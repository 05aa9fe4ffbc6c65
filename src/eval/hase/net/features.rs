//! What the net sees of a hare: where and how it stands, its lettuces, and its carrots with the income that is due.
//!
//! A *look* is one such hare. Looks are numbered, so that for play each has a row of its own; for learning and in a
//! file of weights a look is the sum of several rows that it shares with looks like it (see [`Looks::parts`]).

use crate::rules::hase::{FINISH, Position, Ruleset, Square, cost};
use crate::rules::{Game, Seat, Turn};

/// Numbers of carrots that are told apart.
pub const HOLDINGS: usize = 128;

/// Numbers of lettuces that are told apart, none among them.
pub const LETTUCES: usize = 4;

/// Ways of standing on the squares of a track: at most this many.
pub const MOST_STANDS: usize = 112;

/// The states of the deck, as [`deck_index`] numbers them.
pub const DECKS: usize = 3usize.pow(DECK_KINDS as u32);

/// The kinds of card that stay drawn.
pub const DECK_KINDS: usize = 7;

/// Rows that make up a look.
pub const PARTS: usize = 7;

/// Holdings up to this are told apart carrot by carrot, then by twos, then by eights.
const SINGLE: usize = 80;
const BY_TWOS: usize = 144;
const MOST_CARROTS: usize = BY_TWOS + 8 * 16 - 1;

/// The number of a holding.
const HOLDING: [u8; MOST_CARROTS + 1] = {
    let mut table = [0; MOST_CARROTS + 1];
    let mut carrots = 0;
    while carrots <= MOST_CARROTS {
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

/// The least carrots of a holding.
fn carrots_of(holding: usize) -> usize {
    HOLDING
        .iter()
        .position(|&number| usize::from(number) == holding)
        .unwrap_or(MOST_CARROTS)
}

/// How a hare is about to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Misses,
    Draws,
}

const STATES: usize = 3;

/// The numbers of the looks on a track.
#[derive(Clone, Debug)]
pub struct Looks {
    /// The number of a way of standing, by square and state.
    stand: [[u8; STATES]; FINISH as usize + 1],
    /// Square and state of each way of standing.
    stands: Vec<(u8, State)>,
}

/// The rows that make up looks: which tables there are, and how many rows each has.
pub const PART_ROWS: [usize; PARTS] = [
    MOST_STANDS * LETTUCES,
    (FINISH as usize + 1) * (HOLDINGS / 4),
    STATES * LETTUCES * HOLDINGS,
    MOST_TURNS * LETTUCES,
    SURPLUSES * LETTUCES,
    (FINISH as usize / 8 + 1) * HOLDINGS,
    MOST_STANDS * LETTUCES * (HOLDINGS / 8),
];

/// Ways home of this many turns and more are one.
const MOST_TURNS: usize = 32;

/// Differences between a holding and what one move home costs that are told apart.
const SURPLUSES: usize = 128;

impl Looks {
    /// The looks on the track of a ruleset.
    pub fn of(ruleset: &Ruleset) -> Looks {
        let mut looks = Looks {
            stand: [[0; STATES]; FINISH as usize + 1],
            stands: Vec::new(),
        };
        for square in 0..=FINISH {
            for state in [State::Free, State::Misses, State::Draws] {
                let kind = ruleset.track.square(square);
                let is_possible = match state {
                    State::Free => true,
                    State::Misses => matches!(kind, Square::Lettuce | Square::Hare),
                    State::Draws => kind == Square::Hare,
                };
                if is_possible {
                    looks.stand[usize::from(square)][state as usize] = looks.stands.len() as u8;
                    looks.stands.push((square, state));
                }
            }
        }
        assert!(
            looks.stands.len() <= MOST_STANDS,
            "a track with more hare squares"
        );
        looks
    }

    /// Number of looks: they are numbered from 0.
    pub fn count(&self) -> usize {
        self.stands.len() * LETTUCES * HOLDINGS
    }

    /// The ways of standing, by number: the square, and 0 for a hare that goes on freely, 1 for one that misses its
    /// turn, 2 for one that draws a card.
    pub fn stands(&self) -> impl Iterator<Item = (u8, usize)> {
        self.stands
            .iter()
            .map(|&(square, state)| (square, state as usize))
    }

    /// The number of the look of a seat.
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
        let stand = self.stand[usize::from(hare.square)][state as usize];
        let held = usize::from(hare.carrots) + usize::from(position.income(seat));
        let held = if hare.square == FINISH { 0 } else { held };
        let holding = HOLDING[held.min(MOST_CARROTS)];
        (usize::from(stand) * LETTUCES + usize::from(hare.lettuces) % LETTUCES) * HOLDINGS
            + usize::from(holding)
    }

    /// The rows that make up a look, one of each table of [`PART_ROWS`].
    pub fn parts(&self, ruleset: &Ruleset, look: usize) -> [usize; PARTS] {
        let holding = look % HOLDINGS;
        let lettuces = look / HOLDINGS % LETTUCES;
        let stand = look / HOLDINGS / LETTUCES;
        let (square, state) = self.stands[stand];
        let carrots = carrots_of(holding);
        let turns = ruleset.turns_home.turns(
            (lettuces as u8).min(ruleset.lettuces),
            square,
            carrots as u16,
        );
        let price = usize::from(cost(u16::from(FINISH - square)));
        let surplus = (carrots + SURPLUSES / 2)
            .saturating_sub(price)
            .min(SURPLUSES - 1);
        let square = usize::from(square);
        [
            stand * LETTUCES + lettuces,
            square * (HOLDINGS / 4) + holding / 4,
            (state as usize * LETTUCES + lettuces) * HOLDINGS + holding,
            usize::from(turns).min(MOST_TURNS - 1) * LETTUCES + lettuces,
            surplus * LETTUCES + lettuces,
            square / 8 * HOLDINGS + holding,
            (stand * LETTUCES + lettuces) * (HOLDINGS / 8) + holding / 8,
        ]
    }
}

/// The number of what is drawn: so many of each kind as digits to the base 3, the first kind the lowest.
#[inline(always)]
pub fn deck_index(drawn: &[u8; 8]) -> usize {
    // Two multiplications add up three and four digits in the byte above them, without a carry.
    let word = u64::from_le_bytes(*drawn);
    let low = (word & 0xFF_FFFF).wrapping_mul(0x01_03_09) >> 16 & 0xFF;
    let high = (word >> 24 & 0xFFFF_FFFF).wrapping_mul(0x01_03_09_1B) >> 24 & 0xFF;
    (low + 27 * high) as usize
}

/// How many of each kind are drawn, from the number of what is drawn.
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
            // The card that is never left drawn has no part in it.
            bytes[DECK_KINDS] = 1;
            assert_eq!(deck_index(&bytes), index, "{drawn:?}");
        }
    }

    #[test]
    fn the_rows_of_each_look_are_there() {
        for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
            let looks = Looks::of(ruleset);
            let mut most = [0; PARTS];
            for look in 0..looks.count() {
                for (table, part) in looks.parts(ruleset, look).into_iter().enumerate() {
                    assert!(part < PART_ROWS[table], "{look}: {part} of table {table}");
                    most[table] = most[table].max(part);
                }
            }
            // The tables of squares and holdings are as large as they have to be.
            for table in [1, 2, 4, 5] {
                assert_eq!(most[table] + 1, PART_ROWS[table], "table {table}");
            }
        }
    }

    #[test]
    fn holdings_ascend_without_a_gap() {
        assert_eq!(HOLDING[0], 0);
        assert_eq!(usize::from(HOLDING[MOST_CARROTS]), HOLDINGS - 1);
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
