//! Engines that attack their rival, the arbiter or its terminal, or exceed their limits, with and without the sandbox.
//! The tests run as an ordinary user, since nothing restrains root.
#![cfg(target_os = "linux")]

use preconditions::needs;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::arena::Arena;
use crate::common::processes::children;
use crate::fairness::cheat_program;

/// Timeout of every step, far longer than any takes.
const LONG: Duration = Duration::from_secs(60);
/// Message of the arbiter if engines are isolated.
const ISOLATED: &str = "isolation: each engine has";

/// Finds the process of the rival, whose script is `victim.sh` in the same directory, and does something to it.
const TO_THE_RIVAL: &str = r#"
for file in /proc/[0-9]*/cmdline; do
    case $(tr '\0' ' ' < "$file" 2> /dev/null) in
    /bin/sh*DIR/victi[m].sh*) id=${file#/proc/}; id=${id%/*}; DO ;;
    esac
done
echo "bestmove $1"
"#;

#[needs(namespaces)]
#[test]
fn a_sandboxed_engine_cannot_kill_its_rival() {
    let kill = TO_THE_RIVAL.replace("DO", "kill -KILL $id");
    let outcome = Arena::new(&kill).play("", &["--isolate", "auto"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.text);
    assert!(outcome.text.contains(ISOLATED), "{}", outcome.text);
}

#[test]
fn a_killed_rival_is_not_at_fault_at_once() {
    let kill = TO_THE_RIVAL.replace("DO", "kill -KILL $id");
    let outcome = Arena::new(&kill).play("", &["--isolate", "off", "--games", "4"]);
    let seen = &outcome.text;
    assert!(seen.contains("isolation: none: --isolate off\n"), "{seen}");
    // Two suspect games are rerun; further ones count.
    let suspect = "is rerun: victim, seat ";
    assert_eq!(seen.matches(suspect).count(), 2, "{seen}");
    assert!(seen.contains("was ended by signal: 9 (SIGKILL)"), "{seen}");
    assert!(seen.contains("after a suspect loss: 2"), "{seen}");
    assert_eq!(outcome.code, Some(4), "{seen}");
}

#[needs(namespaces)]
#[test]
fn a_sandboxed_engine_cannot_stop_its_rival() {
    let stop = TO_THE_RIVAL.replace("DO", "kill -STOP $id");
    let outcome = Arena::new(&stop).play("", &["--isolate", "on"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.text);
}

#[test]
fn a_stopped_rival_is_not_at_fault_at_once() {
    let stop = TO_THE_RIVAL.replace("DO", "kill -STOP $id");
    let outcome = Arena::new(&stop).play("", &["--isolate", "off"]);
    let seen = &outcome.text;
    let suspect = "was stopped by a signal, possibly sent by another process";
    assert_eq!(seen.matches(suspect).count(), 2, "{seen}");
    assert_eq!(outcome.code, Some(4), "{seen}");
}

#[test]
fn an_engine_that_kills_itself_repeatedly_loses() {
    for isolate in ["auto", "off"] {
        let arena = Arena::new("kill -KILL $$");
        let outcome = arena.play("", &["--isolate", isolate, "--games", "4"]);
        let seen = &outcome.text;
        let suspect = "is rerun: attacker, seat ";
        assert_eq!(seen.matches(suspect).count(), 2, "{seen}");
        assert_eq!(outcome.records.len(), 4, "{seen}");
        for record in &outcome.records {
            let fault = record.fault.as_ref().unwrap();
            assert!(fault.reason.contains("signal: 9"), "{fault:?}: {seen}");
        }
    }
}

/// Counts the pipes of its parent and of its rival that it can see.
fn eavesdropper() -> Arena {
    let count = "ls -l /proc/$PPID/fd 2> /dev/null | grep -c pipe: > DIR/parent";
    let rival = "ls -l /proc/$id/fd 2> /dev/null | grep -c pipe: > DIR/rival";
    Arena::new(&format!("{count}\n{}", TO_THE_RIVAL.replace("DO", rival)))
}

#[needs(namespaces)]
#[test]
fn a_sandboxed_engine_cannot_read_arbiter_or_rival() {
    let arena = eavesdropper();
    let outcome = arena.play("", &["--isolate", "on"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.text);
    let seen = ["parent", "rival"].map(|name| arena.written(name));
    assert_eq!(seen, ["0", ""]);
}

#[test]
fn without_a_sandbox_an_engine_can_read_only_its_rival() {
    let arena = eavesdropper();
    let outcome = arena.play("", &["--isolate", "off"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.text);
    assert_eq!(arena.written("parent"), "0");
    let pipes: u32 = arena.written("rival").parse().unwrap();
    assert!(pipes >= 3, "{pipes}");
}

/// Kills the arbiter, or the launcher in its place.
const PARRICIDE: &str = "kill -TERM $PPID; kill -KILL $PPID; sleep 0.2; echo \"bestmove $1\"";

#[needs(namespaces)]
#[test]
fn a_sandboxed_engine_cannot_kill_the_arbiter() {
    let outcome = Arena::new(PARRICIDE).play("", &["--isolate", "on"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.text);
}

#[test]
fn without_a_sandbox_an_engine_can_kill_the_arbiter() {
    let outcome = Arena::new(PARRICIDE).play("", &["--isolate", "off"]);
    assert_ne!(outcome.code, Some(0), "{}", outcome.text);
}

/// Plays a match in a terminal, which the engine tries to write to.
fn play_in_a_terminal(isolate: &str) -> Arena {
    let attack = "(echo vandal > /dev/tty) 2> /dev/null\nls /dev/pts | grep -c '[0-9]' > DIR/terminals\n\
        echo \"bestmove $1\"";
    let arena = Arena::new(attack);
    let line = arena.shell_line(&["--isolate", isolate]);
    // Gives the arbiter a terminal and records the output.
    let mut script = arena.command("script");
    script.args(["-q", "-e", "-c", &line, "typescript"]);
    let output = script.output().unwrap();
    let seen = arena.written("typescript");
    assert_eq!(output.status.code(), Some(0), "{seen}");
    assert!(seen.contains("games in"), "{seen}");
    assert!(!seen.contains("vandal\r"), "{seen}");
    arena
}

#[needs(script)]
#[test]
fn an_engine_cannot_write_to_the_terminal_of_the_arbiter() {
    play_in_a_terminal("off");
}

#[needs(script, namespaces)]
#[test]
fn a_sandboxed_engine_sees_no_terminal() {
    assert_eq!(play_in_a_terminal("on").written("terminals"), "0");
}

#[test]
fn a_session_of_its_own_without_a_terminal() {
    for isolate in ["auto", "off"] {
        let arena =
            Arena::new("cat /proc/$$/stat /proc/self/status > DIR/stat; echo \"bestmove $1\"");
        let outcome = arena.play("", &["--isolate", isolate]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.text);
        let stat = arena.written("stat");
        let fields: Vec<&str> = stat[stat.find(')').unwrap() + 1..].split_whitespace().collect();
        // State, parent, process group, session, terminal.
        assert_eq!(fields[4], "0", "{stat}");
        if isolate == "off" {
            assert_eq!(fields[2], fields[3], "{stat}");
        }
        assert!(stat.contains("NoNewPrivs:\t1"), "{stat}");
        assert!(stat.contains("CapEff:\t0000000000000000"), "{stat}");
    }
}

#[test]
fn resource_limits_hold() {
    let big = "head -c 3000000 /dev/zero > DIR/big 2> /dev/null; ulimit -c > DIR/core; echo \"bestmove $1\"";
    for isolate in ["auto", "off"] {
        let arena = Arena::new(big);
        let outcome = arena.play("filesize=1", &["--isolate", isolate]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.text);
        assert_eq!(fs::metadata(arena.path("big")).unwrap().len(), 1 << 20);
        assert_eq!(arena.written("core"), "0");

        let arena = Arena::new("while :; do :; done");
        let outcome = arena.play("cpu=1 movetime=30000", &["--isolate", isolate]);
        let fault = outcome.records[0].fault.as_ref().unwrap();
        assert!(fault.reason.contains("SIGXCPU"), "{fault:?}: {}", outcome.text);
        assert!(!outcome.text.contains("is rerun"), "{}", outcome.text);
    }
}

#[test]
fn a_limit_that_needs_a_sandbox_is_refused_without_one() {
    let refused = Arena::new("").play("net=off processes=8", &["--isolate", "off"]);
    assert_eq!(refused.code, Some(2), "{}", refused.text);
    let words =
        "engine attacker: net=off requires isolation, which is not available: --isolate off";
    assert!(refused.text.contains(words), "{}", refused.text);
}

#[needs(namespaces)]
#[test]
fn without_network_and_with_few_processes() {
    let attack = "grep -c : /proc/net/dev > DIR/networks\n\
        for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done 2> /dev/null\n\
        ls /proc | grep -c '^[0-9]' > DIR/processes\n\
        echo \"bestmove $1\"";
    let arena = Arena::new(attack);
    let outcome = arena.play("net=off processes=8", &["--isolate", "on"]);
    assert!(outcome.records.len() == 2, "{}", outcome.text);
    // There is only the loopback device.
    assert_eq!(arena.written("networks"), "1", "{}", outcome.text);
    let processes: u32 = arena.written("processes").parse().unwrap_or(0);
    assert!(processes <= 9, "{processes}: {}", outcome.text);
}

#[test]
fn the_resource_usage_of_an_isolated_engine_is_known() {
    let attack = "head -c 60000000 /dev/zero | tail -c 60000000 > /dev/null; kill -SEGV $$";
    for isolate in ["auto", "off"] {
        let outcome = Arena::new(attack).play("", &["--isolate", isolate]);
        let fault = outcome.records[0].fault.as_ref().unwrap();
        assert!(fault.reason.contains("signal: 11"), "{fault:?}");
        let evidence = fault.evidence.as_ref().unwrap();
        assert!(evidence.memory_kib > Some(55_000), "{evidence:?}");
        assert!(evidence.cpu_micros > Some(1000), "{evidence:?}");
    }
}

#[test]
fn a_missing_program_is_named() {
    let mut texts = Vec::new();
    for isolate in ["auto", "off"] {
        let arena = Arena::new("");
        let arguments = ["match", "--isolate", isolate, "--engine", "cmd=/nonexistent/engine"];
        let output = arena.arbiter(&arguments.map(String::from)).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        texts.push(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    assert!(texts[0].contains("No such file or directory"), "{texts:?}");
    assert_eq!(texts[0], texts[1]);
}

#[needs(namespace_limit)]
#[test]
fn a_system_without_namespaces_is_recognized() {
    let arena = Arena::new("echo \"bestmove $1\"");
    let in_a_poor_system = |isolate: &str| {
        let line = arena.shell_line(&["--isolate", isolate]);
        let shell = format!("echo 0 > /proc/sys/user/max_user_namespaces && {line}");
        let mut unshare = arena.command("unshare");
        unshare.args(["--user", "--map-root-user", "sh", "-c", &shell]);
        let output = unshare.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, stdout, stderr) = in_a_poor_system("auto");
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("isolation: none: namespaces: "), "{stdout}");
    let (code, stdout, stderr) = in_a_poor_system("on");
    assert_eq!(code, Some(2), "{stdout}{stderr}");
    let words = "use --isolate auto or off";
    assert!(stderr.contains(words), "{stderr}");
}

#[needs(namespaces)]
#[test]
fn a_sandboxed_engine_does_not_reach_beyond_its_processes_and_turns() {
    let attack = "[ -e DIR/reach ] || DIR/cheat reach > DIR/reach\n\
        unshare --user true 2> /dev/null; echo $? > DIR/nested\n\
        echo \"bestmove $1\"";
    let arena = Arena::new(attack);
    arena.copy(&cheat_program(), "cheat");
    let outcome = arena.play("", &["--isolate", "on"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.text);
    assert_eq!(arena.written("nested"), "1");
    let refused =
        ["add_key", "keyctl", "request_key", "io_uring_setup", "perf_event_open", "lease"];
    let refused: String = refused.map(|name| format!("{name}: false\n")).concat();
    let expected = format!("timers: 64\ntimer files: 64\n{refused}");
    assert_eq!(arena.written("reach"), expected.trim());
}

#[needs(namespaces)]
#[test]
fn nothing_of_an_isolated_engine_outlives_a_killed_arbiter() {
    // A daemon in its own session, out of reach of a kill of the process group.
    let attack = "setsid sleep 4711.5 < /dev/null > /dev/null 2>&1 &\nsleep 1; exec sleep 1000";
    let arena = Arena::new(attack);
    let arguments = arena.arguments("movetime=600000", &["--isolate", "on"]);
    let mut command = arena.arbiter(&arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let daemons = || {
        let all = fs::read_dir("/proc").unwrap().flatten();
        let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        lines.filter(|line| line == b"sleep\x004711.5\x00").count()
    };
    await_that(|| daemons() > 0);
    let launchers = children(child.id());
    assert_eq!(launchers.len(), 2, "{launchers:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    await_that(|| daemons() == 0);
}

fn await_that(is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < deadline, "it never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_replaced_program_stops_the_match() {
    let replace = "echo '# another' >> DIR/attacker.sh; echo \"bestmove $1\"";
    let outcome = Arena::new(replace).play("restart=on", &[]);
    let seen = &outcome.text;
    assert_eq!((outcome.code, outcome.records.len()), (Some(2), 1), "{seen}");
    let words = "attacker.sh has changed since the match began";
    assert!(seen.contains("error: engine attacker: "), "{seen}");
    assert!(seen.contains(words), "{seen}");
    let outcome = Arena::new(replace).play("restart=on", &["--changed-engines"]);
    assert_eq!((outcome.code, outcome.records.len()), (Some(0), 2), "{}", outcome.text);
    // An engine that still runs the original program is not disturbed.
    let outcome = Arena::new(replace).play("", &[]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.text);
}

#[test]
fn a_stored_match_keeps_its_sandbox() {
    let arena = Arena::new("echo \"bestmove $1\"");
    let keys = "cpu=60 filesize=9 memory=900";
    let outcome = arena.play(keys, &["--isolate", "off", "--store", "match.db"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.text);
    assert!(outcome.text.contains("\nmemory: limited by "), "{}", outcome.text);
    let export = ["export", "match.db", "--format", "config"].map(String::from);
    let output = arena.arbiter(&export).output().unwrap();
    let config = String::from_utf8_lossy(&output.stdout);
    for line in ["isolate = \"off\"", "cpu = 60", "filesize = 9", "memory = 900"] {
        assert!(config.contains(line), "{line}: {config}");
    }
}
