//! Finds what the tests need; see [`preconditions`].

use std::thread::available_parallelism;

use preconditions::{holds, program, succeeds};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    program("nats_server", "NATS_SERVER", &["nats-server"]);
    holds("c_compiler", succeeds("cc", &["--version"]));
    holds(
        "two_cores",
        available_parallelism().is_ok_and(|cores| cores.get() > 1),
    );
    let bubble = [
        "--unshare-user",
        "--unshare-all",
        "--ro-bind",
        "/",
        "/",
        "--",
        "true",
    ];
    holds("bubblewrap", succeeds("bwrap", &bubble));
    // A disk of the test's own, which can be full.
    let mount = "mount -t tmpfs none /tmp";
    holds(
        "small_disk",
        succeeds(
            "unshare",
            &[
                "--map-root-user",
                "--mount",
                "--pid",
                "--fork",
                "sh",
                "-c",
                mount,
            ],
        ),
    );
}
