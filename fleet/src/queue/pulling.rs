//! What workers do with the consumer that they share. What costs the server something for everybody who waits there is
//! not done: with thousands of them it would be busy with nothing else.

use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::jetstream::consumer::{Config, Info, PullConsumer, pull};
use async_nats::jetstream::{Context, Message as Delivered};
use futures_util::StreamExt;
use serde_json::json;
use tokio::time::timeout;

use super::QueueError;
use crate::names::{Names, WORKERS};

/// How often who waits for a message looks whether to wait on.
const TICK: Duration = Duration::from_millis(100);

/// The consumer of a match that workers share; whether it is there is found out by pulling. The server is not asked,
/// since it looks at all who wait before it answers.
///
/// # Errors
/// [`QueueError::Call`] where the client needs to know more of a consumer.
pub fn workers_consumer(context: &Context, names: &Names) -> Result<PullConsumer, QueueError> {
    let nothing = json!({ "consumer_seq": 0, "stream_seq": 0 });
    let info = json!({
        "stream_name": names.work_stream(),
        "name": WORKERS,
        "created": "1970-01-01T00:00:00Z",
        "config": Config::default(),
        "delivered": nothing,
        "ack_floor": nothing,
        "num_ack_pending": 0,
        "num_redelivered": 0,
        "num_waiting": 0,
        "num_pending": 0,
    });
    let info: Info = serde_json::from_value(info).map_err(QueueError::call("consumer of work"))?;
    let config = pull::Config::default();
    Ok(PullConsumer::new(config, info, context.clone()))
}

/// Pulls the next message of a consumer, for `wait` at most, or until `is_over`; `None` where there is none. A server
/// that was lost meanwhile knows nothing of who waited, and is to be asked anew.
///
/// # Errors
/// [`QueueError::Call`] where the server does not answer, or has no such consumer.
pub async fn pull(
    context: &Context,
    consumer: &PullConsumer,
    wait: Duration,
    is_over: impl Fn() -> bool,
) -> Result<Option<Delivered>, QueueError> {
    let statistics = context.client().statistics();
    let lines = || statistics.connects.load(Ordering::Relaxed);
    let line = lines();
    let batch = consumer.batch().max_messages(1).expires(wait);
    let batch = batch.messages().await;
    let mut batch = batch.map_err(QueueError::call("work"))?;
    loop {
        match timeout(TICK, batch.next()).await {
            Ok(message) => return message.transpose().map_err(QueueError::call("work")),
            Err(_) if is_over() || lines() != line => return Ok(None),
            Err(_) => {}
        }
    }
}
