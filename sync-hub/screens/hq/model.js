// What head office's screen works out by itself: what is wrong with an outlet, which comes first, how far a publication has come, what an edit
// changes. Pure: no page, no clock of its own, no question to the server.

/** @typedef {import("hub-api").components["schemas"]["HubOutlet"]} Outlet */
/** @typedef {{ kind: string, level: "bad" | "warn", n: number }} Trouble */
/** @typedef {{ todayCents: number, lastWeekCents: number, changePercentage: number | null, late: number, low: number, orders: number, clockDoubt: boolean, unusual: number }} Now */

/** How far a box's clock may be off before somebody is told, in milliseconds. */
export const CLOCK_OFF_MS = 120_000;

/** Rows that wait for longer than this many seconds are trouble even while the box is heard. */
const SLOW_SECONDS = 300;

/** What of each standing somebody has to do something about. @type {Record<string, "bad" | "warn">} */
const STANDINGS = { FORK: "bad", LACKING: "bad", AHEAD: "bad", REVOKED: "bad", RECOVERING: "warn", NEW: "warn" };

/**
 * What is wrong with an outlet, the worst first.
 * @param {Outlet} outlet @param {Now | undefined} now @returns {Trouble[]}
 */
export function troublesOf(outlet, now) {
  /** @type {Trouble[]} */
  const found = [];
  const tell = (/** @type {string} */ kind, /** @type {"bad" | "warn"} */ level, n = 1) => found.push({ kind, level, n });
  if (STANDINGS[outlet.standing]) tell(outlet.standing, STANDINGS[outlet.standing]);
  if (outlet.digest === "BAD") tell("DIGEST", "bad");
  if (!outlet.online && outlet.standing !== "NEW" && outlet.standing !== "REVOKED") tell("OFFLINE", "bad");
  if (outlet.quarantined > 0) tell("QUARANTINE", "bad", outlet.quarantined);
  if (outlet.salvage > 0) tell("SALVAGE", "bad", outlet.salvage);
  if (outlet.withheld > 0) tell("WITHHELD", "bad", outlet.withheld);
  if (Math.abs(outlet.clockOffsetMs ?? 0) > CLOCK_OFF_MS || now?.clockDoubt) tell("CLOCK", "bad");
  if (outlet.online && (outlet.rowsWaiting ?? 0) > 0 && (outlet.lagSeconds ?? 0) > SLOW_SECONDS) tell("SLOW", "warn", outlet.rowsWaiting ?? 0);
  if (outlet.conflicts > 0) tell("CONFLICTS", "warn", outlet.conflicts);
  if ((now?.late ?? 0) > 0) tell("LATE", "warn", now?.late);
  return found.sort((one, other) => Number(other.level === "bad") - Number(one.level === "bad"));
}

/** How bad it is: 0 is well. @param {Trouble[]} troubles */
export function weight(troubles) {
  return troubles.reduce((sum, { level }) => sum + (level === "bad" ? 100 : 1), 0);
}

/**
 * Outlets in the order in which somebody should look at them: trouble first, then by name.
 * @template {{ outlet: Outlet, troubles: Trouble[] }} T @param {T[]} tiles @returns {T[]}
 */
export function troubleFirst(tiles) {
  return [...tiles].sort((one, other) => weight(other.troubles) - weight(one.troubles) || one.outlet.name.localeCompare(other.outlet.name));
}

/**
 * An outlet with what the stream says of it since.
 * @param {Outlet} outlet @param {any} said @returns {Outlet}
 */
export function heardOf(outlet, said) {
  const { online, position, asOf, lagSeconds, rowsWaiting, standing } = said;
  // The stream does not know of withdrawn keys.
  return { ...outlet, online, position, asOf, lagSeconds, rowsWaiting, standing: outlet.standing === "REVOKED" ? "REVOKED" : standing };
}

/** @typedef {{ arrived: number, of: number, refused: number, cancelled: number, waiting: number }} Arrival */

/**
 * How far a publication has come: those where it is in the branch's own log, of all that it goes to.
 * @param {import("hub-api").components["schemas"]["PublicationProgress"]} progress @returns {Arrival}
 */
export function arrival(progress) {
  const { pending, delivered, arrived, effective, cancelled, refused } = progress;
  return { arrived: arrived + effective, of: pending + delivered + arrived + effective + refused + cancelled, refused, cancelled, waiting: pending + delivered };
}

/** Whether it can still be taken back. @param {{ effectiveAt?: string | null, cancelledAt?: string | null }} publication @param {number} now */
export function isCancellable(publication, now) {
  return !publication.cancelledAt && !!publication.effectiveAt && Date.parse(publication.effectiveAt) > now;
}

/**
 * The values of the two ends of a conflict side by side, the columns that differ first.
 * @param {{ branch: { values: any }, headOffice: { values: any } }} conflict @returns {{ column: string, branch: unknown, office: unknown, differs: boolean }[]}
 */
export function bothValues(conflict) {
  const branch = conflict.branch.values ?? {}, office = conflict.headOffice.values ?? {};
  const columns = [...new Set([...Object.keys(branch), ...Object.keys(office)])];
  const rows = columns.map((column) => ({ column, branch: branch[column], office: office[column], differs: JSON.stringify(branch[column]) !== JSON.stringify(office[column]) }));
  return rows.sort((one, other) => Number(other.differs) - Number(one.differs));
}

/**
 * What was typed that is not as it was: the body of a PATCH.
 * @param {Record<string, any>} before @param {Record<string, any>} after @returns {Record<string, any>}
 */
export function changed(before, after) {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => JSON.stringify(value ?? null) !== JSON.stringify(before[name] ?? null)));
}

/** A route as the address shows it: `#/outlet/ID/orders` is its parts. @param {string} hash @returns {string[]} */
export function parts(hash) {
  const found = hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
  return found.length > 0 ? found : ["overview"];
}

/** The date so many days before another. @param {string} date YYYY-MM-DD @param {number} days */
export function daysBefore(date, days) {
  return new Date(Date.parse(`${date}T00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
}

/** Minutes as hours and minutes: 7:05. @param {number | null | undefined} minutes */
export function hours(minutes) {
  if (minutes === null || minutes === undefined) return "–";
  const whole = Math.round(Math.abs(minutes));
  return `${minutes < 0 ? "−" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** The texts of a list typed one below the other or with commas. @param {string} text @returns {string[]} */
export function listed(text) {
  return text.split(/[,\n]/).map((one) => one.trim()).filter(Boolean);
}

/**
 * A local date and time, as a field of a form has it, as a moment; null where there is none.
 * @param {string} text @returns {string | null}
 */
export function momentOf(text) {
  const at = text ? new Date(text) : null;
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : null;
}
