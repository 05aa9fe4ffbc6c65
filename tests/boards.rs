//! The boards in the documents equal the boards of the rules.

use std::fs;

#[path = "../examples/draw_boards.rs"]
#[expect(dead_code, reason = "its `main` writes the files")]
mod drawing;

const AGAIN: &str = "draw it again with `cargo run --example draw_boards`";

fn documentation(name: &str) -> String {
    let path = format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_pictures_are_up_to_date() {
    for variant in drawing::VARIANTS {
        let name = format!("{variant}.svg");
        assert!(
            documentation(&name) == drawing::picture(variant),
            "docs/{name} is old; {AGAIN}"
        );
    }
}

#[test]
fn the_rules_have_the_squares_of_both_boards() {
    let table = drawing::table();
    assert!(
        documentation("rules.md").contains(&table),
        "docs/rules.md has another table; {AGAIN}"
    );
}
