//! Units that a coordinator has sent to this worker alone, because it was chosen to confirm another worker's games.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_nats::Message as Received;
use futures_util::StreamExt;
use tokio::time::sleep;

use super::join::JoinedMatch;
use super::{Worker, locked};
use crate::message::{Message, Work};
use crate::names;
use crate::queue::about;
use crate::units::Units;

/// Average pause before a failed subscription is tried again.
const PAUSE: Duration = Duration::from_secs(5);
/// Maximum number of such units of a match.
const MAX_CHECKS: usize = 64;

/// The units of one match that the coordinator has chosen this worker for.
#[derive(Debug, Default)]
pub(super) struct Checks {
    waiting: VecDeque<Work>,
    playing: Vec<u64>,
}

impl Worker {
    /// Receives such units, forever.
    pub(super) async fn receive_checks(self: Arc<Worker>) {
        let client = self.context.client();
        loop {
            let subject = names::checks(self.signer.key());
            if let Ok(mut messages) = client.subscribe(subject).await {
                while let Some(message) = messages.next().await {
                    self.receive_check(&message);
                }
            }
            sleep(about(PAUSE)).await;
        }
    }

    fn receive_check(&self, message: &Received) {
        let key = self.signer.key();
        let joined = self.joined();
        let is_of =
            |joined: &&Arc<JoinedMatch>| joined.names.check(key) == message.subject.as_str();
        let Some(joined) = joined.iter().find(is_of) else {
            return;
        };
        let scope = joined.names.check_scope(key);
        // Any user may have sent it; only units from the coordinator are played.
        let Ok(work) = Work::decode_by(&joined.coordinator, &message.payload, &scope) else {
            return;
        };
        let is_valid = work.session == joined.state.session && Units::of(&joined.plan).has(&work);
        let mut checks = locked(&joined.checks);
        let mut waiting = checks.waiting.iter();
        let is_known =
            waiting.any(|known| known.unit == work.unit) || checks.playing.contains(&work.unit);
        if is_valid && !is_known && checks.waiting.len() < MAX_CHECKS {
            checks.waiting.push_back(work);
            self.has_news.notify_one();
        }
    }
}

impl JoinedMatch {
    pub(super) fn has_check(&self) -> bool {
        !locked(&self.checks).waiting.is_empty()
    }

    /// Takes the next such unit; [`JoinedMatch::end_check`] must follow.
    pub(super) fn take_check(&self) -> Option<Work> {
        let mut checks = locked(&self.checks);
        let work = checks.waiting.pop_front()?;
        checks.playing.push(work.unit);
        Some(work)
    }

    pub(super) fn end_check(&self, unit: u64) {
        locked(&self.checks).playing.retain(|playing| *playing != unit);
    }

    /// All such units, waiting or in play, with the id of the match.
    pub(super) fn checks(&self) -> Vec<(String, u64)> {
        let checks = locked(&self.checks);
        let waiting = checks.waiting.iter().map(|work| work.unit);
        let units = waiting.chain(checks.playing.iter().copied());
        units.map(|unit| (self.names.id().to_string(), unit)).collect()
    }
}
