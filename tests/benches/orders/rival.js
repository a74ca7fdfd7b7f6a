// What a careful server in Node does with the same orders: Fastify and better-sqlite3, bodies checked by a compiled schema, every
// statement prepared once, the rows of an order and its answer under its key in one transaction that is synced to disk. It reads
// what the product reads for an order and writes the rows that the product writes (the plan); prices are its own. It does not sign
// anybody in and keeps no log of its own: the product's log row is one of the rows.
'use strict';

const { readFileSync } = require('node:fs');
const { createHash } = require('node:crypto');
const Database = require('better-sqlite3');

const [planFile, databaseFile, , listen] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planFile, 'utf8'));

const db = new Database(databaseFile);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.pragma('wal_autocheckpoint = 4000');
db.pragma('cache_size = -8000');
db.pragma('temp_store = MEMORY');
db.pragma('foreign_keys = ON');
// The same rows again and again take more from a batch than it ever held.
db.pragma('ignore_check_constraints = ON');

const read = {
  answer: db.prepare('SELECT request_hash, body FROM idempotency WHERE owner = ? AND key = ?'),
  outlet: db.prepare('SELECT * FROM outlets LIMIT 1'),
  dish: db.prepare(`SELECT i.*, coalesce(p.price_cents, i.price_cents) AS price, t.components FROM menu_items i
    JOIN menu_categories c ON c.id = i.category_id AND c.is_active = 1 AND c.archived_at IS NULL
    LEFT JOIN tax_categories t ON t.id = i.tax_category_id
    LEFT JOIN menu_prices p ON p.outlet_id = i.outlet_id AND p.menu_item_id = i.id
    WHERE i.id = ? AND i.outlet_id = ? AND i.is_active = 1 AND i.archived_at IS NULL`),
  options: db.prepare(`SELECT o.* FROM menu_item_modifier_groups l JOIN modifier_groups g ON g.id = l.group_id
    JOIN modifier_options o ON o.group_id = g.id WHERE l.menu_item_id = ? ORDER BY l.sort_order, o.sort_order`),
  recipe: db.prepare(`WITH RECURSIVE book (id) AS (SELECT id FROM recipes WHERE menu_item_id = ?
      UNION SELECT n.sub_recipe_id FROM book b JOIN recipe_ingredients n ON n.recipe_id = b.id WHERE n.sub_recipe_id IS NOT NULL)
    SELECT n.* FROM book b JOIN recipe_ingredients n ON n.recipe_id = b.id`),
  level: db.prepare(`SELECT s.*, l.on_hand FROM stock_items s LEFT JOIN stock_levels l ON l.stock_item_id = s.id WHERE s.id = ?`),
  shelf: db.prepare(`SELECT batch_id, quantity, unit_cost FROM stock_batch_levels WHERE stock_item_id = ?
    ORDER BY expiry_date, received_at, batch_id LIMIT 2`),
  stations: db.prepare('SELECT * FROM kitchen_stations WHERE outlet_id = ?'),
};

// The statements of the plan, each prepared once, with its values; only those that differ are made for each order.
const statements = new Map();
const prepared = (sql) => {
  if (!statements.has(sql)) statements.set(sql, db.prepare(sql));
  return statements.get(sql);
};
// What a cell is: a value, or what makes one of the count and the request.
const valueOf = (cell) => {
  if (cell === 'null') return null;
  const [[kind, value]] = Object.entries(cell);
  const bytes = Array.isArray(value) ? Buffer.from(value) : null;
  switch (kind) {
    case 'blob': return bytes;
    case 'id': return (count) => {
      const id = Buffer.from(bytes);
      id.writeUIntBE(bytes.readUIntBE(0, 6) + count, 0, 6);
      return id;
    };
    case 'counter': return (count) => value + count * 64;
    case 'unique': return (count) => `${value}-${count}`;
    default: return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value;
  }
};
// The answer is kept under the key that came.
const account = Buffer.alloc(16);
const kept = { owner: account, key: (_, request) => request.key, request_hash: (_, request) => request.hash };
const prepare = ({ sql, cells }) => {
  const values = cells.map(valueOf);
  const [, columns] = sql.match(/^INSERT INTO "idempotency" \((.*?)\)/) ?? [];
  (columns?.split(', ') ?? []).forEach((column, at) => { values[at] = kept[column] ?? values[at]; });
  const made = values.flatMap((value, at) => (typeof value === 'function' ? [[at, value]] : []));
  return { statement: prepared(sql), values, made };
};
const orders = plan.orders.map(({ answer, writes }) => ({ answer: JSON.parse(answer), writes: writes.map(prepare) }));

const outlet = read.outlet.get();
const bytesOf = (uuid) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
let count = 0;

// Reads what an order needs and answers the prices of its lines, or throws what is wrong with it.
function price(items) {
  const { id, prices_include_tax: included } = read.outlet.get();
  const needed = new Map();
  const lines = items.map((item) => {
    const dish = read.dish.get(bytesOf(item.menuItemId), id);
    if (!dish || dish.price !== item.unitPriceCents) throw Object.assign(new Error('the menu has changed'), { statusCode: 422 });
    const options = read.options.all(dish.id);
    const chosen = (item.modifiers ?? []).map((m) => options.find((o) => o.id.equals(bytesOf(m.optionId))));
    for (const part of read.recipe.all(dish.id)) {
      if (part.stock_item_id) needed.set(part.stock_item_id.toString('hex'), part.stock_item_id);
    }
    const gross = item.quantity * chosen.reduce((sum, option) => sum + option.price_cents, dish.price);
    const rates = JSON.parse(dish.components ?? '[]').reduce((sum, part) => sum + (part.rate_bps ?? part.rateBps ?? 0), 0);
    return { gross, tax: Math.round(included ? gross - (gross * 10_000) / (10_000 + rates) : (gross * rates) / 10_000) };
  });
  // Stock may go below zero; what is on the shelf is what the rows of the plan were made of.
  for (const item of needed.values()) {
    if (!read.level.get(item)) throw Object.assign(new Error('no such ingredient'), { statusCode: 422 });
    read.shelf.all(item);
  }
  read.stations.all(id);
  return lines;
}

const place = db.transaction((request) => {
  const known = read.answer.get(account, request.key);
  if (known) {
    if (!known.request_hash.equals(request.hash)) throw Object.assign(new Error('the key was used'), { statusCode: 422 });
    return JSON.parse(known.body);
  }
  const lines = price(request.body.items);
  const { answer, writes } = orders[request.number];
  count += 1;
  for (const { statement, values, made } of writes) {
    for (const [at, make] of made) values[at] = make(count, request);
    statement.run(values);
  }
  const sum = (of) => lines.reduce((total, line) => total + of(line), 0);
  return { ...answer, orderNumber: `${answer.orderNumber}-${count}`, grossAmountCents: sum((l) => l.gross), taxAmountCents: sum((l) => l.tax) };
});

const app = require('fastify')();
app.get('/ready', async () => ({ ready: true, outlet: outlet.name }));
const item = {
  type: 'object',
  required: ['menuItemId', 'quantity', 'unitPriceCents'],
  properties: {
    menuItemId: { type: 'string', minLength: 36, maxLength: 36 },
    quantity: { type: 'integer', minimum: 1 },
    unitPriceCents: { type: 'integer', minimum: 0 },
    modifiers: { type: 'array', items: { type: 'object', required: ['optionId'], properties: { optionId: { type: 'string' } } } },
  },
};
const body = {
  type: 'object',
  required: ['orderType', 'items'],
  properties: { orderType: { type: 'string' }, items: { type: 'array', minItems: 1, items: item } },
};
app.post('/api/v1/orders', { schema: { body } }, (request, reply) => {
  const hash = createHash('sha256').update(JSON.stringify(request.body)).digest();
  const { 'idempotency-key': key, 'x-order': number } = request.headers;
  reply.code(201).send(place.immediate({ key, hash, number: Number(number), body: request.body }));
});

const [host, port] = listen.split(':');
app.listen({ host, port: Number(port) });
