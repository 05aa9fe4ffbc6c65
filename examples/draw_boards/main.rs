//! Draws the boards of Hase und Igel into `docs/`, and prints the table of their squares that stands in
//! `docs/rules.md`: `cargo run --example draw_boards`.

mod drawing;

use std::fs;
use std::io;

fn main() -> io::Result<()> {
    for variant in drawing::VARIANTS {
        let path = format!("{}/docs/{variant}.svg", env!("CARGO_MANIFEST_DIR"));
        fs::write(&path, drawing::picture(variant))?;
    }
    print!("{}", drawing::table());
    Ok(())
}
