//! A real full disk of the server: a small file system that only the server sees.

use preconditions::needs;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use matches::spelling::quote_path;
use rustix::process::{Pid, Signal, kill_process};

use crate::common::engines::script;
use crate::common::fleet::children;
use crate::common::server::{STORAGE, program};
use crate::common::{Fleet, MATCH, Server, assert_whole};

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
