// The charts: every metric with its interval, trade-offs, cost, and failures by kind of step.

import { byId, el, quoted, visible } from "./dom.js";
import { bar, count, dollars, percent, told } from "./figures.js";
import { legendMark, scatter } from "./scatter.js";

const LEVELS = [10, 20, 30, 40, 50, 60, 70, 80, 90];

/** Fill the section of charts. */
export function showCharts(model) {
  const section = byId("charts");
  for (const suite of model.suites) {
    const cards = model.cardsOf(suite.name).filter((card) => card.scopes.length && card.scored);
    if (!cards.length || !suite.metrics.length) continue;
    section.append(el("h2", {}, model.suites.length > 1 ? "Charts: " + suite.name : "Charts"),
      whiskerCharts(model, suite, cards), planes(model, suite, cards));
  }
  for (const breakdown of model.breakdowns) section.append(heatMap(model, breakdown));
}

function measured(card, name) {
  return card.scopes[0].metrics[name];
}

function whiskerCharts(model, suite, cards) {
  return el("div", { class: "whiskers" }, suite.metrics.map((metric) => {
    const found = cards.filter((card) => measured(card, metric.name));
    if (!found.length || metric.kind === "mean") return null;
    return el("figure", {},
      el("figcaption", {}, el("strong", {}, metric.name), ` ${metric.title} `,
        metric.higher === null ? null : el("span", { class: "way" }, metric.higher ? "\u2191" : "\u2193")),
      found.map((card) => {
        const one = measured(card, metric.name);
        return el("div", { class: "line" },
          el("span", { class: "name", title: model.card(card) },
            el("span", { class: "letter", "aria-hidden": "true" }, card.letter), quoted(model.card(card))),
          bar(one[1], one[0], one[2], told(model.card(card), one, metric)),
          el("span", { class: "number" }, percent(one[0])));
      }),
      el("div", { class: "line scale", "aria-hidden": "true" }, el("span", {}),
        el("span", { class: "ends" }, el("span", {}, "0"), el("span", {}, "50"), el("span", {}, "100")), el("span", {})));
  }));
}

function planes(model, suite, cards) {
  const names = suite.metrics.map((metric) => metric.name);
  if (suite.planes.length) return tradeOffs(model, suite, cards);
  if (!["U", "A", "F", "MGS"].every((name) => names.includes(name))) return null;
  const full = cards.filter((card) => ["U", "A", "F", "MGS"].every((name) => measured(card, name)));
  if (!full.length) return null;
  const point = pointOf(model);
  const against = (name) => scatter({
    title: `U against 1 \u2212 ${name}`, xTitle: `1 \u2212 ${name}, percent`, yTitle: "U, percent",
    points: full.map((card) => ({ ...point(card), x: 100 - measured(card, name)[0], y: measured(card, "U")[0],
      xs: [100 - measured(card, name)[2], 100 - measured(card, name)[1]], ys: measured(card, "U").slice(1, 3) })),
    levels: LEVELS.filter((level) => level % 20 === 0), curve: (level, at) => 100 * level / at,
    levelText: (level) => `MGS \u2264 ${level}`,
  });
  return el("div", { class: "trade" },
    legend(model, full),
    el("div", { class: "planes" }, against("A"), against("F"),
      scatter({
        title: "U against (1 \u2212 A)(1 \u2212 F), with lines of equal MGS",
        xTitle: "(1 \u2212 A)(1 \u2212 F), percent", yTitle: "U, percent",
        points: full.map((card) => ({ ...point(card), y: measured(card, "U")[0], ys: measured(card, "U").slice(1, 3),
          x: (100 - measured(card, "A")[0]) * (100 - measured(card, "F")[0]) / 100, xs: null })),
        levels: LEVELS.filter((level) => level % 20 === 0), curve: (level, at) => 100 * level / at,
        levelText: (level) => `MGS ${level}`,
      }),
      costPlane(full, point)));
}

function pointOf(model) {
  return (card) => ({ number: model.cards.indexOf(card), letter: card.letter, name: model.card(card) });
}

function legend(model, cards) {
  return el("p", { class: "legend", "aria-hidden": "true" }, cards.map((card) =>
    el("span", {}, legendMark(model.cards.indexOf(card)), el("span", { class: "letter" }, card.letter), quoted(model.card(card)))));
}

/** Return the suite's trade-offs: two metrics against each other, a point a row. */
function tradeOffs(model, suite, cards) {
  const placed = (scope, plane) => scope.metrics[plane.x] && scope.metrics[plane.y];
  const full = cards.filter((card) => suite.planes.some((plane) => placed(card.scopes[0], plane)));
  if (!full.length) return null;
  const points = [...alonePoints(model, suite, cards), ...full.map((card) => ({ ...pointOf(model)(card), scope: card.scopes[0] }))];
  const left = cards.filter((card) => !full.includes(card));
  return el("div", { class: "trade" }, el("p", { class: "legend", "aria-hidden": "true" }, points.map((one) =>
    el("span", {}, legendMark(one.number), el("span", { class: "letter" }, one.letter), quoted(one.name)))),
    el("div", { class: "planes" }, suite.planes.map((plane) => tradeOff(plane, points.filter((one) => placed(one.scope, plane))))),
    left.length ? el("p", { class: "hint" }, suite.planes[0].without,
      left.map((card, place) => [place ? ", " : "", el("span", { class: "letter" }, card.letter), quoted(model.card(card))])) : null);
}

function tradeOff(plane, points) {
  const across = points.map((one) => ({ ...one, x: one.scope.metrics[plane.x][0], xs: one.scope.metrics[plane.x].slice(1, 3),
    y: one.scope.metrics[plane.y][0], ys: one.scope.metrics[plane.y].slice(1, 3) }));
  return scatter({
    title: plane.title, xTitle: plane.xTitle, yTitle: plane.yTitle, desc: plane.desc, points: across,
    ...(plane.counted ? { xMost: nice(Math.max(...across.map((one) => one.xs[1]))), xText: count }
      : { xText: (value) => percent(value).replace(".0", "") }),
  });
}

/** Return a point for the runs without recall of each model and run, from the card that has most of them. */
function alonePoints(model, suite, cards) {
  const found = new Map();
  for (const card of cards) {
    const scope = card.scopes.find((each) => each.kind === "alone");
    const side = model.rows[card.row].sides[card.run];
    const name = scope && [scope.name, model.several ? " with " + side.model : "", model.runs.length > 1 ? ", " + model.run(card.run) : ""].join("");
    if (scope && !(found.has(name) && found.get(name).scored >= scope.scored)) found.set(name, scope);
  }
  return [...found].map(([name, scope], place) => ({ number: model.cards.length + place, letter: String(place), name, scope }));
}

function costPlane(cards, point) {
  const sum = (card, place) => card.usage.reduce((total, one) => total + one[place], 0);
  const priced = cards.every((card) => card.usage.every((one) => one[3] !== null)) && cards.some((card) => sum(card, 3) > 0);
  const spent = (card) => sum(card, priced ? 3 : 2) / card.steps * (priced ? 1000 : 1);
  const most = nice(Math.max(...cards.map(spent)));
  return scatter({
    title: priced ? "Cost against MGS" : "Tokens against MGS",
    xTitle: priced ? "US dollars a thousand steps" : "tokens a step (words where no model was called)",
    yTitle: "MGS, percent", xMost: most, xText: priced ? dollars : count,
    points: cards.map((card) => ({ ...point(card), x: spent(card), y: measured(card, "MGS")[0], xs: null, ys: measured(card, "MGS").slice(1, 3) })),
  });
}

/** Return a round number that is no less. */
function nice(value) {
  if (!(value > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((step) => step * unit).find((step) => step >= value);
}

function heatMap(model, breakdown) {
  const cards = breakdown.cells.map(([run, row]) => model.cards.find((card) => card.run === run && card.row === row));
  return el("figure", { class: "heat" },
    el("figcaption", {}, `Failed steps by ${breakdown.title}, percent; the stronger the tint, the more`),
    el("p", { class: "legend", "aria-hidden": "true" }, cards.map((card) =>
      el("span", {}, el("span", { class: "letter" }, card.letter), quoted(model.card(card))))),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Failed steps by ${breakdown.title}` },
      el("table", {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, breakdown.title),
          cards.map((card) => el("th", { scope: "col", class: "number", title: model.card(card) },
            el("span", { class: "letter" }, card.letter), quoted(model.card(card)))),
          el("th", { scope: "col", class: "number" }, "steps"))),
        el("tbody", {}, breakdown.kinds.map((kind, place) => {
          const counts = breakdown.cells.map((cell) => cell[2][place]);
          return el("tr", {}, el("th", { scope: "row" }, breaking(kind)),
            counts.map((one, number) => heatCell(one, model.card(cards[number]), kind)),
            el("td", { class: "number" }, count(Math.max(...counts.map((one) => (one ? one[1] : 0))))));
        })))));
}

/** Return a name that may be broken after its underscores. */
function breaking(name) {
  return el("span", { class: "quoted" }, name.split("_").map((part, place) => (place ? ["_", el("wbr"), visible(part)] : visible(part))));
}

function heatCell(counts, name, kind) {
  if (!counts) return el("td", { class: "number" }, "");
  const [failed, of] = counts;
  const share = 100 * failed / of;
  return el("td", { class: "number heat" + Math.min(5, Math.floor(share / 100 * 6)), title: `${name}, ${kind}: ${failed} of ${of}` }, percent(share));
}
