//! Lines of an engine: masking of the parts that differ between runs, and matching against patterns.

/// Fields of an `info` line with a time or a speed.
const MEASURED: [&str; 2] = ["time", "nps"];

/// Text before a time or a speed in the output of `bench`.
const MEASURED_LINES: [&str; 2] = ["Total time (ms): ", "Nodes/second"];

/// Replaces each time and speed in a line by `*`. Principal variations and the text of an `info string` stay unchanged.
///
/// # Examples
/// ```
/// use arbiter::conformance::transcript::mask;
///
/// let line = "info depth 3 nodes 20 nps 51233 time 7 pv 1 2";
/// assert_eq!(mask(line), "info depth 3 nodes 20 nps * time * pv 1 2");
/// ```
pub fn mask(line: &str) -> String {
    if let Some(beginning) = MEASURED_LINES.iter().find(|start| line.starts_with(**start)) {
        let end = line.find(": ").map_or(beginning.len(), |colon| colon + 2);
        return format!("{}*", &line[..end.min(line.len())]);
    }
    if !line.starts_with("info ") {
        return line.to_string();
    }
    let mut masked = Vec::new();
    let mut is_value = false;
    let mut is_text = false;
    for word in line.split(' ') {
        masked.push(if is_value { "*" } else { word });
        is_text |= matches!(word, "string" | "pv");
        is_value = !is_text && MEASURED.contains(&word);
    }
    masked.join(" ")
}

/// Pattern that matches any number of lines.
pub const ANY_LINES: &str = "...";

/// `true` if `line` matches `pattern`, where each `*` matches any text.
pub fn is_like(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('*');
    // Even an empty pattern has one part.
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    // Matching each part as early as possible leaves the most text for the others.
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// `true` if `lines` match `patterns`, where [`ANY_LINES`] matches any number of lines.
pub fn are_like(patterns: &[String], lines: &[String]) -> bool {
    match patterns.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == ANY_LINES => {
            (0..=lines.len()).any(|skipped| are_like(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| is_like(first, line) && are_like(rest, others)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_speeds_are_hidden_and_nothing_else() {
        for (line, expected) in [
            ("info time 1 depth 2", "info time * depth 2"),
            ("info depth 2 nps 10", "info depth 2 nps *"),
            ("info depth 2 time", "info depth 2 time"),
            ("info string time 3", "info string time 3"),
            ("info pv time 3", "info pv time 3"),
            ("bestmove time 3", "bestmove time 3"),
            ("Total time (ms): 21", "Total time (ms): *"),
            ("Nodes/second: 31", "Nodes/second: *"),
            ("Nodes/second    : 31", "Nodes/second    : *"),
            ("Nodes searched: 31", "Nodes searched: 31"),
            ("", ""),
        ] {
            assert_eq!(mask(line), expected, "{line:?}");
        }
    }

    #[test]
    fn a_star_is_any_text_within_a_line() {
        for (pattern, line) in [
            ("a", "a"),
            ("a*", "a"),
            ("*c", "abc"),
            ("a * c*", "a b c d"),
            ("*", ""),
            ("a*bc", "abbc"),
            ("*a*a*", "aa"),
        ] {
            assert!(is_like(pattern, line), "{pattern:?} {line:?}");
        }
        for (pattern, line) in
            [("a", "ab"), ("a*b", "bab"), ("ab*ba", "aba"), ("", "a"), ("*a*a*", "a")]
        {
            assert!(!is_like(pattern, line), "{pattern:?} {line:?}");
        }
    }

    #[test]
    fn dots_are_any_number_of_lines() {
        let lines = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        for (patterns, found, expected) in [
            ("...", "", true),
            ("... c", "a b c", true),
            ("a ... c", "a c", true),
            ("a ... c ...", "a b c c d", true),
            ("... c", "a b", false),
            ("a", "a b", false),
            ("a b", "a", false),
        ] {
            assert_eq!(are_like(&lines(patterns), &lines(found)), expected, "{patterns} {found}");
        }
    }
}
