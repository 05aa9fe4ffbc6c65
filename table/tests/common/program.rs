//! The program itself, over a socket, and small engines for `/bin/sh`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use matches::spelling::engine_text;

/// Answers `uci` and `isready`; the tests fill in its reaction to `go`.
const ENGINE: &str = r#"
while read -r line; do
  case $line in
    uci) echo "id name scripted"; echo "option name Mood type combo default calm var calm var wild"; echo uciok ;;
    isready) echo readyok ;;
    go*) set -- ${line#*searchmoves }
         GO ;;
    stop) STOP ;;
    quit) exit ;;
  esac
done
"#;

/// The `--engine` string of an engine that runs the script `go` for each search, with the legal moves as its arguments,
/// and `stop` for each `stop`.
pub fn engine(folder: &Path, name: &str, go: &str, stop: &str) -> String {
    let script = ENGINE.replace("GO", go).replace("STOP", stop);
    let path = folder.join(format!("{name}.sh"));
    std::fs::write(&path, script).unwrap();
    format!("{} name={name} legal=on", engine_text("/bin/sh", &[path.to_str().unwrap()]))
}

/// Creates an empty folder for a test.
pub fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The running program; killed when dropped.
pub struct Program {
    pub child: Child,
    /// Its address, such as `127.0.0.1:40123`.
    pub address: String,
}

impl Program {
    /// Starts it and waits until it listens.
    pub fn start(arguments: &[&str]) -> Program {
        // A shell has its background jobs, such as these tests, ignore some signals.
        Program::start_by(&["env", "--default-signal=INT"], arguments)
    }

    /// Starts it like [`Program::start`], by another program.
    pub fn start_by(starter: &[&str], arguments: &[&str]) -> Program {
        let mut child = Command::new(starter[0])
            .args(&starter[1..])
            .arg(env!("CARGO_BIN_EXE_table"))
            .args(arguments)
            // What isolated engines write there can be seen, even if it lies below /tmp.
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_string();
        assert!(address.contains(':'), "{line:?}");
        Program { child, address }
    }

    pub fn request(&self, path: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, length) = (&self.address, body.len());
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Sends a request; returns the whole answer with its head.
    pub fn answer(&self, path: &str, body: &str) -> String {
        let mut answer = String::new();
        self.request(path, body).read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a condition, with a generous timeout.
pub fn await_that(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Living processes with a text in their command line.
pub fn processes_with(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let id = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let command = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        if let Some(id) = id.filter(|_| command.contains(text)) {
            found.push(id);
        }
    }
    found
}
