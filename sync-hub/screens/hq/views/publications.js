// What was published and how far it has come: "arrived 17 of 19", with each outlet by itself; what is to take effect later can be taken back.
// Never says that something arrived before it stands in the branch's own log.

import { confirm, show, toast } from "../../kit/dialog.js";
import { newId } from "../../kit/ids.js";
import { ask, may } from "../../kit/session.js";
import { h, onEnd } from "../../kit/view.js";
import { t } from "../../kit/words.js";
import { choices, currencyOf } from "../chain.js";
import { arrival, isCancellable, momentOf } from "../model.js";
import { act, at, awaited, form, head, loaded, mark, of, pairs, table, word } from "../parts.js";
import { whenAndWhere } from "../publish.js";
import { columnWord, isReference, tableWord, valueWord } from "./conflicts.js";

/** How far it came, in a sentence with a bar. @param {any} publication */
function progress(publication) {
  const { arrived, of, refused, cancelled } = arrival(publication.progress);
  const text = publication.cancelledAt ? t("publication.cancelled") : t("publication.arrived", { arrived, of });
  return h("span", { class: "progress" }, h("span", { class: arrived === of && of > 0 ? "good" : "" }, text),
    h("progress", { value: String(arrived), max: String(Math.max(1, of)), "aria-label": text }),
    refused > 0 && mark(t("publication.refused", { n: refused }), "bad"), cancelled > 0 && !publication.cancelledAt && mark(t("publication.cancelledAt", { n: cancelled })));
}

/** What it did, in words. @param {any} publication */
function what(publication) {
  const shown = publication.changes?.shown ?? [];
  if (publication.kind === "CATALOGUE") return t("publication.whole");
  if (shown.length === 0) return word(publication.kind);
  const first = shown[0];
  if (publication.kind === "SETTINGS") return `${word("SETTINGS")}: ${t(`settings.${first.name}`)}`;
  const text = `${word(first.change)}: ${tableWord(first.table)}`;
  return [text, first.name ? [" – ", h("bdi", {}, first.name)] : null, publication.changes.total > 1 ? ` ${t("publication.more", { n: publication.changes.total - 1 })}` : null];
}

/** @param {string} id */
async function look(id) {
  await show(t("publication.one"), () => loaded(async () => (await ask("GET", `/hub/publications/${id}`)).data, (publication, again) => {
    const waiting = setInterval(() => { if (arrival(publication.progress).waiting > 0 && !publication.cancelledAt) void again(); }, 2_000);
    onEnd(() => clearInterval(waiting));
    const currency = currencyOf();
    return [
      pairs([[t("f.number"), String(publication.number)], [t("f.madeBy"), h("bdi", {}, publication.madeBy)], [t("f.madeAt"), at(publication.madeAt)], [t("f.effectiveAt"), publication.effectiveAt ? at(publication.effectiveAt) : t("publish.atOnce")], [t("f.cancelledAt"), publication.cancelledAt ? `${at(publication.cancelledAt)} – ${publication.cancelledBy}` : undefined], [t("publication.progress"), progress(publication)]]),
      h("h3", {}, t("publication.outlets")),
      table(t("publication.outlets"), [
        { label: t("f.outlet"), head: true, cell: (row) => h("bdi", {}, row.name ?? row.code ?? "–") },
        { label: t("f.status"), cell: (row) => mark(word(row.state), row.state === "REFUSED" ? "bad" : ["ARRIVED", "EFFECTIVE"].includes(row.state) ? "good" : "plain") },
        { label: t("f.deliveredAt"), cell: (row) => at(row.deliveredAt) },
        { label: t("f.arrivedAt"), cell: (row) => at(row.arrivedAt) },
        { label: t("f.effectiveAt"), cell: (row) => at(row.effectiveAt) },
        { label: t("f.refusal"), cell: (row) => row.refusal ?? "–" },
      ], publication.outlets),
      (publication.changes?.shown ?? []).length > 0 && [h("h3", {}, t("publication.changes", { n: publication.changes.total })),
        table(t("publication.changes", { n: publication.changes.total }), [
          { label: t("f.name"), head: true, cell: (row) => [h("bdi", {}, publication.kind === "SETTINGS" ? t(`settings.${row.name}`) : row.name ?? row.rowId), h("small", {}, `${tableWord(row.table)} – ${word(row.change)}`)] },
          { label: t("publication.fields"), cell: (row) => h("ul", { class: "plain" }, ...Object.entries(row.columns ?? {}).filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to) && !isReference(to) && !(from === null && (to === "{}" || to === "[]"))).slice(0, 12).map(([column, value]) => h("li", {}, `${columnWord(column)}: `, row.change === "CREATED" || publication.kind === "SETTINGS" ? null : [h("bdi", {}, valueWord(value.from, column, currency)), " → "], h("b", {}, h("bdi", {}, valueWord(value.to, column, currency)))))) },
        ], publication.changes.shown)],
    ];
  }).node, { wide: true });
}

/** @param {() => Promise<void>} again */
async function publishAll(again) {
  const done = await form(t("publication.publishAll"), [{ name: "includeStaff", kind: "tick", label: t("publish.includeStaff"), value: false }, ...whenAndWhere()], async (values) => {
    const body = { includeStaff: values.includeStaff, effectiveAt: momentOf(values.effectiveAt ?? ""), outletIds: values.outletIds?.length ? values.outletIds : null };
    await ask("POST", "/hub/publications", { body, key: newId() });
    toast(t("publish.onItsWay"));
    return true;
  }, { act: t("publish.act"), about: h("p", {}, t("publication.publishAllHint", { n: choices().length })) });
  if (done) await again();
}

export function view() {
  const { node, again } = loaded(() => ask("GET", "/hub/publications", { query: { limit: 50 } }), ({ data }, reload) => {
    awaited(data.some((/** @type {any} */ one) => arrival(one.progress).waiting > 0 && !one.cancelledAt), reload);
    const cancel = (/** @type {any} */ publication) => async () => {
      if (!(await confirm(t("publication.cancel"), t("publication.cancelHint", { number: publication.number }), t("publication.cancel"), { bad: true }))) return;
      await ask("POST", `/hub/publications/${publication.id}/cancel`, { key: newId() });
      toast(t("publication.cancelled"));
      await reload();
    };
    return table(t("view.publications"), [
      { label: t("f.number"), head: true, cell: (row) => h("button", { type: "button", class: "quiet start", onclick: () => void look(row.id) }, of(`#${row.number}`, t("publication.one"))) },
      { label: t("f.what"), cell: what },
      { label: t("f.madeAt"), cell: (row) => [at(row.madeAt), h("small", {}, h("bdi", {}, row.madeBy))] },
      { label: t("f.effectiveAt"), cell: (row) => (row.effectiveAt ? at(row.effectiveAt) : t("publish.atOnce")) },
      { label: t("publication.progress"), cell: progress },
      { label: "", cell: (row) => isCancellable(row, Date.now()) && may("menu:write") && act(t("publication.cancel"), cancel(row), "quiet", `#${row.number}`) },
    ], data, t("publication.none"));
  });
  return [head(t("view.publications"), t("publication.hint"), may("menu:write") ? h("button", { type: "button", class: "main", onclick: () => void publishAll(again) }, t("publication.publishAll")) : null), node];
}
