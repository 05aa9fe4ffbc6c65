//! Attacks by users of the server: by other workers, with the documented rights, and by coordinators whose key a worker
//! does not know.

use crate::common::fleet::engine;
use preconditions::needs;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Context};
use fleet::check::check_luck;
use fleet::message::{Beat, GameResult, Message, OpenMatches, Outcome};
use fleet::queue::{BEATS, MATCHES, Names, WORKERS, open};
use fleet::signature::{Key, Signer};
use fleet::storage::Bucket;
use futures_util::StreamExt;
use matches::luck::Evaluator;
use matches::record::GameRecord;
use matches::spelling::quote;
use nkeys::KeyPair;
use rustix::process::Signal;

use crate::common::fleet::engines;
use crate::common::one_machine::plan;
use crate::common::server::with_user;
use crate::common::{
    FLEET, Fleet, MATCH, Process, Server, assert_whole, played_on_one_machine, program,
    with_jetstream,
};
use crate::messages::{outcome, send};
use crate::rights::{address, config, nkey};

/// The word after `before` in the output of a process.
pub fn word_after(process: &Process, before: &str) -> String {
    process.await_words(before);
    let output = process.output();
    let (_, rest) = output.split_once(before).unwrap();
    rest.split_whitespace().next().unwrap().to_string()
}

fn key_of_coordinator(coordinator: &Process) -> Key {
    word_after(coordinator, "--coordinator ").parse().unwrap()
}

/// The last message under a key of the matches, and its sequence number.
async fn last(context: &Context, key: &str) -> (Vec<u8>, u64) {
    let stream = context.get_stream(format!("KV_{MATCHES}")).await.unwrap();
    let subject = format!("$KV.{MATCHES}.{key}");
    let message = stream.get_last_raw_message_by_subject(&subject).await.unwrap();
    (message.payload.to_vec(), message.sequence)
}

/// Writes bytes to a subject with the rights of a worker, who stores them as its heartbeat, and of a watcher, who has
/// the server send them there.
fn write_by_reply(fleet: &Fleet, worker: &KeyPair, bytes: &[u8], subject: &str) {
    let beat = format!("$KV.fleet_beats.{}", worker.public_key());
    with_user(&fleet.server, worker.seed().unwrap(), async |context| {
        // Its own inbox is all that a worker may read, so it does not wait for an answer.
        let client = context.client();
        client.publish(beat.clone(), bytes.to_vec().into()).await.unwrap();
        client.flush().await.unwrap();
    });
    with_jetstream(&address(fleet, "watcher"), async |context| {
        let request = format!("$JS.API.DIRECT.GET.KV_fleet_beats.{beat}");
        let client = context.client();
        let sent = client.publish_with_reply(request, subject.to_string(), "".into());
        sent.await.unwrap();
        client.flush().await.unwrap();
    });
}

#[needs(nats_server)]
#[test]
fn what_users_write_by_reply_subjects_is_not_believed_and_is_repaired() {
    let (key, attacker) = (KeyPair::new_user(), KeyPair::new_user());
    let mut fleet = Fleet::at(Server::configured(&config(&[&key, &attacker])));
    let flag = nkey(&fleet, "one", &key);
    fleet.address = address(&fleet, "coordinator");
    let mut coordinator = fleet.begin(MATCH);
    let names = fleet.await_work(&fleet.store());
    let by = key_of_coordinator(&coordinator);
    let as_coordinator = fleet.address.clone();
    let forger = Signer::default();
    let evil = OpenMatches { ids: vec!["0".repeat(16)] };
    // The attacker ends the match, and hides it; a plan becomes nonsense.
    let state =
        with_jetstream(&as_coordinator, async |context| last(&context, &names.state()).await.0);
    let json = by.open(&state, &names.state()).unwrap();
    let over = String::from_utf8(json.to_vec()).unwrap().replace("\"open\"", "\"over\"");
    for (bucket_key, bytes) in [
        (names.state(), forger.sign(&names.state(), over.as_bytes())),
        (open(&by), evil.encode(&forger, &open(&by)).unwrap()),
    ] {
        let subject = format!("$KV.{MATCHES}.{bucket_key}");
        write_by_reply(&fleet, &attacker, &bytes, &subject);
        fleet.await_that("a repair", || {
            with_jetstream(&as_coordinator, async |context| {
                let stream = context.get_stream(format!("KV_{MATCHES}")).await.unwrap();
                let found = stream.get_last_raw_message_by_subject(&subject).await;
                found.is_ok_and(|found| found.payload.starts_with(by.to_string().as_bytes()))
            })
        });
        coordinator.await_words("the server has lost the state of the match; published again");
    }
    let (plan, first) = with_jetstream(&as_coordinator, async |context| {
        let stream = context.get_stream("OBJ_fleet_plans").await.unwrap();
        let last = stream.get_info().await.unwrap().state.last_sequence;
        let info = stream.get_raw_message(last).await.unwrap();
        (info.subject.to_string(), last)
    });
    write_by_reply(&fleet, &attacker, b"nonsense", &plan);
    fleet.await_that("another plan", || {
        with_jetstream(&as_coordinator, async |context| {
            let stream = context.get_stream("OBJ_fleet_plans").await.unwrap();
            let info = stream.get_last_raw_message_by_subject(&plan).await.unwrap();
            info.sequence > first + 1 && info.payload.starts_with(b"{")
        })
    });
    fleet.address = fleet.server.url();
    let words = format!("{flag} --coordinator {by}");
    let worker = fleet.worker_by(&mut program(), &words);
    fleet.await_games(1);
    write_by_reply(
        &fleet,
        &attacker,
        &forger.sign(&names.state(), over.as_bytes()),
        &format!("$KV.{MATCHES}.{}", names.state()),
    );
    assert_whole(&fleet, &mut coordinator, MATCH);
    // It has joined the match once.
    assert_eq!(worker.output().matches("playing match").count(), 1);
}

#[needs(nats_server)]
#[test]
fn a_heartbeat_cannot_remove_the_others() {
    let (key, attacker) = (KeyPair::new_user(), KeyPair::new_user());
    let mut fleet = Fleet::at(Server::configured(&config(&[&key, &attacker])));
    let flag = nkey(&fleet, "one", &key);
    fleet.address = address(&fleet, "coordinator");
    let _coordinator = fleet.begin(MATCH);
    fleet.await_work(&fleet.store());
    let by_password = std::mem::replace(&mut fleet.address, fleet.server.url());
    let _worker = fleet.worker_by(&mut program(), &flag);
    fleet.address = by_password;
    fleet.await_status("", &["  one  arbiter"]);
    with_user(&fleet.server, attacker.seed().unwrap(), async |context| {
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Rollup", "all");
        let subject = format!("$KV.fleet_beats.{}", attacker.public_key());
        let client = context.client();
        client.publish_with_headers(subject, headers, "".into()).await.unwrap();
        client.flush().await.unwrap();
    });
    let status = fleet.start("status").ends(0, &[]);
    assert!(status.contains("  one  arbiter"), "{status}");
}

#[needs(nats_server)]
#[test]
fn an_old_state_of_the_match_does_not_come_back() {
    let mut fleet = Fleet::new();
    let mut first = fleet.begin(MATCH);
    let worker = fleet.worker("one");
    fleet.await_games(1);
    let names = fleet.await_names(&fleet.store());
    let url = fleet.server.url();
    let state = || with_jetstream(&url, async |context| last(&context, &names.state()).await.0);
    let old = state();
    first.signal(Signal::TERM);
    first.ends(130, &[&fleet.proposal()]);
    let paused = state();
    let mut second = fleet.resume();
    fleet
        .await_that("the second session", || worker.output().matches("playing match").count() == 2);
    for replayed in [old, paused] {
        with_jetstream(&url, async |context| {
            let subject = format!("$KV.{MATCHES}.{}", names.state());
            context.publish(subject, replayed.into()).await.unwrap().await.unwrap();
            context.client().publish("fleet.notice", "".into()).await.unwrap();
            context.client().flush().await.unwrap();
        });
    }
    assert_whole(&fleet, &mut second, MATCH);
    assert_eq!(worker.output().matches("playing match").count(), 2);
}

#[needs(nats_server)]
#[test]
fn a_worker_plays_only_for_coordinators_that_it_trusts() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(MATCH);
    let kept = fleet.path("buxtehude/coordinator.nk");
    let by = key_of_coordinator(&coordinator);
    assert_eq!(*Signer::read("--nkey", &kept).unwrap().key(), by);
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    let stranger = Signer::default();
    let strange = format!("--name strange --coordinator {}", stranger.key());
    let strange = fleet.worker_by(&mut program(), &strange);
    fleet.await_status("", &["  strange  arbiter"]);
    let _worker = fleet.worker_by(&mut program(), &format!("--name one --coordinator {by}"));
    assert_whole(&fleet, &mut coordinator, MATCH);
    assert!(!strange.output().contains("playing match"), "{}", strange.output());
    // The same key signs the next match.
    let next = fleet.path("next.db");
    let coordinator = fleet.begin_in(&next, &format!("{} {MATCH}", engines()));
    assert_eq!(key_of_coordinator(&coordinator), by);
    drop(coordinator);
    // Files that others may read are no secret.
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o644)).unwrap();
    let other = fleet.path("other.db");
    let mut open_to_all = fleet.begin_in(&other, &format!("{} {MATCH}", engines()));
    open_to_all.ends(2, &["other users may read or write it"]);
    let mut far = fleet.start("work --nats nats://192.0.2.1");
    far.ends(2, &["--coordinator KEY", "--trust-any-coordinator"]);
}

#[needs(nats_server)]
#[test]
fn nobody_is_set_aside_for_what_another_has_sent() {
    let mut fleet = Fleet::new();
    let key = KeyPair::new_user();
    let flag = nkey(&fleet, "honest", &key);
    let mut coordinator = fleet.begin(MATCH);
    let mut worker = fleet.worker_by(&mut program(), &flag);
    fleet.await_games(2);
    worker.kill();
    let names = fleet.await_names(&fleet.store());
    let honest = Signer::read("--nkey", &fleet.path("honest.nk")).unwrap();
    let mut bogus = invented(11);
    bogus.moves.clear();
    let liar = Signer::default();
    let by_liar = outcome(&names, "honest", &liar, bogus.clone());
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let framed = text(&by_liar).replacen(&liar.key().to_string(), &honest.key().to_string(), 1);
    let elsewhere = outcome(&Names::numbered(7), "honest", &honest, bogus);
    let unsigned = text(&by_liar).split_once('\n').unwrap().1.to_string();
    let messages = vec![framed.into_bytes(), elsewhere, unsigned.into_bytes(), by_liar];
    send(&fleet, messages);
    coordinator.await_words("is set aside");
    let _worker = fleet.worker_by(&mut program(), &flag);
    let output = assert_whole(&fleet, &mut coordinator, MATCH);
    let refused = format!("the signature by {} is not valid here", honest.key());
    assert_eq!(output.matches(&refused).count(), 2, "{output}");
    assert_eq!(set_aside(&output), [format!("honest-{}", liar.key().id())]);
}

/// The workers that the report at the end of a match names as set aside.
fn set_aside(output: &str) -> Vec<&str> {
    let lines = output.lines().filter_map(|line| line.strip_prefix("machine "));
    lines.filter_map(|line| line.split_once(" is set aside: ")).map(|(worker, _)| worker).collect()
}

/// A game of the match [`MATCH`] with the right cards, luck and legal moves, but by weaker engines.
fn invented(number: usize) -> GameRecord {
    let weaker = MATCH.replace("--nodes 10000", "--nodes 1 --luck 200");
    serde_json::from_str(&played_on_one_machine(&weaker)[number]).unwrap()
}

#[needs(nats_server)]
#[test]
fn two_keys_that_were_not_chosen_cannot_agree_on_invented_games() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(&format!("{MATCH} --check-sample 1"));
    coordinator.await_words("run `fleet work` to play it");
    let names = fleet.await_names(&fleet.store());
    let liars = [Signer::default(), Signer::default()];
    let mut messages = Vec::new();
    for liar in &liars {
        messages.extend((0..12).map(|number| outcome(&names, "liar", liar, invented(number))));
    }
    send(&fleet, messages);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    let output = assert_whole(&fleet, &mut coordinator, MATCH);
    let words = "is refused: two other workers agree on another game";
    assert!(output.contains(words), "{output}");
    assert!(set_aside(&output).iter().all(|worker| worker.starts_with("liar-")), "{output}");
}

#[test]
fn plausible_but_wrong_luck_is_found_in_the_sample() {
    let evaluator = Evaluator::of(&plan(&format!("{} {MATCH}", engines())), None).unwrap();
    let mut record: GameRecord = serde_json::from_str(&played_on_one_machine(MATCH)[0]).unwrap();
    check_luck(evaluator.as_ref(), &record, true).unwrap();
    let luck = record.luck.as_mut().unwrap();
    luck.shares[0] += 1.0;
    luck.shares[1] -= 1.0;
    check_luck(evaluator.as_ref(), &record, false).unwrap();
    let error = check_luck(evaluator.as_ref(), &record, true).unwrap_err().to_string();
    assert!(error.contains(", the cards gave ["), "{error}");
}

#[needs(nats_server)]
#[test]
fn a_unit_of_the_sample_is_sent_to_another_worker_if_the_chosen_one_is_silent() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(&format!("{MATCH} --check-sample 1"));
    let silent = [fleet.worker("silent"), fleet.worker("mute")];
    for worker in &silent {
        worker.await_words("playing match");
    }
    fleet.await_status("", &["  silent  arbiter", "  mute  arbiter"]);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    silent.iter().for_each(|worker| worker.signal(Signal::STOP));
    assert_whole(&fleet, &mut coordinator, MATCH);
}

/// Writes the keys of workers to a file; returns the flag that names it.
fn listed(fleet: &Fleet, keys: &[String]) -> String {
    let path = fleet.path("workers.txt");
    fs::write(&path, keys.join("  # a comment\n")).unwrap();
    format!("--workers {}", path.display())
}

#[needs(nats_server)]
#[test]
fn messages_of_unlisted_keys_are_not_looked_at() {
    let mut fleet = Fleet::new();
    let mut nonsense = fleet.begin(&format!("{MATCH} --workers nowhere"));
    nonsense.ends(2, &["--workers nowhere: No such file", "the key of a worker on each line"]);
    let flag = listed(&fleet, &["".to_string(), "U123".to_string()]);
    let mut nonsense = fleet.begin(&format!("{MATCH} {flag}"));
    nonsense.ends(2, &["workers.txt:2: \"U123\": expected the public key of a NATS user"]);
    let keys = [KeyPair::new_user(), KeyPair::new_user()];
    let flag = listed(&fleet, &keys.each_ref().map(KeyPair::public_key));
    let mut coordinator = fleet.begin(&format!("{MATCH} {flag}"));
    let other = fleet.worker("other");
    let other_key = word_after(&other, "key ");
    other.await_words(&format!("the coordinator's --workers file lacks the key {other_key}"));
    let names = fleet.await_work(&fleet.store());
    let mut wrong = invented(0);
    wrong.moves.clear();
    let result = GameResult::Fault {
        position: "startpos players 2".to_string(),
        reason: "rules program pig: failed".to_string(),
    };
    let fault = Outcome { label: "stranger".to_string(), result };
    // The fault alone would end the match, and the first game is one that is still to be played.
    let messages = |version: u32| {
        let stranger = Signer::default();
        let subject = names.result(stranger.key());
        let sign = |content: &str| stranger.sign(&subject, content.as_bytes());
        [
            fault.encode(&stranger, &subject).unwrap(),
            outcome(&names, "stranger", &stranger, invented(0)),
            outcome(&names, "stranger", &stranger, wrong.clone()),
            sign(&format!("{{\"version\":{version}}}")),
            sign("{"),
        ]
    };
    send(&fleet, (2..100).flat_map(messages).collect());
    fleet.await_that("the end of the messages", || {
        with_jetstream(&fleet.address, async |context| {
            let stream = context.get_stream(names.result_stream()).await.unwrap();
            stream.cached_info().state.messages == 0
        })
    });
    // A resumed coordinator knows the list, too.
    coordinator.signal(Signal::TERM);
    let output = coordinator.ends(130, &["0 of 12 games"]);
    for words in ["stranger", "refused", "set aside", "version", "lost", "pig"] {
        assert!(!output.contains(words), "{words}: {output}");
    }
    let mut coordinator = fleet.resume();
    let flag = nkey(&fleet, "listed", &keys[1]);
    let _worker = fleet.worker_by(&mut program(), &flag);
    let output = assert_whole(&fleet, &mut coordinator, MATCH);
    assert!(!output.contains("other-"), "{output}");
}

#[needs(nats_server)]
#[test]
fn a_server_that_other_machines_reach_needs_a_list_or_a_word() {
    let config = "client_advertise: \"192.0.2.1:4222\"\n";
    let mut fleet = Fleet::at(Server::configured(config));
    let expected = ["other machines may reach the server", "--workers FILE", "--open"];
    fleet.begin(MATCH).ends(2, &expected);
    assert!(!fleet.store().exists());
    let mut both = fleet.begin(&format!("{MATCH} --open --workers x"));
    both.ends(2, &["'--open' cannot be used with '--workers <FILE>'"]);
    let mut coordinator = fleet.begin(&format!("{MATCH} --open"));
    fleet.await_work(&fleet.store());
    coordinator.kill();
    // A resumed coordinator knows the word, too.
    let mut coordinator = fleet.resume();
    let _worker = fleet.worker("one");
    assert_whole(&fleet, &mut coordinator, MATCH);
}

#[needs(nats_server)]
#[test]
fn a_worker_keeps_its_key() {
    let mut fleet = Fleet::new();
    let _coordinator = fleet.begin(MATCH);
    let mut first = fleet.worker("one");
    let key = word_after(&first, "key ");
    first.kill();
    assert_eq!(word_after(&fleet.worker("one"), "key "), key);
    assert_ne!(word_after(&fleet.worker("two"), "key "), key);
}

/// Takes units from the queue as a worker with many slots, and never sends their games: keeps the first of every three,
/// acknowledges the second and returns the third.
async fn hoard(context: &Context, names: &Names, signer: &Signer, is_over: &AtomicBool) {
    let beats = Bucket::ensure(context, BEATS).await.unwrap();
    let joined = vec![names.id().to_string()];
    let beat = Beat { label: "hoarder".to_string(), joined, ..Beat::default() };
    let consumer: PullConsumer =
        context.get_consumer_from_stream(WORKERS, names.work_stream()).await.unwrap();
    let (mut kept, mut taken) = (Vec::new(), 0);
    while !is_over.load(Ordering::Relaxed) {
        beats.put(signer.key().as_str(), &beat, signer).await.unwrap();
        let batch = consumer.batch().max_messages(50).expires(Duration::from_millis(500));
        // The consumer goes with the match.
        let Ok(mut batch) = batch.messages().await else { return };
        while let Some(Ok(message)) = batch.next().await {
            let kind = [AckKind::Progress, AckKind::Ack, AckKind::Nak(None)][taken % 3];
            message.ack_with(kind).await.unwrap();
            if taken % 3 == 0 {
                kept.push(message);
            }
            taken += 1;
        }
        for message in &kept {
            message.ack_with(AckKind::Progress).await.unwrap();
        }
    }
}

/// Takes some time: a unit is given to a worker of the coordinator's choice once it was lost or late several times.
#[needs(nats_server)]
#[test]
fn a_listed_hoarder_with_a_newer_version_does_not_stop_a_match() {
    let mut fleet = Fleet::new();
    let (hoarder, newer, honest) = (Signer::default(), Signer::default(), KeyPair::new_user());
    let keys = [hoarder.key().to_string(), newer.key().to_string(), honest.public_key()];
    let flag = listed(&fleet, &keys);
    let mut coordinator = fleet.begin(&format!("{MATCH} {flag}"));
    let names = fleet.await_work(&fleet.store());
    send(&fleet, vec![newer.sign(&names.result(newer.key()), b"{\"version\":3}")]);
    coordinator.await_words("is set aside: message of version 3, expected 2");
    let (url, is_over) = (fleet.address.clone(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            with_jetstream(&url, async |context| hoard(&context, &names, &hoarder, &is_over).await);
        });
        let flag = nkey(&fleet, "honest", &honest);
        let _worker = fleet.worker_by(&mut program(), &flag);
        let played =
            catch_unwind(AssertUnwindSafe(|| assert_whole(&fleet, &mut coordinator, MATCH)));
        is_over.store(true, Ordering::Relaxed);
        played.unwrap();
    });
}

#[needs(nats_server)]
#[test]
fn a_match_does_not_set_options_that_name_files() {
    let mut fleet = Fleet::new();
    let (victim, store) = (fleet.path("victim"), fleet.store());
    let engine = |keys: &str| engine(FLEET, &["engine"], keys);
    let option = quote(&format!("option.Debug Log File={}", victim.display()));
    // Isolated engines do not see the file.
    let words = "--games 2 --nodes 50 --seed 5 --isolate off";
    let words = format!("{} {} {words}", engine(&format!("name=a {option}")), engine("name=b"));
    let mut coordinator = fleet.begin_in(&store, &words);
    coordinator.await_words("run `fleet work` to play it");
    fs::write(&victim, "precious").unwrap();
    let _worker = fleet.worker("one");
    let reason = "engine a: the match sets option \"Debug Log File\", a text or a button";
    fleet.await_status("", &["refuses match", reason]);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    let allowed = "--name allowed --allow-option 'debug log file'";
    let _allowed = fleet.worker_by(&mut program(), allowed);
    coordinator.ends(0, &[]);
    assert_ne!(fs::read_to_string(&victim).unwrap(), "precious");
}
