//! Identity of an engine's program: hashes of its file and of the files among its arguments.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::input_file;
use crate::plan::EngineSpec;

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// Hashes of a program's files at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramFiles {
    /// Hash of the program; `None` if it was not found.
    pub sha256: Option<String>,
    /// The files among the arguments with their hashes.
    arguments: Vec<(String, String)>,
}

impl ProgramFiles {
    /// Hashes the files of a program as they are now.
    pub fn of(program: &EngineSpec) -> ProgramFiles {
        ProgramFiles {
            sha256: hash(&program.command),
            arguments: hash_arguments(&program.args, program.dir.as_deref()),
        }
    }

    /// Returns the file of `program`, whose hashes these are, that has changed since, if there is one.
    pub fn changed(&self, program: &EngineSpec) -> Option<PathBuf> {
        let now = ProgramFiles::of(program);
        if now.sha256.is_none() || now.sha256 != self.sha256 {
            return Some(program.command.clone());
        }
        let changed = self.arguments.iter().find(|file| !now.arguments.contains(file));
        changed.map(|(file, _)| PathBuf::from(file))
    }
}

/// Returns the SHA-256 of a program's file as 64 hexadecimal digits, or `None` if the program is not found. A name
/// without a slash is looked up in the search path, as it is when the engine starts.
pub fn hash(command: &Path) -> Option<String> {
    hash_file(&file_of(command)?).ok()
}

/// Returns the files among a program's arguments with their hashes, such as the script of an interpreter or a
/// configuration. Relative paths start from `dir`.
pub fn hash_arguments(arguments: &[String], dir: Option<&Path>) -> Vec<(String, String)> {
    let hash = |argument: &String| {
        let path = path_of(argument, dir);
        let is_file = path.is_file();
        let hash = is_file.then(|| hash_file(&path).ok()).flatten()?;
        Some((argument.clone(), hash))
    };
    arguments.iter().filter_map(hash).collect()
}

/// Returns the files of an engine: its program, if it is found, then those among its arguments. Relative paths of
/// arguments start from `dir`.
pub fn files(command: &Path, arguments: &[String], dir: Option<&Path>) -> Vec<PathBuf> {
    let arguments =
        arguments.iter().map(|argument| path_of(argument, dir)).filter(|path| path.is_file());
    file_of(command).into_iter().chain(arguments).collect()
}

fn path_of(argument: &str, dir: Option<&Path>) -> PathBuf {
    dir.map_or_else(|| PathBuf::from(argument), |dir| dir.join(argument))
}

/// Returns the path of a program's file; a name without a slash is looked up in the search path.
pub fn file_of(command: &Path) -> Option<PathBuf> {
    if command.components().count() > 1 {
        return Some(command.to_path_buf());
    }
    which::which(command).ok()
}

/// Returns the SHA-256 of a regular file as 64 hexadecimal digits.
///
/// # Errors
/// Any error while reading the file.
pub fn hash_file(path: &Path) -> io::Result<String> {
    hash_file_until(path, || false)
}

/// Returns the SHA-256 of a regular file like [`hash_file`], unless `stop` returns `true` before its end.
///
/// # Errors
/// As [`hash_file`], and the stop.
pub fn hash_file_until(path: &Path, stop: impl Fn() -> bool) -> io::Result<String> {
    let mut file = input_file::open(path)?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        if stop() {
            return Err(io::Error::other("interrupted"));
        }
        match file.read(&mut chunk)? {
            0 => break,
            number => hash.update(&chunk[..number]),
        }
    }
    Ok(digits(&hash.finalize()))
}

/// Returns the SHA-256 of `bytes` as 64 hexadecimal digits.
pub fn hash_bytes(bytes: &[u8]) -> String {
    digits(&Sha256::digest(bytes))
}

fn digits(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_file_is_known() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        // Source: FIPS 180-4, the example of one block.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash(file.path()).as_deref(), Some(expected));
    }

    #[test]
    fn files_among_the_arguments_count() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("script"), "abc").unwrap();
        let arguments = ["-u", "script", "missing"].map(String::from);
        let hashes = hash_arguments(&arguments, Some(directory.path()));
        let abc = hash(&directory.path().join("script")).unwrap();
        assert_eq!(hashes, [("script".to_string(), abc)]);
    }

    #[test]
    fn a_bare_name_is_looked_for_in_the_search_path() {
        assert!(hash(Path::new("sh")).is_some());
        assert_eq!(hash(Path::new("sh")), hash(&which::which("sh").unwrap()));
        assert_eq!(hash(Path::new("/nonexistent/engine")), None);
        assert_eq!(hash(Path::new("no such engine")), None);
    }
}
