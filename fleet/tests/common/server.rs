//! A nats-server for a test.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, Context};
use async_nats::{ConnectOptions, ServerAddr};
use rustix::process::{Pid, Signal, kill_process};

/// Time that a server may take to start or to answer.
pub const TIMEOUT: Duration = Duration::from_secs(120);
/// Storage directory in the server's folder.
pub const STORAGE: &str = "storage";
/// Output file in the server's folder.
const OUTPUT: &str = "output";
/// Configuration file in the server's folder, if it has one.
const CONFIG: &str = "nats-server.conf";
/// Maximum number of ports to try.
const MAX_PORTS: usize = 100;

static PORTS_TRIED: AtomicU16 = AtomicU16::new(0);

/// A server with JetStream; killed when dropped.
pub struct Server {
    program: PathBuf,
    words: Vec<String>,
    /// Unique name.
    name: String,
    pub port: u16,
    pub folder: tempfile::TempDir,
    child: Child,
}

/// Returns the program `nats-server`.
///
/// # Panics
/// If there is none: tests that need one are ignored then.
pub fn program() -> &'static Path {
    Path::new(preconditions::path!(NATS_SERVER).expect("the test needs nats-server"))
}

impl Server {
    pub fn configured(config: &str) -> Server {
        Server::run(program(), config)
    }

    /// Starts this program as a server.
    pub fn run(program: &Path, config: &str) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let mut words = Vec::new();
        if !config.is_empty() {
            let path = folder.path().join(CONFIG);
            fs::write(&path, config).unwrap();
            words.extend(["-c".to_string(), path.display().to_string()]);
        }
        let name = folder.path().file_name().unwrap().to_str().unwrap().to_string();
        // Below the ports that the system assigns to clients.
        let base = 10_000 + (std::process::id() % 20_000) as u16;
        let try_port = |_| {
            let port = base + PORTS_TRIED.fetch_add(1, Ordering::Relaxed);
            let child = spawn(program, &name, port, folder.path(), &words);
            child.map(|child| (port, child))
        };
        let Some((port, child)) = (0..MAX_PORTS).find_map(try_port) else {
            let output = fs::read_to_string(folder.path().join(OUTPUT));
            panic!("no server starts: {output:?}");
        };
        Server { program: program.to_path_buf(), words, name, port, folder, child }
    }

    pub fn output(&self) -> String {
        fs::read_to_string(self.folder.path().join(OUTPUT)).unwrap_or_default()
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills it with SIGKILL. Unlike after a power failure, the system still writes its pending data.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Starts it again with its storage.
    pub fn restart(&mut self) {
        let (folder, port) = (self.folder.path(), self.port);
        let child = spawn(&self.program, &self.name, port, folder, &self.words);
        self.child = child.unwrap_or_else(|| panic!("it does not start: {}", self.output()));
    }

    pub fn restart_empty(&mut self) {
        fs::remove_dir_all(self.folder.path().join(STORAGE)).unwrap();
        self.restart();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server and waits until it answers; `None` if it exits at once, for example because its port is in use.
fn spawn(program: &Path, name: &str, port: u16, folder: &Path, words: &[String]) -> Option<Child> {
    let mut appending = File::options();
    appending.create(true).append(true);
    let output = appending.open(folder.join(OUTPUT)).unwrap();
    let mut child = Command::new(program)
        .args(["-js", "-a", "127.0.0.1", "-p", &port.to_string()])
        .args(["-n", name, "-sd"])
        .arg(folder.join(STORAGE))
        .args(words)
        .stdout(output.try_clone().unwrap())
        .stderr(output)
        .spawn()
        .unwrap();
    let end = Instant::now() + TIMEOUT;
    while !greets(name, port) {
        if child.try_wait().unwrap().is_some() {
            return None;
        }
        assert!(Instant::now() < end, "the server does not answer");
        sleep(Duration::from_millis(20));
    }
    Some(child)
}

/// Whether the server at this port has this name, and is not another one.
fn greets(name: &str, port: u16) -> bool {
    let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) else {
        return false;
    };
    let mut greeting = String::new();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let read = BufReader::new(stream).read_line(&mut greeting);
    read.is_ok() && greeting.contains(name)
}

/// Calls `run` with the JetStream at an address, as the user in the address.
pub fn with_jetstream<T>(url: &str, run: impl AsyncFnOnce(Context) -> T) -> T {
    let address: ServerAddr = url.parse().unwrap();
    let mut options = ConnectOptions::new();
    if let (Some(user), Some(password)) = (address.username(), address.password()) {
        options = options.user_and_password(user.to_string(), password.to_string());
    }
    connected(address, options, run)
}

/// Calls `run` with the JetStream of a server, as the user with this key.
pub fn with_user<T>(server: &Server, seed: String, run: impl AsyncFnOnce(Context) -> T) -> T {
    connected(server.url().parse().unwrap(), ConnectOptions::with_nkey(seed), run)
}

fn connected<T>(
    address: ServerAddr,
    options: ConnectOptions,
    run: impl AsyncFnOnce(Context) -> T,
) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = options.connect(address).await.unwrap();
        run(jetstream::new(client)).await
    })
}
