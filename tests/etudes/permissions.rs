//! Files that cannot be saved, and those with permissions or links, on Unix.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::folder::{Folder, MIXED, Ran, refused};

#[test]
fn a_saved_file_keeps_its_permissions_and_its_links() {
    let folder = Folder::new();
    fs::create_dir(folder.0.path().join("data")).unwrap();
    folder.write("data/set.csv", MIXED);
    let file = folder.0.path().join("data/set.csv");
    for mode in [0o600, 0o664, 0o640] {
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        assert_eq!(folder.etudes("judge data/set.csv 1 1").code, Some(0));
        let kept = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        assert_eq!(kept, mode, "{kept:o} instead of {mode:o}");
    }
    symlink("data/set.csv", folder.0.path().join("x.csv")).unwrap();
    assert_eq!(folder.etudes("judge x.csv 1 -").code, Some(0));
    assert!(folder.0.path().join("x.csv").is_symlink());
    assert_eq!(folder.read("data/set.csv")[20], b'-');
    assert_eq!(folder.names(), ["data", "x.csv"]);
}

#[test]
fn a_full_disk_and_a_crash_leave_the_old_file() {
    let folder = Folder::with(MIXED);
    let (judge, tune) =
        ("\"$ENGINE\" etudes judge x.csv 1 1", "\"$ENGINE\" etudes tune x.csv --save");
    let ran = folder.shell(&format!("trap '' XFSZ; ulimit -f 0; exec {judge}"));
    let errors = "x.csv: cannot be saved: File too large (os error 27): \
        expected a writable file and folder\n";
    assert_eq!(ran, refused(errors));
    assert_eq!(folder.names(), ["x.csv"]);
    let ran = folder.shell(&format!("trap '' XFSZ; ulimit -f 0; exec {tune}"));
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(folder.names(), ["x.csv"], "{ran:?}");
    // Without the trap, the system kills the process while it writes.
    let ran = folder.shell(&format!("ulimit -c 0; ulimit -f 0; exec {judge}"));
    assert_eq!(ran.code, None, "{ran:?}");
    assert_eq!(folder.read("x.csv"), MIXED);
    // The temporary file and the lock that it left behind do no harm.
    assert_eq!(folder.names().len(), 3);
    assert_eq!(folder.etudes("judge x.csv 1 1").code, Some(0));
}

#[test]
fn a_file_or_folder_that_may_not_be_written_to_is_left_alone() {
    let folder = Folder::with(MIXED);
    let (path, file) = (folder.0.path(), folder.0.path().join("x.csv"));
    fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
    let is_root = fs::OpenOptions::new().write(true).open(&file).is_ok();
    // An unprivileged user may be unable to reach the program where it was built. Copied by another process, so that no
    // child of a parallel test has the copy open for writing when it is run.
    let program = Folder::new();
    let copied =
        Command::new("cp").arg(env!("CARGO_BIN_EXE_buxtehude")).arg(program.0.path()).status();
    assert!(copied.unwrap().success());
    let binary = program.0.path().join("buxtehude");
    for path in [program.0.path(), &binary] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    for (of_folder, of_file) in [(0o555, 0o666), (0o777, 0o444)] {
        fs::set_permissions(&file, Permissions::from_mode(of_file)).unwrap();
        fs::set_permissions(path, Permissions::from_mode(of_folder)).unwrap();
        let mut command = Command::new(&binary);
        command.args(["etudes", "judge", "x.csv", "1", "1"]).current_dir(path);
        if is_root {
            // Root may write anywhere; an unprivileged user may not.
            command.uid(65534).gid(65534);
        }
        let ran: Ran = command.output().unwrap().into();
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
        let errors = "x.csv: cannot be saved: Permission denied (os error 13): \
            expected a writable file and folder\n";
        assert_eq!(ran, refused(errors));
        assert_eq!(folder.read("x.csv"), MIXED);
        assert_eq!(folder.names(), ["x.csv"]);
    }
}
