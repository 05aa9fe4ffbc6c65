//! Counts the positions that a thread visits, and polls the stop flag.

use std::sync::Arc;

use super::Control;
use super::team::Team;

/// Number of positions between two polls of the stop flag.
const POLL_INTERVAL: u64 = 512;

/// Progress of one search thread, and whether it must stop.
pub struct Visits<'a> {
    team: Arc<Team<'a>>,
    /// Number of positions claimed from the team.
    granted: u64,
    /// Number of visited positions reported to the team.
    told: u64,
    next_poll: u64,
    /// Positions visited.
    pub nodes: u64,
    /// Deepest ply reached since it was set to 0.
    pub seldepth: usize,
    /// `true` if the search was stopped: its results from then on are meaningless.
    pub stopped: bool,
}

impl<'a> Visits<'a> {
    /// Creates the counter of a single-threaded search of at most `limit` positions.
    pub fn new(control: &'a Control, limit: u64) -> Visits<'a> {
        Visits::of(Arc::new(Team::new(control, limit, 1)))
    }

    /// Creates the counter of one thread of a team.
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

    /// Team of this thread.
    pub fn team(&self) -> &Team<'a> {
        &self.team
    }

    /// Positions visited by all threads, as last reported.
    pub fn nodes_of_team(&self) -> u64 {
        self.team.visited() + self.nodes - self.told
    }

    /// Reports all visited positions to the team.
    pub fn tell(&mut self) {
        self.team.add_visited(self.nodes - self.told);
        self.told = self.nodes;
    }

    /// Counts a position at `ply`; returns whether to unwind.
    #[inline]
    pub fn visit(&mut self, ply: usize) -> bool {
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.nodes >= self.next_poll {
            self.poll();
        }
        self.stopped
    }

    /// Counts `count` positions at `ply` that are evaluated together. Returns whether to unwind, for example because
    /// they exceed the limit.
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
        // A position that was not claimed does not count as visited.
        self.nodes = self.nodes.min(self.granted);
        self.stopped |= is_used_up || self.team.should_stop();
        self.next_poll = self.granted.min(self.nodes + POLL_INTERVAL);
        self.tell();
    }
}
