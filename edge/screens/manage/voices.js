// What guests said and what the staff ask: read, taken on, answered, settled. Never shows a guest's number to whom it is denied.

import { ask, may } from "../kit/session.js";
import { h } from "../kit/view.js";
import { toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, badge, facts, figure, head, loaded, tabs, word } from "./parts.js";
import { amount, from, send, when } from "./store.js";
import { at, go } from "./route.js";
import { edit } from "./form.js";
import { listed } from "./list.js";

/** What staff ask about, as it is offered; a word of the house's own stays as it is. */
const CATEGORIES = ["MAINTENANCE", "IT", "HR", "PAYROLL", "SUPPLIES", "SAFETY", "OTHER"];

/** @param {string[]} parts */
export function draw([tab = "", id = ""]) {
  const names = [...(may("feedback:manage") ? ["feedback"] : []), ...(may("tickets:raise") ? ["queries"] : [])];
  const now = names.includes(tab) ? tab : names[0];
  if (now === "queries" && id) return query(id);
  return [head(t("section.voices")), tabs("voices", names, now), now === "feedback" ? feedback() : queries()];
}

/** Stars as a text that can be read aloud. @param {number | null} rating */
const stars = (rating) => (rating === null ? "–" : h("span", {}, h("span", { "aria-hidden": "true" }, "★".repeat(rating) + "☆".repeat(5 - rating)), h("span", { class: "spoken" }, t("stars", { n: rating }))));

function feedback() {
  return [
    loaded(async () => (await ask("GET", "/tickets/feedback/summary")).data, (said) => h("section", { class: "figures", "aria-label": t("voices.figures") },
      ...["averageRating", "averageFood", "averageService", "averageCleanliness"].map((name) => h("div", { class: "tile" }, figure(t(`f.${name}`), said[name] === null ? "–" : amount(said[name])))), h("div", { class: "tile" }, figure(t("f.callbacksOpen"), amount(said.callbacksOpen))))),
    listed({ path: "/tickets/feedback", caption: t("tab.feedback"), filters: [{ name: "handled", values: ["false", "true"], words: "handled" }, { name: "rating", values: ["1", "2", "3", "4", "5"] }, { name: "callbackWanted", kind: "tick" }, { name: "from", kind: "date" }, { name: "to", kind: "date" }],
      columns: [{ name: "comment", draw: (row) => h("bdi", {}, row.comment ?? t("feedback.noWords")) }, { name: "rating", draw: (row) => stars(row.rating) }, { name: "createdAt", kind: "moment" }, { name: "customerName", draw: (row) => [h("bdi", {}, row.customerName ?? "–"), row.customerPhone ? h("small", {}, row.customerPhone) : null, row.callbackWanted ? h("span", { class: "badge warn" }, t("f.callbackWanted")) : null] }, { name: "status", kind: "badge", words: "voice" }, { name: "note" }],
      open: (row, reload) => () => void edit(t("feedback.one"), {
        value: row, read: async () => (await ask("GET", `/tickets/feedback/${row.id}`)).data,
        note: [h("p", {}, stars(row.rating), " ", h("bdi", {}, row.comment ?? "")), row.orderId ? h("p", {}, h("a", { href: at("orders", row.orderId) }, row.orderNumber ?? t("section.orders"))) : null],
        fields: [{ name: "status", kind: "choice", need: true, values: ["NEW", "IN_PROGRESS", "RESOLVED"], words: "voice" }, ...(may("employees:read") ? [/** @type {import("./fields.js").Field} */ ({ name: "assigneeId", kind: "choice", choices: from("/employees") })] : []), { name: "note", kind: "area" }],
        save: (typed, version) => send("PATCH", `/tickets/feedback/${row.id}`, typed, version),
      }).then((done) => { if (done) { toast(t("saved")); reload(); } }) }),
  ];
}

function queries() {
  let again = () => {};
  const manages = may("tickets:manage");
  return [
    h("header", { class: "sub" }, h("h2", {}, t("tab.queries")), h("button", { type: "button", class: "main", onclick: async () => {
      if (await edit(t("query.add"), { fields: [{ name: "subject", need: true, wide: true }, { name: "body", kind: "area", need: true }, { name: "category", label: t("f.about"), kind: "choice", values: CATEGORIES, words: "about" }, { name: "priority", kind: "choice", need: true, values: ["LOW", "NORMAL", "HIGH", "URGENT"], fresh: () => "NORMAL" }], keep: true, save: ({ category, ...typed }) => send("POST", "/tickets", { ...typed, ...(category ? { category } : {}) }) })) { toast(t("saved")); again(); }
    } }, t("query.add"))),
    listed({ path: "/tickets", caption: t("tab.queries"), onto: (reload) => { again = reload; }, query: manages ? {} : { mine: true }, filters: [{ name: "status", values: ["OPEN", "IN_PROGRESS", "WAITING", "RESOLVED", "CLOSED"], words: "query" }, { name: "priority", values: ["LOW", "NORMAL", "HIGH", "URGENT"] }],
      columns: [{ name: "subject" }, { name: "priority", kind: "badge" }, { name: "status", kind: "badge", words: "query" }, { name: "raisedByName" }, { name: "assigneeName" }, { name: "commentsCount", kind: "number" }, { name: "createdAt", kind: "moment" }],
      open: (row) => at("voices", "queries", row.id) }),
  ];
}

/** @param {string} id */
function query(id) {
  return loaded(async () => (await ask("GET", `/tickets/${id}`)).data, (one, again) => [
    head(one.subject, h("a", { class: "button", href: at("voices", "queries") }, t("back")), may("tickets:manage") ? [
      h("button", { type: "button", onclick: async () => {
        if (await edit(one.subject, { value: one, read: async () => (await ask("GET", `/tickets/${id}`)).data, fields: [{ name: "subject", need: true, wide: true }, { name: "body", kind: "area", need: true }, { name: "status", kind: "choice", need: true, values: ["OPEN", "IN_PROGRESS", "WAITING", "RESOLVED", "CLOSED"], words: "query" }, { name: "priority", kind: "choice", need: true, values: ["LOW", "NORMAL", "HIGH", "URGENT"] }, { name: "category", label: t("f.about"), kind: "choice", need: true, values: CATEGORIES, words: "about" }, { name: "assigneeId", kind: "choice", choices: from("/employees") }], save: (typed, version) => send("PATCH", `/tickets/${id}`, typed, version) })) again();
      } }, t("change")),
      act(t("archive"), async () => { await send("DELETE", `/tickets/${id}`, undefined, one.version); go("voices", "queries"); }, { class: "quiet", bad: true, sure: t("query.archive.sure"), done: t("archived") }),
      one.status !== "RESOLVED" && one.status !== "CLOSED" ? act(t("query.resolve"), async () => { await send("PATCH", `/tickets/${id}`, { status: "RESOLVED" }, one.version); again(); }, { class: "main", done: t("saved") }) : null] : null),
    facts([[t("f.status"), badge("query", one.status)], [t("f.priority"), badge("priority", one.priority)], [t("f.about"), word("about", one.category)], [t("f.raisedByName"), one.raisedByName], [t("f.createdAt"), when(one.createdAt)], [t("f.assigneeName"), one.assigneeName]]),
    h("p", { class: "card" }, h("bdi", {}, one.body)),
    h("h2", {}, t("query.comments")),
    h("ul", { class: "plain" }, ...one.comments.map((/** @type {any} */ each) => h("li", {}, h("b", {}, h("bdi", {}, each.byName)), " ", h("bdi", {}, each.body), h("small", {}, when(each.at))))),
    h("div", { class: "acts start" }, h("button", { type: "button", onclick: async () => { if (await edit(t("query.comment"), { fields: [{ name: "body", kind: "area", need: true }], save: (typed) => send("POST", `/tickets/${id}/comments`, typed) })) again(); } }, t("query.comment"))),
  ]);
}
