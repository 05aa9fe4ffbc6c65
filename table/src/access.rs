//! Access control: rejects requests from pages of other sites.
//!
//! A browser lets any page send requests to any address, including this machine's. So the `Host` of a request must be
//! one of our names: a page whose host name resolves to this machine (DNS rebinding) would use its own name. And a page
//! must be one of ours: browsers report its origin in `Origin` and `Sec-Fetch-Site`.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, LazyLock};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{self, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, quoted};
use crate::pages::STYLE_SOURCE;

const SEC_FETCH_SITE: &str = "sec-fetch-site";
/// Port that a host may omit.
const HTTP: u16 = 80;

static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src {}; connect-src 'self'; img-src 'self' data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        *STYLE_SOURCE
    );
    // It is printable ASCII; any other would be replaced by a policy that allows nothing.
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

/// Security headers of every answer, besides the policy.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// Accepted hosts with their ports, in lower case.
#[derive(Clone, Debug)]
pub struct Hosts(Arc<[String]>);

impl Hosts {
    /// Returns the hosts of a server that listens on `address`, with additional names.
    ///
    /// On a loopback or unspecified address these include `localhost` and both loopback addresses.
    pub fn of(address: SocketAddr, more: &[String]) -> Hosts {
        let literal = match address.ip() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let mut names = vec![literal];
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            names.extend(["127.0.0.1", "localhost", "[::1]"].map(String::from));
        }
        names.extend(more.iter().map(|name| name.to_ascii_lowercase()));
        let port = address.port();
        let with_port = names.iter().map(|name| format!("{name}:{port}"));
        let mut hosts: Vec<String> = with_port.collect();
        if port == HTTP {
            hosts.extend(names);
        }
        hosts.dedup();
        Hosts(hosts.into())
    }

    fn have(&self, host: &str) -> bool {
        self.0.iter().any(|known| known.eq_ignore_ascii_case(host))
    }
}

/// Middleware that rejects foreign requests, and adds the security headers to every answer.
pub async fn guard(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let mut response = match check(&hosts, &request) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, POLICY.clone());
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
        .headers_mut()
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

fn check(hosts: &Hosts, request: &Request) -> Result<(), ApiError> {
    let headers = request.headers();
    let wrong_host = |found: String| {
        let expected = hosts.0.join(", ");
        let message = format!("host {found}; expected one of {expected}");
        ApiError::new(StatusCode::MISDIRECTED_REQUEST, message)
    };
    let host = only(headers, &HOST)
        .map_err(wrong_host)?
        .ok_or_else(|| wrong_host("is missing".to_string()))?;
    let authority = request.uri().authority();
    let names = authority.map(|authority| authority.as_str());
    for name in names.into_iter().chain([host]) {
        if !hosts.have(name) {
            return Err(wrong_host(quoted(name)));
        }
    }
    let foreign = |header: &'static str| {
        move |found: String| {
            let expected = "expected a page of this server, or no browser";
            ApiError::new(StatusCode::FORBIDDEN, format!("{header} {found}; {expected}"))
        }
    };
    if let Some(origin) = only(headers, &ORIGIN).map_err(foreign("origin"))? {
        let ours = origin.strip_prefix("http://");
        if !ours.is_some_and(|ours| ours.eq_ignore_ascii_case(host)) {
            return Err(foreign("origin")(quoted(origin)));
        }
    }
    let site = only(headers, &HeaderName::from_static(SEC_FETCH_SITE));
    match site.map_err(foreign(SEC_FETCH_SITE))? {
        None | Some("same-origin" | "none") => Ok(()),
        Some(site) => Err(foreign(SEC_FETCH_SITE)(quoted(site))),
    }
}

/// Returns the value of a header that may occur at most once, or a description of the error.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, String> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            let text = value.to_str().map_err(|_| "is not text".to_string())?;
            Ok(Some(text))
        }
        (Some(_), Some(_)) => Err("is given twice".to_string()),
    }
}
