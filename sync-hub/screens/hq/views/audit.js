// Who changed what at head office, newest first, page by page, to be narrowed down. Never changed, never deleted.

import { ask } from "../../kit/session.js";
import { h, signal } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { nameOf, names } from "../chain.js";
import { momentOf } from "../model.js";
import { act, at, download, head, loaded, table, word } from "../parts.js";

const PAGE = 50;

export function view() {
  const filter = signal(/** @type {Record<string, any>} */ ({})), offset = signal(0);
  const read = (/** @type {number} */ from, /** @type {number} */ limit) => ask("GET", "/hub/audit-log", { query: { ...filter(), offset: from, limit } });
  async function keep() {
    const rows = [];
    for (let from = 0; from < 5_000; from += 100) { const { data } = await read(from, 100); rows.push(...data); if (data.length < 100) break; }
    download("audit-log.json", new Blob([JSON.stringify(rows, null, 1)], { type: "application/json" }));
  }
  return [
    head(t("view.audit"), t("audit.hint"), act(t("audit.export"), keep)),
    h("form", {
      class: "choose",
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const given = Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (event.target)));
        offset.set(0);
        filter.set({ action: given.action, outletId: given.outletId, from: momentOf(String(given.from)), to: momentOf(String(given.to)) });
      },
    },
    h("label", {}, t("f.action"), h("input", { name: "action", autocomplete: "off" })),
    h("label", {}, t("f.outlet"), h("select", { name: "outletId" }, h("option", { value: "" }, t("outlets.all")), () => names().map(({ id, name }) => h("option", { value: id }, name)))),
    h("label", {}, t("f.from"), h("input", { name: "from", type: "datetime-local" })), h("label", {}, t("f.to"), h("input", { name: "to", type: "datetime-local" })), h("button", {}, t("show"))),
    loaded(() => read(offset(), PAGE), ({ data, meta }) => [
      table(t("view.audit"), [
        { label: t("f.at"), head: true, cell: (row) => at(row.at) }, { label: t("f.action"), cell: (row) => word(row.action) }, { label: t("f.actorName"), cell: (row) => h("bdi", {}, row.actorName) },
        { label: t("f.outlet"), cell: (row) => (row.outletId ? h("bdi", {}, nameOf(row.outletId)) : "–") }, { label: t("f.device"), cell: (row) => row.device ?? "–" },
        { label: t("f.detail"), cell: (row) => (row.detail && Object.keys(row.detail).length ? h("details", {}, h("summary", {}, t("more")), h("pre", {}, JSON.stringify(row.detail, null, 1))) : "–") },
      ], data),
      h("div", { class: "acts" },
        offset() > 0 && h("button", { type: "button", onclick: () => offset.update((before) => Math.max(0, before - PAGE)) }, t("page.newer")),
        (meta?.total ?? 0) > offset() + PAGE && h("button", { type: "button", onclick: () => offset.update((before) => before + PAGE) }, t("page.older"))),
    ]).node,
  ];
}
