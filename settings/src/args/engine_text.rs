//! Engines as strings: `cmd=./x args='-q 3' name=x option.Hash=16 movetime=20`.
//!
//! The string is split into words as in a shell; each word is a key and a value. The same keys, except `cmd` and
//! `name`, describe the settings that all engines share.

use std::path::PathBuf;
use std::time::Duration;

use matches::plan::Limit;
use matches::plan::numbers::{cpu_seconds, margin, mebibytes, processes};
use matches::record::printable::is_hidden;

const KEYS: &str = "cmd, args, name, dir, option.NAME, movetime, depth, nodes, tc, margin, legal, \
    ponder, restart, memory, cpu, processes, filesize, net";

/// The error of a text that is split as in a shell.
const UNCLOSED: &str = "a quotation mark is not closed";

/// An engine's settings as typed; a setting that is missing is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EngineText {
    pub cmd: Option<String>,
    pub args: Option<Vec<String>>,
    pub name: Option<String>,
    pub dir: Option<PathBuf>,
    pub options: Vec<(String, String)>,
    pub limit: Limit,
    pub margin: Option<Duration>,
    pub legal: Option<bool>,
    pub ponder: Option<bool>,
    pub restart: Option<bool>,
    pub memory: Option<u64>,
    pub cpu: Option<u64>,
    pub processes: Option<u64>,
    pub filesize: Option<u64>,
    pub net: Option<bool>,
}

/// The error of a word without a key; suggests `cmd=` if it looks like a program.
fn no_value(word: &str) -> String {
    let meant = match word.contains(['/', '.']) {
        true => format!(": did you mean cmd={word}?"),
        false => format!("; the keys are {KEYS}"),
    };
    format!("{word:?} is not of the form KEY=VALUE{meant}")
}

/// The known key nearest to `key` as "did you mean", or nothing if none is near enough.
pub(crate) fn did_you_mean(key: &str, known: &[impl AsRef<str>]) -> String {
    let known = known.iter().map(AsRef::as_ref);
    let nearness = |known: &str| strsim::jaro_winkler(key, known);
    let nearest = known.max_by(|one, other| nearness(one).total_cmp(&nearness(other)));
    match nearest.filter(|known| nearness(known) > 0.8) {
        Some(nearest) => format!(" (did you mean {nearest:?}?)"),
        None => String::new(),
    }
}

fn unknown_key(key: &str) -> String {
    let known: Vec<&str> = KEYS.split(", ").collect();
    let meant = did_you_mean(key, &known);
    format!("unknown key {key:?}{meant}; the keys are {KEYS}")
}

fn given_twice(key: &str) -> String {
    format!("{key} is given twice")
}

impl EngineText {
    pub(crate) fn parse(text: &str) -> Result<EngineText, String> {
        let words = shlex::split(text).ok_or(UNCLOSED)?;
        let mut engine = EngineText::default();
        for word in words {
            match word.split_once('=') {
                Some((key, value)) => engine.set(key, value)?,
                None => return Err(no_value(&word)),
            }
        }
        Ok(engine)
    }

    /// Fills in missing settings from `shared`.
    pub(super) fn or(mut self, shared: &EngineText) -> EngineText {
        let limit = self.own_limit().unwrap_or(shared.limit);
        let own = std::mem::take(&mut self.options);
        let is_own = |name: &str| own.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let inherited = shared.options.iter().filter(|(name, _)| !is_own(name));
        let options = inherited.cloned().chain(own.iter().cloned()).collect();
        EngineText {
            cmd: self.cmd.or_else(|| shared.cmd.clone()),
            args: self.args.or_else(|| shared.args.clone()),
            name: self.name,
            dir: self.dir.or_else(|| shared.dir.clone()),
            options,
            limit,
            margin: self.margin.or(shared.margin),
            legal: self.legal.or(shared.legal),
            ponder: self.ponder.or(shared.ponder),
            restart: self.restart.or(shared.restart),
            memory: self.memory.or(shared.memory),
            cpu: self.cpu.or(shared.cpu),
            processes: self.processes.or(shared.processes),
            filesize: self.filesize.or(shared.filesize),
            net: self.net.or(shared.net),
        }
    }

    /// The engine's own limit, if it sets one.
    pub(super) fn own_limit(&self) -> Option<Limit> {
        (self.limit != Limit::default()).then_some(self.limit)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let wrong = |expected: String| format!("{key}={value}: {expected}");
        // A name is printed in tables and logs, and an option is sent as one protocol line.
        if (key == "name" || key.starts_with("option.")) && value.contains(is_hidden) {
            let expected = "expected one line of text without control or invisible characters";
            return Err(wrong(expected.to_string()));
        }
        if let Some(name) = key.strip_prefix("option.") {
            return self.set_option(key, name, value);
        }
        let filled = |text: &str| match text {
            "" => Err(wrong("expected a non-empty text".to_string())),
            text => Ok(text.to_string()),
        };
        match key {
            "cmd" => once(&mut self.cmd, key, filled(value)?),
            "name" => once(&mut self.name, key, filled(value)?),
            "dir" => once(&mut self.dir, key, PathBuf::from(filled(value)?)),
            "args" => {
                let args = shlex::split(value).ok_or_else(|| wrong(UNCLOSED.to_string()))?;
                once(&mut self.args, key, args)
            }
            "margin" => {
                let margin = margin(value).map_err(wrong)?;
                once(&mut self.margin, key, Duration::from_millis(margin))
            }
            "memory" => once(&mut self.memory, key, mebibytes(value).map_err(wrong)?),
            "cpu" => once(&mut self.cpu, key, cpu_seconds(value).map_err(wrong)?),
            "processes" => once(&mut self.processes, key, processes(value).map_err(wrong)?),
            "filesize" => once(&mut self.filesize, key, mebibytes(value).map_err(wrong)?),
            "net" => once(&mut self.net, key, switch(value).map_err(wrong)?),
            "legal" => once(&mut self.legal, key, switch(value).map_err(wrong)?),
            "ponder" => once(&mut self.ponder, key, switch(value).map_err(wrong)?),
            "restart" => once(&mut self.restart, key, switch(value).map_err(wrong)?),
            "movetime" | "depth" | "nodes" | "tc" => {
                self.set_limit(key, Limit::of_key(key, value).map_err(wrong)?)
            }
            _ => Err(unknown_key(key)),
        }
    }

    fn set_limit(&mut self, key: &str, limit: Limit) -> Result<(), String> {
        let both = limit.or(self.limit);
        if limit.time.is_some() && self.limit.time.is_some() {
            return Err(format!(
                "{key} is a second time limit; an engine has either movetime or tc"
            ));
        }
        if both == limit && self.limit != Limit::default() {
            return Err(given_twice(key));
        }
        self.limit = both;
        Ok(())
    }

    fn set_option(&mut self, key: &str, name: &str, value: &str) -> Result<(), String> {
        if name.is_empty() {
            return Err(unknown_key(key));
        }
        if name.eq_ignore_ascii_case("UCI_Variant") {
            return Err(format!(
                "option.{name}: the variant is set with --variant, for all engines"
            ));
        }
        let mut names = self.options.iter().map(|(name, _)| name);
        if names.any(|known| known.eq_ignore_ascii_case(name)) {
            return Err(given_twice(key));
        }
        self.options.push((name.to_string(), value.to_string()));
        Ok(())
    }
}

fn once<T>(field: &mut Option<T>, key: &str, value: T) -> Result<(), String> {
    if field.is_some() {
        return Err(given_twice(key));
    }
    *field = Some(value);
    Ok(())
}

fn switch(value: &str) -> Result<bool, String> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected on or off".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        match EngineText::parse(text) {
            Ok(engine) => panic!("{text:?} is accepted: {engine:?}"),
            Err(error) => error,
        }
    }

    #[test]
    fn every_key_is_read() {
        let text = concat!(
            r#"cmd=./x args="-q 'two words'" name='My Engine' dir=/tmp option.Hash=16 "option.Move Overhead=5" "#,
            "tc=10+0.1 depth=9 margin=7 legal=on ponder=on restart=off memory=512 ",
            "cpu=60 processes=8 filesize=10 net=off"
        );
        let engine = EngineText {
            cmd: Some("./x".into()),
            args: Some(vec!["-q".into(), "two words".into()]),
            name: Some("My Engine".into()),
            dir: Some("/tmp".into()),
            options: vec![
                ("Hash".into(), "16".into()),
                ("Move Overhead".into(), "5".into()),
            ],
            limit: Limit::clock(Duration::from_secs(10), Duration::from_millis(100))
                .or(Limit::depth(9)),
            margin: Some(Duration::from_millis(7)),
            legal: Some(true),
            ponder: Some(true),
            restart: Some(false),
            memory: Some(512),
            cpu: Some(60),
            processes: Some(8),
            filesize: Some(10),
            net: Some(false),
        };
        assert_eq!(EngineText::parse(text), Ok(engine));
    }

    #[test]
    fn a_value_may_contain_an_equals_sign() {
        let engine = EngineText::parse("option.Book=a=b").unwrap();
        assert_eq!(engine.options, [("Book".to_string(), "a=b".to_string())]);
    }

    #[test]
    fn own_settings_go_before_shared_ones() {
        let shared = EngineText::parse("depth=3 option.Hash=1 option.Threads=2 legal=on").unwrap();
        let own = EngineText::parse("cmd=x nodes=5 option.hash=8 legal=off").unwrap();
        let merged = own.or(&shared);
        assert_eq!(merged.limit, Limit::nodes(5));
        assert_eq!(merged.legal, Some(false));
        let options = [("Threads", "2"), ("hash", "8")];
        let options = options.map(|(name, value)| (name.to_string(), value.to_string()));
        assert_eq!(merged.options, options);
    }

    #[test]
    fn errors_name_what_was_given_and_what_is_accepted() {
        let errors = [
            "cmd=x name='y",
            "cmd=x fast",
            "cmd=x st=1",
            "cmd=x cmd=y",
            "cmd=",
            "depth=3 depth=4",
            "movetime=3 tc=4",
            "tc=0/4",
            "memory=0",
            "cpu=0",
            "net=no",
            "margin=-1",
            "ponder=1",
            "depth=0",
            "movetime=ten",
            "tc=0+1",
            "tc=1e3",
            "tc=-1",
            "legal=yes",
            "args='\"a'",
            "option.=3",
            "option.a=1 option.A=2",
            "option.uci_variant=chess",
        ]
        .map(|text| format!("{text}\n  {}", error(text)));
        insta::assert_snapshot!(errors.join("\n"));
    }
}
