//! A child process with its pipes and its process group.

use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use wait4::Wait4;

use super::child::Preparation;
use super::usage::{Usage, kills_for_want_of_memory};
use crate::plan::EngineSpec;
use crate::play::sandbox::{Guard, Isolation, MemoryGroup, is_stopped};

/// Time to wait for a program that another process holds open for writing, before its start fails.
const LONGEST_BUSY: Duration = Duration::from_millis(500);
/// Interval between these attempts.
const BUSY_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// A child process in its own session and process group, with pipes that never block the arbiter.
///
/// The pipes are close-on-exec, as is everything that the standard library opens, so that no other child inherits them.
pub struct Process {
    child: Child,
    /// Process group; its ID is the child's process ID.
    group: Pid,
    /// Connection to the launcher, if the child is one.
    guard: Option<Guard>,
    /// Limits the memory; removed after the end of the process.
    _memory_group: Option<MemoryGroup>,
    /// Number of out-of-memory kills of the system when the process began.
    kills_before: Option<u64>,
    /// Exit status and resource usage, after the process was reaped.
    usage: Option<Usage>,
    /// Its standard input.
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
                        && begun.elapsed() < LONGEST_BUSY =>
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
        let memory_group = spec.memory.and_then(MemoryGroup::create);
        let address_space = spec.memory.filter(|_| memory_group.is_none());
        let entrance = memory_group.as_ref().map(MemoryGroup::entrance);
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
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(dir) = &spec.dir {
            command.current_dir(dir);
        }
        let preparation = Preparation {
            core,
            entrance: entrance.transpose()?,
            memory: address_space,
            bounds: spec.bounds,
            line,
        };
        preparation.of(&mut command);
        let mut child = command.spawn()?;
        // Closes the launcher's end of the socket, so that only the launcher has it open.
        drop(command);
        let mut process = Process {
            group: Pid::from_child(&child),
            guard,
            _memory_group: memory_group,
            kills_before: kills_for_want_of_memory(),
            usage: None,
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child,
        };
        // Only the arbiter's ends of the pipes are non-blocking; the child's stay blocking.
        if let Some(stdin) = &process.stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        if let Some(stdout) = &process.stdout {
            rustix::io::ioctl_fionbio(stdout, true)?;
        }
        if let Some(stderr) = &process.stderr {
            rustix::io::ioctl_fionbio(stderr, true)?;
        }
        if let Some(guard) = &mut process.guard {
            guard.await_start()?;
        }
        Ok(process)
    }

    /// Process ID, of the launcher if the engine is isolated.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// `true` if the process has ended. It is not reaped, so that the system cannot reuse its process ID or group ID
    /// yet.
    pub fn has_ended(&mut self) -> bool {
        if self.usage.is_some()
            || self
                .guard
                .as_mut()
                .is_some_and(|guard| guard.end().is_some())
        {
            return true;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    /// Kills the rest of the process group and reaps the child; returns its exit status.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        if self.usage.is_none() {
            let was_killed = !self.has_ended();
            let was_stopped = was_killed && is_stopped(self.id());
            // The launcher reports the usage of the engine without its own.
            let end = self.guard.as_mut().and_then(Guard::kill);
            // An error means that no process is left to kill.
            let _ = kill_process_group(self.group, Signal::KILL);
            // The child may have joined another group, and waiting for it would never end.
            let _ = self.child.kill();
            let waited = self.child.wait4().ok();
            let lacked_memory = kills_for_want_of_memory() > self.kills_before;
            self.usage = match end {
                Some(end) => Some(Usage {
                    status: ExitStatus::from_raw(end.status),
                    was_killed: end.was_killed,
                    was_stopped: end.was_stopped,
                    lacked_memory,
                    memory_kib: end.memory / 1024,
                    cpu_micros: end.cpu_micros,
                }),
                None => waited.map(|used| Usage {
                    status: used.status,
                    was_killed,
                    was_stopped,
                    lacked_memory,
                    memory_kib: used.rusage.maxrss / 1024,
                    cpu_micros: micros(used.rusage.utime + used.rusage.stime),
                }),
            };
        }
        self.usage.as_ref().map(|usage| usage.status)
    }

    /// Exit status and resource usage; `None` before the process was reaped.
    pub fn usage(&self) -> Option<&Usage> {
        self.usage.as_ref()
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
