// The games that the page knows: their pictures, words and positions. The page shows any other game with generic texts,
// coloured squares and discs.
//
// A picture is a list of [tag, attributes] in a box of 24 by 24 units. Colours are classes, which differ between the
// light and the dark scheme.

// --- Pictures ---

// Digits are drawn as paths, since text would become part of a square's accessible name.
const DIGITS = {
  1: "M9.6 9.3 12.4 7v10",
  2: "M9 9.7a3 2.8 0 1 1 5.2 2L9 17h6.4",
  3: "M9.2 7.2h5.4l-3 3.7a3.1 3.1 0 1 1-2.8 4.7",
  4: "M13.5 17.2V6.9l-5 7.2h7.2",
};
const number = (digit) => [
  ["circle", { class: "coin", cx: 12, cy: 12, r: 9.5 }],
  ["path", { class: "coin-digit", d: DIGITS[digit] }],
];

const LETTUCE_LEAVES = [[12, 6.2], [17.4, 9.6], [16.6, 16], [12, 18.6], [7.4, 16], [6.6, 9.6]];

const kinds = {
  start: [
    ["path", { class: "wood", d: "M3 11.5 12 4l9 7.5-1.4 1.6L18 11.8V20H6v-8.2l-1.6 1.3z" }],
    ["path", { class: "shade", d: "M9.7 20v-4.2a2.3 2.3 0 0 1 4.6 0V20z" }],
  ],
  finish: [
    ["path", { class: "stroke-ink", d: "M5 2.5V22" }],
    ["path", { class: "paper", d: "M5.6 3.4h14v10h-14z" }],
    ["path", { class: "ink", d: "M5.6 3.4h3.5v3.4H5.6zm7 0h3.5v3.4h-3.5zM9.1 6.8h3.5v3.3H9.1zm7 0h3.5v3.3h-3.5zM5.6 10.1h3.5v3.3H5.6zm7 0h3.5v3.3h-3.5z" }],
  ],
  carrot: [
    ["path", { class: "stroke-leaf", d: "M15.6 8.4C15 5.2 16.8 3 18.6 2.4M15.8 8.4c1.7-2.6 4-3 5.9-2.2M15.8 8.5c2.2-.6 4.3.2 5.2 2" }],
    ["path", { class: "orange", d: "M2.8 21.4 8 9.7c1.5-3.1 5.4-3.8 7.8-1.5s1.9 6.2-1 7.8z" }],
    ["path", { class: "stroke-orange", d: "M8.4 12.2l2.3 1.8M11.6 9.6l1.6 1.3M6.6 16.4l1.8 1.4" }],
  ],
  lettuce: [
    ...LETTUCE_LEAVES.map(([cx, cy]) => ["circle", { class: "leaf", cx, cy, r: 4.6 }]),
    ...LETTUCE_LEAVES.map(([cx, cy]) => ["circle", { class: "leaf-light", cx: (cx + 12) / 2, cy: (cy + 12.4) / 2, r: 3.2 }]),
    ["circle", { class: "leaf-pale", cx: 12, cy: 12.4, r: 2.5 }],
    ["path", { class: "stroke-leaf thin", d: "M12 12.4V6M12 12.4l5-2.4M12 12.4l-5-2.4M12 12.4l3.6 4.2M12 12.4l-3.6 4.2" }],
  ],
  hedgehog: [
    ["path", { class: "spikes", d: "M4.4 18.6 2 17.2l2-1.6-2-2.3 2.6-.5-1-2.9 2.8.5.1-3.1 2.5 1.4 1.2-2.8 1.8 2.2 2.2-1.8.9 2.5 2.6-.8c.5 3.7-.2 7.5-.9 10.6z" }],
    ["path", { class: "fur", d: "M15.7 9.3c3.2.6 5.3 3.6 6.5 6.5.4 1-.2 1.9-1.2 2.2l-6.6.6c-1.4-3-1.1-7 1.3-9.3z" }],
    ["circle", { class: "ink", cx: 18, cy: 13.4, r: 0.95 }],
    ["circle", { class: "ink", cx: 22, cy: 16.3, r: 1.05 }],
    ["path", { class: "fur", d: "M7 18.4h3v1.8H7zm7 0h3v1.8h-3z" }],
  ],
  hare: [
    ["path", { class: "card-back", d: "M5.5 2.5h13a1.6 1.6 0 0 1 1.6 1.6v15.8a1.6 1.6 0 0 1-1.6 1.6h-13a1.6 1.6 0 0 1-1.6-1.6V4.1a1.6 1.6 0 0 1 1.6-1.6z" }],
    ["path", { class: "card-face", d: "M10 11.6C8.2 8.7 8 5 9.3 5s2.2 3 2.3 6h.8c.1-3 1-6 2.3-6s1.1 3.7-.7 6.6a4.3 4.3 0 1 1-4 0z" }],
    ["circle", { class: "card-back", cx: 10.6, cy: 14.7, r: 0.7 }],
    ["circle", { class: "card-back", cx: 13.4, cy: 14.7, r: 0.7 }],
  ],
  flag: [
    ["path", { class: "stroke-ink", d: "M6 2.5V22" }],
    ["path", { class: "red", d: "M6.4 3.8c3.6-2 6.6 1.6 12.6-.2-.7 2.8-.7 5.6 0 8.4-6 1.8-9-1.8-12.6.2z" }],
    ["path", { class: "flag-digit", d: DIGITS[1], transform: "translate(5.2 1.2) scale(0.6)" }],
  ],
  "place 2": number("2"),
  "place 3": number("3"),
  "place 4": number("4"),
};

const HARE = "M9 9.4C6.4 5.4 6.5 1.3 8.5 1.3s2.9 3.8 3.1 6.9h.8c.2-3.1 1.1-6.9 3.1-6.9s2.1 4.1-.5 8.1c2.4 1.2 3.7 3.2 3.7 5.6 0 4.4-2.9 7.7-6.7 7.7s-6.7-3.3-6.7-7.7c0-2.4 1.3-4.4 3.7-5.6z";
const WOLF = "M4.2 1.8l4.9 4.5h5.8l4.9-4.5.9 8.8c.4 5.7-4.6 12-8.7 12s-9.1-6.3-8.7-12z";

const TILES = {
  carrot: "orange", lettuce: "green", hedgehog: "brown", hare: "violet", flag: "red",
  "place 2": "yellow", "place 3": "yellow", "place 4": "yellow",
};

// --- Words ---

// The server's English words, such as kinds of squares, facts, notes and cards, in each language.
const RACE_WORDS = {
  en: {
    carrots: "carrots left", lettuces: "lettuces left", "place 2": "two", "place 3": "three", "place 4": "four",
    "if place": "as", pays: "next turn brings",
    "another turn": "not more hares behind than ahead, another turn",
    "missed +behind": "more hares behind than ahead, misses a turn",
    "missed +draw": "no lettuces, misses a turn", "short +draw": "10 for each lettuce", "short +restore": "exactly 65",
    "short +half": "half of the carrots is lost", "short +free": "the move is free", "short +show": "shows the carrots",
    "short +give": "carrots for the hares behind", "short +shuffle": "one from every hare",
  },
  de: {
    hare: "Hase", carrot: "Karotte", lettuce: "Salat", hedgehog: "Igel", "place 2": "Zwei", "place 3": "Drei",
    "place 4": "Vier",
    flag: "Fahne", start: "Start", finish: "Ziel", income: "Einkommen", cost: "kostet", gain: "bringt",
    carrots: "Karotten danach", lettuces: "Salate danach",
    pays: "bringt beim nächsten Zug", "if place": "als",
    "draws a card": "zieht eine Karte",
    "misses the next turn and eats a lettuce": "setzt aus und frisst einen Salat",
    "back to the start, and moves again": "zurück zum Start, dann noch ein Zug", finishes: "ist im Ziel",
    "misses a turn": "setzt aus", finished: "im Ziel", last: "Letzter",
    "another turn": "nicht mehr Hasen hinter als vor ihm, noch ein Zug",
    "missed +behind": "mehr Hasen hinter als vor ihm, setzt aus",
    "missed +draw": "kein Salat, setzt aus", "short +draw": "10 für jeden Salat", "short +restore": "genau 65",
    "short +half": "die Hälfte der Karotten ist weg", "short +free": "der Zug ist frei",
    "short +show": "zeigt die Karotten",
    "short +give": "Karotten für die Hasen dahinter", "short +shuffle": "eine von jedem Hasen",
    "+behind": "Sind mehr Hasen hinter dir als vor dir, setze einmal aus; wenn nicht, ziehe sofort noch einmal.",
    "+draw": "Nimm 10 Karotten für jeden Salat, den du noch hast. Hast du keinen, setze einmal aus.",
    "+restore": "Du hast jetzt genau 65 Karotten.",
    "+half": "Verliere die Hälfte deiner Karotten. Ist die Zahl ungerade, behältst du die größere Hälfte.",
    "+free": "Dein letzter Zug kostet nichts: nimm die bezahlten Karotten zurück.",
    "+show": "Zeige allen deine Karotten.",
    "+give": "Gib jedem Hasen hinter dir 10 Karotten. Hast du nicht genug, gib je 5, oder 1, oder nichts.",
    "+shuffle": "Nimm jedem anderen Hasen im Rennen eine Karotte ab. Dann werden alle Hasenkarten gemischt.",
  },
};
const WOLF_LEVELS = [1, 2, 3, 4, 5, 6];
const HUNT_WORDS = {
  en: {},
  de: {
    dark: "dunkel", light: "hell", rabbit: "Hase", wolf: "Wolf", wolves: "Wölfe", wins: "gewinnt",
    "has won": "hat gewonnen", "has lost": "hat verloren",
    ...Object.fromEntries(WOLF_LEVELS.map((level) => [`Wolves ${level}`, `Wölfe ${level}`])),
  },
};

// Texts of the page that are more specific in a game, and texts of its own: moves, and the rules against squares.
const RACE_TEXTS = {
  en: {
    goal: "Goal: be the first on 64, without lettuces and with at most 10 carrots.",
    "card due": "{name} draws a hare card", "it says": "Hare card",
    "click to place": "Choose a hare, then click its square.",
    misses: "misses a turn", carrots: "carrots", lettuces: "lettuces",
    forward: "to {square} ({kind})", "back to": "back to {square} ({kind})", takes: "takes carrots",
    gives: "gives carrots back",
    eats: "eats a lettuce", rests: "misses a turn", restarts: "no move is possible: back to the start with new carrots",
    "you are here": "{square}: you stand here", "miss now": "You miss this turn",
    "hedgehog ahead": "{square}: a hedgehog is reached only by going back",
    "taken by": "{square}: {name} stands there", "too dear": "{square} costs {cost} carrots: you have {carrots}",
    "no lettuce": "{square} is for eating a lettuce: you have none",
    "lettuces left": "{square} needs no lettuces: you have {lettuces}",
    "carrots left": "{square} allows at most {most} carrots: you would have {carrots}",
    "only hedgehogs": "{square}: hares go back only to a hedgehog",
    "nearest hedgehog": "{square}: only the nearest hedgehog is open, {nearest}",
  },
  de: {
    goal: "Ziel: als Erster auf die 64, ohne Salat und mit höchstens 10 Karotten.",
    "card due": "{name} zieht eine Hasenkarte", "it says": "Hasenkarte",
    "click to place": "Wähle einen Hasen, dann sein Feld.",
    misses: "setzt aus", carrots: "Karotten", lettuces: "Salate",
    forward: "auf {square} ({kind})", "back to": "zurück auf {square} ({kind})", takes: "nimmt Karotten",
    gives: "gibt Karotten zurück",
    eats: "frisst einen Salat", rests: "setzt aus",
    restarts: "kein Zug ist möglich: zurück zum Start mit neuen Karotten",
    "you are here": "{square}: hier stehst du", "miss now": "Du setzt diesmal aus",
    "hedgehog ahead": "{square}: ein Igelfeld erreicht man nur rückwärts",
    "taken by": "{square}: dort steht {name}", "too dear": "{square} kostet {cost} Karotten: du hast {carrots}",
    "no lettuce": "Auf {square} frisst man einen Salat: du hast keinen",
    "lettuces left": "{square} verlangt, dass du keinen Salat hast: du hast {lettuces}",
    "carrots left": "{square} erlaubt höchstens {most} Karotten: du hättest {carrots}",
    "only hedgehogs": "{square}: rückwärts geht es nur auf einen Igel",
    "nearest hedgehog": "{square}: nur der nächste Igel ist erlaubt, {nearest}",
  },
};
const HUNT_TEXTS = {
  en: {
    goal: "Goal: the rabbit wants to reach the top row, the wolves to leave it no step.",
    home: "{piece} {from} to {to}, and has reached row 8",
    caught: "{piece} {from} to {to}, and the rabbit has no step left",
    stuck: "{piece} {from} to {to}, and the wolves have no step left",
    comment: "Your move “{move}” gives the win away. Better: {better}.",
    "not solved": "That gives the win away. Better: {better}.",
    "light square": "{square}: only dark squares are used",
    "taken by": "{square} is taken",
    "too far": "{square}: a step goes to the next square, diagonally",
    "not back": "{square}: wolves only go down the board",
  },
  de: {
    goal: "Ziel: der Hase will die oberste Reihe erreichen, die Wölfe wollen ihm keinen Schritt lassen.",
    home: "{piece} von {from} auf {to}: Reihe 8 ist erreicht",
    caught: "{piece} von {from} auf {to}: der Hase hat keinen Schritt mehr",
    stuck: "{piece} von {from} auf {to}: die Wölfe haben keinen Schritt mehr",
    comment: "Dein Zug „{move}“ verschenkt den Sieg. Besser: {better}.",
    "not solved": "Das verschenkt den Sieg. Besser: {better}.",
    "light square": "{square}: gezogen wird nur auf dunklen Feldern",
    "taken by": "{square} ist besetzt",
    "too far": "{square}: ein Schritt geht schräg auf das nächste Feld",
    "not back": "{square}: Wölfe ziehen nur nach unten",
  },
};

// --- Moves in words ---

/** First square of the row where the rabbit wins. */
const ROW_8 = 56;

// Each function returns the key of a text and its values. `word` is a move or card of the notation, `from` and `to` the
// squares of the piece that moves.

function raceMove({ word, from, to, changes, note }) {
  if (word === "+behind" || (word === "+draw" && note === "misses a turn")) {
    return ["card", { card: note === "misses a turn" ? `missed ${word}` : "another turn" }];
  }
  if (word.startsWith("+")) return ["card", { card: `short ${word}` }];
  if (word === "1001") return ["takes", {}];
  if (word === "1002") return ["gives", {}];
  if (word !== "0") return [word.startsWith("-") ? "back to" : "forward", { square: to, kind: to }];
  return [to === 0 && from !== 0 ? "restarts" : changes("lettuces") ? "eats" : "rests", {}];
}

function huntMove({ from, to, name, note }) {
  const end = name === "wolf" ? "caught" : to >= ROW_8 ? "home" : "stuck";
  return [note === "has won" ? end : "steps", { piece: name, from, to }];
}

const unknownMove = ({ word, from, to, name }) =>
  (word.startsWith("+") ? ["card", { card: word }] : ["steps", { piece: name, from, to }]);

// --- Positions that are set up by hand ---

// Each of these parses and prints positions; only the server can tell if they are legal.
const RACE_SETUP = {
  fields: [
    { key: "carrots", icon: "carrot", most: 65535 }, { key: "lettuces", icon: "lettuce", most: 3 }, { key: "misses" },
  ],
  read(text) {
    const [hares, , , drawn] = text.split(" ");
    const seats = hares.split("/").map((hare) => {
      const [, carrots, lettuces] = hare.replace("!", "").split(",");
      return { carrots, lettuces, misses: hare.endsWith("!") };
    });
    return { seats, drawn };
  },
  write({ seats, drawn }, pieces, turn, board) {
    const hares = seats.map(({ carrots, lettuces, misses }, seat) =>
      `${pieces[seat].square},${carrots},${lettuces}${misses ? "!" : ""}`);
    const home = pieces.filter(({ square }) => square === board.squares.length - 1).map(({ seat }) => seat + 1);
    return `${hares.join("/")} ${turn} ${home.join(",") || "-"} ${drawn}`;
  },
};

const HUNT_SETUP = {
  fields: [],
  read: () => ({ seats: [] }),
  write(_, pieces, turn, { files }) {
    const letterOf = (square) => {
      const piece = pieces.find((one) => one.square === square);
      return piece ? (piece.seat === 0 ? "F" : "h") : " ";
    };
    const rowOf = (row) => Array.from({ length: files }, (_, file) => letterOf(files * row + file)).join("");
    const rows = Array.from({ length: files }, (_, row) => rowOf(files - 1 - row).replace(/ +/g, (gap) => gap.length));
    return `${rows.join("/")} ${turn === 1 ? "w" : "b"} - - 0 1`;
  },
};

// --- Opponents and starts ---

// The players of the articles: for each name the options of an engine.
const RACE_OPPONENTS = { Leslie: { Preset: "article" }, Faith: { Preset: "faith" }, Hybrid: { Preset: "hybrid" } };
const wolves = (level) => [`Wolves ${level}`, { Preset: "article", AILevel: String(level) }];
const HUNT_OPPONENTS = Object.fromEntries(WOLF_LEVELS.map(wolves));

// Where the one that flees may start, with the position; the first is the usual one.
const startOn = (row) => `1h1h1h1h/8/8/8/8/8/8/${row} w - - 0 1`;
const HUNT_STARTS = { e1: startOn("4F3"), a1: startOn("F7"), c1: startOn("2F5"), g1: startOn("6F1") };

// --- Games ---

const RACE = {
  symbols: { kinds, tiles: TILES, pieces: { hare: [["path", { d: HARE }]] } },
  card: "hare",
  facts: { carrots: { icon: "carrot", one: "carrot" }, lettuces: { icon: "lettuce", one: "lettuce", isRepeated: true } },
  counted: "carrots",
  words: RACE_WORDS,
  texts: RACE_TEXTS,
  setup: RACE_SETUP,
  opponents: RACE_OPPONENTS,
  moveText: raceMove,
};

const HUNT = {
  symbols: { kinds: {}, tiles: {}, pieces: { rabbit: [["path", { d: HARE }]], wolf: [["path", { d: WOLF }]] } },
  facts: { plays: { hasNoLabel: true } },
  words: HUNT_WORDS,
  texts: HUNT_TEXTS,
  setup: HUNT_SETUP,
  opponents: HUNT_OPPONENTS,
  opponentSeat: 2,
  starts: HUNT_STARTS,
  moveText: huntMove,
};

const UNKNOWN = {
  symbols: { kinds: {}, tiles: {}, pieces: {} }, facts: {}, words: {}, texts: {}, moveText: unknownMove,
};

const GAMES = {
  "hase-und-igel": { ...RACE, name: { en: "Hase und Igel", de: "Hase und Igel" } },
  "hare-and-tortoise": {
    ...RACE, name: { en: "Hare and Tortoise (English board)", de: "Hase und Igel (englisches Brett)" },
  },
  "fox-and-hounds": { ...HUNT, name: { en: "Rabbits and Wolves", de: "Hase und Wölfe" } },
};

/**
 * Describes a variant; an unknown game has few of these fields.
 *
 * By language: its `name`, translations of the server's `words`, and `texts` that replace texts of the page. By name:
 * the `opponents` with the options of their engine, for the `opponentSeat` alone if there is one, and the positions of
 * its `starts`, the usual one first. For the display: `symbols` for `drawBoard`, the kind of square whose picture is on
 * a `card`, how to show the `facts` of a seat, and the fact that is `counted` in the list of moves, by default each
 * number. For positions set up by hand: `setup` with the `fields` of a seat, and how to `read` and `write` a position.
 * `moveText` is a function that words a move.
 */
export const traitsOf = (variant) => GAMES[variant] ?? UNKNOWN;
