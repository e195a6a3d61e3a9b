// The panel of one step: what was asked and told, exposed and answered, and what decided.

import { byId, el, quoted } from "./dom.js";
import { count, dollars, seconds } from "./figures.js";
import { badge } from "./list.js";
import { RESULTS, labelTitle } from "./model.js";
import { MARKS, entryOf, itemsOf, lines, passage } from "./passages.js";
import { address, withStep } from "./place.js";

/** Show a case; `near` holds what leads on: the place, and functions for next, previous and close. */
export function showStep(model, details, one, run, near) {
  const panel = byId("panel");
  const step = details.steps[model.cases.step[one]];
  const runs = model.runsOf(one);
  panel.setAttribute("aria-label", "Step " + model.id(one, run));
  panel.replaceChildren(
    panelBar(model, one, run, near),
    el("div", { class: "body" },
      asked(model, details, step, one),
      others(model, one, near),
      el("div", { class: runs.length > 1 ? "beside" : "" }, runs.map((each) =>
        result(model, details, step, one, each, runs.length > 1))),
      toldBefore(model, details, step, one, runs),
      details.policy ? fold("Policy of the domain", quoted(details.policy, "p", "passage")) : null));
  panel.hidden = false;
  panel.scrollTop = 0;
}

function panelBar(model, one, run, near) {
  const button = (text, name, act) => el("button", { type: "button", "aria-label": name, title: name, on: { click: act } }, text);
  return el("header", { class: "panel-bar" },
    el("h2", { id: "panel-title", tabindex: "-1" }, el("a", { href: address({ labels: {}, step: model.id(one, run), run: run ? String(run + 1) : "" }), title: "Link to this step" }, quoted(model.id(one, run)))),
    el("div", { class: "buttons" }, button("\u2191", "Previous step (k)", near.previous), button("\u2193", "Next step (j)", near.next), button("\u2715", "Close (Esc)", near.close)));
}

function fold(title, ...content) {
  return el("details", {}, el("summary", {}, title), content);
}

function asked(model, details, step, one) {
  const number = model.cases.step[one], labels = Object.keys(model.steps.labels).filter((name) => name !== "domain" && model.label(name, one));
  const last = details.entries[step.asOf];
  return el("section", { class: "asked" }, el("h3", {}, "Asked"),
    quoted(model.question(one), "blockquote", "passage"),
    el("dl", { class: "facts" },
      fact("by", [quoted(model.word(model.steps.requester[number])), " (", quoted(model.word(model.steps.role[number]) || "no role"), ")"]),
      last ? fact("after", [`${count(step.asOf + 1)} of ${count(details.entries.length)} entries`, last[3] ? [", ", quoted(last[3].replace("T", " "), "time")] : null]) : null,
      fact("domain", quoted(model.domain(one))),
      labels.map((name) => fact(labelTitle(name), quoted(model.label(name, one).replaceAll(",", ", ")))),
      fact("episode", quoted(model.episodes[model.episodeOf(one)].id)),
      fact("step", quoted(model.steps.id[number]))),
    step.facts.length ? fold(`What is known of the requester (${step.facts.length})`, el("ul", {}, step.facts.map((each) => quoted(each, "li")))) : null,
    step.patterns.length ? fold(`What the judge looks for (hidden from the method): ${sought(step, step.patterns.length)}`,
      el("ul", {}, step.patterns.map((each) => quoted(details.patterns[each], "li", "code")))) : null);
}

/** Return so many of what the judge looks for in words. */
function sought(step, number) {
  return `${count(number)} ${MARKS[step.kind] ? MARKS[step.kind].told : "value"}${number === 1 ? "" : "s"}`;
}

function fact(name, content) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, content));
}

function others(model, one, near) {
  const step = model.cases.step[one], found = [];
  for (let other = 0; other < model.size; other++) if (model.cases.step[other] === step && other !== one) found.push(other);
  if (!found.length) return null;
  return el("p", { class: "others" }, "This step on ", found.map((other) => {
    const run = model.runsOf(other)[0];
    return el("a", { href: address(withStep(near.place, model.id(other, run), run)) },
      model.runsOf(other).map((each) => badge(model.result(other, each))), " ", quoted(model.row(model.cases.row[other])));
  }));
}

function result(model, details, step, one, run, several) {
  const cell = details.cells[one][run];
  const outcome = model.result(one, run);
  return el("section", { class: "result", id: "of-run-" + (run + 1) },
    el("h3", {}, badge(outcome), " ", quoted(model.side(model.cases.row[one], run)), several ? `, ${model.run(run)}` : "", `: ${RESULTS[outcome].told}`),
    cell.notice ? el("p", { class: "notice" }, quoted(cell.notice)) : null,
    cell.failure ? el("p", { class: "notice" }, el("strong", {}, quoted(`${cell.failure[0]} / ${cell.failure[1]}`), ": "), quoted(cell.failure[2])) : null,
    cell.said ? el("div", {}, el("h4", {}, "Action: ", quoted(model.action(one, run), "strong")),
      el("div", { class: "said" }, lines(details, step, cell.said)),
      cell.structured ? quoted(cell.structured, "pre") : null) : el("p", {}, "It never came to an answer."),
    verdict(cell, model.kind(one, run)),
    exposed(details, step, cell),
    usage(cell));
}

function verdict(cell, kind) {
  if (cell.reason === undefined) return null;
  return el("div", {}, el("h4", {}, "Verdict"),
    kind ? el("p", {}, el("span", { class: "tag" }, quoted(kind))) : null,
    cell.reason ? quoted(cell.reason, "p", "passage") : el("p", {}, "It passes."),
    el("p", { class: "hint" }, "judged by ", quoted(cell.judge)),
    fold("Evidence and measures", quoted(indented(cell.evidence), "pre"),
      el("dl", { class: "facts" }, Object.entries(cell.measures).map(([name, value]) => fact(name.replaceAll("_", " "), String(value)))),
      el("p", { class: "hint" }, "key ", quoted(cell.key, "code"))));
}

function indented(json) {
  try {
    return JSON.stringify(JSON.parse(json), null, 1);
  } catch {
    return json;
  }
}

function exposed(details, step, cell) {
  if (!cell.items) return null;
  const items = itemsOf(details, cell);
  const marked = items.filter(([place]) => step.patterns.some((pattern) => details.spans[pattern][place])).length;
  const enforced = ["decided access itself", "left out what was deleted"].filter((_, place) => cell.enforced[place]);
  return el("div", {}, el("h4", {}, "What the memory exposed"),
    el("p", { class: "hint" }, `${count(items.length)} items`, marked ? `, ${count(marked)} with a ${MARKS[step.kind] ? MARKS[step.kind].told : "value looked for"}` : "",
      enforced.length ? `; the system says it ${enforced.join(" and ")}` : "", "."),
    el("ol", { class: "items" }, items.map(([place, score, sources]) => el("li", {},
      el("div", { class: "who" }, sources.map((source) => quoted(source, "code")), score === null ? null : el("span", {}, `score ${score}`)),
      passage(details, step, place)))),
    cell.withheld.length ? fold(`Kept back: ${cell.withheld.length}`, el("ul", {}, cell.withheld.map(([reason, score, sources]) =>
      el("li", {}, quoted(reason), " ", sources.map((source) => quoted(source, "code")), score === null ? "" : ` score ${score}`)))) : null);
}

function usage(cell) {
  if (!cell.usage.length) return null;
  return el("div", { class: "scroll" }, el("table", { class: "usage" }, el("caption", {}, "What it took"),
    el("thead", {}, el("tr", {}, ["phase", "time", "tokens", "cost", "calls"].map((name, place) =>
      el("th", { scope: "col", class: place ? "number" : null }, name)))),
    el("tbody", {}, cell.usage.map(([phase, time, tokens, cost, calls, retries]) => el("tr", {},
      el("th", { scope: "row" }, quoted(phase)),
      [seconds(time), count(tokens), dollars(cost), count(calls) + (retries ? ` + ${count(retries)} again` : "")].map((text) =>
        el("td", { class: "number" }, text)))))));
}

function toldBefore(model, details, step, one, runs) {
  if (details.missing) return el("section", {}, el("h3", {}, "Told up to then"), el("p", { class: "notice" }, quoted(details.missing)));
  const places = new Map(details.entries.map((entry, place) => [entry[0], place]));
  const sets = runs.map((run) => new Set(itemsOf(details, details.cells[one][run]).flatMap((item) => item[2]).map((id) => places.get(id))));
  const list = el("ol", { class: "entries" });
  for (let place = 0; place <= step.asOf; place++) {
    list.append(entryOf(details, step, place, runs.filter((_, at) => sets[at].has(place)).map((run) => (runs.length > 1 ? model.run(run) : ""))));
  }
  const only = el("input", { type: "checkbox", on: { change: () => list.classList.toggle("only", only.checked) } });
  return el("section", {}, el("h3", {}, "Told up to then"),
    el("p", { class: "hint" }, `${count(step.asOf + 1)} entries. `, el("label", {}, only, " only those exposed or marked")), list);
}
