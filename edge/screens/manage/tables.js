// A report of the server's as a table and, where it has one that says something, as a chart. No document, no fetch, no clock; nothing is added up.

/** @typedef {{ key: string, label: string, unit: string }} ReportColumn */
/** @typedef {{ columns: ReportColumn[], rows: any[][], totals: Record<string, any> }} Report */

const KINDS = /** @type {Record<string, string>} */ ({ CENTS: "money", COUNT: "number", QUANTITY: "number", UNIT_COST: "number", PERCENT: "number", MINUTES: "number", DATE: "date" });

/** The columns as a table takes them. @param {ReportColumn[]} columns */
export function asColumns(columns) {
  return columns.map(({ key, label, unit }) => ({ name: key, label: unit === "PERCENT" ? `${label} (%)` : label, ...(KINDS[unit] ? { kind: KINDS[unit] } : {}) }));
}

/** The rows as records. @param {Report} report */
export function asRows({ columns, rows }) {
  return rows.map((row) => Object.fromEntries(columns.map(({ key }, at) => [key, row[at]])));
}

/**
 * The figure that is worth a chart: the first column tells whose, the last sum of money (or else the first count) how much. Nothing where there
 * are too many or too few rows.
 * @param {Report} report
 */
export function drawable({ columns, rows }) {
  if (rows.length < 2 || rows.length > 62) return null;
  const firsts = rows.map((row) => String(row[0] ?? ""));
  if (new Set(firsts).size !== firsts.length) return null;
  const preferred = ["netRevenueCents", "netCents", "amountCents", "totalCents", "costCents"];
  const by = preferred.map((key) => columns.findIndex((one) => one.key === key)).find((at) => at > 0) ?? columns.findIndex(({ unit }, at) => at > 0 && (unit === "CENTS" || unit === "COUNT"));
  if (by < 1) return null;
  const values = rows.map((row) => (typeof row[by] === "number" ? row[by] : null));
  if (values.every((value) => !value)) return null;
  return { title: columns[by].label, labels: firsts, values, isMoney: columns[by].unit === "CENTS" };
}

/** The month before that of a date, as its first and last date. @param {string} day @returns {[string, string]} */
export function lastMonth(day) {
  const [year, month] = day.split("-").map(Number);
  const first = new Date(Date.UTC(year, month - 2, 1)), last = new Date(Date.UTC(year, month - 1, 0));
  return [first.toISOString().slice(0, 10), last.toISOString().slice(0, 10)];
}
