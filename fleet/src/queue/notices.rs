//! Notices that a match has changed.

use std::time::{Duration, Instant};

use async_nats::Subscriber;
use async_nats::jetstream::Context;
use futures_util::{FutureExt, StreamExt};
use tokio::time::{sleep, timeout};

use crate::names::NOTICE;

/// Minimum interval between polls because of notices.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum delay between a notice and a worker's poll; each worker waits a random part of it.
const SPREAD: Duration = Duration::from_millis(500);

/// A worker's subscription to notices that a match has changed. Workers poll the server when they get one, and rarely
/// otherwise, so that a large fleet sends hardly any requests while matches are running.
#[derive(Debug)]
pub struct Notices {
    subscriber: Option<Subscriber>,
    /// End of the last wait.
    last: Instant,
}

impl Notices {
    /// Subscribes to notices. A worker without permission to do so only polls at intervals.
    pub async fn listen(context: &Context) -> Notices {
        Notices { subscriber: context.client().subscribe(NOTICE).await.ok(), last: Instant::now() }
    }

    /// Waits for the next notice, but not longer than `at_most`; after a notice, waits for a random moment that spreads
    /// the polls of all workers. Any user can send notices, so polls have a minimum interval.
    pub async fn next(&mut self, at_most: Duration) {
        let Some(subscriber) = &mut self.subscriber else {
            return sleep(at_most).await;
        };
        match timeout(at_most, subscriber.next()).await {
            Ok(Some(_)) => {
                let rest = MIN_INTERVAL.saturating_sub(self.last.elapsed());
                sleep(rest + SPREAD.mul_f64(rand::random())).await;
                // The coming poll covers notices that arrived in the meantime.
                while let Some(Some(_)) = subscriber.next().now_or_never() {}
            }
            // The connection is closed permanently.
            Ok(None) => {
                self.subscriber = None;
                sleep(at_most).await;
            }
            Err(_) => {}
        }
        self.last = Instant::now();
    }
}

/// Sends a notice. A worker that misses it sees the change at its next poll.
pub async fn notify(context: &Context) {
    let _ = context.client().publish(NOTICE, "".into()).await;
}
