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
//!
//! With two seats each is a side. With more, the rivals of the root's mover are one side, which only wants to keep the
//! mover from a good place. Source: N. Sturtevant and R. Korf, "On pruning techniques for multi-player games" (2000),
//! the paranoid algorithm.
//!
//! A forced move does not count as a ply, so long lines with little choice are searched far. Source: T. Anantharaman,
//! M. Campbell and F. Hsu, "Singular extensions: adding selectivity to brute-force searching" (1990), one reply.
//!
//! The root moves are searched deeper and deeper until a limit is reached (iterative deepening).

use std::sync::Arc;
use std::thread;

use super::goal::Goal;
use super::limits::{Team, Visits};
use super::memory::{Bound, Entry, Table};
use super::star::Mean;
use super::{Aim, Answer, Control, MAX_DEPTH, Memory, Report, Request, Value};
use crate::eval::{self, CERTAIN, Evaluate, Judge};
use crate::rules::{MAX_MOVES, Seat, Turn};

/// Searches a position by alpha-beta; see [`search`](super::search).
pub fn search<G: Evaluate>(
    position: &G,
    request: &Request,
    memory: &mut Memory,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let evaluator = request.judge(position, &memory.evaluators);
    memory.forget_if_evaluator_changed(evaluator.evaluator(), evaluator.noise());
    let threads = memory.threads();
    let table = memory.use_table();
    let team = Arc::new(Team::of(request, control, threads));
    let root = || Root::new(position, request, &evaluator, table, control, &team);
    let mut leader = root()?;
    thread::scope(|scope| {
        // A single move needs no helpers.
        let helpers = if leader.moves.len() == 1 { 0 } else { threads - 1 };
        for _ in 0..helpers {
            let Some(mut root) = root() else { break };
            // If the system cannot start a thread, there are fewer helpers.
            let _ = thread::Builder::new().spawn_scoped(scope, move || root.help());
        }
        leader.deepen(observe);
        team.end();
    });
    Some(leader.answer())
}

#[derive(Clone, Debug, PartialEq)]
struct RootMove<M> {
    mv: M,
    /// Lead of the root's mover after the move.
    lead: i32,
    pv: Vec<M>,
}

/// Path to the position after a root move.
const FIRST_PLY: Path = Path { ply: 1, own_moves: 1 };

struct Root<'a, G: Evaluate> {
    position: &'a G,
    request: &'a Request,
    control: &'a Control,
    search: AlphaBeta<'a, G>,
    /// All considered moves, the best of the last iteration first.
    moves: Vec<RootMove<G::Move>>,
}

impl<'a, G: Evaluate> Root<'a, G> {
    fn new(
        position: &'a G,
        request: &'a Request,
        evaluator: &'a Judge<G>,
        table: &'a Table,
        control: &'a Control,
        team: &Arc<Team<'a>>,
    ) -> Option<Root<'a, G>> {
        let mover = position.turn().mover()?;
        let moves = request.considered(position, mover);
        let visits = Visits::of(Arc::clone(team));
        let search = AlphaBeta::new(position, mover, request.aim, evaluator, table, visits);
        let mut root = Root { position, request, control, search, moves: Vec::new() };
        root.moves = moves.into_iter().map(|mv| root.static_move(mv)).collect();
        root.moves.sort_by_key(|candidate| std::cmp::Reverse(candidate.lead));
        (!root.moves.is_empty()).then_some(root)
    }

    /// A root move with the static lead in the position after it.
    fn static_move(&self, mv: G::Move) -> RootMove<G::Move> {
        let next = self.position.play_unchecked(mv);
        let decided = self.search.decided_lead(Side::Own, &next, FIRST_PLY.own_moves);
        RootMove {
            mv,
            lead: decided.unwrap_or_else(|| self.search.static_lead(Side::Own, &next)),
            pv: vec![mv],
        }
    }

    fn deepen(&mut self, observe: &mut dyn FnMut(Report)) {
        for depth in 1..=self.request.deepest(self.moves.len(), self.control) {
            self.search.visits.team().begin_depth(depth);
            self.search.reached_horizon = false;
            self.search.visits.seldepth = 0;
            let had = self.moves[0].clone();
            self.iterate(depth);
            // A stopped iteration is reported only if it changes the answer, or nothing was reported before.
            if !self.search.visits.stopped || self.moves[0] != had || depth == 1 {
                self.report(depth, observe);
            }
            if !self.search.reached_horizon
                || !self.control.may_deepen()
                || self.search.visits.stopped
            {
                break;
            }
        }
    }

    /// Fills the table for the leader by searching the same depth.
    fn help(&mut self) {
        self.search.is_helper = true;
        let mut depth = 0;
        loop {
            depth = (depth + 1).max(self.search.visits.team().depth());
            if depth > self.request.depth.min(MAX_DEPTH) {
                break;
            }
            self.search.reached_horizon = false;
            self.iterate(depth);
            if !self.search.reached_horizon || self.search.visits.stopped {
                break;
            }
        }
        self.search.visits.publish();
    }

    /// Searches the root moves to a depth and puts the best first. If the iteration is stopped, the moves searched in
    /// full still count, since the best move of the last iteration was searched first.
    fn iterate(&mut self, depth: u32) {
        let wanted = self.request.multipv.max(1);
        let mut best: Vec<RootMove<G::Move>> = Vec::with_capacity(self.moves.len());
        let mut rest: Vec<RootMove<G::Move>> = Vec::with_capacity(self.moves.len());
        let moves = self.moves.len();
        let mut turn = 0;
        while turn < self.moves.len() {
            let mut candidate = self.moves[turn].clone();
            let next = self.position.play_unchecked(candidate.mv);
            turn += 1;
            if self.search.is_helper && self.search.puts_off(turn, moves, &next, depth - 1) {
                self.moves.push(candidate);
                continue;
            }
            let floor = (best.len() >= wanted).then(|| best[wanted - 1].lead);
            let lead = self.search_move(&next, depth, floor);
            if self.search.visits.stopped {
                rest.extend_from_slice(&self.moves[turn - 1..]);
                break;
            }
            if floor.is_some_and(|floor| lead <= floor) {
                rest.push(candidate);
                continue;
            }
            candidate.lead = lead;
            candidate.pv.truncate(1);
            candidate.pv.extend_from_slice(self.search.pv.line(1));
            let slot = best.partition_point(|other| other.lead >= lead);
            best.insert(slot, candidate);
            if best.len() > wanted {
                rest.extend(best.drain(wanted..));
            }
        }
        best.extend(rest);
        self.moves = best;
    }

    /// Lead in the position after a root move; only an upper bound if it is no better than `floor`.
    fn search_move(&mut self, next: &G, depth: u32, floor: Option<i32>) -> i32 {
        let search = &mut self.search;
        if let Some(floor) = floor {
            let bound = search.bound_after(Side::Own, next, depth - 1, FIRST_PLY, floor, None);
            if bound <= floor {
                return bound;
            }
        }
        search.lead_after(Side::Own, next, depth - 1, FIRST_PLY)
    }

    fn report(&self, depth: u32, observe: &mut dyn FnMut(Report)) {
        let wanted = self.request.multipv.clamp(1, self.moves.len());
        for (index, best) in self.moves[..wanted].iter().enumerate() {
            observe(Report {
                depth,
                seldepth: self.search.visits.seldepth as u32,
                multipv: index + 1,
                value: self.search.value(self.position, &best.pv, best.lead),
                worth: Vec::new(),
                nodes: self.search.visits.nodes_of_team(),
                hashfull: self.search.table.fill_permille(),
                pv: best.pv.iter().map(G::Move::to_string).collect(),
            });
        }
    }

    fn answer(&self) -> Answer {
        let best = &self.moves[0];
        let nodes = self.search.visits.nodes_of_team();
        let value = self.search.value(self.position, &best.pv, best.lead);
        Answer::of_line(self.position, &best.pv, value, nodes)
    }
}

/// Value of a decided result, less one for each own move of the root's mover until then.
const DECIDED: i32 = CERTAIN + 100_000;

/// Side of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The root's mover.
    Own,
    /// All its rivals.
    Rivals,
}

/// State of a search below a root.
pub(super) struct AlphaBeta<'a, G: Evaluate> {
    pub evaluator: &'a Judge<G>,
    /// Node counter and stop flag.
    pub visits: Visits<'a>,
    pub table: &'a Table,
    goal: Goal,
    /// Set when a position is evaluated at the depth limit; the caller resets it.
    pub reached_horizon: bool,
    /// Last move of each ply that caused a cutoff. Positions that differ only by a card have similar replies.
    pub killers: [Option<G::Move>; MAX_PLY],
    /// Principal variation.
    pub pv: PrincipalVariation<G::Move>,
    is_helper: bool,
    /// Ordered moves of each node on the path, one node after the other.
    ordered: Vec<OrderedMove<G::Move>>,
}

/// Depth of a node below the root, in plies and in moves of the root's mover.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// Plies from the root.
    pub ply: usize,
    /// Moves of the root's mover.
    pub own_moves: i32,
}

impl Path {
    /// Path to the child after a move of `mover`.
    pub fn down(self, mover: Side) -> Path {
        Path { ply: self.ply + 1, own_moves: self.own_moves + i32::from(mover == Side::Own) }
    }
}

impl<'a, G: Evaluate> AlphaBeta<'a, G> {
    /// Creates the search below a position with `root_seat` to move.
    pub fn new(
        root: &G,
        root_seat: Seat,
        aim: Aim,
        evaluator: &'a Judge<G>,
        table: &'a Table,
        visits: Visits<'a>,
    ) -> AlphaBeta<'a, G> {
        // With two seats, first place is the share.
        let aim = if root.seats() == 2 { Aim::Placement } else { aim };
        AlphaBeta {
            evaluator,
            visits,
            table,
            goal: Goal::new(root, root_seat, aim),
            reached_horizon: false,
            killers: [None; MAX_PLY],
            pv: PrincipalVariation::new(),
            is_helper: false,
            ordered: Vec::with_capacity(MAX_PLY * MAX_MOVES),
        }
    }

    /// Key of a position in the table. It includes the goal, since values and proofs hold for no other.
    #[inline]
    pub fn key(&self, position: &G) -> u64 {
        position.key() ^ self.goal.key()
    }

    /// Side of a seat.
    #[inline]
    pub fn side(&self, seat: Seat) -> Side {
        if seat == self.goal.seat { Side::Own } else { Side::Rivals }
    }

    /// Static lead of a side while the place of the root's mover is open; a card may be due in the position.
    #[inline]
    pub fn static_lead(&self, side: Side, position: &G) -> i32 {
        let goal = self.goal;
        let own = if goal.seats == 2 {
            let lead = eval::static_lead_of_two(self.evaluator, position);
            if goal.seat.0 == 0 { lead } else { -lead }
        } else {
            let leads = eval::static_leads(self.evaluator, position);
            goal.lead(leads[goal.seat.index()], || {
                eval::first_chance(self.evaluator, position, goal.seat)
            })
        };
        if side == Side::Own { own } else { -own }
    }

    /// Lead of a side once the place of the root's mover is decided, after `own_moves` of its moves.
    #[inline]
    pub fn decided_lead(&self, side: Side, position: &G, own_moves: i32) -> Option<i32> {
        let goal = self.goal;
        let place = position.place(goal.seat)?;
        let own = match place {
            _ if place == goal.best_open_place => DECIDED - own_moves,
            _ if place == goal.seats => own_moves - DECIDED,
            _ => goal.lead(goal.sum_of_place(place), || 0.0),
        };
        Some(if side == Side::Own { own } else { -own })
    }

    /// Value for all seats of a lead of the root's mover, found along `line`.
    ///
    /// The search knows only the mover's lead. The rivals divide the rest as they do at the end of the line, see
    /// [`Goal::with_own`].
    pub fn value(&self, root: &G, line: &[G::Move], lead: i32) -> Value {
        let goal = self.goal;
        let mate = match lead {
            _ if lead > CERTAIN => DECIDED - lead,
            // Several rivals need not play for the mover's last place.
            _ if lead < -CERTAIN && goal.seats == 2 => -DECIDED - lead,
            _ => 0,
        };
        let mut end = *root;
        let mut last_open = *root;
        for &mv in line {
            last_open = end;
            end = end.play_unchecked(mv);
        }
        let mut leads = eval::static_leads(self.evaluator, &end);
        let own = goal.sum_of_lead(lead.clamp(-CERTAIN, CERTAIN));
        if leads[goal.seat.index()] != own && (!goal.is_first || mate != 0) {
            if end.place(goal.seat).is_some() {
                end = last_open;
                leads = eval::static_leads(self.evaluator, &end);
            }
            leads = goal.with_own(leads, own, &end);
        }
        Value { leads, mate, seats: goal.seats }
    }
}

/// Largest number of moves of a line, forced ones included. A line so long is of forced moves nearly alone.
const MAX_PLY: usize = MAX_DEPTH as usize;

/// In a comparison, 0, 1, 2 or 3 plies change a static lead by this margin at most. A static lead further from alpha
/// needs no search. This saves four fifths of the nodes.
const MARGINS: [i32; 4] = [0, CERTAIN / 10, CERTAIN / 20 * 3, CERTAIN / 5];

/// Least depth of a comparison that threads share. Sharing a shallower one costs more than it saves.
const MIN_SHARED_DEPTH: u32 = 4;

/// Plies to search below a node with a number of moves, of `depth` at the node.
fn depth_below(depth: u32, moves: usize) -> u32 {
    depth - u32::from(moves > 1)
}

/// Above every value.
pub(super) const INFINITY: i32 = i32::MAX;

impl<G: Evaluate> AlphaBeta<'_, G> {
    /// Lead of `side` in `position`, after its move or card, searched `depth` plies deep. A card is a ply, too, and a
    /// forced move is none.
    /// Sets the principal variation from `path.ply` on.
    pub fn lead_after(&mut self, side: Side, position: &G, depth: u32, path: Path) -> i32 {
        if self.visits.visit(path.ply) {
            return 0;
        }
        self.pv.clear(path.ply);
        if let Some(lead) = self.decided_lead(side, position, path.own_moves) {
            return lead;
        }
        if depth == 0 || path.ply >= MAX_PLY {
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
        let start = self.ordered.len();
        self.order_moves(mover, position, None);
        let moves = self.ordered.len() - start;
        let below = depth_below(depth, moves);
        let mut best = -INFINITY;
        let mut turn = 0;
        while turn < self.ordered.len() - start {
            let candidate = self.ordered[start + turn];
            let next = position.play_unchecked(candidate.mv);
            turn += 1;
            // The leader keeps to the order, so that it finds the same lead with any number of threads.
            if self.is_helper && self.puts_off(turn, moves, &next, below) {
                self.ordered.push(candidate);
                continue;
            }
            let known = candidate.static_lead();
            if turn > 1 && self.bound_after(mover, &next, below, child, best, known) <= best {
                continue;
            }
            let lead = self.lead_after(mover, &next, below, child);
            if self.visits.stopped {
                break;
            }
            if lead > best {
                best = lead;
                self.pv.extend(path.ply, candidate.mv);
            }
        }
        self.ordered.truncate(start);
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
        let depth = if path.ply < MAX_PLY { depth } else { 0 };
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
        let shared = self.shared_key(position, depth);
        if let Some(key) = shared {
            self.visits.team().begin(key);
        }
        let bound = match position.turn() {
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
        };
        if let Some(key) = shared {
            self.visits.team().finish(key);
        }
        bound
    }

    /// `true` if the move of a `turn`, from 1 on, among `moves` must wait until all others had their turn, since
    /// another thread compares the position after it: by then the result is often in the table. So threads divide the
    /// moves of a node among themselves, and none is ever idle.
    ///
    /// Source: J.-C. Weill, "The ABDADA distributed minimax search algorithm" (1996), as simplified by T. Kerrigan.
    fn puts_off(&self, turn: usize, moves: usize, next: &G, depth: u32) -> bool {
        let team = self.visits.team();
        // The first move sets the value that the others are compared with.
        (2..=moves).contains(&turn)
            && self.shared_key(next, depth).is_some_and(|key| team.is_busy(key))
    }

    /// Key of a shared comparison; `None` if threads share no comparison of this depth.
    #[inline]
    fn shared_key(&self, position: &G, depth: u32) -> Option<u64> {
        let is_shared = depth >= MIN_SHARED_DEPTH && self.visits.team().has_helpers();
        is_shared.then(|| self.key(position).wrapping_add(depth.into()))
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
        let legal = position.legal_moves();
        let below = depth_below(depth, legal.len());
        if below == 0 {
            return self.bound_of_last_ply(mover, position, path, alpha);
        }
        let key = self.key(position);
        let known = self.table.get(key);
        if let Some(bound) = known.and_then(|entry| self.bound_in_table(entry, depth, path, alpha))
        {
            return bound;
        }
        let killer = self.killers[path.ply];
        let first = legal.enumerate().find(|&(index, mv)| match known {
            Some(entry) => index == usize::from(entry.best),
            None => killer == Some(mv),
        });
        let child = path.down(mover);
        let start = self.ordered.len();
        let mut best = -INFINITY;
        let mut best_index = 0;
        let mut turn = 0;
        while turn < legal.len().max(self.ordered.len() - start) {
            // The first move often causes a cutoff, so the others are evaluated only after it.
            let candidate = match first {
                Some((index, mv)) if turn == 0 => {
                    OrderedMove { mv, index: index as u8, priority: INFINITY }
                }
                _ => {
                    if self.ordered.len() == start {
                        self.order_moves(mover, position, first.map(|(index, _)| index));
                    }
                    self.ordered[start + turn]
                }
            };
            let next = position.play_unchecked(candidate.mv);
            turn += 1;
            if self.puts_off(turn, legal.len(), &next, below) {
                self.ordered.push(candidate);
                continue;
            }
            let known = candidate.static_lead();
            let bound = self.bound_after(mover, &next, below, child, alpha, known);
            if self.visits.stopped {
                break;
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
        self.ordered.truncate(start);
        if self.visits.stopped {
            return 0;
        }
        self.remember(key, best, depth, best_index, path, alpha);
        best
    }

    /// Appends the legal moves of a position to the ordered ones by descending priority, but `first` before all others.
    /// Equal ones stay in ascending order.
    fn order_moves(&mut self, mover: Side, position: &G, first: Option<usize>) {
        let start = self.ordered.len();
        for (index, mv) in position.legal_moves().enumerate() {
            let is_first = first == Some(index);
            let priority =
                if is_first { INFINITY } else { self.static_priority(mover, position, mv) };
            self.ordered.push(OrderedMove { mv, index: index as u8, priority });
            let mut slot = self.ordered.len() - 1;
            while slot > start && self.ordered[slot - 1].priority < priority {
                self.ordered.swap(slot - 1, slot);
                slot -= 1;
            }
        }
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

/// The principal variation, collected in a triangular table: the best line from each ply of the current path.
pub struct PrincipalVariation<M> {
    lines: Vec<Vec<M>>,
}

impl<M: Copy> PrincipalVariation<M> {
    /// Empty lines with enough capacity that none of them allocates during the search.
    pub fn new() -> PrincipalVariation<M> {
        let plies = MAX_PLY + 1;
        let lines = (0..plies).map(|ply| Vec::with_capacity(plies - ply)).collect();
        PrincipalVariation { lines }
    }

    /// Line from `ply` on.
    pub fn line(&self, ply: usize) -> &[M] {
        &self.lines[ply]
    }

    /// Clears the line from `ply` on: it ends there.
    pub fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// Sets the line from `ply` on to `mv` followed by the line of the next ply.
    pub fn extend(&mut self, ply: usize, mv: M) {
        let (here, below) = self.lines.split_at_mut(ply + 1);
        here[ply].clear();
        here[ply].push(mv);
        here[ply].extend_from_slice(&below[0]);
    }
}
