//! Tree search for three seats and more: walks from the root to a new position, each of which adds one.
//!
//! A walk takes at each node the move with the largest sum of what it was worth to its mover so far and a bonus for
//! moves that promise much and were visited little; and of the cards the one that is most behind its chance, so that a
//! search of a position is always the same. A new node looks one ply ahead by the evaluation: that gives its value
//! to all seats, which is added to all nodes on the way, and how promising its moves are. What a node is worth is the
//! mean over its walks, of vectors: each mover seeks its own share, as in max^n.
//!
//! Source: D. Silver et al., "Mastering the game of Go without human knowledge" (2017), for the choice of moves (PUCT);
//! N. Sturtevant, "An analysis of UCT in multi-player games" (2008), for vectors.

mod arena;
mod goal;

pub use arena::Arena;

use arena::{Edge, NodeIndex, ROOT};
use goal::{Goal, Shares};

use super::progress::with_progress;
use super::visits::Visits;
use super::{Answer, Control, MAX_DEPTH, Memory, Report, Request, Value};
use crate::eval::{Evaluate, Judge, static_leads};
use crate::rules::{Game, MAX_MOVES, MAX_SEATS, Seat, Turn};

/// A move that is worth so much less than another is at first sight e times less promising; in shares of rivals.
const TEMPERATURE: f32 = 0.1;

/// The weight of the bonus for promising moves.
const EXPLORATION: f32 = 0.2;

/// As many visits what a move is worth at first sight counts for.
const FIRST_SIGHT: f32 = 1.0;

/// Walks in iteration n: this many, doubled n times.
const FIRST_WALKS: u64 = 8;

/// The longest walk, in nodes.
const LONGEST_WALK: usize = 256;

/// Searches a position of any number of seats; see [`search`](super::search).
pub fn search<G: Evaluate>(
    position: &G,
    request: &Request,
    memory: &mut Memory,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let Turn::Seat(mover) = position.turn() else {
        return None;
    };
    let legal = position.legal_moves();
    let asked: Vec<G::Move> = legal.filter(|mv| request.asks_for(*mv)).collect();
    let moves = with_progress(position, mover, asked, &request.past);
    if moves.is_empty() {
        return None;
    }
    let evaluator = request.judge(position, &memory.evaluators);
    memory.arena.clear();
    let best_open_place = best_open_place(position);
    let mut search = Search {
        root: position,
        mover,
        moves,
        evaluator: &evaluator,
        arena: &mut memory.arena,
        visits: Visits::new(control, request.nodes),
        best_open_place,
        goal: Goal::new(position, mover, request.aim, best_open_place),
        path: Vec::with_capacity(LONGEST_WALK),
        least_kept: 1,
    };
    search.plant();
    search.deepen(request, control, observe);
    Some(search.answer())
}

fn best_open_place<G: Game>(position: &G) -> usize {
    let seats = (0..position.seats() as u8).map(Seat);
    1 + seats.filter(|&seat| position.place(seat).is_some()).count()
}

struct Search<'a, G: Evaluate> {
    root: &'a G,
    mover: Seat,
    /// The moves that are considered, ascending.
    moves: Vec<G::Move>,
    evaluator: &'a Judge<G>,
    arena: &'a mut Arena,
    visits: Visits<'a>,
    best_open_place: usize,
    goal: Goal,
    /// The nodes of a walk, each with the seat that moves there if one does.
    path: Vec<(NodeIndex, Option<Seat>)>,
    /// When the room is used up, nodes with fewer visits go.
    least_kept: u32,
}

/// A root move as it stands.
struct RootMove<M> {
    mv: M,
    visits: u32,
    value: Value,
    /// How much it is wanted by what it is worth alone.
    wish: i32,
}

impl<G: Evaluate> Search<'_, G> {
    /// Makes the root, with the moves that are considered.
    fn plant(&mut self) {
        let (root, _) = self.decision(self.root, self.mover);
        let legal = self.root.legal_moves();
        let mut whole = 0.0;
        for (edge, mv) in self.arena.edges_mut(root).iter_mut().zip(legal) {
            if self.moves.contains(&mv) {
                whole += edge.prior;
            } else {
                edge.prior = -1.0;
            }
        }
        for edge in self.arena.edges_mut(root) {
            edge.prior /= if edge.prior > 0.0 { whole } else { 1.0 };
        }
    }

    fn deepen(&mut self, request: &Request, control: &Control, observe: &mut dyn FnMut(Report)) {
        // Where nothing is to be chosen, time is better kept.
        let only_move = self.moves.len() == 1 && control.is_timed();
        let deepest = if only_move {
            1
        } else {
            request.depth.min(MAX_DEPTH)
        };
        for depth in 1..=deepest {
            let walks = FIRST_WALKS.checked_shl(depth).unwrap_or(u64::MAX);
            while u64::from(self.arena.node(ROOT).visits) < walks && !self.visits.stopped {
                self.walk();
            }
            self.report(depth, request.multipv, observe);
            if self.visits.stopped || !control.may_deepen() || self.arena.node(ROOT).mate != 0 {
                break;
            }
        }
    }

    /// Goes from the root to a position that is new or the end, and adds what it is worth on the way back.
    fn walk(&mut self) {
        self.path.clear();
        let mut position = *self.root;
        let mut node = ROOT;
        let value = loop {
            let turn = position.turn();
            let mover = match turn {
                Turn::Seat(mover) => Some(mover),
                _ => None,
            };
            self.path.push((node, mover));
            let index = match turn {
                Turn::Over => {
                    // A walk that ends again where another did is a visit too.
                    if self.visits.visit_all(1, self.path.len() - 1) {
                        return;
                    }
                    break self.goal.at_the_end(&position);
                }
                Turn::Card(_) => {
                    let index = self.card_most_behind(node);
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
            if child != ROOT && self.path.len() < LONGEST_WALK {
                node = child;
                continue;
            }
            let Some((child, value)) = self.expand(&position) else {
                return;
            };
            self.arena.edges_mut(node)[index].child = child;
            let mover = match position.turn() {
                Turn::Seat(mover) => Some(mover),
                _ => None,
            };
            self.path.push((child, mover));
            break value;
        };
        for &(node, _) in &self.path {
            let node = self.arena.node_mut(node);
            node.visits += 1;
            for (sum, share) in node.sums.iter_mut().zip(value) {
                *sum += share;
            }
        }
        if position.turn() == Turn::Over {
            self.spread_certainty(&position);
        }
    }

    /// Adds the node of a position; `None` once the search is to end, or when room had to be made first.
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
            self.least_kept *= 2;
            self.arena.keep(ROOT, self.least_kept);
            return None;
        }
        Some(match position.turn() {
            Turn::Over => (
                self.arena.add(std::iter::empty()),
                self.goal.at_the_end(position),
            ),
            Turn::Card(_) => {
                let whole: u32 = position.outcomes().map(|(_, weight)| weight).sum();
                let edges = position.outcomes().map(|(_, weight)| Edge {
                    child: ROOT,
                    prior: weight as f32 / whole as f32,
                    value: 0.0,
                });
                (self.arena.add(edges), self.at_first_sight(position))
            }
            Turn::Seat(mover) => self.decision(position, mover),
        })
    }

    /// Adds a node in which a seat moves; its value is that of the move that is best at first sight.
    fn decision(&mut self, position: &G, mover: Seat) -> (NodeIndex, Shares) {
        let mut values = [0.0; MAX_MOVES];
        let mut best = f32::NEG_INFINITY;
        let mut best_shares = [0.0; MAX_SEATS];
        let mut len = 0;
        for mv in position.legal_moves() {
            let shares = self.at_first_sight(&position.play_unchecked(mv));
            let value = shares[mover.index()];
            if value > best {
                best = value;
                best_shares = shares;
            }
            values[len] = value;
            len += 1;
        }
        let mut promises = values;
        let mut whole = 0.0;
        for promise in &mut promises[..len] {
            *promise = exp((*promise - best) / TEMPERATURE);
            whole += *promise;
        }
        let edges = promises[..len]
            .iter()
            .zip(&values)
            .map(|(promise, &value)| Edge {
                child: ROOT,
                prior: promise / whole,
                value,
            });
        (self.arena.add(edges), best_shares)
    }

    #[inline]
    fn at_first_sight(&self, position: &G) -> Shares {
        self.goal.at_first_sight(self.evaluator, position)
    }

    /// The edge that a walk takes where a seat moves.
    #[inline]
    fn best_edge(&self, node: NodeIndex, mover: Seat) -> usize {
        let bonus = EXPLORATION * (self.arena.node(node).visits as f32).sqrt();
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
            let worth = (FIRST_SIGHT * edge.value + sum) / (FIRST_SIGHT + visits);
            let sum = worth + bonus * edge.prior / (1.0 + visits);
            if sum > best_sum {
                best_sum = sum;
                best = index;
            }
        }
        best
    }

    /// The edge that a walk takes where a card is drawn: the visits of each come to be in proportion to its chance.
    fn card_most_behind(&self, node: NodeIndex) -> usize {
        let visits = self.arena.node(node).visits as f32;
        let mut best = 0;
        let mut most_behind = f32::NEG_INFINITY;
        for (index, edge) in self.arena.edges(node).iter().enumerate() {
            let behind = edge.prior * (visits + 1.0) - self.arena.visits(edge) as f32;
            if behind > most_behind {
                most_behind = behind;
                best = index;
            }
        }
        best
    }

    /// Tells the nodes of a walk that ended the game whether the place of the root's mover is certain now.
    fn spread_certainty(&mut self, end: &G) {
        let mut mate = match end.place(self.mover) {
            // The sign says which place; the number counts from the node on.
            Some(place) if place == self.best_open_place => 1,
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
            self.arena.node_mut(node).mate = mate;
        }
    }

    /// The certainty of a node from those of its children, counted from 1 at the end.
    fn certainty(&self, node: NodeIndex, mover: Option<Seat>) -> i16 {
        let edges = self
            .arena
            .edges(node)
            .iter()
            .filter(|edge| edge.prior >= 0.0);
        let mates = edges.map(|edge| match edge.child {
            ROOT => 0,
            child => self.arena.node(child).mate,
        });
        let slowest = mates.clone().max_by_key(|mate| mate.abs()).unwrap_or(0);
        if mover == Some(self.mover) {
            return match mates.clone().filter(|&mate| mate > 0).min() {
                Some(fastest) => fastest + 1,
                None if mates.clone().all(|mate| mate < 0) => slowest - 1,
                None => 0,
            };
        }
        let all_good = mates.clone().all(|mate| mate > 0);
        let all_bad = mates.clone().all(|mate| mate < 0);
        if all_good || all_bad { slowest } else { 0 }
    }

    /// The moves that are considered, the best first.
    fn ranking(&self) -> Vec<RootMove<G::Move>> {
        let mut ranking: Vec<RootMove<G::Move>> = self
            .root
            .legal_moves()
            .zip(self.arena.edges(ROOT))
            .filter(|(_, edge)| edge.prior >= 0.0)
            .map(|(mv, edge)| {
                let value = self.value_of(mv, edge);
                RootMove {
                    mv,
                    visits: self.arena.visits(edge),
                    value,
                    wish: self.goal.wish(&value.leads, self.mean_of(edge)),
                }
            })
            .collect();
        ranking.sort_by_key(|candidate| {
            let certainty = candidate.value.mate.signum();
            let soon = if certainty == 0 {
                0
            } else {
                -candidate.value.mate
            };
            std::cmp::Reverse((certainty, soon, candidate.visits, candidate.wish))
        });
        ranking
    }

    /// What is counted for the mover of a root move, the mean over its walks.
    fn mean_of(&self, edge: &Edge) -> f32 {
        if edge.child == ROOT {
            return edge.value;
        }
        let node = self.arena.node(edge.child);
        node.sums[self.mover.index()] / node.visits.max(1) as f32
    }

    /// What a root move is worth to all.
    fn value_of(&self, mv: G::Move, edge: &Edge) -> Value {
        let next = self.root.play_unchecked(mv);
        let is_home = next.place(self.mover) == Some(self.best_open_place);
        if edge.child == ROOT {
            return Value {
                leads: static_leads(self.evaluator, &next),
                mate: i32::from(is_home),
            };
        }
        let node = self.arena.node(edge.child);
        let mate = if is_home { 1 } else { i32::from(node.mate) };
        Value {
            leads: self.goal.leads(&node.sums, node.visits),
            mate,
        }
    }

    /// The line that most walks took, from a root move on.
    fn line(&self, first: G::Move) -> Vec<G::Move> {
        let mut line = vec![first];
        let legal = self.root.legal_moves();
        let mut edges = legal.zip(self.arena.edges(ROOT));
        let Some((_, edge)) = edges.find(|(mv, _)| *mv == first) else {
            return line;
        };
        let mut position = self.root.play_unchecked(first);
        let mut node = edge.child;
        while node != ROOT && line.len() < MAX_DEPTH as usize {
            let Turn::Seat(_) = position.turn() else {
                break;
            };
            let edges = position.legal_moves().zip(self.arena.edges(node));
            let visited = edges.filter(|(_, edge)| edge.child != ROOT);
            // Of several with the most visits the first.
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

    fn report(&self, depth: u32, multipv: usize, observe: &mut dyn FnMut(Report)) {
        let ranking = self.ranking();
        for (index, best) in ranking.iter().take(multipv.max(1)).enumerate() {
            let line = self.line(best.mv);
            observe(Report {
                depth,
                seldepth: self.visits.seldepth as u32,
                multipv: index + 1,
                value: best.value,
                worth: Vec::new(),
                nodes: self.visits.nodes,
                hashfull: self.arena.fill_permille(),
                pv: line.iter().map(G::Move::to_string).collect(),
            });
        }
    }

    fn answer(&self) -> Answer {
        let ranking = self.ranking();
        let best = &ranking[0];
        Answer::of_line(
            self.root,
            &self.line(best.mv),
            best.value,
            self.visits.nodes,
        )
    }
}

/// e to the power of x, which is at most 0, by squaring a root of it; near enough for weights, and the same everywhere.
#[inline]
fn exp(x: f32) -> f32 {
    let mut power = (1.0 + x / 256.0).max(0.0);
    for _ in 0..8 {
        power *= power;
    }
    power
}
