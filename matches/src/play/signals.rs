//! Signals that ask the arbiter to end, and those that engines send it.

use std::io;
use std::thread;

use signal_hook::consts::{SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::signal_name;

use super::engine;
use super::interrupt::Interrupt;

/// Calls `on_signal`, in a thread of its own, for each signal that asks us to end. An engine that sends one, or another
/// that can be told from whom it is, is accused of it, and nothing else happens but that `on_accusation` is called
/// with its process and the name of the signal.
///
/// # Errors
/// The system's reason for which signals cannot be handled.
pub fn listen(
    interrupt: &Interrupt,
    mut on_signal: impl FnMut() + Send + 'static,
    on_accusation: impl Fn(u32, &str) + Send + 'static,
) -> io::Result<()> {
    let ends = [SIGINT, SIGTERM, SIGHUP];
    // What else an engine might send; sent by anybody else these mean nothing. A file that may not grow is an error of
    // whoever writes it, who says so.
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
