//! The launcher between the arbiter and an isolated engine: two processes of the arbiter's own program.
//!
//! The outer process creates the namespaces. A new PID namespace contains only processes started after its creation, so
//! the outer process starts the inner one, which is process 1 there. The inner process has its own view of the file
//! system, with a `/proc` that shows no other processes. It starts the engine's program, and reports its end to the
//! arbiter. When the arbiter closes the socket, it kills the engine. When process 1 ends, for any reason, the kernel
//! kills all processes that are left in the namespace.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{
    DumpableBehavior, Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitOptions, getgid,
    getuid, kill_process, set_dumpable_behavior, set_parent_process_death_signal, setrlimit,
    waitid, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, set_capabilities, unshare_unsafe,
};
use serde::{Deserialize, Serialize};
use wait4::Wait4;

use super::guard::{End, Report};
use super::view::{View, hidden_directories};
use super::{MIB, is_stopped, system_calls};
use crate::plan::ResourceLimits;
use crate::play::family::{PROC, state};

/// First argument of a launcher; on its own it does nothing.
pub const ARGUMENT: &str = "engine-launcher";
/// Second argument of the outer process.
pub(super) const OUTSIDE: &str = "outside";
/// Second argument of the inner process.
const INSIDE: &str = "inside";
/// The running program, even if its file was replaced.
pub(super) const OWN_PROGRAM: &str = "/proc/self/exe";

/// The arbiter's order for a launcher, passed as JSON in its third argument.
#[derive(Serialize, Deserialize)]
pub(super) struct Order {
    /// Descriptor of the socket to the arbiter.
    pub line: RawFd,
    /// Limit of each process's address space, in MiB.
    pub memory: Option<u64>,
    pub limits: ResourceLimits,
    /// Number of user namespaces that the engine may create.
    pub namespaces: u8,
    /// Files of the arbiter, which the engine must not see.
    pub hidden: Vec<OsString>,
    /// Program of the engine and its arguments; passed as the rest of the arguments.
    #[serde(skip)]
    pub program: Vec<OsString>,
}

/// Runs the launcher with the arguments after [`ARGUMENT`]; does nothing without any.
pub fn launch(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let Some(stage) = arguments.next() else {
        return ExitCode::SUCCESS;
    };
    let read = || -> io::Result<(Order, UnixStream)> {
        let order = arguments.next().unwrap_or_default();
        let mut order: Order = serde_json::from_slice(order.as_encoded_bytes())?;
        order.program = arguments.collect();
        let line = order.take_line()?;
        Ok((order, line))
    };
    let done = read().and_then(|(order, line)| {
        if stage == OUTSIDE { run_outside(&order, line) } else { run_inside(&order, line) }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // For a user who typed the command; an arbiter that still runs never causes this error.
            let _ = writeln!(io::stderr(), "{ARGUMENT} is for the arbiter's own use: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Order {
    /// Takes over the socket to the arbiter, which the engine's program must not inherit.
    #[allow(unsafe_code)] // There is no other way to take over an inherited descriptor.
    fn take_line(&self) -> io::Result<UnixStream> {
        // Fails if the descriptor is not open.
        fs::symlink_metadata(format!("/proc/self/fd/{}", self.line))?;
        // SAFETY: the arbiter created this descriptor for the launcher, and nothing else in this process uses it.
        Ok(unsafe { UnixStream::from_raw_fd(self.line) })
    }

    pub fn command(&self, stage: &str) -> Command {
        let mut command = Command::new(OWN_PROGRAM);
        // Cannot fail for numbers.
        let order = serde_json::to_string(self).unwrap_or_default();
        command.args([ARGUMENT, stage, &order]).args(&self.program);
        command
    }
}

/// Creates the namespaces, and waits for the inner process.
fn run_outside(order: &Order, mut line: UnixStream) -> io::Result<()> {
    let inside = make_namespaces(order).and_then(|()| start_inside(order));
    match inside {
        Ok(mut inside) => {
            close_pipes()?;
            send(&mut line, &Report::Closed)?;
            drop(line);
            inside.wait().map(drop)
        }
        Err(error) => send(&mut line, &Report::Refused(error.to_string())),
    }
}

#[allow(unsafe_code)] // A process has the right to mount only before its program begins.
fn start_inside(order: &Order) -> io::Result<Child> {
    let hidden = order.hidden.iter().map(PathBuf::from).collect();
    let view = View::of(&order.program, hidden)?;
    let mut inside = order.command(INSIDE);
    // SAFETY: this process has one thread, so that no lock is held and nothing is half done in the new process.
    unsafe {
        inside.pre_exec(move || view.enter());
    }
    inside.spawn().map_err(|error| refused("mounts", &error))
}

#[allow(unsafe_code)] // Unsharing could close resources of other threads, but there are none.
fn make_namespaces(order: &Order) -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let mut flags =
        UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWNS | UnshareFlags::NEWIPC;
    flags.set(UnshareFlags::NEWNET, !order.limits.net);
    set_dumpable_behavior(DumpableBehavior::Dumpable)?;
    // SAFETY: the descriptor table is not unshared, and this process has one thread.
    let unshared = unsafe { unshare_unsafe(flags) };
    unshared.map_err(|error| refused("namespaces", &error.into()))?;
    // Maps the user and the group to themselves; the kernel requires that setgroups is denied first.
    for (file, text) in [
        ("self/setgroups", "deny".to_string()),
        ("self/uid_map", format!("{user} {user} 1")),
        ("self/gid_map", format!("{group} {group} 1")),
        // In a namespace of its own, an engine could mount a file system that keeps its processes from ending.
        ("sys/user/max_user_namespaces", order.namespaces.to_string()),
    ] {
        let written = fs::write(Path::new(PROC).join(file), text);
        written.map_err(|error| refused(file, &error))?;
    }
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

fn refused(what: &str, error: &io::Error) -> io::Error {
    io::Error::other(format!("{what}: {error}"))
}

/// Runs as process 1: starts the engine, and reports its end.
fn run_inside(order: &Order, mut line: UnixStream) -> io::Result<()> {
    fcntl_setfd(&line, FdFlags::CLOEXEC)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    if let Err(error) = system_calls::restrict() {
        return send(&mut line, &Report::Refused(refused("system calls", &error).to_string()));
    }
    let mut engine = match start_engine(order) {
        Ok(engine) => engine,
        Err(error) => {
            let number = error.raw_os_error().unwrap_or_default();
            return send(&mut line, &Report::NotStarted(number));
        }
    };
    close_pipes()?;
    send(&mut line, &Report::Started(hidden_directories()))?;
    let hang_up = Arc::new(HangUp::default());
    let process = Pid::from_child(&engine);
    let (listening, heard) = (line.try_clone()?, Arc::clone(&hang_up));
    thread::spawn(move || heard.await_end_of(&listening, process));
    let end = await_end(&mut engine, &hang_up)?;
    send(&mut line, &Report::Ended(end))
}

/// Whether the arbiter has closed the socket, and whether the engine was stopped then.
#[derive(Default)]
struct HangUp {
    has_come: AtomicBool,
    found_stopped: AtomicBool,
}

impl HangUp {
    /// Waits until the arbiter, which sends nothing, closes the socket, and kills the engine.
    fn await_end_of(&self, mut line: &UnixStream, engine: Pid) {
        let mut byte = [0];
        while matches!(line.read(&mut byte), Err(error) if error.kind() == io::ErrorKind::Interrupted)
        {
        }
        let is_stopped = is_stopped(engine.as_raw_nonzero().get().unsigned_abs());
        self.found_stopped.store(is_stopped, Ordering::SeqCst);
        self.has_come.store(true, Ordering::SeqCst);
        // Fails if the engine has ended already.
        let _ = kill_process(engine, Signal::KILL);
    }
}

#[allow(unsafe_code)] // Only `pre_exec` can limit a program but not its launcher.
fn start_engine(order: &Order) -> io::Result<Child> {
    let [program, arguments @ ..] = order.program.as_slice() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let (memory, limits) = (order.memory, order.limits);
    let prepare = move || {
        set_limits(memory, &limits)?;
        // The creator of a namespace has all capabilities in it and could undo the mounts.
        let none = CapabilitySet::empty();
        let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
        Ok(set_capabilities(None, sets)?)
    };
    let mut command = Command::new(program);
    // Its own process group, so that a signal to the group does not reach a launcher.
    command.args(arguments).process_group(0);
    // SAFETY: between fork and exec the closure makes a few system calls that neither allocate nor lock.
    unsafe {
        command.pre_exec(prepare);
    }
    command.spawn()
}

/// Waits for the end of the engine, and reaps orphans meanwhile.
fn await_end(engine: &mut Child, hang_up: &HangUp) -> io::Result<End> {
    let process = Pid::from_child(engine);
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    loop {
        waitid(WaitId::All, ended)?;
        if waitid(WaitId::Pid(process), ended | WaitIdOptions::NOHANG)?.is_some() {
            break;
        }
        reap_orphans(engine.id());
    }
    let was_killed = hang_up.has_come.load(Ordering::SeqCst);
    let was_stopped = hang_up.found_stopped.load(Ordering::SeqCst);
    Ok(End::of(&engine.wait4()?, was_killed, was_stopped))
}

fn reap_orphans(engine: u32) {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    for process in processes.filter(|&process| process != engine && state(process) == Some('Z')) {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        // Fails for children of other processes, which reap them themselves.
        let _ = process.map(|process| waitpid(Some(process), WaitOptions::NOHANG));
    }
}

/// Closes the launcher's copies of the engine's pipes, so that a pipe is closed as soon as the engine closes it.
fn close_pipes() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    Ok(dup2_stderr(&null)?)
}

fn send(line: &mut UnixStream, report: &Report) -> io::Result<()> {
    let report = serde_json::to_string(report)?;
    line.write_all(format!("{report}\n").as_bytes())
}

/// Limits this process and all its descendants. Does not allocate, so that it may be called between fork and exec.
///
/// # Errors
/// The system refuses a limit above the arbiter's own.
pub fn set_limits(memory: Option<u64>, bounds: &ResourceLimits) -> io::Result<()> {
    let ResourceLimits { cpu, processes, filesize, net: _ } = *bounds;
    let bytes = |mib: u64| mib.saturating_mul(MIB);
    set_limit(Resource::As, memory.map(bytes), 0)?;
    // SIGXCPU, which names the exceeded limit, comes a second before SIGKILL, which does not.
    set_limit(Resource::Cpu, cpu, 1)?;
    set_limit(Resource::Nproc, processes, 0)?;
    set_limit(Resource::Fsize, filesize.map(bytes), 0)?;
    Ok(())
}

/// Disables core dumps of this process and all its descendants.
///
/// # Errors
/// An error of the system, which never refuses this.
pub fn forbid_core_dumps() -> io::Result<()> {
    set_limit(Resource::Core, Some(0), 0)
}

/// Limits the signals that wait for the processes of this user in this namespace.
///
/// # Errors
/// An error of the system, which never refuses this.
pub(super) fn limit_pending_signals(number: u64) -> io::Result<()> {
    set_limit(Resource::Sigpending, Some(number), 0)
}

fn set_limit(resource: Resource, value: Option<u64>, grace: u64) -> io::Result<()> {
    if let Some(value) = value {
        let limit = Rlimit { current: Some(value), maximum: Some(value.saturating_add(grace)) };
        setrlimit(resource, limit)?;
    }
    Ok(())
}
