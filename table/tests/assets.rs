//! Pages and static files: compressed, and sent once as long as they do not change.

use axum::body::{Body, to_bytes};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, HOST, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, Request, StatusCode};
use tower::ServiceExt;

use crate::common::server::Server;

/// Sends a request with a header; returns the status, the headers and the length of the content.
async fn sent(
    server: &Server,
    path: &str,
    (name, value): (HeaderName, &str),
) -> (StatusCode, HeaderMap, usize) {
    let request = Request::get(path)
        .header(HOST, "localhost:8000")
        .header(name, value)
        .body(Body::empty())
        .unwrap();
    let response = server.router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let content = to_bytes(body, usize::MAX).await.unwrap();
    (parts.status, parts.headers, content.len())
}

#[tokio::test]
async fn a_file_that_the_browser_has_is_not_sent_again() {
    let server = Server::new(&[]);
    let mut tags = Vec::new();
    for path in ["/", "/rules", "/regeln", "/table.js"] {
        let (status, headers, length) = sent(&server, path, (IF_NONE_MATCH, "W/\"other\"")).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        assert!(length > 100, "{path}");
        let tag = headers[ETAG].to_str().unwrap().to_string();
        let (status, headers, length) = sent(&server, path, (IF_NONE_MATCH, &tag)).await;
        assert_eq!((status, length), (StatusCode::NOT_MODIFIED, 0), "{path}");
        assert_eq!(headers[ETAG], tag, "{path}");
        assert!(!tags.contains(&tag), "{path}: the tag of another file");
        tags.push(tag);
    }
}

#[tokio::test]
async fn files_are_compressed_for_clients_that_can_read_it() {
    let server = Server::new(&[]);
    for path in ["/", "/rules", "/board.js", "/texts.json"] {
        let (_, headers, plain) = sent(&server, path, (ACCEPT_ENCODING, "identity")).await;
        assert!(!headers.contains_key(CONTENT_ENCODING), "{path}");
        let (_, headers, small) = sent(&server, path, (ACCEPT_ENCODING, "br, gzip")).await;
        assert_eq!(headers[CONTENT_ENCODING], "gzip", "{path}");
        assert!(2 * small < plain, "{path}: {small} of {plain} bytes");
    }
}
