//! Signals that ask the arbiter to stop, and signals from engines.

use std::io;
use std::thread;

use signal_hook::consts::{SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::signal_name;

use super::engine;
use super::interrupt::Interrupt;

/// Calls `on_signal`, in a separate thread, for each signal that asks the arbiter to stop. A signal that comes from an
/// engine is only recorded and reported: `on_accusation` receives the process ID of the engine and the name of the
/// signal.
///
/// # Errors
/// The system cannot install the signal handlers.
pub fn listen(
    interrupt: &Interrupt,
    mut on_signal: impl FnMut() + Send + 'static,
    on_accusation: impl Fn(u32, &str) + Send + 'static,
) -> io::Result<()> {
    let ends = [SIGINT, SIGTERM, SIGHUP];
    // Other signals that an engine might send; from other senders they have no effect. SIGXFSZ would end the process;
    // with a handler, the write fails with an error instead.
    let others = [SIGCONT, SIGUSR1, SIGUSR2, SIGALRM, SIGXFSZ];
    let mut signals = SignalsInfo::<WithOrigin>::new(ends.iter().chain(&others))?;
    let interrupt = interrupt.clone();
    let listening = move || {
        for signal in signals.forever() {
            let sender = signal
                .process
                .and_then(|process| u32::try_from(process.pid).ok());
            let number = signal.signal;
            if let Some(engine) = sender.and_then(engine::engine_of) {
                let name = signal_name(number).map_or(number.to_string(), String::from);
                on_accusation(engine, &name);
                interrupt.accuse(engine, name);
            } else if ends.contains(&number) {
                on_signal();
            }
        }
    };
    thread::Builder::new()
        .name("signals".to_string())
        .spawn(listening)?;
    Ok(())
}
