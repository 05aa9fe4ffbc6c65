//! Flags and keys of fastchess and cutechess-cli, with what to write here instead.
//!
//! Error messages quote these tables, and docs/arbiter.md prints them.

/// A row: names that mean the same, and what replaces them.
type Row = (&'static [&'static str], &'static str);

/// Flags of fastchess and cutechess-cli, without the dash.
const FLAGS: &[Row] = &[
    (&["engine"], "`--engine`, with the same words"),
    (&["each"], "`--each`, with the same words"),
    (
        &["rounds", "games"],
        "`--games`, which counts all games: `-rounds N -games 2` is `--games 2N`; in a tournament, `--rounds`",
    ),
    (
        &["repeat", "noswap", "reverse"],
        "leave it out: each opening is played in all rotations of the seats",
    ),
    (&["tournament"], "`arbiter tournament round-robin` or `arbiter tournament gauntlet`"),
    (&["seeds"], "`arbiter tournament gauntlet --challengers N`"),
    (
        &["sprt"],
        "`--sprt`, with the same words; the model of fastchess without `model=` is `model=normalized`",
    ),
    (
        &["openings"],
        "`--openings FILE`, with `--openings-order`, `--openings-plies` and `--openings-start`",
    ),
    (&["srand"], "`--seed N` or `--seed-file FILE`"),
    (&["resign"], "`--resign moves=N permille=N`, by the estimates of both engines"),
    (&["draw"], "leave it out: no game is drawn by its score; `--max-plies N` ends long games"),
    (
        &["maxmoves"],
        "`--max-plies`, which counts the moves of each seat: 2N for N moves of two seats",
    ),
    (
        &["tb", "tbpieces", "tbignore50", "tbadjudicate"],
        "`--solved`, which ends a game once the rules know its result",
    ),
    (&["concurrency", "force-concurrency"], "`--concurrency N`"),
    (&["use-affinity"], "`--pin`"),
    (&["wait"], "`--wait MS`"),
    (&["ponder"], "`ponder=on` after `--engine` or `--each`"),
    (&["recover"], "leave it out: a crash loses one game; `--retire K` says how many in a row"),
    (&["startup-ms", "ucinewgame-ms", "ping-ms"], "`--ready MS`"),
    (&["variant"], "`--variant NAME`, or `--rules` for a game of your own"),
    (
        &["pgnout", "epdout"],
        "`--store FILE`, then `arbiter export FILE --format text`; or `--record FILE`",
    ),
    (&["ratinginterval", "scoreinterval", "outcomeinterval"], "`--report-every N`"),
    (
        &["report", "resultformat", "show-latency"],
        "`--store FILE`, then `arbiter report FILE --format text` or `json`",
    ),
    (&["output", "testEnv"], "`--events FILE`, for other programs"),
    (&["autosaveinterval"], "`--store FILE`, which keeps each game at once"),
    (
        &["config", "resume"],
        "`--store FILE`, then `arbiter resume FILE`; `--config FILE` has the settings of a new match",
    ),
    (&["log", "debug"], "`--log FILE`"),
    (&["crc32"], "`--store FILE`, then `arbiter export FILE --without-clock | sha256sum`"),
    (
        &["compliance", "check-mate-pvs"],
        "`arbiter check PROGRAM`, for a plain UCI engine with `--profile uci`",
    ),
    (&["strict"], "leave it out: after an engine's fault the exit code is 4"),
    (&["quick"], "`--engine cmd=A --engine cmd=B --openings FILE`"),
    (&["event", "site", "bookmode", "engines", "protocols"], "leave it out: it has no counterpart"),
    (&["help", "version"], "`--help`, `--version`"),
];

/// Keys of an engine there that differ here; all others are the same.
const KEYS: &[Row] = &[
    (&["st"], "`movetime=`, in milliseconds instead of seconds"),
    (&["plies"], "`depth=`"),
    (&["timemargin"], "`margin=`"),
    (&["arg"], "`args='A B'`, with all arguments"),
    (&["ponder"], "`ponder=on`"),
    (&["initstr"], "`option.NAME=VALUE`"),
    (&["conf"], "`cmd=PROGRAM`"),
    (&["book"], "`--openings FILE`, for all engines"),
    (&["bookdepth"], "`--openings-plies K`, for all engines"),
    (&["tscale"], "`movetime=` or `tc=` with the time itself"),
    (&["stderr"], "leave it out: `arbiter explain` shows standard error"),
    (&["debug"], "leave it out: `--log FILE` has every line"),
    (&["proto", "trust", "whitepov"], "leave it out: it has no counterpart"),
];

/// The replacement of a flag, whose name is given without dashes.
pub(crate) fn flag(name: &str) -> Option<&'static str> {
    replacement(FLAGS, name)
}

/// The replacement of an engine's key.
pub(crate) fn key(name: &str) -> Option<&'static str> {
    replacement(KEYS, name)
}

fn replacement(rows: &'static [Row], name: &str) -> Option<&'static str> {
    let found = rows.iter().find(|(names, _)| names.contains(&name));
    found.map(|(_, replacement)| *replacement)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of the document.
    fn table(head: &str, rows: &[Row], sign: fn(&str) -> String) -> String {
        let mut text = format!("| {head} | here |\n|---|---|\n");
        for (names, replacement) in rows {
            let names: Vec<String> = names.iter().map(|name| sign(name)).collect();
            text += &format!("| {} | {} |\n", names.join(", "), replacement.replace('|', "\\|"));
        }
        text
    }

    #[test]
    fn the_document_has_both_tables() {
        let document = include_str!("../../../docs/arbiter.md");
        let flags = table("flag there", FLAGS, |name| format!("`-{name}`"));
        let keys = table("key there", KEYS, |name| format!("`{name}`"));
        assert!(document.contains(&flags), "expected in docs/arbiter.md:\n{flags}");
        assert!(document.contains(&keys), "expected in docs/arbiter.md:\n{keys}");
    }
}
