//! Facts of an `info` line.
//!
//! The parser is lenient, since every UCI engine has facts of its own: it skips an unknown word or an unreadable number
//! and keeps the rest.

use std::fmt;

use super::words::{Words, write_fact, write_list};
use super::{Info, Score};

/// Reads the line after the word `info`, up to `string` or the end.
pub(super) fn info(mut words: Words<'_>) -> Info {
    let mut info = Info::default();
    while let Some(name) = words.next() {
        match name {
            "depth" => info.depth = words.integer().or(info.depth),
            "seldepth" => info.seldepth = words.integer().or(info.seldepth),
            "multipv" => info.multipv = words.integer().or(info.multipv),
            "score" => info.score = score(&mut words).or(info.score),
            "wdl" => info.wdl = integers(&mut words),
            "nodes" => info.nodes = words.integer().or(info.nodes),
            "nps" => info.nps = words.integer().or(info.nps),
            "hashfull" => info.hashfull = words.integer().or(info.hashfull),
            "time" => info.time = words.integer().or(info.time),
            "estimate" => info.estimate = integers(&mut words),
            "pv" => info.pv = words.words_until(&[]),
            "string" => break,
            _ => {}
        }
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

fn score(words: &mut Words<'_>) -> Option<Score> {
    let mut ahead = *words;
    let score = match ahead.next()? {
        "cp" => Score::Centipawns(ahead.integer()?),
        "mate" => Score::Mate(ahead.integer()?),
        _ => return None,
    };
    *words = ahead;
    Some(score)
}

fn integers(words: &mut Words<'_>) -> Vec<u16> {
    std::iter::from_fn(|| words.integer()).collect()
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
        assert_eq!(info(Words::of(line)), expected);

        let depth = Info {
            depth: Some(4),
            ..Info::default()
        };
        let info = |line| info(Words::of(line));
        assert_eq!(info("nodes depth 4 score up string time 3 nodes 9"), depth);
        assert_eq!(info(""), Info::default());
        assert_eq!(info("estimate 500 500 x 3").estimate, [500, 500]);
    }
}
