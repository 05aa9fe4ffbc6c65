//! Units that were published and are not complete.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Outstanding units, lost ones that must be published again, and the position in the schedule.
#[derive(Debug, Default)]
pub struct Outstanding {
    sent: BTreeMap<u64, Sent>,
    again: BTreeSet<u64>,
    next: u64,
}

#[derive(Debug)]
struct Sent {
    /// Sequence number of the message in its stream.
    sequence: u64,
    at: Instant,
}

impl Outstanding {
    /// Returns the next unit to publish: the first lost one, else the next that is due of the `units` in the schedule.
    pub fn next(&mut self, units: u64, is_due: impl Fn(u64) -> bool) -> Option<u64> {
        while let Some(unit) = self.again.pop_first() {
            if is_due(unit) {
                return Some(unit);
            }
        }
        while self.next < units {
            let unit = self.next;
            self.next += 1;
            if !self.sent.contains_key(&unit) && is_due(unit) {
                return Some(unit);
            }
        }
        None
    }

    /// Notes that a unit was published as the message `sequence`.
    pub fn sent(&mut self, unit: u64, sequence: u64) {
        let at = Instant::now();
        self.sent.insert(unit, Sent { sequence, at });
    }

    /// Notes that a unit is complete.
    pub fn done(&mut self, unit: u64) {
        self.sent.remove(&unit);
        self.again.remove(&unit);
    }

    /// Marks a unit as lost, so that it is published again.
    pub fn lost(&mut self, unit: u64) {
        self.sent.remove(&unit);
        self.again.insert(unit);
    }

    /// Marks all outstanding units as lost; returns their number.
    pub fn all_lost(&mut self) -> usize {
        let lost = std::mem::take(&mut self.sent);
        let number = lost.len();
        self.again.extend(lost.into_keys());
        number
    }

    /// Returns the first `number` units that were published longer ago than `age`, with their messages.
    pub fn first(&self, number: usize, age: Duration) -> Vec<(u64, u64)> {
        let old = self.sent.iter().filter(|(_, sent)| sent.at.elapsed() > age);
        let old = old.map(|(&unit, sent)| (unit, sent.sequence));
        old.take(number).collect()
    }

    /// Returns the units with messages after `sequence`, with these messages.
    pub fn after(&self, sequence: u64) -> Vec<(u64, u64)> {
        let sent = self.sent.iter().map(|(&unit, sent)| (unit, sent.sequence));
        sent.filter(|(_, sent)| *sent > sequence).collect()
    }

    /// Whether a unit is outstanding.
    pub fn has(&self, unit: u64) -> bool {
        self.sent.contains_key(&unit)
    }

    /// Whether the message `sequence` published an outstanding unit.
    pub fn is_message(&self, sequence: u64) -> bool {
        let mut sent = self.sent.values();
        sent.any(|sent| sent.sequence == sequence)
    }

    /// Number of outstanding units.
    pub fn len(&self) -> u64 {
        self.sent.len() as u64
    }

    /// Whether all `units` of the schedule have been published.
    pub fn has_given_all(&self, units: u64) -> bool {
        self.again.is_empty() && self.next >= units
    }

    /// Whether all `units` of the schedule are complete.
    pub fn is_done(&self, units: u64) -> bool {
        self.sent.is_empty() && self.has_given_all(units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_comes_first() {
        let mut outstanding = Outstanding::default();
        for expected in 0..3 {
            assert_eq!(outstanding.next(4, |_| true), Some(expected));
            outstanding.sent(expected, expected + 10);
        }
        outstanding.done(1);
        outstanding.lost(2);
        assert_eq!(outstanding.first(9, Duration::ZERO), [(0, 10)]);
        assert_eq!(outstanding.after(9), [(0, 10)]);
        assert_eq!(outstanding.after(10), []);
        assert_eq!(outstanding.next(4, |_| true), Some(2));
        assert_eq!(outstanding.next(4, |unit| unit != 3), None);
        assert!(!outstanding.is_done(4));
        assert_eq!(outstanding.all_lost(), 1);
        outstanding.done(0);
        assert!(outstanding.is_done(4));
    }

    #[test]
    fn what_is_already_out_is_not_given_out_again() {
        let mut outstanding = Outstanding::default();
        outstanding.sent(0, 5);
        assert_eq!(outstanding.next(2, |_| true), Some(1));
        assert_eq!(outstanding.len(), 1);
    }
}
