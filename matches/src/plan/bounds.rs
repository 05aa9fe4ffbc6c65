//! What an engine may take of the system.

use std::fmt;
use std::str::FromStr;

use super::numbers::{cpu_seconds, mebibytes, processes};

/// What each process of an engine may take of the system, beside memory; `None` is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most time on processors, in seconds.
    pub cpu: Option<u64>,
    /// The most processes and threads that the engine may have at a time; it has to be isolated for that.
    pub processes: Option<u64>,
    /// The longest file that it may write, in MiB.
    pub filesize: Option<u64>,
    /// Whether it has the network; without it, it has to be isolated.
    pub net: bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            cpu: None,
            processes: None,
            filesize: None,
            net: true,
        }
    }
}

impl Bounds {
    /// The keys with their values, as in `--engine`; those without a bound are left out.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let numbers = [
            ("cpu", self.cpu),
            ("processes", self.processes),
            ("filesize", self.filesize),
        ];
        let numbers = numbers
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?.to_string())));
        let net = (!self.net).then(|| ("net", "off".to_string()));
        numbers.chain(net).collect()
    }

    /// The key of what holds only for an engine that is isolated, if there is one.
    pub fn need_of_isolation(&self) -> Option<&'static str> {
        match self {
            Bounds { net: false, .. } => Some("net=off"),
            Bounds {
                processes: Some(_), ..
            } => Some("processes"),
            _ => None,
        }
    }
}

impl fmt::Display for Bounds {
    /// As in `--engine`, such as `cpu=60 net=off`; empty where there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.pairs().into_iter();
        let words: Vec<String> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Bounds {
    type Err = String;

    /// Reads what [`Bounds`] displays; the error says what would have been accepted.
    fn from_str(text: &str) -> Result<Bounds, String> {
        let mut bounds = Bounds::default();
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some(("cpu", value)) => bounds.cpu = Some(cpu_seconds(value)?),
                Some(("processes", value)) => bounds.processes = Some(processes(value)?),
                Some(("filesize", value)) => bounds.filesize = Some(mebibytes(value)?),
                Some(("net", "off")) => bounds.net = false,
                _ => {
                    return Err(format!(
                        "{word:?}: expected cpu=, processes=, filesize= or net=off"
                    ));
                }
            }
        }
        Ok(bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_back_as_they_were() {
        for text in ["", "cpu=60", "cpu=1 processes=9 filesize=3 net=off"] {
            let bounds: Bounds = text.parse().unwrap();
            assert_eq!(bounds.to_string(), text);
        }
        for text in ["cpu", "cpu=0", "net=on", "memory=3"] {
            assert!(text.parse::<Bounds>().is_err(), "{text}");
        }
    }
}
