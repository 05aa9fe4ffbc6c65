//! The rules of Rabbits and Wolves, compared with a second, slow and obvious implementation on a board of letters; and
//! the messages of its errors.

use buxtehude::pictures::Draw;
use buxtehude::rules::fox::{Position, RABBIT, WOLVES};
use buxtehude::rules::{AnyPosition, Game, Seat, Turn, Variant, perft};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

const START: &str = "1h1h1h1h/8/8/8/8/8/8/4F3 w - - 0 1";

/// A board of letters, row 1 first, with a space for an empty square; `w` or `b` moves.
#[derive(Clone)]
struct Board {
    rows: [[char; 8]; 8],
    turn: char,
}

impl Board {
    /// Parses a valid text.
    fn read(text: &str) -> Board {
        let (squares, rest) = text.split_once(' ').unwrap();
        let mut rows = [[' '; 8]; 8];
        for (row, letters) in rows.iter_mut().rev().zip(squares.split('/')) {
            let mut file = 0;
            for letter in letters.chars() {
                match letter.to_digit(10) {
                    Some(free) => file += free as usize,
                    None => {
                        row[file] = letter;
                        file += 1;
                    }
                }
            }
        }
        let turn = rest.chars().next().unwrap();
        Board { rows, turn }
    }

    /// A board with all pieces on random dark squares.
    fn random(rng: &mut StdRng) -> Board {
        let dark = |(row, file): &(usize, usize)| (row + file).is_multiple_of(2);
        let mut squares: Vec<(usize, usize)> =
            (0..8).flat_map(|row| (0..8).map(move |file| (row, file))).filter(dark).collect();
        squares.shuffle(rng);
        let mut rows = [[' '; 8]; 8];
        for ((row, file), letter) in squares.into_iter().zip("Fhhhh".chars()) {
            rows[row][file] = letter;
        }
        let turn = if rng.random() { 'w' } else { 'b' };
        Board { rows, turn }
    }

    fn text(&self) -> String {
        let rows: Vec<String> = self
            .rows
            .iter()
            .rev()
            .map(|row| {
                let mut text: String = row.iter().collect();
                for free in (1..=8).rev() {
                    text = text.replace(&" ".repeat(free), &free.to_string());
                }
                text
            })
            .collect();
        format!("{} {} - - 0 1", rows.join("/"), self.turn)
    }

    fn is_rabbit_home(&self) -> bool {
        self.rows[7].contains(&'F')
    }

    /// The legal moves, from a1 to h8.
    fn moves(&self) -> Vec<String> {
        let mut moves = vec![];
        if self.is_rabbit_home() {
            return moves;
        }
        let (letter, directions): (char, &[(i32, i32)]) = match self.turn {
            'w' => ('F', &[(-1, -1), (-1, 1), (1, -1), (1, 1)]),
            _ => ('h', &[(-1, -1), (-1, 1)]),
        };
        for row in 0..8 {
            for file in 0..8 {
                for (up, right) in directions {
                    let (to_row, to_file) = (row + up, file + right);
                    let on_board = (0..8).contains(&to_row) && (0..8).contains(&to_file);
                    if self.rows[row as usize][file as usize] == letter
                        && on_board
                        && self.rows[to_row as usize][to_file as usize] == ' '
                    {
                        moves.push(name(row, file) + &name(to_row, to_file));
                    }
                }
            }
        }
        moves
    }

    fn play(&mut self, word: &str) {
        let bytes = word.as_bytes();
        let place = |index: usize| {
            let (file, row) = (bytes[index] - b'a', bytes[index + 1] - b'1');
            (usize::from(row), usize::from(file))
        };
        let ((row, file), (to_row, to_file)) = (place(0), place(2));
        self.rows[to_row][to_file] = self.rows[row][file];
        self.rows[row][file] = ' ';
        self.turn = if self.turn == 'w' { 'b' } else { 'w' };
    }

    /// The seat that has won.
    fn winner(&self) -> Option<Seat> {
        match (self.is_rabbit_home(), self.moves().is_empty(), self.turn) {
            (true, ..) => Some(RABBIT),
            (false, false, _) => None,
            (false, true, 'w') => Some(WOLVES),
            _ => Some(RABBIT),
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let leaves = self.moves().into_iter().map(|word| {
            let mut next = self.clone();
            next.play(&word);
            next.perft(depth - 1)
        });
        leaves.sum()
    }
}

fn name(row: i32, file: i32) -> String {
    format!("{}{}", char::from(b'a' + file as u8), row + 1)
}

fn position(text: &str) -> Position {
    Position::parse(&(), text).unwrap_or_else(|reason| panic!("{text}: {reason}"))
}

fn variant() -> &'static Variant {
    Variant::by_name("fox-and-hounds").unwrap()
}

/// Compares all facts that both implementations know of a position.
fn compare(board: &Board, position: &Position) {
    assert_eq!(position.to_string(), board.text());
    let moves: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
    assert_eq!(moves, board.moves(), "{position:?}");
    let winner = board.winner();
    assert_eq!(position.winner(), winner, "{position:?}");
    let mover = if board.turn == 'w' { RABBIT } else { WOLVES };
    let turn = winner.map_or(Turn::Seat(mover), |_| Turn::Over);
    assert_eq!(position.turn(), turn, "{position:?}");
    for seat in [RABBIT, WOLVES] {
        let place = winner.map(|winner| if winner == seat { 1 } else { 2 });
        assert_eq!(position.place(seat), place, "{position:?}");
    }
}

#[test]
fn random_games_are_the_same_on_the_slow_board() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut wins = [0; 2];
    for game in 0..300 {
        let mut board = match game % 2 {
            0 => Board::read(START),
            _ => Board::random(&mut rng),
        };
        let mut position = position(&board.text());
        while let Some(word) = {
            compare(&board, &position);
            board.moves().choose(&mut rng).cloned()
        } {
            position.play(word.parse().unwrap()).unwrap();
            board.play(&word);
        }
        let winner = board.winner().expect("a game ends");
        wins[winner.index()] += 1;
    }
    assert!(wins.iter().all(|&wins| wins > 5), "wins {wins:?}");
}

#[test]
fn any_placement_is_the_same_on_the_slow_board() {
    let mut rng = StdRng::seed_from_u64(2);
    for number in 0..5000 {
        let board = Board::random(&mut rng);
        let position = position(&board.text());
        compare(&board, &position);
        if number % 100 == 0 {
            let leaves = perft(&position, 4, &mut || false);
            assert_eq!(leaves, Some(board.perft(4)), "{position:?}");
        }
    }
}

#[test]
fn missing_fields_have_defaults_and_counters_are_ignored() {
    let board = "1h1h1h1h/8/8/8/8/8/8/4F3";
    for rest in [
        "", " w", " w -", " w - -", " w - - 0", " w - - 0 1", " w - - 49 1", " w - - 0 0",
        " w - - 4294967295 4294967295",
    ] {
        let text = format!("{board}{rest}");
        assert_eq!(position(&text).to_string(), START, "{text:?}");
    }
    let wolves_move = position(&format!("{board} b - - 3 17"));
    assert_eq!(wolves_move.to_string(), format!("{board} b - - 0 1"));
    assert!(wolves_move != position(START));
}

#[test]
fn the_rabbit_may_start_on_any_dark_square_of_the_bottom_row() {
    for (row, moves) in [
        ("F7", &["a1b2"][..]),
        ("2F5", &["c1b2", "c1d2"]),
        ("4F3", &["e1d2", "e1f2"]),
        ("6F1", &["g1f2", "g1h2"]),
    ] {
        let start = position(&format!("1h1h1h1h/8/8/8/8/8/8/{row} w"));
        let legal: Vec<String> = start.legal_moves().map(|mv| mv.to_string()).collect();
        assert_eq!(legal, moves, "{start:?}");
    }
}

#[test]
fn a_finished_game_can_be_shown_and_not_played() {
    let rabbit = "seat 1, the rabbit, has won";
    let wolves = "seat 2, the wolves, has won";
    for (text, winner, last_line) in [
        ("1h1F1h1h/4h3/8/8/8/8/8/8 b", RABBIT, rabbit),
        ("1h1F1h1h/4h3/8/8/8/8/8/8 w", RABBIT, rabbit),
        ("8/8/8/8/8/4F3/8/h1h1h1h1 b", RABBIT, rabbit),
        ("8/8/8/8/8/2h5/1h3h2/F5h1 w", WOLVES, wolves),
    ] {
        let position = position(text);
        assert_eq!(position.turn(), Turn::Over, "{position:?}");
        assert_eq!(position.winner(), Some(winner), "{position:?}");
        assert!(position.picture().ends_with(last_line), "{position:?}");
        assert_eq!(perft(&position, 3, &mut || false), Some(0), "{position:?}");
        let mut played = position;
        let refusal = played.play("e1d2".parse().unwrap()).unwrap_err();
        assert_eq!(refusal.to_string(), "the game is over");
        assert!(played == position, "{played:?}");
    }
}

#[test]
fn a_text_that_is_no_position_is_refused_with_its_field() {
    let row =
        "expected 8 squares, `F` the rabbit, `h` a wolf and a number for free ones in a row, found";
    for (text, reason) in [
        ("", "board: expected 8 rows joined by `/`, row 8 first, found 1"),
        ("startpos", "board: expected 8 rows joined by `/`, row 8 first, found 1"),
        ("1h1h1h1h/8/8/8/8/8/4F3 w", "board: expected 8 rows joined by `/`, row 8 first, found 7"),
        (
            "1h1h1h1h/8/8/8/8/8/8/4F3/ w",
            "board: expected 8 rows joined by `/`, row 8 first, found 9",
        ),
        ("1h1h1h1h/9/8/8/8/8/8/4F3 w", &format!("board: row 7: {row} \"9\"")),
        ("1h1h1h1h/8/8/8/8/8//4F3 w", &format!("board: row 2: {row} \"\"")),
        ("1h1h1h1h/8/8/8/8/8/8/4F2 w", &format!("board: row 1: {row} \"4F2\"")),
        ("1h1h1h1h/8/8/8/8/8/8/4F4 w", &format!("board: row 1: {row} \"4F4\"")),
        ("1h1h1h1h/44/8/8/8/8/8/4F3 w", &format!("board: row 7: {row} \"44\"")),
        ("1h1h1h1h/8/8/8/8/8/8/4f3 w", &format!("board: row 1: {row} \"4f3\"")),
        ("1h1h1h1H/8/8/8/8/8/8/4F3 w", &format!("board: row 8: {row} \"1h1h1h1H\"")),
        ("1h1h1h1h/8/8/8/8/8/8/4\u{ff26}3 w", &format!("board: row 1: {row} \"4\u{ff26}3\"")),
        (
            "1h1h1h1h/8/8/8/8/8/4F3/8 w",
            "square: `F` on e2, a light square, expected dark ones such as a1 or b2",
        ),
        (
            "h2h1h1h/8/8/8/8/8/8/4F3 w",
            "square: `h` on a8, a light square, expected dark ones such as a1 or b2",
        ),
        ("1h1h1h1h/8/8/8/8/8/8/8 w", "rabbit: expected one `F`, found 0"),
        ("1h1h1h1h/8/8/8/8/8/8/F3F3 w", "rabbit: expected one `F`, found 2"),
        ("1h1h1h2/8/8/8/8/8/8/4F3 w", "wolves: expected four `h`, found 3"),
        ("1h1h1h1h/h7/8/8/8/8/8/4F3 w", "wolves: expected four `h`, found 5"),
        (
            "1h1h1h1h/8/8/8/8/8/8/4F3 ",
            "turn: expected `w` for the rabbit or `b` for the wolves, found \"\"",
        ),
        (
            "1h1h1h1h/8/8/8/8/8/8/4F3 1",
            "turn: expected `w` for the rabbit or `b` for the wolves, found \"1\"",
        ),
        ("1h1h1h1h/8/8/8/8/8/8/4F3 w KQkq", "castling: expected `-`, found \"KQkq\""),
        ("1h1h1h1h/8/8/8/8/8/8/4F3 w - e3", "en passant: expected `-`, found \"e3\""),
        (
            "1h1h1h1h/8/8/8/8/8/8/4F3 w - - -",
            "half-move clock: \"-\" is not a whole number without sign or leading zeros",
        ),
        (
            "1h1h1h1h/8/8/8/8/8/8/4F3 w - - 0 -1",
            "full-move number: \"-1\" is not a whole number without sign or leading zeros",
        ),
        (
            "1h1h1h1h/8/8/8/8/8/8/4F3 w - - 0 4294967296",
            "full-move number: \"4294967296\" is above 4294967295",
        ),
        (
            "1h1h1h1h/8/8/8/8/8/8/4F3 w - - 0 1 1",
            "full-move number: expected the end behind `<board> <turn> - - <half-move clock> <full-move \
             number>`, found 7 fields",
        ),
    ] {
        let Err(refusal) = Position::parse(&(), text) else {
            panic!("{text:?} is accepted");
        };
        assert_eq!(refusal.to_string(), reason, "{text:?}");
        let refusal = variant().parse(text).unwrap_err().to_string();
        assert_eq!(refusal, format!("position {text:?} refused: {reason}"));
    }
}

#[test]
fn a_move_is_refused_with_the_rule_that_it_breaks() {
    for (text, word, reason) in [
        (START, "c1d2", "seat 1 moves the rabbit, which is on e1, not on c1"),
        (START, "b8a7", "seat 1 moves the rabbit, which is on e1, not on b8"),
        (START, "e1e1", "from e1 to e1 is not one diagonal step"),
        (START, "e1c3", "from e1 to c3 is not one diagonal step"),
        (START, "e1g1", "from e1 to g1 is not one diagonal step"),
        ("8/8/8/8/8/8/1h1h3h/h3F3 w", "e1d2", "square d2 is taken"),
        ("1h1h1h1h/8/8/8/8/8/8/4F3 b", "e1d2", "seat 2 moves the wolves, and none is on e1"),
        ("1h1h1h1h/8/8/8/8/8/8/4F3 b", "a7b6", "seat 2 moves the wolves, and none is on a7"),
        ("1h1h1h1h/8/8/8/8/8/8/4F3 b", "b8b6", "from b8 to b6 is not one diagonal step"),
        (
            "1h1h1h2/8/1h6/8/8/8/8/4F3 b",
            "b6c7",
            "wolves step down the board only, not from b6 to c7",
        ),
        ("1h1h1h2/8/1h6/8/8/8/8/4F3 b", "b6b8", "from b6 to b8 is not one diagonal step"),
        ("1h1h1h2/8/1h6/F7/8/8/8/8 b", "b6a5", "square a5 is taken"),
    ] {
        let before = position(text);
        let mut played = before;
        let refusal = played.play(word.parse().unwrap()).unwrap_err();
        assert_eq!(refusal.to_string(), reason, "{word} in {before:?}");
        assert!(played == before, "{word} changed {before:?}\nto {played:?}");
        let refusal = AnyPosition::Fox(before).play(word).unwrap_err().to_string();
        assert_eq!(refusal, format!("{word} is illegal: {reason}"));
    }
}

#[test]
fn words_that_are_no_moves_and_cards_are_refused() {
    let mut start = variant().start(2).unwrap();
    for (word, reason) in [
        ("5", "expected two dark squares, from and to, such as e1d2"),
        ("e2e4", "expected two dark squares, from and to, such as e1d2"),
        ("0000", "expected two dark squares, from and to, such as e1d2"),
        ("e1d2q", "expected two dark squares, from and to, such as e1d2"),
        ("+half", "this game has no cards, expected a move"),
    ] {
        let refusal = start.play(word).unwrap_err().to_string();
        assert_eq!(refusal, format!("{word:?} is not a move: {reason}"));
    }
    assert_eq!(start.to_string(), START);
}

#[test]
fn the_variant_has_two_names_and_two_players() {
    let alias = Variant::by_name("rabbits-and-wolves").unwrap();
    assert_eq!(alias.name, "fox-and-hounds");
    assert_eq!(alias.start(2).unwrap().to_string(), START);
    for players in [0, 1, 3, 6] {
        let refusal = alias.start(players).unwrap_err().to_string();
        let expected = format!("fox-and-hounds cannot be played by {players} players: expected 2");
        assert_eq!(refusal, expected);
    }
}

#[test]
fn bad_texts_are_refused_and_good_ones_are_read_back() {
    let mut rng = StdRng::seed_from_u64(3);
    let letters: Vec<char> = "Fh/ 12345678wb-0f9éx\t".chars().collect();
    let mut accepted = 0;
    for _ in 0..50_000 {
        let mut text: Vec<char> = Board::random(&mut rng).text().chars().collect();
        for _ in 0..rng.random_range(0..4) {
            let at = rng.random_range(0..text.len());
            match rng.random_range(0..3) {
                0 => text[at] = *letters.choose(&mut rng).unwrap(),
                1 => text.insert(at, *letters.choose(&mut rng).unwrap()),
                _ => text.truncate(at.max(1)),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(read) = Position::parse(&(), &text) {
            let again = position(&read.to_string());
            assert!(again == read, "{text:?}: {read:?}\n{again:?}");
            accepted += 1;
        }
    }
    assert!((10_000..40_000).contains(&accepted), "{accepted} accepted");
}
