// What all screens are drawn with: signals, and elements that follow them. Never makes markup from text: a text becomes a text node, an
// attribute is set as one. No element of a list is made anew while its key stays.

/** @typedef {Node | string | number | boolean | null | undefined | (() => any) | any[]} Child */
/** @template T @typedef {{ (): T, set(value: T): void, update(change: (value: T) => T): void, peek(): T }} Signal */
/** @typedef {{ run: () => void, sources: Set<Set<Reaction>>, owned: Set<Reaction>, cleanups: (() => void)[], depth: number, ended: boolean }} Reaction */

/** @type {Reaction | null} Whoever reads signals now, and owns what is begun. */
let current = null;
/** @type {Set<Reaction> | null} What waits for the end of a batch. */
let waiting = null;

/**
 * A value that others follow.
 * @template T @param {T} value @returns {Signal<T>}
 */
export function signal(value) {
  /** @type {Set<Reaction>} */
  const followers = new Set();
  const read = () => {
    if (current) { followers.add(current); current.sources.add(followers); }
    return value;
  };
  return Object.assign(read, {
    set(/** @type {T} */ next) {
      if (Object.is(next, value)) return;
      value = next;
      batch(() => { for (const follower of followers) /** @type {Set<Reaction>} */ (waiting).add(follower); });
    },
    update(/** @type {(value: T) => T} */ change) { this.set(change(value)); },
    peek: () => value,
  });
}

/** Runs `work`; what follows the signals it sets runs once, after it. @template T @param {() => T} work @returns {T} */
export function batch(work) {
  if (waiting) return work();
  waiting = new Set();
  try {
    const value = work();
    // Owners before what they own: what is made anew needs no run of its own.
    while (waiting.size > 0) {
      let [next] = waiting;
      for (const one of waiting) if (one.depth < next.depth) next = one;
      waiting.delete(next);
      if (!next.ended) next.run();
    }
    return value;
  } finally {
    waiting = null;
  }
}

/** Ends a reaction and all that it began. @param {Reaction} reaction */
function clear(reaction) {
  const { owned, cleanups } = reaction;
  reaction.owned = new Set(); reaction.cleanups = [];
  for (const one of owned) { one.ended = true; clear(one); }
  for (const source of reaction.sources) source.delete(reaction);
  reaction.sources.clear();
  for (const cleanup of cleanups) cleanup();
}

/** Runs `work` now and whenever a signal it read changes. Answers how to end it. @param {() => void} work */
export function effect(work) {
  /** @type {Reaction} */
  const reaction = { run, sources: new Set(), owned: new Set(), cleanups: [], depth: (current?.depth ?? 0) + 1, ended: false };
  function run() {
    clear(reaction);
    const before = current;
    current = reaction;
    try { work(); } finally { current = before; }
  }
  const owner = current;
  owner?.owned.add(reaction);
  run();
  return () => { reaction.ended = true; owner?.owned.delete(reaction); clear(reaction); };
}

/** What is computed from signals, once per change. @template T @param {() => T} work @returns {{ (): T, peek(): T }} */
export function computed(work) {
  const value = signal(/** @type {any} */ (undefined));
  effect(() => value.set(work()));
  return value;
}

/** Runs `work` without following what it reads. @template T @param {() => T} work @returns {T} */
export function untrack(work) {
  const before = current;
  current = null;
  try { return work(); } finally { current = before; }
}

/** Runs when what is drawn now goes away or is drawn anew. @param {() => void} cleanup */
export function onEnd(cleanup) { current?.cleanups.push(cleanup); }

/** Runs `work` as owned by itself. @param {() => Node} work @returns {{ node: Node, end: () => void }} */
function owned(work) {
  /** @type {Node | undefined} */
  let node;
  const end = effect(() => { node ??= untrackReads(work); });
  return { node: /** @type {any} */ (node), end };
}

/** Like `untrack`, but what is begun stays owned. @template T @param {() => T} work @returns {T} */
function untrackReads(work) {
  const owner = current;
  const value = work();
  if (owner) { for (const source of owner.sources) source.delete(owner); owner.sources.clear(); }
  return value;
}

/**
 * An element. A property whose value is a function follows its signals; `on…` listens; `ref` is called with the element; `style` is an object.
 * @param {string} tag @param {Record<string, any>} [props] @param {...Child} children @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  return /** @type {HTMLElement} */ (build(document.createElement(tag), props, children));
}

/** An element of a drawing. @param {string} tag @param {Record<string, any>} [props] @param {...Child} children @returns {SVGElement} */
export function svg(tag, props = {}, ...children) {
  return /** @type {SVGElement} */ (build(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children));
}

/** @param {Element} element @param {Record<string, any>} props @param {Child[]} children */
function build(element, props, children) {
  for (const child of children) append(element, child);
  for (const [name, value] of Object.entries(props)) {
    if (name === "ref") value(element);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value);
    else if (typeof value === "function") effect(() => set(element, name, value()));
    else set(element, name, value);
  }
  return element;
}

/** What is kept in the element itself, not in its attribute. */
const LIVE = new Set(["value", "checked", "selected", "indeterminate"]);

/** @param {any} element @param {string} name @param {any} value */
function set(element, name, value) {
  if (name === "style") {
    for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
  } else if (LIVE.has(name)) {
    if (element[name] !== value) element[name] = value;
  } else if (value === false || value === null || value === undefined) {
    element.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** @param {Node} parent @param {Child} child */
function append(parent, child) {
  if (child === null || child === undefined || child === true || child === false) return;
  if (Array.isArray(child)) { for (const one of child) append(parent, one); return; }
  if (typeof child === "function") { parent.appendChild(region(child)); return; }
  parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
}

/** What follows `work` in one place: a text is changed where it stands, anything else is drawn anew. @param {() => any} work */
function region(work) {
  const start = document.createComment(""), end = document.createComment("");
  const part = document.createDocumentFragment();
  part.append(start, end);
  effect(() => {
    const shown = work();
    const only = start.nextSibling;
    if ((typeof shown === "string" || typeof shown === "number") && only instanceof Text && only.nextSibling === end) {
      if (only.data !== String(shown)) only.data = String(shown);
      return;
    }
    while (start.nextSibling && start.nextSibling !== end) start.nextSibling.remove();
    const drawn = document.createDocumentFragment();
    append(drawn, shown);
    end.before(drawn);
  });
  return part;
}

/**
 * A list. An element is drawn once for its key, moved when its place changes, and told of its new value by a signal.
 * @template T
 * @param {() => T[]} items @param {(item: T) => string | number} key @param {(item: () => T) => Node} draw
 * @returns {() => Node}
 */
export function each(items, key, draw) {
  return () => {
    const start = document.createComment(""), end = document.createComment("");
    const part = document.createDocumentFragment();
    part.append(start, end);
    /** @type {Map<string | number, { node: Node, end: () => void, value: Signal<T> }>} */
    let rows = new Map();
    const owner = current;
    effect(() => {
      const list = items();
      /** @type {typeof rows} */
      const next = new Map();
      for (const item of list) {
        const id = key(item);
        const known = rows.get(id) ?? next.get(id);
        if (known) { known.value.set(item); next.set(id, known); continue; }
        const value = signal(item);
        const before = current;
        current = owner;
        const row = owned(() => draw(value));
        current = before;
        next.set(id, { ...row, value });
      }
      for (const [id, row] of rows) if (!next.has(id)) { row.end(); row.node.parentNode?.removeChild(row.node); }
      let place = start.nextSibling;
      for (const row of next.values()) {
        if (row.node === place) place = place.nextSibling;
        else end.parentNode?.insertBefore(row.node, place);
      }
      rows = next;
    });
    onEnd(() => { for (const row of rows.values()) row.end(); });
    return part;
  };
}

/** Draws `work` into `place` instead of what is there, once: what it reads is not followed. @param {Element | DocumentFragment | null} place @param {() => Child} work */
export function mount(place, work) {
  if (!place) throw new Error("there is no place to draw at");
  place.replaceChildren();
  return effect(() => { untrackReads(() => append(place, work())); });
}
