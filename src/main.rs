//! The engine as a program: it serves one client on standard input and output. Arguments, if there are
//! any, are run as one command: `buxtehude bench`, `buxtehude go perft 7`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    buxtehude::session::serve_stdio(&arguments)
}
