//! Names of streams, subjects, consumers, buckets and keys.

use std::fmt::Display;

use rustix::system::uname;

/// Bucket of the states of all matches and the list of open ones.
pub const MATCHES: &str = "fleet_matches";
/// Bucket of the workers' heartbeats, which expire soon.
pub const BEATS: &str = "fleet_beats";
/// Bucket of the plans of matches.
pub const PLANS: &str = "fleet_plans";
/// Bucket of the files of shared engines.
pub const ENGINES: &str = "fleet_engines";
/// Subject of the notices that a match has changed.
pub const NOTICE: &str = "fleet.notice";
/// Beginning of the keys of lists of open matches, before the key of their coordinator.
pub const OPEN: &str = "open.";
/// Consumer that all workers share.
pub const WORKERS: &str = "workers";
/// Consumer of the coordinator.
pub const COORDINATOR: &str = "coordinator";

/// Hexadecimal digits of a match id.
const ID_DIGITS: usize = 16;
/// Maximum length of a worker's label.
const MAX_LETTERS: usize = 64;

/// Names that belong to one match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    id: String,
}

impl Names {
    /// Returns the names for an id of 16 hexadecimal digits; `None` for any other text.
    pub fn of(id: &str) -> Option<Names> {
        let is_id = id.len() == ID_DIGITS && id.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_id.then(|| Names { id: id.to_string() })
    }

    pub fn numbered(number: u64) -> Names {
        Names { id: format!("{number:016x}") }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Stream of units to play.
    pub fn work_stream(&self) -> String {
        format!("FLEET_{}_WORK", self.id)
    }

    /// Subject of units to play.
    pub fn work(&self) -> String {
        format!("fleet.{}.work", self.id)
    }

    /// Stream of games that were played.
    pub fn result_stream(&self) -> String {
        format!("FLEET_{}_RESULT", self.id)
    }

    /// Subject of the games that the worker with this key has played, or of all with `*`.
    pub fn result(&self, key: impl Display) -> String {
        format!("fleet.{}.result.{key}", self.id)
    }

    /// Subject of units that the worker with this key must play, because it was chosen to confirm another's games.
    pub fn check(&self, key: impl Display) -> String {
        format!("fleet.{}.check.{key}", self.id)
    }

    /// Scope of the signature of such a unit.
    pub fn check_scope(&self, key: impl Display) -> String {
        format!("{} {key}", self.id)
    }

    /// Key of the match's state.
    pub fn state(&self) -> String {
        format!("match.{}", self.id)
    }

    /// Name of an engine's file with this SHA-256.
    pub fn file(&self, sha256: &str) -> String {
        format!("{}.{sha256}", self.id)
    }

    /// Key of a part of the tally, from 0.
    pub fn tally(&self, part: usize) -> String {
        format!("tally.{}.{part}", self.id)
    }
}

/// Key of the list of open matches of the coordinator with this key.
pub fn open(key: impl Display) -> String {
    format!("{OPEN}{key}")
}

/// Subject of the units of all matches that the worker with this key must play.
pub fn checks(key: impl Display) -> String {
    format!("fleet.*.check.{key}")
}

/// Makes a worker's label of any text: replaces all characters except letters, digits, `-` and `_` by `-`.
pub fn label_of(name: &str) -> String {
    let fit = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => c,
        _ => '-',
    };
    name.chars().take(MAX_LETTERS).map(fit).collect()
}

/// Default label of a worker: the name of its machine.
pub fn of_this_machine() -> String {
    let machine = uname().nodename().to_string_lossy().into_owned();
    label_of(machine.split('.').next().unwrap_or("machine"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_hexadecimal() {
        let names = Names::numbered(255);
        assert_eq!(Names::of(names.id()), Some(names.clone()));
        assert_eq!(names.work(), "fleet.00000000000000ff.work");
        for id in ["", "ff", "00000000000000f>", "00000000000000ff.x"] {
            assert_eq!(Names::of(id), None, "{id}");
        }
    }

    #[test]
    fn any_name_becomes_a_label() {
        assert_eq!(label_of("a b.c*>ä"), "a-b-c---");
        assert_eq!(label_of(&"x".repeat(100)).len(), MAX_LETTERS);
    }
}
