//! What stands between the arbiter and an isolated engine: two processes of the arbiter's own program.
//!
//! The one outside makes the namespaces; a process is in a new namespace of processes only if it is started there. So
//! it starts the one inside, which is process 1 there, with a `/proc` that shows nobody else: it starts the engine's
//! program and tells the arbiter how that ended. When the arbiter hangs up it kills the engine. When process 1 ends,
//! however that comes, the kernel kills all that is left in the namespace.

use std::ffi::{CStr, OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getgid, getuid,
    kill_process, set_dumpable_behavior, set_parent_process_death_signal, waitid, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, set_capabilities, unshare_unsafe,
};
use wait4::Wait4;

use super::report::{End, Report};
use super::{is_stopped, limits};
use crate::plan::Bounds;
use crate::play::family::state;

/// The first argument of a launcher; without more it does nothing.
pub const ARGUMENT: &str = "engine-launcher";
/// The second argument of the one outside.
pub(super) const OUTSIDE: &str = "outside";
/// The second argument of the one inside.
const INSIDE: &str = "inside";
/// The program that runs, whatever has become of its file.
pub(super) const OWN_PROGRAM: &str = "/proc/self/exe";
/// What is mounted in the new namespace: a file system with its directory and options, if the system has it at all.
const MOUNTS: [(&str, &str, &CStr); 2] = [
    ("proc", "/proc", c""),
    // Without it an engine could write to any terminal of its user.
    ("devpts", "/dev/pts", c"newinstance,ptmxmode=0666"),
];

/// What a launcher is told on its command line.
struct Order {
    /// The number of the socket to the arbiter, as typed.
    line: OsString,
    /// The most address space of each process in MiB, as typed; empty for any.
    memory: OsString,
    /// What else it may take, as typed.
    bounds: OsString,
    /// The engine's program and its arguments.
    program: Vec<OsString>,
}

/// Does what `arguments` say, those behind [`ARGUMENT`]; without any, nothing.
pub fn launch(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let Some(stage) = arguments.next() else {
        return ExitCode::SUCCESS;
    };
    let mut next = || arguments.next().unwrap_or_default();
    let order = Order {
        line: next(),
        memory: next(),
        bounds: next(),
        program: arguments.collect(),
    };
    let done = match order.take_line() {
        Ok(line) if stage == OUTSIDE => stand_outside(&order, line),
        Ok(line) if stage == INSIDE => stand_inside(&order, line),
        Ok(_) => Err(io::ErrorKind::InvalidInput.into()),
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Whoever typed it reads it; from an arbiter it comes only when that is gone.
            let _ = writeln!(
                io::stderr(),
                "{ARGUMENT} is for the arbiter's own use: {error}"
            );
            ExitCode::FAILURE
        }
    }
}

impl Order {
    /// The socket to the arbiter, which the engine's program is not to inherit.
    #[allow(unsafe_code)] // There is no other way to take over a descriptor that was inherited.
    fn take_line(&self) -> io::Result<UnixStream> {
        let number = self.line.to_str().and_then(|number| number.parse().ok());
        let number: i32 = number.ok_or(io::ErrorKind::InvalidInput)?;
        // Whether it is open at all.
        fs::symlink_metadata(format!("/proc/self/fd/{number}"))?;
        // SAFETY: the arbiter made this descriptor for the launcher, and nothing else in this process uses it.
        Ok(unsafe { UnixStream::from_raw_fd(number) })
    }

    fn text(word: &OsStr) -> &str {
        word.to_str().unwrap_or_default()
    }
}

/// Makes the namespaces, and waits for the launcher inside.
fn stand_outside(order: &Order, mut line: UnixStream) -> io::Result<()> {
    let bounds: Bounds = Order::text(&order.bounds).parse().unwrap_or_default();
    let inside = make_namespaces(bounds.net).and_then(|()| start_inside(order));
    match inside {
        Ok(mut inside) => {
            drop(line);
            let_go_of_the_pipes()?;
            inside.wait().map(drop)
        }
        Err(error) => tell(&mut line, &Report::Refused(error.to_string())),
    }
}

#[allow(unsafe_code)] // Only before its program begins does a process have the rights to mount.
fn start_inside(order: &Order) -> io::Result<Child> {
    let mut inside = Command::new(OWN_PROGRAM);
    inside
        .args([ARGUMENT, INSIDE])
        .args([&order.line, &order.memory, &order.bounds])
        .args(&order.program);
    // SAFETY: this process has one thread, so that nothing is locked or half done in the new one.
    unsafe {
        inside.pre_exec(hide_others);
    }
    let refused = |error| io::Error::other(format!("a /proc of its own: {error}"));
    inside.spawn().map_err(refused)
}

#[allow(unsafe_code)] // Leaving a namespace could close what other threads use: there are none.
fn make_namespaces(net: bool) -> io::Result<()> {
    let refused = |what: &str, error: io::Error| io::Error::other(format!("{what}: {error}"));
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let mut flags = UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWNS;
    flags.set(UnshareFlags::NEWNET, !net);
    set_dumpable_behavior(DumpableBehavior::Dumpable)?;
    // SAFETY: descriptors are not among what is unshared, and this process has one thread.
    let unshared = unsafe { unshare_unsafe(flags) };
    unshared.map_err(|error| refused("namespaces", error.into()))?;
    // Everybody remains who he is; groups have to be given up for that.
    for (file, text) in [
        ("setgroups", "deny".to_string()),
        ("uid_map", format!("{user} {user} 1")),
        ("gid_map", format!("{group} {group} 1")),
    ] {
        let written = fs::write(format!("/proc/self/{file}"), text);
        written.map_err(|error| refused(file, error))?;
    }
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// Is process 1: starts the engine, and tells how it ended.
fn stand_inside(order: &Order, mut line: UnixStream) -> io::Result<()> {
    fcntl_setfd(&line, FdFlags::CLOEXEC)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let mut engine = match start_engine(order) {
        Ok(engine) => engine,
        Err(error) => {
            let number = error.raw_os_error().unwrap_or_default();
            return tell(&mut line, &Report::NotStarted(number));
        }
    };
    tell(&mut line, &Report::Started)?;
    let_go_of_the_pipes()?;
    let hang_up = Arc::new(HangUp::default());
    let process = Pid::from_child(&engine);
    let (listening, heard) = (line.try_clone()?, Arc::clone(&hang_up));
    thread::spawn(move || heard.await_end_of(&listening, process));
    let end = await_end(&mut engine, &hang_up)?;
    tell(&mut line, &Report::Ended(end))
}

/// Whether the arbiter hung up, and how the engine was then.
#[derive(Default)]
struct HangUp {
    has_come: AtomicBool,
    found_stopped: AtomicBool,
}

impl HangUp {
    /// Waits for the end of what the arbiter says, which is nothing, and kills the engine.
    fn await_end_of(&self, mut line: &UnixStream, engine: Pid) {
        let mut byte = [0];
        while matches!(line.read(&mut byte), Err(error) if error.kind() == io::ErrorKind::Interrupted)
        {
        }
        let is_stopped = is_stopped(engine.as_raw_nonzero().get().unsigned_abs());
        self.found_stopped.store(is_stopped, Ordering::SeqCst);
        self.has_come.store(true, Ordering::SeqCst);
        // It has ended already where this fails.
        let _ = kill_process(engine, Signal::KILL);
    }
}

/// Mounts what shows nothing of other processes and terminals, in the first process of a namespace.
fn hide_others() -> io::Result<()> {
    let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", private)?;
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    for (file_system, directory, options) in MOUNTS {
        if Path::new(directory).is_dir() {
            mount(file_system, directory, file_system, flags, options)?;
        }
    }
    Ok(())
}

#[allow(unsafe_code)] // `pre_exec` is the only way to bound a program and not its launcher.
fn start_engine(order: &Order) -> io::Result<Child> {
    let [program, arguments @ ..] = order.program.as_slice() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let memory = Order::text(&order.memory).parse().ok();
    let bounds: Bounds = Order::text(&order.bounds).parse().unwrap_or_default();
    let prepare = move || {
        limits::set(memory, &bounds)?;
        // Whoever made a namespace is all-powerful in it, and could undo the mounts.
        let none = CapabilitySet::empty();
        let sets = CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        };
        Ok(set_capabilities(None, sets)?)
    };
    let mut command = Command::new(program);
    // In a process group of its own, so that a signal to its group reaches no launcher.
    command.args(arguments).process_group(0);
    // SAFETY: between fork and exec the closure makes a few system calls, and none of them allocates or locks.
    unsafe {
        command.pre_exec(prepare);
    }
    command.spawn()
}

/// Waits for the engine, and buries orphans that end meanwhile.
fn await_end(engine: &mut Child, hang_up: &HangUp) -> io::Result<End> {
    let process = Pid::from_child(engine);
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    loop {
        waitid(WaitId::All, ended)?;
        if waitid(WaitId::Pid(process), ended | WaitIdOptions::NOHANG)?.is_some() {
            break;
        }
        bury_orphans(engine.id());
    }
    let used = engine.wait4()?;
    let cpu = used.rusage.utime + used.rusage.stime;
    Ok(End {
        status: used.status.into_raw(),
        memory: used.rusage.maxrss,
        cpu_micros: u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX),
        was_killed: hang_up.has_come.load(Ordering::SeqCst),
        was_stopped: hang_up.found_stopped.load(Ordering::SeqCst),
    })
}

fn bury_orphans(engine: u32) {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    for process in processes.filter(|&process| process != engine && state(process) == Some('Z')) {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        // The children of others are theirs to bury, and this fails for them.
        let _ = process.map(|process| waitpid(Some(process), WaitOptions::NOHANG));
    }
}

/// Closes the launcher's own copies of the engine's pipes: what the engine closes is closed then.
fn let_go_of_the_pipes() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    Ok(dup2_stderr(&null)?)
}

fn tell(line: &mut UnixStream, report: &Report) -> io::Result<()> {
    line.write_all(format!("{report}\n").as_bytes())
}
