//! Servers with authentication by key or credentials, and with TLS.

use std::fs;

use nkeys::KeyPair;

use crate::common::keys::{Account, Certificate};
use crate::common::{Fleet, Process, Server, assert_whole};

const WORDS: &[&str] = &[
    "--games",
    "4",
    "--nodes",
    "300",
    "--seed",
    "16",
    "--random-plies",
    "4",
];

/// Writes a file in the fleet's folder.
fn file(fleet: &Fleet, name: &str, content: &str) -> String {
    let path = fleet.folder.path().join(name);
    fs::write(&path, content).unwrap();
    path.display().to_string()
}

/// Plays a whole match with these flags for every process.
fn assert_played(fleet: &mut Fleet, flags: &[&str]) {
    let mut words = WORDS.to_vec();
    words.extend_from_slice(flags);
    let mut coordinator = fleet.begin(&words);
    let worker = fleet.worker_by(&mut crate::common::fleet::program(), "one", flags);
    worker.await_words("worker one is ready");
    fleet.await_status(flags, &["  one  arbiter"]);
    assert_whole(fleet, &mut coordinator, WORDS);
}

/// Checks that `fleet status` with these flags fails for this reason.
fn assert_refused(fleet: &mut Fleet, flags: &[&str], reason: &str) {
    let mut all = vec!["status"];
    all.extend_from_slice(flags);
    let mut status: Process = fleet.start(&all);
    assert_eq!(status.end(), 2, "{}", status.output());
    let output = status.output();
    assert!(output.contains(reason), "{flags:?}: {output}");
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn who_has_the_key_is_let_in() {
    let user = KeyPair::new_user();
    let key = user.public_key();
    let config = format!("authorization {{ users: [ {{ nkey: {key} }} ] }}\n");
    let server = Server::configured(&config, &[]);
    let mut fleet = Fleet::at(server);
    let seed = file(&fleet, "seed", &user.seed().unwrap());
    let other = file(&fleet, "other", &KeyPair::new_user().seed().unwrap());
    let nonsense = file(&fleet, "nonsense", "no seed");
    assert_played(&mut fleet, &["--nkey", &seed]);
    assert_refused(&mut fleet, &[], "authorization violation");
    assert_refused(&mut fleet, &["--nkey", &other], "authorization violation");
    assert_refused(
        &mut fleet,
        &["--nkey", &nonsense],
        "expected the seed of an nkey",
    );
    assert_refused(
        &mut fleet,
        &["--nkey", "/nowhere"],
        "--nkey: /nowhere: No such file",
    );
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn who_has_credentials_is_let_in() {
    let account = Account::new();
    let server = Server::configured(&account.config, &[]);
    let mut fleet = Fleet::at(server);
    let right = file(&fleet, "right", &account.credentials());
    let other = file(&fleet, "other", &Account::new().credentials());
    let nonsense = file(&fleet, "nonsense", "no credentials");
    assert_played(&mut fleet, &["--creds", &right]);
    assert_refused(&mut fleet, &[], "authorization violation");
    assert_refused(&mut fleet, &["--creds", &other], "authorization violation");
    assert_refused(&mut fleet, &["--creds", &nonsense], "--creds");
    assert_refused(
        &mut fleet,
        &["--creds", "/nowhere"],
        "--creds: /nowhere: No such file",
    );
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_server_is_known_by_its_certificate() {
    let made = Certificate::new();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    let config = format!(
        "tls {{ cert_file: {:?}, key_file: {:?} }}\n",
        write("certificate", &made.certificate),
        write("key", &made.key)
    );
    let server = Server::configured(&config, &[]);
    let mut fleet = Fleet::at(server);
    fleet.address = format!("tls://127.0.0.1:{}", fleet.server.port);
    let right = file(&fleet, "right", &made.authority);
    let other = file(&fleet, "other", &Certificate::new().authority);
    let nonsense = file(&fleet, "nonsense", "no certificate");
    assert_played(&mut fleet, &["--tls-ca", &right]);
    assert_refused(&mut fleet, &[], "--nats tls://");
    assert_refused(
        &mut fleet,
        &["--tls-ca", &other],
        "invalid peer certificate",
    );
    assert_refused(&mut fleet, &["--tls-ca", &nonsense], "--tls-ca");
    assert_refused(
        &mut fleet,
        &["--tls-ca", "/nowhere"],
        "--tls-ca: /nowhere: No such file",
    );
}
