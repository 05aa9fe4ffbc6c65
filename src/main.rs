//! The engine program: serves one client on standard input and output. Arguments, if any, form one command, such as
//! `buxtehude bench` or `buxtehude go perft 7`; those after `etudes` name a subcommand and a file, after `rules` a
//! variant.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use buxtehude::articles::etudes;
use buxtehude::session;

const COMMAND_LINE_HELP: &str = "\
buxtehude plays Hase und Igel, and Rabbits and Wolves, over a line protocol on
standard input and output.

Usage: buxtehude                  serve a client: a GUI, an arbiter, or a person
                                  (type `help`)
       buxtehude COMMAND          run one command of the protocol and exit:
                                  `go perft 5`, `bench`, `help`
       buxtehude rules [VARIANT]  answer questions about the rules of a variant,
                                  by default Hase und Igel, as a rules program
                                  of `arbiter match --rules`
       buxtehude etudes ...       check and tune the article's evaluation;
                                  `etudes` alone prints its usage
       buxtehude --help, -h       print this
       buxtehude --version, -V    print the version

Exit status: 0 success, 1 output failed, 2 unknown command or variant.
";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<String> =
        arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match words.first().map(String::as_str) {
        Some("etudes") => etudes::run(&arguments[1..]),
        Some("--help" | "-h") => print(COMMAND_LINE_HELP),
        Some("--version" | "-V") => print(concat!("buxtehude ", env!("CARGO_PKG_VERSION"), "\n")),
        _ => session::serve_stdio(&words),
    }
}

fn print(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}
