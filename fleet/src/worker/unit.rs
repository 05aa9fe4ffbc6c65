//! Playing pulled units, one at a time in each slot. A thread of the slot plays the games and keeps their engines
//! between units of one match. Each game is sent as soon as it has ended; the unit is acknowledged after its last game
//! has been sent.

use std::io;
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message as Delivered};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use matches::luck::LuckMeter;
use matches::plan::schedule::Dealt;
use matches::play::interrupt::Interrupt;
use matches::play::referee::RerunQuota;
use matches::play::runner::{Complete, Event, Games, Next, RunError, Runner};
use matches::record::GameRecord;
use matches::run::exit::print_error;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval_at, sleep};

use super::join::JoinedMatch;
use super::{TICK, Worker, locked};
use crate::message::{GameResult, Message, MessageError, Outcome, Units, Work};
use crate::queue::{about, publish, pull};

/// Maximum wait for a unit when there is one match. The server scans all waiting workers at every new request, so it is
/// long.
pub const UNIT_WAIT: Duration = Duration::from_secs(120);
/// Maximum wait for a unit of one match when there are several.
const WAIT_OF_SEVERAL: Duration = Duration::from_secs(1);
/// Average pause of a slot after a failed call.
pub const FAILURE_PAUSE: Duration = Duration::from_secs(1);
/// Pause of a slot without a match.
const SLOT_PAUSE: Duration = Duration::from_millis(300);
/// Pause before sending a game is retried.
const SEND_PAUSE: Duration = Duration::from_millis(500);
/// Delay before a unit of another version is delivered again.
const VERSION_DELAY: Duration = Duration::from_secs(10);
/// Delay before a unit that other workers should play is delivered again.
const OTHERS_DELAY: Duration = Duration::from_secs(2);
/// Maximum number of attempts to send a game.
const MAX_SEND_TRIES: u32 = 1200;
/// Time after which idle engines are quit.
const MAX_IDLE: Duration = Duration::from_secs(30);

/// Plays units in the slot with this number until the worker is stopped.
pub(crate) async fn play_units(worker: Arc<Worker>, number: usize) {
    let mut slot = Slot { number, player: None };
    while !worker.interrupt.ends() {
        let matches = worker.joined();
        let mut has_played = false;
        for joined in &matches {
            let Some((work, message)) = next_unit(&worker, joined, matches.len()).await else {
                continue;
            };
            let unit = work.unit;
            worker.playing.fetch_add(1, Relaxed);
            play_unit(&worker, &mut slot, joined, work, message.as_ref()).await;
            worker.playing.fetch_sub(1, Relaxed);
            if message.is_none() {
                joined.end_assigned(unit);
            }
            has_played = true;
            break;
        }
        if !has_played {
            sleep(SLOT_PAUSE).await;
        }
    }
    slot.rest(&worker).await;
}

/// Returns the next unit of a match: one that is assigned to this worker, or else one of the queue with its message.
/// The wait for it is short if the worker has joined several `matches`.
async fn next_unit(
    worker: &Worker,
    joined: &JoinedMatch,
    matches: usize,
) -> Option<(Work, Option<Delivered>)> {
    if let Some(work) = joined.next_assigned() {
        return Some((work, None));
    }
    let wait = if matches == 1 { UNIT_WAIT } else { WAIT_OF_SEVERAL };
    let is_over = || {
        let is_ended = worker.interrupt.ends() || joined.interrupt.is_set();
        is_ended || worker.joined().len() != matches || joined.has_assigned()
    };
    loop {
        let Ok(pulled) = pull(&worker.context, &joined.names, wait, is_over).await else {
            sleep(about(FAILURE_PAUSE)).await;
            return None;
        };
        let message = pulled?;
        let work = Work::decode_by(&joined.coordinator, &message.payload, &joined.names.work());
        let kind = match work {
            Ok(work) if joined.has(&work) => return Some((work, Some(message))),
            // This worker will soon see the new session.
            Ok(work) if work.session > joined.state.session => AckKind::Nak(Some(OTHERS_DELAY)),
            Ok(_) => AckKind::Term,
            Err(error) => {
                print_error(format_args!("work is refused: {error}"));
                match error {
                    MessageError::Version { .. } => AckKind::Nak(Some(VERSION_DELAY)),
                    _ => AckKind::Term,
                }
            }
        };
        answer(Some(&message), kind).await;
    }
}

/// Answers the server about a unit, if it came from the server's queue.
async fn answer(message: Option<&Delivered>, kind: AckKind) {
    if let Some(message) = message {
        // No answer is needed: if this is lost, the unit is delivered again, but its games count once.
        let _ = message.ack_with(kind).await;
    }
}

/// Plays a unit. One without a message was not pulled from the queue, but assigned to this worker.
async fn play_unit(
    worker: &Arc<Worker>,
    slot: &mut Slot,
    joined: &Arc<JoinedMatch>,
    work: Work,
    message: Option<&Delivered>,
) {
    let mut begun = Instant::now();
    let expected = Units::of(&joined.plan).games(work.unit).count();
    let Some(player) = slot.player(worker, joined).await else {
        return answer(message, AckKind::Nak(Some(OTHERS_DELAY))).await;
    };
    // If the player has ended, it sends no game.
    let _ = player.units.send(work);
    let period = progress_period(joined.state.ack_wait_ms);
    let mut progress = interval_at((Instant::now() + period).into(), period);
    progress.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut played, mut sent, mut is_played) = (0, 0, false);
    // Games are sent concurrently, so that none waits for another's acknowledgement.
    let mut in_flight = FuturesUnordered::new();
    while !is_played || !in_flight.is_empty() {
        tokio::select! {
            game = player.games.recv(), if !is_played => {
                if let Some(mut game) = game {
                    played += 1;
                    game.machine = Some(worker.machine(joined, begun.elapsed()));
                    begun = Instant::now();
                    let what = format!("game {}", game.game);
                    let game = GameResult::Played(Box::new(game));
                    in_flight.push(send(worker, joined, message, what, game));
                    is_played = played == expected;
                } else {
                    is_played = true;
                }
            }
            Some(is_sent) = in_flight.next() => sent += usize::from(is_sent),
            _ = progress.tick() => answer(message, AckKind::Progress).await,
        }
    }
    if sent == expected {
        return answer(message, AckKind::Ack).await;
    }
    if played < expected {
        slot.rest(worker).await;
    }
    answer(message, AckKind::Nak(None)).await;
}

/// Interval at which a worker reports progress to a match with this acknowledgement timeout; it allows for the loss of
/// two reports.
pub fn progress_period(ack_wait_ms: u64) -> Duration {
    Duration::from_millis(ack_wait_ms / 3).max(SLOT_PAUSE)
}

/// A slot, which plays one game at a time.
struct Slot {
    /// Number of the slot, from 0.
    number: usize,
    /// The last player; only the engines of one match at a time are kept.
    player: Option<Player>,
}

impl Slot {
    /// Returns the player of a match; `None` if the system cannot start a thread.
    async fn player(
        &mut self,
        worker: &Arc<Worker>,
        joined: &Arc<JoinedMatch>,
    ) -> Option<&mut Player> {
        let player = self.player.as_ref();
        if !player.is_some_and(|player| player.is_of(joined)) {
            self.rest(worker).await;
            match Player::start(worker, joined, self.number) {
                Ok(player) => self.player = Some(player),
                Err(error) => {
                    print_error(format_args!("cannot start a thread for a game: {error}"));
                }
            }
        }
        self.player.as_mut()
    }

    /// Quits the engines, and refuses the match if they or the rules program failed.
    async fn rest(&mut self, worker: &Worker) {
        let Some(player) = self.player.take() else {
            return;
        };
        let joined = player.joined.clone();
        let Err(error) = player.end().await else {
            return;
        };
        if let Some(fault) = error.fault_of_rules().filter(|fault| fault.is_broken()) {
            let position = fault.position().unwrap_or_default().to_string();
            let fault = GameResult::Fault { position, reason: fault.to_string() };
            send(worker, &joined, None, "the fault of the rules".into(), fault).await;
        }
        worker.refuse(joined.names.id(), joined.state.session, &error.to_string());
    }
}

/// Plays games of one match, one at a time, until the match ends or the player is dropped.
///
/// It is a thread with the runner of `matches`. The runner asks for its next game, which `UnitGames` takes from the
/// unit at hand; each finished game comes back as an event of the runner, and `play_unit` sends it to the coordinator.
struct Player {
    joined: Arc<JoinedMatch>,
    units: Sender<Work>,
    /// Finished games; none are left when the match has ended.
    games: UnboundedReceiver<GameRecord>,
    thread: JoinHandle<Result<(), RunError>>,
}

impl Player {
    /// Starts a player of a match for the slot with this number, from 0; fails if no thread can be started.
    fn start(worker: &Arc<Worker>, joined: &Arc<JoinedMatch>, slot: usize) -> io::Result<Player> {
        let (units, given) = channel();
        let (sender, games) = unbounded_channel();
        let (for_worker, for_match) = (worker.clone(), joined.clone());
        let play = move || play_games(&for_worker, &for_match, slot, given, &sender);
        Ok(Player { joined: joined.clone(), units, games, thread: Builder::new().spawn(play)? })
    }

    /// Whether it plays this match and its thread still runs.
    fn is_of(&self, joined: &Arc<JoinedMatch>) -> bool {
        Arc::ptr_eq(&self.joined, joined) && !self.thread.is_finished()
    }

    /// Waits until it has quit its engines, and returns its error if it had one. It starts no further game.
    async fn end(self) -> Result<(), RunError> {
        let Player { units, thread, .. } = self;
        drop(units);
        // A panic has printed its own message, and closed the channel of its games.
        let ended = spawn_blocking(move || thread.join().unwrap_or(Ok(()))).await;
        ended.unwrap_or(Ok(()))
    }
}

fn play_games(
    worker: &Worker,
    joined: &JoinedMatch,
    slot: usize,
    given: Receiver<Work>,
    games: &UnboundedSender<GameRecord>,
) -> Result<(), RunError> {
    let reruns = RerunQuota::new(&joined.plan.engines, &[]);
    let unit_games = UnitGames {
        units: Units::of(&joined.plan),
        given: Mutex::new(given),
        due: Mutex::default(),
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
        games: &unit_games,
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

/// The games of all given units in sequence.
struct UnitGames<'a> {
    units: Units,
    given: Mutex<Receiver<Work>>,
    /// Remaining games of the last unit, with their random choices.
    due: Mutex<Option<(RangeInclusive<u64>, Dealt)>>,
    reruns: &'a RerunQuota,
    interrupt: &'a Interrupt,
    longest_idle: Duration,
}

impl Games for UnitGames<'_> {
    fn next(&self) -> Next {
        let mut due = locked(&self.due);
        let begun = Instant::now();
        loop {
            if let Some((games, dealt)) = &mut *due
                && let Some(game) = games.next()
            {
                return Next::Game(game, Some(dealt.clone()));
            }
            if self.interrupt.ends() {
                return Next::End;
            }
            match locked(&self.given).recv_timeout(TICK) {
                Ok(work) => {
                    self.reruns.learn(&work.reruns);
                    *due = Some((self.units.games(work.unit), work.dealt));
                }
                Err(RecvTimeoutError::Disconnected) => return Next::End,
                Err(RecvTimeoutError::Timeout) if begun.elapsed() >= self.longest_idle => {
                    return Next::Rest;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Sends a result, with retries, until the server has it; returns false if it cannot be sent or the match ends.
async fn send(
    worker: &Worker,
    joined: &JoinedMatch,
    message: Option<&Delivered>,
    what: String,
    result: GameResult,
) -> bool {
    let subject = joined.names.result(worker.signer.key());
    let outcome = Outcome { label: worker.label.clone(), result };
    let bytes = match outcome.encode(&worker.signer, &subject) {
        Ok(bytes) => bytes,
        Err(error) => {
            print_error(format_args!("{what} cannot be sent: {error}"));
            return false;
        }
    };
    // If another worker could guess the id, it could have the server take the game for a duplicate.
    let id = format!("{:032x}", rand::random::<u128>());
    for tries in 0..MAX_SEND_TRIES {
        let sent =
            async { publish(&worker.context, subject.clone(), &id, bytes.clone()).await?.await };
        match sent.await {
            Ok(_) => return true,
            Err(error) if tries == 0 => {
                print_error(format_args!("{what} not sent: {error}; retrying"));
            }
            Err(_) => {}
        }
        if joined.interrupt.is_set() || worker.interrupt.is_set() {
            return false;
        }
        answer(message, AckKind::Progress).await;
        sleep(SEND_PAUSE).await;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use buxtehude::rules::VARIANTS;
    use matches::plan::{EngineSpec, Limit, Plan};
    use matches::play::referee::MAX_BY_LAG;

    #[test]
    fn games_come_as_their_units_do_and_engines_rest_in_between() {
        let (sender, given) = channel();
        let engines = [EngineSpec::new("a", "/bin/sh", Limit::nodes(1))];
        let reruns = RerunQuota::new(&engines, &[]);
        let mut plan = Plan::new(&VARIANTS[0], 2, engines.to_vec());
        plan.games = 9;
        let games = UnitGames {
            units: Units::of(&plan),
            given: Mutex::new(given),
            due: Mutex::default(),
            reruns: &reruns,
            interrupt: &Interrupt::new(),
            longest_idle: Duration::ZERO,
        };
        let give = |unit, count| {
            let work = Work {
                session: 1,
                unit,
                reruns: vec![count],
                dealt: Dealt { opening: Vec::new(), deck_seed: u64::from(count).into() },
            };
            sender.send(work).unwrap();
        };
        assert_eq!(games.next(), Next::Rest);
        give(1, MAX_BY_LAG);
        give(4, 0);
        for (number, seed) in [(3, MAX_BY_LAG), (4, MAX_BY_LAG), (9, 0)] {
            let deck_seed = u64::from(seed).into();
            let dealt = Some(Dealt { opening: Vec::new(), deck_seed });
            assert_eq!(games.next(), Next::Game(number, dealt));
        }
        assert_eq!(games.next(), Next::Rest);
        assert!(!reruns.grant(0, MAX_BY_LAG));
        drop(sender);
        assert_eq!(games.next(), Next::End);
    }
}
