//! Full disks: the server's and the coordinator's. The server's is also a real one, a small file system that only the
//! server sees.

use preconditions::needs;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use async_nats::jetstream::stream::Config;
use matches::spelling::quote_path;
use rustix::process::{Pid, Signal, kill_process};

use crate::common::engines::script;
use crate::common::fleet::{children, engines};
use crate::common::server::{STORAGE, program};
use crate::common::{FLEET, Fleet, MATCH, Server, assert_whole, with_jetstream};

const BALLAST: &str = "BALLAST";

/// The program with a limit on the size of its files, in blocks of 512 bytes.
fn limited(blocks: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    let words = format!("ulimit -S -f {blocks}; exec \"$0\" \"$@\"");
    shell.args(["-c", &words, FLEET]);
    shell
}

/// Uses up the server's storage.
fn fill(fleet: &Fleet) {
    with_jetstream(&fleet.server.url(), async |context| {
        let config = Config {
            name: BALLAST.to_string(),
            subjects: vec!["ballast".to_string()],
            ..Config::default()
        };
        context.create_stream(config).await.unwrap();
        let mut bytes = 1 << 18;
        while bytes > 64 {
            let sent = context.publish("ballast", vec![b' '; bytes].into()).await;
            if sent.unwrap().await.is_err() {
                bytes /= 2;
            }
        }
    });
}

#[needs(nats_server)]
#[test]
fn the_server_has_no_room_for_a_while() {
    let mut fleet = Fleet::at(Server::configured("jetstream { max_file_store: 4MB }\n"));
    let mut coordinator = fleet.begin(MATCH);
    let worker = fleet.worker("one");
    fleet.await_games(2);
    fill(&fleet);
    worker.await_words("insufficient");
    with_jetstream(&fleet.server.url(), async |context| {
        context.delete_stream(BALLAST).await.unwrap();
    });
    assert_whole(&fleet, &mut coordinator, MATCH);
}

#[needs(nats_server)]
#[test]
fn a_server_without_room_for_the_plan_says_so() {
    let mut fleet = Fleet::at(Server::configured("jetstream { max_file_store: 16KB }\n"));
    // A plan with many openings is longer than that.
    let openings = fleet.path("openings.txt");
    fs::write(&openings, "0,68,3/0,68,3 1 - -\n".repeat(1000)).unwrap();
    let words = format!("{MATCH} --openings {}", openings.display());
    fleet.begin(&words).await_words("insufficient");
}

#[needs(nats_server)]
#[test]
fn the_coordinator_cannot_store_a_game() {
    let mut fleet = Fleet::new();
    let store = fleet.store().display().to_string();
    let words = format!("match --store {store} {} {MATCH}", engines());
    let mut coordinator = fleet.start_by(&mut limited("300"), &words);
    let _worker = fleet.worker("one");
    coordinator.ends(matches::run::exit::STORAGE.into(), &[&fleet.proposal()]);
    let mut coordinator = fleet.resume();
    assert_whole(&fleet, &mut coordinator, MATCH);
}

const DISK: &str = "size=8m";

/// Command for a shell with its own mounts and processes.
const UNSHARE: &str = "unshare --map-root-user --mount --pid --fork --kill-child /bin/sh -c";

/// Writes a program that runs the server with a small disk and restarts it when it ends.
fn runner(folder: &Path) -> PathBuf {
    let server = quote_path(program());
    let mount = format!("mount -t tmpfs -o {DISK} none \"$disk\"");
    let again = r#"while :; do "$0" "$@"; sleep 0.2; done"#;
    let text = format!(
        r#"#!/bin/sh
for word; do [ "$last" = -sd ] && disk=$word; last=$word; done
mkdir -p "$disk"
export disk
exec {UNSHARE} '{mount} && {again}' {server} "$@"
"#
    );
    script(folder, "runner", &text)
}

#[needs(nats_server, small_disk)]
#[test]
fn the_disk_of_the_server_is_full_until_there_is_room_and_it_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let runner = runner(folder.path());
    let mut fleet = Fleet::at(Server::run(&runner, ""));
    let mut coordinator = fleet.begin(MATCH);
    let worker = fleet.worker("one");
    fleet.await_games(2);
    // Path of its disk as seen from outside.
    let disk = fleet.server.folder.path().join(STORAGE);
    let disk = disk.strip_prefix("/").unwrap();
    let unshared = fleet.server.pid();
    let ballast = Path::new(&format!("/proc/{unshared}/root")).join(disk).join("ballast");
    let mut file = File::create(&ballast).unwrap();
    let mut bytes = 1 << 16;
    while bytes > 0 {
        if file.write_all(&vec![b' '; bytes]).is_err() {
            bytes /= 2;
        }
    }
    worker.await_words(" not sent: ");
    fleet.await_that("a full disk", || fleet.server.output().contains("no space left on device"));
    // An open file keeps its space.
    drop(file);
    fs::remove_file(&ballast).unwrap();
    // The first process in the sandbox is the shell.
    let shell = children(Pid::from_raw(unshared as i32).unwrap())[0];
    kill_process(children(shell)[0], Signal::KILL).unwrap();
    assert_whole(&fleet, &mut coordinator, MATCH);
}
