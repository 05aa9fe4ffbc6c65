//! `buxtehude rules`: the rules of one variant by the rules protocol, for an arbiter that asks about one position at a
//! time.
//!
//! One thread reads and answers. Positions are kept for each word of the last move list, so a `position` line costs
//! only its new words. Answers are written before the program waits for input: lines that come together are answered
//! together.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;

use super::{
    PositionError, REFUSED, answers, error_reply, exit_code, failed, first_position, refusal,
    start_of,
};
use crate::protocol::{Command, LineReader, PositionCommand, Reply, Start};
use crate::rules::{AnyPosition, UnknownVariant, VARIANTS, Variant};

/// Size of the buffers of input and output, in bytes: the size of a pipe in Linux.
const BUFFER_SIZE: usize = 1 << 16;

/// Serves the rules of the variant that the arguments name, or of the first, on standard input and output.
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
    match answer_lines(variant, input, output) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        ended => ended,
    }
}

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
                    writeln!(output, "{}", error_reply(&error.to_string()))?;
                }
            }
            Ok(Command::Query(query)) => {
                let words = answers::query(query, last.position());
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

/// The last `position` command, with the positions on its way.
struct LastPosition {
    variant: &'static Variant,
    start: Start,
    first: AnyPosition,
    /// Each word of the move list, with the position after it.
    steps: Vec<(String, AnyPosition)>,
}

impl LastPosition {
    fn new(variant: &'static Variant) -> LastPosition {
        LastPosition {
            variant,
            start: Start::Startpos { players: None },
            first: *start_of(variant).position(),
            steps: Vec::new(),
        }
    }

    fn position(&self) -> &AnyPosition {
        self.steps.last().map_or(&self.first, |(_, after)| after)
    }

    /// Sets the position, and plays only the words that are new.
    ///
    /// # Errors
    /// [`PositionError`] names the invalid field or word; the position is unchanged.
    fn set(&mut self, command: PositionCommand) -> Result<(), PositionError> {
        let PositionCommand { start, moves } = command;
        let (first, known) = if start == self.start {
            let pairs = self.steps.iter().zip(&moves);
            let known = pairs.take_while(|((word, _), sent)| word == *sent).count();
            (self.first, known)
        } else {
            (first_position(self.variant, &start)?, 0)
        };
        let mut position = match self.steps.get(..known) {
            Some([.., (_, after)]) => *after,
            _ => first,
        };
        let mut new = Vec::new();
        for (number, word) in (1..).zip(moves).skip(known) {
            if let Err(reason) = position.play(&word) {
                return Err(refusal(number, reason, &position));
            }
            new.push((word, position));
        }
        self.start = start;
        self.first = first;
        self.steps.truncate(known);
        self.steps.extend(new);
        Ok(())
    }
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
