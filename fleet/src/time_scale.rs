//! The speed of a machine, and time limits scaled by it, so that engines search as deep on a slow machine as on a fast
//! one.
//!
//! A match may have a reference speed. A machine of another speed plays with the match's limits times reference /
//! speed, rounded to a permille and clamped to 1/8..8. Move times, clocks and increments are scaled and rounded to the
//! nearest millisecond (halves up), but never to 0; explicit margins, depths and nodes stay the same.

use std::thread;
use std::time::{Duration, Instant};

use buxtehude::bench;
use buxtehude::search::{Control, Memory};
use matches::plan::{ClockLimit, Limit, Plan, TimeLimit};
use matches::play::interrupt::Interrupt;
use matches::record::GameRecord;

use crate::check::GameError;

/// Minimum scale, in permille.
pub const MIN: u32 = 125;
/// Maximum scale, in permille.
pub const MAX: u32 = 8000;
/// Duration of a measurement of the speed.
const MEASURING_TIME: Duration = Duration::from_millis(500);
/// Memory of each measuring search, in MiB.
const SEARCH_MEBIBYTES: usize = 1;

/// Returns the scale for a machine of this speed, in permille; both speeds are in positions a second.
///
/// # Examples
/// ```
/// use fleet::time_scale::scale;
///
/// assert_eq!(scale(1_000_000, 500_000), 2000);
/// assert_eq!(scale(1_000_000, 3_000_000), 333);
/// assert_eq!(scale(1_000_000, 1), 8000);
/// ```
pub fn scale(reference: u64, speed: u64) -> u32 {
    let speed = u128::from(speed.max(1));
    let permille = (u128::from(reference) * 1000 + speed / 2) / speed;
    let permille = u32::try_from(permille).unwrap_or(MAX);
    permille.clamp(MIN, MAX)
}

/// Whether any engine of a match has a time limit.
pub fn is_timed(plan: &Plan) -> bool {
    let mut limits = plan.engines.iter().map(|engine| engine.limit);
    limits.any(|limit| !limit.is_timeless())
}

/// Returns the scale for a machine in a match, or `None` if the match's limits are not scaled.
pub fn scale_of(plan: &Plan, reference: Option<u64>, speed: Option<u64>) -> Option<u32> {
    let (reference, speed) = reference.filter(|_| is_timed(plan)).zip(speed)?;
    Some(scale(reference, speed))
}

/// Scales the time limits of all engines.
pub fn apply(plan: &mut Plan, permille: u32) {
    for engine in &mut plan.engines {
        engine.limit = scaled(engine.limit, permille);
    }
}

fn scaled(limit: Limit, permille: u32) -> Limit {
    let time = limit.time.map(|time| match time {
        TimeLimit::Move(time) => TimeLimit::Move(scaled_time(time, permille)),
        TimeLimit::Clock(clock) => TimeLimit::Clock(ClockLimit {
            time: scaled_time(clock.time, permille),
            increment: scaled_time(clock.increment, permille),
            ..clock
        }),
    });
    Limit { time, ..limit }
}

fn scaled_time(time: Duration, permille: u32) -> Duration {
    let scaled = (time.as_millis() * u128::from(permille) + 500) / 1000;
    let least = u64::from(!time.is_zero());
    Duration::from_millis(u64::try_from(scaled).unwrap_or(u64::MAX).max(least))
}

/// Checks that a game was played with the scale that fits its machine's speed.
///
/// # Errors
/// [`GameError::Unfit`] if its record has another scale.
pub fn check(plan: &Plan, reference: Option<u64>, record: &GameRecord) -> Result<(), GameError> {
    let text = |scale: Option<u32>| match scale {
        Some(permille) => format!("{permille} permille"),
        None => "none".to_string(),
    };
    let machine = record.machine.as_ref();
    let found = machine.and_then(|machine| machine.time_scale);
    let expected = scale_of(plan, reference, machine.and_then(|machine| machine.speed));
    let is_needed = reference.is_some() && is_timed(plan);
    if found == expected && found.is_some() == is_needed {
        return Ok(());
    }
    let found = text(found);
    let expected = match (is_needed, expected) {
        (true, None) => "one that fits the machine's speed".to_string(),
        (_, expected) => text(expected),
    };
    Err(GameError::Unfit(format!("time scale: found {found}, expected {expected}")))
}

/// Measures the positions a second that the built-in engine visits in each of `slots` slots while all are busy; `None`
/// if interrupted.
pub fn measure_speed(slots: u16, interrupt: &Interrupt) -> Option<u64> {
    let begun = Instant::now();
    let measure = || {
        let (mut nodes, mut memory) = (0, Memory::new(SEARCH_MEBIBYTES));
        while begun.elapsed() < MEASURING_TIME || nodes == 0 {
            if interrupt.is_set() {
                return None;
            }
            let control = Control::new(None);
            nodes += bench::run(bench::DEFAULT_DEPTH, &mut memory, &control)?.nodes;
        }
        Some(nodes as f64 / begun.elapsed().as_secs_f64())
    };
    let speeds: Option<Vec<f64>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..slots).map(|_| scope.spawn(measure)).collect();
        // A panic has printed its own message, and leaves no measurement.
        let speeds = threads.into_iter().map(|thread| thread.join().ok()?);
        speeds.collect()
    });
    let mean = speeds?.iter().sum::<f64>() / f64::from(slots.max(1));
    Some((mean as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use buxtehude::rules::VARIANTS;
    use matches::plan::EngineSpec;
    use matches::record::Machine;

    fn plan(limits: [&str; 2]) -> Plan {
        let engine =
            |(name, limit): (&str, &str)| EngineSpec::new(name, "/bin/sh", limit.parse().unwrap());
        let engines = ["a", "b"].into_iter().zip(limits).map(engine);
        Plan::new(&VARIANTS[0], 2, engines.collect())
    }

    #[test]
    fn times_are_scaled_to_the_millisecond_and_nothing_else_is() {
        for (limit, permille, expected) in [
            ("movetime=100", 1500, "movetime=150"),
            ("movetime=1", 125, "movetime=1"),
            ("movetime=3", 500, "movetime=2"),
            ("tc=10+0.1", 333, "tc=3.33+0.033"),
            ("tc=40/60+0", 8000, "tc=40/480+0"),
            ("depth=5 nodes=7", 2000, "depth=5 nodes=7"),
            ("movetime=10 nodes=7", 2000, "movetime=20 nodes=7"),
        ] {
            let mut plan = plan([limit, "depth=1"]);
            apply(&mut plan, permille);
            assert_eq!(plan.engines[0].limit.to_string(), expected);
            assert_eq!(plan.engines[1].limit.to_string(), "depth=1");
            assert_eq!(plan.engines[0].margin, None);
        }
    }

    fn record(speed: Option<u64>, time_scale: Option<u32>) -> GameRecord {
        GameRecord {
            game: 1,
            block: 1,
            machine: Some(Machine { speed, time_scale, ..Machine::default() }),
            ..GameRecord::default()
        }
    }

    #[test]
    fn only_the_scale_of_its_own_speed_is_taken_of_a_machine() {
        let (timed, timeless) = (plan(["movetime=9", "nodes=1"]), plan(["depth=2", "nodes=1"]));
        let refused = |plan, reference, speed, scale| {
            let found = check(plan, reference, &record(speed, scale));
            found.err().map(|error| error.to_string())
        };
        assert_eq!(refused(&timed, None, Some(5), None), None);
        assert_eq!(refused(&timed, Some(10), Some(5), Some(2000)), None);
        assert_eq!(refused(&timed, Some(10), Some(1), Some(MAX)), None);
        assert_eq!(refused(&timeless, Some(10), Some(5), None), None);
        for (plan, reference, speed, scale, words) in [
            (&timed, Some(10), Some(5), Some(1999), "found 1999 permille, expected 2000"),
            (&timed, Some(10), Some(5), None, "found none, expected 2000 permille"),
            (&timed, Some(10), None, None, "one that fits the machine's speed"),
            (&timed, Some(80), Some(1), Some(80_000), "expected 8000 permille"),
            (&timed, None, Some(5), Some(2000), "expected none"),
            (&timeless, Some(10), Some(5), Some(2000), "expected none"),
        ] {
            let error = refused(plan, reference, speed, scale).unwrap();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_machine_has_a_speed_unless_it_is_to_end() {
        let interrupt = Interrupt::new();
        assert!(measure_speed(2, &interrupt).is_some_and(|speed| speed > 10));
        interrupt.set();
        assert_eq!(measure_speed(1, &interrupt), None);
    }
}
