//! Signals that ask a match to stop, and signals that engines send.

use std::ffi::c_int;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::signal_name;

use super::exit::{ExitError, INTERRUPTED, print_error};
use crate::play::engine::engine_of;
use crate::play::interrupt::Interrupt;

/// Time after the last signal: enough to end the engines with all their children.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Handles signals, except those that this process was started to ignore, as by `nohup`.
///
/// # Errors
/// The system cannot install the signal handlers.
pub fn handle<'a>(
    signals: impl IntoIterator<Item = &'a c_int>,
) -> io::Result<SignalsInfo<WithOrigin>> {
    SignalsInfo::new(signals.into_iter().filter(|&&signal| !is_ignored(signal)))
}

#[allow(unsafe_code)] // No safe function asks for the action of a signal.
fn is_ignored(signal: c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action, the call only writes the current one. If it fails, the zeros are valid, too.
    let action = unsafe {
        libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

/// Calls `on_signal`, in a separate thread, for each signal that asks the arbiter to stop. A signal that comes from an
/// engine is only recorded and reported.
///
/// # Errors
/// The system cannot install the signal handlers.
pub fn listen(
    interrupt: &Interrupt,
    mut on_signal: impl FnMut() + Send + 'static,
) -> Result<(), ExitError> {
    let failed =
        |error: io::Error| ExitError::usage(format_args!("cannot handle signals: {error}"));
    let ends = [SIGINT, SIGTERM, SIGHUP];
    // Other signals that an engine might send; from other senders they have no effect. SIGXFSZ would end the process;
    // with a handler, the write fails with an error instead.
    let others = [SIGCONT, SIGUSR1, SIGUSR2, SIGALRM, SIGXFSZ];
    let mut signals = handle(ends.iter().chain(&others)).map_err(failed)?;
    let interrupt = interrupt.clone();
    let listening = move || {
        for signal in signals.forever() {
            let sender = signal.process.and_then(|process| u32::try_from(process.pid).ok());
            let number = signal.signal;
            if let Some(engine) = sender.and_then(engine_of) {
                let name = signal_name(number).map_or(number.to_string(), String::from);
                print_error(format_args!(
                    "the engine with process {engine} sent {name} to the arbiter, which is a fault"
                ));
                interrupt.record_signal(engine, name);
            } else if ends.contains(&number) {
                on_signal();
            }
        }
    };
    let spawned = thread::Builder::new().name("signals".to_string()).spawn(listening);
    spawned.map(drop).map_err(failed)
}

/// Stops a match on signals: the first one in order, the next without waiting for games, the last one the process.
///
/// # Errors
/// As [`listen`].
pub fn stop_match(interrupt: &Interrupt, finishes_games: bool) -> Result<(), ExitError> {
    let stopped = interrupt.clone();
    listen(interrupt, move || {
        if stopped.is_set() {
            thread::sleep(LAST_GRACE);
            std::process::exit(INTERRUPTED.into());
        }
        if finishes_games && !stopped.ends() {
            stopped.finish();
            print_error("stopping after the running games; interrupt again to drop them");
        } else {
            stopped.set();
            print_error("stopping; interrupt again to stop at once");
        }
    })
}
