//! Unusual requests: mutations of valid ones, in their bytes and in their values.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{Method, Request, StatusCode};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::common::games::{game, random_words, starts};
use crate::common::server::{NAME, Server};

const REQUESTS: usize = 20_000;

const PATHS: [&str; 12] = [
    "/api/new", "/api/show", "/api/play", "/api/draw", "/api/solved", "/api/ai", "/api/analyse",
    "/api/review", "/api/engines", "/api/etudes/x", "/api/games/x", "/api/games/x/1",
];

/// A valid or nearly valid request.
fn valid(random: &mut ChaCha8Rng) -> Value {
    let (variant, start) = *starts().choose(random).unwrap();
    let most = random.random_range(0..12);
    let words = random_words(start, most, random);
    let mut request = json!({ "game": game(variant, start.seats(), &words) });
    let mut position = start;
    words.iter().for_each(|word| position.play(word).unwrap());
    match random.random_range(0..6) {
        0 => request["move"] = json!(position.legal_actions().choose(random)),
        1 => request["limit"] = json!("nodes 1"),
        2 => request["options"] = json!({ "Level": "3" }),
        3 => request["draw"] = json!(true),
        4 => request = json!({ "variant": variant.name, "players": start.seats() }),
        _ => request = json!({ "variant": variant.name, "start": position.to_string() }),
    }
    request
}

fn values<'a>(value: &'a mut Value, found: &mut Vec<&'a mut Value>) {
    let is_leaf = match value {
        Value::Object(_) => false,
        Value::Array(items) => items.is_empty(),
        _ => true,
    };
    if is_leaf {
        return found.push(value);
    }
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|value| values(value, found)),
        Value::Array(items) => items.iter_mut().for_each(|value| values(value, found)),
        _ => {}
    }
}

fn strange(random: &mut ChaCha8Rng) -> Value {
    let strange = [
        json!(null),
        json!(-1),
        json!(0),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("+"),
        json!("+half"),
        json!("\u{0}"),
        json!("\u{202e}4"),
        json!("4 4"),
        json!("4\nquit"),
        json!("💥".repeat(50)),
        json!([]),
        json!({}),
        json!([[["4"]]]),
        json!({ "moves": [] }),
        json!(true),
        json!("9999999999999999999"),
        json!("-0"),
        json!("movetime 18446744073709551616"),
        json!("0,68,3/0,68,3 1 - -"),
        json!("hase-und-igel"),
    ];
    strange.choose(random).unwrap().clone()
}

fn mutated(random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut request = valid(random);
    for _ in 0..random.random_range(0..3) {
        let mut found = Vec::new();
        values(&mut request, &mut found);
        if !found.is_empty() {
            let index = random.random_range(0..found.len());
            *found[index] = strange(random);
        }
    }
    let mut bytes = request.to_string().into_bytes();
    for _ in 0..[0, 0, 0, 1, 2, 8].choose(random).copied().unwrap() {
        let index = random.random_range(0..bytes.len());
        match random.random_range(0..3) {
            0 => bytes[index] = random.next_u32() as u8,
            1 => drop(bytes.remove(index)),
            _ => bytes.insert(index, *b"\"{}[],:\\0x\xff\n".choose(random).unwrap()),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[tokio::test]
async fn no_request_brings_the_server_down() {
    let server = Server::new(&[]);
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut statuses = std::collections::BTreeMap::<u16, u32>::new();
    for number in 0..REQUESTS {
        let body = mutated(&mut random);
        let path = *PATHS.choose(&mut random).unwrap();
        let method = [Method::POST, Method::POST, Method::POST, Method::GET]
            .choose(&mut random)
            .unwrap()
            .clone();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, NAME)
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(body.clone()))
            .unwrap();
        let answer = server.send(request).await;
        let description =
            || format!("{number}: {path} {}: {}", String::from_utf8_lossy(&body), answer.json);
        *statuses.entry(answer.status.as_u16()).or_default() += 1;
        match answer.status {
            StatusCode::OK => assert_ne!(answer.json["ok"], json!(false), "{}", description()),
            // The engine of this server cannot be started.
            StatusCode::BAD_GATEWAY => assert!(path.starts_with("/api/a"), "{}", description()),
            status => assert!(status.is_client_error(), "{}", description()),
        }
        if answer.status != StatusCode::OK {
            let error = answer.error(answer.status);
            assert!(!error.contains(|c: char| c.is_control()), "{}", description());
        }
    }
    // All kinds of answers have occurred.
    assert!(
        [200, 400, 404, 405].iter().all(|status| statuses.contains_key(status)),
        "{statuses:?}"
    );
    assert!(statuses[&200] > REQUESTS as u32 / 50, "{statuses:?}");
}
