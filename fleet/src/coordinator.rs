//! `fleet match`, `fleet tournament` and `fleet resume`: the match is kept in a store on this machine; the server holds
//! only games to be played and games just played.

mod collect;
mod dispatch;
mod drive;
mod prepare;
mod publish;
mod sample;
mod second;

use std::process::ExitCode;

use async_nats::jetstream::Context;
use matches::archive::ArchiveError;
use matches::own_files::NamedFile;
use matches::plan::Plan;
use matches::plan::openings::OpeningError;
use matches::plan::rules::PositionError;
use matches::play::interrupt::Interrupt;
use matches::play::runner::RunError;
use matches::run::exit::{ExitError, USAGE, fail};
use matches::run::ledger::LedgerError;
use matches::run::past::Past;
use matches::run::progress::Progress;
use matches::run::{self, Engines, Match, Source, SourceError, StoredMatch};
use settings::args::{GameArgs, ResumeArgs};
use thiserror::Error;
use tokio::runtime::Runtime;

use crate::args::{CoordinatorArgs, ServerArgs};
use crate::names::Names;
use crate::queue::{QueueError, connect, is_private, patiently};
use crate::signature::Signer;
use prepare::PreparedMatch;

/// Coordinates a new match; returns its exit status.
pub fn begin(
    runtime: &Runtime,
    server: &ServerArgs,
    planned: Result<(Plan, Vec<String>), ExitError>,
    args: &GameArgs,
    settings: &CoordinatorArgs,
) -> ExitCode {
    let planned = match planned {
        Ok(planned) => planned,
        Err(error) => return error.exit(),
    };
    let mut fleet = Fleet::new(runtime, settings);
    let mut new = args.new_match();
    new.inputs.extend(inputs(server, settings));
    if !args.dry_run {
        if new.store.is_none() {
            return fail(USAGE, "--store: expected a new file for the match");
        }
        // Connects before the store is created, so that no file is left behind if there is no server.
        if let Err(error) = fleet.connect(server) {
            return fail(USAGE, error);
        }
    }
    run::begin(planned, &new, &mut fleet)
}

/// Coordinates the rest of a stored match; returns its exit status.
pub fn resume(
    runtime: &Runtime,
    server: &ServerArgs,
    args: &ResumeArgs,
    settings: &CoordinatorArgs,
) -> ExitCode {
    let mut fleet = Fleet::new(runtime, settings);
    // A match that turns out to be complete needs no server.
    let _ = fleet.connect(server);
    let stored = StoredMatch { inputs: inputs(server, settings), ..args.stored_match() };
    run::resume(&stored, &mut fleet)
}

/// The files that a coordinator's flags name, besides those of `arbiter`.
fn inputs(server: &ServerArgs, settings: &CoordinatorArgs) -> Vec<NamedFile> {
    let workers = settings.workers.as_deref();
    let workers = workers.map(|path| NamedFile::input("--workers", path));
    server.files().into_iter().chain(workers).collect()
}

/// The workers that a server connects with this coordinator.
struct Fleet<'a> {
    runtime: &'a Runtime,
    settings: &'a CoordinatorArgs,
    context: Result<(Context, Signer), String>,
    /// Whether no other machine reaches the server.
    is_private: bool,
    prepared: Option<PreparedMatch>,
}

impl<'a> Fleet<'a> {
    fn new(runtime: &'a Runtime, settings: &'a CoordinatorArgs) -> Fleet<'a> {
        let context = Err("not connected".to_string());
        Fleet { runtime, settings, context, is_private: false, prepared: None }
    }

    fn connect(&mut self, server: &ServerArgs) -> Result<(), String> {
        // No signal handler is installed yet, so a signal ends the coordinator at once.
        let interrupt = Interrupt::new();
        let connected = patiently(&interrupt, || connect(server, "fleet coordinator", None));
        let connected = self.runtime.block_on(connected);
        let connected = connected.map_err(|error: QueueError| error.to_string());
        self.is_private = connected.as_ref().is_ok_and(|context| is_private(&server.nats, context));
        self.context = connected.and_then(|context| {
            let signer = match &server.nkey {
                Some(path) => Signer::read("--nkey", path),
                // All workers may have the same credentials.
                None => Signer::kept("coordinator"),
            };
            Ok((context, signer.map_err(|error| error.to_string())?))
        });
        self.context.as_ref().map(drop).map_err(Clone::clone)
    }
}

impl Source for Fleet<'_> {
    const KEEPS_NAMES: bool = true;

    fn retired(past: &Past, plan: &Plan) -> Vec<String> {
        past.retired(plan)
    }

    fn prepare(&mut self, planned: &mut Match, _: Engines) -> Result<String, ExitError> {
        let (_, signer) = self.context.as_ref().map_err(ExitError::usage)?;
        let prepared = PreparedMatch::of(planned, self.settings, self.is_private, signer.key())?;
        if let Some(speed) = prepared.reference_speed {
            planned.remarks.push(format!(
                "time limits are for a machine with {speed} positions a second, and scaled for others"
            ));
        }
        let text = format!(
            "match {}: run `fleet work` to play it, on other machines with --coordinator {}",
            prepared.names.id(),
            signer.key()
        );
        self.prepared = Some(prepared);
        Ok(text)
    }

    fn play(&mut self, planned: &mut Match, progress: &Progress) -> Result<(), SourceError> {
        let (Ok((context, signer)), Some(prepared)) = (&self.context, &self.prepared) else {
            return Err(SourceError::Source("not prepared".to_string()));
        };
        let played = drive::play(context, signer, prepared, self.settings, planned, progress);
        Ok(self.runtime.block_on(played)?)
    }

    fn clean_up(&mut self, complete: &Match) {
        let store = complete.ledger.store.as_ref();
        let names: Option<Names> =
            store.and_then(|store| prepare::stored_names(store).ok().flatten());
        if let (Ok((context, signer)), Some(names)) = (&self.context, names) {
            self.runtime.block_on(publish::remove(context, signer, &names));
        }
    }
}

/// Errors that stop a coordinated match.
#[derive(Debug, Error)]
pub enum DriveError {
    /// A game could not be stored or shown.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A call to the server failed; it can be repeated.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The rules refuse a move of the schedule or a card.
    #[error(transparent)]
    Rules(#[from] PositionError),
    #[error("opening: {0}")]
    Opening(#[from] OpeningError),
    /// The plan cannot be sent.
    #[error("{0}")]
    Plan(String),
    #[error("another coordinator has taken over match {id}; run only one for each match")]
    Taken { id: String },
}

impl From<ArchiveError> for DriveError {
    fn from(error: ArchiveError) -> DriveError {
        LedgerError::Machines(error).into()
    }
}

impl From<DriveError> for SourceError {
    fn from(error: DriveError) -> SourceError {
        match error {
            DriveError::Ledger(error) => SourceError::Ledger(error),
            DriveError::Rules(error) => RunError::from(error).into(),
            DriveError::Opening(error) => RunError::from(error).into(),
            error => SourceError::Source(error.to_string()),
        }
    }
}
