//! Answers to `query`, which has all that an arbiter without rules must know about a game, and to the helper commands
//! `d`, `eval`, `bench`, `go perft` and `help`. A rules program answers `query` alone.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;

use super::go::per_second;
use super::{LastPosition, REFUSED, error_reply, exit_code, failed, unless_closed};
use crate::articles;
use crate::bench::BenchResult;
use crate::eval::{self, Evaluate, Evaluator, Evaluators};
use crate::protocol::{Command, LineReader, Query, Reply};
use crate::rules::{
    AnyPosition, Game, Seat, Solution, Turn, UnknownVariant, VARIANTS, Variant, joined,
    with_position,
};
use crate::search::Preset;

/// Output of `help`.
pub const HELP: &str = "\
uci                       the engine's name and options
ugi                       the same, for a client that speaks UGI
setoption name N value V  set an option
position startpos [players N] [moves ...]
position fen <text> [moves ...]
                          set the position; moves and cards as they happened
go [depth D] [nodes N] [movetime MS] [infinite] [ponder]
   [time T1 ... TN [inc I1 ... IN] [movestogo K]]
   [wtime T btime T [winc I binc I]]
   [p1time T p2time T ... [p1inc I p2inc I ...]] [searchmoves M ...]
                          search; without a limit until `stop`, or to the end
go perft D                count the lines of play to depth D
stop                      end the search with its best move
ponderhit                 the move pondered on was played
query p1turn|turn|gameover|result|legal|players|state|text
                          answer a question about the position by `response`
d                         show the position
eval                      show the static estimate, term by term
bench [depth]             search fixed positions; nodes: the search's signature
isready, ucinewgame, uginewgame, help, quit";

/// Description of a chosen variant: its name and start. If a GUI can draw the board, also its size, in the form that
/// Fairy-Stockfish uses.
pub fn variant(variant: &Variant, start: &AnyPosition) -> String {
    let board = match start.scene().board.grid() {
        Some((files, rows)) => format!("files {files} ranks {rows} pocket 0 template fairy "),
        None => String::new(),
    };
    format!("variant {} {board}startpos {start}", variant.name)
}

/// Output of `d`.
pub fn display(position: &AnyPosition) -> String {
    let mut text = position.picture();
    // Writing to a string never fails.
    let _ = write!(text, "\nFen: {position}\nLegal:");
    for action in position.legal_actions() {
        let _ = write!(text, " {action}");
    }
    if position.turn() == Turn::Over {
        text += "\nResult: places";
        for seat in Seat::all(position.seats()) {
            let _ = write!(text, " {}", position.place(seat).unwrap_or_default());
        }
    }
    text
}

/// Output of `eval`.
pub fn eval(position: &AnyPosition, preset: &Preset, evaluators: &Evaluators) -> String {
    let by_article = match preset {
        Preset::Best | Preset::Tree | Preset::AlphaBeta => None,
        Preset::Article(settings) => articles::explain(position, settings),
    };
    let (mut lines, leads) = by_article.unwrap_or_else(|| {
        with_position!(position, position => {
            let evaluator = position.evaluator(evaluators);
            (evaluator.explain(position), eval::expected_leads(&*evaluator, position))
        })
    });
    let shares = eval::shares(&leads[..position.seats()]);
    lines.push(format!("estimate {}", joined(shares, " ")));
    if let Some(Solution { winner, plies }) = position.solved() {
        lines.push(format!("solved: seat {winner} wins, plies {plies}"));
    }
    lines.join("\n")
}

/// Output of a finished `go perft`.
pub fn perft(counts: &[(String, u64)]) -> String {
    let total: u64 = counts.iter().map(|(_, leaves)| leaves).sum();
    let mut text = String::new();
    for (action, leaves) in counts {
        let _ = writeln!(text, "{action}: {leaves}");
    }
    let _ = write!(text, "\nNodes searched: {total}");
    text
}

/// Output of a finished `bench`.
pub fn bench(result: &BenchResult) -> String {
    let nps = per_second(result.nodes, result.time);
    let time = result.time.as_millis();
    format!("Total time (ms): {time}\nNodes searched: {}\nNodes/second: {nps}", result.nodes)
}

/// Static evaluation of a position as shares in permille: exact if the game is over, the mean over the cards if one is
/// due.
pub fn static_estimate(position: &AnyPosition, evaluators: &Evaluators) -> Vec<u16> {
    with_position!(position, position => {
        let evaluator = position.evaluator(evaluators);
        eval::shares(&eval::expected_leads(&*evaluator, position)[..position.seats()])
    })
}

/// Returns the words that answer a query about a position.
///
/// For two players, `p1turn`, `gameover` and `result` are answered in the words of UGI. Source: kz04px, The Universal
/// Game Interface, version 1.0.
pub fn query(query: Query, position: &AnyPosition) -> Vec<String> {
    let turn = position.turn();
    match query {
        Query::P1Turn => {
            vec![(turn.seat() == Some(Seat(0))).to_string()]
        }
        Query::Turn => match turn {
            Turn::Seat(seat) => vec![seat.to_string()],
            Turn::Card(seat) => vec!["card".to_owned(), seat.to_string()],
            Turn::Over => vec!["over".to_owned()],
        },
        Query::GameOver => vec![(turn == Turn::Over).to_string()],
        Query::Result => result(position),
        Query::Legal => position.legal_actions(),
        Query::Players => vec![position.seats().to_string()],
        Query::State => state(position),
        Query::Text => position.to_string().split(' ').map(str::to_owned).collect(),
        // The games of this program have no pictures of one line, and nothing but places.
        Query::Picture | Query::Stake => Vec::new(),
    }
}

/// The next action, all possible actions, and the places as soon as one is decided.
fn state(position: &AnyPosition) -> Vec<String> {
    let mut words = Vec::new();
    match position.turn() {
        Turn::Seat(seat) => {
            words.extend([seat.to_string(), "legal".to_owned()]);
            words.extend(position.legal_actions());
        }
        Turn::Card(seat) => {
            words.extend(["card".to_owned(), seat.to_string(), "weights".to_owned()]);
            for (card, number) in position.outcomes() {
                words.extend([card, number.to_string()]);
            }
        }
        Turn::Over => words.push("over".to_owned()),
    }
    let places: Vec<_> = places(position).collect();
    if places.iter().any(Option::is_some) {
        let or_open =
            |place: &Option<usize>| place.map_or("-".to_owned(), |place| place.to_string());
        words.push("places".to_owned());
        words.extend(places.iter().map(or_open));
    }
    words
}

/// Place of each seat; `None` while it is open.
fn places(position: &AnyPosition) -> impl Iterator<Item = Option<usize>> {
    Seat::all(position.seats()).map(|seat| position.place(seat))
}

/// Place of each seat; for two seats, the result in UGI's words.
fn result(position: &AnyPosition) -> Vec<String> {
    let places: Option<Vec<usize>> = places(position).collect();
    match places.as_deref() {
        None => vec!["none".to_owned()],
        Some([first, second]) => {
            let won = match first.cmp(second) {
                Ordering::Less => "p1win",
                Ordering::Equal => "draw",
                Ordering::Greater => "p2win",
            };
            vec![won.to_owned()]
        }
        Some(places) => {
            let places = places.iter().map(usize::to_string);
            std::iter::once("places".to_owned()).chain(places).collect()
        }
    }
}

/// Size of the buffers of input and output, in bytes: the size of a pipe in Linux.
const BUFFER_SIZE: usize = 1 << 16;

/// Serves the rules of the variant that the arguments name, or of the first, on standard input and output, for an
/// arbiter that asks about one position at a time.
///
/// # Returns
/// Success, also if a stream was closed. [`REFUSED`] if there is no such variant; the reason goes to standard error.
/// Failure on any other error of the streams.
pub fn serve_rules(arguments: &[String]) -> ExitCode {
    match variant_of(arguments) {
        Ok(variant) => exit_code(serve(variant, io::stdin().lock(), io::stdout().lock())),
        Err(error) => failed(&error, REFUSED),
    }
}

fn variant_of(arguments: &[String]) -> Result<&'static Variant, UnknownVariant> {
    match (arguments, VARIANTS) {
        ([], [first, ..]) => Ok(first),
        _ => Variant::by_name(&arguments.join(" ")),
    }
}

/// Serves one client until it quits, its input ends, or its output is closed.
///
/// # Errors
/// An error of the streams other than the output's being closed.
fn serve(variant: &'static Variant, input: impl Read, output: impl Write) -> io::Result<()> {
    unless_closed(answer_lines(variant, input, output))
}

/// Answers are written before the program waits for input: lines that come together are answered together.
fn answer_lines(variant: &'static Variant, input: impl Read, output: impl Write) -> io::Result<()> {
    let mut lines = LineReader::new(BufReader::with_capacity(BUFFER_SIZE, input));
    let mut output = BufWriter::with_capacity(BUFFER_SIZE, output);
    let mut last = LastPosition::new(variant);
    while let Some(line) = lines.next_line() {
        let line = line?;
        match line.command() {
            Ok(Command::Ugi) => {
                let name = Reply::IdName(variant.name.to_owned());
                writeln!(output, "{name}\n{}", Reply::UgiOk)?;
            }
            Ok(Command::Position(command)) => {
                if let Err(error) = last.set(command) {
                    writeln!(output, "{}", error_reply(&error))?;
                }
            }
            Ok(Command::Query(fact)) => {
                let words = query(fact, last.position());
                writeln!(output, "{}", Reply::Response(words))?;
            }
            Ok(Command::Quit) => break,
            Ok(_) => {}
            // Every query has an answer, since the client counts them; unknown lines have none.
            Err(error) => match first_word(line.bytes()) {
                b"query" => writeln!(output, "{}", Reply::Response(Vec::new()))?,
                b"position" => writeln!(output, "{}", error_reply(&error.to_string()))?,
                _ => {}
            },
        }
        if !lines.has_line() {
            output.flush()?;
        }
    }
    output.flush()
}

fn first_word(line: &[u8]) -> &[u8] {
    let mut words = line.split(|byte| b" \t".contains(byte));
    words.find(|word| !word.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Pieces of lines, so that many are valid.
    const PIECES: &[&str] = &[
        "\nquery", "\nposition startpos players 3 moves 5", "\nposition fen 0,68,3/0,68,3 1 - -",
        "\nposition", "\nugi", "\n", "query", "state", "legal", "moves", "5", "6", "+half", "\t",
        "\r", "ä",
    ];

    proptest! {
        #[test]
        fn each_query_has_one_answer_and_a_position_at_most_an_error(
            pieces in vec(select(PIECES), 0..60),
        ) {
            let input = pieces.join(" ");
            // Only spaces and tabs part words.
            let begins = |line: &str, word: &str| {
                line.split([' ', '\t']).find(|part| !part.is_empty()) == Some(word)
            };
            let lines_of = |word: &str| input.split('\n').filter(|line| begins(line, word)).count();
            let mut output = Vec::new();
            serve(&VARIANTS[0], input.as_bytes(), &mut output).unwrap();
            let output = String::from_utf8(output).unwrap();
            let count = |start: &str| output.lines().filter(|line| line.starts_with(start)).count();
            prop_assert_eq!(count("response"), lines_of("query"), "{}", output);
            prop_assert!(count("info string error: ") <= lines_of("position"), "{}", output);
            let others = ["response", "info string error: ", "id name ", "ugiok"];
            prop_assert_eq!(others.map(count).iter().sum::<usize>(), output.lines().count());
        }
    }
}
