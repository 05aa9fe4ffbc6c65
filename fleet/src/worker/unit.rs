//! Playing pulled units, one at a time in each slot. A thread of the slot plays the games and keeps their engines
//! between units of one match. Each game is sent as soon as it has ended; the unit is acknowledged after its last game
//! has been sent.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message as Delivered};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use matches::plan::rules::program::RulesError;
use matches::record::GameRecord;
use matches::record::digest::StoredGame;
use matches::run::exit::complain;
use tokio::time::{MissedTickBehavior, interval_at, sleep};

use super::Worker;
use super::join::JoinedMatch;
use super::player::Player;
use crate::message::{Message, MessageError, Outcome, RulesFault, Work};
use crate::queue::{about, acknowledged, publish, pull};
use crate::units::Units;

/// Maximum wait for a unit when there is one match. The server scans all waiting workers at every new request, so it is
/// long.
pub const WAIT: Duration = Duration::from_secs(120);
/// Maximum wait for a unit of one match when there are several.
const WAIT_OF_SEVERAL: Duration = Duration::from_secs(1);
/// Average pause of a slot after a failed call.
pub const FAILURE_PAUSE: Duration = Duration::from_secs(1);
/// Pause of a slot without a match.
const PAUSE: Duration = Duration::from_millis(300);
/// Pause before sending a game is retried.
const SEND_PAUSE: Duration = Duration::from_millis(500);
/// Delay before a unit of another version is delivered again.
const VERSION_DELAY: Duration = Duration::from_secs(10);
/// Delay before a unit that other workers should play is delivered again.
const OTHERS_DELAY: Duration = Duration::from_secs(2);
/// Maximum number of attempts to send a game.
const MAX_TRIES: u32 = 1200;

/// Plays units in the slot with this number until the worker is stopped.
pub(crate) async fn play_units(worker: Arc<Worker>, number: usize) {
    let mut slot = Slot { number, player: None };
    while !worker.interrupt.ends() {
        let matches = worker.joined();
        let mut has_played = false;
        for joined in &matches {
            let wait = match matches.len() {
                1 => WAIT,
                _ => WAIT_OF_SEVERAL,
            };
            let is_over = || {
                let is_ended = worker.interrupt.ends() || joined.interrupt.is_set();
                is_ended || worker.joined().len() != matches.len() || joined.has_check()
            };
            if let Some(work) = joined.take_check() {
                let unit = work.unit;
                play_unit(&worker, &mut slot, joined, work, None).await;
                joined.end_check(unit);
                has_played = true;
                break;
            }
            match pull(&worker.context, &joined.names, wait, is_over).await {
                Ok(Some(message)) => {
                    play_message(&worker, &mut slot, joined, &message).await;
                    has_played = true;
                    break;
                }
                Ok(None) => {}
                Err(_) => sleep(about(FAILURE_PAUSE)).await,
            }
        }
        if !has_played {
            sleep(PAUSE).await;
        }
    }
    slot.rest(&worker).await;
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
                Err(error) => complain(format_args!("cannot start a thread for a game: {error}")),
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
        if let Err(error) = player.end().await {
            let (id, session) = (joined.names.id(), joined.state.session);
            if let Some(fault) = error.fault_of_rules().filter(|fault| fault.is_broken()) {
                report_fault(worker, &joined, fault).await;
            }
            worker.refuse(id, session, &error.to_string());
        }
    }
}

/// Interval at which a worker reports progress to a match with this acknowledgement timeout; it allows for the loss of
/// two reports.
pub fn progress_period(ack_wait_ms: u64) -> Duration {
    Duration::from_millis(ack_wait_ms / 3).max(PAUSE)
}

async fn play_message(
    worker: &Arc<Worker>,
    slot: &mut Slot,
    joined: &Arc<JoinedMatch>,
    message: &Delivered,
) {
    let scope = joined.names.id();
    let work = match Work::decode_by(&joined.coordinator, &message.payload, scope) {
        Ok(work) => work,
        Err(error @ MessageError::Version { .. }) => {
            complain(format_args!("work skipped: {error}"));
            return answer(Some(message), AckKind::Nak(Some(VERSION_DELAY))).await;
        }
        Err(error) => {
            complain(format_args!("work is refused: {error}"));
            return answer(Some(message), AckKind::Term).await;
        }
    };
    match work.session.cmp(&joined.state.session) {
        // This worker will soon see the new session.
        Ordering::Greater => answer(Some(message), AckKind::Nak(Some(OTHERS_DELAY))).await,
        Ordering::Less => answer(Some(message), AckKind::Term).await,
        Ordering::Equal if !Units::of(&joined.plan).has(&work) => {
            let (unit, first, last) = (work.unit, work.first, work.last);
            complain(format_args!(
                "work is refused: unit {unit} of games {first} to {last} is not in the match"
            ));
            answer(Some(message), AckKind::Term).await;
        }
        Ordering::Equal => play_unit(worker, slot, joined, work, Some(message)).await,
    }
}

/// Answers the server about a unit, if it came from the server's queue.
async fn answer(message: Option<&Delivered>, kind: AckKind) {
    if let Some(message) = message {
        // No answer is needed: if this is lost, the unit is delivered again, but its games count once.
        let _ = message.ack_with(kind).await;
    }
}

/// Plays a unit. Without a message it came from the coordinator itself.
async fn play_unit(
    worker: &Arc<Worker>,
    slot: &mut Slot,
    joined: &Arc<JoinedMatch>,
    work: Work,
    message: Option<&Delivered>,
) {
    let _playing = Playing::begin(worker);
    let mut begun = Instant::now();
    let expected = work.last - work.first + 1;
    let Some(player) = slot.player(worker, joined).await else {
        return answer(message, AckKind::Nak(Some(OTHERS_DELAY))).await;
    };
    // If the player has ended, it sends no game.
    let _ = player.orders.send(work);
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
                    in_flight.push(send_game(worker, joined, message, game));
                    is_played = played == expected;
                } else {
                    is_played = true;
                }
            }
            Some(is_sent) = in_flight.next() => sent += u64::from(is_sent),
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

/// A unit in progress, which is counted while this value lives.
struct Playing<'a>(&'a Worker);

impl Playing<'_> {
    fn begin(worker: &Worker) -> Playing<'_> {
        worker.playing.fetch_add(1, Relaxed);
        Playing(worker)
    }
}

impl Drop for Playing<'_> {
    fn drop(&mut self) {
        self.0.playing.fetch_sub(1, Relaxed);
    }
}

/// Sends a fault of the rules program, which the coordinator tries to reproduce.
async fn report_fault(worker: &Worker, joined: &JoinedMatch, fault: &RulesError) {
    let fault = RulesFault {
        label: worker.label.clone(),
        position: fault.position().unwrap_or_default().to_string(),
        reason: fault.to_string(),
    };
    send(worker, joined, None, "the fault of the rules", &fault).await;
}

/// Sends a game like [`send`].
async fn send_game(
    worker: &Worker,
    joined: &JoinedMatch,
    message: Option<&Delivered>,
    game: GameRecord,
) -> bool {
    let what = format!("game {}", game.game);
    let digest = Some(game.digest());
    let outcome = Outcome {
        label: worker.label.clone(),
        game: StoredGame { record: game, digest, totals: None },
    };
    send(worker, joined, message, &what, &outcome).await
}

/// Sends a result, with retries, until the server has it; returns false if it cannot be sent or the match ends.
async fn send(
    worker: &Worker,
    joined: &JoinedMatch,
    message: Option<&Delivered>,
    what: &str,
    result: &impl Message,
) -> bool {
    let bytes = match result.encode(&worker.signer, joined.names.id()) {
        Ok(bytes) => bytes,
        Err(error) => {
            complain(format_args!("{what} cannot be sent: {error}"));
            return false;
        }
    };
    // If another worker could guess the id, it could have the server take the game for a duplicate.
    let id = format!("{:032x}", rand::random::<u128>());
    let subject = joined.names.result(worker.signer.key());
    for tries in 0..MAX_TRIES {
        let sent = async {
            let sent = publish(&worker.context, subject.clone(), &id, bytes.clone()).await?;
            acknowledged(sent).await
        };
        match sent.await {
            Ok(_) => return true,
            Err(error) if tries == 0 => {
                complain(format_args!("{what} not sent: {error}; retrying"));
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
