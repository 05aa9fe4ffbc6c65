//! The measured processes: their CPU time and memory, and the traffic of the server.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::Outcome;

/// Time that a server may take to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process; killed when dropped.
pub struct Process {
    child: Child,
    output: PathBuf,
}

/// Resources used by a process.
#[derive(Clone, Copy)]
pub struct Usage {
    pub cpu: Duration,
    /// Peak memory in bytes.
    pub most_memory: u64,
}

impl Process {
    pub fn start<'a>(
        program: &Path,
        words: impl IntoIterator<Item = &'a str>,
        output: &Path,
    ) -> Outcome<Process> {
        let file = File::create(output)?;
        let child = Command::new(program)
            .args(words)
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()?;
        Ok(Process {
            child,
            output: output.to_path_buf(),
        })
    }

    /// Number of games that a coordinator has reported as stored.
    pub fn games(&self) -> Outcome<u64> {
        let output = fs::read_to_string(&self.output)?;
        let is_game = |line: &&str| line.contains("  game ");
        Ok(output.lines().filter(is_game).count() as u64)
    }

    /// Whether its output contains `words`.
    pub fn has_said(&self, words: &str) -> Outcome<bool> {
        Ok(fs::read_to_string(&self.output)?.contains(words))
    }

    pub fn usage(&self) -> Outcome<Usage> {
        let folder = PathBuf::from(format!("/proc/{}", self.child.id()));
        let stat = fs::read_to_string(folder.join("stat"))?;
        // The program's name may contain spaces, and ends with the last bracket.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
        let status = fs::read_to_string(folder.join("status"))?;
        let line = status.lines().find(|line| line.starts_with("VmHWM"));
        let Some(kib) = line.and_then(|line| line.split_whitespace().nth(1)) else {
            let output = fs::read_to_string(&self.output)?;
            return Err(format!("it has ended: {output}").into());
        };
        Ok(Usage {
            cpu: Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second()),
            most_memory: kib.parse::<u64>()? * 1024,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A nats-server on loopback.
pub struct Server {
    process: Process,
    url: String,
    monitor: u16,
}

/// Traffic of a server.
pub struct Traffic(serde_json::Value);

impl Traffic {
    pub fn of(&self, key: &str) -> u64 {
        self.0[key].as_u64().unwrap_or_default()
    }
}

impl Server {
    pub fn start(folder: &Path) -> Outcome<Server> {
        let program = std::env::var("NATS_SERVER").unwrap_or_else(|_| "nats-server".to_string());
        let free =
            || -> Outcome<u16> { Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port()) };
        let (port, monitor) = (free()?, free()?);
        let storage = folder.join("storage");
        let (port_word, monitor_word) = (port.to_string(), monitor.to_string());
        let words = [
            "-js",
            "-a",
            "127.0.0.1",
            "-p",
            &port_word,
            "-m",
            &monitor_word,
        ];
        let words = words
            .into_iter()
            .chain(["-sd", storage.to_str().ok_or("no text")?]);
        let process = Process::start(Path::new(&program), words, &folder.join("server"))?;
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if begun.elapsed() > PATIENCE {
                return Err("the server does not answer".into());
            }
            sleep(Duration::from_millis(20));
        }
        Ok(Server {
            process,
            url: format!("nats://127.0.0.1:{port}"),
            monitor,
        })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn usage(&self) -> Outcome<Usage> {
        self.process.usage()
    }

    pub fn traffic(&self) -> Outcome<Traffic> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.monitor))?;
        stream.write_all(b"GET /varz HTTP/1.0\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
        Ok(Traffic(serde_json::from_str(body)?))
    }
}
