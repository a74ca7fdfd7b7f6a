// The rest of what a branch can be read by: bills, drawers, kitchen, tables, staff, roster, waste, buying, guests' words, notices, audit. One
// list for all kinds; a row opens with all its fields. Never changes anything.

import { show } from "../../../kit/dialog.js";
import { h, signal } from "../../../kit/view.js";
import { has, soldOf, t } from "../../../kit/words.js";
import { ofOutlet } from "../../chain.js";
import { isNumber, label, loaded, mark, number, pairs, shown, table } from "../../parts.js";

/** Paths with the columns of their lists; `one` leads to a row by itself, `dated` says that they are narrowed by dates. @type {Record<string, { path: string, columns: string, one?: string, rows?: string, dated?: boolean }>} */
const KINDS = {
  invoices: { path: "/orders/invoices", columns: "number at:moment kind:state totalCents:money taxCents:money", one: "/orders/invoices/{id}", dated: true },
  payments: { path: "/orders/payments", columns: "at:moment orderNumber kind:state method:state amountCents:money tipCents:money by", dated: true },
  drawers: { path: "/cash-sessions", columns: "drawer businessDate:date status:state expectedCents:money countedCents:money overShortCents:money", one: "/cash-sessions/{id}" },
  tickets: { path: "/kitchen/tickets", columns: "orderNumber stationName status:state createdAt:moment isLate:yes", one: "/kitchen/tickets/{id}" },
  pass: { path: "/kitchen/orders", columns: "orderNumber tableNumber isReady:yes createdAt:moment serverName" },
  cooking: { path: "/kitchen/all-day", columns: "name quantity:sold inPreparation:number", rows: "dishes" },
  stations: { path: "/kitchen/stations", columns: "name kind:state targetMinutes:number displays:number lastSeenAt:moment", one: "/kitchen/stations/{id}" },
  speed: { path: "/kitchen/stats", columns: "name ticketsCount:number averageTotalSeconds:number lateCount:number recalledCount:number", rows: "stations", dated: true },
  tables: { path: "/tables", columns: "number area seats:number status:state", one: "/tables/{id}" },
  floor: { path: "/floor", columns: "number area status:state dueCents:money", rows: "tables" },
  portions: { path: "/inventory/portions", columns: "name portionsLeft:number" },
  menu: { path: "/menu/items", columns: "name priceCents:money isAvailable:yes", one: "/menu/items/{id}" },
  categories: { path: "/menu/categories", columns: "name sortOrder:number isActive:yes", one: "/menu/categories/{id}" },
  groups: { path: "/menu/modifier-groups", columns: "name minSelections:number maxSelections:number", one: "/menu/modifier-groups/{id}" },
  taxes: { path: "/menu/tax-categories", columns: "name isGoods:yes", one: "/menu/tax-categories/{id}" },
  engineering: { path: "/analytics/menu-engineering", columns: "name class:state quantity:sold marginCents:money popularityPercentage:percent", rows: "items", dated: true },
  sellers: { path: "/analytics/top-sellers", columns: "name categoryName quantity:sold revenueCents:money marginCents:money", rows: "items", dated: true },
  staff: { path: "/employees", columns: "name employeeCode jobTitle status:state", one: "/employees/{id}" },
  present: { path: "/attendance/present", columns: "employeeName since:moment scheduledEnd:moment onBreakSince:moment" },
  punches: { path: "/attendance", columns: "employeeName eventType:state recordedAt:moment status:state needsReview:yes", one: "/attendance/{id}", dated: true },
  shifts: { path: "/shifts", columns: "employeeName date:date startTime endTime shiftType:state status:state", one: "/shifts/{id}", dated: true },
  leave: { path: "/leave-requests", columns: "employeeName fromDate:date toDate:date leaveType:state status:state", one: "/leave-requests/{id}" },
  swaps: { path: "/shifts/swaps", columns: "fromEmployeeName toEmployeeName kind:state status:state", one: "/shifts/swaps/{id}" },
  waste: { path: "/waste-logs", columns: "name quantity:number unit reason:state costCents:money loggedAt:moment loggedBy", one: "/waste-logs/{id}", dated: true },
  buying: { path: "/purchase-orders", columns: "poNumber supplierName status:state expectedDeliveryDate:date totalCents:money", one: "/purchase-orders/{id}", dated: true },
  suppliers: { path: "/inventory/suppliers", columns: "name phone leadTimeDays:number", one: "/inventory/suppliers/{id}" },
  preparations: { path: "/inventory/preparations", columns: "name yield:number unit costCents:money", one: "/inventory/preparations/{id}" },
  counts: { path: "/inventory/stocktakes", columns: "name businessDate:date status:state countedCount:number varianceCostCents:money", one: "/inventory/stocktakes/{id}" },
  sent: { path: "/inventory/transfers", columns: "transferNumber direction:state status:state sentAt:moment costCents:money", one: "/inventory/transfers/{id}" },
  queries: { path: "/tickets", columns: "subject raisedByName priority:state status:state createdAt:moment", one: "/tickets/{id}" },
  feedback: { path: "/tickets/feedback", columns: "createdAt:moment rating:number comment status:state", one: "/tickets/feedback/{id}" },
  notices: { path: "/notifications", columns: "createdAt:moment title severity:state body" },
  losses: { path: "/audit/losses", columns: "at:moment kind:state by approver amountCents:money reason", rows: "entries", dated: true },
  audit: { path: "/audit-log", columns: "at:moment action:state actorName entityType device", dated: true },
  channels: { path: "/channels", columns: "name kind:state commissionBps:bps", one: "/channels/{id}" },
  printers: { path: "/printers", columns: "name address connection:state", one: "/printers/{id}" },
};

/** What kind of value a field is, by its name. @param {string} name @param {any} value */
function kindOf(name, value) {
  if (typeof value === "boolean") return "yes";
  if (/Cents$/.test(name)) return "money";
  if (/Percentage$/.test(name)) return "percent";
  if (/Bps$/.test(name)) return "bps";
  if (/^\d{4}-\d\d-\d\dT/.test(String(value))) return "moment";
  if (/^\d{4}-\d\d-\d\d$/.test(String(value))) return "date";
  if (typeof value === "number") return "number";
  return /^[A-Z][A-Z_]+$/.test(String(value)) ? "state" : "text";
}

/** All fields of a row that have a name here; lists in it as tables. @param {any} row @param {import("../../model.js").Outlet} outlet @returns {import("../../../kit/view.js").Child} */
function fields(row, outlet) {
  const plain = Object.entries(row).filter(([name, value]) => has(`f.${name}`) && (value === null || typeof value !== "object"));
  const lists = Object.entries(row).filter(([name, value]) => has(`f.${name}`) && Array.isArray(value) && value.length > 0 && typeof value[0] === "object");
  return [
    pairs(plain.map(([name, value]) => [label(name), shown(value, kindOf(name, value), outlet.currency, outlet.timezone)])),
    ...lists.map(([name, value]) => {
      const columns = Object.keys(value[0]).filter((key) => has(`f.${key}`) && (value[0][key] === null || typeof value[0][key] !== "object")).slice(0, 7);
      return [h("h3", {}, label(name)), table(label(name), columns.map((key, at) => ({ label: label(key), head: at === 0, number: isNumber(kindOf(key, value[0][key])), cell: (/** @type {any} */ one) => shown(one[key], kindOf(key, one[key]), outlet.currency, outlet.timezone) })), value)];
    }),
  ];
}

/** @param {import("../../model.js").Outlet} outlet @param {string[]} rest */
export function view(outlet, rest) {
  const at = rest[0] && rest[0] in KINDS ? rest[0] : "invoices", { path, columns, one, rows, dated } = KINDS[at];
  const dates = signal(/** @type {Record<string, any>} */ ({})), limit = signal(50);
  const look = (/** @type {any} */ row) => show(t(`record.${at}`), () => loaded(async () => (one ? (await ofOutlet(outlet.id, one.replace("{id}", row.id))).data : row), (full) => [fields(full, outlet), at === "suppliers" && prices(outlet, row.id)]).node, { wide: true });
  const drawn = columns.split(" ").map((text) => text.split(":"));
  return [
    h("div", { class: "choose" },
      h("label", {}, t("records.kind"), h("select", { onchange: (/** @type {Event} */ event) => { location.hash = `#/outlet/${outlet.id}/records/${/** @type {HTMLSelectElement} */ (event.target).value}`; } }, ...Object.keys(KINDS).map((name) => h("option", { value: name, selected: name === at }, t(`record.${name}`))))),
      dated && h("form", { class: "row", onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); dates.set(Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (event.target)))); } },
        h("label", {}, t("f.from"), h("input", { type: "date", name: "from" })), h("label", {}, t("f.to"), h("input", { type: "date", name: "to" })), h("button", {}, t("show")))),
    at === "invoices" && proof(outlet),
    loaded(() => ofOutlet(outlet.id, path, { ...(dated ? dates() : {}), ...(rows ? {} : { limit: limit() }) }), ({ data, meta }) => {
      const list = rows ? data[rows] ?? [] : data;
      return [table(t(`record.${at}`), drawn.map(([name, kind = "text"], n) => ({
        label: label(name), head: n === 0, number: kind === "sold" || isNumber(kind),
        cell: (/** @type {any} */ row) => { const value = kind === "sold" ? soldOf(row, number(row[name])) : shown(row[name], kind, outlet.currency, outlet.timezone); return n === 0 ? h("button", { type: "button", class: "quiet start", onclick: () => void look(row) }, value) : value; },
      })), list), (meta?.total ?? 0) > list.length && limit() < 100 && h("div", { class: "acts" }, h("button", { type: "button", onclick: () => limit.set(100) }, t("more")))];
    }).node,
  ];
}

/** What a supplier takes, as agreed and as paid last. @param {import("../../model.js").Outlet} outlet @param {string} id */
function prices(outlet, id) {
  const cost = (/** @type {number | null} */ cents, /** @type {string | null} */ unit) => (cents === null ? "–" : `${shown(cents, "money", outlet.currency)}${unit ? ` / ${unit}` : ""}`);
  return loaded(() => ofOutlet(outlet.id, `/inventory/suppliers/${id}/prices`), ({ data }) => data.length > 0 && [h("h3", {}, t("supplier.prices")), table(t("supplier.prices"), [
    { label: label("name"), head: true, cell: (row) => h("bdi", {}, row.name) }, { label: label("agreedUnitCostCents"), number: true, cell: (row) => cost(row.agreedUnitCostCents, row.agreedUnit) },
    { label: label("lastUnitCostCents"), number: true, cell: (row) => cost(row.lastUnitCostCents, row.lastUnit) }, { label: label("lastDeliveredOn"), cell: (row) => shown(row.lastDeliveredOn, "date", outlet.currency, outlet.timezone) },
  ], data)]).node;
}

/** Whether no bill is missing and none was changed. @param {import("../../model.js").Outlet} outlet */
function proof(outlet) {
  return loaded(() => ofOutlet(outlet.id, "/orders/invoices/verify"), ({ data }) => h("p", { class: data.valid ? "good" : "bad" }, mark(t(data.valid ? "records.proved" : "records.unproved", { n: data.checked }), data.valid ? "good" : "bad"), data.problems.map((/** @type {string} */ one) => h("small", {}, one)))).node;
}
