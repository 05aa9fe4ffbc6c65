//! Requests from other sites' pages, or with another host, are refused.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{Request, StatusCode};

use crate::common::server::{NAME, Server};

const GAME: &str = r#"{"variant":"fox-and-hounds","players":2}"#;

/// Foreign hosts, as a browser would send them.
const HOSTS: [&str; 12] = [
    "evil.example", "evil.example:8000", "localhost", "localhost:8001",
    "localhost.evil.example:8000", "evil-localhost:8000", "127.0.0.1", "127.0.0.1:80",
    "127.0.0.2:8000", "0.0.0.0:8000", "[::2]:8000", "localhost:8000.evil.example",
];

/// Foreign origins.
const ORIGINS: [&str; 11] = [
    "null", "http://evil.example", "http://evil.example:8000", "https://localhost:8000",
    "http://localhost", "http://localhost:8001", "http://127.0.0.1:8000",
    "http://localhost:8000.evil.example", "http://localhost:8000/", "file://", "",
];

fn request(method: &str, path: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(if method == "POST" { GAME } else { "" })).unwrap()
}

const JSON: (&str, &str) = ("content-type", "application/json");
const OURS: (&str, &str) = ("host", NAME);

#[tokio::test]
async fn a_hundred_foreign_requests_are_refused() {
    let server = Server::new(&[]);
    let mut refused = 0;
    for (method, path) in
        [("POST", "/api/new"), ("GET", "/api/engines"), ("GET", "/"), ("POST", "/api/nothing")]
    {
        for host in HOSTS {
            let answer = server.send(request(method, path, &[JSON, ("host", host)])).await;
            let error = answer.error(StatusCode::MISDIRECTED_REQUEST);
            assert!(
                error.contains(host) && error.contains("expected one of 127.0.0.1:8000"),
                "{error}"
            );
            refused += 1;
        }
        for origin in ORIGINS {
            let answer =
                server.send(request(method, path, &[JSON, OURS, ("origin", origin)])).await;
            let error = answer.error(StatusCode::FORBIDDEN);
            assert!(error.starts_with("origin "), "{error}");
            refused += 1;
        }
        for site in ["cross-site", "same-site", "", "Same-Origin", "none, same-origin"] {
            let answer =
                server.send(request(method, path, &[JSON, OURS, ("sec-fetch-site", site)])).await;
            answer.error(StatusCode::FORBIDDEN);
            refused += 1;
        }
    }
    assert!(refused >= 100, "{refused}");
}

#[tokio::test]
async fn missing_and_repeated_hosts_are_refused() {
    let server = Server::new(&[]);
    let none = server.send(request("GET", "/", &[])).await;
    assert!(none.error(StatusCode::MISDIRECTED_REQUEST).starts_with("host is missing"));
    let twice = server.send(request("GET", "/", &[OURS, OURS])).await;
    assert!(twice.error(StatusCode::MISDIRECTED_REQUEST).starts_with("host is given twice"));
    let origin = ("origin", "http://localhost:8000");
    server.send(request("GET", "/", &[OURS, origin, origin])).await.error(StatusCode::FORBIDDEN);
    // The absolute form of the request line, which proxies get.
    let absolute = server.send(request("GET", "http://evil.example/", &[OURS])).await;
    absolute.error(StatusCode::MISDIRECTED_REQUEST);
}

#[tokio::test]
async fn our_own_page_and_programs_are_served() {
    let server = Server::new(&[]);
    for headers in [
        &[OURS][..],
        &[("host", "LOCALHOST:8000")],
        &[("host", "127.0.0.1:8000"), ("origin", "http://127.0.0.1:8000")],
        &[
            ("host", "[::1]:8000"),
            ("origin", "http://[::1]:8000"),
            ("sec-fetch-site", "same-origin"),
        ],
        &[OURS, ("sec-fetch-site", "none")],
    ] {
        let headers = [headers, &[JSON]].concat();
        let answer = server.send(request("POST", "/api/new", &headers)).await;
        assert_eq!(answer.status, StatusCode::OK, "{headers:?}: {}", answer.json);
    }
}

/// Pages of other sites can send forms and plain text without permission, so these are refused.
#[tokio::test]
async fn forms_and_plain_text_are_refused() {
    let server = Server::new(&[]);
    for kind in [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "text/json", "application/jsonx", "",
    ] {
        let answer =
            server.send(request("POST", "/api/new", &[OURS, (CONTENT_TYPE.as_str(), kind)])).await;
        let error = answer.error(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        assert!(error.contains("expected application/json"), "{error}");
    }
    server
        .send(request("POST", "/api/new", &[OURS]))
        .await
        .error(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let charset = (CONTENT_TYPE.as_str(), "Application/JSON; charset=utf-8");
    assert_eq!(
        server.send(request("POST", "/api/new", &[OURS, charset])).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn every_answer_has_security_headers() {
    use tower::ServiceExt;

    let server = Server::new(&[]);
    for (path, host) in [
        ("/", NAME),
        ("/table.js", NAME),
        ("/api/engines", NAME),
        ("/nothing", NAME),
        ("/", "evil.example"),
    ] {
        let request =
            Request::get(path).header(HOST, host).header(ORIGIN, format!("http://{host}"));
        let response =
            server.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_string();
        let policy = header("content-security-policy");
        let (before, rest) = policy.split_once("'sha256-").unwrap();
        let (_, after) = rest.split_once('\'').unwrap();
        assert_eq!(before, "default-src 'none'; script-src 'self'; style-src ");
        assert_eq!(
            after,
            "; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("cross-origin-resource-policy"), "same-origin");
        assert_eq!(header("cross-origin-opener-policy"), "same-origin");
        assert!(!response.headers().contains_key("access-control-allow-origin"));
    }
}
