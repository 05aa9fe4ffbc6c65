//! Transcripts: a script of lines for an engine, what it answers, and whether that is what was expected.
//!
//! A line of a script that begins with `>` is sent, one that begins with `<` is expected, and one that begins
//! with `~` waits; see [`script`](Script). The answers are written down [masked](mask): without what differs
//! from run to run. So a transcript can be kept as a test of any engine, and be accepted anew when the engine
//! has changed for the better.
//!
//! # Examples
//! For a snapshot test in Rust, send lines and write down all that comes:
//! ```no_run
//! use arbiter::trials::transcript::{Patience, Program, Script, accept};
//!
//! let script: Script = "> uci\n> isready\n".parse()?;
//! let mut engine = Program::start("./mine".as_ref(), &[])?;
//! let transcript = accept(&script, &mut engine, &Patience::default())?;
//! // insta::assert_snapshot!(transcript);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! `examples/transcript_snapshot.rs` is such a test as a whole.

mod mask;
mod pattern;
mod program;
mod run;
mod script;

pub use mask::mask;
pub use program::{NoLine, Patience, Program, ProgramError};
pub use run::{Checked, Difference, accept, check};
pub use script::{Script, ScriptError};
