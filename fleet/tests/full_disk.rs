//! A real full disk of the server: a small file system that only the server sees.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::server::{STORAGE, program};
use crate::common::{Fleet, Server, assert_whole};

const WORDS: &[&str] = &[
    "--games",
    "16",
    "--nodes",
    "20000",
    "--seed",
    "17",
    "--random-plies",
    "4",
];
const DISK: &str = "size=8m";

/// Command for a shell with its own mounts and processes.
const UNSHARE: &str = "unshare --map-root-user --mount --pid --fork --kill-child /bin/sh -c";

/// Writes a program that runs the server with a small disk and restarts it when it ends.
fn runner(folder: &Path) -> PathBuf {
    let runner = folder.join("runner");
    let server = program().display();
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
    fs::write(&runner, text).unwrap();
    fs::set_permissions(&runner, fs::Permissions::from_mode(0o755)).unwrap();
    runner
}

/// The only child of a process.
fn child(process: u32) -> u32 {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    children
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

#[test]
#[cfg_attr(
    not(all(nats_server, small_disk)),
    ignore = "needs nats-server, and unshare with the right to mount"
)]
fn the_disk_of_the_server_is_full_until_there_is_room_and_it_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let runner = runner(folder.path());
    let mut fleet = Fleet::at(Server::run(&runner, "", &[]));
    let mut coordinator = fleet.begin(WORDS);
    let worker = fleet.worker("one");
    fleet.await_games(2);
    // Path of its disk as seen from outside.
    let disk = fleet.server.folder.path().join(STORAGE);
    let disk = disk.strip_prefix("/").unwrap();
    let unshared = fleet.server.pid();
    let ballast = Path::new(&format!("/proc/{unshared}/root"))
        .join(disk)
        .join("ballast");
    let mut file = File::create(&ballast).unwrap();
    let mut bytes = 1 << 16;
    while bytes > 0 {
        if file.write_all(&vec![b' '; bytes]).is_err() {
            bytes /= 2;
        }
    }
    worker.await_words(" not sent: ");
    sleep(Duration::from_secs(3));
    // An open file keeps its space.
    drop(file);
    fs::remove_file(&ballast).unwrap();
    let server = child(child(unshared));
    kill_process(Pid::from_raw(server as i32).unwrap(), Signal::KILL).unwrap();
    assert_whole(&fleet, &mut coordinator, WORDS);
    let output = fleet.server.output();
    assert!(output.contains("no space left on device"), "{output}");
}
