//! The engines and the rules program of a match on this machine: found by name, or fetched from the server if the
//! worker accepts that, verified by hash, and run in the sandbox `bwrap` if they were fetched.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use async_nats::jetstream::Context;
use buxtehude::protocol::{OptionKind, OptionOffer};
use buxtehude::rules::VARIANTS;
use matches::plan::rules::Rules;
use matches::plan::{EngineSpec, Isolate, Limit, Plan, binary};
use matches::play::engine::{Engine, Placement};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::runner;
use matches::play::sandbox::Isolation;
use matches::record::printable::printable;
use matches::run::exit::complain;
use tokio::task::block_in_place;

use super::cache::{Cache, CachedFile, is_hash};
use super::{JoinError, Worker};
use crate::args::WorkArgs;
use crate::message::{EngineId, State};
use crate::names::{ENGINES, Names};
use crate::queue::storage::{Chunks, MAX_BYTES_OF_A_FILE};

/// Program of the sandbox.
const PROGRAM: &str = "bwrap";
/// Maximum size of each directory that an engine can write to, in bytes.
const MAX_BYTES: &str = "67108864";
/// Programs and libraries of the system, which an engine sees read-only if they exist.
const SYSTEM_PATHS: &str = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc/alternatives /etc/ld.so.cache \
    /etc/ld.so.conf /nix/store /gnu/store";
/// Flags for all namespaces, the network's included, without capabilities and with an empty environment.
const ISOLATION_FLAGS: &str = "--unshare-user --unshare-all --die-with-parent --cap-drop ALL --clearenv \
    --setenv PATH /usr/bin:/bin --setenv HOME /work --setenv LANG C.UTF-8 --chdir /work";
/// Path of the engine's program in the sandbox.
const OWN_PROGRAM: &str = "/engine/program";

/// The files of a fetched engine, which stay in the cache while this value lives.
#[derive(Debug)]
pub(crate) struct Fetched(#[expect(dead_code, reason = "keeps the locks")] Vec<CachedFile>);

/// Replaces the engines and the rules program of a plan by this machine's or by fetched ones; returns the fetched ones.
pub(super) async fn find(
    worker: &Worker,
    names: &Names,
    state: &State,
    plan: &mut Plan,
) -> Result<Vec<Fetched>, JoinError> {
    let mut rules = plan.rules.program().map(|game| game.plan().clone());
    let programs = plan.engines.iter_mut();
    let programs = programs.chain(rules.as_mut().map(|rules| &mut rules.program));
    let programs: Vec<&mut EngineSpec> = programs.collect();
    let (listed, planned) = (state.engines.len(), programs.len());
    if listed != planned {
        let reason = format!("the match lists {listed} programs, its plan has {planned}");
        return Err(JoinError::Unfit(reason));
    }
    let mut fetched = Vec::new();
    for (engine, id) in programs.into_iter().zip(&state.engines) {
        match (block_in_place(|| substitute(engine, id, &worker.engines)), &worker.fetcher) {
            (Ok(()), _) => {}
            (Err(_), Some(fetcher)) if id.is_shared => {
                fetched.push(fetcher.fetch(&worker.context, names, engine, id).await?);
            }
            (Err(reason), None) if id.is_shared => {
                return Err(JoinError::Unfit(format!(
                    "{reason}; the match shares it: `fleet work --accept-engines` fetches it"
                )));
            }
            (Err(reason), _) => return Err(JoinError::Unfit(reason)),
        }
    }
    if let Some(rules) = rules {
        plan.rules = Rules::apart(rules);
    }
    if let Some(fetcher) = worker.fetcher.as_ref().filter(|_| !fetched.is_empty()) {
        let is_all = fetched.len() == planned;
        fetcher.sandbox.adapt(plan, is_all).map_err(JoinError::Unfit)?;
    }
    Ok(fetched)
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
        complain(format_args!(
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
    ) -> Result<Fetched, JoinError> {
        let name = engine.name.clone();
        let unfit = |reason: String| JoinError::Unfit(format!("engine {name}: {reason}"));
        let (most, memory) = (self.memory, engine.memory.unwrap_or(self.memory));
        if memory > most {
            return Err(unfit(format!("memory={memory}, expected at most --engine-memory {most}")));
        }
        let mut files = Vec::new();
        for sha256 in id.hashes() {
            if !is_hash(sha256) {
                return Err(unfit(format!("{sha256:?} is not a SHA-256")));
            }
            let known = block_in_place(|| self.cache.find(sha256));
            files.push(match known.map_err(JoinError::Unfit)? {
                Some(file) => file,
                None => self.fetch_file(context, names, &name, sha256).await?,
            });
        }
        if let [program, rest @ ..] = files.as_slice() {
            let arguments = id.files.iter().zip(rest);
            let arguments = arguments.map(|((argument, _), file)| (&**argument, &*file.path));
            self.sandbox.place(engine, &program.path, arguments);
        }
        engine.memory = Some(memory);
        Ok(Fetched(files))
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
        let mut file = self.cache.begin(length).map_err(JoinError::Unfit)?;
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
            self.cache.keep(file, sha256).map_err(JoinError::Unfit)
        })?;
        let kept = kept.ok_or_else(|| invalid("it was removed at once".to_string()))?;
        complain(format_args!(
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
        bind(program, OWN_PROGRAM);
        let mut arguments = std::mem::take(&mut engine.args);
        for (number, (argument, path)) in files.enumerate() {
            let name = Path::new(argument).file_name().unwrap_or_default();
            let place = Path::new("/engine/files").join(number.to_string()).join(name);
            let place = place.display().to_string();
            bind(path, &place);
            for renamed in arguments.iter_mut().filter(|renamed| *renamed == argument) {
                renamed.clone_from(&place);
            }
        }
        words.extend(["--proc", "/proc", "--dev", "/dev"].map(String::from));
        for folder in ["/dev/shm", "/tmp", "/work"] {
            words.extend(["--size", MAX_BYTES, "--tmpfs", folder].map(String::from));
        }
        for folder in ["/dev", "/"] {
            words.extend(["--remount-ro", folder].map(String::from));
        }
        words.extend(["--", OWN_PROGRAM].map(String::from));
        words.append(&mut arguments);
        engine.args = words;
        engine.command.clone_from(&self.program);
        engine.dir = None;
        // The sandbox has no network, whether the arbiter isolates engines or not.
        engine.bounds.net = true;
    }

    /// Makes the arbiter isolate the engines of a match as far as this sandbox allows; `is_all` if all its engines were
    /// fetched. Returns the reason if the match requires more.
    pub(crate) fn adapt(&self, plan: &mut Plan, is_all: bool) -> Result<(), String> {
        if self.nests {
            return Ok(());
        }
        if plan.isolate == Isolate::On && !is_all {
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
        let (isolation, _) =
            Isolation::of(plan.isolate, &plan.engines).map_err(|error| error.to_string())?;
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
        let (patience, interrupt) = (plan.patience.ready, &worker.interrupt);
        let started =
            Engine::start(&plain, plan.rules.told(), placement, patience, &worker.log, interrupt);
        let started = started.map_err(|error| error.to_string())?;
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
