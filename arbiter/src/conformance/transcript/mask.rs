//! Masking of the parts of an engine's line that differ between runs.

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
    if let Some(beginning) = MEASURED_LINES
        .iter()
        .find(|start| line.starts_with(**start))
    {
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
}
