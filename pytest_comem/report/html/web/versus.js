// Later runs against the first: differences, and a way to the steps whose result changed.

import { byId, el, quoted } from "./dom.js";
import { DASH, chance, count, percent, signed } from "./figures.js";
import { address } from "./place.js";

/** Fill the section of comparisons; it stays hidden where there is nothing to compare. */
export function showVersus(model) {
  if (!model.comparisons.length) return;
  const section = byId("versus");
  section.hidden = false;
  section.append(el("h2", {}, "Comparison"), ...model.comparisons.map((one) => comparison(model, one)));
}

function comparison(model, one) {
  const name = `${model.side(one.row, 0)}, run 1` + " \u2192 " + `${model.side(one.row, one.run)}, ${model.run(one.run)}`;
  const way = (result) => address({ result, system: String(one.row), labels: {} });
  const left = one.onlyBefore + one.onlyAfter;
  return el("article", { class: "versus" }, el("h3", {}, quoted(name)),
    el("p", {},
      el("a", { href: way("lost"), class: "lost" }, `\u2717 ${count(one.lost)} regressions`), " ",
      el("a", { href: way("gained"), class: "gained" }, `\u2713 ${count(one.gained)} newly passing`),
      ` of ${count(one.common)} steps scored in both (exact McNemar p ${chance(one.p)}).`,
      left ? ` ${count(left)} steps are scored in only one of them and left out.` : ""),
    differences(one),
    one.groups.length ? groups(one) : null);
}

function differences(one) {
  const cell = (name, text) => el("td", { class: "number", "data-name": name }, text);
  return el("table", { class: "stacked" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "metric"),
      ["before", "after", "difference", "95 % interval", "p (Holm)", "detectable"].map((name) =>
        el("th", { scope: "col", class: "number" }, name)), el("th", { scope: "col" }, "verdict"))),
    el("tbody", {}, one.differences.map((each) => el("tr", {},
      el("th", { scope: "row" }, each.metric), cell("before", percent(each.before)),
      cell("after", percent(each.after)), cell("difference", signed(each.difference)),
      cell("95 % interval", `${signed(each.low)} to ${signed(each.high)}`), cell("p (Holm)", chance(each.p_holm)),
      cell("detectable", each.detectable === null ? DASH : "\u00b1" + percent(each.detectable)),
      el("td", { "data-name": "verdict" }, each.verdict || "no evidence")))));
}

function groups(one) {
  const cell = (name, text) => el("td", { class: "number", "data-name": name }, text);
  return el("details", {}, el("summary", {}, "Where results changed"),
    el("table", { class: "stacked groups" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "steps"),
        ["regressions", "newly passing"].map((name) => el("th", { scope: "col", class: "number" }, name)))),
      el("tbody", {}, one.groups.map(([title, group, lost, gained]) => el("tr", {},
        el("th", { scope: "row" }, el("small", {}, quoted(title), " "), quoted(group)),
        cell("regressions", count(lost)), cell("newly passing", count(gained)))))));
}
