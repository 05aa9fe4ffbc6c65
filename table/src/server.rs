//! Listening, and ending in order.

pub mod connections;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use connections::ConnectionBounds;
use matches::play::walls::{self, Isolation, IsolationError};
use rustix::process::{Resource, getrlimit, setrlimit};
use settings::args::validate::ArgsError;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};

use crate::api::{App, MOST_REVIEWS, ShelfError};
use crate::args::ServeArgs;
use crate::door::Hosts;
use crate::pool::Pool;
use crate::router::router;

/// What connections may take.
const CONNECTIONS: ConnectionBounds = ConnectionBounds {
    most: 1024,
    patience: Duration::from_secs(30),
    last_words: Duration::from_secs(1),
};

/// Why there is no table.
#[derive(Debug, Error)]
pub enum ServerError {
    /// What was typed makes no sense.
    #[error(transparent)]
    Args(#[from] ArgsError),
    /// A file cannot be used.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// Engines cannot be isolated.
    #[error(transparent)]
    Isolation(#[from] IsolationError),
    /// The address cannot be listened at.
    #[error("--listen {address}: {reason}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why it cannot.
        reason: io::Error,
    },
    /// The system lacks what a server needs.
    #[error("the server cannot run: {0}")]
    System(#[from] io::Error),
}

/// Serves the table until `end` is sent something or dropped.
///
/// Prints the address, and to standard error what is wrong with engines.
///
/// # Errors
/// [`ServerError`] says why it could not begin.
pub fn serve(args: &ServeArgs, end: oneshot::Receiver<()>) -> Result<(), ServerError> {
    allow_many_descriptors();
    walls::shield_arbiter();
    let (isolation, _) = Isolation::of_plan(&args.plan(args.engines()?))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let listener = runtime.block_on(TcpListener::bind(args.listen));
    let listener = listener.map_err(|reason| ServerError::Listen {
        address: args.listen,
        reason,
    })?;
    let address = listener.local_addr()?;
    let app = app(args, isolation)?;
    let pool = app.pool.clone();
    for entry in pool.entries() {
        if let Some(reason) = entry.introduction().failing {
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
        // A sender that is gone means the same.
        let _ = end.await;
    });
    // First the searches, so that those who wait for them are told.
    pool.end();
    drop(ended);
    runtime.block_on(async {
        let _ = serving.await;
    });
    runtime.shutdown_timeout(CONNECTIONS.last_words);
    Ok(())
}

/// Allows as many open connections and pipes as the system does.
fn allow_many_descriptors() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // With fewer, fewer clients are served at a time.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// What requests are answered from, with every engine tried once.
///
/// # Errors
/// [`ServerError`] where an argument is wrong, or a file cannot be read.
pub fn app(args: &ServeArgs, isolation: Option<Isolation>) -> Result<App, ServerError> {
    let (engines, chance) = (args.engines()?, args.chance()?);
    let (etudes, games) = (Arc::new(args.etude_shelf()?), Arc::new(args.game_shelf()?));
    Ok(App {
        pool: Arc::new(Pool::new(engines, args.pool_bounds(), isolation)),
        chance,
        bounds: args.search_bounds(),
        reviews: Arc::new(Semaphore::new(MOST_REVIEWS)),
        etudes,
        games,
    })
}

fn announce(address: SocketAddr, opens: bool) {
    let url = format!("http://{}/", reachable(address));
    // Who closed our output does not want to know.
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{url}");
    let _ = output.flush();
    if opens && let Err(error) = opener::open_browser(&url) {
        complain(&format!("--open: cannot start a browser: {error}"));
    }
}

/// An address under which this machine reaches a server that listens at `address`.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => ([127, 0, 0, 1], v4.port()).into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => {
            (std::net::Ipv6Addr::LOCALHOST, v6.port()).into()
        }
        address => address,
    }
}

/// Says on standard error what is wrong.
pub fn complain(problem: &str) {
    // Nobody is left to tell, should this fail too.
    let problem = matches::record::printable::printable_lines(problem);
    let _ = writeln!(io::stderr(), "table: {problem}");
}
