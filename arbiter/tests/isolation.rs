//! The view of an isolated engine, in every command that starts one.
#![cfg(target_os = "linux")]

use preconditions::needs;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;

use matches::spelling::quote_path;
use tempfile::TempDir;

use crate::common::arena::{Arena, NOBODY};

/// Connects to the socket of its argument.
const CONNECT: &str = "use Socket; socket($socket, PF_UNIX, SOCK_STREAM, 0);
    exit !connect($socket, pack_sockaddr_un($ARGV[0]));";

/// A directory in `/tmp` that belongs to the user of the arena.
fn directory() -> TempDir {
    let directory = TempDir::with_prefix_in("others-", "/tmp").unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    if rustix::process::geteuid().is_root() {
        chown(directory.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    directory
}

/// A socket of another program in `/tmp`; its directory is open to all.
fn socket() -> (TempDir, UnixListener, String) {
    let directory = directory();
    let path = directory.path().join("control");
    let listener = UnixListener::bind(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
    (directory, listener, path.display().to_string())
}

#[needs(namespaces, perl)]
#[test]
fn an_isolated_engine_reaches_no_sockets_and_no_files_of_the_arbiter() {
    let (directory, _listener, path) = socket();
    let place = directory.path().display();
    let ipc = fs::read_link("/proc/self/ns/ipc").unwrap();
    let ipc = ipc.display();
    let look = format!(
        "perl DIR/connect {path} && echo socket >> DIR/seen
        mkdir -p {place} && echo intruder > {place}/intruder && echo room >> DIR/seen
        [ -e /proc/self/fd/9 ] && echo inherited >> DIR/seen
        ls /proc/1/fd/ /proc/1/root/ /proc/1/cwd/ >> DIR/seen 2> /dev/null
        ls /sys/fs/cgroup | head -n 1 >> DIR/seen
        readlink /proc/self/ns/ipc | grep -xF '{ipc}' >> DIR/seen
        [ -s DIR/state/buxtehude/key ] && echo key >> DIR/seen
        ln DIR/match.db DIR/hard 2> /dev/null && echo hard >> DIR/seen
        unshare -Urm sh -c 'umount /tmp; perl DIR/connect {path} && echo socket' >> DIR/seen 2> /dev/null
        unshare -Urm sh -c 'umount DIR/match.db; cat DIR/match.db | head -c 6' >> DIR/seen 2> /dev/null
        for file in match.db match.db-wal match.db-shm games.jsonl log events seed; do
            [ -s DIR/$file ] && echo $file >> DIR/seen
            [ -s $file ] && echo $file >> DIR/seen
        done
        echo \"bestmove $1\""
    );
    let seen = |isolate| {
        let arena = Arena::new(&look);
        fs::write(arena.path("connect"), CONNECT).unwrap();
        fs::write(arena.path("seed"), "7").unwrap();
        let more =
            ["--isolate", isolate, "--store", "match.db", "--log", "log", "--events", "events"];
        let mut arguments = arena.arguments("", &more);
        let seed = arguments.iter().position(|word| word == "--seed").unwrap();
        arguments[seed] = "--seed-file".to_string();
        arguments[seed + 1] = "seed".to_string();
        let mut shell = arena.command("sh");
        shell.args(["-c", "exec 9< /dev/null; exec \"$0\" \"$@\"", "./arbiter"]);
        let output = shell.args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let mut seen: Vec<String> = arena.written("seen").lines().map(String::from).collect();
        seen.sort();
        seen.dedup();
        seen
    };
    assert_eq!(seen("on"), ["room"]);
    assert!(!directory.path().join("intruder").exists());
    let off = seen("off");
    assert!(!off.contains(&"inherited".to_string()), "{off:?}");
    for expected in [
        "socket",
        "match.db",
        "match.db-wal",
        "games.jsonl",
        "log",
        "events",
        "seed",
        "key",
        "hard",
        &ipc.to_string(),
    ] {
        assert!(off.contains(&expected.to_string()), "{expected}");
    }
}

#[needs(namespaces)]
#[test]
fn temporary_directories_are_small_and_an_engine_starts_from_them() {
    let attack = "for place in /tmp /dev/shm; do df -k $place | tail -n 1 >> DIR/sizes; done
        echo \"bestmove $1\"";
    let arena = Arena::new(attack);
    // Of one engine only the script is kept; the other's directory is reached through a symbolic link.
    let links = TempDir::new_in("/tmp").unwrap();
    fs::set_permissions(links.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let link = links.path().join("link");
    symlink(arena.path(""), &link).unwrap();
    let third = format!("cmd={0}/arbiter args=engine dir={0}", quote_path(&link));
    let keys = format!("dir={}", quote_path(&link));
    let more = ["--isolate", "on", "--players", "3", "--engine", &third];
    let arguments = arena.arguments(&keys, &more);
    let output = arena.arbiter(&arguments).current_dir("/").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!arena.written("sizes").is_empty());
    for line in arena.written("sizes").lines() {
        let kib = line.split_whitespace().nth(1).unwrap();
        assert_eq!(kib, "262144", "{line}");
    }
}

#[needs(layers)]
#[test]
fn files_in_temporary_directories_can_be_read_and_changes_are_private() {
    for place in ["/tmp", "/dev/shm"] {
        let directory = TempDir::with_prefix_in("others-", place).unwrap();
        let (path, folder) = (|name: &str| directory.path().join(name), directory.path().display());
        let tool = format!("#!/bin/sh\ncat {folder}/weights\n");
        fs::write(path("weights"), "7\n").unwrap();
        fs::write(path("tool"), tool).unwrap();
        fs::create_dir(path("old")).unwrap();
        fs::write(path("old/log"), "old\n").unwrap();
        let all = ["", "weights", "tool", "old", "old/log"];
        for name in all {
            fs::set_permissions(path(name), fs::Permissions::from_mode(0o777)).unwrap();
            if rustix::process::geteuid().is_root() {
                chown(path(name), Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        let use_all = format!(
            "{folder}/tool >> DIR/seen && echo 8 >> {folder}/weights && {folder}/tool >> DIR/seen
            rm -r {folder}/old && mkdir {folder}/old && ls {folder}/old >> DIR/seen
            echo new > {folder}/new; cat {folder}/new >> DIR/seen
            [ -s DIR/games.jsonl ] && echo record >> DIR/seen
            mv {folder}/weights {folder}/moved; exit 1"
        );
        let arena = Arena::new(&use_all);
        let outcome = arena.play("", &["--isolate", "on"]);
        // Each of the games begins with the files as they were.
        let seen = "7\n7\n8\nnew";
        assert_eq!(arena.written("seen"), format!("{seen}\n{seen}"), "{}", outcome.text);
        assert_eq!(fs::read_to_string(path("weights")).unwrap(), "7\n");
        assert_eq!(fs::read_to_string(path("old/log")).unwrap(), "old\n");
        assert!(!path("new").exists() && !path("moved").exists());
    }
}

#[needs(layers)]
#[test]
fn a_hidden_file_that_an_engine_misses_is_named() {
    let directory = directory();
    let weights = directory.path().join("weights");
    fs::write(&weights, "7\n").unwrap();
    let arena = Arena::new(&format!("cat {} || exit 1", weights.display()));
    let read = format!("#!/bin/sh\ncat {} || exit 1", weights.display());
    fs::write(arena.path("reader"), read).unwrap();
    fs::set_permissions(arena.path("reader"), fs::Permissions::from_mode(0o755)).unwrap();
    // A layer cannot show a directory that contains a mount point.
    let in_a_poor_system = |line: &str| {
        let mounted = directory.path().join("mounted");
        let mounted = mounted.display();
        let shell = format!("mkdir -p {mounted} && mount -t tmpfs tmpfs {mounted} && {line}");
        let mut unshare = arena.command("unshare");
        unshare.args(["--user", "--map-root-user", "--mount", "sh", "-c", &shell]);
        let output = unshare.output().unwrap();
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
    };
    let hint = format!("isolation hides {} from it: move that out of /tmp", weights.display());
    let check =
        format!("{} check {}", arena.path("arbiter").display(), arena.path("reader").display());
    let start = format!(
        "{} match --games 2 --nodes 1 --engine cmd={}",
        arena.path("arbiter").display(),
        arena.path("reader").display()
    );
    for line in [arena.shell_line(&["--isolate", "on"]), check, start.clone()] {
        let seen = in_a_poor_system(&line);
        assert!(seen.contains(&hint), "{line}: {seen}");
    }
    let interpreter = directory.path().join("sh");
    symlink("/bin/sh", &interpreter).unwrap();
    fs::write(arena.path("reader"), format!("#!{}\n", interpreter.display())).unwrap();
    let seen = in_a_poor_system(&start);
    let hint = format!("its first line names {}, which isolation hides", interpreter.display());
    assert!(seen.contains(&hint), "{seen}");
}

#[needs(namespaces, perl)]
#[test]
fn every_command_isolates_its_engine() {
    let (_directory, _listener, path) = socket();
    let arena = Arena::new("echo \"bestmove $1\"");
    let program = arena.path("spy");
    let (directory, arbiter) = (arena.path(""), arena.path("arbiter"));
    fs::write(arena.path("connect"), CONNECT).unwrap();
    let spy = format!(
        "#!/bin/sh\nperl {0}connect {path} && echo seen >> {0}seen || echo hidden >> {0}seen\nexec {1} engine\n",
        directory.display(),
        arbiter.display(),
    );
    fs::write(&program, spy).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(arena.path("script"), "> isready\n< readyok\n").unwrap();
    let commands = [
        "match --games 2 --nodes 1 --engine cmd=./spy --store match.db",
        "check --only uci/id-name ./spy",
        "transcript --script script ./spy",
        "openings --count 1 --plies 1 --within 1000 --nodes 1 --engine cmd=./spy",
        "review match.db --game 1 --nodes 1 --engine cmd=./spy",
        "report match.db --format html --review 1 --review-nodes 1 --review-engine cmd=./spy",
        "verify match.db",
    ];
    for command in commands {
        let words: Vec<String> = command.split(' ').map(String::from).collect();
        let output = arena.arbiter(&words).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {output:?}");
        let seen = arena.written("seen");
        assert!(seen.contains("hidden") && !seen.contains("seen"), "{command}: {seen}");
        fs::remove_file(arena.path("seen")).unwrap();
    }
}
