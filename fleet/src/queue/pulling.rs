//! Workers' calls on their shared consumer. They avoid every request whose cost for the server grows with the number of
//! waiting workers, since there may be thousands.

use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::jetstream::consumer::{Config, Info, PullConsumer, pull};
use async_nats::jetstream::{Context, Message as Delivered};
use futures_util::StreamExt;
use serde_json::json;
use tokio::time::timeout;

use super::QueueError;
use crate::names::{Names, WORKERS};

/// Interval at which a waiting call checks whether to stop.
const TICK: Duration = Duration::from_millis(100);

/// Returns the consumer that the workers of a match share, without asking the server, which would scan all waiting
/// workers before it answers. If the consumer is missing, pulling from it fails.
///
/// # Errors
/// [`QueueError::Call`] if the client library needs more fields to describe a consumer.
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

/// Pulls the next message of a consumer, until `wait` has passed or `is_over`; returns `None` if there is none. Also
/// returns `None` after a reconnection, since the server has forgotten the request.
///
/// # Errors
/// [`QueueError::Call`] if the server does not answer, or has no such consumer.
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
