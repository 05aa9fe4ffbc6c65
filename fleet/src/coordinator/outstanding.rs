//! What is given out and has not come back.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Units that are given out, those that are to be given out once more, and how far the schedule has come.
#[derive(Debug, Default)]
pub struct Outstanding {
    sent: BTreeMap<u64, Sent>,
    again: BTreeSet<u64>,
    next: u64,
}

#[derive(Debug)]
struct Sent {
    /// The number of the message in its stream.
    sequence: u64,
    at: Instant,
}

impl Outstanding {
    /// The unit that is to be given out next: the first of those that were lost, or else the next of the schedule, of
    /// which there are so many, that is due.
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

    /// A unit is given out, as the message with this number.
    pub fn sent(&mut self, unit: u64, sequence: u64) {
        let at = Instant::now();
        self.sent.insert(unit, Sent { sequence, at });
    }

    /// All of a unit has come back.
    pub fn done(&mut self, unit: u64) {
        self.sent.remove(&unit);
        self.again.remove(&unit);
    }

    /// A unit is to be given out once more.
    pub fn lost(&mut self, unit: u64) {
        self.sent.remove(&unit);
        self.again.insert(unit);
    }

    /// All that is given out is to be given out once more; returns how much that is.
    pub fn all_lost(&mut self) -> usize {
        let lost = std::mem::take(&mut self.sent);
        let number = lost.len();
        self.again.extend(lost.into_keys());
        number
    }

    /// The first `number` units that were given out longer ago than `age`, with their messages.
    pub fn first(&self, number: usize, age: Duration) -> Vec<(u64, u64)> {
        let old = self.sent.iter().filter(|(_, sent)| sent.at.elapsed() > age);
        let old = old.map(|(&unit, sent)| (unit, sent.sequence));
        old.take(number).collect()
    }

    /// The units whose messages come after the one with this number, with their messages.
    pub fn after(&self, sequence: u64) -> Vec<(u64, u64)> {
        let sent = self.sent.iter().map(|(&unit, sent)| (unit, sent.sequence));
        sent.filter(|(_, sent)| *sent > sequence).collect()
    }

    /// Whether a unit is given out.
    pub fn has(&self, unit: u64) -> bool {
        self.sent.contains_key(&unit)
    }

    /// Whether the message with this number gives out a unit.
    pub fn is_message(&self, sequence: u64) -> bool {
        let mut sent = self.sent.values();
        sent.any(|sent| sent.sequence == sequence)
    }

    /// How many units are given out.
    pub fn len(&self) -> u64 {
        self.sent.len() as u64
    }

    /// Whether all of the schedule, of so many units, has been given out.
    pub fn has_given_all(&self, units: u64) -> bool {
        self.again.is_empty() && self.next >= units
    }

    /// Whether all of the schedule, of so many units, has been given out and has come back.
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
