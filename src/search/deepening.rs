//! Iterative deepening: searches the root moves deeper and deeper until a limit is reached.

use std::sync::Arc;
use std::thread;

use super::table::Table;
use super::tree::{Path, Side, Tree};
use super::visits::{Team, Visits};
use super::{Answer, Control, MAX_DEPTH, Memory, Report, Request};
use crate::eval::{Evaluate, Judge};

/// Searches a position by alpha-beta; see [`search`](super::search).
pub fn search<G: Evaluate>(
    position: &G,
    request: &Request,
    memory: &mut Memory,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let evaluator = request.judge(position, &memory.evaluators);
    memory.forget_unless_by(evaluator.evaluator(), evaluator.noise());
    let threads = memory.threads();
    let table = memory.use_table();
    let team = Arc::new(Team::new(control, request.nodes, threads));
    let root = || Root::new(position, request, &evaluator, table, control, &team);
    let mut leader = root()?;
    thread::scope(|scope| {
        // A single move needs no helpers.
        let helpers = if leader.moves.len() == 1 { 0 } else { threads - 1 };
        for (helper, root) in (0..helpers).zip(std::iter::repeat_with(root)) {
            let Some(mut root) = root else { break };
            // If the system cannot start a thread, there are fewer helpers.
            let _ = thread::Builder::new().spawn_scoped(scope, move || root.help(helper));
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
    tree: Tree<'a, G>,
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
        let tree = Tree::new(position, mover, request.aim, evaluator, table, visits);
        let mut root = Root { position, request, control, tree, moves: Vec::new() };
        root.moves = moves.into_iter().map(|mv| root.static_move(mv)).collect();
        root.moves.sort_by_key(|candidate| std::cmp::Reverse(candidate.lead));
        (!root.moves.is_empty()).then_some(root)
    }

    /// A root move with the static lead in the position after it.
    fn static_move(&self, mv: G::Move) -> RootMove<G::Move> {
        let next = self.position.play_unchecked(mv);
        let decided = self.tree.decided_lead(Side::Own, &next, FIRST_PLY.own_moves);
        RootMove {
            mv,
            lead: decided.unwrap_or_else(|| self.tree.static_lead(Side::Own, &next)),
            pv: vec![mv],
        }
    }

    fn deepen(&mut self, observe: &mut dyn FnMut(Report)) {
        for depth in 1..=self.request.deepest(self.moves.len(), self.control) {
            self.tree.visits.team().begin_depth(depth);
            self.tree.reached_horizon = false;
            self.tree.visits.seldepth = 0;
            let had = self.moves[0].clone();
            self.iterate(depth);
            // A stopped iteration is reported only if it changes the answer.
            if !self.tree.visits.stopped || self.moves[0] != had {
                self.report(depth, observe);
            }
            if !self.tree.reached_horizon || !self.control.may_deepen() || self.tree.visits.stopped
            {
                break;
            }
        }
    }

    /// Fills the table for the leader: every second helper searches one ply deeper, and each tries the root moves after
    /// the best one in a different order.
    ///
    /// Source: the chess program Stockfish, "lazy SMP".
    fn help(&mut self, helper: usize) {
        let deeper = 1 - helper as u32 % 2;
        let mut depth = 0;
        loop {
            depth = (depth + 1).max(self.tree.visits.team().depth() + deeper);
            if depth > self.request.depth.min(MAX_DEPTH) {
                break;
            }
            self.tree.reached_horizon = false;
            let behind = &mut self.moves[1..];
            behind.rotate_left(helper % behind.len());
            self.iterate(depth);
            if !self.tree.reached_horizon || self.tree.visits.stopped {
                break;
            }
        }
        self.tree.visits.publish();
    }

    /// Searches the root moves to a depth and puts the best first. If the iteration is stopped, the moves searched in
    /// full still count, since the best move of the last iteration was searched first.
    fn iterate(&mut self, depth: u32) {
        let wanted = self.request.multipv.max(1);
        let mut best: Vec<RootMove<G::Move>> = Vec::with_capacity(self.moves.len());
        let mut rest: Vec<RootMove<G::Move>> = Vec::with_capacity(self.moves.len());
        for index in 0..self.moves.len() {
            let mut candidate = self.moves[index].clone();
            let floor = (best.len() >= wanted).then(|| best[wanted - 1].lead);
            let lead = self.search_move(candidate.mv, depth, floor);
            if self.tree.visits.stopped {
                rest.extend_from_slice(&self.moves[index..]);
                break;
            }
            if floor.is_some_and(|floor| lead <= floor) {
                rest.push(candidate);
                continue;
            }
            candidate.lead = lead;
            candidate.pv.truncate(1);
            candidate.pv.extend_from_slice(self.tree.pv.line(1));
            let slot = best.partition_point(|other| other.lead >= lead);
            best.insert(slot, candidate);
            if best.len() > wanted {
                rest.extend(best.drain(wanted..));
            }
        }
        best.extend(rest);
        self.moves = best;
    }

    /// Lead after a root move; only an upper bound if it is no better than `floor`.
    fn search_move(&mut self, mv: G::Move, depth: u32, floor: Option<i32>) -> i32 {
        let next = self.position.play_unchecked(mv);
        let tree = &mut self.tree;
        if let Some(floor) = floor {
            let bound = tree.bound_after(Side::Own, &next, depth - 1, FIRST_PLY, floor, None);
            if bound <= floor {
                return bound;
            }
        }
        tree.lead_after(Side::Own, &next, depth - 1, FIRST_PLY)
    }

    fn report(&self, depth: u32, observe: &mut dyn FnMut(Report)) {
        let wanted = self.request.multipv.clamp(1, self.moves.len());
        for (index, best) in self.moves[..wanted].iter().enumerate() {
            observe(Report {
                depth,
                seldepth: self.tree.visits.seldepth as u32,
                multipv: index + 1,
                value: self.tree.value(self.position, &best.pv, best.lead),
                worth: Vec::new(),
                nodes: self.tree.visits.nodes_of_team(),
                hashfull: self.tree.table.fill_permille(),
                pv: best.pv.iter().map(G::Move::to_string).collect(),
            });
        }
    }

    fn answer(&self) -> Answer {
        let best = &self.moves[0];
        let nodes = self.tree.visits.nodes_of_team();
        let value = self.tree.value(self.position, &best.pv, best.lead);
        Answer::of_line(self.position, &best.pv, value, nodes)
    }
}
