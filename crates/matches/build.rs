//! Finds what the tests need; see [`preconditions`].

use preconditions::{has_control_groups, holds, succeeds};

const UNIX_ONLY: &str =
    "matches need Linux or macOS; here only the engine builds: cargo build -p buxtehude";

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

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_CFG_UNIX").is_none() {
        println!("cargo::error={UNIX_ONLY}");
    }
    holds("control_group", has_control_groups());
    holds("memory_group", succeeds("sh", &["-c", MEMORY_GROUP]));
}
