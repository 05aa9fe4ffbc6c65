//! The engines and the rules program of a match on this machine: found by name, or fetched from the server if the
//! worker accepts that, verified by hash, and run in the sandbox `bwrap` if they were fetched.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use async_nats::jetstream::Context;
use buxtehude::protocol::{OptionKind, OptionOffer};
use buxtehude::rules::VARIANTS;
use matches::own_files::user_folder;
use matches::plan::rules::Rules;
use matches::plan::{EngineSpec, Isolate, Limit, Plan, binary};
use matches::play::engine::{Engine, Placement};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::runner;
use matches::play::sandbox::Isolation;
use matches::record::printable::printable;
use matches::run::exit::print_error;
use tempfile::NamedTempFile;
use tokio::task::block_in_place;

use super::{JoinError, Worker};
use crate::args::WorkArgs;
use crate::message::{EngineId, State};
use crate::queue::{ENGINES, Names};
use crate::storage::{Chunks, MAX_BYTES_OF_A_FILE};

/// Program of the sandbox.
const PROGRAM: &str = "bwrap";
/// Maximum size of each directory that an engine can write to, in bytes.
const MAX_DIRECTORY_BYTES: &str = "67108864";
/// Programs and libraries of the system, which an engine sees read-only if they exist.
const SYSTEM_PATHS: &str = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc/alternatives /etc/ld.so.cache \
    /etc/ld.so.conf /nix/store /gnu/store";
/// Flags for all namespaces, the network's included, without capabilities and with an empty environment.
const ISOLATION_FLAGS: &str = "--unshare-user --unshare-all --die-with-parent --cap-drop ALL --clearenv \
    --setenv PATH /usr/bin:/bin --setenv HOME /work --setenv LANG C.UTF-8 --chdir /work";
/// Path of the engine's program in the sandbox.
const ENGINE_PROGRAM: &str = "/engine/program";

/// Replaces the engines and the rules program of a plan by this machine's or by fetched ones; returns the files of the
/// fetched ones.
pub(super) async fn find(
    worker: &Worker,
    names: &Names,
    state: &State,
    plan: &mut Plan,
) -> Result<Vec<CachedFile>, JoinError> {
    let mut rules = plan.rules.program().map(|game| game.plan().clone());
    let programs: Vec<&mut EngineSpec> =
        plan.engines.iter_mut().chain(rules.as_mut().map(|rules| &mut rules.program)).collect();
    let (listed, planned) = (state.engines.len(), programs.len());
    if listed != planned {
        return Err(format!("the match lists {listed} programs, its plan has {planned}").into());
    }
    let (mut files, mut fetched) = (Vec::new(), 0);
    for (engine, id) in programs.into_iter().zip(&state.engines) {
        match (block_in_place(|| substitute(engine, id, &worker.engines)), &worker.fetcher) {
            (Ok(()), _) => {}
            (Err(_), Some(fetcher)) if id.is_shared => {
                files.extend(fetcher.fetch(&worker.context, names, engine, id).await?);
                fetched += 1;
            }
            (Err(reason), None) if id.is_shared => {
                let fetches = "`fleet work --accept-engines` fetches it";
                return Err(format!("{reason}; the match shares it: {fetches}").into());
            }
            (Err(reason), _) => return Err(reason.into()),
        }
    }
    if let Some(rules) = rules {
        plan.rules = Rules::apart(rules);
    }
    if let Some(fetcher) = worker.fetcher.as_ref().filter(|_| fetched > 0) {
        fetcher.sandbox.adapt(plan, fetched == planned)?;
    }
    Ok(files)
}

/// Replaces an engine's program by the one on this machine; returns the reason if this machine does not have the same
/// engine. A match cannot choose the arguments: a program such as a shell would run whatever they say.
fn substitute(engine: &mut EngineSpec, id: &EngineId, local: &[EngineSpec]) -> Result<(), String> {
    let name = &engine.name;
    // The built-in engine is this program.
    let own = std::env::current_exe().ok();
    let own = own.filter(|own| binary::hash(own).as_deref() == Some(&id.sha256));
    let (command, args, dir) = match (local.iter().find(|local| local.name == *name), own) {
        (Some(local), None) => (local.command.clone(), local.args.clone(), local.dir.clone()),
        (Some(local), Some(_)) => (local.command.clone(), built_in_args(), local.dir.clone()),
        (None, Some(own)) => (own, built_in_args(), None),
        (None, None) => {
            return Err(format!(
                "engine {name}: not on this machine, expected `fleet work --engine \"cmd=... name={name}\"`"
            ));
        }
    };
    let found = binary::hash(&command);
    if found.as_deref() != Some(&id.sha256) {
        return Err(format!(
            "engine {name}: {} has SHA-256 {}, the match has {}",
            command.display(),
            found.as_deref().unwrap_or("unknown (it cannot be read)"),
            id.sha256
        ));
    }
    if engine.args != args {
        let quoted = |args: &[String]| printable(&format!("{args:?}")).to_string();
        return Err(format!(
            "engine {name}: the match starts it with the arguments {}, this worker with {}",
            quoted(&engine.args),
            quoted(&args)
        ));
    }
    let files = binary::hash_arguments(&args, dir.as_deref());
    let mut all = files.iter().chain(&id.files);
    if let Some((argument, _)) = all.find(|file| !(files.contains(file) && id.files.contains(file)))
    {
        return Err(format!(
            "engine {name}: file {argument} among its arguments differs from the match's"
        ));
    }
    (engine.command, engine.dir) = (command, dir);
    Ok(())
}

/// Arguments that start this program as the built-in engine.
fn built_in_args() -> Vec<String> {
    vec!["engine".to_string()]
}

/// Fetches engines and sets up their sandboxes.
#[derive(Debug)]
pub(crate) struct Fetcher {
    cache: Cache,
    sandbox: Sandbox,
    /// Memory limit of an engine, in MiB.
    memory: u64,
}

impl Fetcher {
    /// Returns a fetcher and prints the access rights of engines, if the worker accepts any; `None` otherwise. An error
    /// is the reason why it cannot accept them.
    pub(crate) fn of(args: &WorkArgs, interrupt: &Interrupt) -> Result<Option<Fetcher>, String> {
        if !args.accept_engines {
            return Ok(None);
        }
        let cache = Cache::open(args.cache.as_deref(), args.cache_size)?;
        let sandbox = Sandbox::find(interrupt).map_err(|reason| {
            format!(
                "--accept-engines: {reason}, so engines could access your files; expected bwrap"
            )
        })?;
        let memory = args.engine_memory;
        print_error(format_args!(
            "accepting engines; each has {memory} MiB of memory and is sandboxed by {}: no network, no files except a \
             folder of its own and the system's programs (read-only); CPU time is not limited",
            sandbox.program.display()
        ));
        Ok(Some(Fetcher { cache, sandbox, memory }))
    }

    /// Fetches an engine's files that are not in the cache, and makes the engine run them in the sandbox.
    async fn fetch(
        &self,
        context: &Context,
        names: &Names,
        engine: &mut EngineSpec,
        id: &EngineId,
    ) -> Result<Vec<CachedFile>, JoinError> {
        let name = engine.name.clone();
        let (most, memory) = (self.memory, engine.memory.unwrap_or(self.memory));
        if memory > most {
            let expected = format!("expected at most --engine-memory {most}");
            return Err(format!("engine {name}: memory={memory}, {expected}").into());
        }
        let mut files = Vec::new();
        for sha256 in id.hashes() {
            if !is_hash(sha256) {
                return Err(format!("engine {name}: {sha256:?} is not a SHA-256").into());
            }
            files.push(match block_in_place(|| self.cache.find(sha256))? {
                Some(file) => file,
                None => self.fetch_file(context, names, &name, sha256).await?,
            });
        }
        if let [program, rest @ ..] = files.as_slice() {
            let arguments =
                id.files.iter().zip(rest).map(|((argument, _), file)| (&**argument, &*file.path));
            self.sandbox.place(engine, &program.path, arguments);
        }
        engine.memory = Some(memory);
        Ok(files)
    }

    async fn fetch_file(
        &self,
        context: &Context,
        names: &Names,
        engine: &str,
        sha256: &str,
    ) -> Result<CachedFile, JoinError> {
        let unfit = |reason: String| JoinError::Unfit(format!("engine {engine}: {reason}"));
        let invalid = |found: String| unfit(format!("no valid file for SHA-256 {sha256}: {found}"));
        let write_failed = |reason| unfit(format!("cannot write its files: {reason}"));
        let mut object = Chunks::of(context, ENGINES, &names.file(sha256)).await?;
        let length = object.left() as u64;
        if length > MAX_BYTES_OF_A_FILE {
            return Err(unfit(format!(
                "a file of {length} bytes, expected at most {MAX_BYTES_OF_A_FILE}"
            )));
        }
        let mut file = self.cache.begin(length)?;
        let mut bytes = 0;
        while let Some(chunk) = object.next().await? {
            bytes += chunk.len() as u64;
            if bytes > length {
                return Err(invalid(format!("it has more than {length} bytes")));
            }
            file.write_all(&chunk).map_err(write_failed)?;
        }
        let kept = block_in_place(|| {
            let found = binary::hash_file(file.path()).map_err(write_failed)?;
            if found != sha256 {
                return Err(invalid(format!("it has SHA-256 {found}")));
            }
            Ok(self.cache.keep(file, sha256)?)
        })?
        .ok_or_else(|| invalid("it was removed at once".to_string()))?;
        print_error(format_args!(
            "engine {}: fetched {length} bytes with SHA-256 {sha256}",
            printable(engine)
        ));
        Ok(kept)
    }
}

#[derive(Debug)]
pub(crate) struct Sandbox {
    pub(crate) program: PathBuf,
    /// Whether it works inside the arbiter's isolation.
    nests: bool,
}

impl Sandbox {
    /// Finds the sandbox of this machine by starting an engine in it, which takes some tenths of a second. An error is
    /// the reason why there is none.
    pub(crate) fn find(interrupt: &Interrupt) -> Result<Sandbox, String> {
        let program = which::which(PROGRAM).map_err(|_| format!("{PROGRAM} not found"))?;
        let nested = Sandbox { program, nests: true };
        if nested.test(Isolate::Auto, interrupt).is_ok() {
            return Ok(nested);
        }
        let alone = Sandbox { nests: false, ..nested };
        alone.test(Isolate::Off, interrupt)?;
        Ok(alone)
    }

    /// Makes an engine run this program in the sandbox, with these files among its arguments, each with its name there
    /// and its path.
    pub(crate) fn place<'a>(
        &self,
        engine: &mut EngineSpec,
        program: &Path,
        files: impl Iterator<Item = (&'a str, &'a Path)>,
    ) {
        let mut words: Vec<String> = ISOLATION_FLAGS.split_whitespace().map(String::from).collect();
        words.extend(SYSTEM_PATHS.split_whitespace().flat_map(bind_flags));
        let mut bind = |from: &Path, to: &str| {
            words.extend(["--ro-bind".into(), from.display().to_string(), to.into()]);
        };
        bind(program, ENGINE_PROGRAM);
        let mut arguments = std::mem::take(&mut engine.args);
        for (number, (argument, path)) in files.enumerate() {
            let name = Path::new(argument).file_name().unwrap_or_default();
            let place = Path::new("/engine/files")
                .join(number.to_string())
                .join(name)
                .display()
                .to_string();
            bind(path, &place);
            for renamed in arguments.iter_mut().filter(|renamed| *renamed == argument) {
                renamed.clone_from(&place);
            }
        }
        words.extend(["--proc", "/proc", "--dev", "/dev"].map(String::from));
        for folder in ["/dev/shm", "/tmp", "/work"] {
            words.extend(["--size", MAX_DIRECTORY_BYTES, "--tmpfs", folder].map(String::from));
        }
        for folder in ["/dev", "/"] {
            words.extend(["--remount-ro", folder].map(String::from));
        }
        words.extend(["--", ENGINE_PROGRAM].map(String::from));
        words.append(&mut arguments);
        engine.args = words;
        engine.command.clone_from(&self.program);
        engine.dir = None;
        // The sandbox has no network, whether the arbiter isolates engines or not.
        engine.bounds.net = true;
    }

    /// Makes the arbiter isolate the engines of a match as far as this sandbox allows; `has_all_engines` if all its
    /// engines were fetched. Returns the reason if the match requires more.
    pub(crate) fn adapt(&self, plan: &mut Plan, has_all_engines: bool) -> Result<(), String> {
        if self.nests {
            return Ok(());
        }
        if plan.isolate == Isolate::On && !has_all_engines {
            let reason = "--isolate on: this machine cannot isolate fetched engines together with others, expected \
                          --isolate auto";
            return Err(reason.to_string());
        }
        // Engines in the sandbox are isolated by it.
        plan.isolate = Isolate::Off;
        Ok(())
    }

    /// Starts the built-in engine in the sandbox as a test.
    fn test(&self, isolate: Isolate, interrupt: &Interrupt) -> Result<(), String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut engine = EngineSpec::new("sandbox", &own, Limit::nodes(1));
        engine.args = vec!["engine".to_string()];
        self.place(&mut engine, &own, std::iter::empty());
        let mut plan = Plan { isolate, ..Plan::new(&VARIANTS[0], 2, vec![engine]) };
        let (isolation, _) = Isolation::of(plan.isolate, &plan.engines)?;
        let tried = runner::start_engines(&mut plan, isolation, &Log::none(), interrupt, &|_| {});
        tried.map(drop).map_err(|error| error.to_string())
    }
}

/// Flags for a path of the system: bound as it is, or as a symbolic link if it is one.
fn bind_flags(path: &str) -> Vec<String> {
    let words = match (fs::read_link(path), Path::new(path).exists()) {
        (Ok(target), _) => ["--symlink".into(), target.display().to_string(), path.into()],
        (Err(_), true) => ["--ro-bind".into(), path.into(), path.into()],
        (Err(_), false) => return Vec::new(),
    };
    words.to_vec()
}

/// Checks the options that a match sets. It may set neither texts, which may name any file of this machine to be read
/// or written, nor buttons. Starts each engine with options once, without them, to see what kind each of them has.
///
/// # Errors
/// The reason to refuse the match.
pub(super) fn check_options(
    plan: &Plan,
    isolation: Option<Isolation>,
    worker: &Worker,
) -> Result<(), String> {
    for engine in plan.engines.iter().filter(|engine| !engine.options.is_empty()) {
        let plain = EngineSpec { options: Vec::new(), ..engine.clone() };
        let placement = Placement::anywhere(isolation);
        let (timeout, interrupt) = (plan.referee_limits.ready, &worker.interrupt);
        let started = Engine::start(
            &plain,
            plan.rules.uci_variant(),
            placement,
            timeout,
            &worker.log,
            interrupt,
        )
        .map_err(|error| error.to_string())?;
        let refused = refused_option(engine, &started.offers().readable, &worker.args.allow_option);
        Engine::quit_all([started]);
        if let Some(option) = refused {
            let name = &engine.name;
            return Err(format!(
                "engine {name}: the match sets option {option:?}, a text or a button, which could read or write \
                 files here; `fleet work --allow-option {option:?}` allows it"
            ));
        }
    }
    Ok(())
}

/// Returns the first option that is neither harmless nor allowed. An unknown one is refused when it is set.
fn refused_option<'a>(
    engine: &'a EngineSpec,
    offers: &[OptionOffer],
    allowed: &[String],
) -> Option<&'a str> {
    let mut names = engine.options.iter().map(|(name, _)| name.as_str());
    let is_refused = |name: &&str| {
        let is_allowed = allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(name));
        let mut offers = offers.iter().filter(|offer| offer.name.eq_ignore_ascii_case(name));
        let is_free = |offer: &OptionOffer| {
            !matches!(offer.kind, OptionKind::String { .. } | OptionKind::Button)
        };
        !is_allowed && !offers.all(is_free)
    };
    names.find(is_refused)
}

const MIB: u64 = 1 << 20;
const SHA256_DIGITS: usize = 64;
/// Write permission of group and others, which the directory must not have.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// A directory of limited size with the files of fetched engines, named by their SHA-256. The least recently used files
/// are removed first. Errors of its functions are reasons to print.
///
/// A file is locked while it is in use, and may only be removed under an exclusive lock. So several workers can share a
/// directory, and a worker that is killed leaves no locks behind.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    most: u64,
}

/// A file of the cache, locked against removal while this value lives.
#[derive(Debug)]
pub struct CachedFile {
    pub path: PathBuf,
    _lock: File,
}

impl Cache {
    /// Opens the cache in `folder`, by default in the user's cache directory, with a maximum size of `mib` MiB.
    pub fn open(folder: Option<&Path>, mib: u64) -> Result<Cache, String> {
        let folder = match folder {
            Some(folder) => folder.to_path_buf(),
            None => {
                user_folder("XDG_CACHE_HOME", ".cache").map(|folder| folder.join("engines")).ok_or(
                    "--cache: expected a folder, since neither XDG_CACHE_HOME nor HOME is set",
                )?
            }
        };
        let cache = Cache {
            folder: std::path::absolute(&folder).unwrap_or(folder),
            most: mib.saturating_mul(MIB),
        };
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&cache.folder);
        let found =
            made.and_then(|()| cache.folder.metadata()).map_err(|reason| cache.failed(&reason))?;
        match found.mode() & WRITABLE_BY_OTHERS {
            0 => Ok(cache),
            _ => Err(format!(
                "--cache {}: other users may write to it, expected a folder of your own",
                cache.folder.display()
            )),
        }
    }

    /// Returns the file with this hash, or `None`. A damaged file is removed.
    pub fn find(&self, sha256: &str) -> Result<Option<CachedFile>, String> {
        let path = self.folder.join(sha256);
        let Ok(file) = File::open(&path) else {
            return Ok(None);
        };
        file.lock_shared().map_err(|reason| self.failed(&reason))?;
        // Another process may have removed it before the lock was acquired.
        let is_in_place = matches!((file.metadata(), path.metadata()), (Ok(ours), Ok(there))
            if (ours.dev(), ours.ino()) == (there.dev(), there.ino()));
        if !is_in_place {
            return Ok(None);
        }
        if binary::hash_file(&path).ok().as_deref() != Some(sha256) {
            fs::remove_file(&path).map_err(|reason| self.failed(&reason))?;
            return Ok(None);
        }
        // If this fails, the file is only removed earlier.
        let _ = file.set_modified(SystemTime::now());
        Ok(Some(CachedFile { path, _lock: file }))
    }

    /// Makes room for `bytes` bytes and creates a temporary file, which is removed unless it is kept.
    pub fn begin(&self, bytes: u64) -> Result<NamedTempFile, String> {
        self.make_room(bytes)?;
        let file = NamedTempFile::new_in(&self.folder).map_err(|reason| self.failed(&reason))?;
        file.as_file().try_lock().map_err(|reason| self.failed(&reason.into()))?;
        Ok(file)
    }

    /// Moves a complete file to its name, this hash, and makes it executable; other processes never see an incomplete
    /// file.
    pub fn keep(&self, file: NamedTempFile, sha256: &str) -> Result<Option<CachedFile>, String> {
        let kept = file
            .as_file()
            .set_permissions(Permissions::from_mode(0o500))
            .and_then(|()| file.as_file().sync_all())
            .and_then(|()| Ok(file.persist(self.folder.join(sha256))?));
        // A program that is open for writing cannot be run.
        drop(kept.map_err(|reason| self.failed(&reason))?);
        self.find(sha256)
    }

    /// Removes the least recently used files until there is room for `bytes` bytes.
    fn make_room(&self, bytes: u64) -> Result<(), String> {
        let entries = fs::read_dir(&self.folder).map_err(|reason| self.failed(&reason))?;
        let of_entry = |entry: fs::DirEntry| {
            let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((found.modified().ok()?, found.len(), entry.path()))
        };
        let mut files: Vec<_> = entries.flatten().filter_map(of_entry).collect();
        files.sort();
        let mut used: u64 = files.iter().map(|(_, length, _)| length).sum();
        for (_, length, path) in files {
            // A killed worker may leave incomplete files, which have other names.
            let is_whole = path.file_name().is_some_and(|name| is_hash(&name.to_string_lossy()));
            if is_whole && used.saturating_add(bytes) <= self.most {
                continue;
            }
            let lock = File::open(&path);
            let is_free = lock.as_ref().is_ok_and(|file| file.try_lock().is_ok());
            if is_free && fs::remove_file(&path).is_ok() {
                used -= length;
            }
        }
        if used.saturating_add(bytes) <= self.most {
            Ok(())
        } else {
            Err(format!(
                "--cache-size: no room for {bytes} bytes, {used} of {} are in use; expected more MiB",
                self.most
            ))
        }
    }

    fn failed(&self, reason: &io::Error) -> String {
        format!("--cache {}: {reason}", self.folder.display())
    }
}

/// Whether a text is a SHA-256 as the arbiter writes it, and so safe as a file name.
pub fn is_hash(text: &str) -> bool {
    let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    text.len() == SHA256_DIGITS && text.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_engine_is_the_one_of_its_name_with_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "one").unwrap();
        let local = [EngineSpec::new("a", &program, Limit::nodes(1))];
        let found = |content: &str, files: &[&str], local: &[EngineSpec]| {
            let mut engine = EngineSpec::new("a", "/elsewhere/a", Limit::nodes(1));
            let id = EngineId {
                name: "a".to_string(),
                sha256: binary::hash_bytes(content.as_bytes()),
                files: files.iter().map(|file| (file.to_string(), "0".repeat(64))).collect(),
                is_shared: false,
            };
            substitute(&mut engine, &id, local).map(|()| engine.command)
        };
        assert_eq!(found("one", &[], &local), Ok(program.clone()));
        for (content, files, local, words) in [
            ("two", &[][..], &local[..], "has SHA-256"),
            ("one", &[], &[], "not on this machine"),
            ("one", &["net"], &local, "file net among its arguments"),
        ] {
            let error = found(content, files, local).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn arguments_are_this_machines_own() {
        let own = std::env::current_exe().unwrap();
        let shell = PathBuf::from("/bin/sh");
        let started = |program: &Path, args: &[&str], local: &[EngineSpec]| {
            let mut engine = EngineSpec::new("a", "/elsewhere/a", Limit::nodes(1));
            engine.args = args.iter().map(|arg| arg.to_string()).collect();
            let id = EngineId {
                name: "a".to_string(),
                sha256: binary::hash(program).unwrap(),
                files: Vec::new(),
                is_shared: false,
            };
            substitute(&mut engine, &id, local).map(|()| engine.args)
        };
        let named = |program: &Path, args: &[&str]| {
            let mut local = EngineSpec::new("a", program, Limit::nodes(1));
            local.args = args.iter().map(|arg| arg.to_string()).collect();
            [local]
        };
        assert_eq!(started(&own, &["engine"], &[]).unwrap(), ["engine"]);
        assert_eq!(started(&own, &["engine"], &named(&own, &[])).unwrap(), ["engine"]);
        assert_eq!(started(&shell, &["x"], &named(&shell, &["x"])).unwrap(), ["x"]);
        for (program, args, local) in [
            (&own, &["work"][..], &[][..]),
            (&own, &[], &[]),
            (&own, &["match"], &named(&own, &["match"])),
            (&shell, &["-c", "touch x"], &named(&shell, &[])),
        ] {
            let error = started(program, args, local).unwrap_err();
            assert!(error.contains("the match starts it with"), "{error}");
        }
    }

    /// Keeps a file of 1 MiB that begins with `words`; returns its hash.
    fn keep(cache: &Cache, words: &str) -> Result<(String, CachedFile), String> {
        let mut bytes = words.as_bytes().to_vec();
        bytes.resize(MIB as usize, 0);
        let sha256 = binary::hash_bytes(&bytes);
        let mut file = cache.begin(MIB)?;
        file.write_all(&bytes).unwrap();
        let held = cache.keep(file, &sha256)?.unwrap();
        // File systems have coarse time stamps.
        std::thread::sleep(Duration::from_millis(20));
        Ok((sha256, held))
    }

    #[test]
    fn what_was_used_least_recently_goes_and_what_is_used_stays() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        let cache = Cache::open(Some(folder.path()), 3).unwrap();
        let (one, held_one) = keep(&cache, "one").unwrap();
        let (two, _) = keep(&cache, "two").unwrap();
        let (three, _) = keep(&cache, "three").unwrap();
        let has = |sha256: &str| cache.find(sha256).unwrap().is_some();
        assert!(has(&two));
        std::thread::sleep(Duration::from_millis(20));
        // The third is now the least recently used file without a lock.
        let (four, held_four) = keep(&cache, "four").unwrap();
        assert!(!has(&three) && has(&one) && has(&two) && has(&four));
        let (_, _held_five) = keep(&cache, "five").unwrap();
        assert!(!has(&two));
        let full = keep(&cache, "six").unwrap_err();
        assert!(full.contains("of 3145728 are in use"), "{full}");
        drop((held_one, held_four));
        keep(&cache, "six").unwrap();
        let large = cache.begin(4 * MIB).unwrap_err();
        assert!(large.contains("--cache-size"), "{large}");
    }

    #[test]
    fn a_damaged_file_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(Some(&folder.path().join("a/b")), 9).unwrap();
        let (sha256, held) = keep(&cache, "one").unwrap();
        let mode = held.path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o500);
        fs::remove_file(&held.path).unwrap();
        fs::write(&held.path, "another").unwrap();
        assert!(cache.find(&sha256).unwrap().is_none());
        assert!(!held.path.exists());
        keep(&cache, "one").unwrap();
        assert!(cache.find(&sha256).unwrap().is_some());
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
        let error = Cache::open(Some(folder.path()), 1).unwrap_err();
        assert!(error.contains("of your own"), "{error}");
    }

    #[test]
    fn a_hash_leads_nowhere_else() {
        assert!(is_hash(&binary::hash_bytes(b"")));
        for text in ["", "../x", &"A".repeat(64), &"0".repeat(63)] {
            assert!(!is_hash(text), "{text}");
        }
    }
}
