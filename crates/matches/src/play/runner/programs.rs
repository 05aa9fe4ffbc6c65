//! The engines' programs: their first start, which tells their names and offers, and a guard during the match, which
//! detects changes and keeps other processes from blocking their start.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::RunError;
use crate::input_file;
use crate::plan::{EngineSpec, Plan, binary};
use crate::play::engine::{Engine, Placement, StartError, is_left_out};
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::play::sandbox::Isolation;
use crate::record::printable::{printable, shortened};

/// The engines' programs at the start of the match.
#[derive(Debug, Default)]
pub struct Programs {
    engines: Vec<WatchedProgram>,
}

/// A program, and the files among its arguments, at the start of the match.
#[derive(Debug)]
pub struct WatchedProgram {
    watched: Vec<WatchedFile>,
    _open: OpenFiles,
    /// Stops the reading of long files.
    interrupt: Interrupt,
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
struct WatchedFile {
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
        Programs { engines: engines.map(|engine| WatchedProgram::of(engine, interrupt)).collect() }
    }

    /// Removes the files that have changed. After a test start of the engines, these are files that the engines wrote
    /// themselves, such as a log.
    pub fn without_changed_arguments(mut self) -> Programs {
        self.engines.iter_mut().for_each(WatchedProgram::forget_changed_arguments);
        self
    }

    /// Permits all files to change.
    pub fn that_may_change(mut self) -> Programs {
        self.engines.iter_mut().for_each(|files| files.watched.clear());
        self
    }

    /// Returns the first changed file of an engine, given its index in the plan.
    pub fn changed(&self, engine: usize) -> Option<&Path> {
        self.engines[engine].changed()
    }
}

impl WatchedProgram {
    /// Records the current state of a program; an interrupt leaves it incomplete.
    pub fn of(program: &EngineSpec, interrupt: &Interrupt) -> WatchedProgram {
        let open = OpenFiles::of(program);
        let files = binary::files(&program.command, &program.args, program.dir.as_deref());
        let watched = files.into_iter().map(|file| WatchedFile::new(file, interrupt));
        WatchedProgram { watched: watched.collect(), _open: open, interrupt: interrupt.clone() }
    }

    /// Removes the files that have changed, except the program itself.
    pub fn forget_changed_arguments(&mut self) {
        let WatchedProgram { watched, interrupt, .. } = self;
        let mut is_program = true;
        watched.retain(|file| std::mem::take(&mut is_program) || !file.has_changed(interrupt));
    }

    pub fn changed(&self) -> Option<&Path> {
        let changed = self.watched.iter().find(|file| file.has_changed(&self.interrupt));
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

impl WatchedFile {
    fn new(path: PathBuf, interrupt: &Interrupt) -> WatchedFile {
        WatchedFile {
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

// --- First start ---

/// Time after which a notice says which engine is being waited for.
const NOTICE_AFTER: Duration = Duration::from_secs(3);
/// Maximum number of characters of a name that comes from an engine.
const MAX_OFFERED_NAME_LENGTH: usize = 40;

/// Receives the name of an engine that has not been ready for a few seconds.
pub type Notice<'a> = dyn Fn(&str) + Sync + 'a;

#[derive(Debug)]
pub struct FirstStart {
    pub id_names: Vec<Option<String>>,
    /// Remarks on options that were left out.
    pub remarks: Vec<String>,
}

/// Starts every engine of a plan once, and decides the unresolved of each by its offers: names it by its `id name`,
/// made unique, and drops the optional options that it does not offer.
///
/// # Errors
/// [`RunError::Start`] for the first engine that cannot be started, does not answer `uci` and `isready`, or rejects its
/// configuration.
pub fn start_engines(
    plan: &mut Plan,
    isolation: Option<Isolation>,
    log: &Log,
    interrupt: &Interrupt,
    notice: &Notice<'_>,
) -> Result<FirstStart, RunError> {
    let engines: Vec<Engine> = plan
        .engines
        .iter()
        .map(|spec| start(spec, plan, isolation, log, interrupt, notice))
        .collect::<Result<_, _>>()?;
    let remarks = settle(&mut plan.engines, &engines);
    let id_name = |engine: &Engine| engine.id_name().map(String::from);
    let id_names = engines.iter().map(id_name).collect();
    Engine::quit_all(engines);
    Ok(FirstStart { id_names, remarks })
}

/// Decides the unresolved of each engine; returns a remark on each option that some of them do not offer.
fn settle(specs: &mut [EngineSpec], engines: &[Engine]) -> Vec<String> {
    let mut dropped: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut nameless = Vec::new();
    for (index, (spec, engine)) in specs.iter_mut().zip(engines).enumerate() {
        let unresolved = std::mem::take(&mut spec.unresolved);
        spec.options.retain(|(name, value)| {
            let is_dropped = is_left_out(&unresolved, name, engine.offers());
            if is_dropped {
                let setting = format!("option.{name}={value}");
                dropped.entry(setting).or_default().push(index);
            }
            !is_dropped
        });
        if unresolved.is_nameless {
            let id_name = engine.id_name().map(str::trim);
            if let Some(id_name) = id_name.filter(|name| !name.is_empty()) {
                spec.name = shortened(id_name, MAX_OFFERED_NAME_LENGTH).into_owned();
            }
            nameless.push(index);
        }
    }
    make_unique(specs, &nameless);
    let remark = |(setting, engines): (String, Vec<usize>)| {
        let names: Vec<&str> =
            engines.into_iter().map(|index| specs[index].name.as_str()).collect();
        format!("--each {setting} is left out for {}: no such option", names.join(", "))
    };
    let mut remarks: Vec<String> = dropped.into_iter().map(remark).collect();
    for (spec, engine) in specs.iter().zip(engines) {
        for (option, value) in &spec.options {
            if let Some(offer) = engine.offers().unreadable(option) {
                let setting = printable(&format!("option.{option}={value}")).into_owned();
                remarks.push(format!("{}: {setting} is sent unchecked: {offer}", spec.name));
            }
        }
    }
    remarks
}

/// Names the `nameless` engines whose name another engine has, too, by their files, and numbers those that still share
/// a name.
fn make_unique(engines: &mut [EngineSpec], nameless: &[usize]) {
    let mut sharing: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &index in nameless {
        sharing.entry(engines[index].name.clone()).or_default().push(index);
    }
    let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
    let is_shared = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    for (name, indices) in sharing.into_iter().filter(|(name, _)| is_shared(name)) {
        let alike: Vec<&EngineSpec> = indices.iter().map(|&index| &engines[index]).collect();
        let by_files = names_by_files(&alike).unwrap_or_else(|| vec![name.clone(); indices.len()]);
        for (&index, file) in indices.iter().zip(&by_files) {
            let is_free = |name: &String| {
                !names.contains(name) && engines.iter().all(|other| other.name != *name)
            };
            let is_alone = by_files.iter().filter(|other| *other == file).count() == 1;
            let base = if is_alone { &name } else { file };
            let plain = Some(file.clone()).filter(|file| is_alone && is_free(file));
            let numbered = || (1..).map(|number| format!("{base} ({number})")).find(is_free);
            engines[index].name = plain.or_else(numbered).unwrap_or_default();
        }
    }
}

/// Names engines by their program files or the files among their arguments, such as the script of an interpreter: by
/// those that tell most of the engines apart, with as few folders as this takes. `None` if no file tells any apart.
fn names_by_files(engines: &[&EngineSpec]) -> Option<Vec<String>> {
    let files: Vec<Vec<PathBuf>> = engines
        .iter()
        .map(|engine| {
            let found = binary::files(&engine.command, &engine.args, engine.dir.as_deref());
            if found.is_empty() { vec![engine.command.clone()] } else { found }
        })
        .collect();
    let most = files.iter().map(Vec::len).max()?;
    let parts = files.iter().flatten().map(|file| file.components().count()).max()?;
    let choices = (1..=parts).flat_map(|parts| (0..most).map(move |index| (parts, index)));
    let names = choices.map(|(parts, index)| {
        let of_engine = |files: &Vec<PathBuf>| end_of(&files[index.min(files.len() - 1)], parts);
        files.iter().map(of_engine).collect::<Vec<String>>()
    });
    let number = |names: &Vec<String>| names.iter().collect::<HashSet<_>>().len();
    // Of equal choices `min_by_key` returns the first, which has the fewest folders.
    let best = names.min_by_key(|names| Reverse(number(names)))?;
    (number(&best) > 1 || engines.len() == 1).then_some(best)
}

/// Returns the last parts of a path, as a name.
fn end_of(path: &Path, parts: usize) -> String {
    let first = path.components().count().saturating_sub(parts);
    let end: PathBuf = path.components().skip(first).collect();
    shortened(&printable(&end.to_string_lossy()), MAX_OFFERED_NAME_LENGTH).into_owned()
}

/// Starts an engine and waits until it is ready.
fn start(
    spec: &EngineSpec,
    plan: &Plan,
    isolation: Option<Isolation>,
    log: &Log,
    interrupt: &Interrupt,
    notice: &Notice<'_>,
) -> Result<Engine, StartError> {
    let (started, starting) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if starting.recv_timeout(NOTICE_AFTER) == Err(RecvTimeoutError::Timeout) {
                notice(&spec.name);
            }
        });
        // Dropped at the end of the start, however it ends.
        let _started = started;
        let timeout = plan.referee_limits.ready;
        let place = Placement::anywhere(isolation);
        let mut engine =
            Engine::start(spec, plan.rules.uci_variant(), place, timeout, log, interrupt)?;
        engine.confirm_options(&spec.name, timeout)?;
        Ok(engine)
    })
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

    #[test]
    fn only_nameless_engines_are_numbered() {
        let names = ["x", "x", "y", "x (1)", "y"];
        let mut engines = names.map(|name| EngineSpec::new(name, "x", Limit::default()));
        make_unique(&mut engines, &[0, 1, 4]);
        let names = engines.map(|engine| engine.name);
        assert_eq!(names, ["x (2)", "x (3)", "y", "x (1)", "y (1)"]);
    }

    #[test]
    fn engines_with_one_id_name_are_named_by_their_files() {
        for (commands, expected) in [
            (&["/bin/a", "/bin/b"][..], &["a", "b"][..]),
            (&["/bin/a", "/bin/b", "/bin/a"], &["a (1)", "b", "a (2)"]),
            (&["/v1/bin/engine", "/v2/bin/engine"], &["v1/bin/engine", "v2/bin/engine"]),
            (&["/bin/a", "/bin/a"], &["Id 1.0 (1)", "Id 1.0 (2)"]),
            // The name of another engine is not taken.
            (&["/bin/a", "/bin/other"], &["a", "Id 1.0 (1)"]),
        ] {
            let engine = |command: &&str| EngineSpec::new("Id 1.0", *command, Limit::default());
            let mut engines: Vec<EngineSpec> = commands.iter().map(engine).collect();
            let nameless: Vec<usize> = (0..engines.len()).collect();
            engines.push(EngineSpec::new("other", "/bin/c", Limit::default()));
            make_unique(&mut engines, &nameless);
            engines.pop();
            let names: Vec<String> = engines.into_iter().map(|engine| engine.name).collect();
            assert_eq!(names, expected);
        }
    }
}
