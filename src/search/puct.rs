//! Tree search (PUCT): each walk descends from the root to a new position and adds it to the tree.
//!
//! At each node a walk takes the move with the largest sum of its mean value to the mover and a bonus for moves with
//! a high prior and few visits; the bonus is larger where the moves differ more. At a chance node it takes the card
//! that is furthest behind its chance, so that the search is reproducible. A new node evaluates the positions one ply
//! ahead for the priors of its moves and for its own value to all seats, and this value is backed up to all nodes on
//! the path. The value of a node is the mean over its walks. It is a vector: each mover maximises its own share, as
//! in max^n.
//!
//! Above a card a walk's value counts less the luck of the card: the static value after it, less the mean over all
//! cards. So a few good or bad cards do not mislead the nodes above.
//!
//! Source: D. Silver et al., "Mastering the game of Go without human knowledge" (2017), for the choice of moves (PUCT);
//! N. Sturtevant, "An analysis of UCT in multi-player games" (2008), for vectors; N. Burch et al., "AIVAT: a new
//! variance reduction technique for agent evaluation in imperfect information games" (2018), for the luck of cards.
//!
//! Each thread searches a tree of its own, with its own exploration constant, and the root statistics are added up.
//! Source: G. Chaslot, M. Winands and J. van den Herik, "Parallel Monte-Carlo tree search" (2008), root
//! parallelization.

mod arena;
mod walk;

pub use arena::Arena;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use arena::{Edge, NodeIndex, Root, UNVISITED};
use walk::{MAX_WALK_LENGTH, set_priors};

use super::goal::{Goal, Sums};
use super::limits::{Team, Visits};
use super::{Answer, Control, MAX_DEPTH, Memory, Report, Request, Value};
use crate::eval::{Evaluate, Judge, static_leads};
use crate::rules::{Seat, Turn};

/// Exploration constant: weight of the bonus.
const EXPLORATION: f32 = 0.2;

/// Walks in iteration n: this number, doubled n times.
const FIRST_WALKS: u64 = 8;

/// Factors on the exploration constant, by thread; repeated for more than eight threads.
const EXPLORATION_FACTORS: [f32; 8] = [1.0, 1.25, 0.8, 1.4, 0.7, 1.1, 0.9, 1.6];

/// Number of walks after which a thread publishes its root statistics.
const WALKS_TO_PUBLISH: u64 = 64;

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
    memory.forget_if_evaluator_changed(evaluator.evaluator(), evaluator.noise());
    let goal = Goal::new(position, mover, request.aim);
    let mut root = Root { position: *position, goal, seldepth: 0 };
    let old: Option<Box<Root<G>>> = memory.root.take().and_then(|old| old.downcast().ok());
    for arena in memory.use_trees() {
        let kept = arena::keep(arena, old.as_deref(), &root, &request.past);
        if let (Some(plies), Some(old)) = (kept, &old) {
            root.seldepth = old.seldepth.saturating_sub(plies);
        }
    }
    // A single move needs no helpers.
    let threads = if moves.len() == 1 { 1 } else { memory.threads() };
    let team = Arc::new(Team::of(request, control, threads));
    let tallies: Vec<Mutex<Vec<Tally>>> = (1..threads).map(|_| Mutex::default()).collect();
    let mut searches = memory.arenas.iter_mut().enumerate().map(|(thread, arena)| TreeSearch {
        root: &root,
        moves: moves.clone(),
        evaluator: &evaluator,
        arena,
        visits: Visits::of(Arc::clone(&team)),
        path: Vec::with_capacity(MAX_WALK_LENGTH),
        exploration: EXPLORATION * EXPLORATION_FACTORS[thread % EXPLORATION_FACTORS.len()],
        thread,
        others: &tallies,
        last_ranking: None,
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
    let ranking = leader.ranking();
    leader.report(&ranking, depth, request.multipv, observe);
    let answer = leader.answer(&ranking);
    root.seldepth = leader.visits.seldepth;
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
    /// Number of this thread, 0 for the leader. Of several cards that are equally far behind their chance, each thread
    /// prefers another.
    thread: usize,
    /// Root statistics published by the other threads.
    others: &'a [Mutex<Vec<Tally>>],
    /// The last ranking, if the tree is lost.
    last_ranking: Option<Vec<RootMove<G::Move>>>,
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

    /// Restricts the root to the considered moves, and sets their priors.
    fn restrict_root(&mut self) {
        let legal = self.root.position.legal_moves();
        let root = self.arena.root();
        let edges = self.arena.edges_mut(root);
        for (edge, mv) in edges.iter_mut().zip(legal) {
            edge.prior = if self.moves.contains(&mv) { 0.0 } else { -1.0 };
        }
        set_priors(edges);
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
            if self.visits.stopped
                || self.is_certain()
                || !control.may_deepen()
                || self.is_settled(control)
            {
                return depth;
            }
            self.report(&self.ranking(), depth, request.multipv, observe);
        }
        self.iterate(deepest);
        deepest
    }

    /// `true` if the place of the root's mover is certain.
    fn is_certain(&self) -> bool {
        self.arena.mate(self.arena.root()) != 0
    }

    /// Number of walks through the root.
    fn walks(&self) -> u64 {
        self.arena.node(self.arena.root()).visits
    }

    /// Walks until all threads together have made the walks of an iteration, including reused ones.
    fn iterate(&mut self, depth: u32) {
        let walks = FIRST_WALKS.saturating_mul(1u64.checked_shl(depth).unwrap_or(u64::MAX));
        while !self.visits.stopped && self.walks() + self.visits.team().walks() < walks {
            self.walk();
        }
    }

    /// Walks as a helper of the leader, and publishes the root statistics from time to time.
    fn help(&mut self, tallies: &Mutex<Vec<Tally>>) {
        self.init_root();
        let mut published = self.publish(0, tallies);
        while !self.visits.stopped && !self.is_certain() {
            self.walk();
            if !self.visits.stopped && self.walks() >= published + WALKS_TO_PUBLISH {
                published = self.publish(published, tallies);
            }
        }
        self.visits.publish();
        if self.last_ranking.is_some() {
            return;
        }
        self.publish(published, tallies);
        if self.is_certain() {
            self.visits.team().end();
        }
    }

    /// Publishes the root statistics; returns the number of walks that they cover.
    fn publish(&self, published: u64, tallies: &Mutex<Vec<Tally>>) -> u64 {
        let walks = self.walks();
        *tallies.lock().unwrap_or_else(PoisonError::into_inner) = self.tallies();
        self.visits.team().add_walks(walks - published);
        walks
    }
}

/// Current statistics of a root move.
#[derive(Clone, Debug)]
struct RootMove<M> {
    mv: M,
    visits: u64,
    value: Value,
    /// Preference of the root's mover by value alone, without visits.
    preference: i32,
    /// Most visited line from the move on; empty while the tree has it.
    line: Vec<M>,
}

/// Visits and values of a root move.
#[derive(Clone, Debug, Default)]
struct Tally {
    visits: u64,
    sums: Sums,
    mate: i16,
}

impl Tally {
    fn of(arena: &Arena, index: NodeIndex) -> Tally {
        let node = arena.node(index);
        Tally { visits: node.visits, sums: node.sums, mate: arena.mate(index) }
    }

    /// Adds the statistics of another thread.
    fn add(&mut self, other: &Tally) {
        self.visits += other.visits;
        for (sum, other) in self.sums.iter_mut().zip(other.sums) {
            *sum += other;
        }
        // A proof by either thread is certain, and the shorter one is as good as the longer.
        self.mate = match (self.mate, other.mate) {
            (0, mate) | (mate, 0) => mate,
            (one, other) if one.abs() < other.abs() => one,
            (_, other) => other,
        };
    }
}

impl<G: Evaluate> TreeSearch<'_, G> {
    /// Considered moves, best first.
    fn ranking(&self) -> Vec<RootMove<G::Move>> {
        if let Some(ranking) = &self.last_ranking {
            return ranking.clone();
        }
        let edges = self.arena.edges(self.arena.root()).iter();
        let mut ranking: Vec<RootMove<G::Move>> = self
            .root
            .position
            .legal_moves()
            .zip(edges.zip(self.tallies_of_team()))
            .filter(|(_, (edge, _))| edge.prior >= 0.0)
            .map(|(mv, (edge, tally))| {
                let value = self.value_of(mv, &tally);
                let counted = match tally.visits {
                    0 => edge.value,
                    visits => (tally.sums[self.root.goal.seat.index()] / visits as f64) as f32,
                };
                RootMove {
                    mv,
                    visits: tally.visits,
                    value,
                    preference: self.root.goal.preference(&value.leads, counted),
                    line: Vec::new(),
                }
            })
            .collect();
        ranking.sort_by_key(|candidate| {
            let mate = candidate.value.mate;
            let certainty = (mate.signum(), -mate);
            std::cmp::Reverse((certainty, candidate.visits, candidate.preference))
        });
        ranking
    }

    /// `true` if, at the current speed, no other move can catch up with the visits of the best move in the time left
    /// for starting iterations. Then the time is better saved for later moves.
    fn is_settled(&self, control: &Control) -> bool {
        let Some(left) = control.time_to_begin() else {
            return false;
        };
        let ranking = self.ranking();
        let [best, others @ ..] = ranking.as_slice() else {
            return false;
        };
        let next = others.iter().map(|other| other.visits).max();
        // Includes reused walks of earlier searches, so the speed is never underestimated.
        let walks: u64 = ranking.iter().map(|mv| mv.visits).sum();
        let pace = walks as f64 / control.elapsed().as_secs_f64();
        best.visits as f64 - next.unwrap_or(0) as f64 > pace * left.as_secs_f64()
    }

    /// Value of a root move to all seats.
    fn value_of(&self, mv: G::Move, tally: &Tally) -> Value {
        let next = self.root.position.play_unchecked(mv);
        let is_home = next.place(self.root.goal.seat) == Some(self.root.goal.best_open_place);
        let leads = match tally.visits {
            0 => static_leads(self.evaluator, &next),
            visits => self.root.goal.leads(&tally.sums, visits, &next),
        };
        let mate = if is_home { 1 } else { i32::from(tally.mate) };
        Value { leads, mate, seats: self.root.goal.seats }
    }

    /// This thread's statistics of each root move.
    fn tallies(&self) -> Vec<Tally> {
        let edges = self.arena.edges(self.arena.root()).iter();
        let tally = |edge: &Edge| match edge.child {
            UNVISITED => Tally::default(),
            child => Tally::of(self.arena, child),
        };
        edges.map(tally).collect()
    }

    /// Statistics of each root move over all threads, as last published by the others.
    fn tallies_of_team(&self) -> Vec<Tally> {
        let mut tallies = self.tallies();
        for other in self.others {
            let other = other.lock().unwrap_or_else(PoisonError::into_inner);
            for (tally, other) in tallies.iter_mut().zip(other.iter()) {
                tally.add(other);
            }
        }
        tallies
    }

    /// Ranking with its lines, which is valid without the tree.
    fn ranking_with_lines(&self) -> Vec<RootMove<G::Move>> {
        let mut ranking = self.ranking();
        for candidate in &mut ranking {
            candidate.line = self.line(candidate);
        }
        ranking
    }

    /// Most visited line from a root move on.
    fn line(&self, root_move: &RootMove<G::Move>) -> Vec<G::Move> {
        if !root_move.line.is_empty() {
            return root_move.line.clone();
        }
        let first = root_move.mv;
        let mut line = vec![first];
        let legal = self.root.position.legal_moves();
        let mut edges = legal.zip(self.arena.edges(self.arena.root()));
        let Some((_, edge)) = edges.find(|(mv, _)| *mv == first) else {
            return line;
        };
        let mut position = self.root.position.play_unchecked(first);
        let mut node = edge.child;
        while node != UNVISITED && line.len() < MAX_DEPTH as usize {
            let Turn::Seat(_) = position.turn() else {
                break;
            };
            let edges = position.legal_moves().zip(self.arena.edges(node));
            let visited = edges.filter(|(_, edge)| edge.child != UNVISITED);
            // `min_by_key` returns the first of several most visited moves.
            let rarely = |edge: &Edge| std::cmp::Reverse(self.arena.visits(edge));
            let Some((mv, edge)) = visited.min_by_key(|(_, edge)| rarely(edge)) else {
                break;
            };
            line.push(mv);
            position = position.play_unchecked(mv);
            node = edge.child;
        }
        line
    }

    fn report(
        &self,
        ranking: &[RootMove<G::Move>],
        depth: u32,
        multipv: usize,
        observe: &mut dyn FnMut(Report),
    ) {
        for (index, best) in ranking.iter().take(multipv.max(1)).enumerate() {
            let line = self.line(best);
            observe(Report {
                depth,
                seldepth: self.visits.seldepth as u32,
                multipv: index + 1,
                value: best.value,
                worth: Vec::new(),
                nodes: self.visits.nodes_of_team(),
                hashfull: self.arena.fill_permille(),
                pv: line.iter().map(G::Move::to_string).collect(),
            });
        }
    }

    fn answer(&self, ranking: &[RootMove<G::Move>]) -> Answer {
        let best = &ranking[0];
        Answer::of_line(
            &self.root.position,
            &self.line(best),
            best.value,
            self.visits.nodes_of_team(),
        )
    }
}
