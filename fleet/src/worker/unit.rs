//! Playing pulled units, one at a time in each slot. Each game is sent as soon as it has ended; the unit is
//! acknowledged after its last game has been sent.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message as Delivered};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use matches::record::GameRecord;
use matches::record::digest::StoredGame;
use matches::run::exit::complain;
use tokio::time::{MissedTickBehavior, interval_at, sleep};

use super::Worker;
use super::adoption::Adopted;
use super::player::Player;
use crate::message::{Message, MessageError, Outcome, Work};
use crate::queue::{QueueError, about, acknowledged, publish, pull};
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
const LEFT_ALONE: Duration = Duration::from_secs(10);
/// Delay before a unit that other workers should play is delivered again.
const LEFT_TO_OTHERS: Duration = Duration::from_secs(2);
/// Maximum number of attempts to send a game.
const MOST_TRIES: u32 = 1200;

/// Plays units in the slot with this number until the worker is stopped.
pub(crate) async fn play_units(worker: Arc<Worker>, number: usize) {
    let mut slot = Slot {
        number,
        player: None,
    };
    while !worker.interrupt.ends() {
        let matches = worker.adopted();
        let mut has_played = false;
        for adopted in &matches {
            match pull_of(&worker, adopted, matches.len()).await {
                Ok(Some(message)) => {
                    worker.playing.fetch_add(1, Ordering::Relaxed);
                    play_message(&worker, &mut slot, adopted, &message).await;
                    worker.playing.fetch_sub(1, Ordering::Relaxed);
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
        adopted: &Arc<Adopted>,
    ) -> Option<&mut Player> {
        if !self
            .player
            .as_ref()
            .is_some_and(|player| player.is_of(adopted))
        {
            self.rest(worker).await;
            match Player::start(worker, adopted, self.number) {
                Ok(player) => self.player = Some(player),
                Err(error) => complain(format_args!("cannot start a thread for a game: {error}")),
            }
        }
        self.player.as_mut()
    }

    /// Quits the engines, and refuses the match if they failed.
    async fn rest(&mut self, worker: &Worker) {
        let Some(player) = self.player.take() else {
            return;
        };
        let adopted = player.adopted().clone();
        if let Err(error) = player.end().await {
            let (id, session) = (adopted.names.id(), adopted.state.session);
            worker.refuse(id, session, &error.to_string());
        }
    }
}

/// Pulls the next unit of one of `matches` matches; `None` if there is none for a while.
async fn pull_of(
    worker: &Worker,
    adopted: &Adopted,
    matches: usize,
) -> Result<Option<Delivered>, QueueError> {
    let wait = match matches {
        1 => WAIT,
        _ => WAIT_OF_SEVERAL,
    };
    let is_over = || {
        let is_ended = worker.interrupt.ends() || adopted.interrupt.is_set();
        is_ended || worker.adopted().len() != matches
    };
    pull(&worker.context, &adopted.work, wait, is_over).await
}

/// Interval at which a worker reports progress to a match with this acknowledgement timeout; it allows for the loss of
/// two reports.
pub fn progress_period(ack_wait_ms: u64) -> Duration {
    Duration::from_millis(ack_wait_ms / 3).max(PAUSE)
}

async fn play_message(
    worker: &Arc<Worker>,
    slot: &mut Slot,
    adopted: &Arc<Adopted>,
    message: &Delivered,
) {
    let work = match Work::decode(&message.payload) {
        Ok(work) => work,
        Err(error @ MessageError::Version { .. }) => {
            complain(format_args!("work skipped: {error}"));
            let _ = message.ack_with(AckKind::Nak(Some(LEFT_ALONE))).await;
            return;
        }
        Err(error) => {
            complain(format_args!("work is refused: {error}"));
            let _ = message.ack_with(AckKind::Term).await;
            return;
        }
    };
    if work.not_by.contains(&worker.name) {
        let _ = message.ack_with(AckKind::Nak(Some(LEFT_TO_OTHERS))).await;
        // Gives other workers time to pull it first.
        sleep(PAUSE).await;
        return;
    }
    let units = Units::of(&adopted.plan);
    if work.unit >= units.count() || units.games(work.unit) != (work.first..=work.last) {
        let Work {
            unit, first, last, ..
        } = work;
        complain(format_args!(
            "work is refused: unit {unit} of games {first} to {last} is not in the match"
        ));
        let _ = message.ack_with(AckKind::Term).await;
        return;
    }
    let mut begun = Instant::now();
    let expected = work.last - work.first + 1;
    let Some(player) = slot.player(worker, adopted).await else {
        let _ = message.ack_with(AckKind::Nak(Some(LEFT_TO_OTHERS))).await;
        return;
    };
    player.order(&work);
    let period = progress_period(adopted.state.ack_wait_ms);
    let mut progress = interval_at((Instant::now() + period).into(), period);
    progress.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut played, mut sent, mut is_played) = (0, 0, false);
    // Games are sent concurrently, so that none waits for another's acknowledgement.
    let mut on_their_way = FuturesUnordered::new();
    while !is_played || !on_their_way.is_empty() {
        tokio::select! {
            game = player.next_game(), if !is_played => {
                if let Some(mut game) = game {
                    played += 1;
                    game.machine = Some(worker.machine(adopted, begun.elapsed()));
                    begun = Instant::now();
                    on_their_way.push(send(worker, adopted, message, game));
                    is_played = played == expected;
                } else {
                    is_played = true;
                }
            }
            Some(is_sent) = on_their_way.next() => sent += u64::from(is_sent),
            _ = progress.tick() => {
                let _ = message.ack_with(AckKind::Progress).await;
            }
        }
    }
    if sent == expected {
        // No answer is needed: if this is lost, the games are played again but count once.
        let _ = message.ack().await;
        return;
    }
    if played < expected {
        slot.rest(worker).await;
    }
    let _ = message.ack_with(AckKind::Nak(None)).await;
}

/// Sends a game, with retries, until the server has it; returns false if it cannot be sent or the match ends.
async fn send(worker: &Worker, adopted: &Adopted, message: &Delivered, game: GameRecord) -> bool {
    let number = game.game;
    let digest = Some(game.digest());
    let outcome = Outcome {
        worker: worker.name.clone(),
        game: StoredGame {
            record: game,
            digest,
            totals: None,
        },
    };
    let delivered = message.info().map_or(0, |info| info.stream_sequence);
    let id = format!("{}.{delivered}.{number}", worker.name);
    for tries in 0..MOST_TRIES {
        let sent = async {
            let sent = publish(&worker.context, adopted.names.result(), &id, &outcome).await?;
            acknowledged(sent).await
        };
        match sent.await {
            Ok(_) => return true,
            Err(error @ QueueError::Message(_)) => {
                complain(format_args!("game {number} cannot be sent: {error}"));
                return false;
            }
            Err(error) if tries == 0 => {
                complain(format_args!("game {number} not sent: {error}; retrying"));
            }
            Err(_) => {}
        }
        if adopted.interrupt.is_set() || worker.interrupt.is_set() {
            return false;
        }
        let _ = message.ack_with(AckKind::Progress).await;
        sleep(SEND_PAUSE).await;
    }
    false
}
