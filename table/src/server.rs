//! Listening and shutting down.

use std::fmt::Display;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{Method, StatusCode, Uri};
use axum::{Router, middleware};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use hyper_util::service::TowerToHyperService;
use matches::own_files::{NamedFile, refuse_overwriting};
use matches::play::sandbox::{self, Isolation};
use matches::record::printable::shortened;
use matches::run::exit::ExitError;
use matches::run::files_of;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio_io_timeout::TimeoutStream;
use tower_http::add_extension::AddExtension;
use tower_http::compression::CompressionLayer;

use crate::access::{Hosts, guard};
use crate::api::{self, App, EtudeCatalog, GameCatalog, Recorder};
use crate::args::ServeArgs;
use crate::error::{ApiError, quoted};
use crate::pages;
use crate::pool::Pool;
use crate::requests::{Clients, Connection};

/// Limits on connections.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionBounds {
    /// Maximum number of connections. A further one ends the oldest one without a request in progress.
    pub connections: usize,
    /// Timeout for the head of a request, also of a later one on the same connection.
    pub head: Duration,
    /// Timeout for a write during which the client reads nothing.
    pub write: Duration,
    /// Time that unfinished answers have at shutdown.
    pub shutdown: Duration,
}

const BOUNDS: ConnectionBounds = ConnectionBounds {
    connections: 1024,
    head: Duration::from_secs(30),
    write: Duration::from_secs(10),
    shutdown: Duration::from_secs(1),
};
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// Pause after the system refuses a connection because there are too many open files or processes.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves the table until `end` gets a message or is dropped.
///
/// Prints the address, and errors of engines to standard error.
///
/// # Errors
/// [`ExitError`] if the server cannot start.
pub fn serve(args: &ServeArgs, end: oneshot::Receiver<()>) -> Result<(), ExitError> {
    sandbox::shield_arbiter();
    let (isolation, _) = Isolation::of(args.isolate, &args.engines()?).map_err(ExitError::usage)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(lacking)?;
    let listener = runtime
        .block_on(TcpListener::bind(args.listen))
        .map_err(|reason| ExitError::usage(format_args!("--listen {}: {reason}", args.listen)))?;
    let address = listener.local_addr().map_err(lacking)?;
    let app = app(args, isolation)?;
    let pool = app.pool.clone();
    for entry in pool.entries() {
        if let Some(reason) = entry.introduction().error {
            print_error(&reason);
        }
    }
    let router = router(app, Hosts::of(address, &args.host_name));
    announce(address, args.open);
    let (ended, has_ended) = oneshot::channel::<()>();
    let serving = runtime.spawn(serve_connections(listener, router, BOUNDS, async {
        let _ = has_ended.await;
    }));
    runtime.block_on(async {
        // A dropped sender has the same effect as a message.
        let _ = end.await;
    });
    // Searches end first, so that waiting requests are answered.
    pool.end();
    drop(ended);
    runtime.block_on(async {
        let _ = serving.await;
    });
    runtime.shutdown_timeout(BOUNDS.shutdown);
    Ok(())
}

/// The error of a system that lacks a resource that the server needs.
pub fn lacking(error: impl Display) -> ExitError {
    ExitError::usage(format_args!("the server cannot run: {error}"))
}

/// Creates the state of the server; starts every engine once.
///
/// # Errors
/// [`ExitError`] if an argument is wrong, or a file cannot be read.
pub fn app(args: &ServeArgs, isolation: Option<Isolation>) -> Result<App, ExitError> {
    let (engines, seed) = (args.engines()?, args.chosen_seed()?);
    // The file of `--record` may be one of `--games`.
    let record = args.record.as_deref().map(|path| NamedFile::output("--record", path));
    let seed_file = args.seed_file.as_deref().map(|path| NamedFile::input("--seed-file", path));
    let mut files: Vec<NamedFile> = record.into_iter().chain(seed_file).collect();
    files.extend(args.etudes.iter().map(|path| NamedFile::input("--etudes", path)));
    files.extend(engines.iter().flat_map(files_of));
    refuse_overwriting(&files).map_err(ExitError::usage)?;
    let etudes = Arc::new(EtudeCatalog::new(&args.etudes, &args.etudes_variant)?);
    let games = Arc::new(GameCatalog::new(&args.games)?);
    let recorder = Arc::new(Recorder::new(args.record.as_deref())?);
    Ok(App {
        pool: Arc::new(Pool::new(engines, args.limits, isolation).map_err(lacking)?),
        seed,
        limits: args.limits,
        clients: Clients::new(),
        etudes,
        games,
        recorder,
    })
}

/// All routes, and the layers around them.
pub fn router(app: App, hosts: Hosts) -> Router {
    // Pages are not admitted, so that they are served even if their client's requests are refused.
    pages::routes()
        .merge(api::routes())
        .layer(CompressionLayer::new())
        .fallback(no_path)
        .method_not_allowed_fallback(no_method)
        .with_state(app)
        .layer(middleware::from_fn_with_state(hosts, guard))
}

async fn no_path(uri: Uri) -> ApiError {
    let path = quoted(uri.path());
    let message = format!("there is no {path}; expected a path listed in docs/table.md");
    ApiError::new(StatusCode::NOT_FOUND, message)
}

async fn no_method(method: Method, uri: Uri) -> ApiError {
    let expected = "expected a method listed in docs/table.md";
    let (method, path) = (shortened(method.as_str(), 20), quoted(uri.path()));
    let message = format!("{method} {path} is not supported; {expected}");
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message)
}

/// Serves connections with `router` until `end` completes, then shuts them down.
///
/// `axum::serve` has no timeout for the head of a request, and no bound for its length.
pub async fn serve_connections(
    listener: TcpListener,
    router: Router,
    bounds: ConnectionBounds,
    end: impl Future<Output = ()>,
) {
    let all = GracefulShutdown::new();
    // The oldest first.
    let mut open: Vec<(Arc<Connection>, AbortHandle)> = Vec::new();
    tokio::pin!(end);
    loop {
        let accepted = tokio::select! {
            () = &mut end => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, address)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        open.retain(|(_, task)| !task.is_finished());
        if open.len() >= bounds.connections {
            let Some(idle) = open.iter().position(|(connection, _)| connection.is_idle()) else {
                continue;
            };
            open.remove(idle).1.abort();
        }
        let connection = Connection::new(address.ip());
        let served = all.watch(conversation(stream, connection.clone(), router.clone(), bounds));
        // Errors of a connection affect only its client.
        let task = tokio::spawn(async { drop(served.await) });
        open.push((connection, task.abort_handle()));
    }
    let _ = tokio::time::timeout(bounds.shutdown, all.shutdown()).await;
}

/// Answers the requests of a connection.
fn conversation(
    stream: TcpStream,
    connection: Arc<Connection>,
    router: Router,
    bounds: ConnectionBounds,
) -> impl GracefulConnection<Error = hyper::Error> {
    // Events are small and must be sent at once.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(bounds.write));
    let router = TowerToHyperService::new(AddExtension::new(router, connection));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.head)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(Box::pin(stream)), router)
}

fn announce(address: SocketAddr, opens: bool) {
    let url = format!("http://{}/", reachable(address));
    // Errors are ignored: the user may have closed standard output.
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{url}");
    let _ = output.flush();
    if opens && let Err(error) = opener::open_browser(&url) {
        print_error(&format!("--open: cannot start a browser: {error}"));
    }
}

/// Returns an address at which this machine reaches a server that listens on `address`.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => ([127, 0, 0, 1], v4.port()).into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => {
            (std::net::Ipv6Addr::LOCALHOST, v6.port()).into()
        }
        address => address,
    }
}

/// Prints a problem to standard error.
pub fn print_error(problem: &str) {
    // If this fails, there is no other way to report it.
    let problem = matches::record::printable::printable_lines(problem);
    let _ = writeln!(io::stderr(), "table: {problem}");
}
