//! The pictures and the table of squares in the documents show the current rules and curves.

use std::fs;

#[path = "../examples/draw_boards.rs"]
#[expect(dead_code, reason = "its `main` writes the files")]
mod boards;

#[path = "../examples/plot_curves.rs"]
#[expect(dead_code, reason = "its `main` writes the file")]
mod curves;

fn documentation(name: &str) -> String {
    let path = format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_documents_show_the_boards() {
    const AGAIN: &str = "draw it again with `cargo run --example draw_boards`";
    for variant in boards::VARIANTS {
        let name = format!("{variant}.svg");
        let is_current = documentation(&name) == boards::picture(variant);
        assert!(is_current, "docs/{name} is old; {AGAIN}");
    }
    let is_current = documentation("rules.md").contains(&boards::table());
    assert!(is_current, "docs/rules.md has another table; {AGAIN}");
}

#[test]
fn the_documents_show_the_curves() {
    let (committed, drawn) = (documentation("curves.svg"), curves::draw().unwrap());
    let differs = committed.lines().zip(drawn.lines()).find(|(a, b)| a != b);
    assert!(
        committed == drawn,
        "docs/curves.svg is old; draw it again with `cargo run --example plot_curves`. First difference: {differs:?}"
    );
}
