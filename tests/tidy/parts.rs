//! The parts of each package, with the parts that each may use.

/// Each part of the library, with the other parts that it may use.
pub const ENGINE_PARTS: &[(&str, &[&str])] = &[
    ("rules", &[]),
    ("protocol", &[]),
    ("eval", &["rules"]),
    ("search", &["articles", "eval", "rules"]),
    ("articles", &["eval", "protocol", "rules", "search"]),
    ("engine", &["rules", "search"]),
    ("bench", &["rules", "search"]),
    ("session", &["articles", "bench", "engine", "eval", "protocol", "rules", "search"]),
    ("lib", &["engine", "search"]),
    ("main", &[]),
];

/// Each module of the match library, with the modules that it may use.
pub const MATCHES_MODULES: &[(&str, &[&str])] = &[
    ("input_file", &[]),
    ("own_files", &["input_file"]),
    ("spelling", &[]),
    ("record", &[]),
    ("output", &["record"]),
    ("score", &["record"]),
    ("plan", &["input_file", "record", "score", "spelling"]),
    ("archive", &["input_file", "own_files", "plan", "record", "score", "spelling"]),
    ("play", &["input_file", "own_files", "plan", "record", "score", "spelling"]),
    ("judge", &["plan", "play", "record"]),
    ("review", &["archive", "judge", "plan", "record", "score"]),
    ("luck", &["archive", "judge", "plan", "play", "record", "review", "spelling"]),
    ("report", &["archive", "luck", "output", "plan", "play", "record", "score"]),
    (
        "run",
        &[
            "archive", "luck", "output", "own_files", "plan", "play", "record", "report", "score",
            "spelling",
        ],
    ),
    ("lib", &[]),
];

/// Each module of the arbiter, with the modules that it may use.
pub const ARBITER_MODULES: &[(&str, &[&str])] = &[
    ("analysis", &["reports"]),
    ("conformance", &[]),
    ("reports", &[]),
    ("args", &["analysis", "conformance"]),
    ("commands", &["analysis", "args", "conformance", "reports"]),
    ("main", &["args", "commands"]),
    ("lib", &[]),
];

/// Each module of the settings, with the modules that it may use.
pub const SETTINGS_MODULES: &[(&str, &[&str])] = &[
    ("fastchess", &[]),
    ("args", &["fastchess"]),
    ("config", &["args", "fastchess"]),
    ("lib", &[]),
];

/// Each module of the table, with the other modules that it may use.
pub const TABLE_ROOMS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("game", &["error"]),
    ("state", &["game"]),
    ("access", &["error"]),
    ("clients", &["error"]),
    ("pool", &["clients", "error"]),
    ("pages", &["clients"]),
    ("body", &["clients", "error"]),
    ("api", &["body", "clients", "error", "game", "pool", "state"]),
    ("args", &["api", "game", "pool"]),
    ("server", &["access", "api", "args", "clients", "error", "pages", "pool"]),
    ("main", &["args", "server"]),
    ("lib", &[]),
];

/// Each module of the trainer, with the modules that it may use.
pub const TRAINER_MODULES: &[(&str, &[&str])] = &[
    ("records", &[]),
    ("openings", &[]),
    ("player", &["openings"]),
    ("self_play", &["openings", "player", "records"]),
    ("comparison", &["openings", "player", "self_play"]),
    ("learner", &["player", "self_play"]),
    ("course", &["learner", "player", "records", "self_play"]),
    ("measure", &["player", "records"]),
    ("plot", &["measure"]),
    ("endings", &["player", "records"]),
    ("facts", &["records"]),
    (
        "main",
        &[
            "comparison", "course", "endings", "facts", "measure", "player", "plot", "records",
            "self_play",
        ],
    ),
    ("lib", &[]),
];
