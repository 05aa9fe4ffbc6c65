//! Preconditions of tests, checked by build scripts.
//!
//! A test that needs a program carries `#[cfg_attr(not(nats_server), ignore = "needs nats-server")]`. Where the program
//! is missing, the test is reported as ignored, with the reason, and not as passed.

#[cfg(not(unix))]
compile_error!(
    "matches need Linux or macOS; here only the engine builds: cargo build -p buxtehude"
);

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Id of a user who owns nothing.
const NOBODY: u32 = 65534;

/// Looks for a program; if there is one, sets `cfg(name)` and the environment variable `variable` to its path.
///
/// The user names the program by `variable`; otherwise it is the first of `names` on the `PATH`, or where
/// `tests/third_party/run` installs programs.
pub fn program(name: &str, variable: &str, names: &[&str]) -> bool {
    println!("cargo::rerun-if-env-changed={variable}");
    let candidates = match env::var_os(variable) {
        Some(path) => vec![PathBuf::from(path)],
        None => {
            folders().iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect()
        }
    };
    let found = candidates.into_iter().find(|path| path.is_file());
    match &found {
        Some(path) => println!("cargo::rustc-env={variable}={}", path.display()),
        None => watch_for_programs(),
    }
    holds(name, found.is_some())
}

/// Sets `cfg(name)` if the condition holds.
pub fn holds(name: &str, condition: bool) -> bool {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if condition {
        println!("cargo::rustc-cfg={name}");
    }
    condition
}

/// Makes cargo run the build script again once a program is installed.
pub fn watch_for_programs() {
    println!("cargo::rerun-if-env-changed=PATH");
    // A folder that is missing would count as changed at every build.
    let _ = fs::create_dir_all(third_party());
    for folder in folders().iter().filter(|folder| folder.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    println!("cargo::rerun-if-changed={}", third_party().display());
}

/// Whether a command can be run and succeeds.
pub fn succeeds(program: &str, words: &[&str]) -> bool {
    is_success(Command::new(program).args(words))
}

/// Whether a command can be run by an ordinary user and succeeds. The superuser runs it as a user who owns nothing.
pub fn succeeds_as_user(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words).current_dir("/");
    if fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0) {
        command.uid(NOBODY).gid(NOBODY);
    }
    is_success(&mut command)
}

/// Makes a control group of version 2 in the group of this process.
const CONTROL_GROUP: &str = r#"
path=$(sed -n 's/^0:://p' /proc/self/cgroup)
while read -r _ _ _ root point rest; do
    case $rest in *" - cgroup2 "*) ;; *) continue ;; esac
    group=$point/${path#"$root"}
    [ -w "$group/cgroup.procs" ] && mkdir "$group/probe-$$" && rmdir "$group/probe-$$" && exit 0
done < /proc/self/mountinfo
exit 1
"#;

/// Whether this user may make control groups of version 2.
pub fn has_control_groups() -> bool {
    succeeds("sh", &["-c", CONTROL_GROUP])
}

fn is_success(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    match command.stderr(Stdio::null()).status() {
        Ok(status) => status.success(),
        Err(_) => {
            watch_for_programs();
            false
        }
    }
}

/// Returns where the project's scripts install programs: `third_party` in the target folder.
pub fn third_party() -> PathBuf {
    // A build script writes to `TARGET/debug/build/PACKAGE/out`, with one more folder if the platform is named.
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut targets = out.ancestors().skip(4).take(2);
    let usual = targets.clone().next().unwrap_or(&out);
    let found = targets.find(|target| target.join("third_party").is_dir());
    found.unwrap_or(usual).join("third_party")
}

/// Folders that may hold programs.
fn folders() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let installed = third_party().join("python/bin");
    env::split_paths(&path).chain([installed]).collect()
}
