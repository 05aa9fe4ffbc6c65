//! Messages of 100 MiB, on a server that accepts them.

use preconditions::needs;
use std::fs;

use async_nats::jetstream::Context;
use fleet::message::{MAX_BYTES, MAX_BYTES_OF_A_GAME};
use rustix::process::Signal;

use crate::common::{Fleet, MATCH, Process, Server, assert_whole, with_jetstream};

/// The maximum for nats-server is nearly 2 GiB.
const CONFIG: &str = "max_payload: 209715200\nmax_pending: 419430400\n";
const LONG: usize = 100 << 20;
/// Maximum memory of a coordinator or a worker, in KiB.
const MAX_MEMORY: u64 = 200 << 10;

/// The server's answer to a message of `bytes` bytes.
async fn answer(context: &Context, subject: String, bytes: usize) -> Result<(), String> {
    let sent = context
        .publish(subject, vec![b' '; bytes].into())
        .await
        .map_err(|error| error.to_string())?;
    sent.await.map(drop).map_err(|error| error.to_string())
}

/// Like [`answer`], with retries while the server is too busy to answer.
async fn patient_answer(context: &Context, subject: &str, bytes: usize) -> Result<(), String> {
    loop {
        match answer(context, subject.to_string(), bytes).await {
            Err(error) if error.contains("timed out") => {}
            answer => return answer,
        }
    }
}

/// Peak memory of a process, in KiB.
fn peak(process: &Process) -> u64 {
    let pid = process.pid().as_raw_nonzero();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[needs(nats_server)]
#[test]
fn messages_of_100_mib_are_refused_before_they_are_read() {
    let mut fleet = Fleet::at(Server::configured(CONFIG));
    let mut coordinator = fleet.begin(MATCH);
    let names = fleet.await_names(&fleet.store());
    let worker = fleet.worker("one");
    fleet.await_games(2);
    // Keeps the match from ending while the messages are sent.
    worker.signal(Signal::STOP);
    let refused = with_jetstream(&fleet.server.url(), async |context| {
        let mut answers = Vec::new();
        for (subject, most) in [
            (names.work(), MAX_BYTES),
            (names.result("one"), MAX_BYTES_OF_A_GAME),
            (format!("$KV.fleet_matches.{}", names.state()), MAX_BYTES_OF_A_GAME),
            ("$KV.fleet_beats.one".to_string(), MAX_BYTES),
        ] {
            for bytes in [LONG, most + 1] {
                answers.push((subject.clone(), patient_answer(&context, &subject, bytes).await));
            }
        }
        // On a subject without a stream the server forwards such a message, so the refusals came from the streams.
        let mut inbox = context.client().subscribe("elsewhere").await.unwrap();
        context.client().publish("elsewhere", vec![b' '; LONG].into()).await.unwrap();
        let message = futures_util::StreamExt::next(&mut inbox).await.unwrap();
        assert_eq!(message.payload.len(), LONG);
        answers
    });
    for (subject, answer) in refused {
        let error = answer.unwrap_err();
        let is_said = ["message size exceeds maximum allowed", "message too large"]
            .iter()
            .any(|words| error.contains(words));
        assert!(is_said, "{subject}: {error}");
    }
    let of_coordinator = peak(&coordinator);
    worker.signal(Signal::CONT);
    assert_whole(&fleet, &mut coordinator, MATCH);
    for peak in [of_coordinator, peak(&worker)] {
        assert!(peak < MAX_MEMORY, "{peak} KiB");
    }
}

#[needs(nats_server)]
#[test]
fn a_server_for_short_messages_refuses_long_ones_itself() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(MATCH);
    let names = fleet.await_names(&fleet.store());
    let _worker = fleet.worker("one");
    fleet.await_games(2);
    let answer = with_jetstream(&fleet.server.url(), async |context| {
        answer(&context, names.result("one"), LONG).await
    });
    assert!(answer.is_err());
    assert_whole(&fleet, &mut coordinator, MATCH);
}
