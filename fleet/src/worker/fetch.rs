//! Engines fetched from the server, if the worker accepts them.

use std::io::{self, Write};

use async_nats::jetstream::Context;
use matches::plan::{EngineSpec, Plan, binary};
use matches::play::interrupt::Interrupt;
use matches::record::printable::printable;
use matches::run::exit::complain;
use tempfile::TempDir;
use thiserror::Error;

use super::cache::{Cache, CacheError, Held, is_hash};
use super::sandbox::{Files, Sandbox};
use crate::args::{Acceptance, WorkArgs};
use crate::message::EngineId;
use crate::names::Names;
use crate::queue::QueueError;
use crate::queue::objects::{MOST_BYTES_OF_A_FILE, open_file};

/// Reasons why this worker cannot accept engines.
#[derive(Debug, Error)]
pub(crate) enum AcceptError {
    /// The cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// There is no sandbox.
    #[error(
        "--accept-engines: {reason}, so engines could access your files; expected bwrap, or \
         --accept-engines=unsandboxed"
    )]
    NoSandbox { reason: String },
}

/// Reasons why an engine is not fetched.
#[derive(Debug, Error)]
pub(crate) enum FetchError {
    /// A call to the server failed; it may succeed later.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The cache has no room for it.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A file cannot be written.
    #[error("engine {name}: cannot write its files: {reason}")]
    File { name: String, reason: io::Error },
    /// The hash in the match's state is malformed.
    #[error("engine {name}: {found:?} is not a SHA-256")]
    NoHash { name: String, found: String },
    /// A file is too long.
    #[error("engine {name}: a file of {found} bytes, expected at most {most}")]
    Long { name: String, found: u64, most: u64 },
    /// A file does not have the hash that it is named by.
    #[error("engine {name}: no valid file for SHA-256 {expected}: {found}")]
    Other {
        name: String,
        expected: String,
        found: String,
    },
    /// The match grants it more memory than this worker allows.
    #[error("engine {name}: memory={found}, expected at most --engine-memory {most}")]
    Memory { name: String, found: u64, most: u64 },
    /// The match requires isolation that does not work together with the sandbox.
    #[error(
        "--isolate on: this machine cannot isolate fetched engines together with others, expected --isolate auto"
    )]
    Isolation,
}

/// Fetches engines and sets up their sandboxes.
#[derive(Debug)]
pub(crate) struct Fetcher {
    cache: Cache,
    sandbox: Sandbox,
    /// Memory limit of an engine, in MiB.
    memory: u64,
}

/// A fetched engine, whose files exist while this value lives.
#[derive(Debug)]
pub(crate) struct Fetched {
    _files: Vec<Held>,
    _folder: TempDir,
}

impl Fetcher {
    /// Returns a fetcher and prints the access rights of engines, if the worker accepts any; `None` otherwise.
    ///
    /// # Errors
    /// [`AcceptError`].
    pub(crate) fn of(
        args: &WorkArgs,
        interrupt: &Interrupt,
    ) -> Result<Option<Fetcher>, AcceptError> {
        let Some(acceptance) = args.accept_engines else {
            return Ok(None);
        };
        let cache = Cache::open(args.cache.as_deref(), args.cache_size)?;
        let sandbox = Sandbox::find(interrupt);
        if let (Sandbox::None { reason, .. }, Acceptance::Sandboxed) = (&sandbox, acceptance) {
            let reason = reason.clone();
            return Err(AcceptError::NoSandbox { reason });
        }
        let memory = args.engine_memory;
        complain(format_args!(
            "accepting engines; each has {memory} MiB of memory and is {}",
            sandbox.words()
        ));
        Ok(Some(Fetcher {
            cache,
            sandbox,
            memory,
        }))
    }

    /// Fetches an engine's files that are not in the cache, and makes the engine run them in the sandbox.
    ///
    /// # Errors
    /// [`FetchError`].
    pub(crate) async fn fetch(
        &self,
        context: &Context,
        names: &Names,
        engine: &mut EngineSpec,
        id: &EngineId,
    ) -> Result<Fetched, FetchError> {
        let name = || engine.name.clone();
        let (most, found) = (self.memory, engine.memory.unwrap_or(self.memory));
        if found > most {
            let name = name();
            return Err(FetchError::Memory { name, found, most });
        }
        let mut files = Vec::new();
        for sha256 in id.hashes() {
            if !is_hash(sha256) {
                let (name, found) = (name(), sha256.to_string());
                return Err(FetchError::NoHash { name, found });
            }
            let known = tokio::task::block_in_place(|| self.cache.find(sha256))?;
            files.push(match known {
                Some(file) => file,
                None => {
                    self.fetch_file(context, names, &engine.name, sha256)
                        .await?
                }
            });
        }
        let failed = |name: &str, reason| FetchError::File {
            name: name.to_string(),
            reason,
        };
        let folder = tempfile::tempdir().map_err(|reason| failed(&engine.name, reason))?;
        if let [program, rest @ ..] = files.as_slice() {
            let arguments = id.files.iter().zip(rest);
            let arguments = arguments.map(|((argument, _), held)| (&**argument, &*held.path));
            let files = Files {
                program: &program.path,
                arguments: arguments.collect(),
                folder: folder.path(),
            };
            let placed = self.sandbox.place(engine, &files);
            placed.map_err(|reason| failed(&engine.name, reason))?;
        }
        engine.memory = Some(found);
        Ok(Fetched {
            _files: files,
            _folder: folder,
        })
    }

    /// Adapts a match to the sandbox, if any of its engines were fetched; `fetched` is their number.
    ///
    /// # Errors
    /// [`FetchError::Isolation`].
    pub(crate) fn adapt(&self, plan: &mut Plan, fetched: usize) -> Result<(), FetchError> {
        let is_all = fetched == plan.engines.len();
        match fetched == 0 || self.sandbox.adapt(plan, is_all) {
            true => Ok(()),
            false => Err(FetchError::Isolation),
        }
    }

    async fn fetch_file(
        &self,
        context: &Context,
        names: &Names,
        engine: &str,
        sha256: &str,
    ) -> Result<Held, FetchError> {
        let name = || engine.to_string();
        let long = |found| FetchError::Long {
            name: name(),
            found,
            most: MOST_BYTES_OF_A_FILE,
        };
        let other = |found: String| FetchError::Other {
            name: name(),
            expected: sha256.to_string(),
            found,
        };
        let mut object = open_file(context, names, sha256).await?;
        let length = object.left() as u64;
        if length > MOST_BYTES_OF_A_FILE {
            return Err(long(length));
        }
        let mut file = self.cache.begin(length)?;
        let mut bytes = 0;
        while let Some(chunk) = object.next().await? {
            bytes += chunk.len() as u64;
            if bytes > length {
                return Err(other(format!("it has more than {length} bytes")));
            }
            let written = file.write_all(&chunk);
            written.map_err(|reason| FetchError::File {
                name: name(),
                reason,
            })?;
        }
        let kept = tokio::task::block_in_place(|| {
            match binary::hash_file(file.path()) {
                Ok(found) if found == sha256 => {}
                Ok(found) => return Err(other(format!("it has SHA-256 {found}"))),
                Err(reason) => {
                    let name = name();
                    return Err(FetchError::File { name, reason });
                }
            }
            Ok(self.cache.keep(file, sha256)?)
        })?;
        let kept = kept.ok_or_else(|| other("it was removed at once".to_string()))?;
        complain(format_args!(
            "engine {}: fetched {length} bytes with SHA-256 {sha256}",
            printable(engine)
        ));
        Ok(kept)
    }
}
