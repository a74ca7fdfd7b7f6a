// Whether everything that a person may change of an outlet, a table, a printer and the rest has its place in a form of Manage. The published
// document says what may be changed; what no form asks for stands here with its reason. And whether every value that it names has a word.
// Needs no browser.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { groupsOf } from "../../edge/screens/manage/outletfields.js";

const document = JSON.parse(readFileSync(new URL("../../edge/openapi.json", import.meta.url), "utf8"));
const source = (/** @type {string} */ name) => readFileSync(new URL(`../../edge/screens/manage/${name}`, import.meta.url), "utf8");
const english = source("words/en.js") + source("../kit/words/en.js");

/** What a schema is, where it is named. @param {any} schema @returns {any} */
function meant(schema) {
  if (schema.$ref) return meant(document.components.schemas[schema.$ref.split("/").at(-1)]);
  const one = (schema.anyOf ?? []).find((/** @type {any} */ each) => each.type !== "null");
  return one ? meant(one) : schema;
}

/** The paths of what can be typed below a schema: till.ageing.warnMinutes. @param {any} schema @param {string} [path] @returns {string[]} */
function leaves(schema, path = "") {
  const { properties, additionalProperties } = meant(schema);
  if (!properties || (additionalProperties && Object.keys(properties).length === 0)) return [path];
  return Object.entries(properties).flatMap(([name, one]) => leaves(one, path ? `${path}.${name}` : name));
}

/** What no form of the settings asks for, and why. */
const NOT_ASKED = {
  code: "it is in every number of the outlet and cannot be changed: shown",
  serviceChargeBps: "the same as serviceCharge.bps",
};

test("every setting of the outlet that may be changed has a field, and no field is of anything else", () => {
  const fields = groupsOf((name) => name, (_kind, value) => value).flatMap(([, list]) => list);
  const asked = fields.filter(({ fixed }) => !fixed).map(({ name }) => name);
  // A limit by role is a map: its roles are its fields.
  const known = leaves(document.components.schemas.UpdateOutlet);
  const maps = ["discountLimitBps", "payOutLimitCents"];
  const missing = known.filter((path) => !asked.includes(path) && !(path in NOT_ASKED) && !maps.some((map) => path === map && asked.some((name) => name.startsWith(`${map}.`))));
  assert.deepEqual(missing, []);
  assert.deepEqual(asked.filter((name) => !known.includes(name) && !maps.includes(name.split(".")[0])), []);
  assert.deepEqual(Object.keys(NOT_ASKED).filter((name) => asked.includes(name) || !known.includes(name)), []);
  assert.equal(new Set(asked).size, asked.length);
});

test("each group of settings and each of its fields has its words", () => {
  const words = (/** @type {string} */ name) => english.includes(`"${name}":`);
  const lacking = [];
  for (const [name, list] of groupsOf((word) => { if (!words(word)) lacking.push(word); return word; }, (kind, value) => { if (!words(`${kind}.${value}`)) lacking.push(`${kind}.${value}`); return value; })) {
    for (const word of [`set.${name}`, `set.${name}.text`, ...list.filter(({ label }) => !label).map((field) => `f.${field.name}`), ...list.flatMap(({ hint }) => hint ?? []), ...list.flatMap(({ of }) => (of ?? []).map((one) => `f.${one.name}`)),
      ...list.flatMap((field) => (field.values ?? []).map((value) => `${field.words ?? field.name}.${value}`))]) if (!words(word)) lacking.push(word);
  }
  assert.deepEqual(lacking, []);
});

/** Of other records: the files with the form, the route that changes it, and what is not asked for. @type {[string, string, Record<string, string>][]} */
const FORMS = [
  ["floor.js", "/tables/{id}", { position: "the table is dragged, or moved by buttons and keys" }],
  ["devices.js", "/devices/{id}", {}], ["devices.js", "/printers/{id}", { codePages: "the model of the printer says them; a printer with others is set up by whoever looks after the box" }], ["devices.js", "/print-layout", {}], ["devices.js", "/kitchen/stations/{id}", {}],
  ["stock.js", "/inventory/items/{id}", {}], ["stock.js", "/inventory/preparations/{id}", {}], ["buying.js", "/inventory/suppliers/{id}", {}], ["purchase.js", "/purchase-orders/{id}", {}],
  ["settings.js", "/channels/{id}", {}], ["person.js", "/employees/{id}", {}], ["person.js", "/employees/{id}/account", { channelIds: "of other systems, which are no employees" }], ["roster.js", "/shifts/{id}", {}],
  ["menu.js windows.js texts.js", "/menu/categories/{id}", {}],
  ["menu.js windows.js combo.js texts.js", "/menu/items/{id}", { availableFrom: "the first of the windows", availableTo: "the same", availableDays: "the same" }], ["pricelists.js windows.js entries.js", "/menu/price-lists/{id}", {}],
  ["menu.js texts.js", "/menu/modifier-groups/{id}", {}], ["menu.js", "/menu/tax-categories/{id}", {}],
  ["voices.js", "/tickets/{id}", {}], ["voices.js", "/tickets/feedback/{id}", {}],
];

test("what may be changed of tables, devices, stock, suppliers, staff, dishes and queries has a field", () => {
  const lacking = FORMS.flatMap(([file, path, exceptions]) => {
    const text = file.split(" ").map(source).join("\n"), known = Object.keys(meant(document.paths[path].patch.requestBody.content["application/json"].schema).properties);
    return [...known.filter((name) => !(name in exceptions) && !new RegExp(`\\b${name}\\b`).test(text)).map((name) => `${file}: ${name} of ${path}`), ...Object.keys(exceptions).filter((name) => !known.includes(name)).map((name) => `${name} is nothing of ${path}`)];
  });
  assert.deepEqual(lacking, []);
});

/** What the values of a kind are called in the words, by the schema that names them. */
const KINDS = {
  AutoPrint: "autoPrint", ChannelKind: "channelKind", Class: "class", ClockFault: "fault", Connection: "connection", CreditReason: "credit", DeviceKind: "device", Dietary: "dietary", Direction: "direction", DocumentKind: "paper", EmployeeStatus: "employed",
  EmploymentType: "employmentType", EntryKind: "entry", FallbackReason: "fallback", FeedbackStatus: "voice", Footing: "standing", InvoiceKind: "invoice", JobKind: "printed", JobStatus: "job", LeaveStatus: "decided", LeaveType: "leave", LossKind: "loss", OrderStatus: "order", OrderType: "orderType",
  PaymentMethod: "method", PrinterRole: "printerRole", Priority: "priority", Profile: "profile", PurchaseOrderMode: "mode", PurchaseOrderStatus: "po", QrOrderApproval: "qrOrderApproval", RankBy: "by", ReconciledKind: "agreed", ReviewState: "reviewed", RoomState: "disk",
  Rotation: "rotation", SessionStatus: "drawer", ShiftType: "shift", SkipReason: "skip", SoldBy: "soldBy", Source: "source", State: "state", StationKind: "stationKind", StockPolicy: "stockPolicy", StocktakeStatus: "stocktake", SwapStatus: "swap", TableShape: "shape", TaxKind: "taxKind",
  TaxScheme: "taxScheme", TaxedBy: "taxedBy", TicketStatus2: "query", TransferStatus: "transfer", Uncounted: "uncounted", WasteReason: "waste", WeightUnit: "unit",
};

test("every value that the branch names has a word, and every kind that is shown has some", () => {
  // Some are the kit's.
  const words = new Set([...english.matchAll(/^ {2}"([^"]+)":/gm)].map(([, name]) => name));
  const lacking = Object.entries(KINDS).flatMap(([schema, kind]) => {
    const values = document.components.schemas[schema]?.oneOf?.map((/** @type {any} */ one) => one.const);
    return values ? values.filter((/** @type {string} */ value) => !words.has(`${kind}.${value}`)).map((/** @type {string} */ value) => `${kind}.${value}`) : [`${schema} is no kind`];
  });
  const kinds = new Set([...words].filter((name) => name.includes(".")).map((name) => name.split(".")[0]));
  for (const name of readdirSync(new URL("../../edge/screens/manage/", import.meta.url)).filter((one) => one.endsWith(".js"))) {
    for (const [, kind] of source(name).matchAll(/(?:\b(?:word|badge)\(|words: )"(\w+)"/g)) if (!kinds.has(kind)) lacking.push(`${name}: ${kind}`);
  }
  assert.deepEqual(lacking, []);
});

test("what every screen says of a box that is not simply the branch's is asked of words that the branch says", () => {
  const named = document.components.schemas.Footing.oneOf.map((/** @type {any} */ one) => one.const);
  const asked = source("../kit/connection.js").split("\n").filter((line) => line.includes("?.standing")).flatMap((line) => [...line.matchAll(/"([A-Z_]+)"/g)].map(([, word]) => word));
  assert.ok(asked.length > 0);
  assert.deepEqual(asked.filter((word) => !named.includes(word)), []);
});
