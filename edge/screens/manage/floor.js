// The floor plan: tables where they stand, moved by dragging, by arrow keys or by buttons, each move saved at once; their codes to print. Never
// seats anybody: that is the till's.

import { all, ask, may } from "../kit/session.js";
import { each, h, signal } from "../kit/view.js";
import { draggable } from "../kit/drag.js";
import { settled } from "../kit/scale.js";
import { said } from "../kit/pin.js";
import { confirm, show, toast } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, head, loaded } from "./parts.js";
import { send } from "./store.js";
import { save } from "./files.js";
import { files } from "./imports.js";
import { change, add } from "./resource.js";
import { textsField } from "./texts.js";

const STEP = 20, SIDE = 96, WIDE = 1200, HIGH = 720;
const sizeOf = (/** @type {any} */ one) => one.size ?? { width: one.shape === "RECTANGLE" ? 150 : SIDE, height: SIDE };

/** The area that was looked at last: it is still there when the plan is drawn anew. */
let shown = "";

/** @returns {import("./resource.js").Resource} */
const tables = () => ({
  name: "tables", path: "/tables", right: "tables:write", columns: [],
  fields: [{ name: "number", label: t("f.tableNumber"), need: true }, { name: "seats", kind: "number", need: true }, { name: "area" }, { name: "shape", kind: "choice", need: true, values: ["SQUARE", "RECTANGLE", "ROUND"], fresh: () => "SQUARE" }, { name: "size.width", label: t("f.tableWidth"), kind: "number", hint: "table.size.hint" }, { name: "size.height", label: t("f.tableHeight"), kind: "number" }, { name: "rotation", label: t("f.turned"), kind: "number", empty: 0, hint: "table.rotation.hint" }, { ...textsField(["name"]), label: t("texts.table") }, { ...textsField(["name"]), name: "areaTexts", label: t("texts.area") }],
  // One side alone is no size: the other is as wide as a table is drawn without.
  shape: ({ size, ...typed }) => ({ ...typed, ...(size === undefined ? {} : { size: size.width === null && size.height === null ? null : { width: size.width ?? SIDE, height: size.height ?? SIDE } }) }),
});

export function draw() {
  return loaded(() => all("/tables"), (rows, again) => plan(rows, again));
}

/** @param {any[]} first @param {() => void} again */
function plan(first, again) {
  const areas = [...new Map([...first].sort((a, b) => a.areaOrder - b.areaOrder).map((one) => [one.area ?? "", one.area ?? ""])).values()];
  const area = signal(areas.includes(shown) ? shown : areas[0] ?? ""), rows = signal(first), chosen = signal(/** @type {string | null} */ (null)), state = signal("");
  const one = () => rows().find(({ id }) => id === chosen());
  /** @type {Map<string, number>} */
  const timers = new Map();
  /** Shows a change at once and saves it; what is refused goes back. @param {string} id @param {any} part @param {number} [wait] */
  function put(id, part, wait = 0) {
    const before = rows.peek();
    rows.set(before.map((row) => (row.id === id ? { ...row, ...part } : row)));
    state.set(t("saving"));
    clearTimeout(timers.get(id));
    timers.set(id, setTimeout(async () => {
      try {
        const now = rows.peek().find((row) => row.id === id);
        const saved = await send("PATCH", "/tables/plan", { tables: [{ id, position: now.position, rotation: now.rotation }] });
        rows.update((all) => all.map((row) => { const fresh = saved.find((/** @type {any} */ other) => other.id === row.id); return fresh ? { ...row, version: fresh.version } : row; }));
        state.set(t("saved"));
      } catch (error) {
        rows.set(before);
        state.set("");
        toast(said(error), "bad");
      }
    }, wait));
  }
  /** @param {any} row @param {number} x @param {number} y @param {number} [wait] */
  function move(row, x, y, wait) {
    put(row.id, { position: { x: settled(x, STEP, 0, WIDE - SIDE), y: settled(y, STEP, 0, HIGH - SIDE) } }, wait);
  }
  /** @param {any} row */
  function table(row) {
    const now = () => rows().find(({ id }) => id === row.id) ?? row;
    const button = h("button", {
      type: "button", class: () => `table ${now().shape.toLowerCase()}`, "aria-pressed": () => (chosen() === row.id ? "true" : "false"), onclick: () => chosen.set(row.id),
    }, h("span", { class: "spoken" }, t("table.one", { number: "" })), h("b", {}, h("bdi", {}, row.number)), h("small", {}, t("table.seats", { n: row.seats })), h("span", { class: "spoken" }, () => t("table.at", { x: now().position?.x ?? 0, y: now().position?.y ?? 0 })));
    const room = h("li", {}, button);
    const lay = () => { const { position, rotation } = now(), size = sizeOf(now()); Object.assign(room.style, { insetInlineStart: "auto", left: `${position?.x ?? 0}px`, top: `${position?.y ?? 0}px` }); Object.assign(button.style, { width: `${size.width}px`, height: `${size.height}px`, transform: rotation ? `rotate(${rotation}deg)` : "" }); return ""; };
    draggable(button, {
      onStart: () => chosen.set(row.id),
      onMove: (dx, dy) => { room.style.transform = `translate(${dx}px, ${dy}px)`; },
      onCancel: () => { room.style.transform = ""; },
      onDrop: (dx, dy) => { room.style.transform = ""; const { position } = now(); move(now(), (position?.x ?? 0) + dx, (position?.y ?? 0) + dy); },
      onKey: (x, y, far) => { const { position } = now(), step = far ? STEP * 5 : STEP; chosen.set(row.id); move(now(), (position?.x ?? 0) + x * step, (position?.y ?? 0) + y * step, 400); },
    });
    return { room, lay };
  }
  const arrows = /** @type {[string, number, number, string][]} */ ([["left", -1, 0, "←"], ["up", 0, -1, "↑"], ["down", 0, 1, "↓"], ["right", 1, 0, "→"]]);
  return [
    head(t("section.floor"), files("tables", again), may("printers:read") ? act(t("table.print"), () => send("POST", "/tables/qr-sheet/print", {}), { done: t("printing") }) : null, act(t("table.codes"), () => save("/tables/qr-sheet", {}, "tables.html")), areas.length > 1 ? h("button", { type: "button", onclick: async () => { if (await order(areas.filter(Boolean))) again(); } }, t("areas.order")) : null,
      h("button", { type: "button", class: "main", onclick: async () => { if (await add(tables())) again(); } }, t("tables.add"))),
    h("p", { class: "hint" }, t("floor.text"), " ", h("b", { role: "status" }, state)),
    areas.length > 1 ? h("div", { class: "presets", role: "group", "aria-label": t("f.area") }, ...areas.map((name) => h("button", { type: "button", "aria-pressed": () => (area() === name ? "true" : "false"), onclick: () => { shown = name; area.set(name); chosen.set(null); } }, h("bdi", {}, name || t("area.none"))))) : null,
    h("div", { class: "plan-place" },
      h("div", { class: "scroll plan-scroll", tabindex: "0", role: "region", "aria-label": t("section.floor") }, () => {
        const made = rows.peek().filter((row) => (row.area ?? "") === area()).map(table);
        return h("ul", { class: "plan" }, ...made.map(({ room }) => room), () => { for (const { lay } of made) lay(); return null; });
      }),
      () => (one() ? h("aside", { class: "card", "aria-label": t("table.one", { number: one().number }) }, h("h2", {}, t("table.one", { number: one().number })), h("p", { class: "hint" }, t("table.seats", { n: one().seats })),
        h("div", { class: "arrows", role: "group", "aria-label": t("table.move") }, ...arrows.map(([name, x, y, sign]) => h("button", { type: "button", "aria-label": t(`table.${name}`), onclick: () => { const { position } = one(); move(one(), (position?.x ?? 0) + x * STEP, (position?.y ?? 0) + y * STEP, 400); } }, sign)),
          h("button", { type: "button", "aria-label": t("table.turn"), onclick: () => put(one().id, { rotation: (one().rotation + 45) % 360 }) }, "⟳")),
        h("div", { class: "acts start" },
          h("button", { type: "button", onclick: async () => { const fresh = (await ask("GET", `/tables/${one().id}`)).data; if (await change(tables(), { ...fresh, name: t("table.one", { number: fresh.number }) })) again(); } }, t("change")),
          h("button", { type: "button", onclick: () => void code(one()) }, t("table.code")),
          h("button", { type: "button", class: "quiet", onclick: async () => {
            if (!(await confirm(t("archive"), t("archive.sure", { name: t("table.one", { number: one().number }) }), t("archive"), { bad: true }))) return;
            try { await send("DELETE", `/tables/${one().id}`, undefined, one().version); again(); } catch (error) { toast(said(error), "bad"); }
          } }, t("archive")))) : null)),
  ];
}

/** Asks for the order of the areas; each button moves one a place. @param {string[]} areas @returns {Promise<any>} */
function order(areas) {
  return show(t("areas.order"), (close) => {
    const names = signal(areas), wrong = signal(""), busy = signal(false);
    /** @param {string} name @param {number} by */
    function move(name, by) {
      const next = names.peek().filter((one) => one !== name), to = names.peek().indexOf(name) + by, button = /** @type {HTMLElement | null} */ (document.activeElement);
      if (to < 0 || to > next.length) return;
      next.splice(to, 0, name);
      names.set(next);
      // What is put elsewhere loses the focus, and what can go no further may not have it.
      if (button?.matches(":disabled")) /** @type {HTMLElement | null} */ (button.parentElement?.querySelector("button:not(:disabled)"))?.focus(); else button?.focus();
    }
    /** @param {SubmitEvent} event */
    async function submit(event) {
      event.preventDefault();
      if (busy.peek()) return;
      busy.set(true);
      try { await send("PATCH", "/tables/plan", { areas: names.peek(), tables: [] }); close(true); } catch (error) { wrong.set(said(error)); } finally { busy.set(false); }
    }
    return h("form", { onsubmit: submit }, h("p", { class: "hint" }, t("areas.order.text")),
      h("ol", { class: "ordered" }, each(names, (name) => name, (name) => h("li", {}, h("bdi", {}, name),
        h("span", { class: "arrows" }, h("button", { type: "button", "aria-label": `${t("table.up")}: ${name()}`, disabled: () => names().indexOf(name()) === 0, onclick: () => move(name(), -1) }, "↑"),
          h("button", { type: "button", "aria-label": `${t("table.down")}: ${name()}`, disabled: () => names().indexOf(name()) === names().length - 1, onclick: () => move(name(), 1) }, "↓"))))),
      h("p", { class: "wrong", role: "alert" }, () => wrong()), h("div", { class: "acts" }, h("button", { class: "main", disabled: busy }, t("save"))));
  });
}

/** The code of a table that guests scan. @param {any} one */
function code(one) {
  return show(t("table.one", { number: one.number }), () => [
    h("p", {}, h("a", { href: one.qrUrl }, one.qrUrl)),
    h("div", { class: "acts start" }, act(t("table.code.save"), () => save(`/tables/${one.id}/qr`, { format: "svg" }, `table-${one.number}.svg`)), act(t("table.code.new"), () => send("POST", `/tables/${one.id}/qr`), { sure: t("table.code.sure"), bad: true, done: t("saved") })),
  ]);
}
