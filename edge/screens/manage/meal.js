// What a combo is made of: as it is typed and sent, and what of it cannot be had. Pure: no document, no fetch, no words.

/** Typed components as the server takes them. @template {Record<string, any>} T @param {T} typed @returns {T} */
export function asComponents(typed) {
  if (!("components" in typed)) return typed;
  return { ...typed, components: typed.components.map((/** @type {any} */ { name, minSelections, maxSelections, options, texts }) => ({
    name, minSelections, maxSelections, ...(texts ? { texts } : {}), options: options.map((/** @type {any} */ { menuItemId, extraCents }) => {
      const [dish, size] = menuItemId.split(" ");
      return { menuItemId: dish, variantId: size ?? null, extraCents };
    }),
  })) };
}

/** What of a combo cannot be had now: `needed` where there is no combo without it. @param {any} dish @returns {{ name: string, out: string[], needed: boolean }[]} */
export function lacking(dish) {
  return (dish.kind === "COMBO" ? dish.components : []).map((/** @type {any} */ one) => {
    const out = one.options.filter((/** @type {any} */ option) => !option.isAvailable).map((/** @type {any} */ option) => option.name);
    return { name: one.name, out, needed: one.minSelections > 0 && out.length === one.options.length };
  }).filter((/** @type {any} */ { out }) => out.length > 0);
}

/** Whether there is no combo without it. @param {any} dish */
export const isOut = (dish) => lacking(dish).some(({ needed }) => needed);
