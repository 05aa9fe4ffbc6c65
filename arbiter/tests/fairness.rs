//! No engine gains by cheating on time, and none loses because the machine is busy.
#![cfg(target_os = "linux")]

use preconditions::needs;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::common::arena::Arena;
use crate::common::program;
use matches::record::GameRecord;
use matches::record::ending::Ending;
use matches::spelling::{engine_text, quote_path};
use program::{built_in, directory, run};

const ARBITER: &str = env!("CARGO_BIN_EXE_arbiter");

/// Exit status of a match where an engine was at fault.
const ENGINE_FAULT: i32 = 4;

/// An engine that runs the code at `DOES` before each move.
const SCRIPT: &str = r#"
while read -r line; do
  case $line in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go*) set -- ${line#*searchmoves }
         DOES
         echo "bestmove $1" ;;
    quit) exit ;;
  esac
done
"#;

/// Busy loops that are killed on drop.
struct Hogs(Vec<Child>);

impl Hogs {
    fn start(count: usize) -> Hogs {
        let hog = |_| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
            command.spawn().unwrap()
        };
        Hogs((0..count).map(hog).collect())
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        for hog in &mut self.0 {
            hog.kill().unwrap();
            hog.wait().unwrap();
        }
    }
}

/// A control group that gets a few milliseconds of processor time in a second; removed on drop.
struct Quota {
    parent: PathBuf,
    directory: PathBuf,
}

impl Quota {
    fn create() -> Quota {
        let parents = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"].map(PathBuf::from);
        for parent in parents {
            let directory = parent.join(format!("quota-{}", std::process::id()));
            if fs::create_dir(&directory).is_err() {
                continue;
            }
            let group = Quota { parent, directory };
            let limit = |file: &str, value: &str| fs::write(group.directory.join(file), value);
            let period = limit("cpu.cfs_period_us", "1000000");
            let limited = period.and_then(|()| limit("cpu.cfs_quota_us", "1000"));
            if limited.or_else(|_| limit("cpu.max", "1000 1000000")).is_ok() {
                return group;
            }
        }
        panic!("no control group can be limited");
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let processes = fs::read_to_string(self.directory.join("cgroup.procs")).unwrap();
        for process in processes.lines() {
            let _ = fs::write(self.parent.join("cgroup.procs"), process);
        }
        let _ = fs::remove_dir(&self.directory);
    }
}

/// The `--engine` string of an engine in shell code.
fn engine(directory: &Path, name: &str, does: &str) -> String {
    let script = directory.join(format!("{name}.sh"));
    fs::write(&script, SCRIPT.replace("DOES", does)).unwrap();
    format!("{} name={name} legal=on", engine_text("/bin/sh", &[script.to_str().unwrap()]))
}

/// Exit status of a match, its output and its records.
type Outcome = (i32, String, Vec<GameRecord>);

/// Plays a match without a sandbox.
fn play(directory: &Path, arguments: &[&str]) -> Outcome {
    let record = directory.join("games.jsonl");
    let output = ["match", "--isolate", "off", "--record", record.to_str().unwrap()];
    let (code, stdout, stderr) = run(&[&output, arguments].concat());
    let lines = fs::read_to_string(&record).unwrap_or_default();
    let records = lines.lines().map(|line| serde_json::from_str(line).unwrap());
    (code, format!("{stdout}{stderr}"), records.collect())
}

#[test]
fn who_gets_no_processor_does_not_lose_by_it() {
    let directory = directory("hogs");
    let hogs = Hogs::start(8);
    let own = built_in("name=own");
    let settings = ["--engine", &own, "--movetime", "20", "--games", "4", "--max-plies", "80"];
    let (code, seen, records) = play(&directory, &settings);
    drop(hogs);
    assert_eq!(code, 0, "{seen}");
    let turns = || records.iter().flat_map(|record| &record.turns);
    assert!(turns().count() > 20, "{seen}");
    let sum =
        |of: fn(&matches::record::TurnRecord) -> Option<u64>| turns().filter_map(of).sum::<u64>();
    let (waited, micros) = (sum(|turn| turn.waited), sum(|turn| turn.micros));
    assert!(waited > micros / 10 && waited < micros, "{waited} of {micros}\n{seen}");
    assert!(seen.contains("warning: this machine is too busy for a fair match: "), "{seen}");
    assert!(seen.contains("\n engine   waited "), "{seen}");
}

#[needs(cpu_quota)]
#[test]
fn a_wait_that_is_not_over_at_the_deadline_counts() {
    let directory = directory("quota");
    let quota = Quota::create();
    let starved = engine(&directory, "starved", "i=0; while [ $i -lt 6000 ]; do i=$((i+1)); done");
    // It enters the control group before its first move, since the kernel may block it for long while it does.
    let script = directory.join("starved.sh");
    let enter = format!("echo $$ > {}/cgroup.procs", quota.directory.display());
    fs::write(&script, format!("{enter}\n{}", fs::read_to_string(&script).unwrap())).unwrap();
    let fair = engine(&directory, "fair", "");
    let settings = ["--engine", &starved, "--engine", &fair, "--movetime", "200", "--games", "2"];
    let (code, seen, records) = play(&directory, &[&settings[..], &["--max-plies", "3"]].concat());
    drop(quota);
    assert_eq!((code, records.len()), (0, 2), "{seen}");
    let turns = records.iter().flat_map(|record| &record.turns);
    let longest = turns.filter_map(|turn| turn.waited).max();
    assert!(longest > Some(1_300_000), "{longest:?}: {seen}");
}

#[test]
fn who_computes_for_too_long_loses_on_a_busy_machine_too() {
    let directory = directory("guilty");
    let slow = engine(&directory, "slow", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done");
    let quick = engine(&directory, "quick", "");
    let hogs = Hogs::start(4);
    let settings = ["--engine", &slow, "--engine", &quick, "--movetime", "10", "--games", "2"];
    let (code, seen, records) = play(&directory, &settings);
    drop(hogs);
    assert_eq!((code, records.len()), (ENGINE_FAULT, 2), "{seen}");
    for record in records {
        let slow = record.seats.iter().position(|name| name == "slow").unwrap();
        let ending = record.endings[slow];
        assert!([Ending::TimeForfeit, Ending::Stall].contains(&ending), "{seen}");
    }
}

#[test]
fn an_engine_that_blocks_the_arbiter_loses() {
    let directory = directory("jailer");
    let stops = "kill -STOP $PPID; sleep 0.7; kill -CONT $PPID; sleep 0.1";
    let jailer = engine(&directory, "jailer", stops);
    let fair = engine(&directory, "fair", "");
    let settings = ["--engine", &jailer, "--engine", &fair, "--movetime", "100", "--games", "2"];
    let (code, seen, records) = play(&directory, &settings);
    assert_eq!((code, records.len()), (ENGINE_FAULT, 2), "{seen}");
    for record in records {
        let seat = record.seats.iter().position(|name| name == "jailer").unwrap();
        assert_eq!(record.endings[seat], Ending::Interference, "{seen}");
        assert_eq!(record.places[seat], 2, "{seen}");
        let fault = record.fault.unwrap();
        assert_eq!(fault.reason, "it sent the arbiter SIGCONT", "{seen}");
    }
}

#[test]
fn a_signal_of_an_engine_does_not_end_the_match() {
    let directory = directory("terminator");
    let terminator = engine(&directory, "terminator", "kill -TERM $PPID; sleep 0.3");
    let fair = engine(&directory, "fair", "");
    let settings = ["--engine", &terminator, "--engine", &fair, "--nodes", "1", "--games", "2"];
    let (code, seen, records) = play(&directory, &settings);
    assert_eq!((code, records.len()), (ENGINE_FAULT, 2), "{seen}");
    assert!(seen.contains(" sent SIGTERM to the arbiter, which is a fault"), "{seen}");
    for record in records {
        assert!(record.endings.contains(&Ending::Interference), "{seen}");
    }
}

#[test]
fn an_engine_that_computes_out_of_turn_is_named() {
    let directory = directory("thief");
    // The thief computes during the rival's turns, which last until it is done. Its computing process then stays alive,
    // as a thread of an engine would.
    let busy = quote_path(&directory.join("busy"));
    let burn = format!(
        ": > {busy}
         (i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done; rm {busy}; sleep 100) &
         sleep 0.05"
    );
    let wait = format!("while [ -e {busy} ]; do sleep 0.05; done");
    let thief = engine(&directory, "thief", &burn);
    let fair = engine(&directory, "fair", &wait);
    let settings = ["--engine", &thief, "--engine", &fair, "--movetime", "60000", "--games", "2"];
    let (code, seen, _) = play(&directory, &[&settings[..], &["--max-plies", "8"]].concat());
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("thief: it computes out of turn"), "{seen}");
    assert!(!seen.contains("fair: it computes"), "{seen}");
}

/// Path of the cheating engine of the examples, which cargo builds next to the arbiter when it tests the whole package.
pub fn cheat_program() -> PathBuf {
    let path = Path::new(ARBITER).with_file_name("examples").join("cheat");
    assert!(
        path.exists(),
        "{path:?} is missing: expected `cargo test -p arbiter`, or `cargo build -p arbiter --examples` before"
    );
    path
}

/// The `--engine` string of the cheating engine.
fn cheat(name: &str, args: &str) -> String {
    let arguments: Vec<&str> = args.split(' ').collect();
    let program = cheat_program();
    format!("{} name={name}", engine_text(program.to_str().unwrap(), &arguments))
}

/// Plays a cheat against a fair engine, with more settings for each and for the match.
fn play_cheat(args: &str, [cheats, fair]: [&str; 2], settings: &str) -> Outcome {
    let directory = directory(args.split_whitespace().next().unwrap());
    let cheater = format!("{} {cheats}", cheat("cheat", args));
    let fair = format!("{} {fair}", cheat("fair", "fair"));
    let mut arguments = vec!["--engine", &cheater, "--engine", &fair, "--retire", "0"];
    arguments.extend(settings.split_whitespace());
    play(&directory, &arguments)
}

/// Whether the cheat has lost every game on time; a busy machine adds to its delay.
fn are_late(records: &[GameRecord]) -> bool {
    records.iter().all(|record| {
        let seat = record.seats.iter().position(|name| name == "cheat");
        matches!(record.endings[seat.unwrap()], Ending::TimeForfeit | Ending::Stall)
    })
}

#[test]
fn work_in_what_has_ended_is_counted() {
    for args in ["threads 400", "children 400"] {
        let limits = "--movetime 20 --margin 50 --max-plies 6";
        let (code, seen, records) = play_cheat(args, [""; 2], limits);
        assert_eq!(code, ENGINE_FAULT, "{seen}");
        assert!(are_late(&records), "{args}: {seen}");
    }
}

#[needs(control_group)]
#[test]
fn work_of_children_that_nobody_waits_for_is_counted() {
    let limits = "--movetime 20 --margin 50 --max-plies 6";
    let (code, seen, records) = play_cheat("unseen 300", [""; 2], limits);
    assert_eq!(code, ENGINE_FAULT, "{seen}");
    assert!(!records.is_empty() && are_late(&records), "{seen}");
}

#[needs(control_group)]
#[test]
fn children_that_nobody_waits_for_are_named_for_computing_out_of_turn() {
    let keys = ["movetime=100 margin=1000", "movetime=400 margin=1000"];
    let (code, seen, _) = play_cheat("helpers 300", keys, "--max-plies 16");
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("cheat: it computes out of turn"), "{seen}");
    assert!(!seen.contains("fair: it computes"), "{seen}");
}

#[test]
fn work_before_uciok_is_named() {
    let limits = "--movetime 20 --margin 1000 --max-plies 6 --ready 120000";
    let (code, seen, _) = play_cheat("start 5000", ["restart=on"; 2], limits);
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("cheat: it computes out of turn"), "{seen}");
    assert!(!seen.contains("fair: it computes"), "{seen}");
}

#[needs(control_group)]
#[test]
fn a_daemon_ends_with_its_engine() {
    // Another run's daemon sleeps for another time.
    let seconds = 3600 + std::process::id();
    let limits = "--movetime 20 --margin 1000 --max-plies 2";
    let (code, seen, _) = play_cheat(&format!("daemon {seconds}000"), [""; 2], limits);
    assert_eq!(code, 0, "{seen}");
    let daemon = format!("sleep\0{seconds}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    assert!(!lines.any(|line| line == daemon.as_bytes()), "{seen}");
}

#[test]
fn without_a_control_group_the_match_says_what_it_does_not_see() {
    let arena = Arena::new("echo \"bestmove $1\"");
    for (keys, is_told) in [("movetime=200", true), ("", false)] {
        let outcome = arena.play(keys, &["--isolate", "off"]);
        let words = "\ncomputing: counted without a control group";
        let is_root = rustix::process::geteuid().is_root();
        // An ordinary user may have a group; the superuser's tests run as a user who has none.
        assert!(!is_root || outcome.text.contains(words) == is_told, "{}", outcome.text);
    }
}

#[test]
fn short_lived_threads_are_named_for_computing_out_of_turn() {
    let keys = ["movetime=20 margin=1000", "movetime=400 margin=1000"];
    let (code, seen, _) = play_cheat("bursts", keys, "--max-plies 16");
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("cheat: it computes out of turn"), "{seen}");
    assert!(!seen.contains("fair: it computes"), "{seen}");
}

#[test]
fn work_before_a_game_is_named() {
    let limits = "--movetime 20 --margin 1000 --max-plies 6 --ready 120000";
    let (code, seen, _) = play_cheat("ready 2000", [""; 2], limits);
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("cheat: it computes out of turn"), "{seen}");
    assert!(!seen.contains("fair: it computes"), "{seen}");
}

#[test]
fn an_engine_that_fills_its_own_input_pays_for_it() {
    let keys = ["ponder=on", ""];
    let limits = "--movetime 20 --margin 50 --max-plies 20";
    let (code, seen, records) = play_cheat("fill 900", keys, limits);
    assert_eq!(code, ENGINE_FAULT, "{seen}");
    assert!(are_late(&records), "{seen}");
}

#[test]
fn an_engine_that_uses_its_margin_is_named() {
    let limits = "--movetime 20 --margin 1000 --max-plies 20";
    let (code, seen, _) = play_cheat("margin 80", [""; 2], limits);
    assert_eq!(code, 0, "{seen}");
    let words = "cheat: it uses its margin: its answers exceed their limit by ";
    assert!(seen.contains(words), "{seen}");
}

#[test]
fn a_failure_does_not_pay_with_another_seat() {
    let directory = directory("deserter");
    let deserter = engine(&directory, "deserter", "exit 1");
    let fair = engine(&directory, "fair", "");
    let settings = "--players 3 --nodes 1 --games 6 --retire 0";
    let engines = ["--engine", &deserter, "--engine", &fair];
    let settings: Vec<&str> = settings.split_whitespace().collect();
    let (code, seen, records) = play(&directory, &[&engines[..], &settings].concat());
    assert_eq!((code, records.len()), (ENGINE_FAULT, 6), "{seen}");
    for record in records {
        let own = |seat: &usize| record.seats[*seat] == "deserter";
        let mut places: Vec<u32> = (0..3).filter(own).map(|seat| record.places[seat]).collect();
        places.sort_unstable();
        let last = [2, 3];
        assert_eq!(places, last[2 - places.len()..], "{record:?}");
        let flaws = matches::archive::replay::check(&record);
        assert!(flaws.is_empty(), "{flaws:?}");
    }
}
