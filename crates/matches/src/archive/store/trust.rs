//! Whether the programs that a store names may run: only if this user made the store, or says so.
//!
//! A mark in the store shows who made it: the HMAC-SHA-256, with the user's own key, of the text of the plan and of the
//! hashes of its programs.

use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use rusqlite::Connection;
use sha2::Sha256;

use super::settings;
use crate::archive::error::Reason;
use crate::archive::user_key::UserKey;
use crate::plan::EngineSpec;
use crate::record::printable::shortened;

/// Setting that holds the mark.
const MARK: &str = "mark";
/// Number of commands in a message; the others are only counted.
const LISTED: usize = 20;
/// Maximum number of characters of each.
const MAX_LINE_LENGTH: usize = 1000;

/// Marks a store as made by the user with this key.
///
/// # Errors
/// [`Reason`], if the store cannot be written.
pub fn mark(connection: &Connection, key: &UserKey) -> Result<(), Reason> {
    let mark: String = code(connection, key)?
        .finalize()
        .into_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    settings::replace(connection, MARK, &mark)
}

/// Checks that this user made a store with these engines.
///
/// # Errors
/// [`Reason::Untrusted`] lists the commands that would run.
pub fn check(connection: &Connection, engines: &[EngineSpec]) -> Result<(), Reason> {
    let untrusted = |why: String| Reason::Untrusted { commands: commands(engines), why };
    let key = UserKey::find().map_err(untrusted)?;
    let mark = settings::find(connection, MARK)?.unwrap_or_default();
    let bytes = mark
        .as_bytes()
        .chunks(2)
        .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
    let bytes: Vec<u8> = bytes.collect::<Option<_>>().unwrap_or_default();
    let is_ours = code(connection, &key)?.verify_slice(&bytes).is_ok();
    is_ours.then_some(()).ok_or_else(|| untrusted("it bears no mark of this user".to_string()))
}

fn code(connection: &Connection, key: &UserKey) -> Result<Hmac<Sha256>, Reason> {
    // A key of any length is valid.
    let code = <Hmac<Sha256> as KeyInit>::new_from_slice(&key.0);
    let mut code = code.map_err(|error| Reason::content("key", &error))?;
    for name in [settings::PLAN, settings::FILES] {
        code.update(settings::required(connection, name)?.as_bytes());
        // Ends the text; JSON has no NUL.
        code.update(&[0]);
    }
    Ok(code)
}

/// Lists the commands of engines, one a line.
fn commands(engines: &[EngineSpec]) -> String {
    let command = |engine: &EngineSpec| {
        let directory = engine.dir.as_deref().unwrap_or(Path::new("."));
        let (command, arguments) = (engine.command.display(), &engine.args);
        let line =
            format!("engine {}, in {}: {command} {arguments:?}", engine.name, directory.display());
        format!("\n  {}", shortened(&line, MAX_LINE_LENGTH))
    };
    let listed: String = engines.iter().take(LISTED).map(command).collect();
    match engines.len().saturating_sub(LISTED) {
        0 => listed,
        more => format!("{listed}\n  and {more} more; `arbiter export --format config` shows all"),
    }
}
