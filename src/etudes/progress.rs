//! A progress bar on one line of a terminal.

use std::io::Write;

/// Width of the bar in characters.
const WIDTH: usize = 40;

/// A bar that is redrawn at each percent.
#[derive(Debug, Default)]
pub struct Bar {
    drawn: Option<usize>,
}

impl Bar {
    /// Shows that `done` of `all` is done. Errors of the terminal are ignored.
    pub fn draw(&mut self, terminal: &mut dyn Write, done: usize, all: usize) {
        let percent = 100 * done / all.max(1);
        if self.drawn == Some(percent) {
            return;
        }
        self.drawn = Some(percent);
        let full = "#".repeat(WIDTH * percent / 100);
        let _ = write!(terminal, "\r[{full:.<WIDTH$}] {percent:>3} %");
        let _ = terminal.flush();
    }

    /// Erases the bar, if there is one.
    pub fn clear(&mut self, terminal: &mut dyn Write) {
        if self.drawn.take().is_some() {
            // Escape sequence to erase to the end of the line.
            let _ = write!(terminal, "\r\x1b[K");
            let _ = terminal.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_grows_and_goes() {
        let mut terminal = Vec::new();
        let mut bar = Bar::default();
        bar.clear(&mut terminal);
        for done in [0, 1, 39, 40, 41, 4000] {
            bar.draw(&mut terminal, done, 4000);
        }
        bar.clear(&mut terminal);
        bar.clear(&mut terminal);
        let (empty, full) = (".".repeat(WIDTH), "#".repeat(WIDTH));
        let expected = format!("\r[{empty}]   0 %\r[{empty}]   1 %\r[{full}] 100 %\r\x1b[K");
        assert_eq!(String::from_utf8(terminal).unwrap(), expected);
    }
}
