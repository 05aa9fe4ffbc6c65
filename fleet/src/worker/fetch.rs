//! Engines that are fetched from the server, for a worker that was told to accept them.

use std::io::{self, Write};

use async_nats::jetstream::Context;
use matches::plan::{EngineSpec, Plan, binary};
use matches::play::interrupt::Interrupt;
use matches::record::printable::printable;
use matches::run::exit::complain;
use tempfile::TempDir;
use thiserror::Error;

use super::cache::{Cache, CacheError, Held, is_hash};
use super::walls::{Files, Walls};
use crate::args::{Acceptance, WorkArgs};
use crate::message::EngineId;
use crate::names::Names;
use crate::queue::QueueError;
use crate::queue::objects::{MOST_BYTES_OF_A_FILE, open_file};

/// Why no engines can be accepted here.
#[derive(Debug, Error)]
pub(crate) enum AcceptError {
    /// The cache is of no use.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// There are no walls.
    #[error(
        "--accept-engines: {reason}, so engines could access your files; expected bwrap, or \
         --accept-engines=unwalled"
    )]
    NoWalls {
        /// Why.
        reason: String,
    },
}

/// Why an engine is not fetched.
#[derive(Debug, Error)]
pub(crate) enum FetchError {
    /// The server does not give it; it may later.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// There is no place for it.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A file for it cannot be written.
    #[error("engine {name}: cannot write its files: {reason}")]
    File { name: String, reason: io::Error },
    /// Its hash is none.
    #[error("engine {name}: {found:?} is not a SHA-256")]
    NoHash { name: String, found: String },
    /// It is too long.
    #[error("engine {name}: a file of {found} bytes, expected at most {most}")]
    Long { name: String, found: u64, most: u64 },
    /// It is not what it is called.
    #[error("engine {name}: no valid file for SHA-256 {expected}: {found}")]
    Other {
        name: String,
        expected: String,
        found: String,
    },
    /// It may want more memory than fetched engines have here.
    #[error("engine {name}: memory={found}, expected at most --engine-memory {most}")]
    Memory { name: String, found: u64, most: u64 },
    /// The match wants isolation beside the walls.
    #[error(
        "--isolate on: this machine cannot isolate fetched engines together with others, expected --isolate auto"
    )]
    Isolation,
}

/// Fetches engines and places them behind walls.
#[derive(Debug)]
pub(crate) struct Fetcher {
    cache: Cache,
    walls: Walls,
    /// The most memory of an engine in MiB.
    memory: u64,
}

/// An engine that was fetched: its files are there as long as this lives.
#[derive(Debug)]
pub(crate) struct Fetched {
    _files: Vec<Held>,
    _folder: TempDir,
}

impl Fetcher {
    /// What fetches engines for a worker that is told to, and says what these can do; `None` for all others.
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
        let walls = Walls::find(interrupt);
        if let (Walls::None { reason, .. }, Acceptance::Walled) = (&walls, acceptance) {
            let reason = reason.clone();
            return Err(AcceptError::NoWalls { reason });
        }
        let memory = args.engine_memory;
        complain(format_args!(
            "accepting engines; each has {memory} MiB of memory and is {}",
            walls.words()
        ));
        Ok(Some(Fetcher {
            cache,
            walls,
            memory,
        }))
    }

    /// Fetches what is not in the cache of an engine, and has it run behind the walls.
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
            let placed = self.walls.place(engine, &files);
            placed.map_err(|reason| failed(&engine.name, reason))?;
        }
        engine.memory = Some(found);
        Ok(Fetched {
            _files: files,
            _folder: folder,
        })
    }

    /// Adapts a match to the walls, of whose engines so many were fetched.
    ///
    /// # Errors
    /// [`FetchError::Isolation`].
    pub(crate) fn adapt(&self, plan: &mut Plan, fetched: usize) -> Result<(), FetchError> {
        let is_all = fetched == plan.engines.len();
        match fetched == 0 || self.walls.adapt(plan, is_all) {
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
