//! Alpha-beta for two [sides](Side), over the lead of the side to move.
//!
//! It takes the form of Scout: the first move of a node is searched exactly. Each other move is only compared with the
//! best one so far, by a search with a null window, and searched exactly if it is better. The exact search follows the
//! principal variation, without limits or table. So its value is the static lead at the end of the variation or, at a
//! card, the mean, and it depends only on the position and the depth.
//!
//! The game is zero-sum, but the sides do not strictly alternate: a hare may move twice or miss a turn. So values
//! change sign with the side, not with the ply. Source: D. Knuth and R. Moore, "An analysis of alpha-beta pruning"
//! (1975); J. Pearl, "Scout: a simple game-searching algorithm with proven optimal properties" (1980).
//!
//! Moves are ordered by static evaluation. In a comparison, the best move of an earlier search comes first, or else the
//! killer of the ply, and the others are evaluated only if it causes no cutoff. Source: the article "AI in Hase und
//! Igel: minimax for three", small optimisation of alpha-beta; S. Akl and M. Newborn, "The principal continuation and
//! the killer heuristic" (1977).

use super::chance::Mean;
use super::table::{Bound, Entry};
use super::tree::{Path, Side, Tree};
use crate::eval::{CERTAIN, Evaluate};
use crate::rules::{Game, MAX_MOVES, Turn};

/// In a comparison, 0, 1, 2 or 3 plies change a static lead by this margin at most. A static lead further from alpha
/// needs no search. This saves four fifths of the nodes.
const MARGINS: [i32; 4] = [0, CERTAIN / 10, CERTAIN / 20 * 3, CERTAIN / 5];

/// Above every value.
pub const INFINITY: i32 = i32::MAX;

impl<G: Evaluate> Tree<'_, G> {
    /// Lead of `side` in `position`, after its move or card, searched `depth` plies deep, where a card is a ply too.
    /// Sets the principal variation from `path.ply` on.
    pub fn lead_after(&mut self, side: Side, position: &G, depth: u32, path: Path) -> i32 {
        if self.visits.visit(path.ply) {
            return 0;
        }
        self.pv.clear(path.ply);
        if let Some(lead) = self.decided_lead(side, position, path.own_moves) {
            return lead;
        }
        if depth == 0 {
            self.reached_horizon = true;
            return self.static_lead(side, position);
        }
        match position.turn() {
            Turn::Seat(seat) => {
                let mover = self.side(seat);
                let lead = self.lead_of_mover(mover, position, depth, path);
                if mover == side { lead } else { -lead }
            }
            Turn::Card(_) | Turn::Over => {
                let mut mean = Mean::NOTHING;
                for (card, weight) in position.outcomes() {
                    let next = position.draw_unchecked(card);
                    mean.add(self.lead_after(side, &next, depth - 1, path), weight);
                }
                self.pv.clear(path.ply);
                mean.value()
            }
        }
    }

    /// Lead of the side to move, searched `depth` plies deep, at least one.
    fn lead_of_mover(&mut self, mover: Side, position: &G, depth: u32, path: Path) -> i32 {
        let child = path.down(mover);
        let ordered = OrderedMoves::by(position, |_, mv| self.static_priority(mover, position, mv));
        let mut best = -INFINITY;
        for (rank, candidate) in ordered.iter().enumerate() {
            let next = position.play_unchecked(candidate.mv);
            let known = candidate.static_lead();
            if rank > 0 && self.bound_after(mover, &next, depth - 1, child, best, known) <= best {
                continue;
            }
            let lead = self.lead_after(mover, &next, depth - 1, child);
            if self.visits.stopped {
                return 0;
            }
            if lead > best {
                best = lead;
                self.pv.extend(path.ply, candidate.mv);
            }
        }
        best
    }

    /// Compares the lead of `side` in `position`, after its move or card, with `alpha`, `depth` plies deep. Returns a
    /// lower bound of the lead if it is above `alpha`, and an upper bound otherwise. `static_lead` is its static lead,
    /// if known.
    pub fn bound_after(
        &mut self,
        side: Side,
        position: &G,
        depth: u32,
        path: Path,
        alpha: i32,
        static_lead: Option<i32>,
    ) -> i32 {
        if self.visits.visit(path.ply) {
            return 0;
        }
        if let Some(lead) = self.decided_lead(side, position, path.own_moves) {
            return lead;
        }
        let Some(margin) = MARGINS.get(depth as usize) else {
            return self.searched_bound(side, position, depth, path, alpha);
        };
        let lead = static_lead.unwrap_or_else(|| self.static_lead(side, position));
        // A certain result is as good as no limit.
        let least = Some(lead - margin).filter(|least| *least > -CERTAIN).unwrap_or(-INFINITY);
        let most = Some(lead + margin).filter(|most| *most < CERTAIN).unwrap_or(INFINITY);
        if least > alpha || most <= alpha {
            self.reached_horizon = true;
            return if least > alpha { least } else { most };
        }
        let bound = self.searched_bound(side, position, depth, path, alpha);
        self.reached_horizon |= bound < least || bound > most;
        bound.clamp(least, most)
    }

    /// Compares the lead of `side` in a position that is not over with `alpha`, `depth` plies deep, at least one.
    fn searched_bound(
        &mut self,
        side: Side,
        position: &G,
        depth: u32,
        path: Path,
        alpha: i32,
    ) -> i32 {
        match position.turn() {
            Turn::Seat(seat) => {
                let mover = self.side(seat);
                if mover == side {
                    self.bound_of_mover(mover, position, depth, path, alpha)
                } else {
                    // The rival's lead is below -alpha if and only if it is not above -alpha - 1.
                    -self.bound_of_mover(mover, position, depth, path, -alpha - 1)
                }
            }
            Turn::Card(_) | Turn::Over => self.bound_over_cards(side, position, depth, path, alpha),
        }
    }

    /// Compares the lead of the side to move with `alpha`, `depth` plies deep, at least one.
    fn bound_of_mover(
        &mut self,
        mover: Side,
        position: &G,
        depth: u32,
        path: Path,
        alpha: i32,
    ) -> i32 {
        if depth == 1 {
            return self.bound_of_last_ply(mover, position, path, alpha);
        }
        let key = self.key(position);
        let known = self.table.get(key);
        if let Some(bound) = known.and_then(|entry| self.bound_in_table(entry, depth, path, alpha))
        {
            return bound;
        }
        let killer = self.killers[path.ply];
        let legal = position.legal_moves();
        let first = legal.enumerate().find(|&(index, mv)| match known {
            Some(entry) => index == usize::from(entry.best),
            None => killer == Some(mv),
        });
        let child = path.down(mover);
        let mut ordered = None;
        let mut best = -INFINITY;
        let mut best_index = 0;
        for rank in 0..legal.len() {
            // The first move often causes a cutoff, so the others are evaluated only after it.
            let candidate = match first {
                Some((index, mv)) if rank == 0 => {
                    OrderedMove { mv, index: index as u8, priority: INFINITY }
                }
                _ => {
                    let ordered = ordered.get_or_insert_with(|| {
                        OrderedMoves::by(position, |index, mv| {
                            if first.is_some_and(|(first, _)| first == index) {
                                return INFINITY;
                            }
                            self.static_priority(mover, position, mv)
                        })
                    });
                    ordered.moves[rank]
                }
            };
            let next = position.play_unchecked(candidate.mv);
            let known = candidate.static_lead();
            let bound = self.bound_after(mover, &next, depth - 1, child, alpha, known);
            if self.visits.stopped {
                return 0;
            }
            if bound > best {
                best = bound;
                best_index = candidate.index;
                if bound > alpha {
                    self.killers[path.ply] = Some(candidate.mv);
                    break;
                }
            }
        }
        self.remember(key, best, depth, best_index, path, alpha);
        best
    }

    /// Priority of a move by the position after it; a move that ends the game comes before all others.
    fn static_priority(&self, mover: Side, position: &G, mv: G::Move) -> i32 {
        let next = position.play_unchecked(mv);
        match next.turn() {
            Turn::Over => CERTAIN,
            Turn::Card(_) | Turn::Seat(_) => self.static_lead(mover, &next),
        }
    }

    /// Compares the lead of the side to move with `alpha`, one ply deep. Neither the table nor move ordering pays here.
    fn bound_of_last_ply(&mut self, mover: Side, position: &G, path: Path, alpha: i32) -> i32 {
        let child = path.down(mover);
        let mut best = -INFINITY;
        for mv in position.legal_moves() {
            let next = position.play_unchecked(mv);
            best = best.max(self.bound_after(mover, &next, 0, child, alpha, None));
            if self.visits.stopped {
                return 0;
            }
            if best > alpha {
                break;
            }
        }
        best
    }

    /// Stores the result of a comparison with `alpha` in the table.
    pub fn remember(&mut self, key: u64, bound: i32, depth: u32, best: u8, path: Path, alpha: i32) {
        let kind = if bound > alpha { Bound::Lower } else { Bound::Upper };
        let value = shifted(bound, path.own_moves);
        self.table.put(key, Entry { value, bound: kind, depth: depth as u8, best });
    }

    /// Result of a comparison with `alpha` from the table, if that is enough.
    pub fn bound_in_table(
        &mut self,
        entry: Entry,
        depth: u32,
        path: Path,
        alpha: i32,
    ) -> Option<i32> {
        if u32::from(entry.depth) != depth {
            return None;
        }
        let bound = shifted(entry.value, -path.own_moves);
        let is_enough = match entry.bound {
            Bound::Lower => bound > alpha,
            Bound::Upper => bound <= alpha,
        };
        self.reached_horizon |= is_enough && bound.abs() <= CERTAIN;
        is_enough.then_some(bound)
    }
}

/// Moves a decided lead away from 0 by `own_moves`. A lead in the table counts own moves from its node, so that it
/// holds on any path.
fn shifted(lead: i32, own_moves: i32) -> i32 {
    match lead {
        _ if lead > CERTAIN => lead + own_moves,
        _ if lead < -CERTAIN => lead - own_moves,
        _ => lead,
    }
}

/// A move with its index among the legal moves.
#[derive(Clone, Copy, Debug)]
struct OrderedMove<M> {
    mv: M,
    /// Index among the legal moves.
    index: u8,
    /// Moves with a larger priority are searched earlier.
    priority: i32,
}

impl<M> OrderedMove<M> {
    /// Static lead after the move, if it was evaluated.
    fn static_lead(&self) -> Option<i32> {
        (self.priority < CERTAIN).then_some(self.priority)
    }
}

/// Legal moves of a position in search order: the first `len` of `moves`.
struct OrderedMoves<M> {
    moves: [OrderedMove<M>; MAX_MOVES],
    len: usize,
}

impl<M: Copy> OrderedMoves<M> {
    /// Sorts the legal moves of a position, at least one, by descending priority; equal ones stay in ascending order.
    #[inline]
    fn by<G: Game<Move = M>>(position: &G, mut priority: impl FnMut(usize, M) -> i32) -> Self {
        let legal = position.legal_moves();
        let mut moves: Option<OrderedMoves<M>> = None;
        for (index, mv) in legal.take(MAX_MOVES).enumerate() {
            let entry = OrderedMove { mv, index: index as u8, priority: priority(index, mv) };
            moves.get_or_insert(OrderedMoves { moves: [entry; MAX_MOVES], len: 0 }).insert(entry);
        }
        // A seat to move has at least one legal move.
        moves.unwrap_or_else(|| unreachable!("no legal move in {position:?}"))
    }

    fn iter(&self) -> impl Iterator<Item = &OrderedMove<M>> {
        self.moves[..self.len].iter()
    }

    fn insert(&mut self, entry: OrderedMove<M>) {
        let mut slot = self.len;
        while slot > 0 && self.moves[slot - 1].priority < entry.priority {
            self.moves[slot] = self.moves[slot - 1];
            slot -= 1;
        }
        self.moves[slot] = entry;
        self.len += 1;
    }
}
