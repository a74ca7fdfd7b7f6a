// Counting: number keys, Enter for the next. Each count is sent when it is left, so nothing typed is lost; the box compares it with the stock of
// that moment. Never shows what is expected where the count is blind.

import { isPassing } from "../kit/api.js";
import { recall, remember } from "../kit/keep.js";
import { ask, may, user } from "../kit/session.js";
import { h, onEnd, signal } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, badge, facts, head, loaded, word } from "./parts.js";
import { amount, cash, send, when } from "./store.js";
import { NotMeant, meant } from "./fields.js";
import { at, go } from "./route.js";
import { edit } from "./form.js";
import { table } from "./list.js";

/** @param {string} id */
export function stocktake(id) {
  return loaded(async () => (await ask("GET", `/inventory/stocktakes/${id}`)).data, (one, again) => [
    head(one.name, h("a", { class: "button", href: at("stock", "stocktakes") }, t("back")), ...(one.status === "OPEN" ? ends(one, again) : [])),
    facts([[t("f.status"), badge("stocktake", one.status)], [t("f.openedAt"), when(one.openedAt)], [t("f.openedBy"), one.openedBy], [t("f.category"), one.category], [t("f.endedBy"), one.endedBy],
      [t("f.missingCostCents"), one.missingCostCents === null ? null : cash(one.missingCostCents)], [t("f.foundCostCents"), one.foundCostCents === null ? null : cash(one.foundCostCents)], [t("f.varianceCostCents"), one.varianceCostCents === null ? null : cash(one.varianceCostCents)]]),
    one.status === "OPEN" && may("inventory:count") ? counting(one) : table({
      caption: one.name, rows: one.lines, columns: [{ name: "name", draw: (row) => [h("bdi", {}, row.name), row.batchNumber ? h("small", {}, row.batchNumber) : null] }, { name: "expectedQuantity", kind: "amount" }, { name: "countedQuantity", kind: "amount" }, { name: "varianceQuantity", kind: "amount" }, { name: "varianceCostCents", kind: "money" }, { name: "countedBy" }],
    }),
  ]);
}

/** Closing it, or giving it up. @param {any} one @param {() => void} again */
function ends(one, again) {
  return !may("inventory:adjust") ? [] : [
    act(t("stocktake.cancel"), async () => { await send("POST", `/inventory/stocktakes/${one.id}/cancel`); again(); }, { sure: t("stocktake.cancel.sure"), bad: true }),
    h("button", { type: "button", class: "main", onclick: async () => {
      const done = await edit(t("stocktake.close"), { act: t("stocktake.close"), fields: [{ name: "uncounted", kind: "choice", need: true, values: ["KEEP", "ZERO"], fresh: () => "KEEP", hint: "stocktake.close.hint" }], save: (typed) => send("POST", `/inventory/stocktakes/${one.id}/close`, typed) });
      if (done) { toast(t("stocktake.closed")); go("stock", "stocktakes", one.id); again(); }
    } }, t("stocktake.close")),
  ];
}

/** A line for each item; Enter sends what was counted and goes to the next. @param {any} one */
function counting(one) {
  const left = signal(one.lines.filter((/** @type {any} */ line) => line.countedAt === null).length);
  /** @type {HTMLInputElement[]} */
  const inputs = [];
  // What was typed and not taken yet outlives a reload, for whoever typed it.
  const kept = `manage.count.${user.peek()?.id}.${one.id}`, waiting = /** @type {Record<string, string>} */ (recall(kept, {}));
  /** @param {string} line @param {string | null} typed */
  const keep = (line, typed) => { if (typed === null) delete waiting[line]; else waiting[line] = typed; remember(kept, Object.keys(waiting).length > 0 ? waiting : undefined); };
  const rows = [...one.lines].sort((/** @type {any} */ a, /** @type {any} */ b) => a.category.localeCompare(b.category) || a.name.localeCompare(b.name)).map((/** @type {any} */ line, index) => {
    const state = signal(/** @type {{ is: "" | "busy" | "done" | "wrong", text?: string }} */ ({ is: line.countedAt ? "done" : "" })), expected = signal(line.expectedQuantity);
    const name = `${line.inventoryItemId} ${line.batchNumber ?? ""}`;
    let sent = line.countedQuantity === null ? "" : String(line.countedQuantity), timer = 0;
    onEnd(() => clearTimeout(timer));
    const input = /** @type {HTMLInputElement} */ (h("input", { class: "number", inputmode: "decimal", autocomplete: "off", value: waiting[name] ?? sent, "aria-label": t("stocktake.count.of", { name: line.name, unit: line.unit }), "aria-invalid": () => (state().is === "wrong" ? "true" : null),
      onfocus: () => input.select(), onblur: () => void put(), onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" || event.key === "ArrowDown") { event.preventDefault(); (inputs[index + 1] ?? inputs[0]).focus(); }
        if (event.key === "ArrowUp") { event.preventDefault(); (inputs[index - 1] ?? input).focus(); }
      } }));
    inputs.push(input);
    if (name in waiting) timer = setTimeout(() => void put(), 0);
    async function put() {
      const typed = input.value.trim();
      clearTimeout(timer);
      if (typed === sent || typed === "") return;
      let quantity;
      try { quantity = meant({ name: "count", kind: "decimal" }, typed, 0); } catch (error) {
        if (error instanceof NotMeant) { state.set({ is: "wrong", text: t("wrong.decimal") }); return; }
        throw error;
      }
      const before = sent, first = sent === "";
      sent = typed;
      keep(name, typed);
      state.set({ is: "busy" });
      try {
        const now = await send("POST", `/inventory/stocktakes/${one.id}/counts`, { lines: [{ inventoryItemId: line.inventoryItemId, countedQuantity: quantity, ...(line.batchNumber ? { batchNumber: line.batchNumber } : {}) }] });
        const mine = now.lines.find((/** @type {any} */ each) => each.inventoryItemId === line.inventoryItemId && each.batchNumber === line.batchNumber);
        if (waiting[name] === typed) keep(name, null);
        expected.set(mine?.expectedQuantity ?? null);
        state.set({ is: "done" });
        if (first) left.update((n) => n - 1);
      } catch (error) {
        sent = before;
        state.set({ is: "wrong", text: said(error) });
        // What the box did not hear of is told again; what it refuses is for whoever counts to mend.
        if (isPassing(error)) timer = setTimeout(() => void put(), 3_000); else keep(name, null);
      }
    }
    return h("li", { class: () => `count ${state().is}` },
      h("div", { class: "what" }, h("b", {}, h("bdi", {}, line.name)), h("small", {}, line.category, line.batchNumber ? ` · ${line.batchNumber}` : "", () => (one.blind || expected() === null ? "" : ` · ${t("stocktake.expected", { quantity: amount(expected(), line.unit) })}`))),
      input, h("span", { class: "unit" }, line.unit),
      h("span", { class: "state", role: "status" }, () => ({ "": "", busy: "…", done: `✓ ${t("stocktake.counted")}`, wrong: state().text ?? "" })[state().is]));
  });
  return [
    h("p", { class: "hint" }, t("stocktake.text"), " ", h("b", { role: "status" }, () => t("stocktake.left", { n: left() }))),
    h("ol", { class: "counts", "aria-label": word("stocktake", one.status) }, ...rows),
  ];
}
