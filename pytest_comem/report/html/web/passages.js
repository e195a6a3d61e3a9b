// Texts with what the judge looked for marked in them.

import { el, quoted, visible } from "./dom.js";
import { count } from "./figures.js";

/** Letters that tell marks apart without colour. */
export const MARKS = {
  required: { letter: "R", told: "required element" },
  protected: { letter: "P", told: "protected value" },
  deleted: { letter: "D", told: "deleted value" },
};
const LONG = 6000;

/** Return the places marked in text number `place`: [begin, end], in order, joined where they touch. */
export function spansOf(details, step, place) {
  const found = [];
  for (const pattern of step.patterns) {
    const flat = details.spans[pattern][place] || [];
    for (let at = 0; at < flat.length; at += 2) found.push([flat[at], flat[at + 1]]);
  }
  found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const joined = [];
  for (const [begin, end] of found) {
    const last = joined[joined.length - 1];
    if (last && begin <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([begin, end]);
  }
  return joined;
}

/** Return text number `place` as an element, marked; a very long one is cut until it is asked for. */
export function passage(details, step, place, tag = "p") {
  const text = details.texts[place], spans = spansOf(details, step, place);
  const node = el(tag, { class: "quoted passage", dir: "auto" });
  node.append(...marked(text, spans, step.kind, LONG));
  if (text.length > LONG) {
    node.append(el("button", {
      type: "button", class: "all",
      on: { click: () => node.replaceChildren(...marked(text, spans, step.kind, text.length)) },
    }, `Show all ${count(text.length)} characters`));
  }
  return node;
}

function marked(text, spans, kind, most) {
  const parts = [], known = MARKS[kind];
  let at = 0;
  for (const [begin, end] of spans) {
    if (begin >= most) break;
    parts.push(visible(text.slice(at, begin)), el("mark", { class: kind, title: known ? known.told : "found" },
      visible(text.slice(begin, end)), known ? el("sup", {}, known.letter) : null));
    at = end;
  }
  parts.push(visible(text.slice(at, Math.max(at, most))));
  if (most < text.length) parts.push("\u2026 ");
  return parts;
}

/** Return lines by number, without those that are empty. */
export function lines(details, step, numbers) {
  return numbers.map((place) => (details.texts[place] ? passage(details, step, place) : null));
}

/** Return what a memory exposed, as [text, score, sources]. */
export function itemsOf(details, cell) {
  const found = [];
  const source = (place) => (place < details.entries.length ? [details.entries[place][0]] : []);
  for (const item of cell.items || []) {
    if (Array.isArray(item)) found.push([item[0], item[1], item[2] || source(item[0])]);
    else for (let place = item.from; place <= item.to; place++) found.push([place, null, source(place)]);
  }
  return found;
}

/** Return one entry of the episode: who said it when, and whether the memory exposed it. */
export function entryOf(details, step, place, exposedBy) {
  const [id, speaker, role, when, kind] = details.entries[place];
  return el("li", { class: exposedBy.length ? "entry exposed" : "entry", "data-marked": spansOf(details, step, place).length ? "yes" : null },
    el("div", { class: "who" }, quoted(id, "code"), quoted(speaker, "strong"), role ? quoted(role) : null,
      when ? quoted(when.replace("T", " "), "time") : null, kind ? quoted(kind) : null,
      exposedBy.map((name) => el("span", { class: "tag" }, "\u25c9 exposed", name ? " in " + name : ""))),
    passage(details, step, place));
}
