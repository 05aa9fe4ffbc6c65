//! Isolation of engines, as the arbiter sees it: whether the system allows namespaces, how an engine starts in them,
//! what its launcher reports, and which files it does not see.

use std::env;
#[cfg(target_os = "linux")]
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
#[cfg(target_os = "linux")]
use std::iter;
use std::net::Shutdown;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use wait4::ResUse;

#[cfg(target_os = "linux")]
use super::launcher::{ARGUMENT, OUTSIDE, OWN_PROGRAM, Order};
#[cfg(target_os = "linux")]
use crate::own_files;
#[cfg(target_os = "linux")]
use crate::plan::Limit;
use crate::plan::{EngineSpec, Isolate, binary};
#[cfg(target_os = "linux")]
use crate::play::engine::Process;
use crate::record::micros;
use crate::record::printable::printable;

/// Message for a match with isolated engines.
const ISOLATED: &str = "isolation: each engine has its own processes, /proc and terminals; \
    files that it writes to /tmp are temporary";

/// Number of user namespaces that `bwrap` makes.
#[cfg(target_os = "linux")]
const NAMESPACES_OF_A_SANDBOX: u8 = 2;

/// Whether the running program is its own launcher.
#[cfg(target_os = "linux")]
static HAS_LAUNCHER: AtomicBool = AtomicBool::new(false);

/// Permission to start engines in their own namespaces. Each sees only its own processes, in its own `/proc`, no
/// terminals, and without `net` no network. Its changes of `/tmp` are its own, and it sees none of the arbiter's
/// [`own_files`](crate::own_files).
///
/// A launcher, which runs the arbiter's own program, stands between the arbiter and each engine; only that program may
/// request isolation. User namespaces, which need no privileges, make it possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation(());

impl Isolation {
    /// Returns the isolation for engines, if any, and a message about it. A trial start, which takes some milliseconds,
    /// determines whether the system allows namespaces. Only a program that runs by [`super::launcher_or`] has a
    /// launcher.
    ///
    /// # Errors
    /// The reason, if isolation or a limit is required and the system does not allow it.
    pub fn of(
        isolate: Isolate,
        engines: &[EngineSpec],
    ) -> Result<(Option<Isolation>, String), String> {
        if !cfg!(target_os = "linux")
            && let Some((engine, key)) = engines.iter().find_map(first_limit)
        {
            return Err(format!("engine {engine}: {key} requires Linux"));
        }
        let reason = match isolate {
            Isolate::Off => "--isolate off".to_string(),
            Isolate::Auto | Isolate::On => {
                let isolation = Isolation(());
                match isolation.try_out() {
                    Ok(()) => return Ok((Some(isolation), ISOLATED.to_string())),
                    Err(error) if isolate == Isolate::On => {
                        return Err(format!(
                            "--isolate on: this system cannot isolate engines ({error}); use --isolate auto or off"
                        ));
                    }
                    Err(error) => error.to_string(),
                }
            }
        };
        let needs =
            |engine: &EngineSpec| Some((engine.name.clone(), engine.bounds.need_of_isolation()?));
        match engines.iter().find_map(needs) {
            Some((engine, key)) => Err(format!(
                "engine {engine}: {key} requires isolation, which is not available: {reason}"
            )),
            None => Ok((None, format!("isolation: none: {reason}"))),
        }
    }

    /// Notes that the running program is its own launcher.
    #[cfg(target_os = "linux")]
    pub(super) fn permit() {
        HAS_LAUNCHER.store(true, Ordering::Relaxed);
    }

    #[cfg(target_os = "linux")]
    fn try_out(self) -> io::Result<()> {
        if !HAS_LAUNCHER.load(Ordering::Relaxed) {
            return Err(io::Error::other("this program has no launcher"));
        }
        // Any program will do, and the arbiter's own certainly exists.
        let nothing = EngineSpec {
            args: vec![ARGUMENT.to_string()],
            ..EngineSpec::new("probe", OWN_PROGRAM, Limit::nodes(1))
        };
        Process::start(&nothing, None, Some(self)).map(drop)
    }

    #[cfg(not(target_os = "linux"))]
    fn try_out(self) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux has namespaces"))
    }

    /// Returns the command of an engine's launcher. The launcher inherits the socket `line`, and limits each process to
    /// an address space of `memory` MiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn command(
        self,
        spec: &EngineSpec,
        memory: Option<u64>,
        line: BorrowedFd<'_>,
    ) -> Command {
        let program = iter::once(spec.command.clone().into_os_string());
        let order = Order {
            line: line.as_raw_fd(),
            memory,
            limits: spec.bounds,
            namespaces: if is_sandbox(&spec.command) { NAMESPACES_OF_A_SANDBOX } else { 0 },
            hidden: own_files::existing().into_iter().map(OsString::from).collect(),
            program: program.chain(spec.args.iter().map(OsString::from)).collect(),
        };
        order.command(OUTSIDE)
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn command(self, spec: &EngineSpec, _: Option<u64>, _: BorrowedFd<'_>) -> Command {
        Command::new(&spec.command)
    }
}

/// `true` if a program is the system's `bwrap`, which shields its own engine from the namespaces that it makes.
#[cfg(target_os = "linux")]
fn is_sandbox(program: &Path) -> bool {
    let file = binary::file_of(program);
    which::which("bwrap").is_ok_and(|bwrap| file.is_some_and(|file| file == bwrap))
}

/// Returns the engine's name and the key of its first limit.
fn first_limit(engine: &EngineSpec) -> Option<(String, &'static str)> {
    let memory = engine.memory.map(|_| "memory");
    let others = engine.bounds.pairs();
    let key = memory.or_else(|| Some(others.first()?.0))?;
    Some((engine.name.clone(), key))
}

// --- Reports of a launcher ---

/// Timeout for the start of a program by a launcher.
const TIME_TO_START: Duration = Duration::from_secs(10);
/// Timeout for the end of a program that a launcher kills.
const TIME_TO_END: Duration = Duration::from_secs(2);
/// Bytes to read at a time; more than a launcher ever sends.
const MAX_READ_LENGTH: usize = 512;

/// Receives the reports of a launcher. When it is dropped, or the arbiter dies, the launcher kills the engine.
#[derive(Debug)]
pub struct Guard {
    line: UnixStream,
    /// Bytes that were read but not yet parsed.
    unread: Vec<u8>,
    end: Option<End>,
}

impl Guard {
    /// Creates the guard from the socket to the launcher.
    pub fn new(line: UnixStream) -> Guard {
        Guard { line, unread: Vec::new(), end: None }
    }

    /// Waits until the program runs and alone has its ends of the pipes; returns the directories whose files it does
    /// not see.
    ///
    /// # Errors
    /// The program cannot be run, or the kernel refuses a namespace.
    pub fn await_start(&mut self) -> io::Result<Vec<PathBuf>> {
        let mut hidden = Vec::new();
        // One report from each process of the launcher, in any order.
        for _ in 0..2 {
            match self.next(TIME_TO_START) {
                Some(Report::Started(directories)) => hidden = directories,
                Some(Report::Closed) => {}
                // The program ended before the other report came.
                Some(Report::Ended(end)) => self.end = Some(end),
                Some(Report::NotStarted(error)) => return Err(io::Error::from_raw_os_error(error)),
                Some(Report::Refused(reason)) => return Err(io::Error::other(reason)),
                None => return Err(io::Error::other("its launcher ended without a report")),
            }
        }
        Ok(hidden)
    }

    pub fn end(&mut self) -> Option<End> {
        self.await_end(Duration::ZERO)
    }

    /// Has the launcher kill the engine's process, if it runs; returns how the process ended, or `None` if the launcher
    /// does not answer in time.
    pub fn kill(&mut self) -> Option<End> {
        // Fails if the launcher has ended; its last report has arrived by then.
        let _ = self.line.shutdown(Shutdown::Write);
        self.await_end(TIME_TO_END)
    }

    fn await_end(&mut self, timeout: Duration) -> Option<End> {
        if self.end.is_none()
            && let Some(Report::Ended(end)) = self.next(timeout)
        {
            self.end = Some(end);
        }
        self.end
    }

    /// Returns the next report, if it arrives in time.
    fn next(&mut self, timeout: Duration) -> Option<Report> {
        let deadline = Instant::now() + timeout;
        loop {
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return serde_json::from_slice(&line).ok();
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).ok();
            let mut line = [PollFd::new(&self.line, PollFlags::IN)];
            match poll(&mut line, left.as_ref()) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return None,
            }
            let mut bytes = [0; MAX_READ_LENGTH];
            match self.line.read(&mut bytes) {
                Ok(0) => return None,
                Ok(number) => self.unread.extend_from_slice(&bytes[..number]),
                Err(_) => return None,
            }
        }
    }
}

/// A report of the launcher to the arbiter, one JSON value per line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// The engine's program runs, and the inner process has closed its copies of the engine's pipes; contains the
    /// directories whose files the engine does not see.
    Started(Vec<PathBuf>),
    /// The outer process has closed its copies of the engine's pipes.
    Closed,
    /// The program cannot be run; contains the system's error number.
    NotStarted(i32),
    /// The kernel refuses the namespaces; contains the reason.
    Refused(String),
    Ended(End),
}

/// End of an engine's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Exit status, as the system returns it.
    pub status: i32,
    /// Peak memory, in KiB.
    pub memory_kib: u64,
    pub cpu_micros: u64,
    /// Whether the arbiter killed it.
    pub was_killed: bool,
    /// Whether it was stopped by a signal at that time.
    pub was_stopped: bool,
}

impl End {
    /// Creates the end of a process that was waited for.
    pub fn of(used: &ResUse, was_killed: bool, was_stopped: bool) -> End {
        End {
            status: used.status.into_raw(),
            memory_kib: used.rusage.maxrss / 1024,
            cpu_micros: micros(used.rusage.utime + used.rusage.stime),
            was_killed,
            was_stopped,
        }
    }
}

// --- Hidden files ---

/// Characters around a path in a message, besides blanks.
const AROUND_PATHS: &str = "'\"`:;,=()[]<>";

/// The files that isolation hides from an engine, for hints if it fails because of them.
///
/// Where the kernel can lay an engine's changes over existing files, it hides none. Elsewhere `/tmp` and the like are
/// empty but for the files that an engine's settings name.
#[derive(Clone, Debug, Default)]
pub struct HiddenFiles {
    /// Directories whose files the engine does not see, with the exceptions in `seen`.
    directories: Vec<PathBuf>,
    /// Files and directories within `directories` that the engine sees.
    seen: Vec<PathBuf>,
    /// Directory that the engine starts in.
    start: PathBuf,
    /// Texts of the engine's settings that may name files.
    settings: Vec<String>,
}

impl HiddenFiles {
    /// Returns the files of `directories` that isolation hides from an engine.
    pub fn of(spec: &EngineSpec, directories: &[PathBuf]) -> HiddenFiles {
        let start = env::current_dir().unwrap_or_default();
        let start = spec.dir.as_ref().map_or(start.clone(), |dir| start.join(dir));
        let program = binary::file_of(&spec.command).map(|program| start.join(program));
        let named = spec.args.iter().map(|word| start.join(word));
        let directories: Vec<PathBuf> =
            directories.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        let named = [start.clone()].into_iter().chain(program.clone()).chain(named);
        let seen = named
            .filter_map(|path| fs::canonicalize(path).ok())
            .filter(|path| directory_of(path, &directories).is_some());
        let values = spec.options.iter().map(|(_, value)| value.clone());
        let folder =
            program.iter().filter_map(|program| Some(program.parent()?.display().to_string()));
        let words = spec.args.iter().cloned();
        HiddenFiles {
            seen: seen.collect(),
            settings: values.chain(words).chain(folder).collect(),
            directories,
            start,
        }
    }

    /// Returns the end of a sentence about a failure: which file is hidden that `stderr` or the engine's settings name,
    /// if any, and what to do.
    pub fn hint(&self, stderr: &[String]) -> String {
        let mut texts = stderr.iter().rev().chain(&self.settings);
        let found = texts.find_map(|text| self.named_in(text));
        found.map_or(String::new(), |hint| format!("; {hint}"))
    }

    /// Says which hidden file a text names, if any, and what to do.
    pub fn named_in(&self, text: &str) -> Option<String> {
        if self.directories.is_empty() {
            return None;
        }
        let quoted = text.split(['\'', '"']);
        let words = text.split(|c: char| c.is_whitespace() || AROUND_PATHS.contains(c));
        let candidates = [text].into_iter().chain(quoted).chain(words);
        let mut paths =
            candidates.filter(|word| word.contains('/')).map(|word| self.start.join(word));
        let (directory, path) = paths.find_map(|path| Some((self.hiding(&path)?, path)))?;
        let (path, directory) = (path.display().to_string(), directory.display());
        let path = printable(&path);
        Some(format!(
            "isolation hides {path} from it: move that out of {directory}, or use --isolate off"
        ))
    }

    /// Returns the directory that hides an existing file.
    fn hiding(&self, path: &Path) -> Option<&PathBuf> {
        let end = fs::canonicalize(path).ok()?;
        if self.seen.iter().any(|seen| end.starts_with(seen)) {
            return None;
        }
        directory_of(&end, &self.directories)
    }
}

/// Returns the directory that a path lies in.
fn directory_of<'a>(path: &Path, directories: &'a [PathBuf]) -> Option<&'a PathBuf> {
    directories.iter().find(|directory| path.starts_with(directory) && path != **directory)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::slice;

    use super::*;
    use crate::plan::Limit;

    #[test]
    fn an_end_is_heard_once_it_is_told() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut guard = Guard::new(ours);
        theirs.write_all(b"{\"Started\":[\"/tmp\"]}\n\"Closed\"\n").unwrap();
        assert_eq!(guard.await_start().unwrap(), [PathBuf::from("/tmp")]);
        assert_eq!(guard.end(), None);
        let expected =
            End { status: 9, memory_kib: 1, cpu_micros: 5, was_killed: true, was_stopped: false };
        let line = serde_json::to_string(&Report::Ended(expected)).unwrap();
        let (begun, rest) = line.split_at(9);
        theirs.write_all(begun.as_bytes()).unwrap();
        assert_eq!(guard.end(), None);
        writeln!(theirs, "{rest}").unwrap();
        let end = guard.kill().unwrap();
        assert_eq!(end, expected);
        drop(theirs);
        assert_eq!(guard.end(), Some(end));
    }

    #[test]
    fn a_program_may_end_before_all_pipes_are_closed() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut guard = Guard::new(ours);
        let ended = serde_json::to_string(&Report::Ended(End::default())).unwrap();
        write!(theirs, "{{\"Started\":[]}}\n{ended}\n").unwrap();
        guard.await_start().unwrap();
        theirs.write_all(b"\"Closed\"\n").unwrap();
        assert_eq!(guard.end(), Some(End::default()));
    }

    #[test]
    fn a_program_that_cannot_be_run_is_named_by_the_system() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"{\"NotStarted\":2}\n").unwrap();
        let error = Guard::new(ours).await_start().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_hidden_file_is_found_in_settings_and_messages() {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        let file = |name: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            path
        };
        let program = file("bin/program");
        let (script, hidden) = (file("script"), file("a b/weights"));
        let (shown, dir) = (file("dir/shown"), root.join("dir"));
        let mut spec = EngineSpec {
            args: vec![script.display().to_string()],
            dir: Some(dir.clone()),
            ..EngineSpec::new("x", &program, Limit::nodes(1))
        };
        let files = HiddenFiles::of(&spec, slice::from_ref(&root));
        for (text, is_named) in [
            (format!("cat: {}: No such file", program.parent().unwrap().display()), true),
            (format!("FileNotFoundError: '{}'", hidden.display()), true),
            (format!("{}", hidden.display()), true),
            ("open(\"../a b/weights\") failed".to_string(), true),
            (format!("{}: No such file", shown.display()), false),
            (format!("{}: line 3: x: not found", script.display()), false),
            (format!("{}/missing: No such file", root.display()), false),
            ("No such file: /etc/passwd".to_string(), false),
            (root.display().to_string(), false),
        ] {
            let hint = files.named_in(&text);
            assert_eq!(hint.is_some(), is_named, "{text}: {hint:?}");
        }
        let hint = |spec: &EngineSpec| HiddenFiles::of(spec, slice::from_ref(&root)).hint(&[]);
        let of_folder = format!("isolation hides {} from it", root.join("bin").display());
        assert!(hint(&spec).contains(&of_folder), "{}", hint(&spec));
        spec.options.push(("EvalFile".into(), hidden.display().to_string()));
        let of_option = format!("isolation hides {} from it", hidden.display());
        assert!(hint(&spec).contains(&of_option), "{}", hint(&spec));
        spec.dir = Some(root.clone());
        assert!(hint(&spec).contains(&of_option), "{}", hint(&spec));
        assert_eq!(HiddenFiles::of(&spec, &[]).hint(&[]), "");
    }
}
