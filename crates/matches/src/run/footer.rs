//! The lines below the tables at the end of a match.

use std::env;
use std::path::Path;
use std::time::Duration;

use super::announcement::count;
use super::progress::duration;
use super::{Match, SourceError};
use crate::plan::LuckBy;
use crate::plan::deck::Seed;
use crate::score::Verdict;
use crate::spelling::quote_path;

impl Match {
    /// Returns the number of games, their time, the files that contain them, the source's remarks, and notes about
    /// engines; each line ends with a line feed.
    pub(super) fn footer(
        &self,
        elapsed: Duration,
        outcome: &Result<(), SourceError>,
        remarks: &str,
    ) -> String {
        let mut text = self.games_in_words(elapsed, outcome);
        let games = self.ledger.report.played();
        if let Some(file) = self.ledger.record_file.as_ref().filter(|_| games > 0) {
            text += &format!(", recorded in {}", file.path().display());
        }
        if let Some(store) = &self.ledger.store {
            text += &format!(", stored in {}", store.path().display());
            if !self.is_over() {
                let path = quote_path(store.path());
                let forgive = if self.ledger.retired.is_empty() { "" } else { " --forgive" };
                let luck_engine = match (self.plan.luck.by, &self.luck) {
                    (Some(LuckBy::Engine { .. }), Some(luck)) => format!(" {}", luck.flag()),
                    (Some(LuckBy::Engine { .. }), None) => " --luck-engine ...".to_string(),
                    _ => String::new(),
                };
                let program = program();
                let outputs = self.outputs.flags();
                text += &format!(
                    "; `{program} resume {path}{outputs}{forgive}{luck_engine}` continues it"
                );
                if let Err(SourceError::Rules(_)) = outcome {
                    text += "; if the rules program has changed, with --changed-engines";
                }
            }
        }
        if self.ledger.store.is_none() && games > 0 {
            text += match self.ledger.record_file {
                Some(_) => ", not stored",
                None => ", not stored: `--store FILE` keeps the games",
            };
        }
        text += "\n";
        text += remarks;
        if self.ledger.repeats > 0 {
            let repeats = self.ledger.repeats;
            text += &format!("games rerun after a suspect loss: {repeats}\n");
        }
        if !self.ledger.retired.is_empty() {
            text += &format!("retired: {}\n", self.ledger.retired.join(", "));
        }
        if let Some(seed) = self.known_seed().filter(|seed| seed.is_secret()) {
            text += &format!("seed: {seed}\n");
        }
        text
    }

    fn games_in_words(&self, elapsed: Duration, outcome: &Result<(), SourceError>) -> String {
        let (all, time) = (self.plan.games, duration(elapsed));
        let report = &self.ledger.report;
        let games = report.played();
        let before = match self.before {
            0 => String::new(),
            before => format!(", {before} of them in earlier runs"),
        };
        if outcome.is_err() {
            return format!("{games} of {all} games in {time}{before}");
        }
        if report.verdict() != Verdict::Open {
            let judged = report.judged();
            let games_in_words = count(judged, "game");
            let more = match games - judged {
                0 => String::new(),
                more => format!(", {more} more played and not counted"),
            };
            return format!("{games_in_words} in {time}{before}, ended by the test{more}");
        }
        if games == all {
            return format!("{} in {time}{before}", count(games, "game"));
        }
        let reason = if self.ledger.retired.is_empty() || self.ledger.interrupt.ends() {
            " (interrupted)"
        } else {
            ", because an engine was retired"
        };
        format!("{games} of {all} games in {time}{before}{reason}")
    }

    /// Returns the seed; `None` while a secret seed still decides later games.
    pub(super) fn known_seed(&self) -> Option<Seed> {
        let seed = self.plan.seed;
        let is_final = self.ledger.store.is_none() || self.is_over();
        (is_final || !seed.is_secret()).then_some(seed)
    }
}

/// This program as the user called it, since it need not be on the `PATH`.
fn program() -> String {
    let called = env::args_os().next();
    called.map_or("arbiter".to_string(), |program| quote_path(Path::new(&program)))
}
