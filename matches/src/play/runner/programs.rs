//! Detects changes of the engines' programs during a match.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::plan::{Plan, binary};

/// The engines' programs, and the files among their arguments, at the start of the match.
#[derive(Clone, Debug)]
pub struct Programs(Vec<Vec<Watched>>);

/// A file at the start of the match.
#[derive(Clone, Debug)]
struct Watched {
    path: PathBuf,
    stamp: Option<Stamp>,
    hash: Option<String>,
}

/// Metadata of a file, which the system changes whenever the file is written or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl Programs {
    /// Records the current state of the programs.
    pub fn of(plan: &Plan) -> Programs {
        let engines = plan.engines.iter().map(|engine| {
            let files = binary::files(&engine.command, &engine.args, engine.dir.as_deref());
            files.into_iter().map(Watched::new).collect()
        });
        Programs(engines.collect())
    }

    /// Removes the files that have changed. After a test start of the engines, these are files that the engines wrote
    /// themselves, such as a log.
    pub fn without_changed_arguments(mut self) -> Programs {
        for files in &mut self.0 {
            let mut is_program = true;
            files.retain(|file| std::mem::take(&mut is_program) || !file.has_changed());
        }
        self
    }

    /// Returns the first changed file of an engine, given its index in the plan.
    pub fn changed(&self, engine: usize) -> Option<&Path> {
        let mut files = self.0[engine].iter();
        let changed = files.find(|file| file.has_changed());
        changed.map(|file| file.path.as_path())
    }
}

impl Watched {
    fn new(path: PathBuf) -> Watched {
        Watched {
            // Taken before the hash, so that a change in between is noticed later.
            stamp: Stamp::of(&path),
            hash: binary::hash_file(&path).ok(),
            path,
        }
    }

    fn has_changed(&self) -> bool {
        let stamp = Stamp::of(&self.path);
        // An unreadable program cannot be compared, and a missing one fails to start in any case.
        if stamp.is_none() || stamp == self.stamp || self.hash.is_none() {
            return false;
        }
        binary::hash_file(&self.path).ok() != self.hash
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let file = path.metadata().ok()?;
        Some(Stamp {
            device: file.dev(),
            inode: file.ino(),
            size: file.size(),
            changed: (file.ctime(), file.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{EngineSpec, Limit};
    use std::fs;

    fn plan(program: &Path, argument: &Path) -> Plan {
        let engine = EngineSpec {
            args: vec![argument.display().to_string()],
            ..EngineSpec::new("x", program, Limit::nodes(1))
        };
        Plan::new(&buxtehude::rules::VARIANTS[0], 2, vec![engine])
    }

    #[test]
    fn a_file_with_other_content_has_changed() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str| directory.path().join(name);
        let (program, script) = (file("program"), file("script"));
        fs::write(&program, "one").unwrap();
        fs::write(&script, "two").unwrap();
        let programs = Programs::of(&plan(&program, &script));
        assert_eq!(programs.changed(0), None);
        // A new file with the same content is not a change.
        fs::write(file("new"), "one").unwrap();
        fs::rename(file("new"), &program).unwrap();
        assert_eq!(programs.changed(0), None);
        fs::write(&script, "six").unwrap();
        assert_eq!(programs.changed(0), Some(script.as_path()));
        let programs = programs.without_changed_arguments();
        assert_eq!(programs.changed(0), None);
        fs::write(&program, "six").unwrap();
        assert_eq!(programs.changed(0), Some(program.as_path()));
        let programs = programs.without_changed_arguments();
        assert_eq!(programs.changed(0), Some(program.as_path()));
    }
}
