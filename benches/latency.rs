//! Latency of the engine as seen by a client: from `stop` to `bestmove`, and from process start to `uciok`.
//!
//! Run it with `cargo bench -p buxtehude --bench latency`. Here each search is stopped at a different time, and the
//! slowest matter; a benchmark library would repeat the same thing many times, so this has a loop of its own.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const SEARCHES: usize = 1000;
const STARTS: usize = 50;

/// Longest random time that a search runs before it is stopped.
const MAX_SEARCH: Duration = Duration::from_millis(20);

/// Starts and middle games of races of two, three and six hares.
const POSITIONS: [&str; 6] = [
    "startpos players 2",
    "startpos players 3",
    "startpos players 6",
    "fen 37,80,1/42,12,1! 1 - BRHS",
    "fen 21,34,3/17,52,2/22,20,2! 2 - FS",
    "fen 12,40,3/5,61,3/18,22,3/10,30,3/2,66,3/26,31,2 2 - GG",
];

fn main() {
    let mut starts: Vec<Duration> = (0..STARTS).map(|_| time_of_start()).collect();
    let mut stops = times_of_stop();
    println!("{:<20}{:>10}{:>10}{:>10}", "", "median", "p99", "slowest");
    print_row("start to uciok", &mut starts);
    print_row("stop to bestmove", &mut stops);
}

/// Time from process start to `uciok`.
fn time_of_start() -> Duration {
    let start = Instant::now();
    let mut engine = Engine::start();
    engine.send("uci");
    engine.wait_for("uciok");
    let time = start.elapsed();
    engine.quit();
    time
}

/// Times from `stop` to `bestmove`, for searches of each position in turn.
fn times_of_stop() -> Vec<Duration> {
    let mut random = StdRng::seed_from_u64(1);
    let mut engine = Engine::start();
    let times = (0..SEARCHES)
        .map(|search| {
            engine.send(&format!("position {}", POSITIONS[search * POSITIONS.len() / SEARCHES]));
            // The net of another number of seats takes longer to build than some searches last.
            engine.send("isready");
            engine.wait_for("readyok");
            engine.send("go infinite");
            thread::sleep(random.random_range(Duration::ZERO..=MAX_SEARCH));
            let stop = Instant::now();
            engine.send("stop");
            engine.wait_for("bestmove");
            stop.elapsed()
        })
        .collect();
    engine.quit();
    times
}

fn print_row(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let of_rank = |permille: usize| times[(times.len() - 1) * permille / 1000];
    let columns = [500, 990, 1000].map(|permille| of_rank(permille).as_secs_f64() * 1000.0);
    let [median, p99, slowest] = columns.map(|milliseconds| format!("{milliseconds:.3} ms"));
    println!("{name:<20}{median:>10}{p99:>10}{slowest:>10}");
}

/// The engine as a child process.
struct Engine {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start() -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_buxtehude"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Engine { input: child.stdin.take().expect("a pipe"), output: output.lines(), child }
    }

    fn send(&mut self, line: &str) {
        // A single write, so that the engine never waits for the rest of a line.
        let written = self.input.write_all(format!("{line}\n").as_bytes());
        written.expect("the engine reads");
    }

    /// Reads up to a line that begins with `word`.
    fn wait_for(&mut self, word: &str) {
        for line in &mut self.output {
            let line = line.expect("the engine writes lines");
            assert!(!line.contains("error"), "{line}");
            if line.starts_with(word) {
                return;
            }
        }
        panic!("the output ended before {word}");
    }

    fn quit(mut self) {
        self.send("quit");
        let status = self.child.wait().expect("the engine is a child");
        assert!(status.success(), "{status}");
    }
}
