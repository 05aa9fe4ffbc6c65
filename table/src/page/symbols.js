// Pictures of squares and pieces by name: lists of [tag, attributes, text] in a box of 24 by 24 units.
// Colours are classes, which differ between the light and the dark scheme.

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
    ["path", { class: "card-hare", d: "M10 11.6C8.2 8.7 8 5 9.3 5s2.2 3 2.3 6h.8c.1-3 1-6 2.3-6s1.1 3.7-.7 6.6a4.3 4.3 0 1 1-4 0z" }],
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

const pieces = {
  hare: [["path", { d: HARE }]],
  rabbit: [["path", { d: HARE }]],
  wolf: [["path", { d: WOLF }]],
};

const controls = {
  first: [["path", { d: "M5 5h2.6v14H5zM19 5v14l-10-7z" }]],
  back: [["path", { d: "M17 5v14L6 12z" }]],
  on: [["path", { d: "M7 5v14l11-7z" }]],
  last: [["path", { d: "M16.4 5H19v14h-2.6zM5 5v14l10-7z" }]],
};

/** The `symbols` for `drawBoard`, and the pictures of buttons. */
export const SYMBOLS = { kinds, pieces, controls };
