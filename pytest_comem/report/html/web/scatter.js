// Points on a plane, each a letter in a shape of its own.

import { el, svg } from "./dom.js";

const WIDTH = 340, HEIGHT = 280, LEFT = 42, BOTTOM = 40, TOP = 12, RIGHT = 14;

/** Outlines of a point's mark around 0, 0: told apart without colour. */
const SHAPES = [
  (at) => svg("circle", { ...at, r: 5 }),
  (at) => svg("rect", { ...at, x: -4.5, y: -4.5, width: 9, height: 9 }),
  (at) => svg("path", { ...at, d: "M0-6 6 5H-6Z" }),
  (at) => svg("path", { ...at, d: "M0-6.5 6.5 0 0 6.5-6.5 0Z" }),
  (at) => svg("path", { ...at, d: "M0 6 6-5H-6Z" }),
  (at) => svg("path", { ...at, d: "M-5-5 5 5M-5 5 5-5" }),
];
/** Where a letter may stand beside its mark, best first. */
const BESIDE = [[12, 4], [-12, 4], [0, -10], [0, 18], [12, -8], [-12, -8], [12, 16], [-12, 16], [24, 4], [-24, 4]];
const ROOM = 12;

/** Return the mark of a card, as a legend has it. */
export function legendMark(number) {
  return svg("svg", { class: "key", width: 16, height: 16, viewBox: "-8 -8 16 16", "aria-hidden": "true" }, mark(number));
}

function mark(number) {
  return SHAPES[number % SHAPES.length]({ class: "mark" });
}

/** Return a letter for each place, where it covers no mark and no other letter if there is room. */
function letters(points, places) {
  const taken = places.map(([x, y]) => [x, y + 4]);
  return points.map((one, number) => {
    const [x, y] = places[number];
    const free = ([right, down]) => taken.every(([left, top], other) =>
      other === number || Math.hypot(x + right - left, y + down - top) >= ROOM);
    const [right, down] = BESIDE.find(free) || BESIDE[0];
    taken.push([x + right, y + down]);
    return svg("text", { class: "in-mark", x: x + right, y: y + down, "text-anchor": "middle" }, one.letter);
  });
}

/**
 * Return a figure. `points` are {number, letter, name, x, y, xs, ys}, xs and ys being intervals or
 * null; `curve` maps a level and x to y for lines of equal worth.
 */
export function scatter({ title, desc = "", xTitle, yTitle, points, xMost = 100, yMost = 100, xText = String, levels = [], curve, levelText }) {
  const x = (value) => LEFT + (WIDTH - LEFT - RIGHT) * Math.min(value, xMost) / xMost;
  const y = (value) => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * Math.min(value, yMost) / yMost;
  const told = points.map((one) => `${one.letter} ${one.name}: ${xText(one.x)}, ${one.y.toFixed(1)}`).join("; ");
  return el("figure", {}, el("figcaption", {}, title),
    svg("svg", { class: "plane", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}. ${told}` },
      svg("desc", {}, [desc, told].filter(Boolean).join(" ")),
      axes(x, y, xMost, yMost, xText, xTitle, yTitle),
      levels.map((level) => levelLine(level, curve, x, y, levelText)),
      points.map((one) => whiskers(one, x, y)),
      points.map((one) => svg("g", { transform: `translate(${x(one.x)} ${y(one.y)})` },
        svg("title", {}, `${one.name}: ${xText(one.x)}, ${one.y.toFixed(1)}`), mark(one.number))),
      letters(points, points.map((one) => [x(one.x), y(one.y)]))));
}

function axes(x, y, xMost, yMost, xText, xTitle, yTitle) {
  const parts = [0, 1, 2, 3, 4];
  return [
    parts.map((part) => svg("line", { class: "grid", x1: x(0), x2: x(xMost), y1: y(part * yMost / 4), y2: y(part * yMost / 4) })),
    parts.map((part) => svg("text", { class: "tick", x: LEFT - 6, y: y(part * yMost / 4) + 4, "text-anchor": "end" }, String(part * yMost / 4))),
    parts.map((part) => svg("text", { class: "tick", x: x(part * xMost / 4), y: HEIGHT - BOTTOM + 15, "text-anchor": "middle" }, xText(part * xMost / 4))),
    svg("line", { class: "axis", x1: x(0), x2: x(0), y1: y(0), y2: y(yMost) }),
    svg("text", { class: "title", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, xTitle),
    svg("text", { class: "title", x: -(HEIGHT - BOTTOM + TOP) / 2, y: 12, transform: "rotate(-90)", "text-anchor": "middle" }, yTitle),
  ];
}

function levelLine(level, curve, x, y, levelText) {
  const places = [];
  for (let at = level; at <= 100; at += 1) places.push(`${x(at).toFixed(1)} ${y(curve(level, at)).toFixed(1)}`);
  return [svg("path", { class: "level", d: "M" + places.join("L") }),
    svg("text", { class: "level-name", x: x(100) - 3, y: y(curve(level, 100)) + 11, "text-anchor": "end" }, levelText(level))];
}

function whiskers(one, x, y) {
  return [
    one.xs && svg("line", { class: "whisker", x1: x(one.xs[0]), x2: x(one.xs[1]), y1: y(one.y), y2: y(one.y) }),
    one.ys && svg("line", { class: "whisker", x1: x(one.x), x2: x(one.x), y1: y(one.ys[0]), y2: y(one.ys[1]) }),
  ];
}
