//! Clients that take all they can: others are served nevertheless, and memory is bounded.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Request;
use axum::http::header::{COOKIE, HOST, SET_COOKIE};
use buxtehude::rules::Variant;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use table::game::MAX_WORDS;
use table::server::{ConnectionBounds, serve_connections};
use tower::ServiceExt;

use crate::common::games::game;
use crate::common::program::Program;
use crate::common::server::{NAME, Server};

const GAME: &str = r#""game":{"variant":"hase-und-igel","players":2,"moves":[]}"#;
/// More connections than the server allows.
const MANY: usize = 1100;
/// Maximum memory of the server under any attack, in KiB.
const MAX_MEMORY: u64 = 200 * 1024;
/// Maximum median of a short operation under attack; generous, since other tests run at the same time.
const MAX_LATENCY: Duration = Duration::from_millis(500);

/// The longest possible game in a request, of six players.
fn longest_game() -> Value {
    let variant = Variant::by_name("hase-und-igel").unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut position = variant.start(6).unwrap();
    let mut words = Vec::new();
    while words.len() < MAX_WORDS {
        let legal = position.legal_actions();
        // A hare on a carrot square stays there.
        let stay = ["1001", "1002"][words.len() / 6 % 2].to_string();
        let word =
            if legal.contains(&stay) { stay } else { legal.choose(&mut random).unwrap().clone() };
        position.play(&word).unwrap();
        words.push(word);
    }
    game(variant, 6, &words)
}

/// A connection of one client; without a number the client has no token.
struct Client(BufReader<TcpStream>, String);

impl Client {
    fn new(program: &Program, number: Option<usize>) -> Client {
        let stream = TcpStream::connect(&program.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let cookie =
            number.map_or(String::new(), |number| format!("cookie: client={number:032x}\r\n"));
        let head = format!("host: {}\r\n{cookie}", program.address);
        Client(BufReader::new(stream), head)
    }

    fn send(&mut self, path: &str, body: &str) -> std::io::Result<()> {
        let (head, length) = (&self.1, body.len());
        let request = format!(
            "POST /api/{path} HTTP/1.1\r\n{head}content-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        self.0.get_mut().write_all(request.as_bytes())
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line)? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_string()),
        }
    }

    /// Reads the head of an answer; returns its status and length.
    fn read_head(&mut self) -> std::io::Result<(u16, usize)> {
        let status = self.line()?["HTTP/1.1 ".len()..][..3].parse().unwrap();
        let mut length = 0;
        loop {
            match self.line()?.split_once(": ") {
                Some(("content-length", number)) => length = number.parse().unwrap(),
                Some(_) => {}
                None => return Ok((status, length)),
            }
        }
    }

    /// Reads an answer with a length; returns its status and body.
    fn read(&mut self) -> std::io::Result<(u16, String)> {
        let (status, length) = self.read_head()?;
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        Ok((status, String::from_utf8(body).unwrap()))
    }

    fn ask(&mut self, path: &str, body: &str) -> std::io::Result<(u16, String)> {
        self.send(path, body)?;
        self.read()
    }
}

/// Raises the limit of open files of this process and its children.
fn allow_many_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
}

/// Highest resident memory that a process has had, in KiB.
fn peak_memory(program: &Program) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    words[1].parse().unwrap()
}

/// Median time of a short operation of a client with a token.
fn median_of_others(program: &Program) -> Duration {
    let mut client = Client::new(program, Some(1 << 20));
    let body = format!(r#"{{{GAME},"move":"1"}}"#);
    let time = |_| {
        let begun = Instant::now();
        let (status, answer) = client.ask("play", &body).unwrap();
        assert_eq!(status, 200, "{answer}");
        begun.elapsed()
    };
    let mut times: Vec<Duration> = (0..31).map(time).collect();
    times.sort();
    times[15]
}

/// Memory and others' latency while far more connections than allowed read no answers.
fn assert_unread_answers_are_harmless(client: impl Fn(usize) -> Option<usize>) {
    allow_many_files();
    let program = Program::start(&["--processes", "1"]);
    let body = json!({ "game": longest_game() }).to_string();
    assert!(body.len() > 20_000);
    let mut unread = Vec::new();
    for number in 0..MANY {
        let mut client = Client::new(&program, client(number));
        client.send("show", &body).unwrap();
        unread.push(client);
    }
    let median = median_of_others(&program);
    // More requests on connections that have not been closed yet.
    for client in &mut unread {
        for _ in 0..4 {
            let _ = client.send("show", &body);
        }
    }
    let peak = peak_memory(&program);
    println!("peak {peak} KiB, median of others {median:?}");
    assert!(peak < MAX_MEMORY, "{peak} KiB");
    assert!(median < MAX_LATENCY, "{median:?}");
}

#[test]
fn answers_that_are_not_read_are_bounded_and_lock_out_nobody() {
    assert_unread_answers_are_harmless(|_| None);
}

#[test]
fn unread_answers_of_many_clients_lock_out_nobody() {
    assert_unread_answers_are_harmless(Some);
}

#[test]
fn many_clients_with_long_games_are_served_in_bounded_memory() {
    let program = Program::start(&["--processes", "1"]);
    let body = json!({ "game": longest_game() }).to_string();
    thread::scope(|scope| {
        for number in 0..64 {
            let (program, body) = (&program, &body);
            scope.spawn(move || {
                // Half of them share the queue of the address.
                let mut client = Client::new(program, Some(number).filter(|n| n % 2 == 0));
                let from = number * 64;
                let body = body.replacen('{', &format!(r#"{{"from":{from},"#), 1);
                let (status, answer) = client.ask("show", &body).unwrap();
                assert_eq!(status, 200, "{answer}");
                assert!(answer.len() < 500_000, "{}", answer.len());
                let answer: Value = serde_json::from_str(&answer).unwrap();
                let words = &answer["game"]["moves"].as_array().unwrap()[from..];
                let steps = answer["steps"].as_array().unwrap();
                assert_eq!(steps.len(), words.len().min(256));
                let mut pairs = steps.iter().zip(words);
                assert!(pairs.all(|(step, word)| step["word"] == *word), "from {from}");
            });
        }
    });
    let peak = peak_memory(&program);
    println!("peak {peak} KiB");
    assert!(peak < MAX_MEMORY, "{peak} KiB");
}

/// Others' latency while 64 connections send long games without a pause.
fn assert_many_requests_are_harmless(client: impl Fn(usize) -> Option<usize> + Sync) {
    let program = Program::start(&["--processes", "1"]);
    let body = json!({ "game": longest_game() }).to_string();
    let has_ended = AtomicBool::new(false);
    let before = median_of_others(&program);
    let during = thread::scope(|scope| {
        for number in 0..64 {
            let (program, body, client, has_ended) = (&program, &body, &client, &has_ended);
            scope.spawn(move || {
                let mut client = Client::new(program, client(number));
                while !has_ended.load(Ordering::Relaxed) {
                    client.ask("show", body).unwrap();
                }
            });
        }
        thread::sleep(Duration::from_millis(500));
        let during = median_of_others(&program);
        has_ended.store(true, Ordering::Relaxed);
        during
    });
    println!("median of others {before:?}, during the attack {during:?}");
    assert!(during < MAX_LATENCY, "{before:?} {during:?}");
}

#[test]
fn a_client_with_many_requests_does_not_slow_down_others() {
    assert_many_requests_are_harmless(|_| None);
}

#[test]
fn many_clients_with_long_games_do_not_slow_down_others() {
    assert_many_requests_are_harmless(Some);
}

#[test]
fn a_client_with_many_searches_waits_and_others_do_not() {
    let program = Program::start(&["--processes", "4", "--queue", "16"]);
    let long = format!(r#"{{{GAME},"limit":"movetime 60000"}}"#);
    let head = |number, path, body| {
        let mut client = Client::new(&program, number);
        client.send(path, body).unwrap();
        assert_eq!(client.read_head().unwrap().0, 200);
        // The first line is the length of a chunk.
        client.line().unwrap();
        let event = client.line().unwrap();
        (client, event)
    };
    // Half of the processes are for one client; its other searches wait.
    let running: Vec<_> = (0..2).map(|_| head(None, "analyse", &long)).collect();
    assert!(running.iter().all(|(_, event)| event == "event: info"));
    let mut waiting: Vec<_> = (0..16).map(|_| head(None, "analyse", &long)).collect();
    assert!(waiting.iter().all(|(_, event)| event == "event: queue"));
    let (_, event) = head(None, "analyse", &long);
    assert_eq!(event, "event: error");
    assert!(median_of_others(&program) < MAX_LATENCY);
    // Another client gets the other processes.
    let others: Vec<_> = (0..2).map(|_| head(Some(1), "analyse", &long)).collect();
    assert!(others.iter().all(|(_, event)| event == "event: info"));
    // The queue is full, so that one of the many searches makes room for the first one of a third client.
    let (mut third, event) = head(Some(2), "analyse", &long);
    assert_eq!(event, "event: queue");
    assert_eq!(third.line().unwrap(), r#"data: {"ahead":1}"#);
    let (last, _) = waiting.last_mut().unwrap();
    while last.line().unwrap() != "event: error" {}
    // A move of the first client waits for a process, but not for its other analyses.
    let mut game = Client::new(&program, None);
    game.send("ai", &format!(r#"{{{GAME},"limit":"nodes 10"}}"#)).unwrap();
    drop(running);
    assert_eq!(game.read().unwrap().0, 200);
}

#[test]
fn a_client_with_many_reviews_leaves_room_for_those_of_others() {
    let program = Program::start(&["--processes", "1"]);
    let review = json!({ "game": longest_game(), "limit": "movetime 60000" }).to_string();
    let begin = |number| {
        let mut client = Client::new(&program, number);
        client.send("review", &review).unwrap();
        let (status, _) = client.read_head().unwrap();
        (client, status)
    };
    let own: Vec<_> = (0..6).map(|_| begin(None)).collect();
    let statuses: Vec<u16> = own.iter().map(|(_, status)| *status).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 429, 429]);
    assert_eq!(begin(Some(1)).1, 200);
    assert!(median_of_others(&program) < MAX_LATENCY);
}

/// Connections that send no request, or a part of one, are ended when others need their place.
#[test]
fn idle_connections_lock_out_nobody() {
    allow_many_files();
    let program = Program::start(&["--processes", "1"]);
    let idle: Vec<TcpStream> = (0..MANY)
        .map(|number| {
            let mut stream = TcpStream::connect(&program.address).unwrap();
            if number % 2 == 0 {
                let _ = stream.write_all(b"POST /api/show HTTP/1.1\r\nhost:");
            }
            stream
        })
        .collect();
    let begun = Instant::now();
    let median = median_of_others(&program);
    assert!(median < MAX_LATENCY, "{median:?}");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    drop(idle);
}

/// A token from the page makes its holder a client of its own.
#[tokio::test]
async fn pages_set_a_token_and_answers_do_not() {
    let server = Server::new(&[]);
    let cookie = async |path: &str, sent: &str| {
        let request =
            Request::get(path).header(HOST, NAME).header(COOKIE, sent).body(Body::empty()).unwrap();
        let response = server.router.clone().oneshot(request).await.unwrap();
        let cookie = response.headers().get(SET_COOKIE);
        cookie.map(|cookie| cookie.to_str().unwrap().to_string())
    };
    let set = cookie("/", "").await.unwrap();
    let (pair, attributes) = set.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict");
    assert_eq!(pair.len(), "client=".len() + 32, "{pair}");
    assert_ne!(cookie("/regeln", "client=x").await.unwrap(), set);
    for (path, sent) in [("/", pair), ("/api/engines", ""), ("/table.js", "")] {
        assert_eq!(cookie(path, sent).await, None, "{path}");
    }
}

/// Serves on a port of its own with short timeouts; returns its address, and a function that ends it.
async fn serving(head: Duration, write: Duration) -> (SocketAddr, impl AsyncFnOnce()) {
    let server = Server::new(&[]);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = Duration::from_millis(100);
    let bounds = ConnectionBounds { connections: 2, head, write, shutdown };
    let (end, ends) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(serve_connections(listener, server.router, bounds, async {
        let _ = ends.await;
    }));
    let end = async move || {
        drop(end);
        serving.await.unwrap();
    };
    (address, end)
}

/// A client that sends requests and reads no answers is disconnected.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_without_progress_ends_the_connection() {
    let (address, end) = serving(Duration::from_secs(600), Duration::from_millis(300)).await;
    let stalled = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        let wait = Some(Duration::from_secs(20));
        stream.set_write_timeout(wait).unwrap();
        let request = format!("GET /table.js HTTP/1.1\r\nhost: {NAME}\r\n\r\n").repeat(1000);
        loop {
            if let Err(error) = stream.write_all(request.as_bytes()) {
                return error;
            }
        }
    });
    let error = stalled.await.unwrap().kind();
    let closed = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
    assert!(closed.contains(&error), "{error}");
    end().await;
}

/// A client that sends half a head and then nothing is disconnected, and a waiting one takes its place.
#[tokio::test(flavor = "multi_thread")]
async fn slow_heads_end_their_connections() {
    let (address, end) = serving(Duration::from_millis(300), Duration::from_secs(10)).await;
    let talk = move |text: &'static str| {
        tokio::task::spawn_blocking(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
            let mut answer = String::new();
            // A connection may also end by a reset.
            let _ = stream.read_to_string(&mut answer);
            answer
        })
    };
    let dawdling = [talk("GET / HTTP/1.1\r\nhost: local"), talk("")];
    let third = talk("GET /table.js HTTP/1.1\r\nhost: localhost:8000\r\nconnection: close\r\n\r\n");
    for answer in dawdling {
        let answer = answer.await.unwrap();
        assert!(!answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    assert!(third.await.unwrap().starts_with("HTTP/1.1 200"));
    end().await;
}
