//! A child process with its pipes and its process group.

use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use procfs_core::{FromRead, VmStat};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
#[cfg(target_os = "linux")]
use rustix::process::{getppid, set_parent_process_death_signal};
#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_setaffinity, set_no_new_privs};
use wait4::Wait4;

use crate::plan::{EngineSpec, ResourceLimits};
#[cfg(target_os = "linux")]
use crate::play::sandbox::launcher::{forbid_core_dumps, set_limits};
use crate::play::sandbox::{
    Computing, ControlGroup, End, Entrance, Guard, HiddenFiles, Isolation, is_stopped,
};

/// Time to wait for a program that another process holds open for writing, before its start fails.
const MAX_BUSY: Duration = Duration::from_millis(500);
const BUSY_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Signals that usually come from another process.
const FROM_OUTSIDE: [Signal; 5] =
    [Signal::HUP, Signal::INT, Signal::QUIT, Signal::KILL, Signal::TERM];

/// A child process in its own session and process group, with pipes that never block the arbiter.
///
/// The pipes are close-on-exec, as is everything that the standard library opens, so that no other child inherits them.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Process group; its ID is the child's process ID.
    group: Pid,
    /// Connection to the launcher, if the child is one.
    guard: Option<Guard>,
    /// Counts its computing and limits its memory; removed after the end of the process.
    control_group: ControlGroup,
    /// Number of out-of-memory kills of the system when the process began.
    kills_before: Option<i64>,
    pub hidden: HiddenFiles,
    /// Exit status and resource usage, after the process was reaped.
    usage: Option<Usage>,
    pub stdin: Option<ChildStdin>,
    /// Its standard output; `None` after it was closed.
    pub stdout: Option<ChildStdout>,
    /// Its standard error; `None` after it was closed.
    pub stderr: Option<ChildStderr>,
}

impl Process {
    /// Starts a program, isolated from others if possible.
    ///
    /// On Linux the kernel kills the child when the thread that started it ends. Starting a program that was written a
    /// moment ago is retried, because another process that starts at the same time may still hold its file open.
    ///
    /// # Errors
    /// The program cannot be run.
    pub fn start(
        spec: &EngineSpec,
        core: Option<usize>,
        isolation: Option<Isolation>,
    ) -> io::Result<Process> {
        let begun = Instant::now();
        loop {
            match Process::try_start(spec, core, isolation) {
                Err(error)
                    if error.kind() == ErrorKind::ExecutableFileBusy
                        && begun.elapsed() < MAX_BUSY =>
                {
                    thread::sleep(BUSY_CHECK_INTERVAL);
                }
                started => return started,
            }
        }
    }

    fn try_start(
        spec: &EngineSpec,
        core: Option<usize>,
        isolation: Option<Isolation>,
    ) -> io::Result<Process> {
        let control_group = ControlGroup::create(spec.memory);
        let address_space = spec.memory.filter(|_| !control_group.limits_memory());
        let mut line = None;
        let mut guard = None;
        let mut command = match isolation {
            Some(isolation) => {
                let (ours, theirs) = UnixStream::pair()?;
                guard = Some(Guard::new(ours));
                isolation.command(spec, address_space, line.insert(theirs).as_fd())
            }
            None => {
                let mut command = Command::new(&spec.command);
                command.args(&spec.args);
                command
            }
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = &spec.dir {
            command.current_dir(dir);
        }
        let preparation = Preparation {
            core,
            entrances: control_group.entrances()?,
            memory: address_space,
            bounds: spec.bounds,
            line,
        };
        preparation.apply(&mut command);
        let mut child = command.spawn()?;
        // Closes the launcher's end of the socket, so that only the launcher has it open.
        drop(command);
        let mut process = Process {
            group: Pid::from_child(&child),
            guard,
            control_group,
            kills_before: kills_for_want_of_memory(),
            hidden: HiddenFiles::default(),
            usage: None,
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child,
        };
        process.set_non_blocking(true)?;
        if let Some(guard) = &mut process.guard {
            process.hidden = HiddenFiles::of(spec, &guard.await_start()?);
        }
        Ok(process)
    }

    /// Sets whether reads and writes return instead of waiting; a caller with a thread for each pipe lets them wait.
    /// Only concerns the arbiter's ends of the pipes; the child's are always blocking.
    ///
    /// # Errors
    /// An error of the system, which never refuses this.
    pub fn set_non_blocking(&self, value: bool) -> io::Result<()> {
        let pipes = [
            self.stdin.as_ref().map(AsFd::as_fd),
            self.stdout.as_ref().map(AsFd::as_fd),
            self.stderr.as_ref().map(AsFd::as_fd),
        ];
        for pipe in pipes.into_iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, value)?;
        }
        Ok(())
    }

    /// Process ID, of the launcher if the engine is isolated.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Counters of the control group of the process and its descendants; `None` if there is none that it could enter.
    pub fn computing(&self) -> Option<Computing> {
        let computing = self.control_group.computing()?;
        let has_entered =
            !computing.processes().is_empty() || computing.used() > Some(Duration::ZERO);
        has_entered.then_some(computing)
    }

    /// `true` if the process has ended. It is not reaped, so that the system cannot reuse its process ID or group ID
    /// yet.
    pub fn has_ended(&mut self) -> bool {
        if self.usage.is_some() || self.guard.as_mut().is_some_and(|guard| guard.end().is_some()) {
            return true;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    /// Kills the rest of its groups and reaps the child; returns its exit status.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        if self.usage.is_none() {
            let was_killed = !self.has_ended();
            let was_stopped = was_killed && is_stopped(self.id());
            // The launcher reports the usage of the engine without its own.
            let end = self.guard.as_mut().and_then(Guard::kill);
            self.control_group.kill();
            // An error means that no process is left to kill.
            let _ = kill_process_group(self.group, Signal::KILL);
            // The child may have joined another group, and waiting for it would never end.
            let _ = self.child.kill();
            let waited = self.child.wait4().ok();
            let lacked_memory = kills_for_want_of_memory() > self.kills_before;
            let end = end.or_else(|| Some(End::of(&waited?, was_killed, was_stopped)));
            self.usage = end.map(|end| Usage { end, lacked_memory });
        }
        self.usage.as_ref().map(Usage::status)
    }

    /// Exit status and resource usage; `None` before the process was reaped.
    pub fn usage(&self) -> Option<&Usage> {
        self.usage.as_ref()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Restrictions of a child process; on systems other than Linux, only its own session.
#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
struct Preparation {
    /// Processor core to pin it to.
    core: Option<usize>,
    entrances: Vec<Entrance>,
    /// Limit of the address space, in MiB.
    memory: Option<u64>,
    bounds: ResourceLimits,
    /// Socket that a launcher inherits. The launcher then sets the limits on the engine, not on itself.
    line: Option<UnixStream>,
}

impl Preparation {
    /// Gives the child its own session, so that it has no terminal and can be killed together with all its children. It
    /// cannot gain privileges and leaves no core dump. The kernel kills it when its parent dies, even by a signal that
    /// the parent cannot catch.
    #[allow(unsafe_code)] // `pre_exec` is the only way to have the child ask for its own death signal.
    fn apply(self, command: &mut Command) {
        #[cfg(target_os = "linux")]
        let prepare = {
            let parent = rustix::process::getpid();
            let cores = self.core.map(|core| {
                let mut cores = CpuSet::new();
                cores.set(core);
                cores
            });
            move || {
                rustix::process::setsid()?;
                if let Some(cores) = &cores {
                    sched_setaffinity(None, cores)?;
                }
                for entrance in &self.entrances {
                    let entered = rustix::io::write(&entrance.file, b"0");
                    if entrance.is_required {
                        entered?;
                    }
                }
                set_no_new_privs(true)?;
                forbid_core_dumps()?;
                match &self.line {
                    Some(line) => rustix::io::fcntl_setfd(line, rustix::io::FdFlags::empty())?,
                    None => set_limits(self.memory, &self.bounds)?,
                }
                set_parent_process_death_signal(Some(Signal::KILL))?;
                // A parent that died before this request no longer sends a signal.
                if getppid() == Some(parent) { Ok(()) } else { Err(ErrorKind::NotFound.into()) }
            }
        };
        #[cfg(not(target_os = "linux"))]
        let prepare = move || {
            let _ = &self;
            rustix::process::setsid()?;
            Ok(())
        };
        // SAFETY: between fork and exec the closure makes a few system calls that neither allocate nor lock.
        unsafe {
            command.pre_exec(prepare);
        }
    }
}

/// Exit status and resource usage of a process that has ended.
#[derive(Debug)]
pub struct Usage {
    pub end: End,
    /// Whether the system had killed any process for lack of memory since it began.
    lacked_memory: bool,
}

impl Usage {
    fn status(&self) -> ExitStatus {
        ExitStatus::from_raw(self.end.status)
    }

    /// Describes how the process ended.
    pub fn exit(&self) -> String {
        match self.end {
            End { was_stopped: true, .. } => {
                "it was stopped by a signal, and was killed by the arbiter".to_string()
            }
            End { was_killed: true, .. } => {
                "it was running, and was killed by the arbiter".to_string()
            }
            _ => self.status().to_string(),
        }
    }

    /// Describes an end or stop of the process that another process may have caused; `None` if it ended by itself. It
    /// is always possible that the process sent the signal to itself.
    pub fn interference(&self) -> Option<String> {
        if self.end.was_killed {
            let was_stopped = self.end.was_stopped.then_some("was stopped by a signal");
            return was_stopped.map(String::from);
        }
        let status = self.status();
        let number = status.signal()?;
        let is_from_outside = FROM_OUTSIDE.iter().any(|signal| signal.as_raw() == number);
        let ran_out_of_memory = number == Signal::KILL.as_raw() && self.lacked_memory;
        (is_from_outside && !ran_out_of_memory).then(|| format!("was ended by {status}"))
    }
}

/// Number of processes that the system has killed since boot for lack of memory; `None` if the system does not count
/// them.
fn kills_for_want_of_memory() -> Option<i64> {
    VmStat::from_file("/proc/vmstat").ok()?.0.get("oom_kill").copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(status: i32) -> Usage {
        let end = End { status, ..End::default() };
        let lacked_memory = false;
        Usage { end, lacked_memory }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn only_a_group_that_limits_must_be_entered() {
        for is_required in [false, true] {
            // Nothing can be written to a file that is open for reading.
            let file = std::fs::File::open("/dev/null").unwrap();
            let preparation = Preparation {
                core: None,
                entrances: vec![Entrance { file, is_required }],
                memory: None,
                bounds: ResourceLimits::default(),
                line: None,
            };
            let mut command = Command::new("true");
            preparation.apply(&mut command);
            assert_eq!(command.status().is_ok(), !is_required);
        }
    }

    #[test]
    fn faults_of_a_program_are_its_own() {
        for signal in [
            Signal::SEGV,
            Signal::ABORT,
            Signal::ILL,
            Signal::BUS,
            Signal::FPE,
            Signal::XCPU,
            Signal::XFSZ,
        ] {
            assert_eq!(usage(signal.as_raw()).interference(), None, "{signal:?}");
        }
        let exit_9 = 9 << 8;
        assert_eq!(usage(exit_9).interference(), None);
    }

    #[test]
    fn others_kill_and_stop() {
        let kill = usage(Signal::KILL.as_raw());
        let words = kill.interference().unwrap();
        assert!(words.starts_with("was ended by signal: 9"), "{words}");
        assert!(usage(Signal::TERM.as_raw()).interference().is_some());
        let mut usage = kill;
        usage.lacked_memory = true;
        assert_eq!(usage.interference(), None);
        usage = self::usage(Signal::KILL.as_raw());
        usage.end.was_killed = true;
        assert_eq!(usage.interference(), None);
        usage.end.was_stopped = true;
        assert!(usage.interference().is_some());
    }
}
