//! Preconditions of tests: `#[needs(nats_server, python3)]` above, never below, `#[test]`.
//!
//! A test whose precondition is missing is reported as ignored, with the reason, and not as passed. The macros look
//! at this machine while the tests are compiled: after a program has been installed, `cargo clean -p PACKAGE`
//! makes them look again.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::thread::available_parallelism;

use proc_macro::TokenStream;

/// Id of a user who owns nothing.
const NOBODY: u32 = 65534;

/// The mounts of a sandbox.
const MOUNT_SCRIPT: &str = "mount -t proc proc /proc && mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts \
    && mount -t tmpfs tmpfs /tmp";

/// A layer over a directory; its changes need Linux 6.6.
const LAYER: &str = "mount -t tmpfs tmpfs /tmp && mkdir /tmp/below /tmp/above /tmp/work \
    && layers=lowerdir=/tmp/below,upperdir=/tmp/above,workdir=/tmp/work \
    && mount -t overlay -o $layers,userxattr overlay /tmp/below \
    && [ \"$(printf '6.6\\n%s\\n' \"$(uname -r)\" | sort -V | head -n 1)\" = 6.6 ]";

/// Leaves no namespaces to others.
const LIMIT: &str = "echo 0 > /proc/sys/user/max_user_namespaces";

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

/// Makes a control group whose processor time can be limited.
const CPU_QUOTA: &str = r#"
for parent in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
    group=$parent/probe-$$
    mkdir "$group" || continue
    [ -w "$group/cpu.cfs_quota_us" ] || [ -w "$group/cpu.max" ]
    found=$?
    rmdir "$group"
    [ $found = 0 ] && exit 0
done
exit 1
"#;

/// Makes a control group with a memory limit in the group of this process or, with version 2, next to it.
const MEMORY_GROUP: &str = r#"
while IFS=: read -r _ controllers path; do
    case ,$controllers, in
    *,memory,*) set -- "/sys/fs/cgroup/memory$path" ;;
    ,,) set -- "/sys/fs/cgroup$path" "/sys/fs/cgroup${path%/*}" ;;
    *) continue ;;
    esac
    for parent; do
        group=$parent/probe-$$
        [ -w "$parent/cgroup.procs" ] && mkdir "$group" || continue
        [ -w "$group/memory.max" ] || [ -w "$group/memory.limit_in_bytes" ]
        found=$?
        rmdir "$group"
        [ $found = 0 ] && exit 0
    done
done < /proc/self/cgroup
exit 1
"#;

/// Ignores a test unless all of its conditions hold; they are listed in `probe`.
#[proc_macro_attribute]
pub fn needs(conditions: TokenStream, test: TokenStream) -> TokenStream {
    static FOUND: LazyLock<Mutex<HashMap<String, (&str, bool)>>> = LazyLock::new(Mutex::default);
    let mut found = FOUND.lock().unwrap();
    let mut missing = Vec::new();
    for condition in conditions.to_string().split(',').map(str::trim) {
        let (needed, holds) =
            found.entry(condition.to_string()).or_insert_with(|| probe(condition));
        if !*holds {
            missing.push(*needed);
        }
    }
    if missing.is_empty() {
        return test;
    }
    let ignore = format!("#[ignore = \"needs {}\"]", missing.join(" and "));
    ignore.parse::<TokenStream>().unwrap().into_iter().chain(test).collect()
}

/// Returns the name of a condition for people, and whether it holds on this machine.
fn probe(condition: &str) -> (&'static str, bool) {
    let unshare = |namespaces: &str, shell: &str| {
        let words = format!("--user --map-root-user {namespaces} sh -c");
        succeeds_as_user("unshare", &words, &[shell])
    };
    let sandbox =
        |shell| unshare("--mount --pid --net --fork", MOUNT_SCRIPT) && unshare("--mount", shell);
    match condition {
        "nats_server" => ("nats-server", find("NATS_SERVER").is_some()),
        "browser" => (
            "node, chromium and npm packages: table/tests/browser/run installs them",
            ["NODE", "CHROMIUM", "TABLE_PACKAGES"].iter().all(|name| find(name).is_some()),
        ),
        "python3" => ("python3", succeeds("python3", "--version", &[])),
        "c_compiler" => ("cc", succeeds("cc", "--version", &[])),
        "two_cores" => ("two cores", available_parallelism().is_ok_and(|cores| cores.get() > 1)),
        "bubblewrap" => {
            ("bwrap", succeeds("bwrap", "--unshare-user --unshare-all --ro-bind / / -- true", &[]))
        }
        // A disk of the test's own, which can be full.
        "small_disk" => (
            "mounts of its own",
            succeeds(
                "unshare",
                "--map-root-user --mount --pid --fork mount -t tmpfs none /tmp",
                &[],
            ),
        ),
        "namespaces" => ("namespaces for ordinary users", sandbox("true")),
        "namespace_limit" => ("a limit of namespaces", sandbox("true") && unshare("", LIMIT)),
        "layers" => ("overlays for ordinary users, and Linux 6.6", sandbox(LAYER)),
        "control_group" => ("a control group of version 2", succeeds("sh", "-c", &[CONTROL_GROUP])),
        "cpu_quota" => {
            ("a control group with a limit of processor time", succeeds("sh", "-c", &[CPU_QUOTA]))
        }
        "memory_group" => {
            ("a control group that this user may divide", succeeds("sh", "-c", &[MEMORY_GROUP]))
        }
        "perl" => ("perl", succeeds_as_user("perl", "-MSocket -e 1", &[])),
        "script" => ("script(1)", succeeds_as_user("script", "-q -e -c true /dev/null", &[])),
        _ => panic!("{condition}: no such precondition"),
    }
}

/// Expands to the path of something installed, as an `Option<&str>`: `path!(NATS_SERVER)`.
///
/// The user names it by the environment variable; otherwise it is where `tests/third_party/run` or
/// `table/tests/browser/run` installs it, or on the `PATH`.
#[proc_macro]
pub fn path(name: TokenStream) -> TokenStream {
    let name = name.to_string();
    let path = find(&name);
    // Reading the variable tells the compiler to expand this again when it changes.
    format!("option_env!({name:?}).or({path:?})").parse().unwrap()
}

fn find(variable: &str) -> Option<PathBuf> {
    if let Some(path) = env::var_os(variable) {
        return Some(PathBuf::from(path)).filter(|path| path.exists());
    }
    // Cargo sets the variable for integration tests; with a platform named, the folder is one level deeper.
    let target = PathBuf::from(env::var_os("CARGO_TARGET_TMPDIR")?);
    let third_party = target.ancestors().skip(1).take(2).map(|folder| folder.join("third_party"));
    let third_party = { third_party }.find(|folder| folder.is_dir());
    let names: &[&str] = match variable {
        "NATS_SERVER" => &["nats-server"],
        "NODE" => &["node"],
        "CHROMIUM" => &["chromium", "chromium-browser", "google-chrome"],
        "TABLE_PACKAGES" => {
            let packages = third_party?.join("browser");
            return Some(packages)
                .filter(|packages| packages.join("node_modules/playwright-core").is_dir());
        }
        _ => panic!("{variable}: no such path"),
    };
    let path = env::var_os("PATH").unwrap_or_default();
    let folders =
        env::split_paths(&path).chain(third_party.map(|folder| folder.join("python/bin")));
    let files = folders.flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    files.into_iter().find(|path| path.is_file())
}

/// Whether a command can be run and succeeds.
fn succeeds(program: &str, words: &str, last: &[&str]) -> bool {
    is_success(Command::new(program).args(words.split_whitespace()).args(last))
}

/// Whether an ordinary user can run a command and it succeeds. The superuser runs it as a user who owns nothing.
fn succeeds_as_user(program: &str, words: &str, last: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).args(last).current_dir("/");
    if fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0) {
        command.uid(NOBODY).gid(NOBODY);
    }
    is_success(&mut command)
}

fn is_success(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
