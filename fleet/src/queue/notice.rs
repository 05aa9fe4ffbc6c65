//! Notices that something has changed: workers look when they get one, and else only now and then, so that a large
//! fleet asks the server next to nothing while its matches go on as they are.

use std::time::Duration;

use async_nats::Subscriber;
use async_nats::jetstream::Context;
use futures_util::{FutureExt, StreamExt};
use tokio::time::{sleep, timeout};

use crate::names::NOTICE;

/// How far the looks of all workers after one notice are spread.
const SPREAD: Duration = Duration::from_millis(500);

/// What a worker hears of notices.
#[derive(Debug)]
pub struct Notices(Option<Subscriber>);

impl Notices {
    /// Listens for notices, from now on. Who may not listen only looks now and then.
    pub async fn listen(context: &Context) -> Notices {
        Notices(context.client().subscribe(NOTICE).await.ok())
    }

    /// Waits for the next notice, for `at_most` so long; after one for a moment more, which is another one for each
    /// worker.
    pub async fn next(&mut self, at_most: Duration) {
        let Some(subscriber) = &mut self.0 else {
            return sleep(at_most).await;
        };
        match timeout(at_most, subscriber.next()).await {
            Ok(Some(_)) => {
                sleep(SPREAD.mul_f64(rand::random())).await;
                // What was said meanwhile is seen by the same look.
                while let Some(Some(_)) = subscriber.next().now_or_never() {}
            }
            // The connection is closed for good.
            Ok(None) => {
                self.0 = None;
                sleep(at_most).await;
            }
            Err(_) => {}
        }
    }
}

/// Says that something has changed. Who does not hear it sees it later.
pub async fn notify(context: &Context) {
    let _ = context.client().publish(NOTICE, "".into()).await;
}
