//! Collecting results: each game is checked, stored, counted once, and shown. Nothing here talks to the server.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_nats::jetstream::AckKind;
use buxtehude::rules::is_card;
use matches::luck::Evaluator;
use matches::plan::Plan;
use matches::plan::deck::Seed;
use matches::plan::rules::PositionError;
use matches::plan::schedule::{Schedule, ScheduledGame};
use matches::play::runner::{Event, Played};
use matches::record::GameRecord;
use matches::record::printable::{printable, shortened};
use matches::run::Match;
use matches::run::display::{Progress, count};
use matches::run::exit::print_error;
use matches::run::ledger::LedgerError;
use matches::run::past::Past;
use matches::score::Verdict;
use serde::Serialize;

use super::DriveError;
use super::announce::{MatchNote, PreparedMatch};
use super::machines::{KnownMachines, for_each_game, note_name, worker_in};
use super::unit_schedule::{Claimed, Sample, UnitSchedule};
use crate::check::{GameError, check, check_luck, check_rules};
use crate::message::{AsideTally, GameResult, Message, NO_SEED, Outcome, Tally, WorkerTally};
use crate::signature::{Key, claimed_key, id_in, id_of, label_of, name_of};
use crate::time_scale;

/// The luck of about one game in this many is measured again.
const LUCK_SAMPLE: u32 = 16;
/// Maximum number of messages of unknown authors to report.
const MAX_ANONYMOUS: u64 = 100;
/// Number of faults of the rules program on one machine alone before that is set aside.
const MAX_RULES_FAULTS: u32 = 3;
/// Label of a worker whose messages cannot be read.
const NO_LABEL: &str = "unnamed";
/// Maximum number of characters of a worker's report about the rules program.
const MAX_FAULT_LENGTH: usize = 4000;

/// Counts the games of a match.
pub struct Collector<'a> {
    prepared: &'a PreparedMatch,
    plan: &'a Plan,
    schedule: &'a Schedule<'a>,
    /// Evaluator of the luck that workers measure, if they do.
    luck: Option<Evaluator>,
    planned: &'a mut Match,
    progress: &'a Progress,
    /// The units, with the games that count.
    pub units: UnitSchedule<'a>,
    /// Lists the workers that are set aside; kept in the store.
    note: MatchNote,
    /// Names of the workers by the ids of their keys; a worker keeps its first label.
    workers: HashMap<String, String>,
    /// Ids of the keys of the workers that are set aside.
    pub set_aside: BTreeSet<String>,
    /// Names of those whose games are still in the store, with the reasons.
    leaving: BTreeMap<String, String>,
    /// Number of faults of the rules program that could not be reproduced, by the worker's name.
    rules_faults: HashMap<String, u32>,
    tally: Tally,
    /// Number of messages whose author is unknown.
    anonymous: u64,
}

impl<'a> Collector<'a> {
    /// Starts from the games and workers in the store.
    pub fn new(
        prepared: &'a PreparedMatch,
        plan: &'a Plan,
        schedule: &'a Schedule<'a>,
        planned: &'a mut Match,
        progress: &'a Progress,
        sample: Sample,
    ) -> Collector<'a> {
        let failures = prepared.machines.failures.clone();
        let (session, past) = (prepared.state.session, &planned.past);
        let units = UnitSchedule::new(plan, schedule, session, past, failures, sample);
        let mut collector = Collector {
            prepared,
            plan,
            schedule,
            luck: planned.luck.clone().filter(|_| !plan.luck.after),
            planned,
            progress,
            units,
            note: prepared.note.clone(),
            workers: prepared.machines.workers.clone(),
            set_aside: prepared.note.set_aside.keys().map(|name| id_in(name).to_string()).collect(),
            leaving: BTreeMap::new(),
            rules_faults: HashMap::new(),
            tally: Tally { games: plan.games, ..Tally::default() },
            anonymous: 0,
        };
        for (name, aside) in &prepared.note.set_aside {
            note_name(&mut collector.workers, name);
            collector.count_worker(name, |tally| tally.set_aside = Some(aside.clone()));
        }
        collector.note_verdict();
        collector
    }

    /// Whether games of the worker with this key may count.
    pub fn admits(&self, key: &str) -> bool {
        let listed = self.prepared.note.listed();
        listed.is_none_or(|listed| listed.contains(key)) && !self.set_aside.contains(id_of(key))
    }

    pub fn tally(&mut self) -> &Tally {
        self.tally.stored = self.units.played();
        &self.tally
    }

    /// Takes in what workers sent; `is_alone` if there is only one worker. All games are stored in one transaction
    /// before any message may be answered. Returns the answers to the messages, in order, up to one with an error that
    /// stops the match.
    ///
    /// # Errors
    /// [`DriveError`] stops the match: a game cannot be stored or shown, so no message may be answered.
    pub fn take(
        &mut self,
        messages: &[&[u8]],
        is_alone: bool,
    ) -> Result<(Vec<AckKind>, Result<(), DriveError>), DriveError> {
        let (mut accepted, mut outcome) = (Vec::new(), Ok(()));
        let mut answers = Vec::with_capacity(messages.len());
        for message in messages {
            match self.check_message(message, &mut accepted) {
                Ok(answer) => answers.push(answer),
                // The games before it are stored first.
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        // One refused game of a worker discredits the others.
        let is_set_aside = |game: &GameRecord| self.set_aside.contains(id_in(worker_in(game)));
        let (dropped, accepted): (Vec<_>, Vec<_>) = accepted.into_iter().partition(is_set_aside);
        self.units.give_again(dropped.iter().map(|game| game.game));
        self.planned.ledger.store(&accepted.iter().collect::<Vec<_>>())?;
        for game in accepted {
            self.count(game, is_alone)?;
        }
        self.take_out()?;
        self.note_verdict();
        Ok((answers, outcome))
    }

    /// Checks what a worker sent; returns the answer to the server.
    fn check_message(
        &mut self,
        bytes: &[u8],
        accepted: &mut Vec<GameRecord>,
    ) -> Result<AckKind, DriveError> {
        let claimed = claimed_key(bytes);
        if claimed.is_some_and(|key| !self.admits(key)) {
            return Ok(AckKind::Term);
        }
        let scope = self.prepared.names.result(claimed.unwrap_or_default());
        let error = match Outcome::decode(bytes, &scope) {
            Ok((key, Outcome { label, result: GameResult::Played(game) })) => {
                let worker = self.worker_of(&key, &label);
                return self.check_game(&key, &worker, *game, accepted);
            }
            Ok((key, Outcome { label, result: GameResult::Fault { position, reason } })) => {
                let worker = self.worker_of(&key, &label);
                self.check_fault(&worker, &position, &reason)?;
                return Ok(AckKind::Term);
            }
            Err(error) => error,
        };
        match claimed.and_then(|key| key.parse::<Key>().ok()) {
            Some(key) if error.is_by_signer() => {
                let worker = self.worker_of(&key, NO_LABEL);
                self.set_aside(&worker, &error.to_string());
            }
            // Its author is unknown, so no worker is set aside.
            _ => {
                self.anonymous += 1;
                if self.anonymous <= MAX_ANONYMOUS {
                    print_error(format_args!("result refused: {}", printable(&error.to_string())));
                }
            }
        }
        Ok(AckKind::Term)
    }

    /// Ends the match if the rules program fails here, too. If it repeatedly fails only on the worker, sets the worker
    /// aside.
    fn check_fault(
        &mut self,
        worker: &str,
        position: &str,
        reason: &str,
    ) -> Result<(), DriveError> {
        check_rules(self.plan, position)?;
        let reason = shortened(&printable(reason), MAX_FAULT_LENGTH).into_owned();
        print_error(format_args!("worker {worker}: {reason}; it does not fail so here"));
        let faults = self.rules_faults.entry(worker.to_string()).or_default();
        *faults += 1;
        if *faults >= MAX_RULES_FAULTS {
            let reason = format!("the rules program failed {faults} times there, but not here");
            self.set_aside(worker, &reason);
        }
        Ok(())
    }

    /// Name of the worker with this key.
    fn worker_of(&self, key: &Key, label: &str) -> String {
        let known = self.workers.get(key.id()).cloned();
        known.unwrap_or_else(|| name_of(&label_of(label), key))
    }

    fn check_game(
        &mut self,
        key: &Key,
        worker: &str,
        record: GameRecord,
        accepted: &mut Vec<GameRecord>,
    ) -> Result<AckKind, DriveError> {
        let number = record.game;
        let is_known = |other: &GameRecord| other.game == number;
        if self.units.has_played(number) || accepted.iter().any(is_known) {
            self.count_worker(worker, |tally| tally.doubles += 1);
            return Ok(AckKind::Ack);
        }
        let record = completed(record, worker, self.plan.seed);
        if let Err(refusal) = self.check_record(&record) {
            if let Some(fault) = refusal.fault_of_rules() {
                return Err(PositionError::from(fault.clone()).into());
            }
            self.count_worker(worker, |tally| tally.refused += 1);
            self.set_aside(worker, &format!("game {number} is refused: {refusal}"));
            return Ok(AckKind::Term);
        }
        self.workers.insert(key.id().to_string(), worker.to_string());
        if self.units.is_sampled(number) {
            self.claim(worker, record, accepted);
        } else {
            accepted.push(record);
        }
        Ok(AckKind::Ack)
    }

    fn check_record(&self, record: &GameRecord) -> Result<(), GameError> {
        check(self.plan, self.schedule, record)?;
        let is_sampled = rand::random_range(0..LUCK_SAMPLE) == 0;
        check_luck(self.luck.as_ref(), record, is_sampled)?;
        time_scale::check(self.plan, self.prepared.state.reference_speed, record)
    }

    /// Notes a worker's claim to a game that two must play; accepts its unit once two agree.
    fn claim(&mut self, worker: &str, record: GameRecord, accepted: &mut Vec<GameRecord>) {
        let number = record.game;
        let claimed = self.units.claim(worker, record);
        let Some(Claimed::Agreed { records, others }) = claimed else {
            return;
        };
        for inventor in others {
            self.count_worker(&inventor, |tally| tally.refused += 1);
            let reason = "two other workers agree on another game";
            self.set_aside(&inventor, &format!("game {number} is refused: {reason}"));
        }
        accepted.extend(records);
    }

    /// Counts and shows a game that is stored.
    fn count(&mut self, record: GameRecord, is_alone: bool) -> Result<(), DriveError> {
        let worker = worker_in(&record).to_string();
        let is_fault = record.fault.is_some();
        for rerun in &record.reruns {
            let (game, reason) = (record.game, rerun.reason.clone());
            self.enter(&Event::Rerun { game, reason })?;
        }
        if self.planned.ledger.events.is_some() {
            for event in turn_events(self.schedule.game(record.game)?, &record) {
                self.enter(&event)?;
            }
        }
        let retired = self.units.count(&record, is_alone);
        self.enter(&Event::Ended(Box::new(record)))?;
        self.count_worker(&worker, |tally| {
            tally.games += 1;
            tally.faults += u64::from(is_fault);
        });
        if let Some((engine, failures)) = retired {
            let engine = self.plan.engines[engine].name.clone();
            self.enter(&Event::Retired { engine, failures })?;
        }
        Ok(())
    }

    fn enter(&mut self, event: &Event) -> Result<(), DriveError> {
        let ledger = &mut self.planned.ledger;
        Ok(ledger.enter(self.plan, event, self.progress)?)
    }

    fn count_worker(&mut self, worker: &str, count: impl Fn(&mut WorkerTally)) {
        count(self.tally.workers.entry(worker.to_string()).or_default());
    }

    fn note_verdict(&mut self) {
        self.units.has_verdict = self.planned.ledger.report.verdict() != Verdict::Open;
    }

    /// Sets a worker aside, so that its messages are no longer looked at; [`Collector::take_out`] must follow.
    fn set_aside(&mut self, worker: &str, reason: &str) {
        if !self.set_aside.insert(id_in(worker).to_string()) {
            return;
        }
        let text = format!("worker {worker} is set aside: {reason}");
        print_error(printable(&text));
        note_name(&mut self.workers, worker);
        self.units.forget(worker);
        self.leaving.insert(worker.to_string(), reason.to_string());
    }

    /// Takes the games of workers that were just set aside out of the store and of all counts, to be played by others.
    fn take_out(&mut self) -> Result<(), LedgerError> {
        let leaving = std::mem::take(&mut self.leaving);
        let ledger = &mut self.planned.ledger;
        let Some(store) = ledger.store.as_mut().filter(|_| !leaving.is_empty()) else {
            return Ok(());
        };
        let mut removed: BTreeMap<&str, Vec<u64>> =
            leaving.keys().map(|worker| (worker.as_str(), Vec::new())).collect();
        for_each_game(store, |record| {
            if let Some(games) = removed.get_mut(worker_in(record)) {
                games.push(record.game);
            }
        })?;
        for (worker, reason) in &leaving {
            let games = removed[worker.as_str()].len() as u64;
            let aside = AsideTally { reason: reason.clone(), games };
            self.note.set_aside.insert(worker.clone(), aside.clone());
            let tally = self.tally.workers.entry(worker.clone()).or_default();
            (tally.games, tally.set_aside) = (0, Some(aside));
        }
        let games: Vec<u64> = removed.values().flatten().copied().collect();
        self.note.write(store, &games)?;
        if !games.is_empty() {
            let past = Past::of(store, self.plan)?;
            let KnownMachines { failures, .. } =
                KnownMachines::of(store, self.plan, self.prepared.forgives)?;
            ledger.retired = failures.retirement.retired();
            self.units.recount(&past, failures);
            ledger.report = past.report;
            self.units.give_again(games);
        }
        for (worker, games) in removed {
            if !games.is_empty() {
                let number = count(games.len() as u64, "game");
                let text = format!("{number} of worker {worker} not counted; given out again");
                print_error(printable(&text));
            }
            if let Some(events) = &mut ledger.events {
                let (reason, games) = (&leaving[worker], &games);
                let aside = AsideEvent { event: "aside", worker, reason, games };
                let written = events.write(&aside).and_then(|()| events.standings(&ledger.report));
                written.map_err(LedgerError::Events)?;
            }
        }
        Ok(())
    }
}

/// Line of the stream of events that tells that a worker is set aside, with its games that counted so far.
#[derive(Serialize)]
struct AsideEvent<'a> {
    event: &'static str,
    worker: &'a str,
    reason: &'a str,
    games: &'a [u64],
}

/// A game with what only the coordinator knows: the worker's name, and the seed of the match.
fn completed(mut record: GameRecord, worker: &str, seed: Seed) -> GameRecord {
    let machine = record.machine.get_or_insert_default();
    machine.worker = worker.to_string();
    if record.seed == NO_SEED {
        record.seed = seed;
    }
    record
}

/// Returns the events of a game: its start, then each move and card after its opening.
fn turn_events(game: ScheduledGame, record: &GameRecord) -> impl Iterator<Item = Event> {
    let words = record.moves.split_whitespace().skip(game.opening.moves.len());
    let mut turns = record.turns.iter();
    let played = words.map(move |word| {
        Event::Ply(Played {
            game: record.game,
            turn: if is_card(word) { None } else { turns.next().cloned() },
            word: word.to_string(),
        })
    });
    std::iter::once(Event::Begun(game)).chain(played)
}
