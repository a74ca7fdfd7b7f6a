// A file of records as people fill it in: what kind of file it is, and which cell a complaint means. No document, no fetch, no clock; never decides
// what is right in it: the server does.

/** What the server takes a file as. @param {string} name @param {string} text */
export function typeOf(name, text) {
  return /\.json$/i.test(name) || (!/\.(csv|tsv|txt)$/i.test(name) && /^\s*[{[]/.test(text)) ? "application/json" : "text/csv";
}

/** What stands between cells: whatever of the three is most often in the first line. @param {string} text */
function between(text) {
  const first = text.split(/\r?\n/, 1)[0].replace(/"[^"]*"/g, "");
  return [",", ";", "\t"].map((sign) => ({ sign, n: first.split(sign).length })).sort((a, b) => b.n - a.n)[0].sign;
}

/** The rows of a CSV file with their cells; a cell in quotes may have line ends in it. @param {string} given @returns {string[][]} */
export function cellsOf(given) {
  const text = given.replace(/^\uFEFF/, ""), sign = between(text);
  const rows = /** @type {string[][]} */ ([[]]);
  let cell = "", quoted = false;
  const last = () => rows[rows.length - 1];
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at];
    if (quoted) {
      if (one !== '"') cell += one;
      else if (text[at + 1] === '"') { cell += '"'; at += 1; } else quoted = false;
    } else if (one === '"' && cell === "") quoted = true;
    else if (one === sign) { last().push(cell); cell = ""; } else if (one === "\n") { last().push(cell.replace(/\r$/, "")); cell = ""; rows.push([]); } else cell += one;
  }
  if (cell !== "" || last().length > 0) last().push(cell); else rows.pop();
  return rows;
}

/**
 * Where a complaint belongs and what stands there: `rows[12].unit` is row 12 of a spreadsheet, `items[11].unit` the twelfth record of JSON.
 * @param {string} name @param {string[][]} cells
 * @returns {{ row: number | null, column: string, value: string }}
 */
export function placeOf(name, cells) {
  const found = /^(rows|items)\[(\d+)\]\.?(.*)$/.exec(name);
  if (!found) return { row: null, column: name, value: "" };
  const row = Number(found[2]) + (found[1] === "items" ? 1 : 0), column = found[3];
  const at = (cells[0] ?? []).findIndex((one) => one.trim() === column);
  return { row, column, value: found[1] === "rows" && row > 1 && at >= 0 ? cells[row - 1]?.[at] ?? "" : "" };
}

/** Whether taking the file in would do anything. @param {Record<string, any>} counts */
export function doesAnything(counts) {
  return Object.entries(counts).some(([name, n]) => /(reated|pdated)$/.test(name) && Number(n) > 0);
}

/** What was counted, in the order it is told: what has nothing to tell is left out, but what is new, changed and as it was. @param {Record<string, any>} counts @returns {[string, number][]} */
export function told(counts) {
  const first = ["created", "updated", "unchanged"];
  const rest = Object.keys(counts).filter((name) => !first.includes(name) && name !== "rows" && typeof counts[name] === "number" && counts[name] > 0);
  return [...first, ...rest].map((name) => [name, counts[name] ?? 0]);
}
