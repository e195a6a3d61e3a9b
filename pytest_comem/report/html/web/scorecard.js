// The scorecards: metrics with their intervals, counts, and what it all took.

import { byId, el, quoted } from "./dom.js";
import { count, dollars, metricCell, seconds, shortName } from "./figures.js";

/** Fill the head of the page: which runs these are. */
export function showRuns(model) {
  byId("top").append(
    el("div", { class: "brand" }, el("h1", {}, "Memory evaluation"), el("div", { id: "tools" })),
    ...model.runs.map((run, number) => aboutRun(model, run, number)),
    ...model.notes.map((note) => el("p", { class: "notice" }, quoted(note))));
}

function aboutRun(model, run, number) {
  const name = model.runs.length > 1 ? `Run ${number + 1}: ` : "Run ";
  const state = run.ended ? "ended early: " + run.ended : run.finished ? "" : "not finished";
  return el("details", { class: "about" },
    el("summary", {},
      el("strong", {}, name, quoted(run.name)),
      run.started ? el("span", {}, run.started.replace("T", " ").replace("+00:00", " UTC")) : null,
      el("span", {}, count(run.steps) + " steps"),
      state ? el("span", { class: "state" }, quoted(state)) : null),
    el("dl", { class: "facts" },
      (run.id ? [["run", run.id]] : []).concat(run.facts).map(([key, value]) =>
        el("div", {}, el("dt", {}, quoted(key)), el("dd", {}, quoted(value))))));
}

/** Fill the section of scorecards. */
export function showScores(model) {
  const section = byId("scores");
  section.append(el("h2", {}, "Scorecard"));
  for (const suite of model.suites) {
    const cards = model.cardsOf(suite.name);
    if (suite.metrics.length) section.append(...scores(model, suite, cards));
    section.append(effort(model, cards));
  }
}

function scores(model, suite, cards) {
  const has = (metric) => cards.some((card) => card.scopes.some((scope) => scope.metrics[metric.name]));
  const main = suite.metrics.filter((metric) => !metric.diagnostic);
  const diagnostics = suite.metrics.filter((metric) => metric.diagnostic && has(metric));
  const tables = [scoreTable(model, suite, cards, main, "scores-" + suite.name, "")];
  if (diagnostics.length) tables.push(scoreTable(model, suite, cards, diagnostics, "diagnostics-" + suite.name, ", diagnostics"));
  if (!cards.some((card) => card.scopes.length > 1)) return tables;
  for (const table of tables) table.classList.add("closed");
  const button = el("button", {
    type: "button", "aria-expanded": "false", "aria-controls": tables.map((table) => table.id).join(" "),
    on: { click: () => {
      const closed = tables.map((table) => table.classList.toggle("closed"))[0];
      button.setAttribute("aria-expanded", String(!closed));
    } },
  }, suite.divided);
  return [...tables, el("p", { class: "after" }, button,
    el("span", { class: "hint" }, "\u2191 more is better, \u2193 less is better. ",
      [...main, ...diagnostics].filter((metric) => !metric.name.endsWith("_exposed"))
        .map((metric) => metric.name + ": " + metric.title).join("; "), "."))];
}

function scoreTable(model, suite, cards, metrics, id, what) {
  return el("table", { class: "stacked scores", id },
    el("caption", {}, `${suite.name}${what}: percent${counted(metrics)}, with 95 % intervals over ${plural(suite.cluster)}`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "system"), metrics.map(metricHead),
      el("th", { scope: "col", class: "number" }, "scored"))),
    cards.map((card) => el("tbody", {}, card.scopes.map((scope) => scoreRow(model, metrics, card, scope)))));
}

function metricHead(metric) {
  const better = metric.higher === null ? "" : `${metric.higher ? "more" : "less"} is better`;
  return el("th", { scope: "col", class: "number", title: [metric.title, better].filter(Boolean).join("; ") },
    metric.name.endsWith("_exposed") ? el("small", {}, "exposed ") : null, shortName(metric),
    better ? el("span", { class: "way", "aria-label": better }, metric.higher ? "\u2191" : "\u2193") : null);
}

/** Return which metrics are no percentages, and what they are in. */
function counted(metrics) {
  const units = new Map();
  for (const metric of metrics.filter((each) => ["mean", "score"].includes(each.kind))) {
    const unit = metric.unit === metric.name ? "how many" : metric.unit;
    units.set(unit, [...(units.get(unit) || []), metric.name]);
  }
  return units.size ? ` (${[...units].map(([unit, names]) => `${names.join(", ")}: ${unit}`).join("; ")})` : "";
}

function plural(word) {
  return word.endsWith("y") ? word.slice(0, -1) + "ies" : word + "s";
}

function scoreRow(model, metrics, card, scope) {
  const whole = scope.kind === "all";
  return el("tr", { class: whole ? "whole" : "part" },
    el("th", { scope: "row" }, whole
      ? [el("span", { class: "letter", "aria-hidden": "true" }, card.letter), quoted(model.card(card)),
        card.reference ? el("small", {}, " reference: it sees what is hidden") : null]
      : quoted(scope.name)),
    metrics.map((metric) => metricCell(metric, scope.metrics[metric.name])),
    el("td", { class: "number", "data-name": "scored" }, scope.kind === "mean" ? "" : count(scope.scored), ["topology", "operator"].includes(scope.kind) ? " instances" : ""));
}

function effort(model, cards) {
  const phases = [...new Set(cards.flatMap((card) => card.usage.map((one) => one[0])))];
  return el("table", { class: "stacked effort" },
    el("caption", {}, "What it took: tokens (words where no model was called), cost, and seconds a step"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "system"),
      ["passed", "scored", "unscored", "tokens", "tokens a step", "calls", "cost", ...phases]
        .map((name) => el("th", { scope: "col", class: "number" }, quoted(name))))),
    el("tbody", {}, cards.map((card) => effortRow(model, card, phases))));
}

function effortRow(model, card, phases) {
  const sum = (place) => card.usage.reduce((total, one) => total + one[place], 0);
  const cost = card.usage.some((one) => one[3] === null) ? null : sum(3);
  const cell = (name, ...content) => el("td", { class: "number", "data-name": name }, content);
  const unscored = card.steps - card.scored;
  return el("tr", {},
    el("th", { scope: "row" }, el("span", { class: "letter", "aria-hidden": "true" }, card.letter), quoted(model.card(card)),
      card.notices.map((notice) => el("small", { class: "state" }, quoted(notice)))),
    cell("passed", count(card.passed)), cell("scored", count(card.scored)),
    cell("unscored", count(unscored), unscored ? el("small", {}, card.unscored.map(([reason, number]) =>
      el("span", { class: "reason" }, `${count(number)} `, quoted(reason)))) : null),
    cell("tokens", count(sum(2))), cell("tokens a step", count(sum(2) / card.steps)),
    cell("calls", count(sum(4))), cell("cost", dollars(cost)),
    phases.map((phase) => {
      const found = card.usage.find((one) => one[0] === phase);
      return cell(phase, found ? seconds(found[1] / card.steps) : "");
    }));
}
