//! Reruns every fenced block marked `transcript` in the documents with the real binary.
//!
//! `> ` marks a line to send, and `< ` a line to expect, where `*` matches any text; `< ...` matches any number of
//! lines. A line is sent after all expected lines before it have come. A first line `$ buxtehude` with arguments starts
//! the engine with them. At the end of a block, no other line may have come.

use std::fs;
use std::path::Path;

use crate::common::client;
use client::Engine;

/// The documents to replay.
const DOCUMENTS: &[&str] = &["protocol.md", "docs/engine.md", "docs/formats.md", "docs/games.md"];

/// A block: its first line number, and its numbered lines.
struct Block {
    place: String,
    lines: Vec<(usize, String)>,
}

#[test]
fn every_transcript_is_true() {
    let blocks: Vec<Block> = DOCUMENTS.iter().flat_map(|name| blocks_of(name)).collect();
    let wrong: Vec<String> = blocks.iter().filter_map(|block| replay(block).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The blocks of a document, at least one.
fn blocks_of(name: &str) -> Vec<Block> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let blocks = blocks(name, &text);
    assert!(!blocks.is_empty(), "{name} has no transcript: are its blocks marked?");
    blocks
}

#[test]
fn the_smallest_engine_is_quoted_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let protocol = fs::read_to_string(root.join("protocol.md")).unwrap();
    let engine = fs::read_to_string(root.join("examples/engine.py")).unwrap();
    assert!(protocol.contains(&format!("```python\n{engine}```\n")));
}

#[test]
fn a_document_that_is_missing_or_has_no_transcript_is_noticed() {
    for name in ["MISSING.md", "LICENSE"] {
        assert!(std::panic::catch_unwind(|| blocks_of(name)).is_err(), "{name}");
    }
}

#[test]
fn a_false_transcript_is_noticed() {
    let differences = [
        ("> isready\n< readyko", "line 3: expected `readyko`, got `readyok`"),
        ("> isready", "at the end: expected nothing more, got `readyok`"),
        ("> go depth 1\n< ...\n< info depth 1 *", "got `bestmove"),
        ("> go infinite\n< ...\n< info depth 2 *", "expected nothing more"),
        ("> go perft 0\n< Nodes searched: 1", "line 3: expected `Nodes searched: 1`, got ``"),
        (
            "> isready\n< readyok\n> quit\n< readyok",
            "line 5: expected `readyok`, got the end of the output",
        ),
        ("$ buxtehude go perft 0\n<", "at the end: expected nothing more, got `Nodes searched: 1`"),
        ("readyok", "line 2: expected `> `, `< ` or `$ `, found `readyok`"),
    ];
    for (text, expected) in differences {
        let document = format!("```transcript\n{text}\n```\n");
        let blocks = blocks("page", &document);
        let difference = replay(&blocks[0]).expect_err(text);
        assert!(difference.contains(expected), "{text}:\n{difference}");
    }
}

#[test]
fn a_star_is_any_text_within_a_line() {
    for (pattern, line) in
        [("a", "a"), ("a*", "a"), ("*c", "abc"), ("a * c*", "a b c d"), ("*", ""), ("a*bc", "abbc")]
    {
        assert!(is_like(pattern, line), "{pattern:?} {line:?}");
    }
    for (pattern, line) in [("a", "ab"), ("a*b", "bab"), ("ab*ba", "aba"), ("", "a")] {
        assert!(!is_like(pattern, line), "{pattern:?} {line:?}");
    }
}

fn blocks(name: &str, text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut block: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        match &mut block {
            None if line == "```transcript" => {
                let place = format!("{name}:{number}");
                let lines = Vec::new();
                block = Some(Block { place, lines });
            }
            None => (),
            Some(_) if line == "```" => blocks.extend(block.take()),
            Some(block) => block.lines.push((number, line.to_owned())),
        }
    }
    assert!(block.is_none(), "{name}: a block is not closed");
    blocks
}

/// Reruns a block; the error describes the first difference.
fn replay(block: &Block) -> Result<(), String> {
    let arguments: Vec<&str> = block
        .lines
        .first()
        .and_then(|(_, line)| line.strip_prefix("$ buxtehude "))
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let mut engine = Engine::start_with(&arguments);
    let mut skipping = false;
    let mut quits = !arguments.is_empty();
    for (number, line) in block.lines.iter().skip(quits.into()) {
        let differs = |expected: &str, got: &str, engine: &Engine| {
            let said = engine.said();
            let place = &block.place;
            Err(format!("{place}, line {number}: expected {expected}, got {got} after\n{said}"))
        };
        if let Some(sent) = line.strip_prefix("> ") {
            engine.send(sent);
            quits |= sent == "quit";
        } else if line == "< ..." {
            skipping = true;
        } else if let Some(expected) = line.strip_prefix('<') {
            let expected = expected.strip_prefix(' ').unwrap_or(expected);
            loop {
                let Some(got) = engine.line() else {
                    return differs(&format!("`{expected}`"), "the end of the output", &engine);
                };
                if is_like(expected, &got) {
                    break;
                }
                if !skipping {
                    return differs(&format!("`{expected}`"), &format!("`{got}`"), &engine);
                }
            }
            skipping = false;
        } else {
            let place = &block.place;
            return Err(format!(
                "{place}, line {number}: expected `> `, `< ` or `$ `, found `{line}`"
            ));
        }
    }
    if skipping {
        return Ok(());
    }
    let mut rest = if quits { engine.finish().0 } else { rest_to_fence(&mut engine) };
    if rest.is_empty() {
        return Ok(());
    }
    let got = rest.remove(0);
    let (place, said) = (&block.place, engine.said());
    Err(format!("{place}, at the end: expected nothing more, got `{got}` after\n{said}"))
}

/// Lines after the block. A search still running is stopped, so that it answers; a second `readyok` is unexpected.
fn rest_to_fence(engine: &mut Engine) -> Vec<String> {
    engine.send("stop");
    let mut rest = engine.fence();
    rest.extend(engine.finish().0);
    rest
}

/// `true` if `line` matches `pattern`, where each `*` matches any text.
fn is_like(pattern: &str, line: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == line;
    };
    let Some(line) = line.strip_prefix(start) else {
        return false;
    };
    let ends = line.char_indices().map(|(index, _)| index);
    ends.chain([line.len()]).any(|index| is_like(rest, &line[index..]))
}
