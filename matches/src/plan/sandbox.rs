//! The sandbox of the engines: limits of their system resources, and isolation from each other.

use std::fmt;
use std::str::FromStr;

use super::numbers::{cpu_seconds, mebibytes, processes};

/// Limits of the system resources of an engine, except memory; `None` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// CPU time of each process, in seconds.
    pub cpu: Option<u64>,
    /// Number of processes and threads of the engine at a time; requires isolation.
    pub processes: Option<u64>,
    /// Size of a file that the engine writes, in MiB.
    pub filesize: Option<u64>,
    /// Whether the engine has access to the network; without access, isolation is required.
    pub net: bool,
}

impl Default for ResourceLimits {
    fn default() -> ResourceLimits {
        ResourceLimits {
            cpu: None,
            processes: None,
            filesize: None,
            net: true,
        }
    }
}

impl ResourceLimits {
    /// Returns the keys with their values in the form of `--engine`, without those that have no limit.
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

    /// Returns the first key that requires isolation, if there is one.
    pub fn need_of_isolation(&self) -> Option<&'static str> {
        match self {
            ResourceLimits { net: false, .. } => Some("net=off"),
            ResourceLimits {
                processes: Some(_), ..
            } => Some("processes"),
            _ => None,
        }
    }
}

impl fmt::Display for ResourceLimits {
    /// Writes the form of `--engine`, such as `cpu=60 net=off`; nothing if there are no limits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.pairs().into_iter();
        let words: Vec<String> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for ResourceLimits {
    type Err = String;

    /// Parses the [`Display`](fmt::Display) form of [`ResourceLimits`]; the error names the accepted keys.
    fn from_str(text: &str) -> Result<ResourceLimits, String> {
        let mut bounds = ResourceLimits::default();
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

/// Whether engines are isolated from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolate {
    /// If the system allows it.
    #[default]
    Auto,
    /// Always; without support of the system the match fails.
    On,
    /// Never.
    Off,
}

impl fmt::Display for Isolate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isolate::Auto => "auto",
            Isolate::On => "on",
            Isolate::Off => "off",
        })
    }
}

impl FromStr for Isolate {
    type Err = String;

    /// Parses the [`Display`](fmt::Display) form of [`Isolate`]; the error names the accepted values.
    fn from_str(text: &str) -> Result<Isolate, String> {
        match text {
            "auto" => Ok(Isolate::Auto),
            "on" => Ok(Isolate::On),
            "off" => Ok(Isolate::Off),
            _ => Err("expected auto, on or off".to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_back_as_they_were() {
        for text in ["", "cpu=60", "cpu=1 processes=9 filesize=3 net=off"] {
            let bounds: ResourceLimits = text.parse().unwrap();
            assert_eq!(bounds.to_string(), text);
        }
        for text in ["cpu", "cpu=0", "net=on", "memory=3"] {
            assert!(text.parse::<ResourceLimits>().is_err(), "{text}");
        }
    }
}
