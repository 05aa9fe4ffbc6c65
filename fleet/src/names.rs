//! What streams, subjects, consumers, buckets and keys are called.

use rustix::system::uname;

/// The bucket of the states of all matches, and of the list of those that are open.
pub const MATCHES: &str = "fleet_matches";
/// The bucket of the workers' beats; what is in it is forgotten soon.
pub const BEATS: &str = "fleet_beats";
/// The bucket of the plans of matches.
pub const PLANS: &str = "fleet_plans";
/// The bucket of the files of engines that are shared.
pub const ENGINES: &str = "fleet_engines";
/// The subject on which it is said that a match has changed.
pub const NOTICE: &str = "fleet.notice";
/// The key of the list of open matches.
pub const OPEN: &str = "open";
/// The consumer that all workers share.
pub const WORKERS: &str = "workers";
/// The consumer of the coordinator.
pub const COORDINATOR: &str = "coordinator";

/// Hexadecimal digits of the id of a match.
const ID_DIGITS: usize = 16;
/// The longest name of a worker.
const MOST_LETTERS: usize = 64;

/// The names that belong to one match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    id: String,
}

impl Names {
    /// The names of the match with an id of 16 hexadecimal digits; `None` for any other text.
    pub fn of(id: &str) -> Option<Names> {
        let is_id = id.len() == ID_DIGITS && id.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_id.then(|| Names { id: id.to_string() })
    }

    /// The names of the match with this number.
    pub fn numbered(number: u64) -> Names {
        Names {
            id: format!("{number:016x}"),
        }
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The stream of what is to be played.
    pub fn work_stream(&self) -> String {
        format!("FLEET_{}_WORK", self.id)
    }

    /// The subject of what is to be played.
    pub fn work(&self) -> String {
        format!("fleet.{}.work", self.id)
    }

    /// The stream of games that were played.
    pub fn result_stream(&self) -> String {
        format!("FLEET_{}_RESULT", self.id)
    }

    /// The subject of games that were played.
    pub fn result(&self) -> String {
        format!("fleet.{}.result", self.id)
    }

    /// The key of the match's state.
    pub fn state(&self) -> String {
        format!("match.{}", self.id)
    }

    /// The name of a file of an engine with this SHA-256.
    pub fn file(&self, sha256: &str) -> String {
        format!("{}.{sha256}", self.id)
    }

    /// The key of a part of what the coordinator has counted, from 0.
    pub fn tally(&self, part: usize) -> String {
        format!("tally.{}.{part}", self.id)
    }
}

/// A name that can be a key: what is neither letter, digit, `-` nor `_` becomes `-`.
pub fn key_of(name: &str) -> String {
    let fit = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => c,
        _ => '-',
    };
    name.chars().take(MOST_LETTERS).map(fit).collect()
}

/// The name of a worker that was given none: the machine's with the number of the process.
pub fn of_this_process() -> String {
    let machine = uname().nodename().to_string_lossy().into_owned();
    let short = machine.split('.').next().unwrap_or("machine");
    key_of(&format!("{short}-{}", std::process::id()))
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
    fn any_name_becomes_a_key() {
        assert_eq!(key_of("a b.c*>ä"), "a-b-c---");
        assert_eq!(key_of(&"x".repeat(100)).len(), MOST_LETTERS);
    }
}
