//! One child process: its pipes, its process group and its end.

use std::io::{self, ErrorKind};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit};
#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_setaffinity};
use wait4::Wait4;

use crate::plan::EngineSpec;

/// How long a program may be held open for writing by others before it counts as one that cannot be started.
const LONGEST_BUSY: Duration = Duration::from_millis(500);
/// How often is tried whether it still is.
const BUSY_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// A child process in a process group of its own, with pipes that never block the arbiter.
///
/// The pipes are closed on exec, as all that the standard library opens, so no other child inherits them.
pub struct Process {
    child: Child,
    /// The process group; its number is the child's.
    group: Pid,
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
    /// Starts a program.
    ///
    /// On Linux the kernel kills the child when the thread that started it ends.
    ///
    /// # Errors
    /// Whatever keeps the program from being run.
    pub fn start(spec: &EngineSpec, core: Option<usize>) -> io::Result<Process> {
        let mut command = Command::new(&spec.command);
        command
            .args(&spec.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(dir) = &spec.dir {
            command.current_dir(dir);
        }
        #[cfg(target_os = "linux")]
        prepare_child(&mut command, spec.memory, core);
        #[cfg(not(target_os = "linux"))]
        let _ = core;
        let mut child = spawn(&mut command)?;
        let process = Process {
            group: Pid::from_child(&child),
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
        Ok(process)
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the process has ended. It is not reaped yet: until then neither its number nor that of its
    /// group is given to another.
    pub fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.usage.is_some() || !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    /// Kills whatever is left of the process group and reaps the child; returns how it ended.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        if self.usage.is_none() {
            let killed = !self.has_ended();
            // An error means that nobody is left to be killed.
            let _ = kill_process_group(self.group, Signal::KILL);
            // It may have moved into another group, and would be waited for without end.
            let _ = self.child.kill();
            let waited = self.child.wait4().ok();
            self.usage = waited.map(|used| Usage {
                status: used.status,
                killed,
                memory_kib: used.rusage.maxrss / 1024,
                cpu_micros: micros(used.rusage.utime + used.rusage.stime),
            });
        }
        self.usage.as_ref().map(|usage| usage.status)
    }

    /// What the system says of the process; `None` before its end.
    pub fn usage(&self) -> Option<&Usage> {
        self.usage.as_ref()
    }
}

/// Starts a program, which may just have been written: a process that began meanwhile may hold it open for a moment.
fn spawn(command: &mut Command) -> io::Result<Child> {
    let begun = Instant::now();
    loop {
        match command.spawn() {
            Err(error)
                if error.kind() == ErrorKind::ExecutableFileBusy
                    && begun.elapsed() < LONGEST_BUSY =>
            {
                thread::sleep(BUSY_CHECK_INTERVAL);
            }
            spawned => return spawned,
        }
    }
}

/// What the system says of a process that has ended.
pub struct Usage {
    status: ExitStatus,
    /// Whether we ended it.
    killed: bool,
    /// The most memory that it had, in KiB.
    pub memory_kib: u64,
    /// Its time on processors, in microseconds.
    pub cpu_micros: u64,
}

impl Usage {
    /// How the process ended, in words.
    pub fn exit(&self) -> String {
        if self.killed {
            "it was running, and was killed by the arbiter".to_string()
        } else {
            self.status.to_string()
        }
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

/// Has the kernel kill the child when its parent dies, even by a signal that the parent cannot catch, and
/// bounds the memory that it may ask for, in MiB, and the processor cores that it may use to one.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // `pre_exec` is the only way to have the child ask for its own death signal.
fn prepare_child(command: &mut Command, memory: Option<u64>, core: Option<usize>) {
    let parent = rustix::process::getpid();
    let bytes = memory.map(|mib| mib.saturating_mul(1 << 20));
    let cores = core.map(|core| {
        let mut cores = CpuSet::new();
        cores.set(core);
        cores
    });
    let prepare = move || {
        if let Some(cores) = &cores {
            sched_setaffinity(None, cores)?;
        }
        if bytes.is_some() {
            let limit = Rlimit {
                current: bytes,
                maximum: bytes,
            };
            rustix::process::setrlimit(Resource::As, limit)?;
        }
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // A parent that died before the request sends no signal any more.
        if rustix::process::getppid() == Some(parent) {
            Ok(())
        } else {
            Err(ErrorKind::NotFound.into())
        }
    };
    // SAFETY: between fork and exec the closure makes a few system calls, and none of them allocates or locks.
    unsafe {
        command.pre_exec(prepare);
    }
}
