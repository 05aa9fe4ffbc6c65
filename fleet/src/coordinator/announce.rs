//! A match as workers see it: prepared before its first game, and published with its plan, its engines, its state and
//! its tally.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::once;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use matches::archive::ArchiveError;
use matches::archive::store::Store;
use matches::plan::{EngineSpec, LuckBy, Plan, binary};
use matches::play::interrupt::Interrupt;
use matches::run::Match;
use matches::run::exit::ExitError;
use matches::{VERSION, input_file};
use serde::{Deserialize, Serialize};
use tokio::fs::File;

use super::machines::KnownMachines;
use super::{Connection, DriveError};
use crate::args::CoordinatorArgs;
use crate::message::{AsideTally, EngineId, OpenMatches, Phase, State, Tally, write_plan};
use crate::queue::{self, BEATS, ENGINES, MATCHES, MatchQueue, Names, PLANS, QueueError, notify};
use crate::signature::{Key, SignatureError, Signer};
use crate::storage::{self, Bucket, MAX_BYTES_OF_A_FILE, Stamp, stamp};
use crate::time_scale::{self, measure_speed};

/// Name of the store's note with a [`MatchNote`] in JSON.
const NOTE: &str = "fleet";

/// Maximum number of keys of `--workers`: the state of a match names all of them.
const MAX_WORKER_KEYS: usize = 5000;

/// The coordinator's own state of a match, which it keeps in the store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchNote {
    /// Id of the match on the server.
    id: String,
    /// Number of the last session.
    session: u64,
    /// Speed, in positions a second, that the time limits are meant for; `None` if they are the same on every machine.
    reference_speed: Option<u64>,
    /// Names of the shared engines.
    shared: BTreeSet<String>,
    workers: Admission,
    /// Workers that are set aside, by name.
    pub set_aside: BTreeMap<String, AsideTally>,
}

/// Choice of the workers whose games count.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Admission {
    /// No coordinator had to choose yet.
    Unset,
    Everybody,
    Listed(BTreeSet<Key>),
}

impl MatchNote {
    /// Reads the note in a store; `None` if no fleet has played its match.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read.
    pub fn read(store: &Store) -> Result<Option<MatchNote>, ArchiveError> {
        let Some(text) = store.note(NOTE)? else {
            return Ok(None);
        };
        let wrong = |error| ArchiveError::content(store.path(), format!("note {NOTE}"), &error);
        serde_json::from_str(&text).map(Some).map_err(wrong)
    }

    pub fn names(&self) -> Option<Names> {
        Names::of(&self.id)
    }

    /// Writes the note, and removes games from the store at the same moment.
    ///
    /// # Errors
    /// [`ArchiveError`] if nothing could be written.
    pub fn write(&self, store: &mut Store, removed: &[u64]) -> Result<(), ArchiveError> {
        // Texts and numbers always have a JSON form.
        store.remove(removed, NOTE, &serde_json::to_string(self).unwrap_or_default())
    }
}

/// A match that is ready to be announced.
pub struct PreparedMatch {
    pub connection: Connection,
    pub names: Names,
    pub note: MatchNote,
    pub machines: KnownMachines,
    /// Whether engines that retired in earlier runs play again.
    pub forgives: bool,
    /// Time that a worker may be silent.
    pub ack_wait: Duration,
    /// State of the match when it is announced.
    pub state: State,
    plan: Vec<u8>,
    /// Names of the shared engines' files on the server, and their paths here.
    shared: Vec<(String, PathBuf)>,
}

impl PreparedMatch {
    /// Prepares a match whose store is open.
    pub fn of(
        planned: &mut Match,
        settings: &CoordinatorArgs,
        connection: &Connection,
        forgives: bool,
    ) -> Result<PreparedMatch, ExitError> {
        refuse_same_name(&planned.plan)?;
        let mut engines = programs(&planned.plan).map(id_of).collect::<Result<Vec<_>, _>>()?;
        let Some(store) = &mut planned.ledger.store else {
            return Err(ExitError::usage("--store: expected a file for the match"));
        };
        let mut note = MatchNote::read(store)?.unwrap_or_else(|| MatchNote {
            id: Names::numbered(rand::random()).id().to_string(),
            session: 0,
            reference_speed: None,
            shared: BTreeSet::new(),
            workers: Admission::Unset,
            set_aside: BTreeMap::new(),
        });
        let names =
            note.names().ok_or_else(|| ExitError::usage("the store has a wrong match id"))?;
        if planned.is_new {
            // The plan as any later coordinator will read it.
            planned.plan = store.plan()?;
        }
        let plan = &planned.plan;
        note.shared.extend(settings.share_engine.iter().cloned());
        let shared = share_engines(plan, &mut engines, &note.shared, &names)?;
        let timed = plan.engines.iter().find(|engine| !engine.limit.is_timeless());
        if let Some(engine) = timed.filter(|_| settings.check_sample.is_some()) {
            let name = &engine.name;
            return Err(ExitError::usage(format!(
                "--check-sample: engine {name} is limited by time, expected depth or nodes"
            )));
        }
        if matches!(plan.luck.by, Some(LuckBy::Engine { .. })) && !plan.luck.after {
            let reason =
                "--luck-engine: workers measure with the built-in engine; add --luck after";
            return Err(ExitError::usage(reason));
        }
        note.scale_time(plan, planned.is_new, settings.scale_time)?;
        note.begin_session();
        note.admit(settings, connection)?;
        note.write(store, &[])?;
        let machines = KnownMachines::of(store, plan, forgives)?;
        let plan = write_plan(plan).map_err(ExitError::usage)?;
        let ids = |keys: &BTreeSet<Key>| keys.iter().map(|key| key.id().to_string()).collect();
        let state = State {
            phase: Phase::Open,
            arbiter: VERSION.to_string(),
            session: note.session,
            revision: 0,
            plan: binary::hash_bytes(&plan),
            engines,
            ack_wait_ms: settings.ack_wait * 1000,
            set_aside: BTreeSet::new(),
            workers: note.listed().map(ids),
            reference_speed: note.reference_speed,
        };
        Ok(PreparedMatch {
            connection: connection.clone(),
            names,
            note,
            machines,
            forgives,
            ack_wait: Duration::from_secs(settings.ack_wait),
            state,
            plan,
            shared,
        })
    }

    /// Creates what the server lacks of the match's streams and consumers.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn ensure_queue(&self) -> Result<MatchQueue, QueueError> {
        MatchQueue::ensure(&self.connection.context, &self.names, self.ack_wait).await
    }
}

impl MatchNote {
    /// Keys of the workers whose games count; `None` for all.
    pub fn listed(&self) -> Option<&BTreeSet<Key>> {
        match &self.workers {
            Admission::Listed(keys) => Some(keys),
            Admission::Unset | Admission::Everybody => None,
        }
    }

    /// Takes the number of the next session: the time, unless the clock was set back. A coordinator with a copy of the
    /// store thus uses another number.
    fn begin_session(&mut self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_micros() as u64);
        self.session = now.max(self.session.saturating_add(1));
    }

    /// Chooses the workers whose games count. Without a flag, the choice of an earlier coordinator applies. If no other
    /// machine reaches the server, neither is needed.
    fn admit(
        &mut self,
        settings: &CoordinatorArgs,
        connection: &Connection,
    ) -> Result<(), ExitError> {
        if let Some(path) = &settings.workers {
            self.workers = Admission::Listed(listed_keys(path).map_err(ExitError::usage)?);
        } else if settings.open {
            self.workers = Admission::Everybody;
        }
        if matches!(self.workers, Admission::Unset) && !connection.is_private {
            let own = connection.signer.key();
            return Err(ExitError::usage(format!(
                "other machines may reach the server: expected --workers FILE with the keys of the workers whose games \
                 count, which `fleet work --coordinator {own}` prints, or --open to count everybody's"
            )));
        }
        Ok(())
    }

    /// Sets the speed that the time limits of a new match are meant for: `asked`, where 0 stands for this machine's. A
    /// resumed match keeps its own.
    fn scale_time(
        &mut self,
        plan: &Plan,
        is_new: bool,
        asked: Option<u64>,
    ) -> Result<(), ExitError> {
        let Some(asked) = asked else {
            return Ok(());
        };
        let known = self.reference_speed;
        if !is_new && (asked == 0 || Some(asked) == known) {
            return Ok(());
        }
        if !is_new {
            let known = known.map_or("none".to_string(), |known| known.to_string());
            return Err(ExitError::usage(format!(
                "--scale-time {asked}: the match began with {known}, expected the same or no flag"
            )));
        }
        if !time_scale::is_timed(plan) {
            return Err(ExitError::usage(
                "--scale-time: no engine is limited by time, expected --tc or --movetime",
            ));
        }
        let speed = match asked {
            0 => measure_speed(1, &Interrupt::new()),
            asked => Some(asked),
        };
        self.reference_speed = speed;
        speed.map(drop).ok_or_else(|| {
            ExitError::usage("--scale-time: the speed of this machine could not be measured")
        })
    }
}

/// Reads the keys in a file, one on each line; `#` begins a comment.
fn listed_keys(path: &Path) -> Result<BTreeSet<Key>, String> {
    let file = format!("--workers {}", path.display());
    let text = input_file::read_text(path).map_err(|reason| {
        format!("{file}: {reason}; expected a file with the key of a worker on each line")
    })?;
    let mut keys = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        let word = line.split('#').next().unwrap_or_default().trim();
        if word.is_empty() {
            continue;
        }
        let wrong = |reason| format!("{file}:{}: {word:?}: {reason}", index + 1);
        keys.insert(word.parse().map_err(|reason: SignatureError| wrong(reason))?);
    }
    match keys.len() {
        1..=MAX_WORKER_KEYS => Ok(keys),
        found => Err(format!("{file}: found {found} keys, expected 1 to {MAX_WORKER_KEYS}")),
    }
}

/// The programs that workers need: the engines in the order of the plan, then the rules program, if there is one.
fn programs(plan: &Plan) -> impl Iterator<Item = &EngineSpec> {
    let rules = plan.rules.program().map(|game| &game.plan().program);
    plan.engines.iter().chain(rules)
}

/// Refuses a rules program with the name of an engine, because workers find both by name.
fn refuse_same_name(plan: &Plan) -> Result<(), ExitError> {
    let name = plan.rules.name();
    match plan.engines.iter().any(|engine| engine.name == name) {
        true if plan.rules.program().is_some() => Err(ExitError::usage(format!(
            "--rules: name={name} is also the name of an engine; expected another name="
        ))),
        _ => Ok(()),
    }
}

fn id_of(engine: &EngineSpec) -> Result<EngineId, ExitError> {
    let Some(sha256) = binary::hash(&engine.command) else {
        let (name, command) = (&engine.name, engine.command.display());
        let reason = format!("engine {name}: cannot read its program {command}");
        return Err(ExitError::usage(reason));
    };
    Ok(EngineId {
        name: engine.name.clone(),
        sha256,
        files: binary::hash_arguments(&engine.args, engine.dir.as_deref()),
        is_shared: false,
    })
}

/// Shares the engines with these names: returns the name of each file on the server, and its path here.
fn share_engines(
    plan: &Plan,
    engines: &mut [EngineId],
    shared: &BTreeSet<String>,
    names: &Names,
) -> Result<Vec<(String, PathBuf)>, ExitError> {
    let mut files = Vec::new();
    for name in shared {
        let mut found = engines.iter_mut().zip(programs(plan));
        let Some((id, engine)) = found.find(|(id, _)| id.name == *name) else {
            let known: Vec<&str> = engines.iter().map(|id| &*id.name).collect();
            let known = known.join(", ");
            return Err(ExitError::usage(format!(
                "--share-engine {name}: expected an engine of the match: {known}"
            )));
        };
        let program = binary::files(&engine.command, &[], None).into_iter();
        let dir = engine.dir.clone().unwrap_or_default();
        let arguments = id.files.iter().map(|(argument, _)| dir.join(argument));
        for (path, sha256) in program.chain(arguments).zip(id.hashes()) {
            let length = path.metadata().map_or(0, |found| found.len());
            if length > MAX_BYTES_OF_A_FILE {
                let path = path.display();
                return Err(ExitError::usage(format!(
                    "--share-engine {name}: {path} has {length} bytes, expected at most {MAX_BYTES_OF_A_FILE}"
                )));
            }
            files.push((names.file(sha256), path));
        }
        id.is_shared = true;
    }
    Ok(files)
}

/// Time between two checks of the plan and the shared engines.
const OBJECT_INTERVAL: Duration = Duration::from_secs(10);
/// Attempts to change the list of open matches while other coordinators change it.
const MAX_UPDATE_TRIES: usize = 20;

/// Keeps what workers need on the server, which may lose it, and where a stranger may write over it.
pub struct Announcer<'a> {
    prepared: &'a PreparedMatch,
    state: State,
    /// The plan and the files of shared engines as they are stored, by name.
    objects: BTreeMap<String, Option<Stamp>>,
    /// Time of their last check; `None` to check them at once.
    pub checked: Option<Instant>,
}

impl<'a> Announcer<'a> {
    pub fn new(prepared: &'a PreparedMatch) -> Announcer<'a> {
        let (state, objects) = (prepared.state.clone(), BTreeMap::new());
        Announcer { prepared, state, objects, checked: None }
    }

    /// Publishes everything that workers need and the server lacks, and adds the match to the list of open ones;
    /// returns whether anything was missing.
    ///
    /// # Errors
    /// [`DriveError::Taken`] if a later coordinator with this key has published its own state.
    pub async fn announce(&mut self) -> Result<bool, DriveError> {
        let PreparedMatch { connection, names, .. } = self.prepared;
        let Connection { context, signer, .. } = connection;
        Bucket::ensure(context, BEATS).await?;
        let matches = Bucket::ensure(context, MATCHES).await?;
        let (state, key) = (names.state(), signer.key());
        let published = match self.checked {
            // A state of another version is of an earlier session.
            None => matches.get_readable::<State>(&state, key).await?,
            // It is of another process, which has taken the match over.
            Some(_) => matches.get::<State>(&state, key).await?,
        };
        let mut is_new = false;
        if self.checked.is_none_or(|at| at.elapsed() > OBJECT_INTERVAL) {
            is_new = self.put_objects().await?;
            self.checked = Some(Instant::now());
        }
        let session = published.as_ref().map(|state| state.session);
        if session > Some(self.state.session) {
            return Err(DriveError::Taken { id: names.id().to_string() });
        }
        if published.as_ref() != Some(&self.state) {
            self.put_state().await?;
        }
        is_new |= session != Some(self.state.session);
        is_new |= change_open(&matches, signer, |open| {
            if !open.ids.iter().any(|id| id == names.id()) {
                open.ids.push(names.id().to_string());
            }
        })
        .await?;
        if is_new {
            notify(context).await;
        }
        Ok(is_new)
    }

    /// Stores the plan and the shared engines, unless they are as this coordinator has stored them; returns whether any
    /// was not.
    async fn put_objects(&mut self) -> Result<bool, QueueError> {
        let context = &self.prepared.connection.context;
        let shared = self.prepared.shared.iter().map(|(name, path)| (ENGINES, name, Some(path)));
        let mut is_new = false;
        for (bucket, name, path) in once((PLANS, &self.prepared.state.plan, None)).chain(shared) {
            let stored = stamp(context, bucket, name).await?;
            if stored.is_some() && self.objects.get(name) == Some(&stored) {
                continue;
            }
            match path {
                None => storage::put(context, bucket, name, &*self.prepared.plan).await?,
                Some(path) => {
                    let file = File::open(path).await.map_err(|error| {
                        QueueError::call("shared engine")(format!("{}: {error}", path.display()))
                    })?;
                    storage::put(context, bucket, name, file).await?;
                }
            }
            self.objects.insert(name.clone(), stamp(context, bucket, name).await?);
            is_new = true;
        }
        Ok(is_new)
    }

    /// Publishes the ids of the workers that are set aside, if they have changed.
    pub async fn set_aside(&mut self, ids: &BTreeSet<String>) {
        if self.state.set_aside != *ids {
            self.state.set_aside.clone_from(ids);
            // If this fails, the next repair publishes it.
            let _ = self.put_state().await;
        }
    }

    /// Publishes that the match is paused or over; removes one that is over from the server.
    pub async fn close(&mut self, is_over: bool, tally: &Tally) {
        self.state.phase = if is_over { Phase::Over } else { Phase::Paused };
        // If this fails, the server keeps the old state until the match is resumed.
        let _ = self.put_state().await;
        let _ = self.put_tally(tally).await;
        if is_over {
            remove(&self.prepared.connection, &self.prepared.names).await;
        }
    }

    async fn put_state(&mut self) -> Result<(), QueueError> {
        self.state.revision += 1;
        let Connection { context, signer, .. } = &self.prepared.connection;
        let matches = Bucket::ensure(context, MATCHES).await?;
        matches.put(&self.prepared.names.state(), &self.state, signer).await?;
        notify(context).await;
        Ok(())
    }

    pub async fn put_tally(&self, tally: &Tally) -> Result<(), QueueError> {
        let Connection { context, signer, .. } = &self.prepared.connection;
        let matches = Bucket::ensure(context, MATCHES).await?;
        for (part, tally) in tally.parts().into_iter().enumerate() {
            matches.put(&self.prepared.names.tally(part), &tally, signer).await?;
        }
        Ok(())
    }
}

/// Removes a match that is over from the server, except its state.
pub async fn remove(connection: &Connection, names: &Names) {
    let Connection { context, signer, .. } = connection;
    MatchQueue::remove(context, names).await;
    let Ok(matches) = Bucket::ensure(context, MATCHES).await else {
        return;
    };
    // A match that stays in the list is harmless: its state tells workers that it is over.
    let _ = change_open(&matches, signer, |open| open.ids.retain(|id| id != names.id())).await;
    if let Ok(Some(state)) = matches.get::<State>(&names.state(), signer.key()).await {
        storage::remove(context, PLANS, &state.plan).await;
        for id in state.engines.iter().filter(|id| id.is_shared) {
            for sha256 in id.hashes() {
                storage::remove(context, ENGINES, &names.file(sha256)).await;
            }
        }
    }
}

/// Changes the list of the coordinator's open matches, which its other processes may change at the same time; returns
/// whether it differs now.
async fn change_open(
    matches: &Bucket,
    signer: &Signer,
    change: impl Fn(&mut OpenMatches),
) -> Result<bool, QueueError> {
    let (key, mut tries) = (queue::open(signer.key()), 0);
    loop {
        let (found, revision) = matches.read::<OpenMatches>(&key, signer.key()).await?;
        // A list of another version is written anew: its matches cannot be played by workers of this one.
        let mut open = found.unwrap_or_default().unwrap_or_default();
        let before = open.clone();
        change(&mut open);
        if open == before {
            return Ok(false);
        }
        match matches.replace(&key, &open, signer, revision).await {
            Err(_) if tries < MAX_UPDATE_TRIES => tries += 1,
            outcome => return outcome.map(|()| true),
        }
    }
}
