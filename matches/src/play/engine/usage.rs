//! The exit status, signals and resource usage of a process that has ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::Signal;

/// Signals that usually come from another process.
const FROM_OUTSIDE: [Signal; 5] = [
    Signal::HUP,
    Signal::INT,
    Signal::QUIT,
    Signal::KILL,
    Signal::TERM,
];

/// Exit status and resource usage of a process that has ended.
pub struct Usage {
    /// Exit status.
    pub status: ExitStatus,
    /// Whether the arbiter killed it.
    pub was_killed: bool,
    /// Whether it was stopped by a signal when the arbiter killed it.
    pub was_stopped: bool,
    /// Whether the system had killed any process for lack of memory since it began.
    pub lacked_memory: bool,
    /// Peak memory, in KiB.
    pub memory_kib: u64,
    /// CPU time, in microseconds.
    pub cpu_micros: u64,
}

impl Usage {
    /// Describes how the process ended.
    pub fn exit(&self) -> String {
        if self.was_stopped {
            "it was stopped by a signal, and was killed by the arbiter".to_string()
        } else if self.was_killed {
            "it was running, and was killed by the arbiter".to_string()
        } else {
            self.status.to_string()
        }
    }

    /// Describes an end or stop of the process that another process may have caused; `None` if it ended by itself. It
    /// is always possible that the process sent the signal to itself.
    pub fn interference(&self) -> Option<String> {
        if self.was_killed {
            let was_stopped = self.was_stopped.then_some("was stopped by a signal");
            return was_stopped.map(String::from);
        }
        let number = self.status.signal()?;
        let is_from_outside = FROM_OUTSIDE.iter().any(|signal| signal.as_raw() == number);
        let ran_out_of_memory = number == Signal::KILL.as_raw() && self.lacked_memory;
        let status = self.status;
        (is_from_outside && !ran_out_of_memory).then(|| format!("was ended by {status}"))
    }
}

/// Number of processes that the system has killed since boot for lack of memory; `None` if the system does not count
/// them.
pub fn kills_for_want_of_memory() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/vmstat").ok()?;
    let count = counts
        .lines()
        .find_map(|line| line.strip_prefix("oom_kill "));
    count?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(status: i32) -> Usage {
        Usage {
            status: ExitStatus::from_raw(status),
            was_killed: false,
            was_stopped: false,
            lacked_memory: false,
            memory_kib: 0,
            cpu_micros: 0,
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
        let out_of_memory = Usage {
            lacked_memory: true,
            ..usage(Signal::KILL.as_raw())
        };
        assert_eq!(out_of_memory.interference(), None);
        let killed_by_us = Usage {
            was_killed: true,
            ..usage(Signal::KILL.as_raw())
        };
        assert_eq!(killed_by_us.interference(), None);
        let stopped = Usage {
            was_stopped: true,
            ..killed_by_us
        };
        assert!(stopped.interference().is_some());
    }
}
