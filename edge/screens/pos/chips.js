// What can be chosen of a dish or for a combo, as buttons: groups with their options, and the dishes of a combo with theirs. Never blocks what
// is optional, and never lets what is sold out be chosen.

import { money } from "../kit/money.js";
import { each, computed, h } from "../kit/view.js";
import { t } from "../kit/words.js";
import { SIZE, changePart, componentsOf, count, isOf, more, none, ownGroups, partsOf, pick, pickMore, tap } from "./choice.js";
import { ownName } from "./dishes.js";
import { dishes, purse } from "./store.js";

/** @typedef {import("./choice.js").Group} Group */
/** @typedef {import("./choice.js").Part} Part */
/** @typedef {import("./choice.js").Item} Item */

/** What a group is called. @param {{ id: string, name: string }} group */
export function titleOf(group) { return group.id === SIZE ? t("size") : group.name; }

/** @param {{ minSelections: number, maxSelections: number | null }} group */
function ruleOf(group) {
  if (group.minSelections > 0 && group.maxSelections === group.minSelections) return t("group.exactly", { n: group.minSelections });
  if (group.minSelections > 0 && group.maxSelections) return t("group.between", { n: group.minSelections, most: group.maxSelections });
  if (group.minSelections > 0) return t("group.least", { n: group.minSelections });
  return group.maxSelections && group.maxSelections > 1 ? t("group.most", { n: group.maxSelections }) : "";
}

/** What is asked on top, as it is read. @param {number} cents */
const onTop = (cents) => (cents ? ` +${money(cents, purse(), true)}` : "");

/**
 * The options of a group. `of`: what has them, a line or a dish of a combo.
 * @template {{ options: import("./choice.js").Choice[] }} T
 * @param {() => Group} group @param {() => T} of @param {(change: (of: T) => T) => void} set
 */
export function options(group, of, set) {
  return h("div", { class: "chips" },
    each(() => group().options.filter((option) => option.isActive), (option) => option.id, (option) => {
      const n = () => of().options.find((one) => one.optionId === option().id)?.count ?? 0;
      const price = () => (group().id === SIZE ? ` ${money(option().priceCents, purse(), true)}` : onTop(option().priceCents));
      return h("span", { class: "option" },
        h("button", { type: "button", class: "chip", "aria-pressed": () => String(n() > 0), disabled: () => !option().isAvailable && n() === 0, onclick: () => set((one) => tap(one, group(), option())) },
          () => (n() > 1 ? `${n()} × ` : ""), h("bdi", {}, () => option().name), price, () => (option().isAvailable ? "" : ` ${t("dish.OUT")}`)),
        h("button", { type: "button", class: "chip one", hidden: () => n() === 0 || group().maxSelections === 1 || (group().maxSelections !== null && count(of(), group()) >= /** @type {number} */ (group().maxSelections)), "aria-label": () => t("option.more", { name: option().name }), onclick: () => set((one) => more(one, group(), option().id, 1)) }, "+"));
    }),
    h("button", { type: "button", class: "chip", hidden: () => group().minSelections > 0 || group().maxSelections !== 1 || count(of(), group()) === 0, onclick: () => set((one) => none(one, group())) }, t("option.none")));
}

/** @param {() => Group} group @param {() => boolean} isLacking @param {Node} chips @param {string} [look] @param {() => string} [of] whose group it is, where that is not plain */
export function field(group, isLacking, chips, look = "", of = () => "") {
  return h("fieldset", { class: () => [look, isLacking() ? "lacks" : ""].join(" ").trim() || null },
    h("legend", {}, h("bdi", {}, () => [of(), titleOf(group())].filter(Boolean).join(" · ")), " ", h("small", {}, () => ruleOf(group()))), chips);
}

/** @typedef {{ part: Part & { at: number }, group: Group, name: string }} Own A group of a dish that is chosen for a combo; `name`: the dish, with its number where it is chosen twice. */

/** What the chosen dishes ask themselves: what must be chosen, or what may be. @param {(Part & { at: number })[]} chosen @param {boolean} must @returns {Own[]} */
function ownOf(chosen, must) {
  return chosen.flatMap((part) => {
    const same = chosen.filter((one) => one.component === part.component && isOf(one, part)), name = same.length > 1 ? `${part.name} ${same.indexOf(part) + 1}` : part.name;
    return ownGroups(part.menuItemId, dishes()).filter((group) => (group.minSelections > 0) === must).map((group) => ({ part, group, name }));
  });
}

/**
 * What is chosen for a combo: each component with its dishes, and what must be chosen of those; behind them what may be.
 * @param {() => Item | undefined} item @param {() => Part[]} parts @param {() => ReadonlySet<string>} lacks ids of what is still to be chosen @param {(change: (parts: Part[]) => Part[]) => void} set
 */
export function combo(item, parts, lacks, set) {
  /** @param {() => Own[]} all */
  const own = (all) => each(all, ({ part, group }) => `${part.at}/${part.menuItemId}/${part.variantId}/${group.id}`, (one) => field(() => one().group, () => lacks().has(`part/${one().part.at}/${one().group.id}`),
    options(() => one().group, () => parts()[one().part.at] ?? one().part, (change) => set((all) => changePart(all, one().part.at, change))), "own", () => one().name));
  const free = computed(() => ownOf(componentsOf(item()).flatMap((component) => partsOf(parts(), component)), false));
  return [
    each(() => componentsOf(item()), ({ id }) => id, (component) => {
      const mine = computed(() => partsOf(parts(), component()));
      return h("div", { class: "component" },
        h("fieldset", { class: () => (lacks().has(`part/${component().name}`) ? "lacks" : null) },
          h("legend", {}, h("bdi", {}, () => component().own ?? component().name), " ", h("small", {}, () => ruleOf(component()))),
          h("div", { class: "offers" }, each(() => component().options, ({ id }) => id, (offer) => offered(item, component, offer, mine, set)))),
        own(() => ownOf(mine(), true)));
    }),
    h("div", { class: "choosing free", hidden: () => free().length === 0 }, own(free)),
  ];
}

/**
 * One dish of a component.
 * @param {() => Item | undefined} item @param {() => import("./choice.js").Component} component @param {() => import("./choice.js").Offer} offer @param {() => Part[]} mine what is chosen for the component
 * @param {(change: (parts: Part[]) => Part[]) => void} set
 */
function offered(item, component, offer, mine, set) {
  const n = () => mine().filter((one) => isOf(one, offer())).length;
  const isFull = () => component().maxSelections > 1 && mine().length >= component().maxSelections;
  const left = () => dishes().get(offer().menuItemId)?.availability.quantityLeft;
  return h("span", { class: "option" },
    h("button", { type: "button", class: () => `offer${offer().isAvailable ? "" : " out"}`, "data-offer": () => offer().name, "aria-pressed": () => String(n() > 0), disabled: () => n() === 0 && (!offer().isAvailable || isFull()),
      onclick: () => set((all) => pick(/** @type {Item} */ (item()), all, component(), offer(), dishes.peek())) },
      h("span", {}, () => (n() > 1 ? `${n()} × ` : ""), h("bdi", {}, () => offer().name)), () => ownName(offer()),
      h("small", {}, () => (!offer().isAvailable ? t("dish.OUT") : [onTop(offer().extraCents).trim(), left() != null ? t("dish.left", { n: Number(left()) }) : ""].filter(Boolean).join(" · ")))),
    h("button", { type: "button", class: "one", hidden: () => n() === 0 || mine().length >= component().maxSelections || !offer().isAvailable, "aria-label": () => t("option.more", { name: offer().name }),
      onclick: () => set((all) => pickMore(/** @type {Item} */ (item()), all, component(), offer(), dishes.peek())) }, "+"));
}
