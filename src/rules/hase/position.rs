//! A state of the race, its legal moves, and what moves and cards do to it.
//!
//! Positions are copied by the million, so everything is packed: occupied squares are one mask, the
//! legal moves of a hare a few shifts of it.

use std::fmt;

use super::cards::{Card, Outcomes};
use super::moves::{Move, Moves};
use super::refusal::{IllegalCard, IllegalMove};
use super::ruleset::Ruleset;
use super::track::FINISH;
use super::{PositionError, cost, notation, picture};
use crate::rules::{Game, MAX_SEATS, Seat, Turn};

/// Carrots that a hare on a carrot square takes or gives.
const CARROT_SQUARE_CARROTS: u16 = 10;

/// The furthest step that a holding pays for: entry c is for c carrots, the last for any more.
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

/// One hare: where it is and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hare {
    /// Carrots held, 0 to 65535.
    pub carrots: u16,
    /// The square it stands on, 0 to 64.
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
    /// The squares 1 to 63 on which a hare stands.
    pub(super) occupied: u64,
    pub(super) hares: [Hare; MAX_SEATS],
    /// Cards of each kind drawn since the last shuffle.
    pub(super) drawn: [u8; 8],
    /// Carrots paid for the move whose card is due, or 0 where no card is due.
    pub(super) paid: u16,
    pub(super) seats: u8,
    /// The seat that moves or draws.
    pub(super) seat: u8,
    /// Bit n: seat n misses its next turn.
    pub(super) missing: u8,
    /// Number of seats that have finished.
    pub(super) finished: u8,
    /// The seats that have finished, first to last; 0 beyond them.
    pub(super) order: [u8; MAX_SEATS],
}

impl Position {
    /// The hare of a seat.
    ///
    /// # Panics
    /// If there is no such seat.
    pub fn hare(&self, seat: Seat) -> Hare {
        self.hares()[seat.index()]
    }

    /// All hares, in seat order.
    pub fn hares(&self) -> &[Hare] {
        &self.hares[..usize::from(self.seats)]
    }

    /// The seats that have finished, first to last.
    pub fn finished(&self) -> impl ExactSizeIterator<Item = Seat> + '_ {
        self.order[..usize::from(self.finished)]
            .iter()
            .map(|&seat| Seat(seat))
    }

    /// Whether a seat misses its next turn.
    pub fn misses_turn(&self, seat: Seat) -> bool {
        self.missing >> seat.0 & 1 == 1
    }

    /// The place of a seat's hare in the race: 1 + the number of hares on a higher square.
    #[inline]
    pub fn rank(&self, seat: Seat) -> u16 {
        let square = self.hares[seat.index()].square;
        if square == FINISH {
            return 1;
        }
        let ahead = (self.occupied >> square >> 1).count_ones() as u16;
        1 + ahead + u16::from(self.finished)
    }

    /// The ruleset that is played.
    pub fn ruleset(&self) -> &'static Ruleset {
        self.ruleset
    }

    /// Carrots that a seat is paid with its next move: on a number square for its place, on a lettuce
    /// square for the lettuce that it eats.
    #[inline]
    pub fn income(&self, seat: Seat) -> u16 {
        let square = self.hares[seat.index()].square;
        if self.misses_turn(seat) {
            let eats = self.ruleset.track.lettuces.unbounded_shr(square.into()) & 1 == 1;
            return if eats { 10 * self.rank(seat) } else { 0 };
        }
        self.number_income(square, seat)
    }

    #[inline]
    fn number_income(&self, square: u8, seat: Seat) -> u16 {
        let paid_places = self.ruleset.track.paid_places[usize::from(square)];
        if paid_places == 0 {
            return 0;
        }
        let rank = self.rank(seat);
        if paid_places >> rank & 1 == 1 {
            10 * rank
        } else {
            0
        }
    }

    /// Whether all hares but one have finished.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.finished + 1 >= self.seats
    }

    /// The moves of the hare whose turn it is, which does not miss it; perhaps none.
    #[inline]
    pub(super) fn free_moves(&self) -> Moves {
        let hare = &self.hares[usize::from(self.seat)];
        let square = hare.square;
        let track = &self.ruleset.track;
        let income = self.number_income(square, Seat(self.seat));
        let held = hare.carrots.saturating_add(income);
        let reach = FURTHEST_STEP[usize::from(held).min(FURTHEST_STEP.len() - 1)];

        let mut closed = self.occupied | track.hedgehogs;
        if hare.lettuces == 0 {
            closed |= track.lettuces;
        }
        // Bit n of `forward` is the step to square + 1 + n; the finish is bit 64 of the track.
        let mut forward = !closed >> square >> 1;
        let to_finish = FINISH - square;
        if hare.lettuces == 0 && to_finish <= reach {
            let left = held - cost(to_finish.into());
            forward |= u64::from(left <= self.most_at_finish()) << (to_finish - 1);
        }
        let back = self
            .free_hedgehog_behind(square)
            .map_or(0, |hedgehog| square - hedgehog);
        let on_carrots = (track.carrots >> square & 1) as u8;
        let can_give = u8::from(held >= CARROT_SQUARE_CARROTS);
        Moves {
            forward: forward & !u64::MAX.unbounded_shl(reach.into()),
            back,
            staying: on_carrots * (Moves::TAKE | Moves::GIVE * can_give),
        }
    }

    /// The most carrots with which the next hare may finish.
    #[inline]
    pub(super) fn most_at_finish(&self) -> u16 {
        10 * (u16::from(self.finished) + 1)
    }

    /// The hedgehog that a hare on `square` can go back to.
    #[inline]
    fn free_hedgehog_behind(&self, square: u8) -> Option<u8> {
        let hedgehog = self.ruleset.track.hedgehog_behind[usize::from(square)];
        (hedgehog != 0 && self.occupied >> hedgehog & 1 == 0).then_some(hedgehog)
    }

    /// Steps forward and does what the new square asks for.
    fn step_forward(&mut self, steps: u16) {
        let income = self.number_income(self.mover().square, Seat(self.seat));
        let price = cost(steps);
        let hare = self.mover_mut();
        let from = hare.square;
        let to = from + steps as u8;
        hare.square = to;
        hare.carrots = hare.carrots.saturating_add(income) - price;
        self.leave(from);
        if to == FINISH {
            self.order[usize::from(self.finished)] = self.seat;
            self.finished += 1;
        } else {
            let bit = 1u64 << to;
            self.occupied |= bit;
            if self.ruleset.track.hares & bit != 0 {
                self.paid = price;
                return;
            }
            if self.ruleset.track.lettuces & bit != 0 {
                self.missing |= 1 << self.seat;
            }
        }
        self.pass_turn();
    }

    fn step_back(&mut self, steps: u16) {
        self.gain_income_and(CARROT_SQUARE_CARROTS * steps);
        let hare = self.mover_mut();
        let from = hare.square;
        hare.square -= steps as u8;
        let to = hare.square;
        self.leave(from);
        self.occupied |= 1 << to;
        self.pass_turn();
    }

    fn forced_stay(&mut self) {
        let mark = 1 << self.seat;
        if self.missing & mark == 0 {
            // Nothing else is legal: back to the start, and the same seat moves on.
            let carrots = self.ruleset.carrots;
            let hare = self.mover_mut();
            let from = hare.square;
            hare.square = 0;
            hare.carrots = carrots;
            self.leave(from);
            return;
        }
        if self.ruleset.track.lettuces >> self.mover().square & 1 == 1 {
            let carrots = 10 * self.rank(Seat(self.seat));
            let hare = self.mover_mut();
            hare.lettuces -= 1;
            hare.carrots = hare.carrots.saturating_add(carrots);
        }
        self.missing &= !mark;
        self.pass_turn();
    }

    fn gain_income_and(&mut self, carrots: u16) {
        let income = self.number_income(self.mover().square, Seat(self.seat));
        let hare = self.mover_mut();
        hare.carrots = hare.carrots.saturating_add(income).saturating_add(carrots);
    }

    #[inline]
    fn leave(&mut self, square: u8) {
        self.occupied &= !(1 << square);
    }

    #[inline]
    fn mover(&self) -> &Hare {
        &self.hares[usize::from(self.seat)]
    }

    #[inline]
    fn mover_mut(&mut self) -> &mut Hare {
        &mut self.hares[usize::from(self.seat)]
    }

    /// Gives the turn to the next seat that has not finished.
    #[inline]
    fn pass_turn(&mut self) {
        loop {
            self.seat = if self.seat + 1 == self.seats {
                0
            } else {
                self.seat + 1
            };
            if self.mover().square != FINISH {
                return;
            }
        }
    }

    /// Gives ten carrots to every hare behind, or five, or one, or none.
    fn give_to_those_behind(&mut self) {
        let giver = *self.mover();
        let behind = |hare: &Hare| hare.square < giver.square;
        let receivers = self.hares().iter().filter(|hare| behind(hare)).count() as u16;
        let gift = [10, 5, 1]
            .into_iter()
            .find(|gift| gift * receivers <= giver.carrots);
        let gift = gift.unwrap_or(0);
        for hare in &mut self.hares[..usize::from(self.seats)] {
            if behind(hare) {
                hare.carrots = hare.carrots.saturating_add(gift);
            }
        }
        self.mover_mut().carrots -= gift * receivers;
    }

    /// Takes a carrot from every other hare in the race that has one.
    fn collect_from_others(&mut self) {
        let mut collected = 0;
        for (seat, hare) in self.hares.iter_mut().enumerate().take(self.seats.into()) {
            if seat != usize::from(self.seat) && hare.square != FINISH && hare.carrots > 0 {
                hare.carrots -= 1;
                collected += 1;
            }
        }
        let hare = self.mover_mut();
        hare.carrots = hare.carrots.saturating_add(collected);
    }
}

impl Game for Position {
    type Rules = Ruleset;
    type Move = Move;
    type Card = Card;
    type Moves = Moves;
    type Outcomes = Outcomes;
    type IllegalMove = IllegalMove;
    type IllegalCard = IllegalCard;
    type PositionError = PositionError;

    fn start(ruleset: &'static Ruleset, seats: usize) -> Option<Position> {
        if !(2..=MAX_SEATS).contains(&seats) {
            return None;
        }
        let mut hares = [Hare::default(); MAX_SEATS];
        let hare = Hare {
            carrots: ruleset.carrots,
            square: 0,
            lettuces: ruleset.lettuces,
        };
        hares[..seats].fill(hare);
        Some(Position {
            ruleset,
            occupied: 0,
            hares,
            drawn: [0; 8],
            paid: 0,
            seats: seats as u8,
            seat: 0,
            missing: 0,
            finished: 0,
            order: [0; MAX_SEATS],
        })
    }

    fn parse(ruleset: &'static Ruleset, text: &str) -> Result<Position, PositionError> {
        notation::parse(ruleset, text)
    }

    #[inline]
    fn seats(&self) -> usize {
        self.seats.into()
    }

    #[inline]
    fn turn(&self) -> Turn {
        if self.paid != 0 {
            Turn::Card(Seat(self.seat))
        } else if self.is_over() {
            Turn::Over
        } else {
            Turn::Seat(Seat(self.seat))
        }
    }

    fn place(&self, seat: Seat) -> Option<usize> {
        match self.finished().position(|finisher| finisher == seat) {
            Some(before) => Some(before + 1),
            None => self.is_over().then_some(self.seats()),
        }
    }

    #[inline]
    fn legal_moves(&self) -> Moves {
        if self.paid != 0 || self.is_over() {
            return Moves::NONE;
        }
        if self.misses_turn(Seat(self.seat)) {
            return Moves::FORCED;
        }
        let moves = self.free_moves();
        if moves.is_empty() {
            Moves::FORCED
        } else {
            moves
        }
    }

    fn outcomes(&self) -> Outcomes {
        if self.paid == 0 {
            return Outcomes::NONE;
        }
        Outcomes::left_of(&self.ruleset.deck, &self.drawn)
    }

    fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.legal_moves().contains(mv) {
            return Err(self.refusal(mv));
        }
        self.play_unchecked(mv);
        Ok(())
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        match mv.code() {
            steps @ 1..=64 => self.step_forward(steps as u16),
            0 => self.forced_stay(),
            back @ -63..=-1 => self.step_back(back.unsigned_abs()),
            code => {
                if code == Move::TAKE.code() {
                    self.gain_income_and(CARROT_SQUARE_CARROTS);
                } else {
                    self.gain_income_and(0);
                    self.mover_mut().carrots -= CARROT_SQUARE_CARROTS;
                }
                self.pass_turn();
            }
        }
    }

    fn draw(&mut self, card: Card) -> Result<(), IllegalCard> {
        if self.paid == 0 {
            return Err(IllegalCard::NoneDue);
        }
        if !self.outcomes().any(|(left, _)| left == card) {
            return Err(IllegalCard::NoneLeft { card });
        }
        self.draw_unchecked(card);
        Ok(())
    }

    fn draw_unchecked(&mut self, card: Card) {
        let paid = std::mem::take(&mut self.paid);
        let mark = 1 << self.seat;
        self.drawn[card as usize] += 1;
        let hare = self.mover_mut();
        match card {
            Card::Behind => {
                let ahead = self.rank(Seat(self.seat)) - 1;
                let behind = u16::from(self.seats) - 1 - ahead;
                if behind <= ahead {
                    return;
                }
                self.missing |= mark;
            }
            Card::Draw if hare.lettuces == 0 => self.missing |= mark,
            Card::Draw => {
                hare.carrots = hare.carrots.saturating_add(10 * u16::from(hare.lettuces));
            }
            Card::Restore => hare.carrots = Card::RESTORED,
            Card::Half => hare.carrots = hare.carrots.div_ceil(2),
            Card::Free => hare.carrots = hare.carrots.saturating_add(paid),
            Card::Show => {}
            Card::Give => self.give_to_those_behind(),
            Card::Shuffle => {
                self.collect_from_others();
                self.drawn = [0; 8];
            }
        }
        self.pass_turn();
    }

    fn key(&self) -> u64 {
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
        words[5] = self
            .order
            .iter()
            .fold(0, |word, &seat| word << 8 | u64::from(seat));
        words.into_iter().fold(0x9E37_79B9_7F4A_7C15, mix)
    }

    fn picture(&self) -> String {
        picture::draw(self)
    }
}

/// One round of folded multiplication, which spreads every bit of both numbers.
/// Source: Wang Yi, wyhash.
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

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::format(self, f)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}\n{}", picture::draw(self))
    }
}
