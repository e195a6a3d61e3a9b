// The filters: which cases of the page are listed, and in which order.

import { byId, el, visible } from "./dom.js";
import { count } from "./figures.js";
import { ABSENT, FAILED, PASSED, UNSCORED, labelTitle } from "./model.js";
import { go, readPlace } from "./place.js";

const RESULT_TESTS = { pass: PASSED, fail: FAILED, unscored: UNSCORED };
const FAILED_FIRST = [FAILED, UNSCORED, PASSED, ABSENT];
const ORDERS = { "": "order of the suite", system: "system", result: "failed first", kind: "failure", question: "question", tokens: "most tokens" };

/** Return the controls; what they say goes into the address. */
export function makeFilters(model) {
  const results = [["", "any result"], ["pass", "\u2713 passed"], ["fail", "\u2717 failed"], ["unscored", "? unscored"]];
  if (model.runs.length > 1) results.push(["flip", "\u21c4 changed"], ["lost", "regression"], ["gained", "newly passing"]);
  const kinds = sorted(model.cases.runs.flatMap((run) => run.kind));
  const words = (list) => list.map((name) => [name, name]);
  const form = el("form", { id: "filters", role: "search", "aria-label": "Filters", on: { submit: (event) => event.preventDefault() } },
    el("label", { class: "wide" }, el("span", {}, "search"), el("input", {
      id: "f-q", type: "search", placeholder: "question, answer or id  ( / )", autocomplete: "off", spellcheck: "false",
    })),
    choice("result", "result", results),
    model.runs.length > 1 ? choice("in", "run", [["", "any run"], ...model.runs.map((run, number) => [String(number + 1), `run ${number + 1}: ${run.name}`])]) : null,
    choice("system", "system", [["", "all systems"], ...model.rows.map((_, row) => [String(row), model.row(row)])]),
    choice("domain", "domain", [["", "all domains"], ...words([...new Set(model.episodes.map((one) => one.domain))])]),
    model.steps.shown.map((name) => choice("is." + name, labelTitle(name), [["", "any"],
      ...words(sorted(model.steps.labels[name]))])),
    kinds.length ? choice("kind", "failure", [["", "any failure"], ...words(kinds)]) : null,
    choice("sort", "sort", Object.entries(ORDERS)),
    el("button", { type: "button", id: "clear", on: { click: () => go({ labels: {}, step: readPlace().step, run: readPlace().run }) } }, "Clear"));
  form.addEventListener("change", (event) => go(collected(form), event.target.id === "f-q"));
  let waiting = 0;
  byIdIn(form, "f-q").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => go(collected(form), true), 120);
  });
  return form;

  function sorted(numbers) {
    return [...new Set(numbers.flatMap((number) => model.word(number).split(",")))].filter(Boolean).sort();
  }
}

function byIdIn(form, id) {
  return form.querySelector("#" + id);
}

function choice(name, title, options) {
  return el("label", {}, el("span", {}, visible(title)), el("select", { "data-field": name, id: "f-" + name.replace(".", "-") },
    options.map(([value, text]) => el("option", { value }, visible(text)))));
}

function collected(form) {
  const place = { ...readPlace(), q: byIdIn(form, "f-q").value.trim(), labels: {} };
  for (const select of form.querySelectorAll("select")) {
    const field = select.dataset.field;
    if (field.startsWith("is.")) place.labels[field.slice(3)] = select.value;
    else place[field] = select.value;
  }
  return place;
}

/** Put the controls where the address says. */
export function setFilters(form, place) {
  const input = byIdIn(form, "f-q");
  if (input !== document.activeElement || input.value.trim() !== (place.q || "")) input.value = place.q || "";
  for (const select of form.querySelectorAll("select")) {
    const field = select.dataset.field;
    select.value = (field.startsWith("is.") ? place.labels[field.slice(3)] : place[field]) || "";
    if (select.selectedIndex < 0) select.value = "";
  }
}

/** Return the cases that fit a place, in its order. */
export function chosen(model, place, search) {
  const runs = place.in ? [Number(place.in) - 1].filter((run) => run in model.runs) : model.runs.map((_, run) => run);
  const tests = [(one) => runs.some((run) => model.result(one, run) >= 0)];
  if (place.system) tests.push((one) => model.cases.row[one] === Number(place.system));
  if (place.domain) tests.push((one) => model.domain(one) === place.domain);
  if (place.result in RESULT_TESTS) tests.push((one) => runs.some((run) => model.result(one, run) === RESULT_TESTS[place.result]));
  if (place.result === "flip") tests.push((one) => model.flip(one) !== "");
  if (place.result === "lost" || place.result === "gained") tests.push((one) => model.flip(one) === place.result);
  if (place.kind) tests.push((one) => runs.some((run) => model.kind(one, run) === place.kind));
  for (const [name, value] of Object.entries(place.labels)) {
    if (value && model.steps.labels[name]) tests.push((one) => model.label(name, one).split(",").includes(value));
  }
  if (place.q) tests.push(search.finder(place.q));
  const found = [];
  for (let one = 0; one < model.size; one++) if (tests.every((test) => test(one))) found.push(one);
  return ordered(model, found, place.sort, runs);
}

function ordered(model, found, order, runs) {
  const last = runs[runs.length - 1] ?? 0;
  const by = {
    system: (one) => model.cases.row[one],
    result: (one) => FAILED_FIRST.indexOf(model.result(one, last)),
    kind: (one) => runs.map((run) => model.kind(one, run)).find(Boolean) || "\uffff",
    question: (one) => model.question(one),
    tokens: (one) => -Math.max(...runs.map((run) => model.tokens(one, run))),
  }[order];
  if (!by) return found;
  const keys = new Map(found.map((one) => [one, by(one)]));
  return found.sort((a, b) => (keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : a - b));
}

/** Say how many cases are listed. */
export function showCount(model, found) {
  const node = byId("found");
  node.replaceChildren(`${count(found)} of ${count(model.size)}`);
}

