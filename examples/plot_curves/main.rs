//! Plots the curves of the preset `article` into `docs/curves.svg`: `cargo run --example plot_curves`.

mod drawing;

use std::error::Error;
use std::fs;

fn main() -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/curves.svg");
    fs::write(path, drawing::draw()?)?;
    println!("{path}");
    Ok(())
}
