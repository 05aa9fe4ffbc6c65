//! An engine that cheats, to measure what a cheat gains: `arbiter match --movetime 20 --engine "cmd=…/examples/cheat
//! args='threads 160'" --engine "cmd=…/examples/cheat args=fair"`. It searches as `buxtehude` does. The first argument
//! is the cheat, the second its size in milliseconds (default: 0):
//!
//! - `fair` does not cheat; `margin` searches for that long beyond its limit, without waits;
//! - `threads` and `children` search for that long, in a thread or process that ends before the answer, while a thread
//!   of low priority waits for the same processor;
//! - `unseen` searches for that long in a child whose parent ignores its end, while a thread in a session of low
//!   priority waits for the same processor;
//! - `bursts` searches on its rival's time, in threads that live for 0.4 ms; `helpers` for that long, in such a child;
//! - `start` searches for that long, without waits, before `uciok`;
//! - `ready` searches for that long, without waits, before `readyok`;
//! - `fill` fills its own input before each move and searches for that long (needs `ponder=on`);
//! - `daemon` leaves a child in a session of its own, which sleeps for that long;
//! - `reach` prints how many timers it may set, and which calls it may use that reach beyond its turns;
//! - `desert` exits when the seat without a copy of it leads in a game of three (needs a directory as third argument).

use std::fs::{self, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use buxtehude::CurrentGame;
use buxtehude::eval::shares;
use buxtehude::protocol::{
    BestMove, Command, Go, LineReader, OptionKind, OptionOffer, PositionCommand, Reply, Start,
};
use buxtehude::rules::{VARIANTS, Variant};
use buxtehude::search::TimeBudget;
use buxtehude::search::{Control, MAX_DEPTH, Memory, Request, search};
use rustix::process::{getpid, setpriority_process};
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, TimerfdClockId, TimerfdFlags, clock_gettime, timerfd_create};

/// Life of a thread that searches on the rival's time.
const BURST: Duration = Duration::from_micros(400);
/// Size of the transposition table.
const MEBIBYTES: usize = 16;
/// A copy deserts when the share of the seat without a copy reaches this many permille.
const LOST: u16 = 550;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let cheat = arguments.next().unwrap_or_default();
    let size = arguments.next().and_then(|size| size.parse().ok());
    let size = Duration::from_millis(size.unwrap_or(0));
    let rest: Vec<String> = arguments.collect();
    if cheat == "think" {
        pin();
        let mut cheater = Cheater::new("fair", size, None);
        if let Ok(Command::Position(position)) = rest.join(" ").parse() {
            cheater.set_position(&position);
        }
        println!("{}", cheater.race.best_computed(size, &[]).0);
        return ExitCode::SUCCESS;
    }
    if ["unseen", "helpers"].contains(&&*cheat) && rest.is_empty() {
        eprintln!("cheat: {}", ignore_children(&cheat, size));
        return ExitCode::FAILURE;
    }
    if cheat == "reach" {
        reach();
        return ExitCode::SUCCESS;
    }
    match Cheater::new(&cheat, size, rest.first().map(PathBuf::from)).serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cheat: {error}");
            ExitCode::FAILURE
        }
    }
}

/// State of the engine.
struct Cheater {
    cheat: String,
    size: Duration,
    directory: Option<PathBuf>,
    /// Last `position` line.
    line: String,
    race: Race,
    /// Whether the rival is to move.
    is_idle: Arc<AtomicBool>,
}

/// A position with what a search needs.
#[derive(Clone)]
struct Race {
    variant: &'static Variant,
    game: CurrentGame,
    memory: Arc<Mutex<Memory>>,
}

/// The best move, the expected reply, and each seat's share.
type Found = (String, Option<String>, Vec<u16>);

impl Race {
    /// Searches for this long.
    fn best(&self, time: Duration, searchmoves: &[String]) -> Found {
        let request = Request {
            past: self.game.past().to_vec(),
            searchmoves: searchmoves.to_vec(),
            ..Request::new(*self.game.position(), MAX_DEPTH)
        };
        let control = Control::new(Some(TimeBudget { soft: None, hard: time }));
        let mut memory = self.memory.lock().unwrap();
        match search(&request, &mut memory, &control, &mut |_| {}) {
            Some(answer) => {
                let leads = &answer.value.leads[..self.game.position().seats()];
                (answer.best, answer.ponder, shares(leads))
            }
            None => ("0000".to_string(), None, Vec::new()),
        }
    }

    /// The same after computing for this long; waits for a processor do not count.
    fn best_computed(&self, time: Duration, searchmoves: &[String]) -> Found {
        let clock = || clock_gettime(ClockId::ProcessCPUTime);
        let begun = clock();
        loop {
            let used = Duration::try_from(clock() - begun).unwrap_or_default();
            let left = time.saturating_sub(used).max(Duration::from_millis(1));
            let found = self.best(left, searchmoves);
            if left <= time / 20 {
                return found;
            }
        }
    }
}

impl Cheater {
    fn new(cheat: &str, size: Duration, directory: Option<PathBuf>) -> Cheater {
        let variant = &VARIANTS[0];
        Cheater {
            cheat: cheat.to_string(),
            size,
            directory,
            line: "position startpos".to_string(),
            race: Race {
                variant,
                game: variant.start(2).unwrap().into(),
                memory: Arc::new(Mutex::new(Memory::new(MEBIBYTES))),
            },
            is_idle: Arc::default(),
        }
    }

    fn serve(mut self) -> io::Result<()> {
        let mut lines = LineReader::new(BufReader::new(io::stdin()));
        let mut pondered = None;
        if self.cheat == "unseen" {
            // The kernel shares processors between sessions, so that a child in another session goes first.
            fs::write("/proc/self/autogroup", "19")?;
        }
        if self.cheat == "daemon" {
            let seconds = self.size.as_secs();
            let daemon = format!("setsid sleep {seconds} < /dev/null > /dev/null 2>&1 &");
            std::process::Command::new("sh").args(["-c", &daemon]).status()?;
        }
        while let Some(line) = lines.next_line() {
            let Ok(command) = line?.command() else {
                continue;
            };
            self.is_idle.store(false, Ordering::SeqCst);
            match command {
                Command::Quit => return Ok(()),
                Command::Uci => {
                    if self.cheat == "start" {
                        self.race.best_computed(self.size, &[]);
                    }
                    introduce();
                }
                Command::IsReady => {
                    if self.cheat == "ready" {
                        self.race.best_computed(self.size, &[]);
                    }
                    println!("readyok");
                }
                Command::SetOption { name, value } if name == "UCI_Variant" => {
                    let variant = value.and_then(|name| Variant::by_name(&name).ok());
                    self.race.variant = variant.unwrap_or(self.race.variant);
                }
                Command::Position(position) => self.set_position(&position),
                // It does not think on the rival's time in the way that the protocol has for this.
                Command::Go(go) if go.ponder => pondered = Some(go),
                Command::Go(go) => self.answer(&go),
                Command::PonderHit => self.answer(&pondered.take().unwrap_or_default()),
                Command::Stop if pondered.take().is_some() => {
                    println!("bestmove {}", self.race.game.position().legal_actions()[0]);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn set_position(&mut self, command: &PositionCommand) {
        self.line = Command::Position(command.clone()).to_string();
        let variant = self.race.variant;
        let position = match &command.start {
            Start::Startpos { players } => variant.start(players.unwrap_or(2) as usize).ok(),
            Start::Fen(text) => variant.parse(text).ok(),
        };
        let Some(position) = position else { return };
        let mut game = CurrentGame::from(position);
        if command.moves.iter().all(|word| game.play(word).is_ok()) {
            self.race.game = game;
        }
    }

    fn answer(&mut self, go: &Go) {
        // Leaves a millisecond for the way to the arbiter.
        let limit = Duration::from_millis(go.movetime.unwrap_or(20).saturating_sub(1));
        let best = |race: &Race, time| race.best(time, &go.searchmoves);
        let (mv, ponder, shares) = match self.cheat.as_str() {
            "threads" => {
                let race = self.race.clone();
                let (time, searchmoves) = (self.size, go.searchmoves.clone());
                beside_a_waiter(19, move || race.best(time, &searchmoves))
            }
            "children" => {
                let (time, line) = (self.size.as_millis().to_string(), self.line.clone());
                beside_a_waiter(19, move || {
                    let mut child = std::process::Command::new("/proc/self/exe");
                    let output = child.args(["think", &time, &line]).output().unwrap();
                    let mv = String::from_utf8_lossy(&output.stdout).trim().to_string();
                    (mv, None, Vec::new())
                })
            }
            "unseen" => {
                let (time, line) = (self.size, self.line.clone());
                let best = beside_a_waiter(0, move || best_unseen(time, &line));
                (best, None, Vec::new())
            }
            "margin" => self.race.best_computed(limit + self.size, &go.searchmoves),
            _ => best(&self.race, limit),
        };
        if self.cheat == "desert" && self.is_deserted(&shares) {
            std::process::exit(1);
        }
        // The arbiter sends `go ponder` if the expected reply is legal and this seat moves after it.
        let mut expected = *self.race.game.position();
        let own = expected.turn();
        let mut words = [Some(&mv), ponder.as_ref()].into_iter();
        let ponders = words.all(|word| word.is_some_and(|word| expected.play(word).is_ok()));
        let fills = self.cheat == "fill" && ponders && expected.turn() == own;
        if fills {
            fill_own_input();
        }
        let answer = BestMove { best: Some(mv.clone()), ponder: ponder.clone(), estimate: shares };
        println!("{}", Reply::BestMove(answer));
        // Until the next command it thinks about its rival's reply.
        let _ = self.race.game.play(&mv);
        match self.cheat.as_str() {
            "bursts" if self.race.game.position().turn().seat().is_some() => {
                self.is_idle.store(true, Ordering::SeqCst);
                self.think_in_bursts();
            }
            "helpers" if self.race.game.position().turn().seat().is_some() => {
                let (time, line) = (self.size, self.line.clone());
                thread::spawn(move || best_unseen(time, &line));
            }
            "fill" if fills => {
                self.race.best(self.size, &[]);
            }
            _ => {}
        }
    }

    /// Thinks until the next command.
    fn think_in_bursts(&self) {
        let (is_idle, race) = (Arc::clone(&self.is_idle), self.race.clone());
        thread::spawn(move || {
            while is_idle.load(Ordering::SeqCst) {
                let race = race.clone();
                let _ = thread::spawn(move || race.best(BURST, &[])).join();
            }
        });
    }

    /// Tells the other copy its seat; `true` if the seat of neither leads by far.
    fn is_deserted(&self, shares: &[u16]) -> bool {
        let (Some(directory), Some(own)) =
            (&self.directory, self.race.game.position().turn().seat())
        else {
            return false;
        };
        let _ = fs::write(directory.join(getpid().to_string()), own.index().to_string());
        let files = fs::read_dir(directory).into_iter().flatten().flatten();
        let recent = files.filter(|file| {
            let age = file.metadata().and_then(|data| data.modified());
            age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < Duration::from_millis(500)))
        });
        let seats: Vec<usize> =
            recent.filter_map(|file| fs::read_to_string(file.path()).ok()?.parse().ok()).collect();
        let others: Vec<usize> = (0..shares.len()).filter(|seat| !seats.contains(seat)).collect();
        matches!(others[..], [other] if shares.len() == 3 && shares[other] >= LOST)
    }
}

/// Searches in a child in a session of its own, whose end this process ignores.
fn best_unseen(time: Duration, line: &str) -> String {
    let own = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new("setsid")
        .arg(own)
        .args(["think", &time.as_millis().to_string(), line])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut mv = String::new();
    let _ = child.stdout.take().unwrap().read_to_string(&mut mv);
    // Fails, since the kernel keeps nothing of a child whose end is ignored.
    let _ = child.wait();
    mv.trim().to_string()
}

/// Starts this program anew, which then ignores the ends of its children.
fn ignore_children(cheat: &str, size: Duration) -> io::Error {
    let shell = r#"trap '' CHLD; exec "$0" "$1" "$2" ignored"#;
    let own = std::env::current_exe().unwrap();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", shell]).arg(own).args([cheat, &size.as_millis().to_string()]).exec()
}

/// Prints how many timers of each kind this process may have, and for each call of another kind whether it is there.
#[allow(unsafe_code)] // Most of these calls have no safe crate.
fn reach() {
    const MANY: usize = 1000;
    let timers = (0..MANY).take_while(|_| {
        let mut timer = std::ptr::null_mut();
        let clock = libc::CLOCK_MONOTONIC;
        // SAFETY: the call writes to `timer` alone.
        unsafe { libc::timer_create(clock, std::ptr::null_mut(), &mut timer) == 0 }
    });
    println!("timers: {}", timers.count());
    let files: Vec<_> = (0..MANY)
        .map_while(|_| timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC).ok())
        .collect();
    println!("timer files: {}", files.len());
    let file = fs::File::open("/proc/self/exe").unwrap();
    let file = std::os::fd::AsRawFd::as_raw_fd(&file);
    // Each call fails, but with another error if it is there.
    for (name, call, first, second) in [
        ("add_key", libc::SYS_add_key, 0, 0),
        ("keyctl", libc::SYS_keyctl, -1, 0),
        ("request_key", libc::SYS_request_key, 0, 0),
        ("io_uring_setup", libc::SYS_io_uring_setup, 0, 0),
        ("perf_event_open", libc::SYS_perf_event_open, 0, 0),
        ("lease", libc::SYS_fcntl, i64::from(file), i64::from(libc::F_SETLEASE)),
    ] {
        // SAFETY: the kernel checks all addresses, and none is one.
        let _ = unsafe { libc::syscall(call, first, second, -1, 0, 0) };
        let is_there = io::Error::last_os_error().raw_os_error() != Some(libc::ENOSYS);
        println!("{name}: {is_there}");
    }
}

/// Runs `work` in a thread that ends, while a thread with this nice value waits for the same processor.
fn beside_a_waiter<T: Send + 'static>(nice: i32, work: impl FnOnce() -> T + Send + 'static) -> T {
    let ends = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&ends);
    let waiter = thread::spawn(move || {
        let _ = setpriority_process(Some(gettid()), nice);
        pin();
        while !waits.load(Ordering::Relaxed) {}
    });
    let worker = thread::spawn(move || {
        pin();
        work()
    });
    let done = worker.join().unwrap();
    // The waiter still exists when the arbiter counts.
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(2));
        ends.store(true, Ordering::Relaxed);
        let _ = waiter.join();
    });
    done
}

/// Pins the calling thread to the first processor.
fn pin() {
    let allowed = sched_getaffinity(None).unwrap();
    let first = (0..CpuSet::MAX_CPU).find(|&core| allowed.is_set(core));
    let mut one = CpuSet::new();
    one.set(first.unwrap());
    let _ = sched_setaffinity(None, &one);
}

/// Fills the pipe from the arbiter with empty lines.
fn fill_own_input() {
    const NONBLOCK: i32 = 0o4000;
    let mut options = OpenOptions::new();
    let pipe = options.write(true).custom_flags(NONBLOCK);
    let Ok(mut pipe) = pipe.open("/proc/self/fd/0") else {
        return;
    };
    let begun = Instant::now();
    for size in [4096, 1] {
        while begun.elapsed() < Duration::from_secs(1) {
            match pipe.write(&vec![b'\n'; size]) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                _ => {}
            }
        }
    }
}

fn introduce() {
    let names = Variant::names().into_iter().map(str::to_string);
    let variants = OptionOffer {
        name: "UCI_Variant".to_string(),
        kind: OptionKind::Combo { default: VARIANTS[0].name.to_string(), vars: names.collect() },
    };
    println!("{}\n{}", Reply::Option(variants), Reply::UciOk);
}
