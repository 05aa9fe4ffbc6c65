//! Helpers that run the program, and small engines for `/bin/sh`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use matches::spelling::engine_text;

/// The `--engine` string of the built-in engine, with more keys.
pub fn built_in(keys: &str) -> String {
    format!("{} {keys}", engine_text(env!("CARGO_BIN_EXE_arbiter"), &["engine"]))
}

/// Plays one of the legal moves that it receives, not always the first.
const SCATTERED: &str = r#"
n=${1:-0}
while read -r line; do
  case $line in
    uci) echo "id name scattered"; echo uciok ;;
    isready) echo readyok ;;
    go*) set -- ${line#*searchmoves }
         n=$(( (n * 5 + 3) % 1024 ))
         shift $(( n / 8 % $# ))
         echo "info depth 1 score cp 0"
         echo "bestmove $1" ;;
    quit) exit ;;
  esac
done
"#;

/// Exits with status 3 and a message on the `go` of its fifth move.
const CRASHING: &str = r#"
moves=0
while read -r line; do
  case $line in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go*) moves=$(( moves + 1 ))
         if [ $moves = 5 ]; then echo "out of carrots" >&2; exit 3; fi
         set -- ${line#*searchmoves }
         echo "bestmove $1" ;;
    quit) exit ;;
  esac
done
"#;

/// Starts twice, for the check before the match and for the first game, crashes in that game, and never starts again.
/// Its argument is a file that counts the starts.
const SPENT: &str = r#"
echo start >> "$1"
if [ "$(wc -l < "$1")" -gt 2 ]; then echo "worn out" >&2; exit 1; fi
while read -r line; do
  case $line in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go*|quit) exit 3 ;;
  esac
done
"#;

/// Ignores signals and `quit`, has a child process, and stops answering after 60 moves.
const DEAF: &str = r#"
trap '' HUP INT TERM
sleep 1000 &
moves=0
while :; do
  read -r line || sleep 1
  case $line in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go*) moves=$(( moves + 1 ))
         if [ $moves = 60 ]; then sleep 1000; fi
         set -- ${line#*searchmoves }
         echo "bestmove $1" ;;
  esac
  line=
done
"#;

/// Creates an empty directory for a test.
pub fn directory(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// The `--engine` string of an engine that plays legal moves, which depend on `seed`.
pub fn scattered(directory: &Path, name: &str, seed: u32) -> String {
    engine(directory, name, SCATTERED, &seed.to_string())
}

/// The `--engine` string of an engine that crashes at its fifth move.
pub fn crashing(directory: &Path, name: &str) -> String {
    engine(directory, name, CRASHING, "")
}

/// The `--engine` string of an engine that does not start again after its first game.
pub fn spent(directory: &Path, name: &str) -> String {
    let count = directory.join("starts");
    engine(directory, name, SPENT, count.to_str().unwrap())
}

/// The `--engine` string of an engine that only a kill ends, and that has a child process.
pub fn deaf(directory: &Path, name: &str) -> String {
    engine(directory, name, DEAF, "")
}

fn engine(directory: &Path, name: &str, script: &str, argument: &str) -> String {
    let path = directory.join(format!("{name}.sh"));
    std::fs::write(&path, script).unwrap();
    let command = engine_text("/bin/sh", &[path.to_str().unwrap(), argument]);
    format!("{command} name={name} legal=on")
}

/// A command that runs the arbiter with these arguments in the folder of the tests' files. An isolated engine has its
/// own layer of `/tmp`, but its changes in this folder can be seen even if the folder lies there.
pub fn arbiter(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arbiter"));
    command.args(arguments).current_dir(env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Runs the arbiter; returns its exit status, standard output and standard error.
pub fn run(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = arbiter(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// Runs the arbiter, asserts that it succeeds, and returns its standard output.
pub fn content(arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(arguments);
    assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}: {stdout}");
    stdout
}

/// Calls `check` with every case, on this many threads: the programs that a test starts mostly wait.
pub fn check_all<T: Sync>(threads: usize, cases: &[T], check: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(case);
                }
            });
        }
    });
}
