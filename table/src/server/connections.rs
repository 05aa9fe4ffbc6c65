//! Connections: no more of them than we have room for, and none that dawdles over what it wants.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// How long it is waited when the system gives no more connections, since there are too many files or processes.
const PAUSE: Duration = Duration::from_millis(50);
/// The most bytes that the head of a request may have.
const MOST_HEAD_BYTES: usize = 32 * 1024;

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionBounds {
    /// Connections at a time; more of them wait.
    pub most: usize,
    /// How long the head of a request is waited for, the first or the next.
    pub patience: Duration,
    /// How long answers that are on their way have to get there at the end.
    pub last_words: Duration,
}

/// Has `router` answer all connections until `end` comes, and ends them then.
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
            // It is never closed.
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
            // What goes wrong with a connection is its client's concern.
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
    // Events are small, and are to be seen at once.
    let _ = stream.set_nodelay(true);
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(MOST_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
}
