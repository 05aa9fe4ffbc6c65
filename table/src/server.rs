//! Listening and shutting down.

pub mod connections;
mod patience;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use connections::ConnectionBounds;
use matches::own_files::{NamedFile, refuse_overwriting};
use matches::play::sandbox::{self, Isolation, IsolationError};
use matches::run::exit::ExitError;
use matches::run::files_of;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};

use crate::access::Hosts;
use crate::api::{App, EtudeCatalog, FilesError, GameCatalog, MAX_REVIEWS, Recorder};
use crate::args::ServeArgs;
use crate::pool::Pool;
use crate::router::router;

const CONNECTIONS: ConnectionBounds = ConnectionBounds {
    most: 1024,
    patience: Duration::from_secs(30),
    write_patience: Duration::from_secs(10),
    last_words: Duration::from_secs(1),
};

/// Errors that stop the server.
#[derive(Debug, Error)]
pub enum ServerError {
    #[error(transparent)]
    Args(#[from] ExitError),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error(transparent)]
    Isolation(#[from] IsolationError),
    #[error("--listen {address}: {reason}")]
    Listen { address: SocketAddr, reason: io::Error },
    /// The system lacks a resource that the server needs.
    #[error("the server cannot run: {0}")]
    System(#[from] io::Error),
}

/// Serves the table until `end` gets a message or is dropped.
///
/// Prints the address, and errors of engines to standard error.
///
/// # Errors
/// [`ServerError`] if the server cannot start.
pub fn serve(args: &ServeArgs, end: oneshot::Receiver<()>) -> Result<(), ServerError> {
    sandbox::shield_arbiter();
    let (isolation, _) = Isolation::of(args.isolate, &args.engines()?)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind(args.listen));
    let listener =
        listener.map_err(|reason| ServerError::Listen { address: args.listen, reason })?;
    let address = listener.local_addr()?;
    let app = app(args, isolation)?;
    let pool = app.pool.clone();
    for entry in pool.entries() {
        if let Some(reason) = entry.introduction().error {
            complain(&reason);
        }
    }
    let router = router(app, Hosts::of(address, &args.host_name));
    announce(address, args.open);
    let (ended, has_ended) = oneshot::channel::<()>();
    let serving = runtime.spawn(connections::serve(listener, router, CONNECTIONS, async {
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
    runtime.shutdown_timeout(CONNECTIONS.last_words);
    Ok(())
}

/// Creates the state of the server; starts every engine once.
///
/// # Errors
/// [`ServerError`] if an argument is wrong, or a file cannot be read.
pub fn app(args: &ServeArgs, isolation: Option<Isolation>) -> Result<App, ServerError> {
    let (engines, chance) = (args.engines()?, args.chance()?);
    // The file of `--record` may be one of `--games`.
    let record = args.record.as_deref().map(|path| NamedFile::output("--record", path));
    let seed = args.seed_file.as_deref().map(|path| NamedFile::input("--seed-file", path));
    let mut files: Vec<NamedFile> = record.into_iter().chain(seed).collect();
    files.extend(args.etudes.iter().map(|path| NamedFile::input("--etudes", path)));
    files.extend(engines.iter().flat_map(files_of));
    refuse_overwriting(&files).map_err(ExitError::usage)?;
    let etudes = Arc::new(EtudeCatalog::new(&args.etudes, &args.etudes_variant)?);
    let games = Arc::new(GameCatalog::new(&args.games)?);
    let recorder = Arc::new(Recorder::new(args.record.as_deref())?);
    Ok(App {
        pool: Arc::new(Pool::new(engines, args.pool_bounds(), isolation)?),
        chance,
        bounds: args.search_bounds(),
        reviews: Arc::new(Semaphore::new(MAX_REVIEWS)),
        etudes,
        games,
        recorder,
    })
}

fn announce(address: SocketAddr, opens: bool) {
    let url = format!("http://{}/", reachable(address));
    // Errors are ignored: the user may have closed standard output.
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{url}");
    let _ = output.flush();
    if opens && let Err(error) = opener::open_browser(&url) {
        complain(&format!("--open: cannot start a browser: {error}"));
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
pub fn complain(problem: &str) {
    // If this fails, there is no other way to report it.
    let problem = matches::record::printable::printable_lines(problem);
    let _ = writeln!(io::stderr(), "table: {problem}");
}
