// Numbers and intervals as they are written and drawn.

import { el, svg } from "./dom.js";

export const DASH = "\u2013";

/** Return a percentage with one digit. */
export function percent(value) {
  return value === null || value === undefined ? DASH : value.toFixed(1);
}

/** Return a difference in percent points with its sign. */
export function signed(value) {
  if (value === null) return DASH;
  const text = Math.abs(value).toFixed(1);
  return text === "0.0" ? "0.0" : (value > 0 ? "+" : "\u2212") + text;
}

/** Return a whole number with its thousands apart. */
export function count(value) {
  return Math.round(value).toLocaleString("en-US");
}

/** Return US dollars with the digits that matter. */
export function dollars(cost) {
  if (cost === null) return "unknown";
  if (cost === 0 || cost >= 1) return "$" + cost.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return "$" + cost.toFixed(Math.max(4, 1 - Math.floor(Math.log10(cost))));
}

/** Return seconds in the unit that is read best. */
export function seconds(value) {
  if (value === null) return DASH;
  if (value < 1) return (value * 1000).toFixed(value < 0.01 ? 2 : 0) + " ms";
  if (value < 120) return value.toFixed(1) + " s";
  return (value / 60).toFixed(1) + " min";
}

/** Return a probability. */
export function chance(value) {
  if (value === null) return DASH;
  return value < 0.001 ? "< 0.001" : value.toFixed(3);
}

/** Return a metric's name as a column has it. */
export function shortName(metric) {
  return metric.name.replace("_exposed", "");
}

/** Return a drawing of a value and its interval between 0 and 100. */
export function bar(low, value, high, told) {
  const at = (x) => Math.min(100, Math.max(0, x)) + "%";
  return svg("svg", { class: "bar", role: "img", "aria-label": told, width: "100%", height: 14 },
    svg("line", { class: "axis", x1: "0%", x2: "100%", y1: 7, y2: 7 }),
    svg("line", { class: "axis", x1: "50%", x2: "50%", y1: 5, y2: 9 }),
    svg("line", { class: "whisker", x1: at(low), x2: at(high), y1: 7, y2: 7 }),
    svg("line", { class: "cap", x1: at(low), x2: at(low), y1: 2, y2: 12 }),
    svg("line", { class: "cap", x1: at(high), x2: at(high), y1: 2, y2: 12 }),
    svg("circle", { class: "dot", cx: at(value), cy: 7, r: 2.6 }));
}

/** Return a mean's value: whole, or with as many digits as the metric says, and its sign where it is a difference. */
export function meanText(metric, value) {
  if (metric.digits === null) return count(value);
  const text = Math.abs(value).toFixed(metric.digits);
  const sign = Number(text) === 0 ? "" : value < 0 ? "\u2212" : metric.signed ? "+" : "";
  return sign + text;
}

/** Return how an interval is told. */
export function told(name, measured, metric = null) {
  const [value, low, high, of, method] = measured;
  if (metric && metric.kind === "mean") {
    const text = (each) => meanText(metric, each);
    return `${name} ${text(value)} ${metric.unit}, 95 % interval ${text(low)} to ${text(high)} (${method})`;
  }
  if (metric && metric.kind === "score") return `${name} ${percent(value)}, 95 % interval ${percent(low)} to ${percent(high)} (${method}, of ${count(of)})`;
  return `${name} ${percent(value)} %, 95 % interval ${percent(low)} to ${percent(high)} (${method}, of ${count(of)})`;
}

/** Return the cell of a table that holds a metric with its interval. */
export function metricCell(metric, measured) {
  if (!measured) return el("td", { class: "number", "data-name": metric.name }, DASH);
  const [value, low, high] = measured;
  const text = told(metric.name, measured, metric);
  if (metric.kind === "mean") {
    return el("td", { class: "number metric", "data-name": metric.name, title: text },
      el("span", { class: "value" }, meanText(metric, value)),
      el("span", { class: "interval" }, meanText(metric, low) + (metric.signed ? " to " : DASH) + meanText(metric, high)));
  }
  return el("td", { class: "number metric", "data-name": metric.name, title: text },
    el("span", { class: "value" }, percent(value)),
    el("span", { class: "interval" }, percent(low) + DASH + percent(high)),
    bar(low, value, high, text));
}
