//! `arbiter engine-launcher`, which the arbiter starts before each engine: no command for people, and in no help.

use std::ffi::OsString;
use std::process::ExitCode;

/// Stands between the arbiter and an engine, where the command line says so; it is to be quick, and so is not parsed
/// as those of commands are. `None` for any other command line.
#[cfg(target_os = "linux")]
pub fn launch(words: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    use arbiter::play::walls::launcher;

    let mut arguments = words.into_iter().skip(1);
    let is_launcher = arguments.next()? == launcher::ARGUMENT;
    is_launcher.then(|| launcher::launch(arguments))
}

/// `None`: there are no launchers but on Linux.
#[cfg(not(target_os = "linux"))]
pub fn launch(_: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    None
}
