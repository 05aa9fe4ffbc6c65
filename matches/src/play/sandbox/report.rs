//! Reports of a launcher to the arbiter, one per line.

use std::fmt;
use std::str::FromStr;

/// A line from the launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The engine's program runs.
    Started,
    /// The program cannot be run; contains the system's error number.
    NotStarted(i32),
    /// The kernel refuses the namespaces; contains the reason.
    Refused(String),
    /// The engine's process has ended.
    Ended(End),
}

/// End of an engine's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Exit status, as the system returns it.
    pub status: i32,
    /// Peak memory, in bytes.
    pub memory: u64,
    /// CPU time, in microseconds.
    pub cpu_micros: u64,
    /// Whether it was killed at the arbiter's request.
    pub was_killed: bool,
    /// Whether it was stopped by a signal at that time.
    pub was_stopped: bool,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Report::Started => f.write_str("started"),
            Report::NotStarted(error) => write!(f, "not-started {error}"),
            Report::Refused(reason) => write!(f, "refused {}", reason.replace('\n', " ")),
            Report::Ended(End {
                status,
                memory,
                cpu_micros,
                was_killed,
                was_stopped,
            }) => write!(
                f,
                "ended {status} {memory} {cpu_micros} {was_killed} {was_stopped}"
            ),
        }
    }
}

impl FromStr for Report {
    type Err = String;

    /// Parses the [`Display`](fmt::Display) form of [`Report`]; the error quotes an invalid line.
    fn from_str(line: &str) -> Result<Report, String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let report = match word {
            "started" => Some(Report::Started),
            "not-started" => rest.parse().ok().map(Report::NotStarted),
            "refused" => Some(Report::Refused(rest.to_string())),
            "ended" => end(rest).map(Report::Ended),
            _ => None,
        };
        report.ok_or_else(|| format!("{line:?} is not a report of the launcher"))
    }
}

fn end(text: &str) -> Option<End> {
    let mut words = text.split(' ');
    Some(End {
        status: words.next()?.parse().ok()?,
        memory: words.next()?.parse().ok()?,
        cpu_micros: words.next()?.parse().ok()?,
        was_killed: words.next()?.parse().ok()?,
        was_stopped: words.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_back_as_they_were() {
        let end = End {
            status: 139,
            memory: 5 << 20,
            cpu_micros: 17,
            was_killed: false,
            was_stopped: true,
        };
        for report in [
            Report::Started,
            Report::NotStarted(2),
            Report::Refused("mount: not permitted".to_string()),
            Report::Ended(end),
        ] {
            assert_eq!(report.to_string().parse(), Ok(report));
        }
        for line in ["", "ended", "ended 1 2 3 true", "not-started x", "gone"] {
            assert!(line.parse::<Report>().is_err(), "{line:?}");
        }
    }
}
