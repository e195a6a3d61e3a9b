// The list of steps: only what is seen of it is in the page.

import { byId, el, quoted, visible } from "./dom.js";
import { count } from "./figures.js";
import { RESULTS } from "./model.js";

const BEYOND = 8;
const HEADS = ["result", "step", "question", "system", "action", "failure", "kind", "tokens"];

export class List {
  /** `open` is called with a case that the reader wants to see, `moved` when another is active. */
  constructor(model, open, moved) {
    this.model = model;
    this.open = open;
    this.moved = moved;
    this.cases = [];
    this.active = -1;
    this.shown = "";
    this.rows = el("div", { class: "rows", role: "rowgroup" });
    this.view = el("div", {
      id: "list", role: "grid", tabindex: "0", "aria-label": "Steps", "aria-colcount": HEADS.length,
      on: { scroll: () => this.draw(), keydown: (event) => this.key(event), click: (event) => this.click(event) },
    }, el("div", { class: "heads", role: "rowgroup" }, el("div", { class: "row", role: "row" },
      HEADS.map((name) => el("span", { role: "columnheader", class: "c-" + name }, name)))), this.rows,
    el("p", { class: "none", hidden: true }, "No step fits these filters."));
    this.view.style.setProperty("--runs", model.runs.length);
    new ResizeObserver(() => this.reveal()).observe(this.view);
  }

  /** List these cases; the active one stays active if it is among them. */
  show(cases) {
    const before = this.cases[this.active];
    this.cases = cases;
    this.active = before === undefined ? -1 : cases.indexOf(before);
    this.view.setAttribute("aria-rowcount", String(cases.length + 1));
    this.view.querySelector(".none").hidden = cases.length > 0;
    this.shown = "";
    if (this.active < 0) this.view.scrollTop = 0;
    this.draw();
  }

  height() {
    return parseFloat(getComputedStyle(this.rows).getPropertyValue("--row")) || 44;
  }

  /** Make the rows that are in sight. */
  draw() {
    const height = this.height();
    const first = Math.max(0, Math.floor(this.view.scrollTop / height) - BEYOND);
    const last = Math.min(this.cases.length, Math.ceil((this.view.scrollTop + this.view.clientHeight) / height) + BEYOND);
    const key = `${first} ${last} ${this.active} ${height}`;
    if (key === this.shown) return;
    this.shown = key;
    this.rows.style.height = this.cases.length * height + "px";
    const made = [];
    for (let place = first; place < last; place++) made.push(this.row(place, height));
    this.rows.replaceChildren(...made);
    if (this.active >= first && this.active < last) this.view.setAttribute("aria-activedescendant", "case-" + this.cases[this.active]);
    else this.view.removeAttribute("aria-activedescendant");
  }

  row(place, height) {
    const model = this.model, one = this.cases[place], runs = model.runsOf(one);
    const last = runs[runs.length - 1];
    const cell = (name, ...content) => el("span", { role: "gridcell", class: "c-" + name }, content);
    const row = el("div", {
      id: "case-" + one, class: "row" + (place === this.active ? " active" : ""), role: "row",
      "aria-rowindex": place + 2, "aria-selected": String(place === this.active), "data-place": place,
    },
    cell("result", badges(model, one)),
    cell("step", quoted(model.domain(one)), " ", quoted(model.short(one)), repeatOf(model, one)),
    cell("question", quoted(cut(model.question(one)))),
    cell("system", quoted(model.row(model.cases.row[one]))),
    cell("action", quoted([...new Set(runs.map((run) => model.action(one, run)).filter(Boolean))].join(" \u2192 "))),
    cell("failure", quoted(runs.map((run) => model.kind(one, run)).find(Boolean) || "")),
    cell("kind", quoted(kindOfStep(model, one))),
    cell("tokens", model.tokens(one, last) < 0 ? "" : count(model.tokens(one, last))));
    row.style.transform = `translateY(${place * height}px)`;
    return row;
  }

  click(event) {
    const row = event.target.closest("[data-place]");
    if (!row) return;
    this.move(Number(row.dataset.place));
    this.open(this.cases[this.active]);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.view.clientHeight / this.height()) - 1);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -this.cases.length, End: this.cases.length };
    if (event.key in steps) {
      this.step(steps[event.key]);
      this.moved();
    } else if ((event.key === "Enter" || event.key === " ") && this.active >= 0) this.open(this.cases[this.active], true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Go so many rows on. */
  step(by) {
    if (this.cases.length) this.move(Math.min(this.cases.length - 1, Math.max(0, this.active < 0 && by > 0 ? 0 : this.active + by)));
  }

  /** Make the row at this place the active one, and bring it into sight. */
  move(place) {
    this.active = place;
    const height = this.height(), head = this.view.querySelector(".heads").offsetHeight;
    const top = place * height, bottom = top + height, seen = this.view.clientHeight - head;
    if (top < this.view.scrollTop) this.view.scrollTop = top;
    else if (bottom > this.view.scrollTop + seen) this.view.scrollTop = bottom - seen;
    this.draw();
  }

  /** Bring the active row into sight again, after the list has got another width or height. */
  reveal() {
    this.shown = "";
    if (this.active >= 0) this.move(this.active);
    else this.draw();
  }

  /** Make this case the active one, if it is listed. */
  select(one) {
    const place = this.cases.indexOf(one);
    if (place >= 0 && place !== this.active) this.move(place);
  }

  get current() { return this.cases[this.active]; }
}

/** Return the results of a case, a badge a run. */
export function badges(model, one) {
  return model.runs.map((_, run) => badge(model.result(one, run), model.runs.length > 1 ? model.run(run) + " " : ""));
}

/** Return the badge of a result. */
export function badge(result, before = "") {
  const { name, sign, told } = RESULTS[result];
  return el("span", { class: "badge " + name, title: before + told },
    el("span", { "aria-hidden": "true" }, sign), el("span", { class: "unseen" }, before + told));
}

function repeatOf(model, one) {
  const repeat = model.steps.repeat[model.cases.step[one]];
  return repeat < 0 ? null : " r" + (repeat + 1);
}

function kindOfStep(model, one) {
  const names = model.steps.shown.filter((name) => model.label(name, one));
  return names.length ? model.label(names[names.length - 1], one) : "";
}

function cut(text) {
  return text.length > 300 ? visible(text.slice(0, 300)) + "\u2026" : text;
}

/** Put the list into the page. */
export function placeList(list, form) {
  byId("steps-part").append(el("h2", { id: "steps", tabindex: "-1" }, "Steps"), form,
    el("p", { class: "hint", id: "counts" }, el("span", { id: "found", role: "status" }), " ",
      el("span", { class: "keys" }, "Keys: ", el("kbd", {}, "/"), " search, ", el("kbd", {}, "j"), " ", el("kbd", {}, "k"),
        " next and previous, ", el("kbd", {}, "Enter"), " open, ", el("kbd", {}, "Esc"), " close")), list.view);
}
