// Steps through the games: a board, a table of the seats and the engines' estimates for one position at a time. Text
// from engines is set as text, never as markup. The code that draws boards precedes this one in the same module.
(() => {
  const data = JSON.parse(document.getElementById("shown-games").textContent);
  const root = document.getElementById("game");
  if (!root || data.games.length === 0) return;

  const PLAY_MS = 700;

  // --- Positions ---

  // All positions of a game; each is the previous one with the changes of a step.
  function positionsOf(track) {
    const { squares, facts, turn, picture = [] } = track;
    let now = { squares, facts, turn, picture };
    const positions = [now];
    for (const step of track.steps) {
      const squares = now.squares.slice();
      for (const [piece, square] of step.p || []) squares[piece] = square;
      const facts = now.facts.map((values) => values.slice());
      for (const [seat, index, value] of step.f || []) facts[seat][index] = value;
      const picture = now.picture.slice();
      for (const [index, line] of step.x || []) picture[index] = line;
      now = { squares, facts, turn: step.n === undefined ? null : step.n, picture };
      positions.push(now);
    }
    return positions;
  }

  // --- The board ---

  // A board with the kind of each square spelled out.
  function boardOf({ files, kinds, squares }) {
    const named = kinds.map(([name, mark]) => ({ name, mark }));
    return { files, squares: squares.map((kind) => named[kind]) };
  }

  function piecesOf(track, position) {
    if (!position) return null;
    return position.squares.map((square, piece) => {
      const [seat, name] = track.pieces[piece];
      return { seat, name, square };
    });
  }

  // --- Words and tables ---

  function describe(game, ply) {
    if (ply === 0) return "the start";
    const step = game.positions.steps[ply - 1];
    const mover = step.s === undefined ? "" : `seat ${step.s + 1}, ${game.names[step.s]}, plays `;
    const words = [`move ${ply}: ${mover}${step.m}`];
    if (step.c) words.push(`${game.positions.board === null ? "draws" : "card"} ${step.c}`);
    words.push(...reviewWords(step));
    if (ply <= game.opening) words.push("opening");
    if (step.d !== undefined) words.push(`depth ${step.d}`);
    if (step.v !== undefined) words.push(`score ${step.v}`);
    if (step.t !== undefined) words.push(`${(step.t / 1000).toFixed(step.t < 10000 ? 2 : 0)} ms`);
    if (step.k !== undefined) words.push(`${step.k.toLocaleString("en")} nodes`);
    if (step.l) words.push(`line ${step.l}`);
    return words.join(", ");
  }

  function seatTable(game, position, step) {
    const { labels } = game.positions;
    const values = game.review ? ["value"] : [];
    const heads = ["seat", ...values, "estimate", ...labels, "end"].map((name) => element("th", {}, name));
    const body = element("tbody");
    game.names.forEach((name, seat) => {
      const spot = element("i", { class: "spot" });
      spot.style.background = colour(seat);
      const row = element("tr", position.turn === seat ? { class: "turn" } : {});
      row.append(element("th", { scope: "row", title: name }, spot, `${seat + 1} ${name}`));
      if (game.review) row.append(element("td", { class: "number" }, valueOf(game, step, seat)));
      const estimate = step && step.e ? `${(step.e[seat] / 10).toFixed(1)} %` : "";
      row.append(element("td", { class: "number" }, estimate));
      for (const value of position.facts[seat]) row.append(element("td", {}, value));
      row.append(element("td", {}, `${game.endings[seat]}, place ${game.places[seat]}`));
      body.append(row);
    });
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
    return element("div", { class: "scroll" }, table);
  }

  // --- Estimates ---

  const CHART = { width: 360, height: 200, left: 40, right: 8, top: 10, bottom: 24 };

  function chartX(game, ply) {
    const steps = Math.max(1, game.positions.steps.length);
    return CHART.left + (ply / steps) * (CHART.width - CHART.left - CHART.right);
  }

  // The estimates of a seat's own engine of its share, one for each of its moves.
  function estimatesOf(game, seat) {
    const points = game.positions.steps.map((step, index) => step.s === seat && step.e && [index + 1, step.e[seat]]);
    return points.filter((point) => point);
  }

  // Draws each seat's share from the review, or from its engine's estimates if there is no review.
  function drawEstimates(game) {
    const { width, height, left, right, top, bottom } = CHART;
    const curves = game.names.map((_, seat) => (game.review ? reviewedShares : estimatesOf)(game, seat));
    const shares = curves.flat().map(([, permille]) => permille);
    // With many seats, all shares may be small: the scale ends at the next quarter.
    const most = Math.max(1, Math.ceil(Math.max(0, ...shares) / 250)) * 250;
    const chartY = (permille) => top + (1 - permille / most) * (height - top - bottom);
    const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "estimates" });
    for (let permille = 0; permille <= most; permille += most > 500 ? 250 : most / 5) {
      const y = chartY(permille);
      svg.append(drawing("line", { class: "axis", x1: left, x2: width - right, y1: y, y2: y }));
      svg.append(drawing("text", { x: left - 5, y: y + 4, "text-anchor": "end" }, `${permille / 10} %`));
    }
    const steps = game.positions.steps;
    for (const [ply, anchor] of [[0, "start"], [steps.length, "end"]]) {
      const place = { x: chartX(game, ply), y: height - 7, "text-anchor": anchor };
      svg.append(drawing("text", place, ply === 0 ? "move 0" : String(ply)));
    }
    const at = ([ply, permille]) => [chartX(game, ply).toFixed(1), chartY(permille).toFixed(1)];
    curves.forEach((points, seat) => {
      const list = points.map((point) => at(point).join(",")).join(" ");
      const curve = drawing("polyline", { class: "curve", points: list, "data-seat": seat });
      curve.style.stroke = colour(seat);
      svg.append(curve);
    });
    for (const { ply, permille, words } of worstMoves(game)) {
      const [cx, cy] = at([ply, permille]);
      svg.append(drawing("circle", { class: "worst", cx, cy, r: 5 }, drawing("title", {}, words)));
    }
    svg.append(drawing("line", { class: "cursor", y1: top, y2: height - bottom }));
    return shares.length > 0 ? svg : null;
  }

  // --- The page ---

  const narrow = window.matchMedia("(max-width: 34rem)");
  const state = { index: 0, ply: 0, positions: [], moves: null, chart: null, timer: null };

  const choice = element("select", { "aria-label": "game" });
  const selection = (label, entries) => {
    const options = entries.map(([value, text]) => element("option", { value }, text));
    const made = element("select", { "aria-label": label }, ...options);
    made.addEventListener("change", () => narrowDown());
    return made;
  };
  const engines = [...new Set(data.games.flatMap((game) => game.names))].sort();
  const mostSeats = Math.max(...data.games.map((game) => game.names.length));
  const places = Array.from({ length: mostSeats }, (_, place) => [place + 1, `place ${place + 1}`]);
  const byEngine = selection("engine", [["", "all engines"], ...engines.map((name) => [name, name])]);
  const byResult = selection("result", [["", "all results"], ...places, ["fault", "a fault"]]);
  const button = (text, label, action) => {
    const made = element("button", { type: "button", "aria-label": label, title: label }, text);
    made.addEventListener("click", action);
    return made;
  };
  const slider = element("input", { type: "range", min: 0, value: 0, "aria-label": "move" });
  const player = button("Play", "play or pause (space)", () => togglePlay());
  const board = element("div", { class: "board" });
  const words = element("p", { class: "move", "aria-live": "polite" });
  const moves = element("div");
  const link = element("a", { class: "move", title: "a link to this position" }, "link");
  const seats = element("div");
  const remarks = element("div");
  const estimates = element("div", { class: "estimates" });
  root.append(
    element("div", { class: "controls" }, byEngine, byResult),
    element("div", { class: "controls" },
      button("◂", "game before", () => showNext(-1)), choice,
      button("▸", "next game", () => showNext(1))),
    remarks,
    element("div", { class: "controls" },
      button("|<", "to the start (home)", () => go(0)),
      button("<", "back (left)", () => go(state.ply - 1)),
      player,
      button(">", "on (right)", () => go(state.ply + 1)),
      button(">|", "to the end (end)", () => go(state.positions.length - 1)),
      slider),
    element("div", { class: "game" },
      element("div", {}, board, words, link, moves), element("div", {}, seats, estimates)),
  );

  const current = () => data.games[state.index];

  // True if a game passes the filter: the chosen result belongs to the chosen engine, or to any.
  function isChosen(game) {
    const seats = game.names.map((_, seat) => seat);
    return seats.some((seat) => {
      const isBy = byEngine.value === "" || game.names[seat] === byEngine.value;
      const isFault = game.fault && game.fault.seat === seat + 1;
      const ends = { "": true, fault: isFault }[byResult.value] ?? game.places[seat] === Number(byResult.value);
      return isBy && ends;
    });
  }

  // Lists the games that pass the filter; shows the first one unless the current game is among them.
  function narrowDown() {
    const options = [];
    data.games.forEach((game, index) => {
      if (!isChosen(game)) return;
      const fault = game.fault ? ` – ${game.endings[game.fault.seat - 1]}` : "";
      options.push(element("option", { value: index }, `game ${game.number}: ${game.names.join(", ")}${fault}`));
    });
    choice.replaceChildren(...options);
    choice.disabled = options.length === 0;
    if (options.some((option) => Number(option.value) === state.index)) choice.value = state.index;
    else if (options.length > 0) show(Number(options[0].value));
  }

  function showNext(step) {
    const chosen = [...choice.options].map((option) => Number(option.value));
    const next = chosen[chosen.indexOf(state.index) + step];
    if (next !== undefined) show(next);
  }

  // The most interesting ply: the last one if the game has a fault; otherwise the one before the greatest change of the
  // estimates; without estimates, the end of the opening.
  function eventOf(game) {
    const steps = game.positions.steps;
    if (game.fault) return steps.length;
    let [most, ply] = [0, Math.min(game.opening, steps.length)];
    let before = null;
    steps.forEach((step, index) => {
      if (!step.e) return;
      const change = before ? Math.max(...step.e.map((share, seat) => Math.abs(share - before[seat]))) : 0;
      before = step.e;
      if (change > most) [most, ply] = [change, index + 1];
    });
    return ply;
  }

  // Shows a game from a ply, or from its most interesting one.
  function show(index, ply) {
    if (index < 0 || index >= data.games.length) return;
    pause();
    state.index = index;
    const game = current();
    choice.value = index;
    remarks.replaceChildren();
    const remark = (text) => remarks.append(element("p", { class: "bad" }, text));
    if (game.fault) remark(`seat ${game.fault.seat}: ${game.fault.reason}`);
    if (game.flaw) remark(`not shown completely: ${game.flaw}`);
    for (const part of [board, words, moves, seats, estimates]) part.replaceChildren();
    state.positions = game.positions ? positionsOf(game.positions) : [];
    state.moves = null;
    if (!game.positions) return;
    slider.max = state.positions.length - 1;
    if (game.positions.board === null) moves.append((state.moves = listOfMoves(game, go)));
    state.chart = drawEstimates(game);
    const caption = game.review
      ? `Expected share of each seat, by ${data.reviewer}; a ring marks a costly move:`
      : "Estimate of each engine for its own share, at its moves:";
    if (state.chart) estimates.append(element("p", { class: "note" }, caption), state.chart);
    else estimates.append(element("p", { class: "note" }, "The engines gave no estimates."));
    if (game.review) estimates.append(reviewTable(game), worstList(game));
    go(ply ?? eventOf(game));
  }

  // Shows the position after `ply` moves, or the last one.
  function go(ply) {
    const game = current();
    if (!game.positions) return;
    state.ply = Math.min(Math.max(ply, 0), state.positions.length - 1);
    link.href = `#game-${game.number}-${state.ply}`;
    slider.value = state.ply;
    if (state.moves) {
      board.className = "";
      board.replaceChildren(drawPicture(state.positions[state.ply].picture));
      markMove(state.moves, state.ply);
    } else showBoard(game);
    words.textContent = describe(game, state.ply);
    seats.replaceChildren(seatTable(game, state.positions[state.ply], game.positions.steps[state.ply - 1]));
    if (state.chart) {
      const x = chartX(game, state.ply);
      fill(state.chart.querySelector(".cursor"), { x1: x, x2: x }, []);
    }
  }

  function showBoard(game) {
    const plan = boardOf(data.boards[game.positions.board]);
    const view = {
      label: `position after ${state.ply} moves`,
      pieces: piecesOf(game.positions, state.positions[state.ply]),
      before: piecesOf(game.positions, state.positions[state.ply - 1]),
      trackFiles: narrow.matches ? 9 : 11,
    };
    board.className = plan.files ? "board grid" : "board";
    board.replaceChildren(drawBoard(plan, view), marksOf(plan));
  }

  function pause() {
    clearInterval(state.timer);
    state.timer = null;
    player.textContent = "Play";
  }

  function togglePlay() {
    if (state.timer) return pause();
    if (state.ply === state.positions.length - 1) go(0);
    player.textContent = "Pause";
    state.timer = setInterval(() => {
      go(state.ply + 1);
      if (state.ply >= state.positions.length - 1) pause();
    }, PLAY_MS);
  }

  const keys = {
    ArrowLeft: () => go(state.ply - 1),
    ArrowRight: () => go(state.ply + 1),
    Home: () => go(0),
    End: () => go(state.positions.length - 1),
    " ": () => togglePlay(),
  };
  // The keys control the games only while they are visible; a slider or a list needs the keys itself.
  function isSeen() {
    const { top, bottom } = root.getBoundingClientRect();
    return top < window.innerHeight && bottom > 0;
  }
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const presses = event.key === " " && event.target.tagName === "BUTTON";
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey;
    const action = keys[event.key];
    if (!action || isTyping || presses || !isPlain || !isSeen()) return;
    event.preventDefault();
    action();
  });
  choice.addEventListener("change", () => show(Number(choice.value)));
  slider.addEventListener("input", () => go(Number(slider.value)));
  narrow.addEventListener("change", () => go(state.ply));
  estimates.addEventListener("click", (event) => {
    if (!state.chart || !state.chart.contains(event.target)) return;
    const { left, width } = state.chart.getBoundingClientRect();
    const x = ((event.clientX - left) / width) * CHART.width;
    const part = (x - CHART.left) / (CHART.width - CHART.left - CHART.right);
    go(Math.round(part * (state.positions.length - 1)));
  });

  // A link such as #game-7 shows that game; #game-7-12 shows the position after its 12th move.
  function follow() {
    const [, number, ply] = /^#game-(\d+)(?:-(\d+))?$/.exec(location.hash) || [];
    const index = data.games.findIndex((game) => game.number === Number(number));
    if (index < 0) return false;
    for (const filter of [byEngine, byResult]) filter.value = "";
    narrowDown();
    show(index, ply === undefined ? undefined : Number(ply));
    root.scrollIntoView();
    return true;
  }
  window.addEventListener("hashchange", follow);
  narrowDown();
  if (!follow()) show(0);
})();
