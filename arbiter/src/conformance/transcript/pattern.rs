//! Matching of lines against patterns.

/// Pattern that matches any number of lines.
pub const ANY_LINES: &str = "...";

/// `true` if `line` matches `pattern`, in which each `*` matches any text.
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

/// `true` if `lines` match `patterns`, in which [`ANY_LINES`] matches any number of lines.
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
        for (pattern, line) in [
            ("a", "ab"),
            ("a*b", "bab"),
            ("ab*ba", "aba"),
            ("", "a"),
            ("*a*a*", "a"),
        ] {
            assert!(!is_like(pattern, line), "{pattern:?} {line:?}");
        }
    }

    #[test]
    fn dots_are_any_number_of_lines() {
        let lines = |text: &str| {
            text.split_whitespace()
                .map(String::from)
                .collect::<Vec<_>>()
        };
        for (patterns, found, expected) in [
            ("...", "", true),
            ("... c", "a b c", true),
            ("a ... c", "a c", true),
            ("a ... c ...", "a b c c d", true),
            ("... c", "a b", false),
            ("a", "a b", false),
            ("a b", "a", false),
        ] {
            assert_eq!(
                are_like(&lines(patterns), &lines(found)),
                expected,
                "{patterns} {found}"
            );
        }
    }
}
