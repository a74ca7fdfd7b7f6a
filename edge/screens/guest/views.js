// What a guest sees: the menu with its filters, one dish with its choices, the cart with its total, how far the orders are. Draws and hands on;
// what a dish is made of is told by shape and word.

import { h, computed, each, effect, signal, svg } from "../kit/view.js";
import { money, percent } from "../kit/money.js";
import { has, locale, t, weightOf } from "../kit/words.js";
import { SIZE, allergensOf, atPrice, componentsOf, countOf, currentParts, defaultsOf, filled, groupsOf, isByWeight, isOf, isOne, lineOf, ownGroups, portionOf, purseOf, shownOf, stepOf, sumOf, toggled, told, unitOf, withLine, withOffer, withOption, wrongGroup, wrongPart } from "./model.js";
import { acceptPrices, askQuote, call, cart, code, isAway, isBusy, menu, orders, quote, refusal, say, send, sending, thanks } from "./table.js";
import { ApiError } from "../kit/api.js";

/** @typedef {import("./model.js").Dish} Dish */

const filter = signal(/** @type {import("./model.js").Filter} */ ({ diet: "", without: [] }));
/** @param {number} cents */
export const price = (cents) => money(cents, purseOf(menu.peek()?.outlet.currency ?? "INR", locale()), true);
/** @param {number} cents */
const exact = (cents) => money(cents, purseOf(menu.peek()?.outlet.currency ?? "INR", locale()));
/** What a dish costs, of one unit where it is weighed. @param {any} dish */
const priced = (dish) => (isByWeight(dish) ? t(`per.${dish.weightUnit}`, { price: price(dish.priceCents) }) : price(dish.priceCents));
/** A dish's picture where the box has one; the name beside it says what it is. @param {Dish} dish @param {"SMALL" | "LARGE"} size @param {string} look */
const picture = (dish, size, look) => (dish.imageUrl ?? "").startsWith("/api/") && h("img", { class: look, src: `${dish.imageUrl}&size=${size}`, alt: "", loading: "lazy", decoding: "async" });
const allergen = (/** @type {string} */ name) => (has(`allergen.${name}`) ? t(`allergen.${name}`) : name);
let made = Date.now();

/** The sign of what a dish is made of, as the food authority has it drawn: by shape and colour, with its word; without it where that stands beside. @param {Dish["foodMark"]} kind @param {string | null} [word] */
function sign(kind, word = null) {
  const shape = kind === "VEG" ? svg("circle", { cx: 10, cy: 10, r: 5 }) : kind === "VEGAN" ? svg("path", { d: "M4.500 5L10 16L15.500 5L12.500 5L10 10.500L7.500 5Z" }) : svg("path", { d: "M10 4.500L16 15H4Z" });
  return svg("svg", { viewBox: "0 0 20 20", class: `mark ${kind}`, ...(word ? { role: "img", "aria-label": word } : { "aria-hidden": "true" }) }, svg("rect", { x: 1, y: 1, width: 18, height: 18, rx: 1 }), shape);
}
/** The mark of a dish, where the law of the country wants one. @param {Dish} dish */
const mark = ({ foodMark, dietary }) => (foodMark ? sign(foodMark, t(dietary === "EGG" ? "mark.NON_VEG.egg" : `mark.${foodMark}`)) : null);
/** What one serving is and has; of what a dish is made where no mark says so. @param {{ servingSize?: string | null, energyKcal?: number | null, dietary?: Dish["dietary"], foodMark?: Dish["foodMark"] }} one @param {string | null} [text] */
function serving({ servingSize, energyKcal, dietary, foodMark }, text = !foodMark && dietary && dietary !== "NON_VEG" ? t(`mark.${dietary}`) : null) {
  const known = [text, servingSize, energyKcal === null || energyKcal === undefined ? null : t("kcal", { n: energyKcal })].filter(Boolean);
  return known.length > 0 && h("small", { class: "serving" }, known.map((one, n) => [n > 0 ? " · " : "", h("bdi", {}, one)]));
}

/** @param {(view: string) => void} go */
export function menuView(go) {
  const chapters = () => shownOf(menu()?.categories ?? [], filter());
  const diets = /** @type {const} */ (["", "VEG", "VEGAN", "EGG"]);
  const all = allergensOf(menu.peek()?.categories ?? []), hasMarks = dishes().some(({ foodMark }) => foodMark);
  return h("div", { class: "menu" },
    h("div", { class: "filters", role: "group", "aria-label": t("diet") }, ...diets.map((diet) => h("button", { type: "button", "aria-pressed": () => String(filter().diet === diet), onclick: () => filter.set({ ...filter.peek(), diet }) },
      (diet === "VEG" || diet === "VEGAN") && hasMarks && sign(diet), diet ? t(`diet.${diet}`) : t("diet.all")))),
    all.length > 0 && h("details", { class: "without" }, h("summary", {}, () => (filter().without.length > 0 ? t("without.n", { n: filter().without.length }) : t("without"))),
      h("div", { class: "ticks" }, ...all.map((one) => h("label", { class: "tick" }, h("input", { type: "checkbox", checked: filter.peek().without.includes(one),
        onchange: (/** @type {any} */ event) => filter.set({ ...filter.peek(), without: event.target.checked ? [...filter.peek().without, one] : filter.peek().without.filter((other) => other !== one) }) }), allergen(one))))),
    h("nav", { class: "chapters", "aria-label": t("title") }, each(chapters, ({ id }) => id, (chapter) => h("button", { type: "button", class: "quiet", onclick: () => document.getElementById(`chapter-${chapter().id}`)?.scrollIntoView() }, h("bdi", {}, () => chapter().name)))),
    () => chapters().length === 0 && h("p", { role: "status" }, t("none")),
    each(chapters, ({ id }) => id, (chapter) => h("section", { "aria-labelledby": `chapter-${chapter().id}` },
      h("h2", { id: `chapter-${chapter().id}`, tabindex: -1 }, h("bdi", {}, () => chapter().name)),
      () => chapter().description && h("p", { class: "hint" }, chapter().description),
      h("ul", { class: "dishes" }, each(() => chapter().items, ({ id }) => id, (dish) => h("li", {}, h("button", { type: "button", class: "dish", "data-dish": dish().id, disabled: () => !dish().isAvailable, onclick: () => go(`dish/${dish().id}`) },
        () => mark(dish()),
        h("span", { class: "what" }, h("bdi", { class: "name" }, () => dish().name), () => dish().description && h("small", {}, dish().description), () => serving(dish())),
        () => picture(dish(), "SMALL", "thumb"),
        h("span", { class: "price" }, () => priced(dish()),
          () => dish().availability.status === "LIMITED" && h("small", { class: "warn" }, t("left", { n: dish().availability.quantityLeft ?? 0 })),
          () => { const n = cart().filter((line) => line.dish === dish().id).reduce((sum, line) => sum + line.quantity, 0); return n > 0 && h("b", { class: "inCart" }, `× ${n}`); }))))))));
}

/** @param {import("./model.js").Group} group */
const titleOf = (group) => (group.id === SIZE ? t("size") : group.name);

/** What is to be chosen, as it stands above its choices. @param {{ minSelections: number, maxSelections: number | null }} group */
const ruleOf = (group) => (group.maxSelections === 1 && group.minSelections > 0 ? t("choose.one") : group.minSelections > 0 && group.minSelections === group.maxSelections ? t("choose.n", { n: group.minSelections }) : group.minSelections > 0 && group.maxSelections ? t("choose.between", { n: group.minSelections, most: group.maxSelections }) : group.minSelections > 0 ? t("choose.min", { n: group.minSelections }) : group.maxSelections ? t("choose.max", { n: group.maxSelections }) : t("choose.any"));

/** The options of a group. @param {import("./model.js").Group} group @param {string} name one for each place where it stands @param {string} title @param {() => string[]} chosen @param {(option: string) => void} touch */
function field(group, name, title, chosen, touch) {
  return h("fieldset", {},
    h("legend", {}, h("bdi", {}, title), h("small", {}, isOne(group) ? t("choose.one") : ruleOf(group))),
    ...group.options.map((option) => h("label", { class: "tick" },
      h("input", { type: isOne(group) && group.minSelections > 0 ? "radio" : "checkbox", name, checked: () => chosen().includes(option.id), onchange: () => touch(option.id) }),
      h("span", {}, h("bdi", {}, option.name), group.id === SIZE && serving(/** @type {any} */ (option))), option.priceCents !== 0 && h("span", { class: "plus" }, `${group.id === SIZE ? "" : "+ "}${price(option.priceCents)}`))));
}

const dishes = () => (menu.peek()?.categories ?? []).flatMap(({ items }) => items);

/** What is chosen for a combo: each component with its dishes, and what must be chosen of those; behind them what may be. @param {Dish} dish @param {import("../kit/view.js").Signal<import("./model.js").Part[]>} parts */
function components(dish, parts) {
  /** A chosen dish; with its number where it is chosen several times. @param {number} at */
  const nameOf = (at) => {
    const all = parts.peek(), same = all.flatMap((part, n) => (part.component === all[at].component && part.dish === all[at].dish && part.variant === all[at].variant ? [n] : []));
    return same.length > 1 ? `${all[at].name} ${same.indexOf(at) + 1}` : all[at].name;
  };
  /** @param {boolean} must @param {string} [of] one component's alone */
  const own = (must, of) => each(() => parts().flatMap((part, at) => (of && part.component !== of ? [] : ownGroups(part.dish, dishes()).filter(({ minSelections }) => (minSelections > 0) === must).map((group) => ({ part, at, group, id: `${at}/${nameOf(at)}/${part.variant}/${group.id}` })))), ({ id }) => id,
    (one) => field(one().group, one().id, `${nameOf(one().at)} · ${one().group.name}`, () => (parts()[one().at]?.options ?? []).map(({ id }) => id),
      (option) => parts.update((all) => all.map((part, n) => (n === one().at ? withOption(part, one().group, option) : part)))));
  const all = componentsOf(dish).map((component) => {
    const mine = () => parts().filter((part) => part.component === component.name), isSingle = component.maxSelections === 1;
    const isFull = () => !isSingle && mine().length >= component.maxSelections;
    return h("div", { class: "component" },
      h("fieldset", { class: "offers" }, h("legend", {}, h("bdi", {}, component.name), h("small", {}, ruleOf(component))), ...component.options.map((offer) => {
        const n = () => mine().filter((part) => isOf(part, offer)).length, known = dishes().find(({ id }) => id === offer.menuItemId);
        const many = (/** @type {number} */ next) => parts.update((list) => withOffer(dish, list, component, offer, next, dishes()));
        return h("div", { class: "offer" },
          h("label", { class: "tick" },
            h("input", { type: isSingle && component.minSelections > 0 ? "radio" : "checkbox", name: component.id, disabled: () => !offer.isAvailable || (n() === 0 && isFull()), checked: () => n() > 0, onchange: (/** @type {any} */ event) => many(event.target.checked ? 1 : 0) }),
            known && mark(known),
            h("span", { class: "what" }, h("bdi", { class: "name" }, offer.name), known?.description && h("small", {}, known.description), known && serving(known), !offer.isAvailable && h("small", { class: "wrong" }, t("gone"))),
            known && picture(known, "SMALL", "thumb"), offer.extraCents !== 0 && h("span", { class: "plus" }, `+ ${price(offer.extraCents)}`)),
          !isSingle && offer.isAvailable && (() => n() > 0 && stepper(n, many, offer.name, () => (isFull() ? n() : 99), 0)));
      })),
      own(true, component.name));
  });
  return [...all, own(false)];
}

/** What a dish is. @param {Dish} dish */
const about = (dish) => [
  picture(dish, "LARGE", "large"),
  h("h1", {}, mark(dish), " ", h("bdi", {}, dish.name)),
  dish.description && h("p", {}, dish.description),
  serving(dish),
  dish.allergens.length > 0 && h("p", { class: "hint" }, t("contains", { what: dish.allergens.map(allergen).join(", ") })),
];

/** One dish with its choices. @param {string} id @param {() => void} back @param {import("./model.js").Line | null} [old] the line of the cart that is changed */
export function dishView(id, back, old = null) {
  const dish = dishes().find((one) => one.id === id);
  if (!dish) return h("p", {}, t("none"));
  // What is weighed is asked of the staff: nobody knows beforehand what it will cost.
  if (isByWeight(dish)) return h("div", { class: "one" }, about(dish), h("p", { class: "byWeight" }, h("b", {}, priced(dish))), h("p", { class: "hint" }, t("byWeight")));
  const chosen = signal(old ? old.options.map((option) => option.id) : defaultsOf(dish)), quantity = signal(old?.quantity ?? 1), note = signal(old?.notes ?? "");
  const parts = signal(old ? currentParts(dish, old.parts ?? [], dishes()) : filled(dish, [], dishes()));
  // The way back takes a moment: a double tap is one dish.
  const isAdded = signal(false);
  const add = () => { isAdded.set(true); cart.update((list) => (old ? list.map((one) => (one.id === old.id ? line() : one)) : withLine(list, line()))); back(); };
  const line = () => {
    const next = lineOf(old?.id ?? (made += 1), dish, chosen(), quantity(), note(), parts());
    // What was in the cart keeps the price it was shown at, as long as the restaurant takes it.
    return old && (old.options.find(({ isSize }) => isSize)?.id ?? null) === (next.options.find(({ isSize }) => isSize)?.id ?? null) ? atPrice(next, unitOf(old)) : next;
  };
  const missing = () => { const group = wrongGroup(dish, chosen()); return group ? titleOf(group) : wrongPart(dish, parts(), dishes()); };
  return h("div", { class: "one" }, about(dish),
    ...groupsOf(dish).map((group) => field(group, group.id, titleOf(group), chosen, (option) => chosen.set(toggled(group, chosen.peek(), option)))),
    ...components(dish, parts),
    h("label", {}, t("note"), h("input", { type: "text", maxlength: 200, autocomplete: "off", value: note.peek(), oninput: (/** @type {any} */ event) => note.set(event.target.value) })),
    h("div", { class: "dock" },
      () => { const what = missing(); return what && h("p", { class: "wrong", role: "status" }, t("missing", { what })); },
      stepper(quantity, (next) => quantity.set(next), dish.name),
      h("button", { type: "button", class: "main add", disabled: () => isAdded() || missing() !== null, onclick: add }, () => t(old ? "change.go" : "add", { price: price(portionOf(line()) * quantity()) }))));
}

/** @param {() => number} value @param {(next: number) => void} set @param {string} name @param {() => number} [most] @param {number} [least] */
function stepper(value, set, name, most = () => 99, least = 1) {
  return h("div", { class: "stepper", role: "group", "aria-label": `${t("quantity")}: ${name}` },
    h("button", { type: "button", "aria-label": t("less"), disabled: () => value() <= least, onclick: () => set(value() - 1) }, "−"),
    h("output", {}, () => String(value())),
    h("button", { type: "button", "aria-label": t("more.one"), disabled: () => value() >= most(), onclick: () => set(value() + 1) }, "+"));
}

/** @param {() => void} done @param {(view: string) => void} go */
export function cartView(done, go) {
  effect(() => { cart(); askQuote(); });
  const set = (/** @type {number} */ id, /** @type {number} */ quantity) => cart.update((list) => list.map((line) => (line.id === id ? { ...line, quantity } : line)));
  const row = (/** @type {string} */ name, /** @type {number} */ cents, strong = false) => h("tr", { class: strong ? "total" : null }, h("th", { scope: "row" }, name), h("td", { class: "number" }, exact(cents)));
  const isOpen = () => sending() === null;
  /** What was said of a line: its right price, or what cannot be had. @param {import("./model.js").Line} line */
  const said = (line) => {
    const why = refusal(), at = cart().indexOf(line);
    if (!why?.lines.includes(at)) return null;
    return h("p", { class: "wrong" }, at in why.prices ? t("price.now", { was: price(unitOf(line)), is: price(why.prices[at]) }) : why.parts[at] ? t("gone.part", { what: why.parts[at] }) : t("send.lines"));
  };
  const hasChoice = (/** @type {import("./model.js").Line} */ line) => { const dish = dishes().find(({ id }) => id === line.dish); return dish && groupsOf(dish).length + componentsOf(dish).length > 0; };
  const isPrice = () => isOpen() && refusal()?.why === "send.prices";
  return h("div", { class: "cart" },
    h("h1", {}, t("cart")),
    () => cart().length === 0 && h("p", {}, t("cart.empty")),
    h("ul", { class: "lines" }, each(cart, ({ id }) => id, (line) => h("li", { class: () => (refusal()?.lines.includes(cart().indexOf(line())) ? "refused" : null) },
      h("div", { class: "what" }, h("bdi", { class: "name" }, () => line().name), () => line().options.length > 0 && h("small", {}, line().options.map(({ name }) => name).join(" · ")), () => told((line().parts ?? []).map((part) => ({ name: part.name, with: part.options.map(({ name }) => name) }))).map((text) => h("small", {}, text)), () => line().notes && h("small", {}, line().notes),
        () => said(line())),
      h("b", { class: "price" }, () => price(portionOf(line()) * line().quantity)),
      () => isOpen() && h("div", { class: "edit" }, stepper(() => line().quantity, (next) => set(line().id, next), line().name),
        () => hasChoice(line()) && h("button", { type: "button", class: "quiet", onclick: () => go(`edit/${line().id}`) }, t("change"), h("span", { class: "spoken" }, ` ${line().name}`)),
        h("button", { type: "button", class: "quiet", onclick: () => cart.update((list) => list.filter(({ id }) => id !== line().id)) }, t("remove"), h("span", { class: "spoken" }, ` ${line().name}`)))))),
    () => cart().length > 0 && h("table", { class: "sums" }, h("tbody", {}, () => {
      const known = quote();
      if (!known) return [row(t("subtotal"), sumOf(cart())), h("tr", {}, h("td", { colspan: 2, class: "hint" }, t("total.wait")))];
      return [row(t("subtotal"), known.subtotalCents), known.discountCents !== 0 && row(t("discount"), -known.discountCents), known.serviceChargeCents !== 0 && row(t("service"), known.serviceChargeCents),
        ...known.taxes.map((tax) => row(`${tax.name} ${percent(tax.rateBps, locale())}`, tax.taxCents)), known.roundingCents !== 0 && row(t("rounding"), known.roundingCents), row(t("total"), known.totalAmountCents, true)];
    })),
    () => menu()?.outlet.pricesIncludeTax && h("p", { class: "hint" }, t("included")),
    () => isOpen() && cart().length > 0 && h("label", { class: "code" }, t("code"), h("input", { type: "text", inputmode: "numeric", maxlength: 4, pattern: "[0-9]{4}", autocomplete: "off", value: () => code(), "aria-describedby": "code-hint", oninput: (/** @type {any} */ event) => code.set(event.target.value) }),
      h("small", { id: "code-hint" }, t("code.hint"))),
    h("div", { class: "dock" },
      () => { const why = refusal(); return h("p", { class: "wrong", role: "alert" }, why ? t(why.why, { seconds: why.seconds }) : sending() && !isBusy() ? t("send.unanswered") : ""); },
      h("button", { type: "button", class: "main add", disabled: () => isBusy() || (cart().length === 0 && isOpen()), onclick: async () => { if (isPrice()) acceptPrices(); else if (await send()) done(); } },
        () => (isPrice() ? t("price.accept") : isBusy() ? t("sending") : isOpen() ? t("send") : t("send.again")))));
}

/** How much of a line there is, in front of its name. @param {any} item */
const many = (item) => (item.weight ? `${weightOf(item.weight, item.weightUnit)} ` : `${item.quantity} × `);

export function ordersView() {
  const called = signal("");
  let wasAsked = false;
  // Once asked, the thanks stay as well.
  const isAsked = computed(() => { const is = thanks() !== null || orders().some((order) => stepOf(order) === 4); return (wasAsked ||= is); });
  /** @param {"WAITER" | "BILL"} what */
  async function ring(what) {
    called.set("");
    try { await call(what); called.set(`called.${what}`); } catch (error) { called.set(error instanceof ApiError && error.status === 409 ? "call.none" : "send.away"); }
  }
  return h("div", { class: "mine" },
    h("h1", {}, t("tab.orders")),
    () => orders().length === 0 && h("p", {}, t("orders.none")),
    () => code() && orders().some(({ sessionCode }) => sessionCode) && h("p", { class: "card" }, t("code.yours"), " ", h("b", { class: "digits" }, code()), h("small", {}, t("code.share"))),
    h("ul", { class: "orders" }, each(orders, ({ id }) => id, (order) => h("li", { class: "card" },
      h("h2", {}, t("order", { n: order().tokenNumber })),
      h("p", { class: () => `step s${stepOf(order())}`, role: "status" }, () => t(`step.${stepOf(order())}`)),
      () => stepOf(order()) >= 0 && h("ol", { class: "steps", "aria-hidden": "true" }, ...[0, 1, 2, 3, 4].map((step) => h("li", { class: step <= stepOf(order()) ? "done" : null }))),
      h("ul", { class: "items" }, each(() => order().items.filter(({ quantity }) => quantity > 0).map((item, at) => ({ ...item, at })), ({ at }) => at, (item) => h("li", {}, () => many(item()), h("bdi", {}, () => item().name), () => item().modifiers.length > 0 && h("small", {}, item().modifiers.join(" · ")),
        () => told(item().components.map((part) => ({ name: part.itemName, with: part.modifiers }))).map((text) => h("small", {}, text))))),
      h("p", { class: "due" }, () => (order().status === "COMPLETED" ? t("paid") : t("due", { price: exact(order().dueCents) })))))),
    h("div", { class: "calls" }, h("button", { type: "button", disabled: isAway, onclick: () => void ring("WAITER") }, t("call.WAITER")), h("button", { type: "button", disabled: isAway, onclick: () => void ring("BILL") }, t("call.BILL"))),
    h("p", { class: "good", role: "status", hidden: () => !called() }, () => (called() ? t(called()) : "")),
    () => isAsked() && feedback());
}

function feedback() {
  const rating = signal(0), answer = signal("");
  let comment = "";
  async function tell() {
    try { await say({ rating: rating.peek(), ...(comment ? { comment } : {}) }, orders.peek().find((order) => stepOf(order) === 4) ?? null); answer.set("said.thanks"); }
    catch (error) { answer.set(error instanceof ApiError && error.status === 409 ? "said.already" : "send.away"); }
  }
  return h("section", { class: "card said" }, h("h2", {}, t("said")),
    () => (answer() && answer() !== "send.away" ? h("p", { class: "good", role: "status" }, t(answer())) : [
      h("div", { class: "stars", role: "group", "aria-label": t("said") }, ...[1, 2, 3, 4, 5].map((n) => h("button", { type: "button", "aria-pressed": () => String(rating() === n), "aria-label": t("stars", { n }), onclick: () => rating.set(n) }, () => (rating() >= n ? "★" : "☆")))),
      h("label", {}, t("said.comment"), h("textarea", { rows: 2, maxlength: 500, oninput: (/** @type {any} */ event) => { comment = event.target.value; } })),
      h("p", { class: "wrong", role: "alert" }, answer() ? t(answer()) : ""),
      h("button", { type: "button", class: "main", disabled: () => rating() === 0, onclick: () => void tell() }, t("said.go"))]));
}

/** How much is in the cart, as the way to it. @param {(view: string) => void} go */
export function cartBar(go) {
  return () => cart().length > 0 && h("div", { class: "dock" }, h("button", { type: "button", class: "main add", onclick: () => go("cart") }, () => t("cart.view", { n: countOf(cart()), price: price(sumOf(cart())) })));
}
