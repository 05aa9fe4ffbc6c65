//! The search by its definition, without pruning, table or ordering: max^n over the vectors of all seats, and means
//! over the cards; a card is a ply. At the last ply, it uses the static evaluation of the net, even if a card
//! is due. With two seats, the last plies change a static value by a margin at most, as in alpha-beta.

use std::cmp::Ordering;
use std::sync::Arc;

use buxtehude::eval::net::Net;
use buxtehude::eval::{CERTAIN, Vector, static_leads};
use buxtehude::rules::hase::{Move, Position};
use buxtehude::rules::{Game, MAX_SEATS, Seat, Turn, perft};
use buxtehude::search::Value;

use super::evaluators::net;

/// The value of each legal move, searched `depth` plies deep, in the order of the moves.
pub fn move_values(root: &Position, depth: u32) -> Vec<(Move, Value)> {
    let slow = SlowSearch::of(root);
    let below = |mv| slow.value(&root.play_unchecked(mv), depth - 1, 1);
    root.legal_moves().map(|mv| (mv, below(mv))).collect()
}

/// The value of one move.
pub fn value_of(values: &[(Move, Value)], word: &str) -> Value {
    let found = values.iter().find(|(mv, _)| mv.to_string() == word);
    found
        .unwrap_or_else(|| panic!("{word} is none of {values:?}"))
        .1
}

/// The goodness of all moves, best first.
pub fn ranking(values: &[(Move, Value)], mover: Seat) -> Vec<(i32, i32, i32)> {
    let mut ranking: Vec<_> = values
        .iter()
        .map(|(_, value)| goodness(value, mover))
        .collect();
    ranking.sort_by(|first, second| second.cmp(first));
    ranking
}

/// Greatest depth, up to `most`, whose search visits at most about `positions`.
pub fn affordable_depth(root: &Position, most: u32, positions: u64) -> u32 {
    let affordable = |&depth: &u32| {
        let leaves = perft(root, depth, &mut || false);
        leaves.is_some_and(|leaves| leaves * 4 <= positions)
    };
    (2..=most).take_while(affordable).last().unwrap_or(1)
}

/// Sort key of a value for the root's mover: its lead, then the distance of a certain place.
pub fn goodness(value: &Value, mover: Seat) -> (i32, i32, i32) {
    let certainty = value.mate.signum();
    // A good place should come soon, a bad one late.
    (value.leads[mover.index()], certainty, -value.mate)
}

/// The seat to move.
pub fn mover(position: &Position) -> Seat {
    match position.turn() {
        Turn::Seat(seat) => seat,
        turn => panic!("{turn:?} in\n{position:?}"),
    }
}

/// The best place that no seat has yet.
pub fn best_open_place(position: &Position) -> usize {
    position.finished().len() + 1
}

/// A value found `depth` plies deep, within the margin around the static value that the last plies have.
pub fn limited(position: &Position, depth: u32, value: Value, net: &Net) -> Value {
    let margin = match depth {
        _ if position.seats() > 2 || position.turn() == Turn::Over => return value,
        1 => CERTAIN / 10,
        2 => CERTAIN / 20 * 3,
        3 => CERTAIN / 5,
        _ => return value,
    };
    let lead = static_leads(net, position)[0];
    let found = value.leads[0];
    let limit = match (lead - margin, lead + margin) {
        (least, _) if least > -CERTAIN && found < least => least,
        (_, most) if most < CERTAIN && found > most => most,
        _ => return value,
    };
    let mut leads: Vector = [0; MAX_SEATS];
    leads[0] = limit;
    leads[1] = -limit;
    Value { leads, mate: 0 }
}

struct SlowSearch {
    net: Arc<Net>,
    mover: Seat,
    best_open_place: usize,
}

impl SlowSearch {
    fn of(root: &Position) -> SlowSearch {
        SlowSearch {
            net: net(root),
            mover: mover(root),
            best_open_place: best_open_place(root),
        }
    }

    fn value(&self, position: &Position, depth: u32, own_moves: i32) -> Value {
        limited(
            position,
            depth,
            self.searched(position, depth, own_moves),
            &self.net,
        )
    }

    fn searched(&self, position: &Position, depth: u32, own_moves: i32) -> Value {
        match position.turn() {
            Turn::Card(_) if depth > 0 => {
                let outcomes = position.outcomes();
                let values: Vec<(Value, u32)> = outcomes
                    .map(|(card, weight)| {
                        let next = position.draw_unchecked(card);
                        (self.value(&next, depth - 1, own_moves), weight)
                    })
                    .collect();
                mean(&values)
            }
            Turn::Seat(seat) if depth > 0 => {
                let own_moves = own_moves + i32::from(seat == self.mover);
                let mut best: Option<Value> = None;
                for mv in position.legal_moves() {
                    let value = self.value(&position.play_unchecked(mv), depth - 1, own_moves);
                    if best.is_none_or(|best| {
                        self.preference(seat, &value) > self.preference(seat, &best)
                    }) {
                        best = Some(value);
                    }
                }
                best.expect("a seat that is to move has a move")
            }
            _ => Value {
                leads: static_leads(&*self.net, position),
                mate: match position.place(self.mover) {
                    Some(place) if place == self.best_open_place => own_moves,
                    Some(place) if place == position.seats() => -own_moves,
                    _ => 0,
                },
            },
        }
    }

    /// A seat's sort key: its own lead, then the opposite of the root mover's wishes.
    fn preference(&self, seat: Seat, value: &Value) -> (i32, i32, i32) {
        let (_, certainty, soon) = goodness(value, self.mover);
        let lead = value.leads[seat.index()];
        if seat == self.mover {
            (lead, certainty, soon)
        } else {
            (lead, -certainty, -soon)
        }
    }
}

/// Mean over cards. A place is certain if it is certain with each card; the longest distance counts.
fn mean(values: &[(Value, u32)]) -> Value {
    let weight: i64 = values.iter().map(|&(_, weight)| i64::from(weight)).sum();
    let mut leads: Vector = [0; MAX_SEATS];
    for (seat, lead) in leads.iter_mut().enumerate() {
        let sum: i64 = values
            .iter()
            .map(|&(value, weight)| i64::from(value.leads[seat]) * i64::from(weight))
            .sum();
        *lead = (sum / weight) as i32;
    }
    let mates = values.iter().map(|(value, _)| value.mate);
    let mate = if mates.clone().all(|mate| mate > 0) {
        mates.max().unwrap_or(0)
    } else if mates.clone().all(|mate| mate < 0) {
        mates.min().unwrap_or(0)
    } else {
        0
    };
    Value { leads, mate }
}

/// `true` if the leads are valid for this number of seats: within their bounds, and with a sum within `rounding` of 0.
pub fn is_sound(leads: &Vector, seats: usize, rounding: i32) -> bool {
    let most = (seats as i32 - 1) * CERTAIN;
    let sum: i32 = leads.iter().sum();
    leads[..seats].iter().all(|lead| lead.abs() <= most)
        && leads[seats..].iter().all(|&lead| lead == 0)
        && sum.abs() <= rounding
}

/// The leads by max^n if it reaches the end of the race within a few plies and if they do not depend on choices between
/// equally good moves.
pub fn exact_leads(position: &Position) -> Option<Vector> {
    let least = exact(
        position,
        EXACT_PLIES,
        |ours, best| ours < best,
        mover(position),
    )?;
    let most = exact(
        position,
        EXACT_PLIES,
        |ours, best| ours > best,
        mover(position),
    )?;
    let seat = mover(position).index();
    (least[seat] == most[seat]).then_some(least)
}

/// Maximum length of such a race, in plies.
const EXACT_PLIES: u32 = 7;

/// The leads by max^n; `is_wanted` breaks ties between a mover's equally good moves by the lead of `ours`. A move that
/// finishes in the best open place is best.
fn exact(
    position: &Position,
    plies: u32,
    is_wanted: fn(i32, i32) -> bool,
    ours: Seat,
) -> Option<Vector> {
    match position.turn() {
        Turn::Over => {
            let mut leads = [0; MAX_SEATS];
            for (seat, lead) in leads.iter_mut().enumerate().take(position.seats()) {
                let place = position.place(Seat(seat as u8))? as i32;
                *lead = (position.seats() as i32 + 1 - 2 * place) * CERTAIN;
            }
            Some(leads)
        }
        _ if plies == 0 => None,
        Turn::Card(_) => {
            let mut values = Vec::new();
            for (card, weight) in position.outcomes() {
                let leads = exact(&position.draw_unchecked(card), plies, is_wanted, ours)?;
                values.push((Value { leads, mate: 0 }, weight));
            }
            Some(mean(&values).leads)
        }
        Turn::Seat(seat) => {
            let place = best_open_place(position);
            let mut nexts: Vec<Position> = position
                .legal_moves()
                .map(|mv| position.play_unchecked(mv))
                .collect();
            if nexts.iter().any(|next| next.place(seat) == Some(place)) {
                nexts.retain(|next| next.place(seat) == Some(place));
            }
            let mut best: Option<Vector> = None;
            for next in nexts {
                let leads = exact(&next, plies - 1, is_wanted, ours)?;
                let is_better = best.is_none_or(|best: Vector| {
                    match leads[seat.index()].cmp(&best[seat.index()]) {
                        Ordering::Equal => is_wanted(leads[ours.index()], best[ours.index()]),
                        order => order == Ordering::Greater,
                    }
                });
                if is_better {
                    best = Some(leads);
                }
            }
            best
        }
    }
}
