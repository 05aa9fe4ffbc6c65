//! The sandbox of the engines: limits of their system resources, and isolation from each other.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Limits of the system resources of an engine, except memory; `None` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResourceLimits {
    /// CPU time of each process, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u64>,
    /// Number of processes and threads of the engine at a time; requires isolation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// Size of a file that the engine writes, in MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesize: Option<u64>,
    /// Whether the engine has access to the network; without access, isolation is required.
    #[serde(skip_serializing_if = "is_on")]
    pub net: bool,
}

/// `true` for access to the network, which is not written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_on(net: &bool) -> bool {
    *net
}

impl Default for ResourceLimits {
    fn default() -> ResourceLimits {
        ResourceLimits { cpu: None, processes: None, filesize: None, net: true }
    }
}

impl ResourceLimits {
    /// Returns the keys with their values in the form of `--engine`, without those that have no limit.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let numbers =
            [("cpu", self.cpu), ("processes", self.processes), ("filesize", self.filesize)];
        let numbers =
            numbers.into_iter().filter_map(|(key, value)| Some((key, value?.to_string())));
        let net = (!self.net).then(|| ("net", "off".to_string()));
        numbers.chain(net).collect()
    }

    /// Returns the first key that requires isolation, if there is one.
    pub fn need_of_isolation(&self) -> Option<&'static str> {
        match self {
            ResourceLimits { net: false, .. } => Some("net=off"),
            ResourceLimits { processes: Some(_), .. } => Some("processes"),
            _ => None,
        }
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
