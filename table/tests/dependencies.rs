//! Dependencies that the other programs must not have.

use std::process::Command;

#[test]
fn arbiter_and_engine_depend_on_no_web_server() {
    for package in ["arbiter", "buxtehude"] {
        let tree = Command::new(env!("CARGO"))
            .args([
                "tree", "--locked", "--offline", "--package", package, "--edges", "normal,build",
            ])
            .args(["--prefix", "none"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let crates = String::from_utf8(tree.stdout).unwrap();
        assert!(
            crates.starts_with(&format!("{package} v")),
            "{}",
            String::from_utf8_lossy(&tree.stderr)
        );
        for name in ["tokio", "axum", "hyper", "table"] {
            assert!(
                !crates.lines().any(|line| line.starts_with(&format!("{name} v"))),
                "{package}: {name}"
            );
        }
    }
}
