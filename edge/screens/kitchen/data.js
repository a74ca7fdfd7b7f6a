// The tickets of a display: read, followed, acknowledged once they were drawn, and what was touched. A touch shows at once and is told by the
// outbox; nothing is shown as acknowledged that was not drawn on a visible page.

import { all, ask, may, token, user } from "../kit/session.js";
import { ApiError } from "../kit/api.js";
import { batch, computed, signal } from "../kit/view.js";
import { drop, entries, put, start } from "../kit/outbox.js";
import { follow, isAway } from "../kit/stream.js";
import { now, setClock } from "../kit/time.js";
import { recall, remember } from "../kit/keep.js";
import { status } from "../kit/connection.js";
import { toast } from "../kit/dialog.js";
import { refusedIn } from "../kit/refused.js";
import { t } from "../kit/words.js";
import { cardsOf, isFor, isOpen, isSlip, wished } from "./model.js";
import { tell } from "./sound.js";

/** @typedef {import("./model.js").Ticket} Ticket */
/** @typedef {import("./model.js").Wish} Wish */

/** The kitchen's stations. */
export const stations = signal(/** @type {import("api").components["schemas"]["KitchenStation"][]} */ ([]));
/** The outlet's settings, of which a display needs its limits of age and its zone. */
export const outlet = signal(/** @type {import("api").components["schemas"]["Outlet"] | null} */ (null));
/** The zone whose clock hangs on the wall. */
export const zone = () => outlet()?.timezone ?? "Asia/Kolkata";
/** From how many minutes on something is soon late, and late: the outlet's, and those of a new one until it is known. */
export const ageing = () => outlet()?.till.ageing ?? { warnMinutes: 15, lateMinutes: 30 };
/** What this screen shows: a station's id, or null for all of them. */
export const station = signal(/** @type {string | null | undefined} */ (undefined));
/** The language that the cooks of what this screen shows read. A paired display is told it anyway; whoever is signed in themselves says it. */
export const language = () => stations.peek().find(({ id }) => id === station.peek())?.language ?? undefined;
/** Whether the tickets were read once. */
export const isReady = signal(false);

const known = signal(/** @type {ReadonlyMap<string, Ticket>} */ (new Map()));
/** The versions of what has gone out or off lately: an answer that was overtaken brings none of it back. @type {Map<string, number>} */
const over = new Map();
/** What staff changed: it stays until somebody here has touched it, over a reload too. */
const unseen = signal(/** @type {Ticket[]} */ (recall("kitchen.unseen", [])));

/** What was touched and is not answered. */
export const waiting = () => entries().filter((entry) => entry.about?.screen === "kitchen");
/** @returns {Wish[]} */
const wishes = () => waiting().map((entry) => entry.about.wish);

/** What is shown: the server's tickets as they will be. */
export const tickets = computed(() => {
  const own = station() ?? null, wanted = wishes();
  return [...known().values()].filter((ticket) => isFor(ticket, own)).map((ticket) => wished(ticket, wanted));
});

/** The cards of this display, in the order in which they came. */
export const cards = computed(() => {
  const own = station() ?? null, wanted = isAway() ? wishes() : [];
  const waits = (/** @type {string} */ id) => wanted.some((wish) => (wish.item ?? wish.ticket) === id);
  return cardsOf(tickets(), unseen().filter((slip) => isFor(slip, own)), waits);
});

/** How many tickets wait for their course to be fired. */
export const held = () => tickets().filter((ticket) => ticket.status === "HELD").length;

/** Reads what the screen needs before it can show a station. */
export async function prepare() {
  const { data: said } = await ask("GET", "/status");
  setClock(said.clock);
  status.set(said);
  const own = user.peek()?.outlets[0];
  const [{ data: settings }, rows] = await Promise.all([ask("GET", `/outlets/${own?.id}`), all("/kitchen/stations")]);
  batch(() => { outlet.set(settings); stations.set(rows); });
}

/**
 * Reads the tickets, and follows them until it is ended.
 * @param {() => void} [onChange] hears of every change @param {() => Promise<void>} [look] asks first where this display was put
 */
export function watch(onChange = () => {}, look = async () => {}) {
  return follow(["tickets", "status"], {
    language,
    async onReset() {
      await look();
      const own = station.peek() ?? null;
      const rows = /** @type {Ticket[]} */ (await all("/kitchen/tickets", { stationId: own, lang: language(), status: "HELD,QUEUED,IN_PREPARATION" }));
      const first = !isReady.peek(), before = known.peek();
      batch(() => {
        known.set(new Map(rows.map((ticket) => [ticket.id, newer(before.get(ticket.id), ticket)])));
        for (const slip of rows.filter((ticket) => isSlip(ticket))) take(slip);
        isReady.set(true);
      });
      if (!first && rows.some((ticket) => isOpen(ticket) && !before.has(ticket.id))) tell("new");
      onChange();
    },
    onEvent({ type, data }) {
      if (type === "status") { if (data) { setClock(data.clock); status.set(data); } return; }
      if (type !== "ticket" || !data) return;
      hear(data);
      onChange();
    },
  });
}

/** @param {Ticket | undefined} before @param {Ticket} ticket */
const newer = (before, ticket) => (before && before.version > ticket.version ? before : ticket);

/** Takes a ticket as the server says it is now. @param {Ticket} ticket */
function hear(ticket) {
  const before = known.peek().get(ticket.id), own = station.peek() ?? null;
  if ((before?.version ?? over.get(ticket.id) ?? 0) > ticket.version) return;
  if (isSlip(ticket)) {
    if (take(ticket) && isFor(ticket, own)) tell("changed");
    return;
  }
  // Another station's is not kept: where no display takes them away they grow over a day, and each costs every event after it.
  if (!before && !isFor(ticket, own)) return;
  const next = new Map(known.peek());
  // What has gone out or off is no longer kept: a shift has thousands.
  if (ticket.status === "SERVED" || ticket.status === "CANCELLED") {
    next.delete(ticket.id);
    over.set(ticket.id, ticket.version);
    if (over.size > 200) over.delete(/** @type {string} */ (over.keys().next().value));
  } else next.set(ticket.id, ticket);
  if (next.size > 400) for (const [id, one] of next) if (one.status === "READY") next.delete(id);
  known.set(next);
  const isNews = isOpen(ticket) && (!before || !isOpen(before)) && isFor(ticket, own);
  if (isNews && !wishes().some((wish) => wish.ticket === ticket.id)) tell("new");
}

/** Keeps what was changed until it is touched; whether it is news. @param {Ticket} slip */
function take(slip) {
  if (slip.status !== "QUEUED" || slip.ackedAt || unseen.peek().some((one) => one.id === slip.id)) return false;
  unseen.update((list) => [...list, slip]);
  keepUnseen();
  return true;
}

/** Somebody here has seen it. @param {Ticket[]} slips */
export function seen(slips) {
  const gone = new Set(slips.map(({ id }) => id));
  unseen.update((list) => list.filter(({ id }) => !gone.has(id)));
  keepUnseen();
}

function keepUnseen() { remember("kitchen.unseen", unseen.peek().slice(-200)); }

/** @type {Set<string>} */
const acknowledged = new Set();

/**
 * These tickets and changes stand on the screen now: the box is told, once. Waits for two frames, which a hidden page does not get.
 * @param {Ticket[]} shown
 */
export function drawn(shown) {
  const own = station.peek() ?? null;
  const fresh = shown.filter((one) => !one.ackedAt && !acknowledged.has(one.id) && one.status !== "HELD" && isFor(one, own));
  if (fresh.length === 0 || document.visibilityState !== "visible" || !may("kitchen:operate")) return;
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (document.visibilityState !== "visible") return;
    for (const ticket of fresh) if (!acknowledged.has(ticket.id)) void acknowledge(ticket);
  }));
}

/** @param {Ticket} ticket */
async function acknowledge(ticket) {
  acknowledged.add(ticket.id);
  try {
    const { data } = await ask("POST", `/kitchen/tickets/${ticket.id}/ack`, { query: { lang: language() } });
    if (!isSlip(ticket)) hear(data);
  } catch (error) {
    // What is gone needs nobody's sight any more; otherwise it is told again when it is drawn again.
    if (error instanceof ApiError && error.status < 500 && error.status !== 401 && error.status !== 429) return;
    setTimeout(() => { acknowledged.delete(ticket.id); known.set(new Map(known.peek())); unseen.set([...unseen.peek()]); }, 3_000);
  }
}

/** Begins to send what was touched. */
export async function begin() {
  await start({
    token,
    done: (entry, data) => { if (entry.about?.screen === "kitchen" && data) hear(data); },
  });
}

const PATHS = { start: "/start", ready: "/ready", serve: "/serve", recall: "/recall", rush: "" };

/** Notes what was touched, and tells the box. @param {Wish} wish @param {string} label what people call it */
export function wish(wish, label) {
  const lang = language(), path = `/kitchen/tickets/${wish.ticket}${wish.item ? `/items/${wish.item}` : ""}${PATHS[wish.act]}${lang ? `?lang=${encodeURIComponent(lang)}` : ""}`;
  const method = wish.act === "rush" ? "PATCH" : "POST";
  const body = wish.act === "rush" ? { priority: wish.value ?? 0 } : undefined;
  return put({ subject: `ticket/${wish.ticket}`, method, path, body, person: null, about: { screen: "kitchen", wish, label, at: now() } });
}

/** What the box refused is said and given up: the ticket stands as the box has it. */
export function sayRefusals() {
  for (const entry of waiting()) {
    if (entry.state !== "NEEDS_YOU") continue;
    toast(t("refused", { name: entry.about.label, why: entry.refusal ? refusedIn(entry.refusal) : "" }), "bad");
    void drop(entry);
  }
}

/** What was finished lately, the newest first. */
export async function finished() {
  const { data } = await ask("GET", "/kitchen/tickets", { query: { stationId: station.peek() ?? null, lang: language(), status: "READY,SERVED", limit: 100 } });
  const moment = (/** @type {Ticket} */ one) => one.servedAt ?? one.readyAt ?? one.updatedAt;
  return /** @type {Ticket[]} */ (data).filter((one) => !isSlip(one)).sort((a, b) => moment(b).localeCompare(moment(a)));
}

/** Takes a ticket into view again that the list of finished ones had. @param {Ticket} ticket */
export function takeBack(ticket) { known.set(new Map([...known.peek(), [ticket.id, ticket]])); }
