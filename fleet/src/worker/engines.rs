//! The engines and the rules program of a match on this machine: found by name, or fetched from the server if the
//! worker accepts that, and verified by hash.

use std::io::Write;

use async_nats::jetstream::Context;
use matches::plan::rules::Rules;
use matches::plan::{EngineSpec, Plan, binary};
use matches::play::interrupt::Interrupt;
use matches::record::printable::printable;
use matches::run::exit::complain;
use tokio::task::block_in_place;

use super::cache::{Cache, CachedFile, is_hash};
use super::sandbox::Sandbox;
use super::{JoinError, Worker};
use crate::args::WorkArgs;
use crate::message::{EngineId, State};
use crate::names::{ENGINES, Names};
use crate::queue::objects::{Chunks, MAX_BYTES_OF_A_FILE};

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

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use matches::plan::Limit;

    #[test]
    fn an_engine_is_the_one_of_its_name_with_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        std::fs::write(&program, "one").unwrap();
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
