// Charts of one figure, as the views ask for them. The drawing, with its table, is the kit's.

import { chart } from "../kit/chart.js";

/** @typedef {{ label: string, value: number }} Point */

/** Things side by side. @param {string} title @param {Point[]} points @param {(value: number) => string} shown @param {string} name */
export function bars(title, points, shown, name) { return drawn("bar", title, points, shown, name); }

/** How something went, day by day. @param {string} title @param {Point[]} points @param {(value: number) => string} shown @param {string} name */
export function lines(title, points, shown, name) { return drawn(points.length > 2 ? "line" : "bar", title, points, shown, name); }

/** @param {"bar" | "line"} kind @param {string} title @param {Point[]} points @param {(value: number) => string} shown @param {string} name */
function drawn(kind, title, points, shown, name) {
  return points.length > 0 && chart({ title, kind, labels: points.map(({ label }) => label), series: [{ name, values: points.map(({ value }) => value) }], shown });
}
