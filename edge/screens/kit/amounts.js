// Amounts of what is made, and of what may go back to a supplier. Whole millionths, never a float; no document, no fetch, no clock. What is said
// here is a preview: the server books what is so.

const PARTS = 1_000_000n;

/** A quantity in millionths. @param {number | string} quantity */
export function parts(quantity) {
  const [whole, rest = ""] = (typeof quantity === "number" ? quantity.toFixed(6) : quantity).split(".");
  const sign = whole.startsWith("-") ? -1n : 1n;
  return sign * (BigInt(whole.replace("-", "")) * PARTS + BigInt(rest.padEnd(6, "0").slice(0, 6)));
}

/** Back, as a decimal text without needless noughts. @param {bigint} n */
export function text(n) {
  const plain = n < 0n ? -n : n;
  return `${n < 0n ? "-" : ""}${plain / PARTS}.${String(plain % PARTS).padStart(6, "0")}`.replace(/\.?0+$/, "");
}

/** How much of an ingredient goes into `quantity` of what yields `of`. @param {number} ingredient @param {number} quantity @param {number} of */
export function scaled(ingredient, quantity, of) {
  const yields = parts(of);
  return yields > 0n ? text((parts(ingredient) * parts(quantity) + yields / 2n) / yields) : "0";
}

/** How many of `to` one `from` is, in millionths; null where nothing says so. @param {string} from @param {string} to @param {{ unit: string, factor: number }[]} [own] of the item, in its own unit */
function factor(from, to, own = []) {
  if (from === to) return PARTS;
  const known = /** @type {Record<string, bigint>} */ ({ "g kg": 1_000n, "ml l": 1_000n, "kg g": 1_000_000_000n, "l ml": 1_000_000_000n });
  const found = own.find(({ unit }) => unit === from);
  return known[`${from} ${to}`] ?? (found ? parts(found.factor) : null);
}

/** Whether more is needed than is there; where units cannot be told into one another, nothing is said. @param {string} needed @param {string} unit @param {{ currentStock: number, unit: string, unitConversions?: { unit: string, factor: number }[] }} item */
export function isShort(needed, unit, item) {
  const by = factor(unit, item.unit, item.unitConversions);
  return by !== null && parts(needed) * by > parts(item.currentStock) * PARTS;
}

/**
 * What came with an order and may still go back: batch by batch, in the unit it came in, what went back already taken off.
 * @param {{ deliveries: { items: any[] }[], returns?: { items: any[] }[] }} order
 * @returns {{ batchId: string, name: string, batchNumber: string, unit: string, unitCostCents: number, expiryDate: string | null, left: string }[]}
 */
export function mayGoBack({ deliveries, returns = [] }) {
  /** @type {Map<string, any>} */
  const batches = new Map();
  for (const item of deliveries.flatMap(({ items }) => items)) {
    const key = `${item.batchId} ${item.unit}`, known = batches.get(key);
    if (known) known.n += parts(item.quantityReceived); else batches.set(key, { ...item, n: parts(item.quantityReceived) });
  }
  for (const item of returns.flatMap(({ items }) => items)) {
    const known = batches.get(`${item.batchId} ${item.unit}`);
    if (known) known.n -= parts(item.quantity);
  }
  return [...batches.values()].filter(({ n }) => n > 0n).map(({ batchId, name, batchNumber, unit, unitCostCents, expiryDate, n }) => ({ batchId, name, batchNumber, unit, unitCostCents, expiryDate, left: text(n) }));
}

/** The soonest date that something of it runs out. @param {{ expiryDate: string | null }[]} batches */
export function soonest(batches) {
  return batches.flatMap(({ expiryDate }) => expiryDate ?? []).sort()[0] ?? null;
}
