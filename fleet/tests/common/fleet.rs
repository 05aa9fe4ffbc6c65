//! The processes of a fleet.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fleet::queue::Names;
use matches::archive::store::{Extent, Store};
use matches::spelling::{engine_text, quote, quote_path};
use rustix::process::{Pid, Signal, kill_process};

use super::server::{Server, with_jetstream};

/// Timeout of every wait, generous for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(240);
/// Interval between two checks of a condition.
const TICK: Duration = Duration::from_millis(20);

pub const FLEET: &str = env!("CARGO_BIN_EXE_fleet");
/// Arguments of a match that takes one worker some seconds.
pub const MATCH: &str = "--games 12 --nodes 10000 --seed 3 --random-plies 4";

/// The program, for more environment or arguments.
pub fn program() -> Command {
    Command::new(FLEET)
}

/// The flag `--engine` with a program, its arguments and more keys, quoted as for a shell.
pub fn engine(program: &str, arguments: &[&str], keys: &str) -> String {
    format!("--engine {}", quote(&format!("{} {keys}", engine_text(program, arguments))))
}

/// Arguments of the engines `a` and `b`, both the built-in one.
pub fn engines() -> String {
    ["a", "b"].map(|name| engine(FLEET, &["engine"], &format!("name={name}"))).join(" ")
}

/// A coordinator and workers on one server.
pub struct Fleet {
    pub server: Server,
    pub folder: tempfile::TempDir,
    /// `--ack-wait` of coordinators.
    pub ack_wait: u32,
    /// Address of the server for processes started from now on.
    pub address: String,
    /// Output files of all processes, in the order of their starts.
    outputs: Vec<PathBuf>,
}

/// A process with its output in a file; killed when dropped.
pub struct Process {
    child: Child,
    output: PathBuf,
}

impl Fleet {
    /// Starts a server, with a folder for the match.
    pub fn new() -> Fleet {
        Fleet::at(Server::configured(""))
    }

    /// Makes a folder for a match on this server.
    pub fn at(server: Server) -> Fleet {
        Fleet {
            address: server.url(),
            server,
            folder: tempfile::tempdir().unwrap(),
            ack_wait: 2,
            outputs: Vec::new(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn store(&self) -> PathBuf {
        self.path("match.db")
    }

    /// Starts `fleet` with these arguments, which are split as in a shell, and the server's address.
    pub fn start(&mut self, words: &str) -> Process {
        self.start_by(&mut program(), words)
    }

    /// Like [`Fleet::start`], with another program; the arguments are appended to its own.
    pub fn start_by(&mut self, program: &mut Command, words: &str) -> Process {
        let output = self.path(&format!("output-{}", self.outputs.len() + 1));
        self.outputs.push(output.clone());
        let file = File::create(&output).unwrap();
        let words = shlex::split(words).unwrap();
        program.args(&words);
        if !words.iter().any(|word| word == "--nats") {
            program.args(["--nats", &self.address]);
        }
        if ["match", "resume"].contains(&words[0].as_str()) {
            program.args(["--ack-wait", &self.ack_wait.to_string()]);
        }
        // The coordinator's key is kept there.
        program.env("XDG_CONFIG_HOME", self.folder.path());
        program.stdout(file.try_clone().unwrap()).stderr(file);
        let child = program.spawn().unwrap();
        Process { child, output }
    }

    /// Starts the coordinator of a new match between [`engines`].
    pub fn begin(&mut self, words: &str) -> Process {
        let store = self.store();
        self.begin_in(&store, &format!("{} {words}", engines()))
    }

    /// Starts the coordinator of a new match in a store.
    pub fn begin_in(&mut self, store: &Path, words: &str) -> Process {
        self.start(&format!("match --store {} {words}", quote_path(store)))
    }

    /// The command that a coordinator proposes when its match is interrupted.
    pub fn proposal(&self) -> String {
        format!("`{} resume {}", quote(FLEET), quote_path(&self.store()))
    }

    pub fn resume(&mut self) -> Process {
        let store = self.store();
        self.start(&format!("resume {}", quote_path(&store)))
    }

    /// Starts a worker that has both engines.
    pub fn worker(&mut self, name: &str) -> Process {
        self.worker_by(&mut program(), &format!("--name {name}"))
    }

    /// Like [`Fleet::worker`], with another program and other arguments.
    pub fn worker_by(&mut self, program: &mut Command, words: &str) -> Process {
        let [a, b] = ["a", "b"].map(|name| engine(FLEET, &[], &format!("name={name}")));
        self.start_by(program, &format!("work {a} {b} {words}"))
    }

    pub fn await_games(&self, number: usize) {
        self.await_that(&format!("{number} games"), || stored(&self.store()) >= number);
    }

    /// Waits for a condition; at a timeout, panics with the output of all processes.
    pub fn await_that(&self, what: &str, is_so: impl Fn() -> bool) {
        let end = Instant::now() + TIMEOUT;
        while !is_so() {
            assert!(
                Instant::now() < end,
                "waited in vain for {what}; the server:\n{}{}",
                self.server.output(),
                self.output()
            );
            sleep(TICK);
        }
    }

    /// Output of all processes.
    fn output(&self) -> String {
        let of_file = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().display();
            format!("{name}:\n{}", fs::read_to_string(path).unwrap())
        };
        self.outputs.iter().map(of_file).collect()
    }

    /// Waits until the match in a store is on the server; returns its names.
    pub fn await_names(&self, store: &Path) -> Names {
        let names = || {
            let note = Store::open(store).ok()?.note("fleet").ok()??;
            let note: serde_json::Value = serde_json::from_str(&note).unwrap();
            Names::of(note["id"].as_str().unwrap())
        };
        self.await_that("an id", || names().is_some());
        names().unwrap()
    }

    /// Waits until a unit of the match in a store is published; returns the names of the match.
    pub fn await_work(&self, store: &Path) -> Names {
        let names = self.await_names(store);
        self.await_that("work", || {
            with_jetstream(&self.address, async |context| {
                let stream = context.get_stream(names.work_stream()).await;
                stream.is_ok_and(|stream| stream.cached_info().state.messages > 0)
            })
        });
        names
    }

    /// Waits until `fleet status` prints all of `expected`; returns its output.
    pub fn await_status(&mut self, words: &str, expected: &[&str]) -> String {
        let end = Instant::now() + TIMEOUT;
        loop {
            let status = self.start(&format!("status {words}")).ends(0, &[]);
            if expected.iter().all(|words| status.contains(words)) {
                return status;
            }
            assert!(Instant::now() < end, "waited in vain for {expected:?}:\n{}", self.output());
            sleep(10 * TICK);
        }
    }
}

/// Number of games in a store; 0 if it cannot be read.
pub fn stored(path: &Path) -> usize {
    let mut games = 0;
    if let Ok(store) = Store::open(path) {
        let _ = store.for_each_game(Extent::Summary, |_| {
            games += 1;
            Ok::<(), matches::archive::ArchiveError>(())
        });
    }
    games
}

/// The children of a process; none on a system that does not say.
pub fn children(process: Pid) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return Vec::new();
    };
    let of_thread = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children"));
    let children = threads.flatten().flat_map(of_thread).collect::<Vec<_>>().join(" ");
    let children = children.split_whitespace().map(|child| child.parse().unwrap());
    children.filter_map(Pid::from_raw).collect()
}

impl Process {
    pub fn output(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }

    /// Waits until its output contains `words`.
    pub fn await_words(&self, words: &str) {
        let end = Instant::now() + TIMEOUT;
        while !self.output().contains(words) {
            assert!(Instant::now() < end, "waited in vain for {words:?} in:\n{}", self.output());
            sleep(TICK);
        }
    }

    /// Waits until it exits, and checks its exit status and that its output contains all of `expected`; returns the
    /// output.
    pub fn ends(&mut self, code: i32, expected: &[&str]) -> String {
        let end = Instant::now() + TIMEOUT;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "it does not end:\n{}", self.output());
            sleep(TICK);
        };
        let output = self.output();
        assert_eq!(status.code(), Some(code), "{output}");
        for words in expected {
            assert!(output.contains(words), "{words:?} is not in:\n{output}");
        }
        output
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Kills it with SIGKILL.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
