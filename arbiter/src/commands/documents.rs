//! `arbiter completions` and `arbiter man`: shell completions and manual pages, generated from the command line's
//! definition.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use arbiter::args::{Cli, CompletionsArgs, ManArgs};
use clap::CommandFactory;
use clap_mangen::Man;

use super::exit;

/// Prints the completions for a shell.
pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "arbiter", &mut script);
    print(&script)
}

/// Prints the manual page, or writes all of them.
pub fn man(args: &ManArgs) -> ExitCode {
    let Some(directory) = &args.output else {
        let mut page = Vec::new();
        return match Man::new(Cli::command()).render(&mut page) {
            Ok(()) => print(&page),
            Err(error) => fail("standard output", &error),
        };
    };
    match write_pages(directory) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("--output: {}", directory.display()), &error),
    }
}

fn write_pages(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    clap_mangen::generate_to(Cli::command(), directory)
}

fn print(bytes: &[u8]) -> ExitCode {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // A closed pipe is not an error.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => fail("standard output", &error),
        _ => ExitCode::SUCCESS,
    }
}

fn fail(what: &str, error: &io::Error) -> ExitCode {
    exit::fail(exit::STORAGE, format_args!("{what}: {error}"))
}
