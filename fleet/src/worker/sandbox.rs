//! The sandbox of fetched engines: `bwrap`, if it is installed and works.

use std::fs;
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
pub(crate) struct Sandbox {
    pub(crate) program: PathBuf,
    /// Whether it works inside the arbiter's isolation.
    nests: bool,
}

impl Sandbox {
    /// Finds the sandbox of this machine by starting an engine in it, which takes some tenths of a second. An error is
    /// the reason why there is none.
    pub(crate) fn find(interrupt: &Interrupt) -> Result<Sandbox, String> {
        let program = which::which(PROGRAM).map_err(|_| format!("{PROGRAM} not found"))?;
        let nested = Sandbox { program, nests: true };
        if nested.test(Isolate::Auto, interrupt).is_ok() {
            return Ok(nested);
        }
        let alone = Sandbox { nests: false, ..nested };
        alone.test(Isolate::Off, interrupt)?;
        Ok(alone)
    }

    /// Makes an engine run this program in the sandbox, with these files among its arguments, each with its name there
    /// and its path.
    pub(crate) fn place<'a>(
        &self,
        engine: &mut EngineSpec,
        program: &Path,
        files: impl Iterator<Item = (&'a str, &'a Path)>,
    ) {
        let mut words: Vec<String> = ISOLATION_FLAGS.split_whitespace().map(String::from).collect();
        words.extend(SYSTEM_PATHS.split_whitespace().flat_map(bind_flags));
        let mut bind = |from: &Path, to: &str| {
            words.extend(["--ro-bind".into(), from.display().to_string(), to.into()]);
        };
        bind(program, OWN_PROGRAM);
        let mut arguments = std::mem::take(&mut engine.args);
        for (number, (argument, path)) in files.enumerate() {
            let name = Path::new(argument).file_name().unwrap_or_default();
            let place = Path::new("/engine/files").join(number.to_string()).join(name);
            let place = place.display().to_string();
            bind(path, &place);
            for renamed in arguments.iter_mut().filter(|renamed| *renamed == argument) {
                renamed.clone_from(&place);
            }
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
        engine.command.clone_from(&self.program);
        engine.dir = None;
        // The sandbox has no network, whether the arbiter isolates engines or not.
        engine.bounds.net = true;
    }

    /// Makes the arbiter isolate the engines of a match as far as this sandbox allows; `is_all` if all its engines were
    /// fetched. Returns the reason if the match requires more.
    pub(crate) fn adapt(&self, plan: &mut Plan, is_all: bool) -> Result<(), String> {
        if self.nests {
            return Ok(());
        }
        if plan.isolate == Isolate::On && !is_all {
            let reason = "--isolate on: this machine cannot isolate fetched engines together with others, expected \
                          --isolate auto";
            return Err(reason.to_string());
        }
        // Engines in the sandbox are isolated by it.
        plan.isolate = Isolate::Off;
        Ok(())
    }

    /// Starts the built-in engine in the sandbox as a test.
    fn test(&self, isolate: Isolate, interrupt: &Interrupt) -> Result<(), String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut engine = EngineSpec::new("sandbox", &own, Limit::nodes(1));
        engine.args = vec!["engine".to_string()];
        self.place(&mut engine, &own, std::iter::empty());
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
