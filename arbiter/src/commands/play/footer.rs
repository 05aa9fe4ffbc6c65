//! What is said of a match at its end: how much was played, in what time, and how far it can be trusted.

use std::time::Duration;

use matches::plan::seed::Seed;
use matches::play::interrupt::Interrupt;
use matches::play::lag::{LagMeter, LagSummary};
use matches::run::announcement::count;
use matches::run::progress::duration;
use matches::score::Verdict;

use super::{Match, MatchError};

impl Match {
    /// What is to be known of how far the result can be trusted, each in a line of its own.
    pub(super) fn remarks_at_the_end(&self, lag: &LagMeter) -> String {
        let LagSummary {
            median,
            p99,
            longest,
        } = lag.summary();
        let [median, p99, longest] =
            [median, p99, longest].map(|time| format!("{:.2}", time.as_secs_f64() * 1000.0));
        let mut text = format!(
            "\nlag of the arbiter itself: {median} ms in the median, {p99} at the 99th percentile, {longest} at most"
        );
        if self.ledger.repeats > 0 {
            let repeats = self.ledger.repeats;
            text += &format!("\ngames replayed after a suspect loss: {repeats}");
        }
        if !self.ledger.retired.is_empty() {
            text += &format!("\nretired: {}", self.ledger.retired.join(", "));
        }
        if let Some(seed) = self.known_seed().filter(|seed| seed.is_secret()) {
            text += &format!("\nseed: {seed}");
        }
        text
    }

    /// The seed, but for a secret one as long as the match can go on.
    pub(super) fn known_seed(&self) -> Option<Seed> {
        let report = &self.ledger.report;
        let is_over = self.ledger.store.is_none()
            || report.played() >= self.plan.games
            || report.verdict() != Verdict::Open;
        let seed = self.plan.seed;
        (is_over || !seed.is_secret()).then_some(seed)
    }

    /// How much was played, in what time, and where it is kept.
    pub(super) fn footer(
        &self,
        elapsed: Duration,
        outcome: &Result<(), MatchError>,
        interrupt: &Interrupt,
    ) -> String {
        let (all, time) = (self.plan.games, duration(elapsed));
        let games = self.ledger.report.standings().games();
        let before = match self.played.len() {
            0 => String::new(),
            before => format!(", {before} of them before"),
        };
        let mut text = match outcome {
            Ok(()) if self.ledger.report.verdict() != Verdict::Open => {
                let mut text = format!(
                    "{} in {time}{before}, ended by the test",
                    count(games, "game")
                );
                let more = self.ledger.report.played() - games;
                if more > 0 {
                    text += &format!(", {more} more played and not counted");
                }
                text
            }
            Ok(()) if games == all => format!("{} in {time}{before}", count(games, "game")),
            Ok(()) if !self.ledger.retired.is_empty() && !interrupt.ends() => {
                format!("{games} of {all} games in {time}{before}, since an engine was retired")
            }
            Ok(()) => format!("{games} of {all} games in {time}{before} (interrupted)"),
            Err(_) => format!("{games} of {all} games in {time}{before}"),
        };
        if let Some(path) = self.plan.record.as_ref().filter(|_| games > 0) {
            text += &format!(", recorded in {}", path.display());
        }
        if let Some(store) = &self.ledger.store {
            let path = store.path().display();
            text += &format!(", stored in {path}");
            if games < all && self.ledger.report.verdict() == Verdict::Open {
                text += &format!("; `arbiter resume {path}` continues it");
            }
        }
        text
    }
}
