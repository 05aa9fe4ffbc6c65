//! Notices that a match has changed. Workers poll the server when they get one, and rarely otherwise, so that a large
//! fleet sends the server hardly any requests while matches are running.

use std::time::Duration;

use async_nats::Subscriber;
use async_nats::jetstream::Context;
use futures_util::{FutureExt, StreamExt};
use tokio::time::{sleep, timeout};

use crate::names::NOTICE;

/// Maximum delay between a notice and a worker's poll; each worker waits a random part of it.
const SPREAD: Duration = Duration::from_millis(500);

/// A worker's subscription to notices.
#[derive(Debug)]
pub struct Notices(Option<Subscriber>);

impl Notices {
    /// Subscribes to notices. A worker without permission to do so only polls at intervals.
    pub async fn listen(context: &Context) -> Notices {
        Notices(context.client().subscribe(NOTICE).await.ok())
    }

    /// Waits for the next notice, but not longer than `at_most`; after a notice, waits for a random moment that spreads
    /// the polls of all workers.
    pub async fn next(&mut self, at_most: Duration) {
        let Some(subscriber) = &mut self.0 else {
            return sleep(at_most).await;
        };
        match timeout(at_most, subscriber.next()).await {
            Ok(Some(_)) => {
                sleep(SPREAD.mul_f64(rand::random())).await;
                // The coming poll covers notices that arrived in the meantime.
                while let Some(Some(_)) = subscriber.next().now_or_never() {}
            }
            // The connection is closed permanently.
            Ok(None) => {
                self.0 = None;
                sleep(at_most).await;
            }
            Err(_) => {}
        }
    }
}

/// Sends a notice. A worker that misses it sees the change at its next poll.
pub async fn notify(context: &Context) {
    let _ = context.client().publish(NOTICE, "".into()).await;
}
