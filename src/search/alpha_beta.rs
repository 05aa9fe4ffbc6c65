//! Alpha-beta for two [sides](Side), over the lead of the side to move.
//!
//! The game is zero-sum, but the sides do not strictly alternate: a hare may move twice or miss a turn. So values
//! change sign with the side, not with the ply. Source: D. Knuth and R. Moore, "An analysis of alpha-beta pruning"
//! (1975); T. Marsland and M. Campbell, "Parallel search of strongly ordered game trees" (1982), principal variation
//! search.
//!
//! The moves of a node are ordered: first the best move of an earlier search, or else the killer of the ply, then by
//! static evaluation. The others are evaluated only if the first move causes no cutoff. Source: the article "AI in
//! Hase und Igel: minimax for three", small optimisation of alpha-beta; S. Akl and M. Newborn, "The principal
//! continuation and the killer heuristic" (1977).

use super::table::{Bound, Entry};
use super::tree::{Path, Side, Tree};
use crate::eval::{CERTAIN, Evaluate};
use crate::rules::{Game, MAX_MOVES, Turn};

/// A search of 0, 1, 2 or 3 plies changes a static lead by this margin at most. A static lead further outside the
/// window needs no search. This saves four fifths of the nodes.
pub const MARGINS: [i32; 4] = [0, CERTAIN / 10, CERTAIN / 20 * 3, CERTAIN / 5];

/// Above every value.
pub const INFINITY: i32 = i32::MAX;

/// Search window, from the mover's point of view.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Lower bound: the mover already has this much.
    pub alpha: i32,
    /// Upper bound: the rival will not allow this much.
    pub beta: i32,
}

impl Window {
    /// `true` for a null window, which only tests whether a value is above alpha.
    pub fn is_null(self) -> bool {
        self.beta - 1 == self.alpha
    }

    /// Null window that tests whether a value is above this window's alpha.
    pub fn null(self) -> Window {
        Window { beta: self.alpha + 1, ..self }
    }

    /// The same window from the rival's point of view.
    fn of_rival(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

impl<G: Evaluate> Tree<'_, G> {
    /// Lead of `side` in `position`, after its move or card, searched `depth` plies deep, where a card is a ply too.
    /// `static_lead` is its static lead, if known.
    pub fn lead_after(
        &mut self,
        side: Side,
        position: &G,
        depth: u32,
        path: Path,
        window: Window,
        static_lead: Option<i32>,
    ) -> i32 {
        if self.visits.visit(path.ply) {
            return 0;
        }
        if let Some(lead) = self.decided_lead(side, position, path.own_moves) {
            self.pv.clear(path.ply);
            return lead;
        }
        let Some(margin) = MARGINS.get(depth as usize) else {
            return self.searched_lead(side, position, depth, path, window);
        };
        let lead = static_lead.unwrap_or_else(|| self.static_lead(side, position));
        // A certain result is as good as no limit.
        let least = Some(lead - margin).filter(|least| *least > -CERTAIN);
        let most = Some(lead + margin).filter(|most| *most < CERTAIN);
        let (least, most) = (least.unwrap_or(-INFINITY), most.unwrap_or(INFINITY));
        if depth == 0 || least >= window.beta || most <= window.alpha {
            self.pv.clear(path.ply);
            self.reached_horizon = true;
            return if least >= window.beta { least } else { most };
        }
        let within = Window {
            alpha: window.alpha.max(least.saturating_sub(1)),
            beta: window.beta.min(most.saturating_add(1)),
        };
        let lead = self.searched_lead(side, position, depth, path, within);
        self.reached_horizon |= lead < least || lead > most;
        lead.clamp(least, most)
    }

    /// Lead of `side` in a position that is not over, searched `depth` plies deep, at least one.
    fn searched_lead(
        &mut self,
        side: Side,
        position: &G,
        depth: u32,
        path: Path,
        window: Window,
    ) -> i32 {
        match position.turn() {
            Turn::Seat(seat) => {
                let mover = self.side(seat);
                if mover == side {
                    self.lead_of_mover(mover, position, depth, path, window)
                } else {
                    -self.lead_of_mover(mover, position, depth, path, window.of_rival())
                }
            }
            Turn::Card(_) | Turn::Over => self.lead_over_cards(side, position, depth, path, window),
        }
    }

    /// Lead of the side to move, searched `depth` plies deep, at least one.
    fn lead_of_mover(
        &mut self,
        mover: Side,
        position: &G,
        depth: u32,
        path: Path,
        window: Window,
    ) -> i32 {
        if depth == 1 {
            return self.lead_of_last_ply(mover, position, path, window);
        }
        let key = self.key(position);
        let known = self.table.get(key);
        if let Some(lead) = known.and_then(|entry| self.lead_in_table(entry, depth, path, window)) {
            self.pv.clear(path.ply);
            return lead;
        }
        let hint = known.map(|entry| usize::from(entry.best));
        let killer = self.killers[path.ply];
        let legal = position.legal_moves();
        let first = legal.enumerate().find(|&(index, mv)| match hint {
            Some(hint) => index == hint,
            None => killer == Some(mv),
        });
        let mut ordered = None;
        let mut best = -INFINITY;
        let mut best_index = 0;
        let mut alpha = window.alpha;
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
            let below = Window { alpha, ..window };
            let child = path.down(mover);
            // Later moves are rarely better; a null window shows this quickly.
            let is_doubtful = rank > 0 && !below.is_null();
            let static_lead = candidate.static_lead();
            let mut lead = INFINITY;
            if is_doubtful {
                let null = below.null();
                lead = self.lead_after(mover, &next, depth - 1, child, null, static_lead);
            }
            if lead > alpha && !self.visits.stopped {
                lead = self.lead_after(mover, &next, depth - 1, child, below, static_lead);
            }
            if self.visits.stopped {
                return 0;
            }
            if lead > best {
                best = lead;
                best_index = candidate.index;
                if lead > alpha {
                    alpha = lead;
                    self.pv.extend(path.ply, candidate.mv);
                }
                if lead >= window.beta {
                    self.killers[path.ply] = Some(candidate.mv);
                    break;
                }
            }
        }
        if best <= window.alpha {
            self.pv.clear(path.ply);
        }
        self.remember(key, best, depth, best_index, path, window);
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

    /// Lead of the side to move, searched one ply deep. Neither the table nor move ordering pays here.
    fn lead_of_last_ply(&mut self, mover: Side, position: &G, path: Path, window: Window) -> i32 {
        let child = path.down(mover);
        let mut best = -INFINITY;
        self.pv.clear(path.ply);
        for mv in position.legal_moves() {
            let next = position.play_unchecked(mv);
            let below = Window { alpha: best.max(window.alpha), ..window };
            let lead = self.lead_after(mover, &next, 0, child, below, None);
            if self.visits.stopped {
                return 0;
            }
            if lead > best {
                best = lead;
                if lead > window.alpha {
                    self.pv.extend(path.ply, mv);
                }
                if lead >= window.beta {
                    return best;
                }
            }
        }
        best
    }

    /// Stores a lead in the table, as a bound or an exact value depending on its window.
    pub fn remember(
        &mut self,
        key: u64,
        lead: i32,
        depth: u32,
        best: u8,
        path: Path,
        window: Window,
    ) {
        let bound = match lead {
            _ if lead <= window.alpha => Bound::Upper,
            _ if lead >= window.beta => Bound::Lower,
            _ => Bound::Exact,
        };
        let entry = Entry { value: shifted(lead, path.own_moves), bound, depth: depth as u8, best };
        self.table.put(key, entry);
    }

    /// Lead from the table, if it is enough for the window. A value within the window is not enough, since then the
    /// search must find the principal variation too.
    pub fn lead_in_table(
        &mut self,
        entry: Entry,
        depth: u32,
        path: Path,
        window: Window,
    ) -> Option<i32> {
        if u32::from(entry.depth) != depth {
            return None;
        }
        let lead = shifted(entry.value, -path.own_moves);
        let usable = match entry.bound {
            Bound::Exact => lead <= window.alpha || lead >= window.beta,
            Bound::Lower => lead >= window.beta,
            Bound::Upper => lead <= window.alpha,
        };
        self.reached_horizon |= usable && lead.abs() <= CERTAIN;
        usable.then_some(lead)
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
