//! Wrong system clocks: no measurement depends on them, so nothing changes.

use preconditions::needs;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::common::fleet::engines;
use crate::common::{Fleet, MATCH, assert_whole, program};

const YEAR: i64 = 365 * 24 * 3600;

/// Source of a preloaded library that replaces functions of the C library.
const SHIFT: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *at) {
    int failed = syscall(SYS_clock_gettime, id, at);
    const char *shift = getenv("SHIFT");
    if (!failed && id == CLOCK_REALTIME && shift)
        at->tv_sec += atol(shift);
    return failed;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at)
        *at = now.tv_sec;
    return now.tv_sec;
}
"#;

/// Builds a library that makes the clock wrong.
fn library(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("shift.c"), folder.join("shift.so"));
    fs::write(&source, SHIFT).unwrap();
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status()
        .unwrap();
    assert!(made.success());
    library
}

/// Makes a program's clock wrong by `seconds`.
fn wrong(mut program: Command, library: &Path, seconds: i64) -> Command {
    program.env("LD_PRELOAD", library).env("SHIFT", seconds.to_string());
    program
}

#[needs(nats_server, c_compiler)]
#[test]
fn wall_clocks_may_be_years_wrong() {
    let mut fleet = Fleet::new();
    let library = library(fleet.folder.path());
    let mut date = Command::new("date");
    date.arg("+%s");
    let shown = wrong(date, &library, YEAR).output().unwrap().stdout;
    let shown: i64 = String::from_utf8(shown).unwrap().trim().parse().unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert!(shown > now as i64 + YEAR / 2, "the clock is right");

    let match_words = format!("match --store {} {} {MATCH}", fleet.store().display(), engines());
    let mut coordinator = fleet.start_by(&mut wrong(program(), &library, YEAR), &match_words);
    let mut slow = fleet.worker_by(&mut wrong(program(), &library, -20 * YEAR), "--name slow");
    let _fast = fleet.worker_by(&mut wrong(program(), &library, 20 * YEAR), "--name fast");
    fleet.await_games(1);
    fleet.await_status("", &["  slow  arbiter", "  fast  arbiter"]);
    // The server gives its unit to another worker after a timeout by the server's own clock.
    slow.kill();
    assert_whole(&fleet, &mut coordinator, MATCH);
}
