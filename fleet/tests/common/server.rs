//! A nats-server of the test's own.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a server may take until it answers.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server with JetStream, which is killed in the end.
pub struct Server {
    program: PathBuf,
    words: &'static [&'static str],
    pub port: u16,
    pub folder: tempfile::TempDir,
    child: Child,
}

/// The program: named by `NATS_SERVER`, in the search path, or where `tests/third_party/run` installs it.
fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("NATS_SERVER") {
        return Some(PathBuf::from(named));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path);
    let target = Path::new(env!("CARGO_BIN_EXE_fleet")).ancestors().nth(2)?;
    let installed = target.join("third_party/python/bin");
    let mut programs = folders
        .chain([installed])
        .map(|folder| folder.join("nats-server"));
    programs.find(|program| program.is_file())
}

impl Server {
    /// A server, or `None` and a note where there is no program for one.
    pub fn start() -> Option<Server> {
        Server::start_with(&[])
    }

    /// The same, with more words on its command line.
    pub fn start_with(words: &'static [&'static str]) -> Option<Server> {
        let Some(program) = program() else {
            eprintln!(
                "left out: no nats-server, expected one in NATS_SERVER, PATH or target/third_party"
            );
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let child = spawn(&program, port, folder.path(), words);
        Some(Server {
            program,
            words,
            port,
            folder,
            child,
        })
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills it, as the loss of power would but for what the system still writes.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again with what it stored.
    pub fn restart(&mut self) {
        self.child = spawn(&self.program, self.port, self.folder.path(), self.words);
    }

    /// Starts it again with nothing.
    pub fn restart_empty(&mut self) {
        std::fs::remove_dir_all(self.folder.path()).unwrap();
        self.restart();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(program: &Path, port: u16, folder: &Path, words: &[&str]) -> Child {
    let child = Command::new(program)
        .args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"])
        .arg(folder)
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + PATIENCE;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "the server does not answer");
        sleep(Duration::from_millis(20));
    }
    child
}
