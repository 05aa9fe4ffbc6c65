//! Draws the boards of all games into `docs/`, as defined by the rules, and prints the table of the squares of Hase und
//! Igel in `docs/rules.md`: `cargo run --example draw_boards`.

use std::fmt::Write;
use std::{fs, io};

use buxtehude::pictures::{Layout, Scene, SquareKind};
use buxtehude::rules::Variant;

/// Variants to draw.
pub const VARIANTS: [&str; 3] = [RACES[0], RACES[1], "fox-and-hounds"];

/// Variants in the table of squares.
const RACES: [&str; 2] = ["hase-und-igel", "hare-and-tortoise"];

/// Squares per row of the table.
const TABLE_ROW: usize = 10;

/// Squares per row of the picture of a track; every second row runs from right to left.
const ROW: usize = 13;

/// Side of a square and width of the margin, in pixels.
const SIDE: usize = 56;
const MARGIN: usize = 8;

fn main() -> io::Result<()> {
    for variant in VARIANTS {
        let path = format!("{}/docs/{variant}.svg", env!("CARGO_MANIFEST_DIR"));
        fs::write(path, picture(variant))?;
    }
    print!("{}", table());
    Ok(())
}

fn scene(variant: &str) -> Scene {
    let variant = Variant::by_name(variant).expect("a variant of the list");
    variant.start(2).expect("a game for two").scene()
}

/// Markdown table of the squares between start and finish, ten per row.
pub fn table() -> String {
    let boards = RACES.map(|variant| scene(variant).board.squares);
    let mut table = format!("| squares | `{}` | `{}` |\n", RACES[0], RACES[1]);
    table += "|---|---|---|\n";
    let last = boards[0].len() - 2;
    for first in (1..=last).step_by(TABLE_ROW) {
        let row = first..=(first + TABLE_ROW - 1).min(last);
        let names = boards.each_ref().map(|squares| {
            let names: Vec<&str> = squares[row.clone()].iter().map(|kind| name(*kind)).collect();
            names.join(", ")
        });
        // Writing to a string never fails.
        let _ =
            writeln!(table, "| {} to {} | {} | {} |", row.start(), row.end(), names[0], names[1]);
    }
    table
}

/// Name of a kind; of a number square, only its number.
fn name(kind: SquareKind) -> &'static str {
    kind.name.strip_prefix("place ").unwrap_or(kind.name)
}

/// Draws a board as SVG.
pub fn picture(variant: &str) -> String {
    let Scene { board, pieces, .. } = scene(variant);
    let (in_row, winds) = match board.layout {
        Layout::Track => (ROW, true),
        Layout::Grid { files } => (files.into(), false),
    };
    let rows = board.squares.len().div_ceil(in_row);
    let (width, height) = (in_row * SIDE + 2 * MARGIN, rows * SIDE + 2 * MARGIN);
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" text-anchor=\"middle\">\n\
         <title>The board of {variant}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (number, kind) in board.squares.iter().enumerate() {
        let (row, place) = (number / in_row, number % in_row);
        let turns_back = winds && row % 2 == 1;
        let column = if turns_back { in_row - 1 - place } else { place };
        // The first row is at the bottom.
        let (x, y) = (MARGIN + column * SIDE, MARGIN + (rows - 1 - row) * SIDE);
        let here = pieces.iter().find(|piece| piece.square == number);
        let (caption, name) = match (winds, here) {
            (true, _) => (number.to_string(), name(*kind)),
            (false, Some(piece)) => (String::new(), piece.name),
            (false, None) => (String::new(), ""),
        };
        let middle = x + SIDE / 2;
        let _ = write!(
            picture,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{}\" stroke=\"#444444\"/>\n\
             <text x=\"{middle}\" y=\"{}\" font-size=\"11\" fill=\"#444444\">{caption}</text>\n\
             <text x=\"{middle}\" y=\"{}\" font-size=\"{}\">{name}</text>\n",
            colour(kind.name),
            y + 14,
            y + 38,
            if name.len() == 1 { 20 } else { 12 },
        );
    }
    picture + "</svg>\n"
}

fn colour(kind: &str) -> &'static str {
    match kind {
        "hare" => "#f3e0c4",
        "carrot" => "#fbd0a6",
        "lettuce" => "#cfe8b8",
        "hedgehog" => "#d8cfc8",
        "flag" => "#f7c9c9",
        "start" | "finish" => "#e8e8e8",
        "dark" => "#c9a27a",
        "light" => "#f6ead6",
        _ => "#cfe0f3",
    }
}
