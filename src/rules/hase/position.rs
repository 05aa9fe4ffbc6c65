//! A state of the race and its legal moves.
//!
//! The search copies positions by the million, so they are packed: the occupied squares are one mask, and the legal
//! moves of a hare a few shifts of it.

use super::moves::Moves;
use super::ruleset::Ruleset;
use super::track::{FINISH, KEPT_BY_FIRST, TEN_CARROTS, cost};
use crate::rules::{MAX_SEATS, Seat};

/// Longest move forward that a holding pays for: entry c is for c carrots, the last entry for any larger holding.
const FURTHEST_STEP: [u8; cost(64) as usize + 1] = {
    let mut table = [0; cost(64) as usize + 1];
    let mut carrots = 0;
    let mut steps = 0;
    while carrots < table.len() {
        if steps < 64 && cost(steps + 1) as usize <= carrots {
            steps += 1;
        }
        table[carrots] = steps as u8;
        carrots += 1;
    }
    table
};

/// Square and holding of one hare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hare {
    /// Carrots held, 0 to 65535.
    pub carrots: u16,
    /// Square, 0 to 64.
    pub square: u8,
    /// Lettuces in hand.
    pub lettuces: u8,
}

/// A position of Hase und Igel.
///
/// # Examples
/// ```
/// use buxtehude::rules::{Game, Seat, hase::{HASE_UND_IGEL, Move, Position}};
///
/// let mut position = Position::start(&HASE_UND_IGEL, 3).unwrap();
/// position.play(Move::forward(5))?; // 1 + 2 + 3 + 4 + 5 = 15 carrots
/// assert_eq!(position.hare(Seat(0)).carrots, 53);
/// assert_eq!(position.to_string(), "5,53,3/0,68,3/0,68,3 2 - -");
/// # Ok::<(), buxtehude::rules::hase::IllegalMove>(())
/// ```
#[derive(Clone, Copy)]
pub struct Position {
    pub(super) ruleset: &'static Ruleset,
    /// Squares 1 to 63 that have a hare on them.
    pub(super) occupied: u64,
    pub(super) hares: [Hare; MAX_SEATS],
    /// Cards of each kind drawn since the last shuffle.
    pub(super) drawn: [u8; 8],
    /// Carrots paid for the move whose card is due, or 0 if no card is due.
    pub(super) paid: u16,
    pub(super) seats: u8,
    /// The seat that moves or draws.
    pub(super) seat: u8,
    /// Bit n: seat n misses its next turn.
    pub(super) missing: u8,
    /// Bit n: seat n has not finished.
    pub(super) racing: u8,
    /// Number of seats that have finished.
    pub(super) finished: u8,
    /// Seats that have finished, in order; unused entries are 0.
    pub(super) order: [u8; MAX_SEATS],
}

impl Position {
    /// The start of a race of this many seats, 2 to [`MAX_SEATS`].
    pub(super) fn at_start(ruleset: &'static Ruleset, seats: usize) -> Position {
        let mut hares = [Hare::default(); MAX_SEATS];
        hares[..seats].fill(Hare {
            carrots: ruleset.carrots,
            square: 0,
            lettuces: ruleset.lettuces,
        });
        Position {
            ruleset,
            occupied: 0,
            hares,
            drawn: [0; 8],
            paid: 0,
            seats: seats as u8,
            seat: 0,
            missing: 0,
            racing: (1 << seats) - 1,
            finished: 0,
            order: [0; MAX_SEATS],
        }
    }

    /// Returns the hare of a seat.
    ///
    /// # Panics
    /// If the seat does not exist.
    #[inline(always)]
    pub fn hare(&self, seat: Seat) -> Hare {
        self.hares()[seat.index()]
    }

    /// All hares, in seat order.
    pub fn hares(&self) -> &[Hare] {
        &self.hares[..usize::from(self.seats)]
    }

    /// Seats that have finished, in order.
    pub fn finished(&self) -> impl ExactSizeIterator<Item = Seat> + '_ {
        self.order[..usize::from(self.finished)].iter().map(|&seat| Seat(seat))
    }

    /// `true` if a seat misses its next turn.
    #[inline(always)]
    pub fn misses_turn(&self, seat: Seat) -> bool {
        self.missing >> seat.0 & 1 == 1
    }

    /// Place of a seat's hare in the race: 1 + the number of hares on higher squares.
    #[inline(always)]
    pub fn rank(&self, seat: Seat) -> u16 {
        match self.hares[seat.index()].square {
            FINISH => 1,
            square => 1 + self.hares_ahead_of(square),
        }
    }

    /// Number of hares on higher squares than `square`; meaningless for the finish.
    #[inline(always)]
    fn hares_ahead_of(&self, square: u8) -> u16 {
        // Wrapping, since the function is also called for hares that have finished; their income is 0 at any place.
        let ahead = self.occupied.wrapping_shr(square.into()) >> 1;
        ahead.count_ones() as u16 + u16::from(self.finished)
    }

    /// Ruleset of the game.
    pub fn ruleset(&self) -> &'static Ruleset {
        self.ruleset
    }

    /// Carrots that a seat receives with its next move: on a number square for its place, on a lettuce square for
    /// eating.
    #[inline(always)]
    pub fn income(&self, seat: Seat) -> u16 {
        let square = self.hares[seat.index()].square;
        let place = || 1 + self.hares_ahead_of(square);
        self.ruleset.track.income(square, place, self.misses_turn(seat))
    }

    /// Squares 1 to 63 that have a hare on them; bit n is square n.
    #[inline(always)]
    pub fn occupied(&self) -> u64 {
        self.occupied
    }

    /// Number of cards of each [`Card`](super::Card) drawn since the last shuffle, in deck order.
    #[inline(always)]
    pub fn drawn(&self) -> &[u8; 8] {
        &self.drawn
    }

    /// `true` if all hares but one have finished.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.racing & (self.racing - 1) == 0
    }

    /// Moves of the hare to move, which must not miss its turn; may be none.
    #[inline(always)]
    pub(super) fn free_moves(&self) -> Moves {
        let hare = self.mover();
        let square = hare.square;
        let track = &self.ruleset.track;
        let held = self.held_with_income();
        let reach = FURTHEST_STEP[usize::from(held).min(FURTHEST_STEP.len() - 1)];

        let mut closed = self.occupied | track.hedgehogs;
        if hare.lettuces == 0 {
            closed |= track.lettuces;
        }
        // Bit n of `forward` is the move to `square + 1 + n`; the finish is bit 64 of the track.
        let mut forward = !closed >> square >> 1;
        let to_finish = FINISH - square;
        if hare.lettuces == 0 && to_finish <= reach {
            let left = held - cost(to_finish.into());
            forward |= u64::from(left <= self.most_at_finish()) << (to_finish - 1);
        }
        let back = self.free_hedgehog_behind(square).map_or(0, |hedgehog| square - hedgehog);
        let on_carrots = (track.carrots >> square & 1) as u8;
        let can_give = u8::from(held >= TEN_CARROTS);
        Moves {
            forward: forward & !u64::MAX.unbounded_shl(reach.into()),
            back,
            staying: on_carrots * (Moves::TAKE | (Moves::GIVE * can_give)),
        }
    }

    /// Most carrots that the next hare may finish with.
    #[inline]
    pub fn most_at_finish(&self) -> u16 {
        KEPT_BY_FIRST * (u16::from(self.finished) + 1)
    }

    /// Hedgehog square that a hare on `square` can go back to.
    #[inline]
    fn free_hedgehog_behind(&self, square: u8) -> Option<u8> {
        let hedgehog = self.ruleset.track.hedgehog_behind[usize::from(square)];
        (hedgehog != 0 && self.occupied >> hedgehog & 1 == 0).then_some(hedgehog)
    }

    /// Hare of the seat to move.
    #[inline(always)]
    pub(super) fn mover(&self) -> Hare {
        self.hares[usize::from(self.seat)]
    }

    /// Carrots of the hare to move, including its income. The hare must not miss its turn.
    #[inline(always)]
    pub(super) fn held_with_income(&self) -> u16 {
        let seat = Seat(self.seat);
        self.mover().carrots.saturating_add(self.income(seat))
    }

    /// Returns the position with another number of carrots held by a seat.
    #[inline(always)]
    #[must_use]
    pub fn with_carrots(&self, seat: Seat, carrots: u16) -> Position {
        let mut next = *self;
        next.hares[seat.index()].carrots = carrots;
        next
    }

    /// Key of the position.
    pub(super) fn hash(&self) -> u64 {
        let mut words = [0u64; 6];
        for (seat, hare) in self.hares.iter().enumerate() {
            let word = u64::from(hare.carrots)
                | u64::from(hare.square) << 16
                | u64::from(hare.lettuces) << 24;
            words[seat / 2] |= word << (32 * (seat % 2));
        }
        words[3] = u64::from_le_bytes(self.drawn);
        words[4] = u64::from(self.paid)
            | u64::from(self.seats) << 16
            | u64::from(self.seat) << 24
            | u64::from(self.missing) << 32
            | u64::from(self.finished) << 40;
        words[5] = self.order.iter().fold(0, |word, &seat| word << 8 | u64::from(seat));
        words.into_iter().fold(0x9E37_79B9_7F4A_7C15, mix)
    }
}

/// One round of folded multiplication, which mixes every bit of both numbers. Source: Wang Yi, wyhash.
#[inline]
fn mix(key: u64, word: u64) -> u64 {
    let product = u128::from(key ^ word) * 0xE703_7ED1_A0B4_28DB;
    let folded = product as u64 ^ (product >> 64) as u64;
    folded ^ word.rotate_left(32)
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        std::ptr::eq(self.ruleset, other.ruleset)
            && self.hares == other.hares
            && self.drawn == other.drawn
            && (self.paid, self.seats, self.seat) == (other.paid, other.seats, other.seat)
            && (self.missing, self.finished, self.order)
                == (other.missing, other.finished, other.order)
    }
}

impl Eq for Position {}
