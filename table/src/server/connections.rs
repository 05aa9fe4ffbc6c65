//! Connections: limits their number and the time that a client may take.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Pause after the system refuses a connection because there are too many open files or processes.
const PAUSE: Duration = Duration::from_millis(50);
/// Maximum length of the head of a request.
const MOST_HEAD_BYTES: usize = 32 * 1024;

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionBounds {
    /// Maximum number of connections; further ones wait.
    pub most: usize,
    /// Timeout for the head of a request, also of a later one on the same connection.
    pub patience: Duration,
    /// Time that unfinished answers have at shutdown.
    pub last_words: Duration,
}

/// Serves connections with `router` until `end` completes, then shuts them down.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: ConnectionBounds,
    end: impl Future<Output = ()>,
) {
    let room = Arc::new(Semaphore::new(bounds.most));
    let all = GracefulShutdown::new();
    tokio::pin!(end);
    loop {
        let next = async {
            // The semaphore is never closed.
            let place = room.clone().acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            () = &mut end => break,
            next = next => next,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let connection = all.watch(connection(stream, router.clone(), bounds.patience));
        tokio::spawn(async move {
            // Errors of a connection affect only its client.
            let _ = connection.await;
            drop(place);
        });
    }
    let _ = tokio::time::timeout(bounds.last_words, all.shutdown()).await;
}

fn connection(
    stream: TcpStream,
    router: Router,
    patience: Duration,
) -> http1::Connection<TokioIo<TcpStream>, TowerToHyperService<Router>> {
    // Events are small and must be sent at once.
    let _ = stream.set_nodelay(true);
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(MOST_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
}
