//! A bare handler that answers every `POST /api/play` with the bytes of a file as fast as axum can, for comparison by
//! `table/benches/load`. Takes the file, prints its address, and runs until it is killed.

use std::error::Error;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use tokio::net::TcpListener;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("expected a file")?;
    let answer = Bytes::from(std::fs::read(file)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("http://{}/", listener.local_addr()?);
        // Reads the request, as the table must.
        let handler = move |_: Bytes| async { ([(CONTENT_TYPE, "application/json")], answer) };
        Ok(axum::serve(listener, Router::new().route("/api/play", post(handler))).await?)
    })
}
