//! Alpha-beta by its definition, without pruning or table: the root's mover maximises its lead, its rivals minimise it,
//! and a card has the mean; a card is a ply, and a forced move below the root none. At the last ply, it uses the static
//! evaluation of the net, even if a card is due. In a comparison, the last plies change a static lead by a margin at
//! most.

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use buxtehude::eval::hase::Net;
use buxtehude::eval::{CERTAIN, Vector, static_leads};
use buxtehude::rules::hase::{Move, Position};
use buxtehude::rules::{Game, MAX_SEATS, Seat, Turn, perft};
use buxtehude::search::Value;

use super::evaluators::net;

/// A legal move with its values to the mover.
#[derive(Clone, Copy, Debug)]
pub struct MoveValues {
    pub mv: Move,
    /// Value at the end of the principal variation.
    pub exact: Found,
    /// Value in a comparison.
    pub limited: Found,
}

impl MoveValues {
    /// `true` if a search may find the move no better than `best`.
    pub fn is_behind(&self, best: Found) -> bool {
        goodness(self.exact) <= goodness(best) || goodness(self.limited) <= goodness(best)
    }
}

/// Values of the legal moves, searched `depth` plies deep, in the order of the moves.
pub fn move_values(root: &Position, depth: u32) -> Vec<MoveValues> {
    let slow = SlowSearch::of(root);
    let values = root.legal_moves().map(|mv| {
        let next = root.play_unchecked(mv);
        MoveValues {
            mv,
            exact: slow.exact(&next, depth - 1, 1),
            limited: slow.limited(&next, depth - 1, 1),
        }
    });
    values.collect()
}

/// Best move and its value after each iteration up to `depth`. An iteration begins with the best move of the one before
/// it; the first one is in the order of static values.
pub fn best_by_iteration(root: &Position, depth: u32) -> Vec<(String, Found)> {
    let slow = SlowSearch::of(root);
    let mut order: Vec<Move> = root.legal_moves().collect();
    let static_value = |mv: &Move| goodness(slow.searched(&root.play_unchecked(*mv), 0, 1));
    order.sort_by_key(|mv| Reverse(static_value(mv)));
    let mut bests = Vec::new();
    for depth in 1..=depth {
        let values = move_values(root, depth);
        let value_of = |mv| values.iter().find(|value| value.mv == mv).expect("a legal move");
        let mut best = *value_of(order[0]);
        let mut rest = Vec::new();
        for mv in order.drain(..).skip(1) {
            let value = *value_of(mv);
            if value.is_behind(best.exact) {
                rest.push(mv);
            } else {
                rest.push(best.mv);
                best = value;
            }
        }
        order = [vec![best.mv], rest].concat();
        bests.push((best.mv.to_string(), slow.said(best.exact)));
    }
    bests
}

/// Checks values found for the best moves, best first: each is exact, and no other move need be better.
pub fn assert_best(
    values: &[MoveValues],
    root: &Position,
    best: &[(&String, Found)],
    context: &str,
) {
    let slow = SlowSearch::of(root);
    let is_listed = |value: &&MoveValues| best.iter().any(|(mv, _)| **mv == value.mv.to_string());
    for (mv, found) in best {
        let value = values.iter().find(|value| value.mv.to_string() == **mv);
        let exact = value.unwrap_or_else(|| panic!("{mv}: {context}")).exact;
        assert_eq!(*found, slow.said(exact), "{mv}: {context}");
    }
    let ranking = best.iter().map(|(_, found)| goodness(*found));
    assert!(ranking.clone().rev().is_sorted(), "{context}");
    let last = best.last().expect("a best move").1;
    for value in values.iter().filter(|value| !is_listed(value)) {
        let said = MoveValues {
            exact: slow.said(value.exact),
            limited: slow.said(value.limited),
            ..*value
        };
        assert!(said.is_behind(last), "{value:?}: {context}");
    }
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

    /// Value in a comparison: within the margin around the static value that the last plies have.
    fn limited(&self, position: &Position, depth: u32, own_moves: i32) -> Found {
        let found = self.searched(position, depth, own_moves);
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

    /// Value at the end of the principal variation: moves in the order of their static values, each compared with the
    /// best so far before its exact value counts.
    fn exact(&self, position: &Position, depth: u32, own_moves: i32) -> Found {
        let is_open = depth > 0 && position.place(self.mover).is_none();
        match position.turn() {
            Turn::Card(_) if is_open => {
                let outcomes = position.outcomes();
                let found = outcomes.map(|(card, weight)| {
                    (self.exact(&position.draw_unchecked(card), depth - 1, own_moves), weight)
                });
                mean_found(&found.collect::<Vec<_>>())
            }
            Turn::Seat(seat) if is_open => {
                let is_own = seat == self.mover;
                let own_moves = own_moves + i32::from(is_own);
                let mut moves: Vec<_> =
                    position.legal_moves().map(|mv| position.play_unchecked(mv)).collect();
                moves.sort_by_key(|next| {
                    let lead = self.static_lead(next);
                    let ends = next.turn() == Turn::Over;
                    Reverse((ends, if is_own { lead } else { -lead }))
                });
                let below = depth - u32::from(moves.len() > 1);
                let better = |found: Found, best: Found| {
                    let (found, best) = (goodness(found), goodness(best));
                    if is_own { found > best } else { found < best }
                };
                let mut best: Option<Found> = None;
                for next in &moves {
                    let is_worse = |best| !better(self.limited(next, below, own_moves), best);
                    if best.is_some_and(is_worse) {
                        continue;
                    }
                    let found = self.exact(next, below, own_moves);
                    if best.is_none_or(|best| better(found, best)) {
                        best = Some(found);
                    }
                }
                best.expect("a seat that is to move has a move")
            }
            _ => self.searched(position, 0, own_moves),
        }
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
                    (self.limited(&next, depth - 1, own_moves), weight)
                });
                mean_found(&found.collect::<Vec<_>>())
            }
            Turn::Seat(seat) if depth > 0 => {
                let own_moves = own_moves + i32::from(seat == self.mover);
                let legal = position.legal_moves();
                let below = depth - u32::from(legal.len() > 1);
                let all =
                    legal.map(|mv| self.limited(&position.play_unchecked(mv), below, own_moves));
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
