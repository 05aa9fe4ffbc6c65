//! Connections: limits their number and the time that a client may take.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;

use super::patience::PatientStream;
use crate::client::Connection;

/// Pause after the system refuses a connection because there are too many open files or processes, and between
/// attempts to make room for one.
const PAUSE: Duration = Duration::from_millis(50);
const MAX_HEAD_BYTES: usize = 32 * 1024;

#[derive(Clone, Copy, Debug)]
pub struct ConnectionBounds {
    /// Maximum number of connections. A further one ends the oldest one without a request, or waits.
    pub most: usize,
    /// Timeout for the head of a request, also of a later one on the same connection.
    pub patience: Duration,
    /// Timeout for a write during which the client reads nothing.
    pub write_patience: Duration,
    /// Time that unfinished answers have at shutdown.
    pub last_words: Duration,
}

/// Connections, the oldest first.
type Open = VecDeque<(Arc<Connection>, AbortHandle)>;

/// Serves connections with `router` until `end` completes, then shuts them down.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: ConnectionBounds,
    end: impl Future<Output = ()>,
) {
    let room = Arc::new(Semaphore::new(bounds.most));
    let all = GracefulShutdown::new();
    let mut open = Open::new();
    tokio::pin!(end);
    loop {
        let next = async {
            let accepted = listener.accept().await;
            (accepted, place(&room, &mut open, bounds.most).await)
        };
        let (accepted, place) = tokio::select! {
            () = &mut end => break,
            next = next => next,
        };
        let Ok((stream, address)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let connection = Arc::new(Connection::of(address.ip()));
        let served = converse(stream, connection.clone(), router.clone(), bounds, &all);
        let task = tokio::spawn(async move {
            served.await;
            drop(place);
        });
        open.push_back((connection, task.abort_handle()));
    }
    let _ = tokio::time::timeout(bounds.last_words, all.shutdown()).await;
}

/// Waits for the place of a connection; ends an idle one if there is none.
async fn place(room: &Arc<Semaphore>, open: &mut Open, most: usize) -> OwnedSemaphorePermit {
    loop {
        let place = room.clone().try_acquire_owned();
        if place.is_err() || open.len() > 2 * most {
            open.retain(|(_, task)| !task.is_finished());
        }
        if let Ok(place) = place {
            return place;
        }
        let mut connections = open.iter();
        let idle = connections.position(|(connection, _)| !connection.is_busy());
        if let Some((_, task)) = idle.and_then(|index| open.remove(index)) {
            task.abort();
        }
        let _ = tokio::time::timeout(PAUSE, room.acquire()).await;
    }
}

/// Answers the requests of a connection until it ends.
fn converse(
    stream: TcpStream,
    connection: Arc<Connection>,
    router: Router,
    bounds: ConnectionBounds,
    all: &GracefulShutdown,
) -> impl Future<Output = ()> + use<> {
    // Events are small and must be sent at once.
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(connection.clone());
        router.call(request)
    });
    let stream = PatientStream::new(stream, bounds.write_patience);
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.patience)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let served = all.watch(served);
    async move {
        // Errors of a connection affect only its client.
        let _ = served.await;
    }
}
