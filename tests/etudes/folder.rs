//! Files and commands of a test, in a temporary folder.

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

/// One etude line of every kind, among bad and empty lines.
pub const MIXED: &[u8] = b"45;26;2;f;29;19;0;f;2\r\n\r\n\
    45;x;2;f;29;19;0;f;2\n\
    \xff5;26;2;f;29;19;0;f;2\r\n  \n\
    46;26;0;t;42;19;1;t;-\n\
    12;60;3;f;3;62;3;f;30;20;1;f;3";

/// A folder that is the current directory of its commands.
pub struct Folder(pub TempDir);

/// Exit status and output of a command.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: Option<i32>,
    pub output: String,
    pub errors: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            output: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Folder {
    /// Creates an empty folder.
    pub fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    /// Creates a folder with one file, `x.csv`.
    pub fn with(bytes: &[u8]) -> Folder {
        let folder = Folder::new();
        folder.write("x.csv", bytes);
        folder
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.path().join(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).unwrap()
    }

    /// Names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `buxtehude etudes` with these arguments, separated by spaces.
    pub fn etudes(&self, arguments: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_buxtehude"));
        command.arg("etudes").args(arguments.split_whitespace());
        command.current_dir(&self.0).output().unwrap().into()
    }

    /// Runs a shell script with the binary as `$ENGINE`.
    #[cfg(unix)]
    pub fn shell(&self, script: &str) -> Ran {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(&self.0);
        command.env("ENGINE", env!("CARGO_BIN_EXE_buxtehude"));
        command.output().unwrap().into()
    }
}

/// A failure with this text on standard error.
pub fn refused(errors: &str) -> Ran {
    Ran { code: Some(2), output: String::new(), errors: errors.into() }
}

/// A success with this text on standard output.
pub fn fine(output: &str) -> Ran {
    Ran { code: Some(0), output: output.into(), errors: String::new() }
}
