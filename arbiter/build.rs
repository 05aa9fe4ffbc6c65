//! Finds what the tests need; see [`preconditions`].

use preconditions::{has_control_groups, holds, succeeds, succeeds_as_user};

/// The mounts of a sandbox.
const MOUNTS: &str = "mount -t proc proc /proc && mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts \
    && mount -t tmpfs tmpfs /tmp";
/// A layer over a directory; its changes need Linux 6.6.
const LAYER: &str = "mount -t tmpfs tmpfs /tmp && mkdir /tmp/below /tmp/above /tmp/work \
    && layers=lowerdir=/tmp/below,upperdir=/tmp/above,workdir=/tmp/work \
    && mount -t overlay -o $layers,userxattr overlay /tmp/below \
    && [ \"$(printf '6.6\\n%s\\n' \"$(uname -r)\" | sort -V | head -n 1)\" = 6.6 ]";
/// Leaves no namespaces to others.
const LIMIT: &str = "echo 0 > /proc/sys/user/max_user_namespaces";
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

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let unshare = |namespaces: &[&str], shell: &str| {
        let user = ["--user", "--map-root-user"];
        let words = [&user, namespaces, &["sh", "-c", shell]].concat();
        succeeds_as_user("unshare", &words)
    };
    let namespaces = unshare(&["--mount", "--pid", "--net", "--fork"], MOUNTS);
    holds("namespaces", namespaces);
    holds("layers", namespaces && unshare(&["--mount"], LAYER));
    holds("namespace_limit", namespaces && unshare(&[], LIMIT));
    holds("control_group", has_control_groups());
    holds("cpu_quota", succeeds("sh", &["-c", CPU_QUOTA]));
    let words = ["-q", "-e", "-c", "true", "/dev/null"];
    holds("perl", succeeds_as_user("perl", &["-MSocket", "-e", "1"]));
    holds("script", succeeds_as_user("script", &words));
}
