//! The connection to the server, and messages to the user about it: lost, restored, or refused by the server.

use std::collections::BTreeSet;
use std::future::{Ready, ready};
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{fs, io};

use async_nats::jetstream::context::AccountErrorKind;
use async_nats::jetstream::{self, Context};
use async_nats::{ConnectOptions, Event, ServerAddr, ServerError};
use matches::input_file::text_of;
use matches::record::printable::printable;
use matches::run::exit::complain;
use nkeys::KeyPair;

use super::QueueError;
use crate::args::ServerArgs;
use crate::signature::{FileError, Key};

/// Interval between pings to the server; the client drops a connection after three unanswered ones.
const PING_INTERVAL: Duration = Duration::from_secs(15);
/// Oldest server version with all required features.
const OLDEST: (u64, u64) = (2, 10);

/// Maximum number of refusals to report: a client without a permission is refused again and again.
const MAX_REFUSALS: usize = 8;

/// Connects to the server. A worker names its key: no other worker may read answers to it.
///
/// # Errors
/// [`QueueError`] if the server cannot be reached or does not meet the requirements.
pub async fn connect(
    args: &ServerArgs,
    name: &str,
    worker: Option<&Key>,
) -> Result<Context, QueueError> {
    let url = || without_password(&args.nats);
    // The client library ignores a user in an address.
    let address: ServerAddr = args.nats.parse().map_err(|reason| QueueError::Unreachable {
        url: url(),
        reason: format!("{reason}, expected such as nats://host:4222"),
    })?;
    let unreachable = |reason: String| QueueError::Unreachable { url: url(), reason };
    let mut options = ConnectOptions::new()
        .name(name)
        .ping_interval(PING_INTERVAL)
        .event_callback(event_reporter());
    if let Some(key) = worker {
        options = options.custom_inbox_prefix(format!("_INBOX_{key}"));
    }
    if is_local(&args.nats) {
        // A server on this machine may name others, and the client would reconnect to them.
        options = options.ignore_discovered_servers();
    }
    let no_use = |flag, path: &Path, reason| FileError { flag, path: path.to_path_buf(), reason };
    let read = |flag, path: &Path| {
        fs::read(path).and_then(text_of).map_err(|reason| no_use(flag, path, reason))
    };
    if let (Some(user), Some(password)) = (address.username(), address.password()) {
        options = options.user_and_password(user.to_string(), password.to_string());
    }
    if let Some(path) = &args.creds {
        let credentials = options.credentials(&read("--creds", path)?);
        options = credentials.map_err(|reason| no_use("--creds", path, reason))?;
    }
    if let Some(path) = &args.nkey {
        let seed = read("--nkey", path)?.trim().to_string();
        // The client library's error names neither the flag nor the file.
        if KeyPair::from_seed(&seed).is_err() {
            let reason = io::Error::other("expected the seed of an nkey, such as SU...");
            return Err(no_use("--nkey", path, reason).into());
        }
        options = options.nkey(seed);
    }
    if let Some(path) = &args.tls_ca {
        if !read("--tls-ca", path)?.contains("-----BEGIN CERTIFICATE-----") {
            let reason = io::Error::other("expected certificates in PEM");
            return Err(no_use("--tls-ca", path, reason).into());
        }
        options = options.add_root_certificates(path.clone());
    }
    let connected = options.connect(address).await;
    let client = connected.map_err(|error| unreachable(error.to_string()))?;
    let found = client.server_info().version;
    if version_of(&found).is_none_or(|version| version < OLDEST) {
        return Err(QueueError::Old { url: url(), found });
    }
    let context = jetstream::new(client);
    match context.query_account().await {
        Ok(_) => Ok(context),
        Err(error) if matches!(error.kind(), AccountErrorKind::TimedOut) => {
            Err(QueueError::Silent { url: url() })
        }
        Err(error) => Err(QueueError::NoJetStream { url: url(), reason: error.to_string() }),
    }
}

pub fn is_local(address: &str) -> bool {
    let Ok(address) = address.parse::<ServerAddr>() else {
        return false;
    };
    let host = address.host().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// Whether only programs on this machine reach the server at an address: it listens on loopback.
pub fn is_private(address: &str, context: &Context) -> bool {
    is_local(address) && is_local(&context.client().server_info().host)
}

/// Returns an address without user and password.
fn without_password(address: &str) -> String {
    match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_string(),
        _ => address.to_string(),
    }
}

/// Returns the first two numbers of a version.
fn version_of(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split('.');
    let mut next = || numbers.next()?.parse().ok();
    Some((next()?, next()?))
}

/// Reports to the user so far.
#[derive(Default)]
struct ConnectionReports {
    is_lost: bool,
    refusals: BTreeSet<String>,
}

/// Returns a callback that reports events of the connection, each refusal once.
fn event_reporter() -> impl Fn(Event) -> Ready<()> + Send + Sync + 'static {
    let reports = Mutex::new(ConnectionReports::default());
    move |event| {
        let mut reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = reports.report(event) {
            complain(format_args!("server: {}", printable(&text)));
        }
        ready(())
    }
}

impl ConnectionReports {
    fn report(&mut self, event: Event) -> Option<String> {
        match event {
            Event::Disconnected if !std::mem::replace(&mut self.is_lost, true) => {
                Some("connection lost; retrying".to_string())
            }
            Event::Connected if std::mem::take(&mut self.is_lost) => {
                Some("connection restored".to_string())
            }
            Event::ServerError(ServerError::Other(reason))
                if self.refusals.len() < MAX_REFUSALS && self.refusals.insert(reason.clone()) =>
            {
                Some(format!("refused: {reason}"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_new_is_said() {
        let mut reports = ConnectionReports::default();
        assert_eq!(reports.report(Event::Connected), None);
        assert!(reports.report(Event::Disconnected).is_some());
        assert_eq!(reports.report(Event::Disconnected), None);
        assert!(reports.report(Event::Connected).is_some());
        let refusal = |reason: &str| Event::ServerError(ServerError::Other(reason.to_string()));
        assert!(reports.report(refusal("Permissions Violation")).is_some());
        assert_eq!(reports.report(refusal("Permissions Violation")), None);
        let more = (0..100).filter_map(|number| reports.report(refusal(&number.to_string())));
        assert_eq!(more.count(), MAX_REFUSALS - 1);
    }

    #[test]
    fn no_password_is_shown() {
        for (address, shown) in [
            ("nats://u:p@host:1", "nats://host:1"),
            ("u:p@host", "host"),
            ("nats://host", "nats://host"),
        ] {
            assert_eq!(without_password(address), shown);
        }
    }

    #[test]
    fn this_machine_is_told_from_others() {
        for address in ["127.0.0.1", "nats://u:p@localhost:1", "tls://[::1]:4222"] {
            assert!(is_local(address), "{address}");
        }
        for address in ["nats://host", "127.0.0.1.example.org", "10.0.0.1:4222", "localhost.x"] {
            assert!(!is_local(address), "{address}");
        }
    }

    #[test]
    fn old_servers_are_told_by_their_version() {
        for (text, is_fit) in [("2.9.10", false), ("2.10.0", true), ("3.0", true), ("x", false)] {
            let found = version_of(text).is_some_and(|version| version >= OLDEST);
            assert_eq!(found, is_fit, "{text}");
        }
    }
}
