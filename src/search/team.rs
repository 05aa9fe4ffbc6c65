//! What the threads of one search share: the positions that they may visit yet, and whether to go on.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::Control;

/// Positions that a thread takes on at a time, before it looks at the reins again.
const PORTION: u64 = 512;

/// The threads that search one position together, one of which leads.
#[derive(Debug)]
pub struct Team<'a> {
    control: &'a Control,
    threads: u64,
    /// Positions to visit at most, all threads together.
    limit: u64,
    /// Positions that threads have taken on.
    claimed: AtomicU64,
    /// Positions that threads have said they visited.
    visited: AtomicU64,
    /// The depth that the leader searches.
    depth: AtomicU32,
    /// Walks from the root that the others have made, where the search is one of walks.
    walks: AtomicU64,
    /// Whether there is nothing left to do.
    is_over: AtomicBool,
}

impl<'a> Team<'a> {
    /// So many threads, which visit `limit` positions at most.
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

    /// Takes on positions, at least so many if they are left; 0 where none is. Near the limit they are few at a time,
    /// so that every thread gets some.
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
        self.claimed
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim)
            .map_or(0, portion_of)
    }

    /// Counts positions that were visited.
    pub fn add_visited(&self, positions: u64) {
        self.visited.fetch_add(positions, Ordering::Relaxed);
    }

    /// Positions visited, as far as the threads have said.
    pub fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    /// Says which depth the leader searches.
    pub fn begin_depth(&self, depth: u32) {
        self.depth.store(depth, Ordering::Relaxed);
    }

    /// The depth that the leader searches.
    pub fn depth(&self) -> u32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Counts walks of a thread that does not lead.
    pub fn add_walks(&self, walks: u64) {
        self.walks.fetch_add(walks, Ordering::Relaxed);
    }

    /// Walks of the threads that do not lead.
    pub fn walks(&self) -> u64 {
        self.walks.load(Ordering::Relaxed)
    }

    /// Has all threads stop: the leader has its answer, or one has found what is certain.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether the threads have to stop.
    pub fn should_stop(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.control.should_stop()
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
                threads
                    .into_iter()
                    .map(|thread| thread.join().unwrap())
                    .sum()
            });
            assert_eq!(claimed, limit);
        }
    }
}
