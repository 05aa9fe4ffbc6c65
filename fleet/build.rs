//! Finds what the tests need; see [`preconditions`].

use std::thread::available_parallelism;

use preconditions::{holds, program, succeeds};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    program("nats_server", "NATS_SERVER", &["nats-server"]);
    holds("python3", succeeds("python3", &["--version"]));
    holds("c_compiler", succeeds("cc", &["--version"]));
    holds("two_cores", available_parallelism().is_ok_and(|cores| cores.get() > 1));
    let bubble = "--unshare-user --unshare-all --ro-bind / / -- true";
    let bubble: Vec<&str> = bubble.split_whitespace().collect();
    holds("bubblewrap", succeeds("bwrap", &bubble));
    // A disk of the test's own, which can be full.
    let unshare = "--map-root-user --mount --pid --fork mount -t tmpfs none /tmp";
    let unshare: Vec<&str> = unshare.split_whitespace().collect();
    holds("small_disk", succeeds("unshare", &unshare));
}
