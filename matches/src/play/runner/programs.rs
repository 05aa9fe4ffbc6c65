//! Detects changes of the engines' programs during a match.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::plan::{EngineSpec, Plan, binary};
use crate::play::interrupt::Interrupt;

/// The engines' programs at the start of the match.
#[derive(Clone, Debug)]
pub struct Programs {
    engines: Vec<ProgramFiles>,
    /// Stops the reading of long files.
    interrupt: Interrupt,
}

/// A program, and the files among its arguments, at the start of the match.
#[derive(Clone, Debug)]
pub struct ProgramFiles(Vec<Watched>);

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
    /// Records the current state of the programs; an interrupt leaves it incomplete.
    pub fn of(plan: &Plan, interrupt: &Interrupt) -> Programs {
        let engines = plan.engines.iter();
        Programs {
            engines: engines.map(|engine| ProgramFiles::of(engine, interrupt)).collect(),
            interrupt: interrupt.clone(),
        }
    }

    /// Removes the files that have changed. After a test start of the engines, these are files that the engines wrote
    /// themselves, such as a log.
    pub fn without_changed_arguments(mut self) -> Programs {
        let Programs { engines, interrupt } = &mut self;
        for files in engines {
            files.forget_changed_arguments(interrupt);
        }
        self
    }

    /// Returns the first changed file of an engine, given its index in the plan.
    pub fn changed(&self, engine: usize) -> Option<&Path> {
        self.engines[engine].changed(&self.interrupt)
    }
}

impl ProgramFiles {
    /// Records the current state of a program; an interrupt leaves it incomplete.
    pub fn of(program: &EngineSpec, interrupt: &Interrupt) -> ProgramFiles {
        let files = binary::files(&program.command, &program.args, program.dir.as_deref());
        let watched = files.into_iter().map(|file| Watched::new(file, interrupt));
        ProgramFiles(watched.collect())
    }

    /// Removes the files that have changed, except the program itself.
    pub fn forget_changed_arguments(&mut self, interrupt: &Interrupt) {
        let mut is_program = true;
        let files = &mut self.0;
        files.retain(|file| std::mem::take(&mut is_program) || !file.has_changed(interrupt));
    }

    /// Returns the first changed file.
    pub fn changed(&self, interrupt: &Interrupt) -> Option<&Path> {
        let changed = self.0.iter().find(|file| file.has_changed(interrupt));
        changed.map(|file| file.path.as_path())
    }
}

impl Watched {
    fn new(path: PathBuf, interrupt: &Interrupt) -> Watched {
        Watched {
            // Taken before the hash, so that a change in between is noticed later.
            stamp: Stamp::of(&path),
            hash: hash(&path, interrupt),
            path,
        }
    }

    fn has_changed(&self, interrupt: &Interrupt) -> bool {
        let stamp = Stamp::of(&self.path);
        // An unreadable program cannot be compared, and a missing one fails to start in any case.
        if stamp.is_none() || stamp == self.stamp || self.hash.is_none() {
            return false;
        }
        hash(&self.path, interrupt) != self.hash
    }
}

fn hash(path: &Path, interrupt: &Interrupt) -> Option<String> {
    binary::hash_file_until(path, || interrupt.is_set()).ok()
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
        let programs = Programs::of(&plan(&program, &script), &Interrupt::new());
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
