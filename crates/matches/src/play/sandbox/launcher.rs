//! The launcher between the arbiter and an isolated engine: two processes of the arbiter's own program.
//!
//! The outer process creates the namespaces. A new PID namespace contains only processes started after its creation, so
//! the outer process starts the inner one, which is process 1 there. The inner process has its own view of the file
//! system, with a `/proc` that shows no other processes. It starts the engine's program, and reports its end to the
//! arbiter. When the arbiter closes the socket, it kills the engine. When process 1 ends, for any reason, the kernel
//! kills all processes that are left in the namespace.

use std::collections::BTreeMap;
use std::env::{self, consts::ARCH};
use std::ffi::{CStr, CString, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::{Arc, OnceLock};
use std::thread;

use libc::{c_int, c_ulong, seccomp_data, seccomp_notif, seccomp_notif_resp, sock_fprog};
use rustix::fs::{CWD, Mode, OFlags, XattrFlags, openat, setxattr, statfs};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
};
use rustix::process::{
    DumpableBehavior, Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitOptions, getgid,
    getuid, kill_process, set_dumpable_behavior, set_parent_process_death_signal, setrlimit,
    waitid, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, set_capabilities, unshare_unsafe,
};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, sock_filter,
};
use serde::{Deserialize, Serialize};
use wait4::Wait4;

use super::isolation::{End, Report};
use super::{MIB, is_stopped};
use crate::plan::{ResourceLimits, binary};
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
    if let Err(error) = restrict_system_calls() {
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
    // Whether the engine was stopped when the arbiter closed the socket; unset before.
    let found_stopped = Arc::new(OnceLock::new());
    let process = Pid::from_child(&engine);
    let (listening, found) = (line.try_clone()?, Arc::clone(&found_stopped));
    thread::spawn(move || await_hang_up(&listening, process, &found));
    let end = await_end(&mut engine, &found_stopped)?;
    send(&mut line, &Report::Ended(end))
}

/// Waits until the arbiter, which sends nothing, closes the socket, and kills the engine; sets `found_stopped` before.
fn await_hang_up(mut line: &UnixStream, engine: Pid, found_stopped: &OnceLock<bool>) {
    let mut byte = [0];
    while matches!(line.read(&mut byte), Err(error) if error.kind() == io::ErrorKind::Interrupted) {
    }
    // Nothing else sets it.
    let _ = found_stopped.set(is_stopped(engine.as_raw_nonzero().get().unsigned_abs()));
    // Fails if the engine has ended already.
    let _ = kill_process(engine, Signal::KILL);
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
fn await_end(engine: &mut Child, found_stopped: &OnceLock<bool>) -> io::Result<End> {
    let process = Pid::from_child(engine);
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    loop {
        waitid(WaitId::All, ended)?;
        if waitid(WaitId::Pid(process), ended | WaitIdOptions::NOHANG)?.is_some() {
            break;
        }
        reap_orphans(engine.id());
    }
    let found = found_stopped.get().copied();
    Ok(End::of(&engine.wait4()?, found.is_some(), found == Some(true)))
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

fn set_limit(resource: Resource, value: Option<u64>, grace: u64) -> io::Result<()> {
    if let Some(value) = value {
        let limit = Rlimit { current: Some(value), maximum: Some(value.saturating_add(grace)) };
        setrlimit(resource, limit)?;
    }
    Ok(())
}

// --- View of the file system ---

// Within the system's temporary directories an isolated engine changes only a layer of its own, where the sockets of
// its user's other programs lead nowhere. It sees none of the arbiter's files.

/// Directories that each engine sees through a layer of its own.
const LAYERED: [&str; 3] = ["/tmp", "/run/user", "/dev/shm"];
/// Directory that is empty for each engine. Its files would let an engine leave the group that limits its memory.
const EMPTY_DIRECTORY: &str = "/sys/fs/cgroup";
/// Mount options of each of these directories; the files count as memory of the engine.
const TMPFS: &CStr = c"size=256m,nr_inodes=16k,mode=1777";
/// An extended attribute of a file.
const ATTRIBUTE: &CStr = c"user.layer";
/// File systems of an engine's own: type, directory and options. Those that the system lacks are skipped.
const MOUNTS: [(&str, &str, &CStr); 2] = [
    ("proc", "/proc", c""),
    // Without it, an engine could write to any terminal of its user.
    ("devpts", "/dev/pts", c"newinstance,ptmxmode=0666"),
];
/// A file without content, which covers a file of the arbiter.
const NOTHING: &str = "/dev/null";

/// Changes to the mounts of a new namespace.
struct View {
    directory: PathBuf,
    /// The layered and the empty directories that exist.
    private: Vec<PathBuf>,
    /// Files and directories below them that stay in place: path without symbolic links, and place.
    kept: Vec<(PathBuf, PathBuf)>,
    /// Files of the arbiter.
    hidden: Vec<PathBuf>,
}

impl View {
    /// Returns the view of a program with its arguments, to be started in the current directory: of the private
    /// directories it keeps the current one, the program, and all files and directories among the arguments.
    fn of(program: &[OsString], hidden: Vec<PathBuf>) -> io::Result<View> {
        let directory = env::current_dir()?;
        let private = LAYERED.iter().chain([&EMPTY_DIRECTORY]);
        let private: Vec<PathBuf> =
            private.filter_map(|path| fs::canonicalize(path).ok()).collect();
        let is_covered = |path: &Path| {
            let mut above = private.iter();
            above.any(|private| path.starts_with(private) && path != private)
        };
        let file = program.first().and_then(|program| binary::file_of(Path::new(program)));
        let words = program.iter().skip(1).map(PathBuf::from);
        let paths = [directory.clone()]
            .into_iter()
            .chain(file)
            .chain(words)
            .map(|path| directory.join(path));
        let found: Vec<(PathBuf, PathBuf)> =
            paths.filter_map(|path| Some((fs::canonicalize(&path).ok()?, path))).collect();
        // A path through symbolic links works only if its end is in place.
        let ends = found.iter().map(|(end, _)| (end.clone(), end.clone()));
        let mut kept: Vec<_> = ends.filter(|(_, place)| is_covered(place)).collect();
        // A directory comes before its content.
        kept.sort_by_key(|(_, place)| place.components().count());
        kept.extend(found.into_iter().filter(|(_, place)| is_covered(place)));
        Ok(View { directory, private, kept, hidden })
    }

    /// Changes the mounts, in the first process of a namespace.
    fn enter(&self) -> io::Result<()> {
        let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
        mount_change("/", private)?;
        // Before anything is kept, so that it stays hidden there.
        self.hide()?;
        let kept: Vec<(OwnedFd, &PathBuf)> = self
            .kept
            .iter()
            .map(|(path, place)| Ok((open(path)?, place)))
            .collect::<io::Result<_>>()?;
        let private: Vec<(OwnedFd, &PathBuf)> =
            self.private.iter().map(|path| Ok((open(path)?, path))).collect::<io::Result<_>>()?;
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        for (file_system, directory, options) in MOUNTS {
            if Path::new(directory).is_dir() {
                mount(file_system, directory, file_system, flags, options)?;
            }
        }
        for (content, directory) in private {
            mount("tmpfs", directory, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, TMPFS)?;
            if directory != Path::new(EMPTY_DIRECTORY) {
                show(&content, directory)?;
            }
        }
        // In the layers, the files show again.
        self.hide()?;
        for (file, place) in kept {
            let source = path_of(&file);
            if is_same(&source, place) {
                continue;
            }
            if !place.exists() {
                make_place(place, source.is_dir())?;
            }
            mount_bind_recursive(&source, place)?;
        }
        // Otherwise it would still lead to the files below the new mounts.
        env::set_current_dir(&self.directory)
    }

    /// Covers the arbiter's files that can be seen.
    fn hide(&self) -> io::Result<()> {
        let mut files = self.hidden.iter().filter(|file| file.is_file());
        files.try_for_each(|file| Ok(mount_bind(NOTHING, file)?))
    }
}

/// Returns the layered directories whose files this process, which has entered a view, does not see.
fn hidden_directories() -> Vec<PathBuf> {
    let is_hidden =
        |path: &PathBuf| statfs(path).is_ok_and(|found| found.f_type == libc::TMPFS_MAGIC);
    LAYERED.map(PathBuf::from).into_iter().filter(is_hidden).collect()
}

/// Shows the former content of a directory after a new file system, which takes the changes, has been mounted there.
///
/// Sockets and pipes in the content do not lead to other programs. The directory stays empty if the kernel does not
/// support such a layer, or if something is mounted within the content.
fn show(content: &OwnedFd, directory: &Path) -> io::Result<()> {
    let [upper, work] = ["upper", "work"].map(|name| directory.join(name));
    fs::create_dir(&upper)?;
    fs::create_dir(&work)?;
    fs::set_permissions(&upper, Permissions::from_mode(0o1777))?;
    let (below, above, work_text) = (path_of(content), upper.display(), work.display());
    let layers = format!("lowerdir={},upperdir={above},workdir={work_text}", below.display());
    let options = CString::new(format!("{layers},userxattr"))?;
    // Without extended attributes (before Linux 6.6), an overlay cannot remember all changes.
    let mounted = setxattr(&upper, ATTRIBUTE, b"", XattrFlags::empty()).and_then(|()| {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount("overlay", directory, "overlay", flags, options.as_c_str())
    });
    if mounted.is_err() {
        fs::remove_dir_all(&upper)?;
        fs::remove_dir_all(&work)?;
    }
    Ok(())
}

fn open(path: &Path) -> rustix::io::Result<OwnedFd> {
    openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
}

/// Returns a path that leads to an open file, even if something is mounted on its own path.
fn path_of(file: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

fn is_same(path: &Path, other: &Path) -> bool {
    let id = |path: &Path| path.metadata().ok().map(|file| (file.dev(), file.ino()));
    id(path).is_some() && id(path) == id(other)
}

/// Makes a file or directory to mount another on.
fn make_place(place: &Path, is_directory: bool) -> io::Result<()> {
    if is_directory {
        return fs::create_dir_all(place);
    }
    fs::create_dir_all(place.parent().unwrap_or(place))?;
    File::create(place).map(drop)
}

// --- System calls ---

// System calls of an isolated engine that reach beyond its own processes and turns are refused or rationed.
//
// When a timer expires, it interrupts the program on its processor. An engine that sets thousands of timers before its
// answer takes time from its rival and uses none itself. A key in a keyring outlives the engine's processes, which
// could use it to pass information to later ones. A lease on a file delays the start of its rival.

/// Maximum number of timers of each kind. This number costs a rival less than a tenth of a millisecond in a turn.
const MAX_TIMERS: u16 = 64;

/// Bit in the number of a system call of x32, a second set of calls on processors of type `x86_64`.
const X32: u32 = 0x4000_0000;
/// Number of instructions at the start of the crate's filters, which check the processor type.
const PROCESSOR_CHECK: usize = 3;

/// Rules by number of the system call; a call without rules always matches.
type Calls = BTreeMap<i64, Vec<SeccompRule>>;

/// Restricts the calling thread, and all threads and processes that it starts from now on.
///
/// # Errors
/// The kernel does not know the processor or a restriction.
#[allow(unsafe_code)] // There is no other way to take over a new descriptor.
fn restrict_system_calls() -> io::Result<()> {
    // Also limits the timers of `timer_create`, because each one reserves a signal.
    set_limit(Resource::Sigpending, Some(u64::from(MAX_TIMERS)), 0)?;
    // A program takes this error for an old kernel, and does without the call.
    let refuse = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let refused = refused_calls().map_err(io::Error::other)?;
    install(&program(refused, refuse)?, 0)?;
    let timers = Calls::from([(libc::SYS_timerfd_create, Vec::new())]);
    match install(&ask(timers.clone())?, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER) {
        Ok(listener) => {
            // SAFETY: with this flag the kernel returns a new descriptor, which is closed in programs that are started.
            let listener = unsafe { OwnedFd::from_raw_fd(listener) };
            thread::spawn(move || ration_timers(&listener));
        }
        // A process can have one listener only. In some containers, the container itself has it.
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
            install(&program(timers, SeccompAction::Errno(libc::EMFILE.unsigned_abs()))?, 0)?;
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

fn refused_calls() -> Result<Calls, BackendError> {
    let calls = [
        libc::SYS_add_key,
        libc::SYS_keyctl,
        libc::SYS_request_key,
        // Both set timers of their own.
        libc::SYS_io_uring_setup,
        libc::SYS_perf_event_open,
    ];
    let mut refused: Calls = calls.into_iter().map(|call| (call, Vec::new())).collect();
    let command = u64::from(libc::F_SETLEASE.unsigned_abs());
    let lease = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, command)?;
    refused.insert(libc::SYS_fcntl, vec![SeccompRule::new(vec![lease])?]);
    Ok(refused)
}

/// Returns a filter that does `action` for these calls and for all of x32, and ends programs of another processor type.
fn program(calls: Calls, action: SeccompAction) -> io::Result<BpfProgram> {
    let processor = ARCH.try_into().map_err(io::Error::other::<BackendError>)?;
    let x32_action = action.clone().into();
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, action, processor);
    let mut program = filter.and_then(BpfProgram::try_from).map_err(io::Error::other)?;
    if cfg!(target_arch = "x86_64") {
        let instruction = |code: u32, k| sock_filter { code: code as u16, jt: 0, jf: 0, k };
        let is_x32 = instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, X32);
        let x32 = [
            instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0), // Number of the call.
            sock_filter { jf: 1, ..is_x32 },
            instruction(libc::BPF_RET | libc::BPF_K, x32_action),
        ];
        program.splice(PROCESSOR_CHECK..PROCESSOR_CHECK, x32);
    }
    Ok(program)
}

/// Returns a filter that makes these calls wait for a listener's answer.
fn ask(calls: Calls) -> io::Result<BpfProgram> {
    // The crate has no action that asks another thread.
    const ASK: SeccompAction = SeccompAction::Trace(0);
    let mut program = program(calls, ASK)?;
    let asks = program.iter_mut().filter(|instruction| instruction.k == u32::from(ASK));
    asks.for_each(|instruction| instruction.k = libc::SECCOMP_RET_USER_NOTIF);
    Ok(program)
}

/// Installs a filter and returns what the kernel returns. Speculation stays as it is; old kernels would slow it down.
#[allow(unsafe_code)] // The crate's own function has no flags.
fn install(program: &BpfProgram, flags: c_ulong) -> io::Result<c_int> {
    let filter = sock_fprog {
        len: u16::try_from(program.len()).map_err(io::Error::other)?,
        filter: program.as_ptr().cast_mut().cast(),
    };
    let flags = flags | libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    // SAFETY: the kernel copies the filter, whose instructions have the layout of the system's `sock_filter`.
    let done = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const filter)
    };
    match c_int::try_from(done) {
        Ok(done) if done >= 0 => Ok(done),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Allows the first calls of `timerfd_create` and refuses all others, as if no more files could be opened. The system
/// itself does not limit these timers.
#[allow(unsafe_code)] // No safe crate in use offers these two operations.
fn ration_timers(listener: &OwnedFd) {
    let listener = listener.as_raw_fd();
    let mut allowed = 0;
    loop {
        let data = seccomp_data { nr: 0, arch: 0, instruction_pointer: 0, args: [0; 6] };
        let mut call = seccomp_notif { id: 0, pid: 0, flags: 0, data };
        // SAFETY: the operation writes to `call` alone.
        if unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_RECV, &mut call) } != 0 {
            match io::Error::last_os_error().raw_os_error() {
                // The second if the caller was killed meanwhile.
                Some(libc::EINTR | libc::ENOENT) => continue,
                _ => return,
            }
        }
        let mut answer = seccomp_notif_resp { id: call.id, val: 0, error: -libc::EMFILE, flags: 0 };
        if allowed < MAX_TIMERS {
            allowed += 1;
            answer.error = 0;
            answer.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32;
        }
        // SAFETY: the operation reads `answer` alone. It fails if the caller was killed meanwhile.
        let _ = unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_SEND, &mut answer) };
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    #[allow(unsafe_code)] // Only an unusual number of a system call shows it.
    fn system_calls_of_x32_are_refused() {
        let own_error = SeccompAction::Errno(libc::EDOM.unsigned_abs());
        let program = program(refused_calls().unwrap(), own_error).unwrap();
        let thread = thread::spawn(move || {
            rustix::thread::set_no_new_privs(true).unwrap();
            install(&program, 0).unwrap();
            // SAFETY: both calls only return the process ID.
            let id = unsafe { libc::syscall(libc::SYS_getpid) };
            assert_eq!(id, i64::from(std::process::id()));
            let refused = unsafe { libc::syscall(i64::from(X32) | libc::SYS_getpid) };
            (refused, io::Error::last_os_error().raw_os_error())
        });
        assert_eq!(thread.join().unwrap(), (-1, Some(libc::EDOM)));
    }

    #[test]
    #[allow(unsafe_code)] // No safe function creates a timer of this kind.
    fn without_a_listener_of_its_own_a_program_gets_no_timers() {
        let thread = thread::spawn(|| {
            rustix::thread::set_no_new_privs(true).unwrap();
            let others = Calls::from([(libc::SYS_acct, Vec::new())]);
            install(&ask(others).unwrap(), libc::SECCOMP_FILTER_FLAG_NEW_LISTENER).unwrap();
            restrict_system_calls().unwrap();
            // SAFETY: the call has no pointers.
            let timer = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, 0) };
            (timer, io::Error::last_os_error().raw_os_error())
        });
        assert_eq!(thread.join().unwrap(), (-1, Some(libc::EMFILE)));
    }
}
