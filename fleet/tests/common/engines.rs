//! Engines that are scripts.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use matches::spelling::{quote, quote_path};

use super::fleet::{FLEET, Fleet, Process, engine};

/// Writes a program; returns its path.
pub fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let program = folder.join(name);
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    program
}

/// Engines that record each of their starts.
pub struct Recorded {
    /// Becomes the built-in engine; its first argument is its name.
    program: PathBuf,
    starts: PathBuf,
}

#[derive(Clone, Debug)]
pub struct Start {
    pub engine: String,
    pub process: u32,
    /// Processor cores that it may use, in the kernel's notation.
    pub cores: String,
}

impl Recorded {
    pub fn new(folder: &Path) -> Recorded {
        let starts = folder.join("starts");
        let text = format!(
            "#!/bin/sh\necho \"$1 $$ $(grep Cpus_allowed_list /proc/self/status)\" >> {}\nexec {} engine\n",
            quote_path(&starts),
            quote(FLEET)
        );
        let program = script(folder, "recorded", &text);
        Recorded { program, starts }
    }

    /// Starts the coordinator of a match between two of them, `a` and `b`, which see the processes of the machine.
    pub fn begin(&self, fleet: &mut Fleet, words: &str) -> Process {
        let store = fleet.store();
        fleet.begin_in(&store, &format!("{} --isolate off {words}", self.engines()))
    }

    /// Starts a worker that has both engines.
    pub fn worker(&self, fleet: &mut Fleet, words: &str) -> Process {
        fleet.start(&format!("work {} {words}", self.engines()))
    }

    fn engines(&self) -> String {
        let program = self.program.to_str().unwrap();
        ["a", "b"].map(|name| engine(program, &[name], &format!("name={name}"))).join(" ")
    }

    pub fn starts(&self, engine: &str) -> Vec<Start> {
        let text = fs::read_to_string(&self.starts).unwrap_or_default();
        let start = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            Start {
                engine: words[0].to_string(),
                process: words[1].parse().unwrap(),
                cores: words[3].to_string(),
            }
        };
        let starts = text.lines().map(start);
        starts.filter(|start| start.engine == engine).collect()
    }

    /// Whether no such engine is running.
    pub fn are_gone(&self) -> bool {
        let starts = ["a", "b"].map(|engine| self.starts(engine)).concat();
        let runs = |start: &Start| {
            let status = fs::read_to_string(format!("/proc/{}/stat", start.process));
            status.is_ok_and(|status| !status.contains(") Z "))
        };
        !starts.iter().any(runs)
    }
}

/// Main loop of a small engine; its first argument is a file that says which legal move to play.
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

/// Two engines that are small enough to be shared, `a` and `b`: one program with a file for each.
pub struct Small {
    pub program: PathBuf,
    pub files: [PathBuf; 2],
}

impl Small {
    /// Creates engines in the folder of a fleet, which run `before` when they start.
    pub fn new(fleet: &Fleet, before: &str) -> Small {
        let folder = fleet.path("engines");
        let program = script(&folder, "small", &format!("#!/bin/bash\n{before}\n{TALK}"));
        let files = ["first", "last"].map(|choice| {
            let file = folder.join(format!("{choice}.net"));
            fs::write(&file, format!("{choice}\n")).unwrap();
            file
        });
        Small { program, files }
    }

    /// Arguments of the two engines.
    pub fn engines(&self) -> String {
        let program = self.program.to_str().unwrap();
        let [a, b] = &self.files;
        let small = |(name, file): (&str, &PathBuf)| {
            engine(program, &[file.to_str().unwrap()], &format!("name={name} legal=on"))
        };
        [("a", a), ("b", b)].map(small).join(" ")
    }

    /// Starts the coordinator of a match between them in this store.
    pub fn begin(&self, fleet: &mut Fleet, store: &Path, words: &str) -> Process {
        fleet.begin_in(store, &format!("{} {words}", self.engines()))
    }

    /// Starts a worker that accepts engines, and caches them in the folder of the fleet.
    pub fn worker(fleet: &mut Fleet, name: &str) -> Process {
        let cache = fleet.path("cache");
        fleet.start(&format!("work --name {name} --accept-engines --cache {}", cache.display()))
    }
}
