//! Goal of the seat at the root, and values for it: shares of all seats in the tree search, its lead in alpha-beta.
//!
//! Rivals maximise their shares. The seat at the root may aim for first place alone: then its own value is its chance
//! of first place. In the tree search no information is lost, since the shares of all seats have a constant sum, so the
//! missing share follows from the rivals' shares.
//!
//! It is an assumption that rivals maximise their shares. They may want first place too, but the engine cannot know.
//! Every game is scored in points, and a rival cannot be relied on to give up second place for a small chance of the
//! first.

use super::Aim;
use crate::eval::{CERTAIN, Evaluate, Judge, Vector, first_chance, static_leads};
use crate::rules::{Game, MAX_SEATS, Seat};

/// Per seat, the share of its rivals that it finishes before; for the seat at the root, the value of its goal.
pub type Shares = [f32; MAX_SEATS];

/// Sum of the shares of many walks. An `f32` would lose them after 2^24 walks.
pub type Sums = [f64; MAX_SEATS];

/// Weight of the chance of first place for a seat that aims for it. Its share has a weight of 1: enough to choose
/// between lines with the same chance, for example when first place is gone.
const FIRST_WEIGHT: i32 = 63;

/// [`FIRST_WEIGHT`] as a part of the whole.
const FIRST_PART: f32 = FIRST_WEIGHT as f32 / (FIRST_WEIGHT + 1) as f32;

/// Goal of the seat at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Seat that moves at the root.
    pub seat: Seat,
    pub seats: usize,
    /// Best place that is open at the root.
    pub best_open_place: usize,
    /// `true` if the goal is first place, not the share.
    pub is_first: bool,
}

impl Goal {
    /// Goal of `seat`, which moves in `root`. Once first place is taken, the goal is always the share.
    pub fn new<G: Game>(root: &G, seat: Seat, aim: Aim) -> Goal {
        let best_open_place = root.best_open_place();
        Goal {
            seat,
            seats: root.seats(),
            best_open_place,
            is_first: aim == Aim::Win && best_open_place == 1,
        }
    }

    /// Key of the goal: its bits are the highest one and the lowest ones.
    #[inline]
    pub fn key(&self) -> u64 {
        let place = (self.best_open_place as u64 - 1) << 4;
        (u64::from(self.seat.0) | u64::from(self.is_first) << 3 | place).rotate_right(1)
    }

    /// `true` if the values of a tree searched for this goal are valid for another goal.
    pub fn is_compatible(&self, other: &Goal) -> bool {
        self == other || !(self.is_first || other.is_first)
    }

    /// Static evaluation of a position.
    #[inline]
    pub fn static_shares<G: Evaluate>(&self, evaluator: &Judge<G>, position: &G) -> Shares {
        let mut shares = shares_of(&static_leads(evaluator, position), self.seats);
        if self.is_first {
            self.set(&mut shares, first_chance(evaluator, position, self.seat));
        }
        shares
    }

    /// Value of a finished game.
    pub fn final_shares<G: Evaluate>(&self, position: &G) -> Shares {
        let mut shares = [0.0; MAX_SEATS];
        for (seat, share) in shares.iter_mut().enumerate().take(self.seats) {
            let place = position.place(Seat(seat as u8)).unwrap_or(self.seats);
            *share = (self.seats - place) as f32 / (self.seats - 1) as f32;
        }
        if self.is_first {
            let is_first = position.place(self.seat) == Some(1);
            self.set(&mut shares, f32::from(u8::from(is_first)));
        }
        shares
    }

    fn set(&self, shares: &mut Shares, chance: f32) {
        let own = &mut shares[self.seat.index()];
        *own = FIRST_PART * chance + (1.0 - FIRST_PART) * *own;
    }

    /// Converts the sum of the values of `visits` walks from `position` to summed leads.
    pub fn leads<G: Game>(&self, sums: &Sums, visits: u64, position: &G) -> Vector {
        let visits = visits.max(1) as f64;
        let mut sums = *sums;
        if self.is_first {
            let seats = self.seats as f64;
            let rivals: f64 = sums[..self.seats].iter().sum::<f64>() - sums[self.seat.index()];
            sums[self.seat.index()] = visits * seats / 2.0 - rivals;
        }
        let mut leads = [0; MAX_SEATS];
        let most = (self.seats - 1) as f64 * f64::from(CERTAIN);
        for (lead, sum) in leads.iter_mut().zip(sums).take(self.seats) {
            *lead = ((2.0 * sum / visits - 1.0) * most) as i32;
        }
        self.limit_to_places(&mut leads, position);
        leads
    }

    /// Gives finished seats the lead of their place, and draws the leads of open seats towards their mean until none is
    /// beyond the lead of an open place, as a mean of values less luck can be. The sum of all leads stays the same.
    fn limit_to_places<G: Game>(&self, leads: &mut Vector, position: &G) {
        for (seat, lead) in leads.iter_mut().enumerate().take(self.seats) {
            if let Some(place) = position.place(Seat(seat as u8)) {
                *lead = self.sum_of_place(place);
            }
        }
        let open = self.open_seats(position);
        let whole: i32 = open.iter().map(|&seat| leads[seat]).sum();
        let mean = whole / (open.len() as i32).max(1);
        let least = self.sum_of_place(self.seats) - mean;
        let most = self.sum_of_place(position.best_open_place()) - mean;
        let mut part: f64 = 1.0;
        for &seat in &open {
            let distance = leads[seat] - mean;
            if distance != 0 {
                let limit = if distance > 0 { most } else { least };
                part = part.min(f64::from(limit) / f64::from(distance));
            }
        }
        if part < 1.0 {
            for seat in open {
                leads[seat] = mean + (f64::from(leads[seat] - mean) * part) as i32;
            }
        }
    }

    /// Seats whose place is open.
    fn open_seats<G: Game>(&self, position: &G) -> Vec<usize> {
        let open = Seat::all(self.seats).filter(|&seat| position.place(seat).is_none());
        open.map(Seat::index).collect()
    }

    /// Preference of the seat at the root for a move with these leads and the mean value `mean` for that seat.
    pub fn preference(&self, leads: &Vector, mean: f32) -> i32 {
        if self.is_first { (mean * CERTAIN as f32) as i32 } else { leads[self.seat.index()] }
    }

    /// Lead of the seat, from its summed lead and its chance of first place: [`CERTAIN`] in the best open place,
    /// -[`CERTAIN`] in the last one.
    #[inline]
    pub fn lead(&self, sum: i32, first_chance: impl FnOnce() -> f32) -> i32 {
        let taken = self.best_open_place as i32 - 1;
        let lead = (sum + taken * CERTAIN) / (self.seats as i32 - 1 - taken);
        if !self.is_first {
            return lead;
        }
        let first = ((2.0 * first_chance() - 1.0) * CERTAIN as f32) as i32;
        (FIRST_WEIGHT * first + lead) / (FIRST_WEIGHT + 1)
    }

    /// Summed lead for a lead of a seat that aims for its share; inverse of [`Goal::lead`].
    pub fn sum_of_lead(&self, lead: i32) -> i32 {
        let taken = self.best_open_place as i32 - 1;
        lead * (self.seats as i32 - 1 - taken) - taken * CERTAIN
    }

    /// Summed lead of a seat in a place.
    pub fn sum_of_place(&self, place: usize) -> i32 {
        (self.seats as i32 + 1 - 2 * place as i32) * CERTAIN
    }

    /// Changes the leads in a position where the seat's place is open, so that its own is `own`: moves all open seats'
    /// leads towards those where the seat has the best place left, or the last one, and the others are equal.
    pub fn with_own<G: Evaluate>(&self, leads: Vector, own: i32, position: &G) -> Vector {
        let was = leads[self.seat.index()];
        let extreme =
            self.sum_of_place(if own > was { position.best_open_place() } else { self.seats });
        let open = self.open_seats(position);
        let whole: i32 = open.iter().map(|&seat| leads[seat]).sum();
        let others = (whole - extreme) / (open.len() as i32 - 1).max(1);
        let way = i64::from(extreme - was);
        if way == 0 {
            return leads;
        }
        let step = i64::from(own - was).clamp(way.min(0), way.max(0));
        let mut moved = leads;
        for seat in open {
            let target = if seat == self.seat.index() { extreme } else { others };
            let change = i64::from(target - leads[seat]) * step / way;
            moved[seat] += change as i32;
        }
        moved
    }
}

/// Converts summed leads to shares of rivals.
#[inline]
fn shares_of(leads: &Vector, seats: usize) -> Shares {
    let unit = 1.0 / (2.0 * CERTAIN as f32 * (seats - 1) as f32);
    leads.map(|lead| lead as f32 * unit + 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Evaluators, Noise};
    use crate::rules::hase::{HASE_UND_IGEL, Position};
    use crate::rules::{Game, Turn};

    fn position(text: &str) -> Position {
        Position::parse(&HASE_UND_IGEL, text).unwrap()
    }

    fn goals(position: &Position) -> [Goal; 2] {
        let Turn::Seat(seat) = position.turn() else {
            panic!("{position:?}");
        };
        [Aim::Placement, Aim::Win].map(|aim| Goal::new(position, seat, aim))
    }

    #[test]
    fn only_the_first_place_is_worth_much_to_a_seat_that_wants_to_win() {
        let start = position("0,68,3/0,68,3/0,68,3 1 - -");
        let [placement, win] = goals(&start);
        for (text, share, chance) in [
            ("64,1,0/64,1,0/5,1,3 3 1,2 -", 1.0, 1.0),
            ("64,1,0/64,1,0/5,1,3 3 2,1 -", 0.5, (1.0 - FIRST_PART) / 2.0),
            ("5,1,3/64,1,0/64,1,0 1 2,3 -", 0.0, 0.0),
        ] {
            let end = position(text);
            assert_eq!(placement.final_shares(&end)[0], share, "{end:?}");
            assert_eq!(win.final_shares(&end)[0], chance, "{end:?}");
            assert_eq!(placement.final_shares(&end)[1..], win.final_shares(&end)[1..]);
        }
    }

    #[test]
    fn the_share_of_a_seat_that_wants_to_win_is_what_the_others_leave() {
        let race = position("21,34,3/17,52,2/22,20,2! 2 - FS");
        let judge = Judge::new(&race, &Evaluators::default(), Noise::default());
        let [placement, win] = goals(&race);
        let shares = placement.static_shares(&judge, &race);
        let preferred = win.static_shares(&judge, &race);
        assert!(preferred[1] < shares[1], "{preferred:?} {shares:?}");
        let leads = placement.leads(&shares.map(f64::from), 1, &race);
        let kept = win.leads(&preferred.map(f64::from), 1, &race);
        for (lead, kept) in leads.iter().zip(kept) {
            assert!((lead - kept).abs() < 8, "{leads:?} {kept:?}");
        }
        assert!(!placement.is_compatible(&win) && win.is_compatible(&win));
    }

    #[test]
    fn leads_are_within_those_of_the_open_places_and_keep_their_sum() {
        for (text, shares, expected) in [
            ("0,68,3/0,68,3/0,68,3 1 - -", [0.9, 0.7, -0.1], [4, 2, -6]),
            ("0,68,3/0,68,3/0,68,3 1 - -", [0.75, 0.5, 0.25], [3, 0, -3]),
            ("64,5,0/61,22,0/40,30,0 2 1 -", [1.0, 0.6, -0.1], [6, 0, -6]),
        ] {
            let position = position(text);
            let [placement, _] = goals(&position);
            let mut sums = Sums::default();
            sums[..3].copy_from_slice(&shares);
            let leads = placement.leads(&sums, 1, &position);
            for (lead, thirds) in leads.iter().zip(expected) {
                assert!((lead - thirds * CERTAIN / 3).abs() < 8, "{leads:?}");
            }
        }
    }

    #[test]
    fn once_the_first_place_is_taken_shares_are_all_there_is_to_seek() {
        let race = position("64,5,0/61,22,0/40,30,0 2 1 -");
        let [placement, win] = goals(&race);
        assert!(placement.is_compatible(&win));
        assert_eq!(placement, win);
    }
}
