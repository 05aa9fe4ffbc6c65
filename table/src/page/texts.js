// All texts of the page, in English and German.

import { traitsOf } from "./games.js";

const ENGLISH = {
  "new game": "New game", rules: "Rules", "rules path": "/rules", language: "Deutsch", play: "Play", study: "Study",
  review: "Review",
  library: "Library", seat: "Seat {seat}", person: "Human", engine: "Engine", level: "level {level}",
  "level of": "Level", players: "Players", game: "Game", start: "Start", "start square": "Start on",
  "my games": "My games", "my name": "My name", "save game": "Save",
  "my rating": "My rating in {game}: {rating} ± {error} (95 %; results against levels: {games})",
  unfinished: "unfinished", placed: "{place} place", "none played": "No games yet: those that you play are kept here.",
  cancel: "Cancel",
  "who plays": "Who sits where?", undo: "Take back", skip: "Skip", first: "To the start", back: "Back", on: "Forward",
  last: "To the end", copy: "Copy link", copied: "Link copied",
  "copy by hand": "The browser does not allow this page to copy. Copy the link from here.",
  board: "Board after {ply} moves",
  "your turn": "{name} to move: choose a highlighted square", "their turn": "{name} is thinking …",
  waits: "{name} to move",
  did: "{name}: {what}",
  "card due": "{name} draws a card", "choose card": "Which card is drawn?", over: "The game is over.",
  "won by": "{name} wins!", moves: "Moves", "no moves": "No moves yet",
  place: "place", "place after": "then in {place} place",
  "if in place": "{fact} if in {places} place then",
  "several moves": "Which of these moves?", steps: "{piece} {from} to {to}", square: "square {square} ({kind})",
  card: "card: {card}", drew: "{name} draws a card: {words}", continue: "Continue",
  "it says": "The card", hint: "Point at a highlighted square, or tap it, to see what the move costs and brings.",
  failed: "Failed: {error}", "server says": "{error}",
  busy: "The server has too much to do. Try again in a moment.",
  "engine failed": "{name} failed: {error}", "try again": "Try again", "play it myself": "Move by hand",
  analyse: "Analyse", stop: "Stop", lines: "Lines", "add engine": "Add engine", depth: "depth {depth}",
  nodes: "{nodes} positions", waiting: "{ahead} ahead in the queue", position: "Position", set: "Set up",
  "set up": "Set up a position", paste: "Position as text",
  "by hand": "In Study you move every seat yourself and choose the cards.",
  exact: "Exact outcomes", "wins in": "{name} wins in {moves} moves", "wins in 1": "{name} wins in 1 move",
  "has won": "{name} has won", "start review": "Review this game",
  skill: "skill",
  luck: "luck", gifts: "others’ mistakes", loss: "lost {loss} %", better: "better", "worst moves": "Costliest moves",
  "cards by luck": "Luckiest and unluckiest cards", reviewing: "Reviewing move {done} of {all} …", share: "share",
  "skill note": "Skill: points that a seat’s own moves lost compared to the best moves.",
  "luck note": "Luck: points that it won or lost by all cards.", "percent note": "In percent of all points; the rest of the share is the start and errors of the estimates.",
  "nothing lost": "None",
  etudes: "Etudes", games: "Recorded games", open: "Open",
  "no files": "The server was started without --etudes or --games.",
  number: "number",
  "change seats": "Who plays?", "paste game": "Paste a game", load: "Load",
  "paste note": "A record line, a game as text, a position line or a link.",
  "no game": "This text cannot be read as a game.",
  "no such number": "there is no number {number}; expected 1 to {most}", shown: "Game {number}: {names}; {plies} moves",
  "estimate of": "expected share", "of points": "{share} % of the points", "turn now": "to move",
  "thinking time": "Thinking time", "to move": "To move", apply: "Apply",
  "click to place": "Choose a piece, then click its square.", continues: "Continue from here",
  "to game": "Back to the game", from: "{piece} on {from}",
  loading: "Loading …", offline: "The server does not answer. Trying again …", broken: "{name} (does not work)",
  "missing engine": "There is no engine {names} here; people sit in its place.",
  "back to it": "Back in the browser returns to the game on the board.",
  advise: "Hint", advice: "Hint: {move}", thinking: "Thinking …", comments: "Comment on costly moves",
  "show it": "Show it", close: "Close",
  comment: "Your move “{move}” lost {loss} % of the points. Better: {better}.", rematch: "Rematch",
  "reviewing it": "Reviewing the game …", "skill and luck": "Skill and luck", "skill alone": "Skill",
  puzzle: "Open an etude, choose a move, and see what the engine says.", score: "Solved: {solved} of {tried}",
  solved: "Right: no move is clearly better.", "not solved": "That loses {loss} % of the points. Better: {better}.",
};

const GERMAN = {
  "new game": "Neues Spiel", rules: "Regeln", "rules path": "/regeln", language: "English", play: "Spielen",
  study: "Studieren", review: "Rückschau",
  library: "Sammlung", seat: "Sitz {seat}", person: "Mensch", engine: "Programm", level: "Stufe {level}",
  "level of": "Stufe", players: "Spieler", game: "Spiel", start: "Los", "start square": "Start auf",
  "my games": "Meine Spiele", "my name": "Mein Name", "save game": "Speichern",
  "my rating": "Meine Wertung in {game}: {rating} ± {error} (95 %; Ergebnisse gegen Stufen: {games})",
  unfinished: "unbeendet", placed: "{place} Platz",
  "none played": "Noch keine Spiele: hier stehen die, die du spielst.", cancel: "Abbrechen",
  "who plays": "Wer sitzt wo?", undo: "Zurücknehmen", skip: "Überspringen", first: "Zum Anfang", back: "Zurück",
  on: "Weiter",
  last: "Zum Ende", copy: "Link kopieren", copied: "Link kopiert",
  "copy by hand": "Der Browser erlaubt dieser Seite das Kopieren nicht. Kopiere den Link von hier.",
  board: "Spielbrett nach {ply} Zügen",
  "your turn": "{name} ist am Zug: wähle ein leuchtendes Feld", "their turn": "{name} überlegt …",
  waits: "{name} ist am Zug",
  did: "{name}: {what}",
  "card due": "{name} zieht eine Karte", "choose card": "Welche Karte wird gezogen?", over: "Das Spiel ist aus.",
  "won by": "{name} gewinnt!", moves: "Züge", "no moves": "Noch keine Züge",
  place: "Platz", "place after": "dann auf dem {place} Platz",
  "if in place": "{fact}, falls dann auf dem {places} Platz",
  "several moves": "Welcher dieser Züge?", steps: "{piece} von {from} auf {to}", square: "Feld {square} ({kind})",
  card: "Karte: {card}", drew: "{name} zieht eine Karte: {words}", continue: "Weiter",
  "it says": "Die Karte",
  hint: "Zeige oder tippe auf ein leuchtendes Feld, um zu sehen, was der Zug kostet und bringt.",
  failed: "Das ging nicht: {error}", "server says": "der Server meldet auf Englisch: {error}",
  busy: "Der Server hat zu viel zu tun. Versuche es gleich noch einmal.",
  "engine failed": "{name} ist ausgefallen: {error}", "try again": "Noch einmal", "play it myself": "Selbst ziehen",
  analyse: "Analysieren", stop: "Anhalten", lines: "Varianten", "add engine": "Noch ein Programm",
  depth: "Tiefe {depth}",
  nodes: "{nodes} Stellungen", waiting: "{ahead} davor in der Schlange", position: "Stellung", set: "Aufstellen",
  "set up": "Stellung aufbauen", paste: "Stellung als Text",
  "by hand": "Beim Studieren ziehst du für alle und wählst die Karten.",
  exact: "Genaue Ausgänge", "wins in": "{name} gewinnt in {moves} Zügen", "wins in 1": "{name} gewinnt in 1 Zug",
  "has won": "{name} hat gewonnen", "start review": "Dieses Spiel durchsehen",
  skill: "Können",
  luck: "Glück", gifts: "Fehler anderer", loss: "{loss} % verloren", better: "besser", "worst moves": "Die teuersten Züge",
  "cards by luck": "Glücks- und Pechkarten", reviewing: "Zug {done} von {all} wird durchgesehen …", share: "Anteil",
  "skill note": "Können: was die eigenen Züge gegenüber den besten verloren.",
  "luck note": "Glück: was alle Karten für den Platz änderten.", "percent note": "In Prozent der Punkte; der Rest des Anteils sind der Start und Fehler der Schätzungen.",
  "nothing lost": "Keine",
  etudes: "Etüden", games: "Aufgezeichnete Spiele", open: "Öffnen",
  "no files": "Der Server wurde ohne --etudes und --games gestartet.",
  number: "Nummer",
  "change seats": "Wer spielt?", "paste game": "Spiel einfügen", load: "Laden",
  "paste note": "Eine Zeile einer Aufzeichnung, ein Spiel als Text, eine position-Zeile oder ein Link.",
  "no game": "Das ist kein lesbares Spiel.",
  "no such number": "es gibt keine Nummer {number}; erwartet 1 bis {most}",
  shown: "Spiel {number}: {names}; {plies} Züge",
  "estimate of": "erwarteter Anteil", "of points": "{share} % der Punkte", "turn now": "am Zug",
  "thinking time": "Bedenkzeit", "to move": "Am Zug", apply: "Übernehmen",
  "click to place": "Wähle eine Figur, dann ihr Feld.", continues: "Von hier weiterspielen",
  "to game": "Zurück zum Spiel", from: "{piece} auf {from}",
  loading: "Wird geladen …", offline: "Der Server antwortet nicht. Neuer Versuch …", broken: "{name} (geht nicht)",
  "missing engine": "Ein Programm {names} gibt es hier nicht; an seinem Platz sitzt ein Mensch.",
  "back to it": "Zurück im Browser führt wieder zum jetzigen Spiel.",
  advise: "Tipp", advice: "Tipp: {move}", thinking: "Überlegt …", comments: "Teure Züge kommentieren",
  "show it": "Zeigen", close: "Schließen",
  comment: "Dein Zug „{move}“ verlor {loss} % der Punkte. Besser: {better}.", rematch: "Revanche",
  "reviewing it": "Das Spiel wird durchgesehen …", "skill and luck": "Können und Glück", "skill alone": "Können",
  puzzle: "Öffne eine Etüde, wähle einen Zug und sieh, was das Programm sagt.", score: "Gelöst: {solved} von {tried}",
  solved: "Richtig: kein Zug ist deutlich besser.", "not solved": "Das verliert {loss} % der Punkte. Besser: {better}.",
};

const TEXTS = { en: ENGLISH, de: GERMAN };

let language = "en";
let game = traitsOf("");

/** Sets the language; by default the one chosen before, or else the browser's. */
export function chooseLanguage(chosen) {
  const wanted = chosen ?? localStorage.getItem("language") ?? navigator.language;
  language = wanted.startsWith("de") ? "de" : "en";
  if (chosen) localStorage.setItem("language", chosen);
  document.documentElement.lang = language;
}

/** Sets the game whose words and texts are used. */
export function chooseGame(variant) {
  game = traitsOf(variant);
}

export const isGerman = () => language === "de";

/** Returns a text of the page with its `{name}` placeholders filled. */
export function t(key, values = {}) {
  const text = game.texts[language]?.[key] ?? TEXTS[language][key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** Translates a word of the rules; `otherwise` if there is no translation. */
export const word = (key, otherwise = key) => game.words[language]?.[key] ?? otherwise;

/** Translates a word of a variant that is not on the board. */
export const wordIn = (variant, key) => traitsOf(variant).words[language]?.[key] ?? key;

/** Name of a variant in the language of the page. */
export const nameOf = (variant) => traitsOf(variant).name?.[language] ?? variant;

/** Text of a card in the language of the page. */
export const cardWords = ({ card, words }) => word(card, words);

/** Formats a place, such as "2nd". */
export function ordinal(place) {
  if (isGerman()) return `${place}.`;
  return `${place}${["th", "st", "nd", "rd"][place] ?? "th"}`;
}

/** Formats permille as percent with one decimal. */
export function percent(permille) {
  return (permille / 10).toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** Formats milliseconds as seconds. */
export const seconds = (ms) => `${(ms / 1000).toLocaleString(language)} s`;

/** Formats a change with its sign, such as "+40"; `format` formats its size. */
export const signed = (change, format = String) =>
  `${change > 0 ? "+" : change < 0 ? "−" : ""}${format(Math.abs(change))}`;

/** Formats a number with thousands separators. */
export const count = (number) => number.toLocaleString(language);
