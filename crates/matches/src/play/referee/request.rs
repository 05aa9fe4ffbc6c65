//! The request for a move: the `position` line, which grows with the game, and `go`.

use std::fmt::Write;

use buxtehude::protocol::{Command, Go, PositionCommand, Start};

/// The lines of `position` and `go` as one text, which changes only at its end.
pub struct Request {
    text: String,
    /// End of the start position and beginning of the moves.
    start: usize,
    /// End of the `position` line.
    end: usize,
}

impl Request {
    /// Creates the request at the start of a game; `fen` is `None` for the variant's own start.
    ///
    /// With two seats, `players` is omitted for engines that know no other number.
    pub fn new(fen: Option<&str>, seats: usize) -> Request {
        let players = u32::try_from(seats).ok().filter(|&players| players != 2);
        let start = match fen {
            Some(text) => Start::Fen(text.to_string()),
            None => Start::Startpos { players },
        };
        let moves = Vec::new();
        let text = Command::Position(PositionCommand { start, moves }).to_string();
        Request { start: text.len(), end: text.len(), text }
    }

    /// Appends a move or a card.
    pub fn append(&mut self, word: &str) {
        let before = if self.start == self.end { " moves " } else { " " };
        self.text.truncate(self.end);
        self.text.push_str(before);
        self.text.push_str(word);
        self.end = self.text.len();
    }

    /// Returns the `position` line, without its newline.
    pub fn position(&self) -> &str {
        &self.text[..self.end]
    }

    /// Returns all moves and cards, separated by single spaces.
    pub fn moves(&self) -> &str {
        let moves = &self.text[self.start..self.end];
        moves.strip_prefix(" moves ").unwrap_or(moves)
    }

    /// Returns both lines for the position after one more move, each with its newline, and that `position` line alone;
    /// the move is not kept.
    pub fn with_next(&mut self, word: &str, go: Go) -> (&[u8], String) {
        let end = self.end;
        self.append(word);
        let position = self.position().to_string();
        self.with_go(go);
        self.end = end;
        (self.text.as_bytes(), position)
    }

    /// Returns both lines, each with its newline.
    pub fn with_go(&mut self, go: Go) -> &[u8] {
        self.text.truncate(self.end);
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "\n{}", Command::Go(go));
        self.text.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(request: &mut Request) -> String {
        let go = Go { depth: Some(3), ..Go::default() };
        String::from_utf8(request.with_go(go).to_vec()).unwrap()
    }

    #[test]
    fn the_position_grows_with_the_game() {
        let mut request = Request::new(None, 2);
        assert_eq!(lines(&mut request), "position startpos\ngo depth 3\n");
        assert_eq!(request.moves(), "");
        request.append("1");
        assert_eq!(lines(&mut request), "position startpos moves 1\ngo depth 3\n");
        request.append("+half");
        assert_eq!(lines(&mut request), "position startpos moves 1 +half\ngo depth 3\n");
        assert_eq!(request.moves(), "1 +half");
        let go = Go { ponder: true, ..Go::default() };
        let (ahead, position) = request.with_next("4", go);
        let ahead = String::from_utf8(ahead.to_vec()).unwrap();
        assert_eq!(position, "position startpos moves 1 +half 4");
        assert_eq!(ahead, "position startpos moves 1 +half 4\ngo ponder\n");
        assert_eq!(lines(&mut request), "position startpos moves 1 +half\ngo depth 3\n");
    }

    #[test]
    fn the_start_names_the_players_or_the_position() {
        let mut three = Request::new(None, 3);
        three.append("1");
        assert_eq!(lines(&mut three), "position startpos players 3 moves 1\ngo depth 3\n");
        let mut set_up = Request::new(Some("0,68,3/0,68,3 1 - -"), 2);
        assert_eq!(lines(&mut set_up), "position fen 0,68,3/0,68,3 1 - -\ngo depth 3\n");
    }
}
