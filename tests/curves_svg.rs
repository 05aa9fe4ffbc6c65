//! The picture of the curves in the documents shows the current curves.

#[path = "../examples/plot_curves.rs"]
#[expect(dead_code, reason = "its `main` writes the files")]
mod drawing;

#[test]
fn the_picture_in_the_documentation_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/curves.svg");
    let committed = std::fs::read_to_string(path).unwrap();
    let drawn = drawing::draw().unwrap();
    let differs = committed.lines().zip(drawn.lines()).find(|(a, b)| a != b);
    assert!(
        committed == drawn,
        "docs/curves.svg is old; draw it again with `cargo run --example plot_curves`. First difference: {differs:?}"
    );
}
