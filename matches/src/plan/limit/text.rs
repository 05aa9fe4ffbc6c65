//! The text form of limits: `movetime=20 depth=9`, `tc=40/60+0.5`.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::{ClockLimit, Limit, TimeLimit};
use crate::plan::numbers::{depth, milliseconds, positive};

/// The text is not a limit; names the invalid word and the accepted ones.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct LimitTextError(String);

impl FromStr for Limit {
    type Err = LimitTextError;

    /// Parses the [`Display`](std::fmt::Display) form of [`Limit`].
    fn from_str(text: &str) -> Result<Limit, LimitTextError> {
        let mut all = Limit::default();
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let limit = Limit::of_key(key, value);
            all = all.or(limit.map_err(|expected| LimitTextError(format!("{word}: {expected}")))?);
        }
        Ok(all)
    }
}

impl Limit {
    /// Parses the value of `movetime`, `depth`, `nodes` or `tc`.
    ///
    /// # Errors
    /// The accepted values.
    pub fn of_key(key: &str, value: &str) -> Result<Limit, String> {
        match key {
            "movetime" => milliseconds(value).map(|ms| Limit::movetime(Duration::from_millis(ms))),
            "depth" => depth(value).map(Limit::depth),
            "nodes" => positive(value).map(Limit::nodes),
            "tc" => clock(value),
            _ => Err("expected movetime, depth, nodes or tc".to_string()),
        }
    }
}

/// Parses a clock: `seconds`, `seconds+seconds` or `moves/seconds+seconds`.
pub fn clock(text: &str) -> Result<Limit, String> {
    let expected = || {
        "expected seconds+seconds such as 10+0.1, or moves/seconds+seconds such as 40/60+0.5; the first seconds \
         above 0, none above a day, 1 to 10000 moves"
            .to_string()
    };
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => {
            let number = moves.parse().ok();
            let number = number.filter(|number| (1..=10_000).contains(number));
            (Some(number.ok_or_else(expected)?), rest)
        }
        None => (None, text),
    };
    let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let limit = seconds(time).zip(seconds(increment));
    let limit = limit.filter(|(time, _)| !time.is_zero());
    let clock = limit.map(|(time, increment)| ClockLimit {
        moves,
        time,
        increment,
    });
    let limit = clock.map(|clock| Limit {
        time: Some(TimeLimit::Clock(clock)),
        ..Limit::default()
    });
    limit.ok_or_else(expected)
}

/// Parses a number of seconds, to the millisecond.
fn seconds(text: &str) -> Option<Duration> {
    const DAY: f64 = 24.0 * 60.0 * 60.0;
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = text
        .parse()
        .ok()
        .filter(|seconds| plain && *seconds <= DAY)?;
    Some(Duration::from_millis((seconds * 1000.0).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_reads_as_it_is_displayed() {
        let milliseconds = Duration::from_millis;
        let clock = Limit::clock(milliseconds(1500), milliseconds(10));
        let with_moves = "tc=40/60+0.5".parse::<Limit>().unwrap();
        for limit in [
            Limit::movetime(milliseconds(1)),
            Limit::depth(7),
            Limit::nodes(u64::MAX),
            Limit::clock(milliseconds(90_001), milliseconds(0)),
            clock,
            with_moves,
            with_moves.or(Limit::depth(3)).or(Limit::nodes(8)),
        ] {
            assert_eq!(limit.to_string().parse(), Ok(limit), "{limit}");
        }
    }

    #[test]
    fn a_word_that_is_no_limit_is_named() {
        for text in ["depth=x", "depth=3 st=1", "tc=0"] {
            let error = text.parse::<Limit>().unwrap_err().to_string();
            assert!(error.contains("expected"), "{error}");
        }
    }
}
