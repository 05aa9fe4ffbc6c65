//! Tables and numbers as text.

use std::borrow::Cow;

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, LineStyle, Table};

use crate::output;
use crate::record::printable::printable;

/// Minimum number of columns of a table, however narrow the terminal is.
const MIN_COLUMNS: usize = 2;
/// Minimum number of characters of a cell that is shortened, because the terminal is narrow.
const MIN_CELL: usize = 7;

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
    if text.starts_with('-') || is_zero(&text) { text } else { format!("+{text}") }
}

fn is_zero(digits: &str) -> bool {
    digits.chars().all(|digit| matches!(digit, '0' | '.'))
}

#[derive(Clone, Debug)]
pub struct Column {
    name: Cow<'static, str>,
    alignment: CellAlignment,
}

impl Column {
    /// Creates a column of words.
    pub const fn left(name: &'static str) -> Column {
        Column { name: Cow::Borrowed(name), alignment: CellAlignment::Left }
    }

    /// Creates a column of numbers.
    pub const fn right(name: &'static str) -> Column {
        Column { name: Cow::Borrowed(name), alignment: CellAlignment::Right }
    }

    /// Heading.
    pub fn name(&self) -> &str {
        &self.name
    }

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
        Column { name: Cow::Owned(name), alignment: CellAlignment::Right }
    }
}

#[derive(Clone, Debug)]
pub struct Rows {
    pub columns: Vec<Column>,
    /// Cells of each row, one per column.
    pub rows: Vec<Vec<String>>,
}

impl Rows {
    /// Formats the table as text, with a newline at the end.
    pub fn text(self) -> String {
        table(&self.columns, self.rows.into_iter())
    }

    /// Formats the table as [`Rows::text`] for a terminal with this number of columns.
    pub fn text_within(self, width: Option<usize>) -> String {
        table_within(width, &self.columns, &self.rows)
    }
}

/// Formats a table with lines above, below and under the header, and a newline at the end. If the terminal is too
/// narrow, columns are dropped from the right, and named below the table; no cell is broken.
pub fn table(columns: &[Column], rows: impl Iterator<Item = Vec<String>>) -> String {
    table_within(output::width(), columns, &rows.collect::<Vec<_>>())
}

fn table_within(width: Option<usize>, columns: &[Column], rows: &[Vec<String>]) -> String {
    let Some(width) = width else {
        return drawn(columns, rows);
    };
    let least = columns.len().min(MIN_COLUMNS);
    let is_fit = |text: &str| text.lines().all(|line| line.chars().count() <= width);
    for shown in (least..=columns.len()).rev() {
        let (shown, dropped) = columns.split_at(shown);
        let text = drawn(shown, rows);
        if is_fit(&text) {
            return text + &note(dropped, width);
        }
    }
    let (shown, dropped) = columns.split_at(least);
    let within = |most: usize| {
        let cells = |row: &Vec<String>| row.iter().map(|cell| without_middle(cell, most)).collect();
        drawn(shown, &rows.iter().map(cells).collect::<Vec<_>>())
    };
    let text = (MIN_CELL..width).rev().map(within).find(|text| is_fit(text));
    text.unwrap_or_else(|| within(MIN_CELL)) + &note(dropped, width)
}

/// Shortens a text to `most` characters. Names often differ at their end.
fn without_middle(text: &str, most: usize) -> String {
    let text = printable(text);
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= most {
        return text.into_owned();
    }
    let tail = most / 2;
    let (head, tail) = (&characters[..most - tail - 1], &characters[characters.len() - tail..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

/// Names the dropped columns.
fn note(dropped: &[Column], width: usize) -> String {
    if dropped.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = dropped.iter().map(Column::name).collect();
    output::broken(&format!("no room for: {}\n", names.join(", ")), width)
}

/// Draws the first `columns` of the rows.
fn drawn(columns: &[Column], rows: &[Vec<String>]) -> String {
    let line = LineStyle::none().fill('─').junction('─');
    let style = NOTHING.top_border(line).header_separator(line).bottom_border(line);
    let mut table = Table::new();
    table.load_style(style);
    let cell = |(text, column): (&str, &Column)| {
        Cell::new(printable(text)).set_alignment(column.alignment)
    };
    table.set_header(columns.iter().map(|column| cell((column.name(), column))));
    for row in rows {
        let row = row.iter().map(String::as_str).zip(columns);
        table.add_row(row.map(cell));
    }
    format!("{}\n", table.trim_fmt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_room_are_dropped_from_the_right() {
        let columns = [
            Column::left("engine"),
            Column::right("share"),
            Column::right("games"),
            Column::left("endings"),
        ];
        let row = ["a", "1.0 %", "15", "12 finish, 2 time forfeit, 1 crash"].map(String::from);
        for (width, lines, dropped) in [
            (None, 4, ""),
            (Some(61), 4, ""),
            (Some(60), 5, "no room for: endings"),
            (Some(24), 5, "no room for: endings"),
            (Some(23), 5, "no room for: games, endings"),
            (Some(16), 5, "no room for: games, endings"),
        ] {
            let text = table_within(width, &columns, &[row.to_vec()]);
            let table = text.lines().take_while(|line| !line.starts_with("no room"));
            let widest = table.map(|line| line.chars().count()).max();
            assert!(widest <= width.or(Some(61)), "{text}");
            assert!(text.lines().count() >= lines, "{text}");
            assert_eq!(text.contains("no room"), !dropped.is_empty(), "{text}");
            assert!(text.replace('\n', " ").trim_end().ends_with(dropped), "{text}");
        }
    }

    #[test]
    fn long_names_are_shortened_and_no_cell_is_broken() {
        let columns = [Column::left("engine"), Column::right("share"), Column::left("endings")];
        let rows = ["(1)", "(2)"].map(|number| {
            vec![format!("{} {number}", "engine ".repeat(12)), "50.0 %".into(), "1 finish".into()]
        });
        let text = table_within(Some(40), &columns, &rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7, "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= 40), "{text}");
        assert!(lines[3].contains("(1)") && lines[4].contains("(2)"), "{text}");
    }

    #[test]
    fn zero_has_no_sign() {
        for (number, plain, with_sign) in [
            (-0.04, "0.0", "0.0"),
            (0.04, "0.0", "0.0"),
            (-0.06, "-0.1", "-0.1"),
            (12.34, "12.3", "+12.3"),
        ] {
            assert_eq!((decimals(number, 1), signed(number, 1)), (plain.into(), with_sign.into()));
        }
    }
}
