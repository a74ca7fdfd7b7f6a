// Charts as drawings: bars, lines, stacked bars, sparks, each with its table. Never the only way to a figure: what is drawn can be read as rows,
// and no value is told by colour alone.

import { h, signal, svg } from "./view.js";
import { t } from "./words.js";
import { ceiling, marks, spots } from "./scale.js";

/** @typedef {{ name: string, values: (number | null)[] }} Series */
/** @typedef {{ title: string, labels: string[], series: Series[], shown: (value: number) => string, short?: (value: number) => string, kind?: "bar" | "line" | "stacked" }} Chart */

const HIGH = 240, FOOT = 28, SIDE = 64, TOP = 12;
/** Hatches and dashes tell series apart without their colours. */
const DASHES = ["", "8 4", "2 4", "12 4 2 4"];

/** On a phone a drawing of a desk's width would have words that nobody reads. */
const media = matchMedia("(max-width: 37.5em)"), narrow = signal(media.matches);
media.addEventListener("change", () => narrow.set(media.matches));

/**
 * A chart with its legend and its table.
 * @param {Chart} chart
 */
export function chart({ title, labels, series, shown, short = shown, kind = "bar" }) {
  const stacked = kind === "stacked";
  const sums = labels.map((_, at) => series.reduce((sum, { values }) => sum + Math.max(0, values[at] ?? 0), 0));
  const all = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const most = ceiling(stacked ? Math.max(0, ...sums) : Math.max(0, ...all)), least = stacked ? 0 : -ceiling(-Math.min(0, ...all));
  /** @param {number} WIDE */
  function drawing(WIDE) {
    const inner = { wide: WIDE - SIDE - 4, high: HIGH - FOOT - TOP };
    const y = (/** @type {number} */ value) => TOP + inner.high * (most - value) / (most - least || 1);
    const places = spots(labels.length, inner.wide).map((place) => ({ ...place, x: place.x + SIDE }));
    const every = Math.ceil(labels.length / Math.max(1, Math.floor(inner.wide / 72)));
    const lines = marks(least, most).map((value) => [
      svg("line", { class: value === 0 ? "axis" : "grid", x1: SIDE, x2: WIDE, y1: y(value), y2: y(value) }),
      svg("text", { class: "tick", x: SIDE - 8, y: y(value) + 4, "text-anchor": "end" }, short(value)),
    ]);
    const names = labels.map((label, at) => (at % every === 0 ? svg("text", { class: "tick", x: places[at].middle + SIDE, y: HIGH - 8, "text-anchor": "middle" }, label) : null));
    return svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `${title}. ${t("chart.table")}` }, ...lines.flat(), ...names, ...drawn(kind, series, places, y, shown, labels));
  }
  return h("figure", { class: "chart" },
    h("figcaption", {}, title),
    series.length > 1 ? h("ul", { class: "legend" }, ...series.map(({ name }, index) => h("li", {}, svg("svg", { viewBox: "0 0 24 12", width: 24, height: 12, "aria-hidden": "true" },
      kind === "line" ? svg("line", { class: `line s${index % 4}`, x1: 0, x2: 24, y1: 6, y2: 6, "stroke-dasharray": DASHES[index % 4] }) : svg("rect", { class: `block s${index % 4}`, width: 24, height: 12 })), h("bdi", {}, name)))) : null,
    () => drawing(narrow() ? 340 : 640),
    h("details", {}, h("summary", {}, t("chart.table")), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, asTable(title, labels, series, shown))));
}

/** @param {string} kind @param {Series[]} series @param {{ x: number, wide: number, middle: number }[]} places @param {(value: number) => number} y @param {(value: number) => string} shown @param {string[]} labels */
function drawn(kind, series, places, y, shown, labels) {
  if (kind === "line") {
    return series.flatMap(({ name, values }, index) => {
      const dots = values.map((value, at) => (value === null ? null : { x: places[at].middle + SIDE, y: y(value), text: `${name}, ${labels[at]}: ${shown(value)}` }));
      // A gap in what is known is a gap in the line.
      const path = dots.map((dot, at) => (dot ? `${at > 0 && dots[at - 1] ? "L" : "M"}${dot.x.toFixed(1)} ${dot.y.toFixed(1)}` : "")).join("");
      return [svg("path", { class: `line s${index % 4}`, d: path, "stroke-dasharray": DASHES[index % 4] }),
        ...dots.map((dot) => dot && svg("circle", { class: `dot s${index % 4}`, cx: dot.x, cy: dot.y, r: 3 }, svg("title", {}, dot.text)))];
    });
  }
  return labels.flatMap((label, at) => {
    let below = 0;
    return series.map(({ name, values }, index) => {
      const value = values[at] ?? 0;
      const from = kind === "stacked" ? below : 0, to = from + value;
      if (kind === "stacked") below = to;
      const wide = kind === "stacked" ? places[at].wide : places[at].wide / series.length;
      return svg("rect", { class: `block s${index % 4}`, x: places[at].x + (kind === "stacked" ? 0 : index * wide), width: Math.max(1, wide - 1), y: Math.min(y(from), y(to)), height: Math.abs(y(from) - y(to)) },
        svg("title", {}, `${series.length > 1 ? `${name}, ` : ""}${label}: ${shown(value)}`));
    });
  });
}

/** @param {string} title @param {string[]} labels @param {Series[]} series @param {(value: number) => string} shown */
function asTable(title, labels, series, shown) {
  return h("table", {}, h("caption", { class: "spoken" }, title),
    h("thead", {}, h("tr", {}, h("td", {}), ...series.map(({ name }) => h("th", { class: "number", scope: "col" }, h("bdi", {}, name))))),
    h("tbody", {}, ...labels.map((label, at) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, label)), ...series.map(({ values }) => h("td", { class: "number" }, values[at] === null || values[at] === undefined ? "–" : shown(/** @type {number} */ (values[at]))))))));
}

/** How something went, as a small line beside its figure; the figure tells, this is ornament. @param {number[]} values */
export function spark(values) {
  const most = Math.max(1, ...values), least = Math.min(0, ...values);
  const dots = values.map((value, at) => `${(at * 96 / Math.max(1, values.length - 1) + 2).toFixed(1)},${(2 + 24 * (most - value) / (most - least)).toFixed(1)}`);
  return svg("svg", { class: "spark", viewBox: "0 0 100 28", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, svg("polyline", { points: dots.join(" ") }));
}
