//! Search limits in requests: `movetime 100`, `depth 3`, `nodes 1000`, or several of these together.

use std::time::Duration;

use buxtehude::protocol::{Command, Go};
use matches::plan::{Limit, TimeLimit};

use crate::access::{Refusal, quoted};

/// Keywords of a limit.
const WORDS: [&str; 3] = ["movetime", "depth", "nodes"];

/// Returns the `go` command for the limit in `text`, or by default for `usual`. It always has a time of at most
/// `longest`.
///
/// # Errors
/// [`Refusal`] if the limit is malformed, or longer than `longest`.
pub fn go(text: Option<&str>, usual: Limit, longest: Duration) -> Result<Go, Refusal> {
    let longest = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    let mut go = match text {
        Some(text) => parse(text)?,
        None => go_of(usual),
    };
    if text.is_some() && go.movetime.is_some_and(|time| time > longest) {
        let found = quoted(text.unwrap_or_default());
        return Err(Refusal::Wrong(format!(
            "limit {found}; expected a movetime of at most {longest}"
        )));
    }
    go.movetime = Some(go.movetime.map_or(longest, |time| time.min(longest)));
    Ok(go)
}

fn parse(text: &str) -> Result<Go, Refusal> {
    let refused = || {
        let expected =
            "expected movetime, depth or nodes, each with a number above 0, one of them at least";
        Refusal::Wrong(format!("limit {}; {expected}", quoted(text)))
    };
    let words: Vec<&str> = text.split(' ').collect();
    let are_pairs = words.chunks(2).all(|pair| match pair {
        [word, number] => WORDS.contains(word) && number.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    });
    if !are_pairs || text.len() > 200 {
        return Err(refused());
    }
    match format!("go {text}").parse() {
        Ok(Command::Go(go)) => Ok(go),
        _ => Err(refused()),
    }
}

fn go_of(limit: Limit) -> Go {
    let movetime = match limit.time {
        Some(TimeLimit::Move(time)) => u64::try_from(time.as_millis()).ok(),
        // A clock is for whole games, and a request has only one search.
        Some(TimeLimit::Clock(_)) | None => None,
    };
    Go {
        movetime,
        depth: limit.depth,
        nodes: limit.nodes,
        ..Go::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(5);

    fn told(text: &str) -> String {
        match go(Some(text), Limit::depth(1), LONGEST) {
            Ok(go) => Command::Go(go).to_string(),
            Err(refusal) => panic!("{text}: {refusal}"),
        }
    }

    #[test]
    fn a_search_always_has_a_time() {
        assert_eq!(told("movetime 100"), "go movetime 100");
        assert_eq!(told("depth 3 nodes 7"), "go depth 3 nodes 7 movetime 5000");
        let usual = go(None, Limit::movetime(Duration::from_secs(60)), LONGEST).unwrap();
        assert_eq!(usual.movetime, Some(5000));
    }

    #[test]
    fn what_is_no_limit_is_refused() {
        for text in [
            "",
            " ",
            "movetime",
            "movetime 0",
            "movetime 5001",
            "depth 3 depth 4",
            "infinite",
            "ponder",
            "depth  3",
            "depth -1",
            "depth 3\nquit",
            "nodes 1 searchmoves 4",
            "perft 3",
            "depth 99999999999999999999",
        ] {
            assert!(
                go(Some(text), Limit::depth(1), LONGEST).is_err(),
                "{text:?}"
            );
        }
    }
}
