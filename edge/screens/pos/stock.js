// What is sold out: one touch marks a dish, one brings it back; a number limits it. Never changes the menu itself.

import { show } from "../kit/dialog.js";
import { ask } from "../kit/session.js";
import { computed, each, h, signal } from "../kit/view.js";
import { t } from "../kit/words.js";
import { foodMark, mark, ownName } from "./dishes.js";
import { find } from "./sums.js";
import { menu, tried } from "./store.js";

/** @typedef {import("./draft.js").Item} Item */

export function stockView() {
  const typed = signal(""), category = signal("");
  const all = computed(() => menu().flatMap((one) => one.items.filter((item) => item.isActive)));
  const off = computed(() => all().filter((item) => !item.isAvailable || item.availability.status !== "IN_STOCK"));
  const list = computed(() => (typed().trim() ? find(all(), typed()) : category() ? all().filter((item) => item.categoryId === category()) : all()));
  return h("div", { class: "pages" },
    h("h1", {}, t("nav.dishes")),
    h("p", { class: "hint" }, t("mark.how")),
    () => (off().length > 0 ? h("section", { class: "off" }, h("h2", {}, t("stock.now")), h("ul", { class: "grid" }, each(off, (item) => item.id, (item) => tile(item, true)))) : null),
    h("div", { class: "finder" }, h("input", { type: "search", "aria-label": t("search"), placeholder: t("search"), value: typed, oninput: (/** @type {any} */ event) => typed.set(event.target.value) })),
    h("div", { class: "strip", role: "group", "aria-label": t("categories") },
      h("button", { type: "button", class: "chip", "aria-pressed": () => String(!category()), onclick: () => category.set("") }, t("stock.all")),
      each(menu, (one) => one.id, (one) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(category() === one().id), onclick: () => category.set(one().id) }, h("bdi", {}, () => one().name)))),
    h("ul", { class: "grid" }, each(list, (item) => item.id, (item) => tile(item, false))));
}

/** @param {() => Item} item @param {boolean} full with its limit */
function tile(item, full) {
  return h("li", {}, h("button", { type: "button", class: () => `dish${item().isAvailable ? "" : " out"}`, "data-dish": () => item().name, "aria-pressed": () => (item().isAvailable ? "false" : "true"), onclick: () => mark(item()) },
    h("span", { class: "name" }, foodMark(item()), h("span", {}, h("bdi", {}, () => item().name), () => ownName(item()))),
    h("span", { class: "facts" }, () => (item().isAvailable ? (item().availability.quantityLeft != null ? h("b", { class: "few" }, t("dish.left", { n: Number(item().availability.quantityLeft) })) : t("stock.in")) : h("b", { class: "gone" }, t("dish.OUT"))))),
    h("button", { type: "button", class: "quiet limit", onclick: () => limit(item()) }, full ? t("stock.change") : t("stock.limit"), h("span", { class: "spoken" }, () => ` ${item().name}`)));
}

/** So many portions are left. @param {Item} item */
async function limit(item) {
  const n = await show(t("stock.left", { dish: item.name }), (close) => {
    const typed = signal("");
    return [
      h("div", { class: "choices numbers" }, ...[1, 2, 3, 5, 8, 10].map((many) => h("button", { type: "button", onclick: () => close(many) }, String(many)))),
      h("form", { class: "inline", onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); if (/^\d{1,4}$/.test(typed.peek())) close(Number(typed.peek())); } },
        h("label", {}, t("stock.many"), h("input", { inputmode: "numeric", value: typed, oninput: (/** @type {any} */ event) => typed.set(event.target.value) })), h("button", { class: "main" }, t("save"))),
      h("div", { class: "acts" }, h("button", { type: "button", class: "quiet", onclick: () => close(-1) }, t("stock.free"))),
    ];
  });
  if (n === null) return;
  await tried(() => (n < 0 ? ask("DELETE", `/menu/items/${item.id}/availability`) : ask("PUT", `/menu/items/${item.id}/availability`, { body: n === 0 ? { status: "OUT_OF_STOCK" } : { status: "LIMITED", quantityLeft: n } })));
}
