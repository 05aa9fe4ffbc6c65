//! Alpha-beta by its definition, without pruning, table or ordering: the root's mover maximises its lead, its rivals
//! minimise it, and a card has the mean; a card is a ply. At the last ply, it uses the static evaluation of the net,
//! even if a card is due. The last plies change a static lead by a margin at most.

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use buxtehude::eval::net::Net;
use buxtehude::eval::{CERTAIN, Vector, static_leads};
use buxtehude::rules::hase::{Move, Position};
use buxtehude::rules::{Game, MAX_SEATS, Seat, Turn, perft};
use buxtehude::search::Value;

use super::evaluators::net;

/// The mover's value of each legal move, searched `depth` plies deep, in the order of the moves.
pub fn move_values(root: &Position, depth: u32) -> Vec<(Move, Found)> {
    let slow = SlowSearch::of(root);
    let below = |mv| slow.found(&root.play_unchecked(mv), depth - 1, 1);
    root.legal_moves().map(|mv| (mv, slow.said(below(mv)))).collect()
}

/// The value of one move.
pub fn value_of(values: &[(Move, Found)], word: &str) -> Found {
    let found = values.iter().find(|(mv, _)| mv.to_string() == word);
    found.unwrap_or_else(|| panic!("{word} is none of {values:?}")).1
}

/// The values of all moves, best first.
pub fn ranking(values: &[(Move, Found)]) -> Vec<Found> {
    let mut ranking: Vec<_> = values.iter().map(|(_, found)| *found).collect();
    ranking.sort_by_key(|found| Reverse(goodness(*found)));
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

/// A value to the root's mover: its lead, scaled from 1 for the best open place to -1 for the last, in units of
/// [`CERTAIN`]; and its moves until its place is certain, as in [`Value::mate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub lead: i32,
    pub mate: i32,
}

impl Found {
    /// Result of a search for the mover of a root.
    pub fn of(value: &Value, root: &Position) -> Found {
        let sum = value.leads[mover(root).index()];
        Found { lead: SlowSearch::of(root).scaled(sum), mate: value.mate }
    }
}

impl SlowSearch {
    /// The value as a search reports it: with several rivals, no last place is certain.
    fn said(&self, found: Found) -> Found {
        let is_certain = self.seats == 2 || found.mate > 0;
        Found { mate: if is_certain { found.mate } else { 0 }, ..found }
    }
}

/// Sort key of a value: a good place should come soon, a bad one late.
pub fn goodness(found: Found) -> (i32, i32, i32) {
    (found.lead, found.mate.signum(), -found.mate)
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

pub struct SlowSearch {
    net: Arc<Net>,
    mover: Seat,
    seats: i32,
    best_open_place: i32,
}

impl SlowSearch {
    pub fn of(root: &Position) -> SlowSearch {
        SlowSearch {
            net: net(root),
            mover: mover(root),
            seats: root.seats() as i32,
            best_open_place: best_open_place(root) as i32,
        }
    }

    fn scaled(&self, sum: i32) -> i32 {
        let taken = self.best_open_place - 1;
        (sum + taken * CERTAIN) / (self.seats - 1 - taken)
    }

    fn static_lead(&self, position: &Position) -> i32 {
        self.scaled(static_leads(&*self.net, position)[self.mover.index()])
    }

    fn found(&self, position: &Position, depth: u32, own_moves: i32) -> Found {
        let found = self.searched(position, depth, own_moves);
        self.limited(position, depth, found)
    }

    /// A value found `depth` plies deep, within the margin around the static value that the last plies have.
    pub fn limited(&self, position: &Position, depth: u32, found: Found) -> Found {
        let margin = match depth {
            _ if position.place(self.mover).is_some() => return found,
            1 => CERTAIN / 10,
            2 => CERTAIN / 20 * 3,
            3 => CERTAIN / 5,
            _ => return found,
        };
        let lead = self.static_lead(position);
        let limit = match (lead - margin, lead + margin) {
            (least, _) if least > -CERTAIN && found.lead < least => least,
            (_, most) if most < CERTAIN && found.lead > most => most,
            _ => return found,
        };
        Found { lead: limit, mate: 0 }
    }

    fn searched(&self, position: &Position, depth: u32, own_moves: i32) -> Found {
        if let Some(place) = position.place(self.mover) {
            let place = place as i32;
            return Found {
                lead: self.scaled((self.seats + 1 - 2 * place) * CERTAIN),
                mate: match place {
                    _ if place == self.best_open_place => own_moves,
                    _ if place == self.seats => -own_moves,
                    _ => 0,
                },
            };
        }
        match position.turn() {
            Turn::Card(_) if depth > 0 => {
                let outcomes = position.outcomes();
                let found = outcomes.map(|(card, weight)| {
                    let next = position.draw_unchecked(card);
                    (self.found(&next, depth - 1, own_moves), weight)
                });
                mean_found(&found.collect::<Vec<_>>())
            }
            Turn::Seat(seat) if depth > 0 => {
                let own_moves = own_moves + i32::from(seat == self.mover);
                let below = |mv| self.found(&position.play_unchecked(mv), depth - 1, own_moves);
                let all = position.legal_moves().map(below);
                let best = if seat == self.mover {
                    all.max_by_key(|found| goodness(*found))
                } else {
                    all.min_by_key(|found| goodness(*found))
                };
                best.expect("a seat that is to move has a move")
            }
            _ => Found { lead: self.static_lead(position), mate: 0 },
        }
    }
}

/// Mean over cards. A place is certain if it is certain with each card; the longest distance counts.
fn mean_found(values: &[(Found, u32)]) -> Found {
    let weight: i64 = values.iter().map(|&(_, weight)| i64::from(weight)).sum();
    let weighted = values.iter().map(|&(found, weight)| i64::from(found.lead) * i64::from(weight));
    let mates = values.iter().map(|(found, _)| found.mate);
    let mate = if mates.clone().all(|mate| mate > 0) {
        mates.max().unwrap_or(0)
    } else if mates.clone().all(|mate| mate < 0) {
        mates.min().unwrap_or(0)
    } else {
        0
    };
    Found { lead: (weighted.sum::<i64>() / weight) as i32, mate }
}

/// Mean leads over cards.
fn mean(values: &[(Vector, u32)]) -> Vector {
    let weight: i64 = values.iter().map(|&(_, weight)| i64::from(weight)).sum();
    let mut leads: Vector = [0; MAX_SEATS];
    for (seat, lead) in leads.iter_mut().enumerate() {
        let weighted =
            values.iter().map(|(value, weight)| i64::from(value[seat]) * i64::from(*weight));
        *lead = (weighted.sum::<i64>() / weight) as i32;
    }
    leads
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
    let least = exact(position, EXACT_PLIES, |ours, best| ours < best, mover(position))?;
    let most = exact(position, EXACT_PLIES, |ours, best| ours > best, mover(position))?;
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
                values.push((leads, weight));
            }
            Some(mean(&values))
        }
        Turn::Seat(seat) => {
            let place = best_open_place(position);
            let mut nexts: Vec<Position> =
                position.legal_moves().map(|mv| position.play_unchecked(mv)).collect();
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
