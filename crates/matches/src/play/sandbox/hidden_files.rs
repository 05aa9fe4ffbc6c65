//! Hints for engines that fail because isolation hides a file from them.
//!
//! Where the kernel can lay an engine's changes over existing files, it hides none. Elsewhere `/tmp` and the like are
//! empty but for the files that an engine's settings name.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::plan::{EngineSpec, binary};
use crate::record::printable::printable;

/// Characters around a path in a message, besides blanks.
const AROUND_PATHS: &str = "'\"`:;,=()[]<>";

/// The files that isolation hides from an engine.
#[derive(Clone, Debug, Default)]
pub struct HiddenFiles {
    /// Directories whose files the engine does not see, with the exceptions in `seen`.
    directories: Vec<PathBuf>,
    /// Files and directories within `directories` that the engine sees.
    seen: Vec<PathBuf>,
    /// Directory that the engine starts in.
    start: PathBuf,
    /// Texts of the engine's settings that may name files.
    settings: Vec<String>,
}

impl HiddenFiles {
    /// Returns the files of `directories` that isolation hides from an engine.
    pub fn of(spec: &EngineSpec, directories: &[PathBuf]) -> HiddenFiles {
        let start = env::current_dir().unwrap_or_default();
        let start = spec.dir.as_ref().map_or(start.clone(), |dir| start.join(dir));
        let program = binary::file_of(&spec.command).map(|program| start.join(program));
        let named = spec.args.iter().map(|word| start.join(word));
        let directories = directories.iter().filter_map(|path| fs::canonicalize(path).ok());
        let directories: Vec<PathBuf> = directories.collect();
        let named = [start.clone()].into_iter().chain(program.clone()).chain(named);
        let seen = named.filter_map(|path| fs::canonicalize(path).ok());
        let seen = seen.filter(|path| directory_of(path, &directories).is_some());
        let values = spec.options.iter().map(|(_, value)| value.clone());
        let folder =
            program.iter().filter_map(|program| Some(program.parent()?.display().to_string()));
        let words = spec.args.iter().cloned();
        HiddenFiles {
            seen: seen.collect(),
            settings: values.chain(words).chain(folder).collect(),
            directories,
            start,
        }
    }

    /// Returns the end of a sentence about a failure: which file is hidden that `stderr` or the engine's settings name,
    /// if any, and what to do.
    pub fn hint(&self, stderr: &[String]) -> String {
        let mut texts = stderr.iter().rev().chain(&self.settings);
        let found = texts.find_map(|text| self.named_in(text));
        found.map_or(String::new(), |hint| format!("; {hint}"))
    }

    /// Says which hidden file a text names, if any, and what to do.
    pub fn named_in(&self, text: &str) -> Option<String> {
        if self.directories.is_empty() {
            return None;
        }
        let quoted = text.split(['\'', '"']);
        let words = text.split(|c: char| c.is_whitespace() || AROUND_PATHS.contains(c));
        let candidates = [text].into_iter().chain(quoted).chain(words);
        let mut paths =
            candidates.filter(|word| word.contains('/')).map(|word| self.start.join(word));
        let (directory, path) = paths.find_map(|path| Some((self.hiding(&path)?, path)))?;
        let (path, directory) = (path.display().to_string(), directory.display());
        let path = printable(&path);
        Some(format!(
            "isolation hides {path} from it: move that out of {directory}, or use --isolate off"
        ))
    }

    /// Returns the directory that hides an existing file.
    fn hiding(&self, path: &Path) -> Option<&PathBuf> {
        let end = fs::canonicalize(path).ok()?;
        if self.seen.iter().any(|seen| end.starts_with(seen)) {
            return None;
        }
        directory_of(&end, &self.directories)
    }
}

/// Returns the directory that a path lies in.
fn directory_of<'a>(path: &Path, directories: &'a [PathBuf]) -> Option<&'a PathBuf> {
    directories.iter().find(|directory| path.starts_with(directory) && path != **directory)
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;
    use crate::plan::Limit;

    #[test]
    fn a_hidden_file_is_found_in_settings_and_messages() {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        let file = |name: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            path
        };
        let program = file("bin/program");
        let (script, hidden) = (file("script"), file("a b/weights"));
        let (shown, dir) = (file("dir/shown"), root.join("dir"));
        let mut spec = EngineSpec {
            args: vec![script.display().to_string()],
            dir: Some(dir.clone()),
            ..EngineSpec::new("x", &program, Limit::nodes(1))
        };
        let files = HiddenFiles::of(&spec, slice::from_ref(&root));
        for (text, is_named) in [
            (format!("cat: {}: No such file", program.parent().unwrap().display()), true),
            (format!("FileNotFoundError: '{}'", hidden.display()), true),
            (format!("{}", hidden.display()), true),
            ("open(\"../a b/weights\") failed".to_string(), true),
            (format!("{}: No such file", shown.display()), false),
            (format!("{}: line 3: x: not found", script.display()), false),
            (format!("{}/missing: No such file", root.display()), false),
            ("No such file: /etc/passwd".to_string(), false),
            (root.display().to_string(), false),
        ] {
            let hint = files.named_in(&text);
            assert_eq!(hint.is_some(), is_named, "{text}: {hint:?}");
        }
        let hint = |spec: &EngineSpec| HiddenFiles::of(spec, slice::from_ref(&root)).hint(&[]);
        let of_folder = format!("isolation hides {} from it", root.join("bin").display());
        assert!(hint(&spec).contains(&of_folder), "{}", hint(&spec));
        spec.options.push(("EvalFile".into(), hidden.display().to_string()));
        let of_option = format!("isolation hides {} from it", hidden.display());
        assert!(hint(&spec).contains(&of_option), "{}", hint(&spec));
        spec.dir = Some(root.clone());
        assert!(hint(&spec).contains(&of_option), "{}", hint(&spec));
        assert_eq!(HiddenFiles::of(&spec, &[]).hint(&[]), "");
    }
}
