//! Checks of recorded luck.

use std::collections::HashMap;

use buxtehude::rules::Variant;

use super::{BuiltIn, Evaluator, LuckError, LuckMeter};
use crate::play::interrupt::Interrupt;
use crate::record::{GameRecord, Luck};

/// Largest budget that is checked. Records can name any; a larger one could take hours.
const MAX_NODES: u64 = 100_000;

/// Checks recorded luck by measuring it again, if the built-in engine of this program measured it.
#[derive(Debug, Default)]
pub struct LuckChecker {
    /// Evaluators by variant, number of seats and identity; `None` for other programs' evaluators.
    known: HashMap<(&'static str, usize, String), Option<Evaluator>>,
    unchecked: u64,
}

impl LuckChecker {
    /// Checks the luck of a game without other flaws; accepts none, and luck that cannot be checked.
    ///
    /// # Errors
    /// [`LuckError`] if the luck is wrong.
    pub fn check(&mut self, record: &GameRecord) -> Result<(), LuckError> {
        let Some(luck) = &record.luck else {
            return Ok(());
        };
        let variant = Variant::by_name(&record.variant).ok();
        let evaluator =
            variant.and_then(|variant| self.evaluator(variant, record.seats.len(), luck));
        let checked = evaluator.map(|evaluator| evaluator.check(record));
        // A record without its clock no longer tells whether the game was rerun and has no luck.
        let has_clock = record.turns.iter().any(|turn| turn.micros.is_some());
        let may_be_rerun = !has_clock && luck.shares.iter().all(|share| *share == 0.0);
        match checked {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) if !may_be_rerun => Err(error),
            _ => {
                self.unchecked += 1;
                Ok(())
            }
        }
    }

    /// Number of games whose luck another program measured, or that may have been rerun.
    pub fn unchecked(&self) -> u64 {
        self.unchecked
    }

    fn evaluator(&mut self, variant: &Variant, seats: usize, luck: &Luck) -> Option<&Evaluator> {
        let key = (variant.name, seats, luck.by.clone());
        let evaluator = self.known.entry(key).or_insert_with(|| {
            let nodes = BuiltIn::nodes_in(&luck.by).filter(|&nodes| nodes <= MAX_NODES)?;
            let evaluator = Evaluator::built_in(nodes, variant, seats);
            (evaluator.identity == luck.by).then_some(evaluator)
        });
        evaluator.as_ref()
    }
}

impl Evaluator {
    /// Checks that the recorded luck of a game is what this evaluator measures; the built-in engine only.
    ///
    /// # Errors
    /// [`LuckError`] if there is no luck, or it is wrong.
    pub fn check(&self, record: &GameRecord) -> Result<(), LuckError> {
        let found = self.named_luck(record)?;
        let interrupt = Interrupt::new();
        let mut measured = record.clone();
        LuckMeter::new(self, None, &interrupt).measure(&mut measured)?;
        match measured.luck {
            Some(expected) if expected != *found => {
                let (found, expected) = (&found.shares, expected.shares);
                let reason = format!("found {found:?}, the cards gave {expected:?}");
                Err(LuckError(reason))
            }
            _ => Ok(()),
        }
    }

    /// Returns the recorded luck of a game if its form is right and it names this evaluator.
    ///
    /// # Errors
    /// [`LuckError`] otherwise.
    pub fn named_luck<'r>(&self, record: &'r GameRecord) -> Result<&'r Luck, LuckError> {
        let expected = &self.identity;
        match &record.luck {
            None => Err(LuckError(format!("none, expected luck by {expected:?}"))),
            Some(luck) if luck.by != *expected => {
                let found = &luck.by;
                Err(LuckError(format!("by {found:?}, expected {expected:?}")))
            }
            Some(luck) if !luck.is_valid(record.seats.len()) => {
                let found = &luck.shares;
                let expected = "one number for each seat, with a sum of 0";
                Err(LuckError(format!("{found:?}, expected {expected}")))
            }
            Some(luck) => Ok(luck),
        }
    }
}
