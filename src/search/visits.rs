//! Counting the positions that a thread visits, and looking at the reins now and then.

use std::sync::Arc;

use super::Control;
use super::team::Team;

/// Positions between two looks at the reins.
const POLL_INTERVAL: u64 = 512;

/// How far a thread of a search has come, and whether it is to go on.
pub struct Visits<'a> {
    team: Arc<Team<'a>>,
    /// As many of the team's positions are this thread's to visit.
    granted: u64,
    /// As many of those visited the team knows of.
    told: u64,
    next_poll: u64,
    /// Positions visited.
    pub nodes: u64,
    /// The deepest ply reached since it was set to 0.
    pub seldepth: usize,
    /// Whether the search was stopped: what it returns from then on means nothing.
    pub stopped: bool,
}

impl<'a> Visits<'a> {
    /// None yet, and `limit` at most, by a thread that searches alone.
    pub fn new(control: &'a Control, limit: u64) -> Visits<'a> {
        Visits::of(Arc::new(Team::new(control, limit, 1)))
    }

    /// None yet, by a thread of a team.
    pub fn of(team: Arc<Team<'a>>) -> Visits<'a> {
        Visits {
            team,
            granted: 0,
            told: 0,
            next_poll: 1,
            nodes: 0,
            seldepth: 0,
            stopped: false,
        }
    }

    /// The threads among which this one is.
    pub fn team(&self) -> &Team<'a> {
        &self.team
    }

    /// Positions visited by all threads, as far as they have said.
    pub fn nodes_of_team(&self) -> u64 {
        self.team.visited() + self.nodes - self.told
    }

    /// Tells the team of all positions visited.
    pub fn tell(&mut self) {
        self.team.add_visited(self.nodes - self.told);
        self.told = self.nodes;
    }

    /// Counts a position at `ply`; whether to unwind.
    #[inline]
    pub fn visit(&mut self, ply: usize) -> bool {
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.nodes >= self.next_poll {
            self.poll();
        }
        self.stopped
    }

    /// Counts `count` positions at `ply` that were looked at together; whether to unwind, for one because they
    /// were too many.
    #[inline]
    pub fn visit_all(&mut self, count: usize, ply: usize) -> bool {
        let nodes = self.nodes + count as u64;
        if nodes > self.granted {
            self.granted += self.team.claim(nodes - self.granted);
            if nodes > self.granted {
                self.stopped = true;
                return true;
            }
        }
        self.nodes = nodes - 1;
        self.visit(ply)
    }

    #[cold]
    fn poll(&mut self) {
        if self.nodes >= self.granted {
            self.granted += self.team.claim(1);
        }
        let is_used_up = self.nodes >= self.granted;
        // A position that was not granted was not visited.
        self.nodes = self.nodes.min(self.granted);
        self.stopped |= is_used_up || self.team.should_stop();
        self.next_poll = self.granted.min(self.nodes + POLL_INTERVAL);
        self.tell();
    }
}
