//! Servers with authentication by key or credentials, and with TLS.

use preconditions::needs;
use std::fs;

use nkeys::KeyPair;

use crate::common::keys::{Account, Certificate};
use crate::common::{Fleet, Server, assert_whole, program};

const WORDS: &str = "--games 2 --nodes 300 --seed 16 --random-plies 4";

/// Plays a match with a valid file for a flag of every process, then checks that `fleet status` fails for these reasons
/// without the flag, with a file for another server, with nonsense, and with a missing file.
fn check(fleet: &mut Fleet, flag: &str, [valid, other]: [&str; 2], reasons: [&str; 3]) {
    let file = |name: &str, content: &str| {
        let path = fleet.path(name);
        fs::write(&path, content).unwrap();
        format!("{flag} {}", path.display())
    };
    let [valid, other] = [file("valid", valid), file("other", other)];
    let nonsense = file("nonsense", "nonsense");
    let mut coordinator = fleet.begin(&format!("{WORDS} {valid}"));
    let worker = fleet.worker_by(&mut program(), &format!("--name one {valid}"));
    worker.await_words("worker one is ready");
    fleet.await_status(&valid, &["  one  arbiter"]);
    assert_whole(fleet, &mut coordinator, WORDS);
    let missing = format!("{flag} /nowhere");
    let not_found = format!("{flag}: /nowhere: No such file");
    for (words, reason) in
        [("", reasons[0]), (&other, reasons[1]), (&nonsense, reasons[2]), (&missing, &not_found)]
    {
        fleet.start(&format!("status {words}")).ends(2, &[reason]);
    }
}

#[needs(nats_server)]
#[test]
fn only_a_user_with_the_key_is_admitted() {
    let user = KeyPair::new_user();
    let key = user.public_key();
    let config = format!("authorization {{ users: [ {{ nkey: {key} }} ] }}\n");
    let mut fleet = Fleet::at(Server::configured(&config));
    let seeds = [user, KeyPair::new_user()].map(|key| key.seed().unwrap());
    let refused = "authorization violation";
    let reasons = [refused, refused, "expected the seed of an nkey"];
    check(&mut fleet, "--nkey", [&seeds[0], &seeds[1]], reasons);
}

#[needs(nats_server)]
#[test]
fn only_a_user_with_credentials_is_admitted() {
    let account = Account::new();
    let mut fleet = Fleet::at(Server::configured(&account.config));
    let (valid, other) = (account.credentials(), Account::new().credentials());
    let refused = "authorization violation";
    check(&mut fleet, "--creds", [&valid, &other], [refused, refused, "--creds"]);
}

#[needs(nats_server)]
#[test]
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
    let mut fleet = Fleet::at(Server::configured(&config));
    fleet.address = format!("tls://127.0.0.1:{}", fleet.server.port);
    let other = Certificate::new().authority;
    let reasons = ["--nats tls://", "invalid peer certificate", "--tls-ca"];
    check(&mut fleet, "--tls-ca", [&made.authority, &other], reasons);
}
