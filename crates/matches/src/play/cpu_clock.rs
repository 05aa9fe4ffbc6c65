//! CPU clocks of other processes.

use std::time::Duration;

/// CPU time of a process in nanoseconds, including its threads that have ended; `None` if it does not exist or the
/// system has no such clock.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // No safe crate in use offers this clock; /proc/PID/stat has the same time in steps of 10 ms.
pub fn of_process(process: u32) -> Option<Duration> {
    let process = libc::pid_t::try_from(process).ok()?;
    let mut clock = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both calls write only to the variable that they are given.
    let is_read = unsafe {
        libc::clock_getcpuclockid(process, &mut clock) == 0
            && libc::clock_gettime(clock, &mut time) == 0
    };
    let seconds = Duration::from_secs(u64::try_from(time.tv_sec).ok()?);
    let nanos = Duration::from_nanos(u64::try_from(time.tv_nsec).ok()?);
    is_read.then(|| seconds + nanos)
}

#[cfg(not(target_os = "linux"))]
pub fn of_process(_: u32) -> Option<Duration> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn threads_that_have_ended_count() {
        let own = std::process::id();
        let before = of_process(own).unwrap();
        let used = move || of_process(own).unwrap() - before;
        let busy = Duration::from_millis(30);
        std::thread::spawn(move || while used() < busy {}).join().unwrap();
        assert!(used() >= busy, "{:?}", used());
        assert_eq!(of_process(u32::MAX), None);
    }
}
