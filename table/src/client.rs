//! Identity of clients.
//!
//! A client is an address or, for IPv6, its network of 64 bits. All clients of this machine share the loopback address,
//! so there a random token in a cookie tells them apart, in the form of a secret seed. The pages set it; requests
//! without one share a client.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Request;
use axum::http::header::{COOKIE, HeaderValue, SET_COOKIE};
use axum::middleware::Next;
use axum::response::Response;
use matches::plan::seed::Seed;

/// Name of the cookie.
const NAME: &str = "client";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientId {
    Address(IpAddr),
    Token(u128),
}

/// A connection, which its requests have as an extension.
#[derive(Debug)]
pub struct Connection {
    address: IpAddr,
    /// Number of admitted requests whose answers have not been written.
    busy: AtomicUsize,
}

impl Connection {
    pub fn of(address: IpAddr) -> Connection {
        Connection { address: address.to_canonical(), busy: AtomicUsize::new(0) }
    }

    /// The connection of a request; without one, a connection of this machine.
    pub fn of_request(request: &Request) -> Arc<Connection> {
        let known = request.extensions().get::<Arc<Connection>>();
        let local = || Arc::new(Connection::of(Ipv4Addr::LOCALHOST.into()));
        known.cloned().unwrap_or_else(local)
    }

    pub fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed) > 0
    }

    pub fn begin(&self) {
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    pub fn end(&self) {
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ClientId {
    pub fn of(connection: &Connection, request: &Request) -> ClientId {
        match connection.address {
            address if address.is_loopback() => {
                token(request).map_or(ClientId::Address(address), ClientId::Token)
            }
            IpAddr::V6(address) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                ClientId::Address(Ipv6Addr::from_bits(network).into())
            }
            address => ClientId::Address(address),
        }
    }
}

/// Returns the token in the cookies of a request.
fn token(request: &Request) -> Option<u128> {
    let cookies = request.headers().get_all(COOKIE).iter();
    let mut pairs = cookies
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(name, _)| *name == NAME)?;
    match value.parse() {
        Ok(Seed::Key(token)) => Some(u128::from_be_bytes(token)),
        _ => None,
    }
}

/// Middleware of the pages that gives a client without a token a new one.
pub async fn identify(request: Request, next: Next) -> Response {
    let is_known = token(&request).is_some();
    let mut response = next.run(request).await;
    if !is_known && let Ok(token) = Seed::secret() {
        let cookie = format!("{NAME}={token}; Path=/; HttpOnly; SameSite=Strict");
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn id(address: &str, cookies: &[&str]) -> ClientId {
        let mut request = Request::builder();
        for cookie in cookies {
            request = request.header(COOKIE, *cookie);
        }
        let connection = Connection::of(address.parse().unwrap());
        ClientId::of(&connection, &request.body(Body::empty()).unwrap())
    }

    #[test]
    fn only_on_this_machine_a_token_tells_clients_apart() {
        let one = format!("client={:032x}", 1);
        let both = format!("theme=dark; {one}");
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.2"] {
            assert_eq!(id(address, &[&one]), ClientId::Token(1), "{address}");
            assert_eq!(id(address, &["a=b", &both]), ClientId::Token(1));
            for wrong in ["", "client", "client=1", "client=+0000000000000000000000000000001"] {
                assert_eq!(id(address, &[wrong]), id(address, &[]), "{wrong}");
            }
        }
        for address in ["192.0.2.1", "2001:db8::1"] {
            assert_eq!(id(address, &[&one]), id(address, &[]), "{address}");
        }
        assert_eq!(id("2001:db8::1", &[]), id("2001:db8::ffff:2", &[]));
        assert_ne!(id("2001:db8::1", &[]), id("2001:db8:0:1::1", &[]));
        assert_ne!(id("192.0.2.1", &[]), id("192.0.2.2", &[]));
    }
}
