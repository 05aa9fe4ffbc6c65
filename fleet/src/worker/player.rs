//! Engines of one slot: a thread that plays ordered games of one match, and keeps its engines between blocks.

use std::io;
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use matches::plan::schedule::Dealt;
use matches::play::interrupt::Interrupt;
use matches::play::reruns::RerunQuota;
use matches::play::runner::{self, Event, Games, Match, Next, RunError};
use matches::record::GameRecord;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::spawn_blocking;

use super::Worker;
use super::adoption::Adopted;
use crate::message::Work;

/// Time after which idle engines are quit.
const LONGEST_IDLE: Duration = Duration::from_secs(30);
/// Interval at which an idle player checks whether its match still runs.
const TICK: Duration = Duration::from_millis(100);

/// Plays games of one match, one at a time, until the match ends or the player is dropped.
pub(crate) struct Player {
    adopted: Arc<Adopted>,
    orders: Sender<Order>,
    games: UnboundedReceiver<GameRecord>,
    thread: JoinHandle<Result<(), RunError>>,
}

/// Games to play.
#[derive(Debug)]
struct Order {
    games: RangeInclusive<u64>,
    /// Number of reruns so far for each engine.
    reruns: Vec<u32>,
    /// Random choices for these games.
    dealt: Dealt,
}

impl Player {
    /// Starts a player of a match for the slot with this number, from 0.
    ///
    /// # Errors
    /// The system's error if no thread can be started.
    pub(crate) fn start(
        worker: &Arc<Worker>,
        adopted: &Arc<Adopted>,
        slot: usize,
    ) -> io::Result<Player> {
        let (orders, ordered) = channel();
        let (sender, games) = unbounded_channel();
        let (for_worker, for_match) = (worker.clone(), adopted.clone());
        let play = move || play(&for_worker, &for_match, slot, ordered, &sender);
        Ok(Player {
            adopted: adopted.clone(),
            orders,
            games,
            thread: Builder::new().spawn(play)?,
        })
    }

    /// Whether it plays this match and its thread still runs.
    pub(crate) fn is_of(&self, adopted: &Arc<Adopted>) -> bool {
        Arc::ptr_eq(&self.adopted, adopted) && !self.thread.is_finished()
    }

    pub(crate) fn adopted(&self) -> &Arc<Adopted> {
        &self.adopted
    }

    /// Orders games, which [`Player::next_game`] returns one by one.
    pub(crate) fn order(&self, work: &Work) {
        // If the player has ended, `next_game` returns `None`.
        let _ = self.orders.send(Order {
            games: work.first..=work.last,
            reruns: work.reruns.clone(),
            dealt: work.dealt.clone(),
        });
    }

    /// Waits for the next finished game; `None` if there will be none because the match has ended.
    pub(crate) async fn next_game(&mut self) -> Option<GameRecord> {
        self.games.recv().await
    }

    /// Waits until it has quit its engines, and returns its error if it had one. It starts no further game.
    pub(crate) async fn end(self) -> Result<(), RunError> {
        let Player { orders, thread, .. } = self;
        drop(orders);
        // A panic has printed its own message, and closed the channel of its games.
        let ended = spawn_blocking(move || thread.join().unwrap_or(Ok(()))).await;
        ended.unwrap_or(Ok(()))
    }
}

fn play(
    worker: &Worker,
    adopted: &Adopted,
    slot: usize,
    orders: Receiver<Order>,
    games: &UnboundedSender<GameRecord>,
) -> Result<(), RunError> {
    let reruns = RerunQuota::new(&adopted.plan.engines, &[]);
    let orders = Orders {
        state: Mutex::new(State { orders, due: None }),
        reruns: &reruns,
        interrupt: &adopted.interrupt,
        longest_idle: LONGEST_IDLE,
    };
    let planned = Match {
        plan: &adopted.plan,
        games: &orders,
        failures: &[],
        reruns: &reruns,
        log: &worker.log,
        interrupt: &adopted.interrupt,
        lag: &worker.lag,
        first_core: slot,
        isolation: adopted.isolation,
        programs: Some(&adopted.programs),
        is_followed: false,
    };
    runner::run(planned, |event| {
        if let Event::Ended(record) = event {
            worker.games.fetch_add(1, Ordering::Relaxed);
            // This fails if the worker is shutting down.
            let _ = games.send(*record);
        }
        Ok::<(), RunError>(())
    })
}

/// The games of all orders in sequence.
struct Orders<'a> {
    state: Mutex<State>,
    reruns: &'a RerunQuota,
    interrupt: &'a Interrupt,
    longest_idle: Duration,
}

struct State {
    orders: Receiver<Order>,
    /// Remaining games of the last order.
    due: Option<(RangeInclusive<u64>, Dealt)>,
}

impl Games for Orders<'_> {
    fn next(&self) -> Next {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
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
                    state.due = Some((order.games, order.dealt));
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
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.due.as_ref().map(|(_, dealt)| dealt.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matches::plan::{EngineSpec, Limit};
    use matches::play::reruns::MOST_BY_LAG;

    #[test]
    fn games_come_as_they_are_ordered_and_engines_rest_in_between() {
        let (sender, orders) = channel();
        let engines = [EngineSpec::new("a", "/bin/sh", Limit::nodes(1))];
        let reruns = RerunQuota::new(&engines, &[]);
        let interrupt = Interrupt::new();
        let orders = Orders {
            state: Mutex::new(State { orders, due: None }),
            reruns: &reruns,
            interrupt: &interrupt,
            longest_idle: Duration::ZERO,
        };
        let order = |games, count| {
            let dealt = Dealt {
                opening: Vec::new(),
                deck_seed: u64::from(count).into(),
            };
            let reruns = vec![count];
            let order = Order {
                games,
                reruns,
                dealt,
            };
            sender.send(order).unwrap();
        };
        assert_eq!(orders.next(), Next::Rest);
        order(3..=4, MOST_BY_LAG);
        order(9..=9, 0);
        let taken = [(); 4].map(|()| orders.next());
        assert_eq!(
            taken,
            [Next::Game(3), Next::Game(4), Next::Game(9), Next::Rest]
        );
        // The random choices come from the last order.
        let dealt = orders.dealt(9).map(|dealt| dealt.deck_seed);
        assert_eq!(dealt, Some(0.into()));
        assert!(!reruns.grant("a", MOST_BY_LAG));
        interrupt.set();
        assert_eq!(orders.next(), Next::End);
    }

    #[test]
    fn who_is_ordered_no_more_ends() {
        let (sender, orders) = channel();
        let state = State { orders, due: None };
        drop(sender);
        let orders = Orders {
            state: Mutex::new(state),
            reruns: &RerunQuota::new(&[], &[]),
            interrupt: &Interrupt::new(),
            longest_idle: Duration::MAX,
        };
        assert_eq!(orders.next(), Next::End);
    }
}
