//! Tables and numbers as text.

use std::borrow::Cow;

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table};

use crate::output;
use crate::record::printable::printable;

/// Formats `1st`, `2nd`, `3rd` and so on.
pub fn ordinal(place: usize) -> String {
    let suffix = match place {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{place}{suffix}")
}

/// Formats a share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{} %", decimals(100.0 * share, 1))
}

/// Formats a number with `places` decimals; a rounded zero has no sign.
pub fn decimals(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    match text.strip_prefix('-') {
        Some(digits) if is_zero(digits) => digits.to_string(),
        _ => text,
    }
}

/// Formats like [`decimals`], with a sign before all numbers but zero.
pub fn signed(number: f64, places: usize) -> String {
    let text = decimals(number, places);
    if text.starts_with('-') || is_zero(&text) {
        text
    } else {
        format!("+{text}")
    }
}

fn is_zero(digits: &str) -> bool {
    digits.chars().all(|digit| matches!(digit, '0' | '.'))
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    name: Cow<'static, str>,
    alignment: CellAlignment,
}

impl Column {
    /// Creates a column of words.
    pub const fn left(name: &'static str) -> Column {
        Column {
            name: Cow::Borrowed(name),
            alignment: CellAlignment::Left,
        }
    }

    /// Creates a column of numbers.
    pub const fn right(name: &'static str) -> Column {
        Column {
            name: Cow::Borrowed(name),
            alignment: CellAlignment::Right,
        }
    }

    /// Heading.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `true` for a column of numbers.
    pub fn is_of_numbers(&self) -> bool {
        self.alignment == CellAlignment::Right
    }

    /// Columns of numbers, one per place.
    pub(super) fn places(seats: usize) -> impl Iterator<Item = Column> {
        (1..=seats).map(|place| Column::owned(ordinal(place)))
    }

    /// Columns of numbers with the headings `1`, `2` and so on.
    pub(super) fn numbered(number: usize) -> impl Iterator<Item = Column> {
        (1..=number).map(|column| Column::owned(column.to_string()))
    }

    fn owned(name: String) -> Column {
        Column {
            name: Cow::Owned(name),
            alignment: CellAlignment::Right,
        }
    }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Header of each column.
    pub columns: Vec<Column>,
    /// Cells of each row, one per column.
    pub rows: Vec<Vec<String>>,
}

impl Rows {
    /// Formats the table as text, with a newline at the end.
    pub fn text(self) -> String {
        table(&self.columns, self.rows.into_iter())
    }
}

/// Formats a table with lines above, below and under the header, and a newline at the end. If the terminal is too
/// narrow, cells are broken into several lines.
pub fn table(columns: &[Column], rows: impl Iterator<Item = Vec<String>>) -> String {
    table_within(output::width(), columns, rows)
}

fn table_within(
    width: Option<u16>,
    columns: &[Column],
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let line = LineStyle::none().fill('─').junction('─');
    let style = NOTHING
        .top_border(line)
        .header_separator(line)
        .bottom_border(line);
    let mut table = Table::new();
    table.load_style(style);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(width);
    }
    let cells = |row: Vec<String>| {
        let cells = row.into_iter().zip(columns);
        let cells =
            cells.map(|(text, column)| Cell::new(printable(&text)).set_alignment(column.alignment));
        cells.collect::<Vec<Cell>>()
    };
    table.set_header(cells(
        columns
            .iter()
            .map(|column| column.name.to_string())
            .collect(),
    ));
    table.add_rows(rows.map(cells));
    format!("{}\n", table.trim_fmt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_wide_as_the_terminal() {
        let columns = [Column::left("engine"), Column::left("endings")];
        let row = ["a", "12 finish, 3 last, 2 time forfeit, 1 crash"].map(String::from);
        for (width, lines) in [(None, 4), (Some(80), 4), (Some(30), 6)] {
            let text = table_within(width, &columns, [row.to_vec()].into_iter());
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= width.map(usize::from).or(Some(80)), "{text}");
            assert!(text.lines().count() >= lines, "{text}");
        }
    }

    #[test]
    fn zero_has_no_sign() {
        for (number, plain, with_sign) in [
            (-0.04, "0.0", "0.0"),
            (0.04, "0.0", "0.0"),
            (-0.06, "-0.1", "-0.1"),
            (12.34, "12.3", "+12.3"),
        ] {
            assert_eq!(
                (decimals(number, 1), signed(number, 1)),
                (plain.into(), with_sign.into())
            );
        }
    }
}
