//! The processes of a fleet.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fleet::names::Names;
use matches::archive::store::{Extent, Store};
use rustix::process::{Pid, Signal, kill_process};

use super::jetstream::with_jetstream;
use super::server::Server;

/// Timeout of every wait, generous for a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

pub const FLEET: &str = env!("CARGO_BIN_EXE_fleet");

/// The program, for more environment or arguments.
pub fn program() -> Command {
    Command::new(FLEET)
}

/// A coordinator and workers on one server.
pub struct Fleet {
    pub server: Server,
    pub folder: tempfile::TempDir,
    /// `--ack-wait` of coordinators.
    pub ack_wait: &'static str,
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
        Fleet::at(Server::start())
    }

    /// Makes a folder for a match on this server.
    pub fn at(server: Server) -> Fleet {
        Fleet {
            address: server.url(),
            server,
            folder: tempfile::tempdir().unwrap(),
            ack_wait: "3",
            outputs: Vec::new(),
        }
    }

    pub fn store(&self) -> PathBuf {
        self.folder.path().join("match.db")
    }

    /// Starts `fleet` with these arguments and the server's address.
    pub fn start(&mut self, words: &[&str]) -> Process {
        self.start_by(&mut program(), words)
    }

    /// Like [`Fleet::start`], with additional environment variables.
    pub fn start_in(&mut self, words: &[&str], environment: &[(&str, &str)]) -> Process {
        self.start_by(program().envs(environment.iter().copied()), words)
    }

    /// Like [`Fleet::start`], with another program; the arguments are appended to its own.
    pub fn start_by(&mut self, program: &mut Command, words: &[&str]) -> Process {
        let number = self.outputs.len() + 1;
        let output = self.folder.path().join(format!("output-{number}"));
        self.outputs.push(output.clone());
        let file = File::create(&output).unwrap();
        let address: &[&str] = match words.contains(&"--nats") {
            true => &[],
            false => &["--nats", &self.address],
        };
        let coordinates = ["match", "tournament", "resume"]
            .iter()
            .any(|word| words.contains(word));
        let ack_wait: &[&str] = match coordinates {
            true => &["--ack-wait", self.ack_wait],
            false => &[],
        };
        let child = program
            .args(words)
            .args(address)
            .args(ack_wait)
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .spawn()
            .unwrap();
        Process { child, output }
    }

    /// Starts the coordinator of a new match between engines `a` and `b`, both the built-in one.
    pub fn begin(&mut self, words: &[&str]) -> Process {
        self.begin_with(&engines(), words)
    }

    /// Starts the coordinator of a new match between these engines.
    pub fn begin_with(&mut self, engines: &[String], words: &[&str]) -> Process {
        let store = self.store();
        self.start_match(&mut program(), &store, engines, words)
    }

    /// Like [`Fleet::begin`], with another program and another store.
    pub fn begin_by(&mut self, program: &mut Command, store: &Path, words: &[&str]) -> Process {
        self.start_match(program, store, &engines(), words)
    }

    fn start_match(
        &mut self,
        program: &mut Command,
        store: &Path,
        engines: &[String],
        words: &[&str],
    ) -> Process {
        let mut all = vec!["match", "--store", store.to_str().unwrap()];
        let engines = engines.iter().map(String::as_str);
        all.extend(engines.flat_map(|engine| ["--engine", engine]));
        all.extend_from_slice(words);
        self.start_by(program, &all)
    }

    pub fn resume(&mut self) -> Process {
        let store = self.store();
        self.start(&["resume", store.to_str().unwrap()])
    }

    /// Starts a worker that has both engines.
    pub fn worker(&mut self, name: &str) -> Process {
        self.worker_by(&mut program(), name, &[])
    }

    /// Like [`Fleet::worker`], with another program and more arguments.
    pub fn worker_by(&mut self, program: &mut Command, name: &str, words: &[&str]) -> Process {
        let [a, b] = ["a", "b"].map(|name| format!("name={name},cmd={FLEET}"));
        let mut all = vec!["work", "--name", name, "--engine", &a, "--engine", &b];
        all.extend_from_slice(words);
        self.start_by(program, &all)
    }

    /// Waits until `number` games are stored.
    pub fn await_games(&self, number: usize) {
        self.await_that(&format!("{number} games"), || {
            stored(&self.store()) >= number
        });
    }

    /// Waits for a condition; at a timeout, panics with the output of all processes.
    pub fn await_that(&self, what: &str, is_so: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_so() {
            assert!(
                Instant::now() < end,
                "waited in vain for {what}; the server:\n{}{}",
                self.server.output(),
                self.said()
            );
            sleep(Duration::from_millis(30));
        }
    }

    /// Output of all processes.
    fn said(&self) -> String {
        let said = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().display();
            format!("{name}:\n{}", fs::read_to_string(path).unwrap())
        };
        self.outputs.iter().map(said).collect()
    }

    /// Waits until the match is on the server; returns its id.
    pub fn await_id(&self) -> String {
        self.await_id_in(&self.store())
    }

    /// Like [`Fleet::await_id`], for the match in another store.
    pub fn await_id_in(&self, store: &Path) -> String {
        let id = || Store::open(store).ok()?.note("fleet").ok()?;
        self.await_that("an id", || id().is_some());
        id().unwrap()
    }

    /// Waits until `fleet status` prints all of `words`; returns its output.
    pub fn await_status(&mut self, flags: &[&str], words: &[&str]) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let mut all = vec!["status"];
            all.extend_from_slice(flags);
            let mut status = self.start(&all);
            assert_eq!(status.end(), 0, "{}", status.output());
            let output = status.output();
            if words.iter().all(|words| output.contains(words)) {
                return output;
            }
            assert!(
                Instant::now() < end,
                "waited in vain for {words:?}:\n{}",
                self.said()
            );
            sleep(Duration::from_millis(300));
        }
    }

    /// Waits until a unit is published.
    pub fn await_work(&self) {
        self.await_work_in(&self.store());
    }

    /// Like [`Fleet::await_work`], for the match in another store.
    pub fn await_work_in(&self, store: &Path) {
        let work = Names::of(&self.await_id_in(store)).unwrap().work_stream();
        self.await_that("work", || {
            with_jetstream(&self.address, async |context| {
                let stream = context.get_stream(&work).await;
                stream.is_ok_and(|stream| stream.cached_info().state.messages > 0)
            })
        });
    }
}

/// Arguments of the two engines, both the built-in one.
pub fn engines() -> [String; 2] {
    ["a", "b"].map(|name| format!("cmd={FLEET} args=engine name={name}"))
}

/// Number of games in a store; 0 if it cannot be read.
pub fn stored(path: &Path) -> usize {
    let mut games = 0;
    if let Ok(store) = Store::open(path) {
        let _ = store.for_each_game(Extent::Summary, None, |_| {
            games += 1;
            Ok::<(), matches::archive::ArchiveError>(())
        });
    }
    games
}

impl Process {
    /// Its output so far.
    pub fn output(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }

    /// Waits until its output contains `words`.
    pub fn await_words(&self, words: &str) {
        let is_said = || self.output().contains(words);
        let end = Instant::now() + PATIENCE;
        while !is_said() {
            assert!(
                Instant::now() < end,
                "waited in vain for {words:?} in:\n{}",
                self.output()
            );
            sleep(Duration::from_millis(30));
        }
    }

    /// Waits until it exits; returns its exit status.
    pub fn end(&mut self) -> i32 {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < end, "it does not end:\n{}", self.output());
            sleep(Duration::from_millis(30));
        }
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
