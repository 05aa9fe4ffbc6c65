// Draws the board of any game from a scene of the rules. The report and the table share it.

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = 6;
/** Side of a square, in units of the drawing. */
export const FIELD = 40;

// --- Elements ---

/** Sets attributes and adds children; strings become text, never markup. */
export function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
export const element = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);
export const drawing = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);
/** Colour of a seat, from 0. */
export const colour = (seat) => `var(--colour-${seat % COLOURS})`;

/** Letter of a file of a grid, counted from 0. */
export const fileLetter = (file) => "abcdefghijklmnopqrstuvwxyz"[file];

// --- Layout ---

/**
 * Positions of the squares. A track winds up from the bottom left, in rows of `trackFiles` squares that alternate
 * between right and left. Its start is two squares wide, since all pieces begin there.
 */
export function layoutOf(board, trackFiles = 11) {
  const count = board.squares.length;
  const isTrack = !board.files;
  const files = board.files || trackFiles;
  const extra = isTrack ? 1 : 0;
  const rows = Math.ceil((count + extra) / files);
  const place = (square) => {
    const cell = square && square + extra;
    const row = Math.floor(cell / files);
    const file = cell % files;
    const turnsBack = isTrack && row % 2 === 1;
    return [(turnsBack ? files - 1 - file : file) * FIELD, (rows - 1 - row) * FIELD];
  };
  const widthOf = (square) => (isTrack && square === 0 ? 2 : 1) * FIELD;
  const middle = (square) => {
    const [x, y] = place(square);
    return [x + widthOf(square) / 2, y + FIELD / 2];
  };
  return { count, isTrack, place, widthOf, middle, width: files * FIELD, height: rows * FIELD };
}

/**
 * Position of each piece, by its index. Pieces on the same square are side by side, smaller if there are more; on a
 * track, they leave room for the number of the square.
 */
export function spotsOf(pieces, layout) {
  const bySquare = new Map();
  pieces.forEach(({ square }, piece) => {
    if (!bySquare.has(square)) bySquare.set(square, []);
    bySquare.get(square).push(piece);
  });
  const spots = [];
  for (const [square, there] of bySquare) {
    const [x, y] = layout.place(square);
    const width = layout.widthOf(square);
    const columns = Math.ceil(Math.sqrt((there.length * width) / FIELD));
    const rows = Math.ceil(there.length / columns);
    // The number is in the first cell if that can be free, and otherwise above the pieces.
    const first = layout.isTrack && columns * rows > there.length ? 1 : 0;
    const top = layout.isTrack && rows === 1 ? FIELD / 5 : 0;
    const radius = Math.min(15, 5 + 0.3 * Math.min(width / columns, FIELD / rows));
    const last = columns * (rows - 1);
    // In a last row with room, ears are between the pieces above.
    const shift = there.length + first < columns * rows ? 0.5 : 0;
    there.forEach((piece, index) => {
      const cell = index + first;
      const cx = x + (width * ((cell % columns) + 0.5 + (cell < last ? 0 : shift))) / columns;
      const cy = y + top + ((FIELD - top) * (Math.floor(cell / columns) + 0.5)) / rows;
      spots[piece] = { cx, cy, radius };
    });
  }
  return spots;
}

// --- Squares ---

// Kinds with a mark differ by hue as well; the others look like a chequered board.
function kindColour(board, { name, mark }) {
  if (mark === "") return name === "light" ? "var(--field-light)" : "var(--field-dark)";
  const marks = [...new Set(board.squares.map((square) => square.mark))];
  const hue = Math.round((marks.indexOf(mark) * 360) / marks.length);
  return `color-mix(in srgb, hsl(${hue} 75% 50%) var(--tint), var(--paper))`;
}

// A picture is a list of [tag, attributes] in a box of 24 by 24 units.
function picture(shapes, x, y, size, className) {
  const scale = size / 24;
  const transform = `translate(${x - size / 2} ${y - size / 2}) scale(${scale})`;
  const parts = shapes.map(([tag, attributes]) => drawing(tag, attributes));
  return drawing("g", { class: className, transform }, ...parts);
}

// The line along a track, behind its squares.
function road(board, layout) {
  const points = board.squares.map((_, square) => layout.middle(square).join(",")).join(" ");
  return drawing("polyline", { class: "road", points });
}

function field(board, layout, view, square, isTaken) {
  const [x, y] = layout.place(square);
  const kind = board.squares[square];
  const inset = layout.isTrack ? 2.5 : 0;
  const wide = layout.widthOf(square);
  const at = {
    x: x + inset, y: y + inset, width: wide - 2 * inset, height: FIELD - 2 * inset, rx: layout.isTrack ? 7 : 0,
  };
  const rect = drawing("rect", { class: "field", ...at });
  const shapes = view.symbols?.kinds[kind.name];
  const tile = view.symbols?.tiles[kind.name];
  if (tile) rect.style.fill = `var(--tile-${tile})`;
  else if (!shapes) rect.style.fill = kindColour(board, kind);
  const group = drawing("g", { class: "square", "data-square": square }, rect);
  const name = view.nameOf?.(square) ?? (layout.isTrack ? `${square}: ${kind.name}` : "");
  if (name) group.append(drawing("title", {}, name));
  if (shapes && isTaken) group.append(picture(shapes, x + wide - 10, y + 10, 12, "symbol"));
  else if (shapes) group.append(picture(shapes, x + wide / 2, y + FIELD / 2 + 3, 25, "symbol"));
  else if (kind.mark !== "") {
    group.append(drawing("text", { class: "field-mark", x: x + wide - 5, y: y + 13 }, kind.mark));
  }
  return group;
}

// The numbers of a track's squares, or the files and ranks along the edge of a grid. They are above the pieces.
function numbers(board, layout) {
  const text = (x, y, content) => drawing("text", { class: "field-number", x, y }, content);
  if (!layout.isTrack) {
    const isEdge = (square) => square < board.files || square % board.files === 0;
    return [...board.squares.keys()].filter(isEdge).flatMap((square) => {
      const [x, y] = layout.place(square);
      const file = square < board.files ? [text(x + FIELD - 7, y + FIELD - 3, fileLetter(square))] : [];
      const rank = square % board.files === 0 ? [text(x + 2, y + 10, String(square / board.files + 1))] : [];
      return [...file, ...rank];
    });
  }
  return board.squares.map((_, square) => {
    const [x, y] = layout.place(square);
    return text(x + 5, y + 12, String(square));
  });
}

// --- Pieces ---

/** The pieces that differ between two positions: the index in `before`, and the squares that it left and reached. */
export function movedPieces(before, after) {
  const moved = [];
  for (const seat of new Set(before.map((piece) => piece.seat))) {
    const [left, reached] = [[before, after], [after, before]].map(([some, others]) => {
      const there = others.filter((piece) => piece.seat === seat).map(({ square }) => square);
      return some.flatMap((piece, index) => {
        if (piece.seat !== seat) return [];
        const found = there.indexOf(piece.square);
        if (found < 0) return [{ index, square: piece.square }];
        there.splice(found, 1);
        return [];
      });
    });
    left.forEach(({ index, square }, at) => {
      if (reached[at]) moved.push({ index, from: square, to: reached[at].square });
    });
  }
  return moved;
}

function pieceOf(piece, index, spot, view) {
  const { seat, name } = piece;
  const { cx, cy, radius } = spot;
  const attributes = { class: "piece", "data-piece": index, "data-square": piece.square };
  const group = drawing("g", attributes, drawing("title", {}, `${seat + 1}: ${name}`));
  const shapes = view.symbols?.pieces[name];
  const body = shapes
    ? picture(shapes, cx, cy, radius * 2.5, "piece-body")
    : drawing("circle", { class: "piece-body", cx, cy, r: radius });
  body.style.fill = colour(seat);
  const size = shapes ? Math.max(6, radius * 0.85) : Math.max(8, radius * 1.15);
  const text = { class: "piece-name", x: cx, y: shapes ? cy + radius * 0.42 : cy, "font-size": size };
  group.append(body, drawing("text", text, String(seat + 1)));
  if (view.turn === seat) group.classList.add("at-turn");
  return group;
}

function trail(layout, square) {
  const [x, y] = layout.place(square);
  const [width, height] = [layout.widthOf(square) - 6, FIELD - 6];
  return drawing("rect", { class: "trail", x: x + 3, y: y + 3, width, height, rx: 6 });
}

// An arrow from one square to another, bolder with a higher weight, from 0 to 1. On a track it is an arc, so that
// arrows along one row are distinguishable; an arrow to the piece's own square is a ring.
function arrow(layout, { from, to, weight = 1, rank = 0 }) {
  const [x1, y1] = layout.middle(from);
  const [x2, y2] = layout.middle(to);
  const opacity = 0.35 + 0.5 * weight;
  const width = 2.5 + 3 * weight;
  if (from === to) {
    return drawing("circle", { class: "arrow", cx: x1, cy: y1, r: FIELD * 0.42, opacity, "data-rank": rank });
  }
  const bulge = layout.isTrack ? Math.min(FIELD, Math.hypot(x2 - x1, y2 - y1) / 4) : 0;
  const [cx, cy] = [(x1 + x2) / 2, (y1 + y2) / 2 - bulge];
  // The head follows the direction at the end of the curve.
  const length = Math.hypot(x2 - cx, y2 - cy);
  const [ux, uy] = [(x2 - cx) / length, (y2 - cy) / length];
  const head = 4 + 2 * width;
  const [bx, by] = [x2 - ux * head, y2 - uy * head];
  const side = head * 0.6;
  const tip = `M${x2} ${y2}L${bx - uy * side} ${by + ux * side}L${bx + uy * side} ${by - ux * side}Z`;
  return drawing("g", { class: "arrow", opacity, "data-rank": rank },
    drawing("path", { class: "shaft", d: `M${x1} ${y1}Q${cx} ${cy} ${bx} ${by}`, "stroke-width": width }),
    drawing("path", { d: tip }));
}

/** Replaces the arrows on a board. */
export function drawArrows(svg, board, arrows, trackFiles) {
  for (const old of svg.querySelectorAll(".arrow")) old.remove();
  const layout = layoutOf(board, trackFiles);
  svg.append(...arrows.map((one) => arrow(layout, one)));
}

// --- Board ---

/**
 * Draws a board as an SVG element. `board` has `files` (0 for a track), and `squares` with a name and a mark each.
 * `view` has `pieces` with seat (from 0), name and square, the pieces `before` the last move if there was one, the seat
 * to move in `turn`, a `label`, and optionally `symbols` (pictures of `kinds` of squares and of `pieces`, colours of
 * `tiles`), `nameOf` (a function of the square), `arrows` and `trackFiles`.
 */
export function drawBoard(board, view) {
  const layout = layoutOf(board, view.trackFiles);
  const margin = layout.isTrack ? 4 : 0;
  const [width, height] = [layout.width + 2 * margin, layout.height + 2 * margin];
  const viewBox = `${-margin} ${-margin} ${width} ${height}`;
  const svg = drawing("svg", { viewBox, role: view.role ?? "img", "aria-label": view.label });
  const taken = new Set(view.pieces.map((piece) => piece.square));
  if (layout.isTrack) svg.append(road(board, layout));
  board.squares.forEach((_, square) => svg.append(field(board, layout, view, square, taken.has(square))));
  for (const { from } of movedPieces(view.before ?? [], view.pieces)) svg.append(trail(layout, from));
  const spots = spotsOf(view.pieces, layout);
  view.pieces.forEach((piece, index) => svg.append(pieceOf(piece, index, spots[index], view)));
  svg.append(...numbers(board, layout));
  drawArrows(svg, board, view.arrows ?? [], view.trackFiles);
  return svg;
}

/** Legend of the marks on the squares. */
export function marksOf(board) {
  const legend = element("p", { class: "legend marks" });
  const kinds = new Map(board.squares.map((kind) => [kind.name, kind]));
  for (const kind of kinds.values()) {
    if (kind.mark === "") continue;
    const spot = element("i", {}, kind.mark);
    spot.style.background = kindColour(board, kind);
    legend.append(element("span", {}, spot, kind.name));
  }
  return legend;
}
