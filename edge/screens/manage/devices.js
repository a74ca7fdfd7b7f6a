// Devices, printers, kitchen stations: let in, named, moved, tried, taken out. A device gets in by its code and somebody's yes alone.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { toast } from "../kit/dialog.js";
import { LANGUAGES, t } from "../kit/words.js";
import { act, badge, head, loaded, tabs, word } from "./parts.js";
import { from, outlet, send, when } from "./store.js";
import { textsField } from "./texts.js";
import { at } from "./route.js";
import { edit } from "./form.js";
import { listed } from "./list.js";
import { resource } from "./resource.js";

/** @param {string[]} parts */
export function draw([tab = ""]) {
  const names = [...(may("devices:manage") ? ["screens"] : []), ...(may("printers:write") ? ["printers", "jobs", "layout"] : []), ...(may("kitchen:write") ? ["stations"] : []), ...(may("accounts:manage") ? ["sessions"] : [])];
  const now = names.includes(tab) ? tab : names[0];
  return [head(t("section.devices")), tabs("devices", names, now), /** @type {Record<string, () => any>} */ ({ screens, printers, jobs, layout, stations, sessions })[now]()];
}

function screens() {
  let again = () => {};
  const station = /** @type {import("./fields.js").Field} */ ({ name: "stationId", kind: "choice", choices: from("/kitchen/stations"), hint: "device.station.hint" });
  const code = /** @type {import("./fields.js").Field} */ ({ name: "userCode", need: true, hint: "device.code.hint" });
  return [
    h("header", { class: "sub" }, h("h2", {}, t("tab.screens")), h("div", { class: "acts" },
      h("button", { type: "button", onclick: async () => { if (await edit(t("device.deny"), { act: t("device.deny"), fields: [code], save: (typed) => send("POST", "/devices/deny", typed) })) toast(t("device.denied")); } }, t("device.deny")),
      h("button", { type: "button", class: "main", onclick: async () => {
        const made = await edit(t("device.approve"), { act: t("device.approve"), fields: [code, station], save: ({ userCode, stationId }) => send("POST", "/devices/approve", { userCode, ...(stationId ? { stationId } : {}) }) });
        if (made) { toast(t("device.approved", { name: made.name })); again(); }
      } }, t("device.approve")))),
    h("p", { class: "hint" }, t("device.text")),
    listed({ path: "/devices", caption: t("tab.screens"), onto: (reload) => { again = reload; }, empty: t("device.none"),
      columns: [{ name: "name" }, { name: "kind", kind: "word", words: "device" }, { name: "lastSeenAt", kind: "moment" }, { name: "signedIn", draw: (row) => (row.silentSince ? [badge("seen", "LATE"), h("small", {}, when(row.silentSince))] : badge("seen", row.signedIn ? "IN" : "OUT")) }, { name: "approvedByName" }, { name: "pairedAt", kind: "moment" }],
      open: (row, reload) => () => void edit(row.name, { value: row, fields: [{ name: "name", need: true }, ...(row.kind === "KITCHEN" ? [station] : [])], save: (typed, version) => send("PATCH", `/devices/${row.id}`, typed, version) }).then((done) => { if (done) reload(); }),
      acts: (row, reload) => act(t("remove"), async () => { await send("DELETE", `/devices/${row.id}`, undefined, row.version); reload(); }, { sure: t("device.remove.sure", { name: row.name }), bad: true, class: "quiet", spoken: `${t("remove")}: ${row.name}`, done: t("saved") }) }),
  ];
}

function printers() {
  return resource({
    name: "printers", path: "/printers", right: "printers:write", intro: t("printers.text"),
    fields: [{ name: "name", need: true }, { name: "connection", kind: "choice", need: true, values: ["TCP", "USB", "SPOOL"], fresh: () => "TCP" }, { name: "address", need: true, hint: "printer.address.hint" }, { name: "width", kind: "number", empty: 80, fresh: () => 80, hint: "printer.width.hint" },
      { name: "roles", kind: "many", values: ["RECEIPT", "KITCHEN", "REPORT"], words: "printerRole" }, { name: "stationIds", kind: "many", label: t("section.stations"), choices: from("/kitchen/stations") },
      { name: "autoPrint", kind: "choice", need: true, values: ["NEVER", "INVOICE", "PAYMENT"], fresh: () => "NEVER" }, { name: "profile", kind: "choice", need: true, values: ["GENERIC", "EPSON", "MUTE"], fresh: () => "GENERIC" }, { name: "language" }, { name: "fallbackPrinterId", kind: "choice", choices: from("/printers") }, { name: "expiresMinutes", kind: "number" }, { name: "drawer", label: t("f.hasDrawer"), kind: "tick" }, { name: "cutter", kind: "tick", fresh: () => true }],
    columns: [{ name: "name" }, { name: "connection", kind: "word" }, { name: "address" }, { name: "roles", draw: (row) => row.roles.map((/** @type {string} */ one) => t(`printerRole.${one}`)).join(", ") }, { name: "autoPrint", kind: "word" }],
    acts: (row) => [act(t("printer.test"), () => send("POST", `/printers/${row.id}/test`), { done: t("printing"), spoken: `${t("printer.test")}: ${row.name}` })],
  });
}

function jobs() {
  return listed({ path: "/print-jobs", caption: t("tab.jobs"), filters: [{ name: "status", values: ["QUEUED", "SENT", "DONE", "FAILED", "EXPIRED"], words: "job" }, { name: "printerId", choices: from("/printers") }],
    columns: [{ name: "kind", draw: (row) => [word("printed", row.kind), row.copyNumber > 0 ? h("small", {}, t("job.copy", { n: row.copyNumber })) : null] }, { name: "status", draw: (row) => [badge("job", row.status), row.fellBackFrom ? h("small", {}, t("job.fellBack")) : null] }, { name: "createdAt", kind: "moment" }, { name: "printerAddress" }, { name: "tries", kind: "number" }, { name: "lastError" }],
    acts: (row, reload) => {
      const again = copyOf(row);
      return [row.orderId && may("orders:read") ? h("a", { class: "button", href: at("orders", row.orderId) }, t("f.orderNumber")) : null,
        again ? act(t("job.again"), async () => { await again(); reload(); }, { done: t("printing"), spoken: `${t("job.again")}: ${word("printed", row.kind)}, ${when(row.createdAt)}` }) : null];
    } });
}

/** How a piece of paper is printed once more, as a copy of its own; null where nothing can make it. @param {any} row */
function copyOf(row) {
  const where = row.printerId ? { printerId: row.printerId } : {};
  if (row.kind === "RECEIPT" && row.orderId) return () => send("POST", `/orders/${row.orderId}/receipt/print`, where);
  if (row.kind === "KITCHEN" && row.ticketId && may("kitchen:operate")) return () => send("POST", `/kitchen/tickets/${row.ticketId}/reprint`);
  if (row.kind === "TEST" && row.printerId) return () => send("POST", `/printers/${row.printerId}/test`);
  return null;
}

/** Texts as they stand on a receipt, each in its language. @param {Record<string, string>} by */
const texts = (by) => Object.entries(by).map(([code, text]) => h("p", { class: "as-centre", lang: code }, h("bdi", {}, text)));

/** What stands above and below every receipt. */
function layout() {
  return loaded(async () => (await ask("GET", "/print-layout")).data, (now, again) => h("section", { class: "card" }, h("h2", {}, t("tab.layout")), h("p", {}, t("layout.text")),
    h("div", { class: "receipt strip", "aria-label": t("receipt"), role: "group" }, now.logo ? h("img", { class: "logo", src: `data:image/png;base64,${now.logo}`, alt: t("layout.logo") }) : null, h("p", { class: "as-title" }, h("bdi", {}, outlet().name)), texts(now.headers), h("hr"), h("p", { class: "as-centre", "aria-hidden": "true" }, "· · ·"), h("hr"), texts(now.footers)),
    h("label", {}, t(now.logo ? "layout.logo.other" : "layout.logo.add"), h("input", { type: "file", accept: ".png,image/png", "aria-describedby": "logo-hint", onchange: (/** @type {any} */ event) => void logo(event.target, again) })), h("small", { id: "logo-hint" }, t("layout.logo.hint")),
    h("div", { class: "acts" }, now.logo ? act(t("layout.logo.remove"), async () => { await send("PATCH", "/print-layout", { logo: null }); again(); }, { class: "quiet", done: t("saved") }) : null, h("button", { type: "button", onclick: async () => {
      const parts = ["headers", "footers"].flatMap((part) => /** @type {(keyof typeof LANGUAGES)[]} */ (Object.keys(LANGUAGES)).map((code) => /** @type {import("./fields.js").Field} */ ({ name: `${part}.${code}`, kind: "area", label: `${t(`layout.${part}`)}: ${LANGUAGES[code]}` })));
      const done = await edit(t("tab.layout"), { value: now, fields: [...parts, { name: "billCode", kind: "tick" }, { name: "guestCode", kind: "tick" }], save: (typed) => {
        const texts = (/** @type {any} */ changed, /** @type {any} */ before) => Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, text]) => text));
        return send("PATCH", "/print-layout", { ...typed, ...(typed.headers ? { headers: texts(typed.headers, now.headers) } : {}), ...(typed.footers ? { footers: texts(typed.footers, now.footers) } : {}) });
      } });
      if (done) { toast(t("saved")); again(); }
    } }, t("change")))));
}

/** Takes the logo of a file. @param {HTMLInputElement} input @param {() => void} again */
async function logo(input, again) {
  const file = input.files?.[0];
  if (!file) return;
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    await send("PATCH", "/print-layout", { logo: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) });
    toast(t("saved"));
    again();
  } catch (error) {
    toast(said(error), "bad");
  }
  input.value = "";
}

function stations() {
  return resource({
    name: "stations", path: "/kitchen/stations", right: "kitchen:write",
    fields: [{ name: "name", need: true }, { name: "kind", kind: "choice", need: true, values: ["PREP", "EXPO"], words: "stationKind", fresh: () => "PREP" }, { name: "targetMinutes", kind: "number", empty: 15, fresh: () => 15 }, { name: "isDefault", label: t("f.isDefaultStation"), kind: "tick" }, { name: "printTickets", kind: "tick" }, { name: "printerAddress" }, { name: "fallbackStationId", kind: "choice", choices: from("/kitchen/stations"), hint: "station.fallback.hint" }, { name: "language" }, textsField(["name"])],
    columns: [{ name: "name" }, { name: "kind", kind: "word", words: "stationKind" }, { name: "targetMinutes", kind: "number" }, { name: "displays", kind: "number", draw: (row) => (row.displays > 0 ? String(row.displays) : [badge("seen", "LATE"), h("small", {}, row.unwatchedSince ? when(row.unwatchedSince) : "")]) }, { name: "printTickets", kind: "yes" }],
  });
}

/** Who is signed in where. */
function sessions() {
  return listed({ path: "/auth/sessions", caption: t("tab.sessions"), query: { all: true }, columns: [{ name: "accountName" }, { name: "role", kind: "word", words: "roles" }, { name: "deviceName", draw: (row) => [h("bdi", {}, row.deviceName ?? "–"), row.current ? [" ", h("span", { class: "badge good" }, t("session.this"))] : null] }, { name: "lastUsedAt", kind: "moment" }, { name: "createdAt", kind: "moment" }],
    acts: (row, reload) => (row.current ? null : act(t("signout"), async () => { await send("DELETE", `/auth/sessions/${row.id}`); reload(); }, { sure: t("session.end.sure", { name: row.accountName }), spoken: `${t("signout")}: ${row.accountName}` })) });
}
