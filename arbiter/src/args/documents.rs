//! Arguments of `arbiter completions` and `arbiter man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// `arbiter completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  mkdir -p ~/.local/share/bash-completion/completions ~/.config/fish/completions
  arbiter completions bash > ~/.local/share/bash-completion/completions/arbiter
  arbiter completions fish > ~/.config/fish/completions/arbiter.fish
  source <(arbiter completions zsh)")]
pub struct CompletionsArgs {
    /// Shell to print completions for
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `arbiter man`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter man | man -l -
  arbiter man --output ~/.local/share/man/man1 && man arbiter-match")]
pub struct ManArgs {
    /// Write the manual page of the arbiter and one for each subcommand to this directory, created if missing [default:
    /// only the page of the arbiter, to standard output]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
