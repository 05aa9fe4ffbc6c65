//! Counting the positions that a search visits, and looking at the reins now and then.

use super::Control;

/// Positions between two looks at the reins.
const POLL_INTERVAL: u64 = 512;

/// How far a search has come, and whether it is to go on.
pub struct Visits<'a> {
    control: &'a Control,
    limit: u64,
    next_poll: u64,
    /// Positions visited.
    pub nodes: u64,
    /// The deepest ply reached since it was set to 0.
    pub seldepth: usize,
    /// Whether the search was stopped: what it returns from then on means nothing.
    pub stopped: bool,
}

impl<'a> Visits<'a> {
    /// None yet, and `limit` at most.
    pub fn new(control: &'a Control, limit: u64) -> Visits<'a> {
        Visits {
            control,
            limit,
            next_poll: 1,
            nodes: 0,
            seldepth: 0,
            stopped: false,
        }
    }

    /// Counts a position at `ply`; whether to unwind.
    #[inline]
    pub fn visit(&mut self, ply: usize) -> bool {
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.nodes >= self.next_poll {
            self.next_poll = self.limit.min(self.nodes + POLL_INTERVAL);
            self.stopped |= self.nodes >= self.limit || self.control.should_stop();
        }
        self.stopped
    }

    /// Counts `count` positions at `ply` that were looked at together; whether to unwind, for one because they
    /// were too many.
    #[inline]
    pub fn visit_all(&mut self, count: usize, ply: usize) -> bool {
        let nodes = self.nodes + count as u64;
        if nodes > self.limit {
            self.stopped = true;
            return true;
        }
        self.nodes = nodes - 1;
        self.visit(ply)
    }
}
