//! `arbiter completions` and `arbiter man`: shell completions and manual pages, generated from the command line's
//! definition.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use arbiter::args::{Cli, CompletionsArgs, ManArgs};
use clap::CommandFactory;
use clap_mangen::Man;

use super::{exit, print_all};

pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "arbiter", &mut script);
    exit_of(print_all(&script))
}

/// Prints the manual page, or writes all of them.
pub fn man(args: &ManArgs) -> ExitCode {
    let Some(directory) = &args.output else {
        let mut page = Vec::new();
        // Cannot fail in memory.
        let _ = Man::new(Cli::command()).render(&mut page);
        return exit_of(print_all(&page));
    };
    let written = write_pages(directory);
    exit_of(written.map_err(|error| format!("--output: {}: {error}", directory.display())))
}

fn write_pages(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    clap_mangen::generate_to(Cli::command(), directory)
}

fn exit_of(written: Result<(), String>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::fail(exit::STORAGE, error),
    }
}
