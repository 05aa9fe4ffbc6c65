//! A protocol snapshot test for an engine written in Rust, to be copied to its `tests/`: runs a script against the
//! engine and compares all answers with the snapshot; times and speeds are masked.
//!
//! ```sh
//! cargo run --example transcript_snapshot -- ./mine    # prints the transcript
//! cargo insta review                                   # accepts a changed transcript after the test has failed
//! ```
//!
//! `Cargo.toml` needs `arbiter`, `matches` and `insta` under `[dev-dependencies]`. In a test the engine is
//! `env!("CARGO_BIN_EXE_mine")`, so that it is always up to date.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use arbiter::conformance::transcript::{Program, Script, accept};
use matches::plan::Isolate;
use matches::play::sandbox::{Isolation, launcher_or};

/// Lines sent to the engine. Those that begin with `#` are comments.
const SCRIPT: &str = "\
# The greeting, and a search to a fixed depth.
> uci
> isready
> position startpos
> go depth 2
# Bad input is answered, and does no harm.
> hop
> isready
> quit
";

/// Returns the script with all answers of an engine.
fn transcript(program: &OsStr, arguments: &[OsString]) -> Result<String, Box<dyn Error>> {
    let script: Script = SCRIPT.parse()?;
    // A test has no launcher, so that its engine is not isolated.
    let (isolation, _) = Isolation::of(Isolate::Auto, &[])?;
    let mut engine = Program::start(program, arguments, isolation)?;
    Ok(accept(&script, &mut engine)?)
}

fn main() -> ExitCode {
    launcher_or(|| match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    })
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (program, arguments) =
        arguments.split_first().ok_or("expected an engine and its arguments")?;
    print!("{}", transcript(program, arguments)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A minimal engine; yours is `env!("CARGO_BIN_EXE_mine")`.
    const ENGINE: &str = r#"
while read -r line; do
  case $line in
    uci) echo "id name small"; echo uciok ;;
    isready) echo readyok ;;
    go*) echo "info depth 1 nodes 20 nps $(date +%N) time 1 pv 1"; echo "bestmove 1" ;;
    position*) ;;
    quit) exit ;;
    *) echo "info string error: unknown command" ;;
  esac
done
"#;

    #[test]
    fn the_engine_answers_as_it_did() {
        let arguments = [OsString::from("-c"), OsString::from(ENGINE)];
        let transcript = transcript("/bin/sh".as_ref(), &arguments).unwrap();
        insta::assert_snapshot!(transcript, @r"
        # The greeting, and a search to a fixed depth.
        > uci
        < id name small
        < uciok
        > isready
        < readyok
        > position startpos
        > go depth 2
        < info depth 1 nodes 20 nps * time * pv 1
        < bestmove 1
        # Bad input is answered, and does no harm.
        > hop
        < info string error: unknown command
        > isready
        < readyok
        > quit
        ");
    }
}
