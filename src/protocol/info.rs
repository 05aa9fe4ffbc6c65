//! Facts of an `info` line.
//!
//! The parser is lenient, since every UCI engine has facts of its own: it skips an unknown word or an unreadable number
//! and keeps the rest.

use std::fmt;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::map_opt;
use nom::multi::many0;
use nom::sequence::preceded;

use super::words::{Parsed, all_words, integer, keyword, word, write_fact, write_list};
use super::{Info, Score};

/// Reads the line after the word `info`, up to `string` or the end.
pub(super) fn info(input: &str) -> Info {
    let mut info = Info::default();
    let mut rest = input;
    while let Ok((behind, name)) = word(rest) {
        rest = match name {
            "depth" => set(&mut info.depth, behind, number(behind)),
            "seldepth" => set(&mut info.seldepth, behind, number(behind)),
            "multipv" => set(&mut info.multipv, behind, number(behind)),
            "score" => set(&mut info.score, behind, score.map(Some).parse(behind)),
            "wdl" => set(&mut info.wdl, behind, numbers(behind)),
            "nodes" => set(&mut info.nodes, behind, number(behind)),
            "nps" => set(&mut info.nps, behind, number(behind)),
            "hashfull" => set(&mut info.hashfull, behind, number(behind)),
            "time" => set(&mut info.time, behind, number(behind)),
            "estimate" => set(&mut info.estimate, behind, numbers(behind)),
            "pv" => set(&mut info.pv, behind, all_words(behind)),
            "string" => break,
            _ => behind,
        };
    }
    info
}

impl fmt::Display for Info {
    /// Writes each fact with a space before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_fact(f, "depth", self.depth)?;
        write_fact(f, "seldepth", self.seldepth)?;
        write_fact(f, "multipv", self.multipv)?;
        write_list(f, "estimate", &self.estimate)?;
        write_fact(f, "score", self.score)?;
        write_list(f, "wdl", &self.wdl)?;
        write_fact(f, "nodes", self.nodes)?;
        write_fact(f, "nps", self.nps)?;
        write_fact(f, "hashfull", self.hashfull)?;
        write_fact(f, "time", self.time)?;
        write_list(f, "pv", &self.pv)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(x) => write!(f, "cp {x}"),
            Score::Mate(y) => write!(f, "mate {y}"),
        }
    }
}

fn score(input: &str) -> Parsed<'_, Score> {
    alt((
        preceded(keyword("cp"), any_number).map(Score::Centipawns),
        preceded(keyword("mate"), any_number).map(Score::Mate),
    ))
    .parse(input)
}

/// Parses a number that fits its type.
fn any_number<T: TryFrom<i128>>(input: &str) -> Parsed<'_, T> {
    map_opt(word, |word| integer(word)?.try_into().ok()).parse(input)
}

fn number<T: TryFrom<i128>>(input: &str) -> Parsed<'_, Option<T>> {
    any_number.map(Some).parse(input)
}

fn numbers<T: TryFrom<i128>>(input: &str) -> Parsed<'_, Vec<T>> {
    many0(any_number).parse(input)
}

/// Stores the parsed value and returns the rest. If parsing failed, returns `input`, whose words are then skipped.
fn set<'a, T>(slot: &mut T, input: &'a str, parsed: Parsed<'a, T>) -> &'a str {
    parsed.map_or(input, |(rest, value)| {
        *slot = value;
        rest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn an_info_of_another_engine_keeps_what_we_know() {
        let line = "depth 20 seldepth 31 multipv 1 score cp 34 lowerbound wdl 90 880 30 nodes 1e6 nps 1200 \
                    hashfull -5 tbhits 0 time 99 currmove e2e4 currmovenumber 1 pv e2e4 e7e5 string depth 1";
        let expected = Info {
            depth: Some(20),
            seldepth: Some(31),
            multipv: Some(1),
            score: Some(Score::Centipawns(34)),
            wdl: vec![90, 880, 30],
            nps: Some(1200),
            time: Some(99),
            pv: strings(&["e2e4", "e7e5", "string", "depth", "1"]),
            ..Info::default()
        };
        assert_eq!(info(line), expected);

        let depth = Info { depth: Some(4), ..Info::default() };
        assert_eq!(info("nodes depth 4 score up string time 3 nodes 9"), depth);
        assert_eq!(info(""), Info::default());
        assert_eq!(info("estimate 500 500 x 3").estimate, [500, 500]);
    }
}
