//! Words with a fixed meaning.

/// First words of all commands.
pub const COMMAND_WORDS: [&str; 16] = [
    "uci", "ugi", "isready", "setoption", "ucinewgame", "uginewgame", "position", "go", "stop",
    "ponderhit", "quit", "query", "d", "eval", "bench", "help",
];

/// All words that `go` knows.
pub const GO_WORDS: [&str; 27] = [
    "depth", "nodes", "movetime", "infinite", "ponder", "searchmoves", "time", "inc", "movestogo",
    "wtime", "btime", "winc", "binc", "p1time", "p2time", "p3time", "p4time", "p5time", "p6time",
    "p1inc", "p2inc", "p3inc", "p4inc", "p5inc", "p6inc", "perft", "mate",
];
