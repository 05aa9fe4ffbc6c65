//! Tree search (PUCT): each walk descends from the root to a new position and adds it to the tree.
//!
//! At each node a walk takes the move with the largest sum of its mean value to the mover and a bonus for moves with a
//! high prior and few visits. At a chance node it takes the card that is furthest behind its chance, so that the search
//! is reproducible. A new node evaluates the positions one ply ahead. That gives its value to all seats, which is
//! backed up to all nodes on the path, and the priors of its moves. The value of a node is the mean over its walks. It
//! is a vector: each mover maximises its own share, as in max^n.
//!
//! Source: D. Silver et al., "Mastering the game of Go without human knowledge" (2017), for the choice of moves (PUCT);
//! N. Sturtevant, "An analysis of UCT in multi-player games" (2008), for vectors.
//!
//! Each thread searches a tree of its own, with its own exploration constant, and the root statistics are added up.
//! Source: G. Chaslot, M. Winands and J. van den Herik, "Parallel Monte-Carlo tree search" (2008), root
//! parallelization.

mod answer;
mod arena;
mod proof;
mod reuse;

pub use arena::Arena;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use answer::Tally;
use arena::{Edge, NodeIndex, ROOT};
use reuse::Root;

use super::goal::{Goal, Shares};
use super::visits::{Team, Visits};
use super::{Answer, Control, Memory, Report, Request};
use crate::eval::{Evaluate, Judge};
use crate::rules::{MAX_MOVES, MAX_SEATS, Seat, Turn};

/// Softmax temperature of the priors, in shares of rivals.
const TEMPERATURE: f32 = 0.1;

/// Exploration constant: weight of the bonus.
const EXPLORATION: f32 = 0.2;

/// Weight of a move's static evaluation, in visits.
const STATIC_VISITS: f32 = 1.0;

/// Walks in iteration n: this number, doubled n times.
const FIRST_WALKS: u64 = 8;

/// Longest walk, in nodes.
const LONGEST_WALK: usize = 256;

/// Factors on the exploration constant, by thread; repeated for more than eight threads.
const SPREAD: [f32; 8] = [1.0, 1.25, 0.8, 1.4, 0.7, 1.1, 0.9, 1.6];

/// Number of walks after which a thread publishes its root statistics.
const WALKS_TO_PUBLISH: u32 = 64;

/// Searches a position of any number of seats; see [`search`](super::search).
pub fn search<G: Evaluate>(
    position: &G,
    request: &Request,
    memory: &mut Memory,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let mover = position.turn().mover()?;
    let moves = request.considered(position, mover);
    if moves.is_empty() {
        return None;
    }
    let evaluator = request.judge(position, &memory.evaluators);
    memory.forget_unless_by(evaluator.evaluator(), evaluator.noise());
    let root = Root {
        position: *position,
        goal: Goal::new(position, mover, request.aim),
    };
    let old = memory.root.take().and_then(|old| old.downcast().ok());
    for arena in &mut memory.arenas {
        reuse::keep(arena, old.as_deref(), &root, &request.past);
    }
    // A single move needs no helpers.
    let threads = if moves.len() == 1 {
        1
    } else {
        memory.threads()
    };
    let team = Arc::new(Team::new(control, request.nodes, threads));
    let tallies: Vec<Mutex<Vec<Tally>>> = (1..threads).map(|_| Mutex::default()).collect();
    let mut searches = memory
        .arenas
        .iter_mut()
        .enumerate()
        .map(|(thread, arena)| TreeSearch {
            root: &root,
            moves: moves.clone(),
            evaluator: &evaluator,
            arena,
            visits: Visits::of(Arc::clone(&team)),
            path: Vec::with_capacity(LONGEST_WALK),
            exploration: EXPLORATION * SPREAD[thread % SPREAD.len()],
            first_card: thread,
            others: &tallies,
        });
    let mut leader = searches.next()?;
    leader.init_root();
    let depth = thread::scope(|scope| {
        for (mut helper, tallies) in searches.zip(&tallies) {
            // If the system cannot start a thread, there are fewer helpers.
            let _ = thread::Builder::new().spawn_scoped(scope, move || helper.help(tallies));
        }
        let depth = leader.deepen(request, control, observe);
        team.end();
        depth
    });
    leader.report(depth, request.multipv, observe);
    let answer = leader.answer();
    memory.root = Some(Box::new(root));
    Some(answer)
}

struct TreeSearch<'a, G: Evaluate> {
    root: &'a Root<G>,
    /// Considered moves, in ascending order.
    moves: Vec<G::Move>,
    evaluator: &'a Judge<G>,
    arena: &'a mut Arena,
    visits: Visits<'a>,
    /// Nodes of the current walk, each with the seat that moves there, if any.
    path: Vec<(NodeIndex, Option<Seat>)>,
    /// Exploration constant of this thread.
    exploration: f32,
    /// Index of the card that is preferred when several are equally far behind their chance.
    first_card: usize,
    /// Root statistics published by the other threads.
    others: &'a [Mutex<Vec<Tally>>],
}

impl<G: Evaluate> TreeSearch<'_, G> {
    /// Creates the root with the considered moves, or reuses a kept one.
    fn init_root(&mut self) {
        if self.arena.is_empty() {
            self.add_decision_node(&self.root.position, self.root.goal.seat);
            self.restrict_root();
        } else {
            self.reuse_root();
        }
    }

    /// Restricts the root to the considered moves.
    fn restrict_root(&mut self) {
        let legal = self.root.position.legal_moves();
        let mut whole = 0.0;
        for (edge, mv) in self.arena.edges_mut(ROOT).iter_mut().zip(legal) {
            if self.moves.contains(&mv) {
                whole += edge.prior;
            } else {
                edge.prior = -1.0;
            }
        }
        for edge in self.arena.edges_mut(ROOT) {
            edge.prior /= if edge.prior > 0.0 { whole } else { 1.0 };
        }
    }

    /// Runs the iterations and reports all but the last.
    ///
    /// # Returns
    /// Number of the last iteration.
    fn deepen(
        &mut self,
        request: &Request,
        control: &Control,
        observe: &mut dyn FnMut(Report),
    ) -> u32 {
        let deepest = request.deepest(self.moves.len(), control);
        for depth in 1..deepest {
            self.iterate(depth);
            let is_certain = self.arena.node(ROOT).mate != 0;
            if self.visits.stopped
                || is_certain
                || !control.may_deepen()
                || self.is_settled(control)
            {
                return depth;
            }
            self.report(depth, request.multipv, observe);
        }
        self.iterate(deepest);
        deepest
    }

    /// Walks until all threads together have made the walks of an iteration, including reused ones.
    fn iterate(&mut self, depth: u32) {
        let walks = FIRST_WALKS.checked_shl(depth).unwrap_or(u64::MAX);
        while !self.visits.stopped {
            let own = u64::from(self.arena.node(ROOT).visits);
            if own + self.visits.team().walks() >= walks {
                break;
            }
            self.walk();
        }
    }

    /// Walks as a helper of the leader, and publishes the root statistics from time to time.
    fn help(&mut self, tallies: &Mutex<Vec<Tally>>) {
        self.init_root();
        let mut published = self.publish(0, tallies);
        while !self.visits.stopped && self.arena.node(ROOT).mate == 0 {
            self.walk();
            if self.arena.node(ROOT).visits >= published + WALKS_TO_PUBLISH {
                published = self.publish(published, tallies);
            }
        }
        self.publish(published, tallies);
        self.visits.publish();
        if self.arena.node(ROOT).mate != 0 {
            self.visits.team().end();
        }
    }

    /// Publishes the root statistics; returns the number of walks that they cover.
    fn publish(&self, published: u32, tallies: &Mutex<Vec<Tally>>) -> u32 {
        let walks = self.arena.node(ROOT).visits;
        *tallies.lock().unwrap_or_else(PoisonError::into_inner) = self.tallies();
        self.visits.team().add_walks(u64::from(walks - published));
        walks
    }

    /// Descends from the root to a new position or the end of the game, and backs up its value.
    fn walk(&mut self) {
        self.path.clear();
        let mut position = self.root.position;
        let mut node = ROOT;
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
            if child != ROOT {
                if self.path.len() < LONGEST_WALK {
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
        for &(node, _) in &self.path {
            let node = self.arena.node_mut(node);
            node.visits += 1;
            for (sum, share) in node.sums.iter_mut().zip(value) {
                *sum += share;
            }
        }
        self.back_up_proof(&position);
    }

    /// Adds the node of a position. Returns `None` if the search must end, or if nodes had to be dropped first.
    fn expand(&mut self, position: &G) -> Option<(NodeIndex, Shares)> {
        let (evaluations, edges) = match position.turn() {
            Turn::Over => (1, 0),
            Turn::Card(_) => (1, position.outcomes().len()),
            Turn::Seat(_) => (position.legal_moves().len(), position.legal_moves().len()),
        };
        if self.visits.visit_all(evaluations, self.path.len()) {
            return None;
        }
        if !self.arena.has_room(edges) {
            self.arena.make_room();
            return None;
        }
        Some(match position.turn() {
            Turn::Over => (
                self.arena.add(std::iter::empty()),
                self.root.goal.final_shares(position),
            ),
            Turn::Card(_) => {
                let whole: u32 = position.outcomes().map(|(_, weight)| weight).sum();
                let edges = position.outcomes().map(|(_, weight)| Edge {
                    child: ROOT,
                    prior: weight as f32 / whole as f32,
                    value: 0.0,
                });
                (self.arena.add(edges), self.static_shares(position))
            }
            Turn::Seat(mover) => self.add_decision_node(position, mover),
        })
    }

    /// Adds a node with a seat to move; its value is that of the move with the best static evaluation.
    fn add_decision_node(&mut self, position: &G, mover: Seat) -> (NodeIndex, Shares) {
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
        let edges = values[..len].iter().map(|&value| Edge {
            child: ROOT,
            prior: 0.0,
            value,
        });
        let node = self.arena.add(edges);
        self.set_priors(node);
        (node, best_shares)
    }

    /// Sets the priors of a node's moves from their static evaluations.
    fn set_priors(&mut self, node: NodeIndex) {
        let edges = self.arena.edges_mut(node);
        let values = edges.iter().map(|edge| edge.value);
        let best = values.fold(f32::NEG_INFINITY, f32::max);
        for edge in edges.iter_mut() {
            edge.prior = exp((edge.value - best) / TEMPERATURE);
        }
        let whole: f32 = edges.iter().map(|edge| edge.prior).sum();
        for edge in edges {
            edge.prior /= whole;
        }
    }

    #[inline]
    fn static_shares(&self, position: &G) -> Shares {
        self.root.goal.static_shares(self.evaluator, position)
    }

    /// Edge that a walk takes at a node where a seat moves.
    #[inline]
    fn best_edge(&self, node: NodeIndex, mover: Seat) -> usize {
        let bonus = self.exploration * (self.arena.node(node).visits as f32).sqrt();
        let mut best = 0;
        let mut best_sum = f32::NEG_INFINITY;
        for (index, edge) in self.arena.edges(node).iter().enumerate() {
            if edge.prior < 0.0 {
                continue;
            }
            let (visits, sum) = if edge.child == ROOT {
                (0.0, 0.0)
            } else {
                let child = self.arena.node(edge.child);
                (child.visits as f32, child.sums[mover.index()])
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
        let visits = self.arena.node(node).visits as f32;
        let edges = self.arena.edges(node);
        let mut best = 0;
        let mut most_behind = f32::NEG_INFINITY;
        let first = self.first_card % edges.len().max(1);
        for (index, edge) in edges
            .iter()
            .enumerate()
            .cycle()
            .skip(first)
            .take(edges.len())
        {
            let behind = edge.prior * (visits + 1.0) - self.arena.visits(edge) as f32;
            if behind > most_behind {
                most_behind = behind;
                best = index;
            }
        }
        best
    }
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
