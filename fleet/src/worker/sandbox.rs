//! The sandbox of fetched engines: `bwrap`, if it is installed and works.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use buxtehude::rules::VARIANTS;
use matches::plan::{EngineSpec, Isolate, Limit, Plan};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::runner;
use matches::play::sandbox::Isolation;

const PROGRAM: &str = "bwrap";
/// Maximum size of each directory that an engine can write to, in bytes.
const MAX_BYTES: &str = "67108864";
/// Programs and libraries of the system, which an engine sees read-only if they exist.
const SYSTEM_PATHS: &str = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc/alternatives /etc/ld.so.cache \
    /etc/ld.so.conf /nix/store /gnu/store";
/// Flags for all namespaces, the network's included, without capabilities and with an empty environment.
const ISOLATION_FLAGS: &str = "--unshare-user --unshare-all --die-with-parent --cap-drop ALL --clearenv \
    --setenv PATH /usr/bin:/bin --setenv HOME /work --setenv LANG C.UTF-8 --chdir /work";
/// Path of the engine's program in the sandbox.
const OWN_PROGRAM: &str = "/engine/program";

#[derive(Debug)]
pub(crate) enum Sandbox {
    Bubblewrap {
        program: PathBuf,
        /// Whether it works inside the arbiter's isolation.
        nests: bool,
    },
    /// No sandbox except the arbiter's isolation.
    None {
        /// Whether that isolation works here.
        isolates: bool,
        /// Reason why `bwrap` cannot be used.
        reason: String,
    },
}

/// The files of a fetched engine on this machine.
pub(crate) struct Files<'a> {
    pub(crate) program: &'a Path,
    /// Files among its arguments, each with its name there and its path.
    pub(crate) arguments: Vec<(&'a str, &'a Path)>,
    /// An empty directory for it.
    pub(crate) folder: &'a Path,
}

impl Sandbox {
    /// Finds the sandbox of this machine by starting an engine in it, which takes some tenths of a second.
    pub(crate) fn find(interrupt: &Interrupt) -> Sandbox {
        let isolation = Isolation::of(Isolate::Auto, &[]);
        let isolates = isolation.is_ok_and(|(isolation, _)| isolation.is_some());
        let none = |reason| Sandbox::None { isolates, reason };
        let Ok(program) = which::which(PROGRAM) else {
            return none(format!("{PROGRAM} not found"));
        };
        for (isolate, nests) in [(Isolate::Auto, true), (Isolate::Off, false)] {
            let program = program.clone();
            let sandbox = Sandbox::Bubblewrap { program, nests };
            match sandbox.test(isolate, interrupt) {
                Ok(()) => return sandbox,
                Err(reason) if !nests => return none(reason),
                Err(_) => {}
            }
        }
        none(format!("{PROGRAM} does not work"))
    }

    /// Describes for the user what engines have access to.
    pub(crate) fn description(&self) -> String {
        match self {
            Sandbox::Bubblewrap { program, .. } => format!(
                "sandboxed by {}: no network, no files except a folder of its own and the system's programs \
                 (read-only); CPU time is not limited",
                program.display()
            ),
            Sandbox::None { isolates, reason } => {
                let network = if *isolates { "but no network" } else { "and the network" };
                format!(
                    "not sandboxed ({reason}): it runs as your user, with access to all your files {network}; CPU \
                     time is not limited"
                )
            }
        }
    }

    /// Makes an engine run its own files, in the sandbox.
    pub(crate) fn place(&self, engine: &mut EngineSpec, files: &Files<'_>) -> io::Result<()> {
        let mut places = Vec::new();
        for (number, (argument, path)) in files.arguments.iter().enumerate() {
            let name = Path::new(argument).file_name().unwrap_or_default();
            places.push((argument, path, Path::new(&number.to_string()).join(name)));
        }
        let mut arguments = std::mem::take(&mut engine.args);
        let mut rename = |from: &str, to: &Path| {
            for argument in arguments.iter_mut().filter(|argument| *argument == from) {
                *argument = to.display().to_string();
            }
        };
        match self {
            Sandbox::Bubblewrap { program, .. } => {
                let mut words: Vec<String> =
                    ISOLATION_FLAGS.split_whitespace().map(String::from).collect();
                words.extend(SYSTEM_PATHS.split_whitespace().flat_map(bind_flags));
                let mut bind = |from: &Path, to: &str| {
                    words.extend(["--ro-bind".into(), from.display().to_string(), to.into()]);
                };
                bind(files.program, OWN_PROGRAM);
                for (argument, path, place) in places {
                    let place = Path::new("/engine/files").join(place);
                    bind(path, &place.display().to_string());
                    rename(argument, &place);
                }
                words.extend(["--proc", "/proc", "--dev", "/dev"].map(String::from));
                for folder in ["/dev/shm", "/tmp", "/work"] {
                    words.extend(["--size", MAX_BYTES, "--tmpfs", folder].map(String::from));
                }
                for folder in ["/dev", "/"] {
                    words.extend(["--remount-ro", folder].map(String::from));
                }
                words.extend(["--", OWN_PROGRAM].map(String::from));
                words.append(&mut arguments);
                engine.args = words;
                engine.command.clone_from(program);
                engine.dir = None;
                // The sandbox has no network, whether the arbiter isolates engines or not.
                engine.bounds.net = true;
            }
            Sandbox::None { isolates, .. } => {
                let work = files.folder.join("work");
                fs::create_dir(&work)?;
                for (argument, path, place) in places {
                    let place = files.folder.join("files").join(place);
                    fs::create_dir_all(place.parent().unwrap_or(files.folder))?;
                    symlink(path, &place)?;
                    rename(argument, &place);
                }
                engine.args = arguments;
                engine.command = files.program.to_path_buf();
                engine.dir = Some(work);
                engine.bounds.net &= !isolates;
            }
        }
        Ok(())
    }

    /// Makes the arbiter isolate the engines of a match as far as this sandbox allows; `is_all` if all its engines were
    /// fetched. Returns the reason if the match requires more.
    pub(crate) fn adapt(&self, plan: &mut Plan, is_all: bool) -> Result<(), String> {
        match self {
            Sandbox::Bubblewrap { nests: true, .. } => {}
            // Engines in the sandbox are isolated by it.
            Sandbox::Bubblewrap { nests: false, .. } if plan.isolate == Isolate::On && !is_all => {
                let reason = "--isolate on: this machine cannot isolate fetched engines together with others, expected \
                              --isolate auto";
                return Err(reason.to_string());
            }
            Sandbox::Bubblewrap { nests: false, .. } => plan.isolate = Isolate::Off,
            Sandbox::None { isolates: true, .. } => plan.isolate = Isolate::On,
            Sandbox::None { .. } => {}
        }
        Ok(())
    }

    /// Starts the built-in engine in the sandbox as a test.
    fn test(&self, isolate: Isolate, interrupt: &Interrupt) -> Result<(), String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut engine = EngineSpec::new("sandbox", &own, Limit::nodes(1));
        engine.args = vec!["engine".to_string()];
        let files = Files { program: &own, arguments: Vec::new(), folder: Path::new("/") };
        let placed = self.place(&mut engine, &files);
        placed.map_err(|error| error.to_string())?;
        let mut plan = Plan { isolate, ..Plan::new(&VARIANTS[0], 2, vec![engine]) };
        let (isolation, _) =
            Isolation::of(plan.isolate, &plan.engines).map_err(|error| error.to_string())?;
        let tried = runner::start_engines(&mut plan, isolation, &Log::none(), interrupt, &|_| {});
        tried.map(drop).map_err(|error| error.to_string())
    }
}

/// Flags for a path of the system: bound as it is, or as a symbolic link if it is one.
fn bind_flags(path: &str) -> Vec<String> {
    let words = match (fs::read_link(path), Path::new(path).exists()) {
        (Ok(target), _) => ["--symlink".into(), target.display().to_string(), path.into()],
        (Err(_), true) => ["--ro-bind".into(), path.into(), path.into()],
        (Err(_), false) => return Vec::new(),
    };
    words.to_vec()
}
