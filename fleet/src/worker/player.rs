//! The thread of a slot, which plays the games of units and keeps their engines in between.

use std::io;
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use matches::luck::LuckMeter;
use matches::plan::schedule::Dealt;
use matches::play::interrupt::Interrupt;
use matches::play::referee::RerunQuota;
use matches::play::runner::{Complete, Event, Games, Next, RunError, Runner};
use matches::record::GameRecord;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::spawn_blocking;

use super::join::JoinedMatch;
use super::{TICK, Worker, locked};
use crate::message::Work;

/// Time after which idle engines are quit.
const MAX_IDLE: Duration = Duration::from_secs(30);

/// Plays games of one match, one at a time, until the match ends or the player is dropped.
pub(super) struct Player {
    pub(super) joined: Arc<JoinedMatch>,
    pub(super) orders: Sender<Work>,
    /// Finished games; none are left when the match has ended.
    pub(super) games: UnboundedReceiver<GameRecord>,
    thread: JoinHandle<Result<(), RunError>>,
}

impl Player {
    /// Starts a player of a match for the slot with this number, from 0; fails if no thread can be started.
    pub(super) fn start(
        worker: &Arc<Worker>,
        joined: &Arc<JoinedMatch>,
        slot: usize,
    ) -> io::Result<Player> {
        let (orders, ordered) = channel();
        let (sender, games) = unbounded_channel();
        let (for_worker, for_match) = (worker.clone(), joined.clone());
        let play = move || play(&for_worker, &for_match, slot, ordered, &sender);
        Ok(Player { joined: joined.clone(), orders, games, thread: Builder::new().spawn(play)? })
    }

    /// Whether it plays this match and its thread still runs.
    pub(super) fn is_of(&self, joined: &Arc<JoinedMatch>) -> bool {
        Arc::ptr_eq(&self.joined, joined) && !self.thread.is_finished()
    }

    /// Waits until it has quit its engines, and returns its error if it had one. It starts no further game.
    pub(super) async fn end(self) -> Result<(), RunError> {
        let Player { orders, thread, .. } = self;
        drop(orders);
        // A panic has printed its own message, and closed the channel of its games.
        let ended = spawn_blocking(move || thread.join().unwrap_or(Ok(()))).await;
        ended.unwrap_or(Ok(()))
    }
}

fn play(
    worker: &Worker,
    joined: &JoinedMatch,
    slot: usize,
    orders: Receiver<Work>,
    games: &UnboundedSender<GameRecord>,
) -> Result<(), RunError> {
    let reruns = RerunQuota::new(&joined.plan.engines, &[]);
    let orders = Orders {
        state: Mutex::new(State { orders, due: None }),
        reruns: &reruns,
        interrupt: &joined.interrupt,
        longest_idle: MAX_IDLE,
    };
    let meter = joined
        .luck
        .as_ref()
        .map(|evaluator| LuckMeter::new(evaluator, joined.isolation, &joined.interrupt));
    let measure = meter.as_ref().map(|meter| {
        |record: &mut GameRecord| meter.measure(record).map_err(|error| error.to_string())
    });
    let runner = Runner {
        plan: &joined.plan,
        games: &orders,
        past: None,
        reruns: &reruns,
        log: &worker.log,
        interrupt: &joined.interrupt,
        lag: &worker.lag,
        first_core: slot,
        isolation: joined.isolation,
        programs: Some(&joined.programs),
        is_followed: false,
        complete: measure.as_ref().map(|measure| measure as &Complete<'_>),
    };
    runner.run(|event| {
        if let Event::Ended(record) = event {
            worker.games.fetch_add(1, Relaxed);
            // This fails if the worker is shutting down.
            let _ = games.send(*record);
        }
        Ok::<(), RunError>(())
    })
}

/// The games of all ordered units in sequence.
struct Orders<'a> {
    state: Mutex<State>,
    reruns: &'a RerunQuota,
    interrupt: &'a Interrupt,
    longest_idle: Duration,
}

struct State {
    orders: Receiver<Work>,
    /// Remaining games of the last unit, with their random choices.
    due: Option<(RangeInclusive<u64>, Dealt)>,
}

impl Games for Orders<'_> {
    fn next(&self) -> Next {
        let mut state = locked(&self.state);
        let begun = Instant::now();
        loop {
            let due = state.due.as_mut();
            if let Some(game) = due.and_then(|(games, _)| games.next()) {
                return Next::Game(game);
            }
            if self.interrupt.ends() {
                return Next::End;
            }
            match state.orders.recv_timeout(TICK) {
                Ok(order) => {
                    self.reruns.learn(&order.reruns);
                    state.due = Some((order.first..=order.last, order.dealt));
                }
                Err(RecvTimeoutError::Disconnected) => return Next::End,
                Err(RecvTimeoutError::Timeout) if begun.elapsed() >= self.longest_idle => {
                    return Next::Rest;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn dealt(&self, _number: u64) -> Option<Dealt> {
        let state = locked(&self.state);
        state.due.as_ref().map(|(_, dealt)| dealt.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matches::plan::{EngineSpec, Limit};
    use matches::play::referee::MAX_BY_LAG;

    #[test]
    fn games_come_as_they_are_ordered_and_engines_rest_in_between() {
        let (sender, orders) = channel();
        let engines = [EngineSpec::new("a", "/bin/sh", Limit::nodes(1))];
        let reruns = RerunQuota::new(&engines, &[]);
        let orders = Orders {
            state: Mutex::new(State { orders, due: None }),
            reruns: &reruns,
            interrupt: &Interrupt::new(),
            longest_idle: Duration::ZERO,
        };
        let order = |first, last, count| {
            let work = Work {
                session: 1,
                unit: 0,
                first,
                last,
                reruns: vec![count],
                dealt: Dealt { opening: Vec::new(), deck_seed: u64::from(count).into() },
            };
            sender.send(work).unwrap();
        };
        assert_eq!(orders.next(), Next::Rest);
        order(3, 4, MAX_BY_LAG);
        order(9, 9, 0);
        let taken = [(); 4].map(|()| orders.next());
        assert_eq!(taken, [Next::Game(3), Next::Game(4), Next::Game(9), Next::Rest]);
        // The random choices come from the last unit.
        let dealt = orders.dealt(9).map(|dealt| dealt.deck_seed);
        assert_eq!(dealt, Some(0.into()));
        assert!(!reruns.grant("a", MAX_BY_LAG));
        drop(sender);
        assert_eq!(orders.next(), Next::End);
    }
}
