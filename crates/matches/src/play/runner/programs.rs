//! Guards the engines' programs during a match: detects changes, and keeps other processes from blocking their start.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::input_file;
use crate::plan::{EngineSpec, Plan, binary};
use crate::play::interrupt::Interrupt;

/// The engines' programs at the start of the match.
#[derive(Debug)]
pub struct Programs {
    engines: Vec<ProgramFiles>,
    /// Stops the reading of long files.
    interrupt: Interrupt,
}

/// A program, and the files among its arguments, at the start of the match.
#[derive(Debug)]
pub struct ProgramFiles {
    watched: Vec<Watched>,
    _open: OpenFiles,
}

/// The files of a program, and those among the values of its options, open for reading.
///
/// While a file is open, no process can get a write lease on it. Such a lease could delay by 45 s the next process that
/// opens or runs the file.
#[derive(Debug)]
pub struct OpenFiles {
    _files: Vec<File>,
}

/// A file at the start of the match.
#[derive(Debug)]
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

    /// Permits all files to change.
    pub fn that_may_change(mut self) -> Programs {
        self.engines.iter_mut().for_each(|files| files.watched.clear());
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
        let open = OpenFiles::of(program);
        let files = binary::files(&program.command, &program.args, program.dir.as_deref());
        let watched = files.into_iter().map(|file| Watched::new(file, interrupt));
        ProgramFiles { watched: watched.collect(), _open: open }
    }

    /// Removes the files that have changed, except the program itself.
    pub fn forget_changed_arguments(&mut self, interrupt: &Interrupt) {
        let mut is_program = true;
        self.watched.retain(|file| std::mem::take(&mut is_program) || !file.has_changed(interrupt));
    }

    pub fn changed(&self, interrupt: &Interrupt) -> Option<&Path> {
        let changed = self.watched.iter().find(|file| file.has_changed(interrupt));
        changed.map(|file| file.path.as_path())
    }
}

impl OpenFiles {
    /// Opens the files of a program; skips those that cannot be opened.
    pub fn of(program: &EngineSpec) -> OpenFiles {
        let values = program.options.iter().map(|(_, value)| value.clone());
        let words: Vec<String> = program.args.iter().cloned().chain(values).collect();
        let files = binary::files(&program.command, &words, program.dir.as_deref());
        OpenFiles { _files: files.iter().filter_map(|file| input_file::open(file).ok()).collect() }
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

    #[test]
    #[cfg(target_os = "linux")]
    #[allow(unsafe_code)] // No safe function asks for a lease.
    fn no_process_can_block_the_start_of_a_program_by_a_write_lease() {
        use std::os::fd::AsRawFd;

        let directory = tempfile::tempdir().unwrap();
        let files = ["program", "script", "weights"].map(|name| directory.path().join(name));
        files.iter().for_each(|file| fs::write(file, "x").unwrap());
        let can_lease = |path: &PathBuf| {
            let file = File::open(path).unwrap();
            // SAFETY: the call changes nothing but the lease, which ends with the file.
            unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK) == 0 }
        };
        let [program, script, weights] = &files;
        let mut plan = plan(program, script);
        plan.engines[0].options.push(("EvalFile".into(), weights.display().to_string()));
        let leases = || files.iter().map(can_lease).collect::<Vec<bool>>();
        assert_eq!(leases(), [true; 3]);
        let programs = Programs::of(&plan, &Interrupt::new()).that_may_change();
        assert_eq!(leases(), [false; 3]);
        drop(programs);
        assert_eq!(leases(), [true; 3]);
    }
}
