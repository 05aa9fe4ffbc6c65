//! Engines that are small enough to be shared: scripts that play the first or the last legal move.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Fleet;
use super::fleet::Process;

/// Main loop of the script; its first argument is a file that says which move to play.
const TALK: &str = r#"read -r choice < "$1" || exit 1
while read -r line; do
    case $line in
    uci) echo "id name small"; echo uciok ;;
    isready) echo readyok ;;
    go*)
        set -- ${line#*searchmoves }
        [ "$choice" = first ] || shift $(($# - 1))
        echo "bestmove $1" ;;
    quit) exit ;;
    esac
done
"#;

/// Two engines, `a` and `b`: one program with a file for each.
pub struct Small {
    pub program: PathBuf,
    pub files: [PathBuf; 2],
}

impl Small {
    /// Creates engines in a folder, which run `before` when they start.
    pub fn new(folder: &Path, before: &str) -> Small {
        fs::create_dir_all(folder).unwrap();
        let program = folder.join("small");
        fs::write(&program, format!("#!/bin/bash\n{before}\n{TALK}")).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        let files = ["first", "last"].map(|choice| {
            let file = folder.join(format!("{choice}.net"));
            fs::write(&file, format!("{choice}\n")).unwrap();
            file
        });
        Small { program, files }
    }

    /// Arguments of the two engines.
    pub fn engines(&self) -> [String; 2] {
        let program = self.program.display();
        let [a, b] = &self.files;
        [("a", a), ("b", b)].map(|(name, file)| {
            let file = file.display();
            format!("cmd={program} args={file} name={name} legal=on")
        })
    }

    /// Starts the coordinator of a match between them in this store.
    pub fn begin(&self, fleet: &mut Fleet, store: &Path, words: &[&str]) -> Process {
        let [a, b] = self.engines();
        let store = store.to_str().unwrap();
        let mut all = vec!["match", "--store", store, "--engine", &a, "--engine", &b];
        all.extend_from_slice(words);
        fleet.start(&all)
    }
}

/// Starts a worker that accepts engines, sandboxed if possible, and caches them in a folder.
pub fn worker(fleet: &mut Fleet, name: &str, cache: &Path) -> Process {
    let accept = match cfg!(bubblewrap) {
        true => "--accept-engines",
        false => "--accept-engines=unsandboxed",
    };
    let cache = cache.to_str().unwrap();
    fleet.start(&["work", "--name", name, accept, "--cache", cache])
}
