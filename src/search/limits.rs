//! Limits of a search: the time budget of one move, the stop flag, and the count of positions visited by all threads.
//!
//! # Examples
//! A minute on the clock, and two more seconds after each move:
//! ```
//! use std::time::Duration;
//!
//! use buxtehude::search::{Control, Limits, MoverClock};
//!
//! let clock = MoverClock {
//!     left: Duration::from_secs(60),
//!     increment: Duration::from_secs(2),
//!     moves_to_go: None,
//!     turns_home: None,
//! };
//! let limits = Limits { clock: Some(clock), ..Limits::default() };
//! let budget = limits.time_budget(Duration::from_millis(1)).expect("a time limit");
//! assert!(budget.soft < Some(budget.hard) && budget.hard < Duration::from_secs(15));
//! assert!(Control::new(Some(budget)).is_timed());
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Request;

/// Limits of a search; all `None` for an unlimited one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Plies to search.
    pub depth: Option<u32>,
    /// Positions to visit, counted as static evaluations: a new node of the tree search costs one per move.
    pub nodes: Option<u64>,
    /// Time of this move.
    pub movetime: Option<Duration>,
    /// The mover's clock.
    pub clock: Option<MoverClock>,
}

/// The clock of the seat to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoverClock {
    /// Time left; zero after the flag has fallen.
    pub left: Duration,
    /// Increment per move.
    pub increment: Duration,
    /// Moves to the next time control, or `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
    /// Number of turns that the mover would need to its goal if it were alone, or `None` if unknown.
    pub turns_home: Option<u32>,
}

/// Time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBudget {
    /// No iteration starts after this time; `None` to use all of `hard`.
    pub soft: Option<Duration>,
    /// The search ends at this time, even within an iteration.
    pub hard: Duration,
}

/// Expected number of moves left in the game, if nothing better is known.
const EXPECTED_MOVES: u32 = 16;

/// Expected number of moves beyond `turns_home`.
const DETOURS: u32 = 3;

/// A single move may use at most one part in this many of the clock.
const MAX_CLOCK_PART: u32 = 4;

impl Limits {
    /// Limits a search to a time, in milliseconds, from 1.
    pub fn movetime(milliseconds: u64) -> Limits {
        Limits { movetime: Some(Duration::from_millis(milliseconds)), ..Limits::default() }
    }

    /// Limits a search to a number of positions, from 1.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Limits a search to a depth in plies, from 1.
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// Returns the time for this move, or `None` if time is no limit.
    ///
    /// `overhead` is reserved for communication between the client and the search. It takes at most a fifth of a
    /// movetime, so that at least 80 % are used.
    pub fn time_budget(&self, overhead: Duration) -> Option<TimeBudget> {
        let movetime = self
            .movetime
            .map(|movetime| TimeBudget { soft: None, hard: movetime - overhead.min(movetime / 5) });
        let clock = self.clock.map(|clock| clock.time_budget(overhead));
        match (movetime, clock) {
            (Some(movetime), Some(clock)) if movetime.hard < clock.hard => Some(movetime),
            (movetime, clock) => clock.or(movetime),
        }
    }
}

impl MoverClock {
    fn time_budget(&self, overhead: Duration) -> TimeBudget {
        let usable = self.left.saturating_sub(overhead);
        let expected =
            self.turns_home.map_or(EXPECTED_MOVES, |turns| turns.saturating_add(DETOURS));
        let moves = self.moves_to_go.unwrap_or(expected).clamp(1, expected);
        let target = usable / moves + self.increment * 3 / 4;
        let most = if moves == 1 { usable } else { usable / MAX_CLOCK_PART.min(moves) };
        let hard = (target * 2).min(most.max(self.increment * 3 / 4)).min(usable);
        // An iteration takes at least as long as all before it: one that starts late would not finish.
        TimeBudget { soft: Some((target * 2 / 3).min(hard)), hard }
    }
}

/// Stop flag and time budget of one search, shared with the caller.
#[derive(Clone, Debug)]
pub struct Control {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    start: Instant,
    stop: AtomicBool,
    /// Nanoseconds from `start` after which no iteration begins.
    soft: AtomicU64,
    /// Nanoseconds from `start` at which the search ends.
    hard: AtomicU64,
}

impl Control {
    /// Creates the control of a search that begins now.
    pub fn new(budget: Option<TimeBudget>) -> Control {
        let control = Control {
            shared: Arc::new(Shared {
                start: Instant::now(),
                stop: AtomicBool::new(false),
                soft: AtomicU64::new(u64::MAX),
                hard: AtomicU64::new(u64::MAX),
            }),
        };
        if let Some(budget) = budget {
            control.limit_from_now(budget);
        }
        control
    }

    /// Sets the stop flag.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Sets a time budget that begins now.
    pub fn limit_from_now(&self, budget: TimeBudget) {
        let nanos = |limit: Duration| (self.elapsed() + limit).as_nanos() as u64;
        let soft = budget.soft.map_or(u64::MAX, nanos);
        self.shared.soft.store(soft, Ordering::Relaxed);
        self.shared.hard.store(nanos(budget.hard), Ordering::Relaxed);
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.shared.start.elapsed()
    }

    /// Time at which the search must end, or `None` without a time limit.
    pub fn deadline(&self) -> Option<Instant> {
        match self.shared.hard.load(Ordering::Relaxed) {
            u64::MAX => None,
            nanos => Some(self.shared.start + Duration::from_nanos(nanos)),
        }
    }

    /// `true` if the search must end now.
    pub fn should_stop(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed) || self.is_after(&self.shared.hard)
    }

    /// `true` if another iteration may begin.
    pub fn may_deepen(&self) -> bool {
        !self.should_stop() && !self.is_after(&self.shared.soft)
    }

    /// Remaining time for starting an iteration; `None` if there is no time limit or the whole time may be used.
    pub fn time_to_begin(&self) -> Option<Duration> {
        match self.shared.soft.load(Ordering::Relaxed) {
            u64::MAX => None,
            nanos => Some(Duration::from_nanos(nanos).saturating_sub(self.elapsed())),
        }
    }

    /// `true` if there is a time limit.
    pub fn is_timed(&self) -> bool {
        self.shared.hard.load(Ordering::Relaxed) != u64::MAX
    }

    fn is_after(&self, limit: &AtomicU64) -> bool {
        let limit = limit.load(Ordering::Relaxed);
        limit != u64::MAX && self.elapsed().as_nanos() as u64 >= limit
    }
}

/// Number of positions between two polls of the stop flag.
const POSITIONS_PER_POLL: u64 = 512;

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
        self.next_poll = self.claimed.min(self.nodes + POSITIONS_PER_POLL);
        self.publish();
    }
}

/// Number of positions that a thread claims before it checks the stop flag again.
const PORTION: u64 = 512;

/// Slots for the comparisons that threads are at: many more than there are, so that two seldom meet in one.
const SLOTS: usize = 1024;

/// Threads that search one position together, led by one of them.
#[derive(Debug)]
pub struct Team<'a> {
    control: &'a Control,
    threads: u64,
    /// Positions that no thread has claimed yet.
    left: AtomicU64,
    /// Visited positions, as reported by the threads.
    visited: AtomicU64,
    /// Current depth of the leader.
    depth: AtomicU32,
    /// Walks made by the helpers, in a tree search.
    walks: AtomicU64,
    /// Keys of the comparisons that the threads of alpha-beta are at, each in the slot of its last bits; 0 for none.
    /// Empty without helpers.
    busy: Vec<AtomicU64>,
    /// `true` if the search is over.
    is_over: AtomicBool,
}

impl<'a> Team<'a> {
    /// Creates a team that visits at most the positions that the request and its strength allow.
    pub fn of(request: &Request, control: &'a Control, threads: usize) -> Team<'a> {
        Team::new(control, request.nodes.min(request.strength.nodes), threads)
    }

    /// Creates a team of `threads` threads that visit at most `limit` positions.
    pub fn new(control: &'a Control, limit: u64, threads: usize) -> Team<'a> {
        let slots = if threads > 1 { SLOTS } else { 0 };
        Team {
            control,
            threads: threads as u64,
            left: AtomicU64::new(limit),
            visited: AtomicU64::new(0),
            depth: AtomicU32::new(0),
            walks: AtomicU64::new(0),
            busy: (0..slots).map(|_| AtomicU64::new(0)).collect(),
            is_over: AtomicBool::new(false),
        }
    }

    /// Claims positions: at least `at_least` if that many are left, 0 if none is. Near the limit a claim is small, so
    /// that every thread gets some.
    pub fn claim(&self, at_least: u64) -> u64 {
        let portion_of = |left: u64| {
            let portion = match self.threads {
                1 => PORTION,
                threads => (left / (2 * threads)).clamp(1, PORTION),
            };
            portion.max(at_least).min(left)
        };
        let claim = |left: u64| Some(left - portion_of(left));
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim).map_or(0, portion_of)
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

    /// `true` if more than one thread searches.
    #[inline]
    pub fn has_helpers(&self) -> bool {
        self.threads > 1
    }

    /// Tells the other threads that this one begins a comparison. Only with helpers.
    pub fn begin(&self, key: u64) {
        self.slot(key).store(key, Ordering::Relaxed);
    }

    /// Tells the other threads that a comparison is over.
    pub fn finish(&self, key: u64) {
        self.slot(key).store(0, Ordering::Relaxed);
    }

    /// `true` if a thread is at a comparison. A slot holds one key only, so the answer is sometimes wrong; then a
    /// thread does work twice, or does it later.
    pub fn is_busy(&self, key: u64) -> bool {
        self.slot(key).load(Ordering::Relaxed) == key
    }

    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.busy[key as usize % SLOTS]
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

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn at_least_four_fifths_of_a_movetime_are_used() {
        for movetime in [1, 2, 5, 10, 20, 100, 5000] {
            for overhead in [0, 1, 5, 1000] {
                let limits = Limits { movetime: Some(ms(movetime)), ..Limits::default() };
                let hard = limits.time_budget(ms(overhead)).unwrap().hard;
                assert!(hard >= ms(movetime) * 4 / 5, "{movetime} {overhead}: {hard:?}");
                assert!(hard <= ms(movetime), "{movetime} {overhead}: {hard:?}");
            }
        }
    }

    #[test]
    fn a_clock_is_never_overdrawn() {
        for left in [0, 1, 10, 100, 10_000] {
            for increment in [0, 10, 1000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    let (left, increment) = (ms(left), ms(increment));
                    let clock = MoverClock {
                        left,
                        increment,
                        moves_to_go,
                        turns_home: Some(left.as_millis() as u32 % 7),
                    };
                    let budget = clock.time_budget(ms(1));
                    assert!(budget.hard <= left.saturating_sub(ms(1)), "{clock:?}: {budget:?}");
                    assert!(budget.soft.unwrap() <= budget.hard, "{clock:?}: {budget:?}");
                }
            }
        }
    }

    #[test]
    fn the_nearer_its_goal_a_seat_is_the_more_of_its_clock_it_may_use() {
        let hard = |turns_home| {
            let clock =
                MoverClock { left: ms(1000), increment: ms(0), moves_to_go: None, turns_home };
            clock.time_budget(ms(0)).hard
        };
        assert!(hard(Some(2)) > hard(Some(8)) && hard(Some(8)) > hard(Some(20)));
        assert_eq!(hard(None), hard(Some(EXPECTED_MOVES - DETOURS)));
    }

    #[test]
    fn the_shorter_of_movetime_and_clock_counts() {
        let clock =
            MoverClock { left: ms(1000), increment: ms(0), moves_to_go: None, turns_home: None };
        let both = |movetime| {
            let limits =
                Limits { movetime: Some(ms(movetime)), clock: Some(clock), ..Limits::default() };
            limits.time_budget(ms(0)).unwrap().hard
        };
        assert_eq!(both(5), ms(5));
        assert!(both(900) < ms(300));
    }

    #[test]
    fn only_a_clock_has_time_to_spare() {
        let hard = Duration::from_secs(1000);
        let budget = |soft| Some(TimeBudget { soft, hard });
        assert_eq!(Control::new(None).time_to_begin(), None);
        assert_eq!(Control::new(budget(None)).time_to_begin(), None);
        let clocked = Control::new(budget(Some(hard / 2)));
        let left = clocked.time_to_begin().unwrap();
        assert!(left <= hard / 2 && left > hard / 4, "{left:?}");
        let late = Control::new(budget(Some(Duration::ZERO)));
        assert_eq!(late.time_to_begin(), Some(Duration::ZERO));
    }

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
