//! One walk: its way down the tree, the node that it adds, the backup of its value, and the proof of certain places.
//!
//! Proofs start at the ends of games and are backed up the tree as far as they hold. They hold whatever the rivals
//! play, except that with two seats the rival is assumed to play its best, as in chess.

use super::TreeSearch;
use super::arena::{Arena, Edge, NodeIndex, UNVISITED, as_float};
use crate::eval::Evaluate;
use crate::rules::{Game, MAX_MOVES, MAX_SEATS, Seat, Turn};
use crate::search::goal::Shares;

/// Softmax temperature of the priors, in shares of rivals.
const PRIOR_TEMPERATURE: f32 = 0.1;

/// Spread of the static values of a node's moves, in shares, at which the node is explored as usual.
const USUAL_SPREAD: f32 = 0.06;

/// Part of the exploration that is proportional to the spread; the rest is the same at all nodes.
const SPREAD_PART: f32 = 0.8;

/// Weight of a move's static evaluation, in visits.
const STATIC_VISITS: f32 = 1.0;

/// Longest walk, in nodes.
pub const MAX_WALK_LENGTH: usize = 256;

impl<G: Evaluate> TreeSearch<'_, G> {
    /// Descends from the root to a new position or the end of the game, and backs up its value.
    pub fn walk(&mut self) {
        if self.arena.must_drop_unreachable() && !self.compact(Arena::drop_unreachable) {
            return;
        }
        self.path.clear();
        let mut position = self.root.position;
        let mut node = self.arena.root();
        let value = loop {
            let turn = position.turn();
            self.path.push((node, turn.mover()));
            let index = match turn {
                Turn::Over => {
                    // Reaching the same end again counts as a visit too.
                    if self.visits.visit_all(1, self.path.len() - 1) {
                        return;
                    }
                    break self.root.goal.final_shares(&position);
                }
                Turn::Card(_) => {
                    // Only now, since many nodes are visited just once.
                    if self.arena.node(node).visits == 1 {
                        let cards = position.outcomes().len();
                        if self.visits.visit_all(cards, self.path.len()) {
                            return;
                        }
                        *self.arena.static_value_mut(node) = self.static_value(&position);
                    }
                    let index = self.most_underplayed_card(node);
                    let Some((card, _)) = position.outcomes().nth(index) else {
                        return;
                    };
                    position = position.draw_unchecked(card);
                    index
                }
                Turn::Seat(mover) => {
                    let index = self.best_edge(node, mover);
                    let Some(mv) = position.legal_moves().nth(index) else {
                        return;
                    };
                    position = position.play_unchecked(mv);
                    index
                }
            };
            let child = self.arena.edges(node)[index].child;
            if child != UNVISITED {
                if self.path.len() < MAX_WALK_LENGTH {
                    node = child;
                    continue;
                }
                self.path.push((child, position.turn().mover()));
                break self.static_shares(&position);
            }
            let Some((child, value)) = self.expand(&position) else {
                return;
            };
            self.arena.edges_mut(node)[index].child = child;
            self.path.push((child, position.turn().mover()));
            break value;
        };
        self.back_up(value);
        self.back_up_proof(&position);
    }

    /// Adds the value of the last node to all nodes of the walk; above a card, less its luck.
    fn back_up(&mut self, mut value: Shares) {
        let mut below = None;
        for &(node, mover) in self.path.iter().rev() {
            if let (None, Some(below)) = (mover, below) {
                let (mean, drawn) = (self.arena.static_value(node), self.arena.static_value(below));
                for ((share, mean), drawn) in value.iter_mut().zip(mean).zip(drawn) {
                    *share += mean - drawn;
                }
            }
            below = Some(node);
            let node = self.arena.node_mut(node);
            node.visits += 1;
            for (sum, share) in node.sums.iter_mut().zip(value) {
                *sum += f64::from(share);
            }
        }
    }

    /// Compacts the tree. If the search must stop meanwhile, the tree is lost, and the search ends with its ranking of
    /// before.
    fn compact(&mut self, compact: fn(&mut Arena, &dyn Fn() -> bool) -> bool) -> bool {
        let ranking = self.ranking_with_lines();
        let team = self.visits.team();
        // If a helper has found a proof, the leader needs its tree to count it.
        let must_stop =
            || if self.thread == 0 { team.is_out_of_time() } else { team.should_stop() };
        let is_done = compact(self.arena, &must_stop);
        if !is_done {
            self.last_ranking = Some(ranking);
            self.visits.stopped = true;
        }
        is_done
    }

    /// Adds the node of a position. Returns `None` if the search must end, or if nodes had to be dropped first.
    fn expand(&mut self, position: &G) -> Option<(NodeIndex, Shares)> {
        let is_drawn = self.path.last().is_some_and(|(_, mover)| mover.is_none());
        let (evaluations, edges) = match position.turn() {
            Turn::Over => (1, 0),
            Turn::Card(_) => (1, position.outcomes().len()),
            Turn::Seat(_) => (position.legal_moves().len(), position.legal_moves().len()),
        };
        let evaluations = evaluations + usize::from(is_drawn);
        if self.visits.visit_all(evaluations, self.path.len()) {
            return None;
        }
        if !self.arena.has_room(edges) {
            self.compact(Arena::make_room);
            return None;
        }
        let (node, value) = match position.turn() {
            Turn::Over => {
                (self.arena.add(std::iter::empty()), self.root.goal.final_shares(position))
            }
            Turn::Card(_) => {
                let edges = chances(position).map(|(_, chance)| Edge {
                    child: UNVISITED,
                    prior: chance,
                    value: 0.0,
                });
                (self.arena.add(edges), self.static_shares(position))
            }
            Turn::Seat(mover) => self.add_decision_node(position, mover),
        };
        if is_drawn {
            *self.arena.static_value_mut(node) = self.static_value(position);
        }
        Some((node, value))
    }

    /// Adds a node with a seat to move; its value is that of the move with the best static evaluation.
    pub fn add_decision_node(&mut self, position: &G, mover: Seat) -> (NodeIndex, Shares) {
        let mut values = [0.0; MAX_MOVES];
        let mut best = f32::NEG_INFINITY;
        let mut best_shares = [0.0; MAX_SEATS];
        let mut len = 0;
        for mv in position.legal_moves() {
            let shares = self.static_shares(&position.play_unchecked(mv));
            let value = shares[mover.index()];
            if value > best {
                best = value;
                best_shares = shares;
            }
            values[len] = value;
            len += 1;
        }
        let edges = values[..len].iter().map(|&value| Edge { child: UNVISITED, prior: 0.0, value });
        let node = self.arena.add(edges);
        set_priors(self.arena.edges_mut(node));
        (node, best_shares)
    }

    /// Static value of a position; if a card is due, the mean over the cards.
    fn static_value(&self, position: &G) -> Shares {
        if !matches!(position.turn(), Turn::Card(_)) {
            return self.static_shares(position);
        }
        let mut mean = Shares::default();
        for (card, chance) in chances(position) {
            let shares = self.static_value(&position.draw_unchecked(card));
            for (mean, share) in mean.iter_mut().zip(shares) {
                *mean += chance * share;
            }
        }
        mean
    }

    #[inline]
    fn static_shares(&self, position: &G) -> Shares {
        self.root.goal.static_shares(self.evaluator, position)
    }

    /// Edge that a walk takes at a node where a seat moves.
    #[inline]
    fn best_edge(&self, node: NodeIndex, mover: Seat) -> usize {
        let bonus = self.exploration * as_float(self.arena.node(node).visits).sqrt();
        let mut best = 0;
        let mut best_sum = f32::NEG_INFINITY;
        for (index, edge) in self.arena.edges(node).iter().enumerate() {
            if edge.prior < 0.0 {
                continue;
            }
            let (visits, sum) = if edge.child == UNVISITED {
                (0.0, 0.0)
            } else {
                let child = self.arena.node(edge.child);
                (as_float(child.visits), child.sums[mover.index()] as f32)
            };
            let worth = (STATIC_VISITS * edge.value + sum) / (STATIC_VISITS + visits);
            let sum = worth + bonus * edge.prior / (1.0 + visits);
            if sum > best_sum {
                best_sum = sum;
                best = index;
            }
        }
        best
    }

    /// Edge that a walk takes at a chance node: the visits become proportional to the chances.
    fn most_underplayed_card(&self, node: NodeIndex) -> usize {
        let visits = as_float(self.arena.node(node).visits);
        let edges = self.arena.edges(node);
        let mut best = 0;
        let mut most_behind = f32::NEG_INFINITY;
        let first = self.thread % edges.len().max(1);
        let round = edges.iter().enumerate().cycle().skip(first);
        for (index, edge) in round.take(edges.len()) {
            let behind = edge.prior * (visits + 1.0) - as_float(self.arena.visits(edge));
            if behind > most_behind {
                most_behind = behind;
                best = index;
            }
        }
        best
    }
}

/// Sets the priors of a node's considered moves from their static values. The sum of the priors is 1 if the values have
/// their usual spread, and larger where the choice matters more, so that the search explores more there.
///
/// Source: the Go program KataGo, which scales its exploration by the standard deviation of a node's values.
pub fn set_priors(edges: &mut [Edge]) {
    let considered = |edge: &&mut Edge| edge.prior >= 0.0;
    let best = edges.iter_mut().filter(considered).map(|edge| edge.value);
    let best = best.fold(f32::NEG_INFINITY, f32::max);
    let (mut whole, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for edge in edges.iter_mut().filter(considered) {
        let below = best - edge.value;
        edge.prior = exp(-below / PRIOR_TEMPERATURE);
        whole += edge.prior;
        sum += edge.prior * below;
        squares += edge.prior * below * below;
    }
    let spread = (squares / whole - (sum / whole).powi(2)).max(0.0).sqrt();
    let factor = 1.0 + SPREAD_PART * (spread / USUAL_SPREAD - 1.0);
    for edge in edges.iter_mut().filter(considered) {
        edge.prior *= factor / whole;
    }
}

/// The cards that can be drawn, each with its chance.
fn chances<G: Game>(position: &G) -> impl Iterator<Item = (G::Card, f32)> {
    let whole: u32 = position.outcomes().map(|(_, weight)| weight).sum();
    position.outcomes().map(move |(card, weight)| (card, weight as f32 / whole as f32))
}

/// Approximates e to the power of x, for x up to 0, by repeated squaring: accurate enough for weights, and the same on
/// every platform.
#[inline]
fn exp(x: f32) -> f32 {
    let mut power = (1.0 + x / 256.0).max(0.0);
    for _ in 0..8 {
        power *= power;
    }
    power
}

impl<G: Evaluate> TreeSearch<'_, G> {
    /// Backs up along a walk whether the place of the root's mover is now certain. The walk proves something only if
    /// that seat has finished in `end`.
    pub fn back_up_proof(&mut self, end: &G) {
        let mut mate = match end.place(self.root.goal.seat) {
            // The sign tells which place; the number counts moves from the node.
            Some(place) if place == self.root.goal.best_open_place => 1,
            Some(place) if place == end.seats() => -1,
            _ => return,
        };
        for step in (0..self.path.len()).rev() {
            let (node, mover) = self.path[step];
            if step + 1 < self.path.len() {
                match self.certainty(node, mover) {
                    0 => return,
                    known => mate = known,
                }
            }
            self.arena.set_mate(node, mate);
        }
    }

    /// Certainty of a node derived from its children, counted from 1 at the end.
    pub fn certainty(&self, node: NodeIndex, mover: Option<Seat>) -> i16 {
        let mates = self.arena.considered(node).map(|edge| match edge.child {
            UNVISITED => 0,
            child => self.arena.mate(child),
        });
        let slowest = mates.clone().max_by_key(|mate| mate.abs()).unwrap_or(0);
        if mover == Some(self.root.goal.seat) {
            return match mates.clone().filter(|&mate| mate > 0).min() {
                Some(fastest) => fastest + 1,
                None if mates.clone().all(|mate| mate < 0) => slowest - 1,
                None => 0,
            };
        }
        if mover.is_some()
            && self.root.position.seats() == 2
            && let Some(fastest) = mates.clone().filter(|&mate| mate < 0).max()
        {
            return fastest;
        }
        let all_good = mates.clone().all(|mate| mate > 0);
        let all_bad = mates.clone().all(|mate| mate < 0);
        if all_good || all_bad { slowest } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::AnyPosition;
    use crate::rules::hase::{HASE_UND_IGEL, Position};
    use crate::search::goal::Goal;
    use crate::search::puct::Arena;
    use crate::search::{Aim, Control, MAX_DEPTH, Memory, Preset, Request, search};

    /// Checks the sums of the nodes below `node` where a card is due: the first value, and all values after a card less
    /// its luck. Returns the number of nodes with a card due.
    fn check(
        arena: &Arena,
        static_value: &dyn Fn(&Position) -> Shares,
        position: &Position,
        node: NodeIndex,
    ) -> u32 {
        let is_due = matches!(position.turn(), Turn::Card(_));
        let next: Vec<(Position, u32)> = match position.turn() {
            Turn::Card(_) => position
                .outcomes()
                .map(|(card, weight)| (position.draw_unchecked(card), weight))
                .collect(),
            _ => position.legal_moves().map(|mv| (position.play_unchecked(mv), 1)).collect(),
        };
        let whole: u32 = next.iter().map(|(_, weight)| weight).sum();
        let mut mean = Shares::default();
        let mut sums = static_value(position).map(f64::from);
        let mut found = u32::from(is_due);
        for ((after, weight), edge) in next.iter().zip(arena.edges(node)) {
            let drawn = static_value(after);
            for seat in 0..position.seats() {
                mean[seat] += *weight as f32 / whole as f32 * drawn[seat];
            }
            if edge.child == UNVISITED {
                continue;
            }
            let child = arena.node(edge.child);
            for seat in 0..position.seats() {
                let luck = f64::from(drawn[seat] - arena.static_value(node)[seat]);
                sums[seat] += child.sums[seat] - child.visits as f64 * luck;
            }
            found += check(arena, static_value, after, edge.child);
        }
        let (mean_found, node) = (arena.static_value(node), arena.node(node));
        if is_due && node.visits > 1 {
            for seat in 0..position.seats() {
                assert!((mean_found[seat] - mean[seat]).abs() < 1e-5);
                assert!((node.sums[seat] - sums[seat]).abs() < 1e-6 * node.visits as f64);
            }
        }
        found
    }

    #[test]
    fn moves_that_differ_more_are_explored_more() {
        let sum_for = |values: [f32; 3], is_considered: bool| {
            let mut edges = values.map(|value| Edge { child: UNVISITED, prior: 0.0, value });
            edges[2].prior = if is_considered { 0.0 } else { -1.0 };
            set_priors(&mut edges);
            assert!(edges[0].prior >= edges[1].prior && edges[1].prior > 0.0, "{edges:?}");
            assert_eq!(edges[2].prior > 0.0, is_considered, "{edges:?}");
            edges.iter().map(|edge| edge.prior.max(0.0)).sum::<f32>()
        };
        let rest = 1.0 - SPREAD_PART;
        assert!((sum_for([0.5, 0.5, 0.5], true) - rest).abs() < 1e-6);
        assert!((sum_for([0.5, 0.5, 0.1], false) - rest).abs() < 1e-6);
        let sums = [0.01, 0.05, 0.1].map(|gap| sum_for([0.5, 0.5 - gap, 0.5 - gap], true));
        assert!(sums.is_sorted() && rest < sums[0] && sums[2] < 1.0, "{sums:?}");
        // Two values this far apart have about the usual spread.
        let sum = sum_for([0.5, 0.367, 0.0], false);
        assert!((sum - 1.0).abs() < 0.2, "{sum}");
    }

    #[test]
    fn the_value_of_a_card_due_has_no_luck() {
        for seats in [2, 3, 6] {
            let position = Position::start(&HASE_UND_IGEL, seats).unwrap();
            let mut request = Request::new(AnyPosition::Hase(position), MAX_DEPTH);
            request.preset = Preset::Tree;
            request.nodes = 100_000;
            let mut memory = Memory::new(16);
            search(&request, &mut memory, &Control::new(None), &mut |_| ());
            let goal = Goal::new(&position, Seat(0), Aim::Placement);
            let judge = request.judge(&position, &memory.evaluators);
            let static_value = |position: &Position| goal.static_shares(&judge, position);
            let arena = &memory.arenas[0];
            let found = check(arena, &static_value, &position, arena.root());
            assert!(found > 100, "{found}");
        }
    }

    /// Multiplies the walks of a tree.
    fn multiply(arena: &mut Arena, node: NodeIndex, factor: u64) {
        let visited = arena.node_mut(node);
        visited.visits *= factor;
        visited.sums = visited.sums.map(|sum| sum * factor as f64);
        let children: Vec<NodeIndex> = arena.edges(node).iter().map(|edge| edge.child).collect();
        for child in children.into_iter().filter(|child| *child != UNVISITED) {
            multiply(arena, child, factor);
        }
    }

    #[test]
    fn a_value_counts_however_many_walks_there_were() {
        for (seats, digits) in [(2, 14), (2, 20), (3, 20), (6, 30), (2, 40)] {
            let start = Position::start(&HASE_UND_IGEL, seats).unwrap();
            let mut request = Request::new(start.into(), MAX_DEPTH);
            request.preset = Preset::Tree;
            request.nodes = 5_000;
            let mut memory = Memory::new(1);
            let estimate = |memory: &mut Memory| {
                search(&request, memory, &Control::new(None), &mut |_| ()).unwrap().value
            };
            let before = estimate(&mut memory);
            let arena = &mut memory.arenas[0];
            multiply(arena, arena.root(), 1 << digits);
            let children = |arena: &Arena| -> Vec<(u64, f64)> {
                let visits_and_sum = |edge: &Edge| match edge.child {
                    UNVISITED => (0, 0.0),
                    child => (arena.node(child).visits, arena.node(child).sums[0]),
                };
                arena.edges(arena.root()).iter().map(visits_and_sum).collect()
            };
            let old = children(arena);
            let after = estimate(&mut memory);
            assert_eq!(before.shares(), after.shares());
            let (mut walks, mut sum) = (0, 0.0);
            for (new, old) in children(&memory.arenas[0]).iter().zip(&old) {
                walks += new.0 - old.0;
                sum += new.1 - old.1;
            }
            let mean = sum / walks as f64;
            assert!(walks > 100 && (0.1..1.2).contains(&mean), "{digits}: {walks} of {mean}");
        }
    }
}
