//! One child process: its pipes, its process group and its end.

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
use crate::play::walls::{Guard, Isolation, MemoryGroup, is_stopped};

/// How long a program may be held open for writing by others before it counts as one that cannot be started.
const LONGEST_BUSY: Duration = Duration::from_millis(500);
/// How often is tried whether it still is.
const BUSY_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// A child process in a session and process group of its own, with pipes that never block the arbiter.
///
/// The pipes are closed on exec, as all that the standard library opens, so no other child inherits them.
pub struct Process {
    child: Child,
    /// The process group; its number is the child's.
    group: Pid,
    /// Tells of the engine where the child is its launcher.
    guard: Option<Guard>,
    /// Bounds its memory, and is removed after its end.
    _memory_group: Option<MemoryGroup>,
    /// How often the system had killed for want of memory when the process began.
    kills_before: Option<u64>,
    /// What the system says of it, once it has been waited for.
    usage: Option<Usage>,
    /// Where it reads.
    pub stdin: Option<ChildStdin>,
    /// Where it writes; `None` once it closed that.
    pub stdout: Option<ChildStdout>,
    /// Where it complains; `None` once it closed that.
    pub stderr: Option<ChildStderr>,
}

impl Process {
    /// Starts a program, isolated from others if that is possible here.
    ///
    /// On Linux the kernel kills the child when the thread that started it ends. A program that was written a moment
    /// ago is tried again, since a process that began meanwhile may still hold it open.
    ///
    /// # Errors
    /// Whatever keeps the program from being run.
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
        // The launcher's end of the line is open in the launcher alone.
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
        // Only the arbiter's ends of the pipes: the child's remain blocking.
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

    /// The number of the process, or of its launcher where it is isolated.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the process has ended. It is not reaped yet: until then neither its number nor that of its
    /// group is given to another.
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

    /// Kills whatever is left of the process group and reaps the child; returns how it ended.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        if self.usage.is_none() {
            let was_killed = !self.has_ended();
            let was_stopped = was_killed && is_stopped(self.id());
            // A launcher knows better than the system what its engine used.
            let end = self.guard.as_mut().and_then(Guard::kill);
            // An error means that nobody is left to be killed.
            let _ = kill_process_group(self.group, Signal::KILL);
            // It may have moved into another group, and would be waited for without end.
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

    /// What the system says of the process; `None` before its end.
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
