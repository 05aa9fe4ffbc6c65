//! Transcripts: scripts of lines for an engine, with its expected answers.
//!
//! A line of a script that begins with `>` is sent, one with `<` is expected, and one with `~` waits; see
//! [`script`](Script). Answers are recorded [masked](mask), without the parts that differ between runs. A transcript
//! can therefore serve as a test of any engine, and can be updated when the engine's output changes on purpose.
//!
//! # Examples
//! For a snapshot test in Rust, send lines and record all answers:
//! ```no_run
//! use arbiter::conformance::transcript::{Patience, Program, Script, accept};
//!
//! let script: Script = "> uci\n> isready\n".parse()?;
//! let mut engine = Program::start("./mine".as_ref(), &[], None)?;
//! let transcript = accept(&script, &mut engine, &Patience::default())?;
//! // insta::assert_snapshot!(transcript);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! `examples/transcript_snapshot.rs` is a complete test of this kind.

mod lines;
mod program;
mod run;
mod script;

pub use lines::mask;
pub use program::{NoLine, Patience, Program, ProgramError, spec};
pub use run::{Checked, accept, check};
pub use script::{Script, ScriptError};
