//! Counts the positions that the threads of a search visit, and polls the stop flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::Control;

/// Number of positions between two polls of the stop flag.
const POLL_INTERVAL: u64 = 512;

/// Progress of one search thread, and whether it must stop.
pub struct Visits<'a> {
    team: Arc<Team<'a>>,
    /// Number of positions claimed from the team.
    claimed: u64,
    /// Number of visited positions reported to the team.
    published: u64,
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
            claimed: 0,
            published: 0,
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
        self.team.visited.load(Ordering::Relaxed) + self.nodes - self.published
    }

    /// Reports all visited positions to the team.
    pub fn publish(&mut self) {
        let new = self.nodes - self.published;
        self.team.visited.fetch_add(new, Ordering::Relaxed);
        self.published = self.nodes;
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
        if nodes > self.claimed {
            self.claimed += self.team.claim(nodes - self.claimed);
            if nodes > self.claimed {
                self.stopped = true;
                return true;
            }
        }
        self.nodes = nodes - 1;
        self.visit(ply)
    }

    #[cold]
    fn poll(&mut self) {
        if self.nodes >= self.claimed {
            self.claimed += self.team.claim(1);
        }
        let is_used_up = self.nodes >= self.claimed;
        // A position that was not claimed does not count as visited.
        self.nodes = self.nodes.min(self.claimed);
        self.stopped |= is_used_up || self.team.should_stop();
        self.next_poll = self.claimed.min(self.nodes + POLL_INTERVAL);
        self.publish();
    }
}

/// Number of positions that a thread claims before it checks the stop flag again.
const PORTION: u64 = 512;

/// Threads that search one position together, led by one of them.
#[derive(Debug)]
pub struct Team<'a> {
    control: &'a Control,
    threads: u64,
    /// Largest number of positions to visit, over all threads.
    limit: u64,
    /// Positions claimed by threads.
    claimed: AtomicU64,
    /// Visited positions, as reported by the threads.
    visited: AtomicU64,
    /// Current depth of the leader.
    depth: AtomicU32,
    /// Walks made by the helpers, in a tree search.
    walks: AtomicU64,
    /// `true` if the search is over.
    is_over: AtomicBool,
}

impl<'a> Team<'a> {
    /// Creates a team of `threads` threads that visit at most `limit` positions.
    pub fn new(control: &'a Control, limit: u64, threads: usize) -> Team<'a> {
        Team {
            control,
            threads: threads as u64,
            limit,
            claimed: AtomicU64::new(0),
            visited: AtomicU64::new(0),
            depth: AtomicU32::new(0),
            walks: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// Claims positions: at least `at_least` if that many are left, 0 if none is. Near the limit a claim is small, so
    /// that every thread gets some.
    pub fn claim(&self, at_least: u64) -> u64 {
        let portion_of = |claimed: u64| {
            let left = self.limit - claimed;
            let portion = match self.threads {
                1 => PORTION,
                threads => (left / (2 * threads)).clamp(1, PORTION),
            };
            portion.max(at_least).min(left)
        };
        let claim = |claimed: u64| Some(claimed + portion_of(claimed));
        self.claimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim).map_or(0, portion_of)
    }

    /// Sets the current depth of the leader.
    pub fn begin_depth(&self, depth: u32) {
        self.depth.store(depth, Ordering::Relaxed);
    }

    /// Current depth of the leader.
    pub fn depth(&self) -> u32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Adds walks of a helper.
    pub fn add_walks(&self, walks: u64) {
        self.walks.fetch_add(walks, Ordering::Relaxed);
    }

    /// Walks of the helpers.
    pub fn walks(&self) -> u64 {
        self.walks.load(Ordering::Relaxed)
    }

    /// Stops all threads: the leader has its answer, or a thread has found a proof.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// `true` if the threads must stop.
    pub fn should_stop(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.is_out_of_time()
    }

    /// `true` if the caller or the clock demands an answer.
    pub fn is_out_of_time(&self) -> bool {
        self.control.should_stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_claimed_than_the_limit_however_many_claim() {
        for limit in [1, 7, 513, 100_000] {
            let control = Control::new(None);
            let team = Team::new(&control, limit, 4);
            let claimed: u64 = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4)
                    .map(|thread| {
                        let team = &team;
                        let claims = move || team.claim(1 + 3 * thread);
                        scope.spawn(move || {
                            std::iter::repeat_with(claims)
                                .take_while(|&claim| claim > 0)
                                .sum::<u64>()
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            assert_eq!(claimed, limit);
        }
    }
}
