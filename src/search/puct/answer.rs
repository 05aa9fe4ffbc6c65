//! Reports and the answer, from the root statistics of all threads.

use std::sync::PoisonError;

use super::TreeSearch;
use super::arena::{Arena, Edge, NodeIndex, UNVISITED};
use crate::eval::{Evaluate, static_leads};
use crate::rules::Turn;
use crate::search::goal::Sums;
use crate::search::{Answer, Control, MAX_DEPTH, Report, Value};

/// Current statistics of a root move.
#[derive(Clone, Debug)]
pub struct RootMove<M> {
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
pub struct Tally {
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
    pub fn ranking(&self) -> Vec<RootMove<G::Move>> {
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
    pub fn is_settled(&self, control: &Control) -> bool {
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
    pub fn tallies(&self) -> Vec<Tally> {
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
    pub fn ranking_with_lines(&self) -> Vec<RootMove<G::Move>> {
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

    pub fn report(
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

    pub fn answer(&self, ranking: &[RootMove<G::Move>]) -> Answer {
        let best = &ranking[0];
        Answer::of_line(
            &self.root.position,
            &self.line(best),
            best.value,
            self.visits.nodes_of_team(),
        )
    }
}
