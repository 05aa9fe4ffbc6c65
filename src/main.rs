//! The engine as a program: it serves one client on standard input and output. Arguments, if there are
//! any, are run as one command: `buxtehude bench`, `buxtehude go perft 7`; behind `etudes` they are about a file.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [word, rest @ ..] = arguments.as_slice()
        && word == "etudes"
    {
        return buxtehude::etudes::run_stdio(rest);
    }
    let words: Vec<String> = arguments
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    buxtehude::session::serve_stdio(&words)
}
