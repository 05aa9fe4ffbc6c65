//! System calls of an isolated engine: those that reach beyond its own processes and turns are refused or rationed.
//!
//! When a timer expires, it interrupts the program on its processor. An engine that sets thousands of timers before its
//! answer takes time from its rival and uses none itself. A key in a keyring outlives the engine's processes, which
//! could use it to pass information to later ones. A lease on a file delays the start of its rival.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::thread;

use libc::{c_int, c_ulong, seccomp_data, seccomp_notif, seccomp_notif_resp, sock_fprog};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, sock_filter,
};

use super::launcher::limit_pending_signals;

/// Maximum number of timers of each kind. This number costs a rival less than a tenth of a millisecond in a turn.
pub const MAX_TIMERS: u16 = 64;

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
pub fn restrict() -> io::Result<()> {
    // Also limits the timers of `timer_create`, because each one reserves a signal.
    limit_pending_signals(u64::from(MAX_TIMERS))?;
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
            restrict().unwrap();
            // SAFETY: the call has no pointers.
            let timer = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, 0) };
            (timer, io::Error::last_os_error().raw_os_error())
        });
        assert_eq!(thread.join().unwrap(), (-1, Some(libc::EMFILE)));
    }
}
