//! The state of a race, its legal moves, and what moves and cards change.
//!
//! The search copies positions by the million, so they are packed: the occupied squares are one mask, and the legal
//! moves of a hare a few shifts of it. Each effect reads its position and writes a new one. The search plays many moves
//! from one position, whose data stay the same for all of them. Since the effects are inlined into its loop over the
//! moves, income, square and next seat are computed only once.

use super::moves::{Card, Move, Moves};
use super::track::{FINISH, KEPT_BY_FIRST, Ruleset, TEN_CARROTS, cost};
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
    pub(crate) seat: u8,
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

impl Position {
    /// Returns the position after a legal move.
    #[inline(always)]
    pub(super) fn after_move(&self, mv: Move) -> Position {
        match mv.code() {
            steps @ 1..=64 => self.after_step_forward(steps as u16),
            0 => self.after_forced_stay(),
            back @ -63..=-1 => self.after_step_back(back.unsigned_abs()),
            code => {
                let held = self.held_with_income();
                self.after_stay(if code == Move::TAKE.code() {
                    held.saturating_add(TEN_CARROTS)
                } else {
                    held - TEN_CARROTS
                })
            }
        }
    }

    #[inline(always)]
    fn after_step_forward(&self, steps: u16) -> Position {
        let mover = self.mover();
        let price = cost(steps);
        let square = mover.square + steps as u8;
        let carrots = self.held_with_income() - price;
        let mut next = self.with_mover(Hare { carrots, square, ..mover });
        next.occupied = self.without_mover();
        if square == FINISH {
            next.order[usize::from(self.finished)] = self.seat;
            next.finished = self.finished + 1;
            next.racing = self.racing & !(1 << self.seat);
            next.seat = self.seat_after(next.racing);
            return next;
        }
        let bit = 1u64 << square;
        let track = &self.ruleset.track;
        let draws = track.hares & bit != 0;
        next.occupied |= bit;
        next.paid = if draws { price } else { 0 };
        next.missing = self.missing | u8::from(track.lettuces & bit != 0) << self.seat;
        next.seat = if draws { self.seat } else { self.seat_after(self.racing) };
        next
    }

    #[inline(always)]
    fn after_step_back(&self, steps: u16) -> Position {
        let mover = self.mover();
        let square = mover.square - steps as u8;
        let carrots = self.held_with_income().saturating_add(TEN_CARROTS * steps);
        let mut next = self.with_mover(Hare { carrots, square, ..mover });
        next.occupied = self.without_mover() | 1 << square;
        next.seat = self.seat_after(self.racing);
        next
    }

    #[inline(always)]
    fn after_stay(&self, carrots: u16) -> Position {
        let mut next = self.with_mover(Hare { carrots, ..self.mover() });
        next.seat = self.seat_after(self.racing);
        next
    }

    fn after_forced_stay(&self) -> Position {
        let mut mover = self.mover();
        if !self.misses_turn(Seat(self.seat)) {
            // No other move is legal: the hare goes back to the start, and the same seat moves again.
            let mut next =
                self.with_mover(Hare { square: 0, carrots: self.ruleset.carrots, ..mover });
            next.occupied = self.without_mover();
            return next;
        }
        if self.ruleset.track.lettuces >> mover.square & 1 == 1 {
            mover.lettuces -= 1;
            mover.gain(self.income(Seat(self.seat)));
        }
        let mut next = self.with_mover(mover);
        next.missing = self.missing & !(1 << self.seat);
        next.seat = self.seat_after(self.racing);
        next
    }

    /// Returns the position after drawing a card that is left in the deck.
    #[inline(always)]
    pub(super) fn after_card(&self, card: Card) -> Position {
        let mut next = *self;
        let mark = 1 << self.seat;
        let mut mover = self.mover();
        next.paid = 0;
        next.drawn[card as usize] += 1;
        next.seat = self.seat_after(self.racing);
        match card {
            Card::Behind => {
                let ahead = self.rank(Seat(self.seat)) - 1;
                let behind = u16::from(self.seats) - 1 - ahead;
                if behind > ahead {
                    next.missing |= mark;
                } else {
                    next.seat = self.seat;
                }
            }
            Card::Draw if mover.lettuces == 0 => next.missing |= mark,
            Card::Draw => mover.gain(10 * u16::from(mover.lettuces)),
            Card::Restore => mover.carrots = Card::RESTORED,
            Card::Half => mover.carrots = mover.carrots.div_ceil(2),
            Card::Free => mover.gain(self.paid),
            Card::Show => {}
            Card::Give => mover.carrots -= next.give_to_those_behind(mover),
            Card::Shuffle => {
                mover.gain(next.collect_from_others(self.seat));
                next.drawn = [0; 8];
            }
        }
        next.hares[usize::from(self.seat)] = mover;
        next
    }

    /// Gives ten carrots to every hare behind, or five, or one, or none; returns the sum.
    fn give_to_those_behind(&mut self, giver: Hare) -> u16 {
        let behind = |hare: &Hare| hare.square < giver.square;
        let receivers = self.hares().iter().filter(|hare| behind(hare)).count() as u16;
        let gift =
            [10, 5, 1].into_iter().find(|gift| gift * receivers <= giver.carrots).unwrap_or(0);
        for hare in &mut self.hares[..usize::from(self.seats)] {
            if behind(hare) {
                hare.gain(gift);
            }
        }
        gift * receivers
    }

    /// Takes a carrot from every hare in the race that has one, except the collector's; returns the sum.
    fn collect_from_others(&mut self, collector: u8) -> u16 {
        let mut collected = 0;
        for (seat, hare) in (0..self.seats).zip(&mut self.hares) {
            if seat != collector && hare.square != FINISH && hare.carrots > 0 {
                hare.carrots -= 1;
                collected += 1;
            }
        }
        collected
    }

    /// The position with another state of the hare to move.
    #[inline(always)]
    fn with_mover(&self, hare: Hare) -> Position {
        let mut next = *self;
        // Reading the seat back from the copy just written would stall on the store.
        next.hares[usize::from(self.seat)] = hare;
        next
    }

    /// Squares occupied by the other hares.
    #[inline(always)]
    fn without_mover(&self) -> u64 {
        self.occupied & !(1u64 << self.mover().square)
    }

    /// Next seat in the mask `racing` after the one to move.
    #[inline(always)]
    fn seat_after(&self, racing: u8) -> u8 {
        let later = racing & 0xFEu8.unbounded_shl(self.seat.into());
        let next = if later != 0 { later } else { racing };
        next.trailing_zeros() as u8
    }
}

impl Hare {
    /// Adds carrots, up to the limit of 65535.
    fn gain(&mut self, carrots: u16) {
        self.carrots = self.carrots.saturating_add(carrots);
    }
}
