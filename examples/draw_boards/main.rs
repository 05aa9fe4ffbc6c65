//! Draws the boards of all games into `docs/`, and prints the table of the squares of Hase und Igel in `docs/rules.md`:
//! `cargo run --example draw_boards`.

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
