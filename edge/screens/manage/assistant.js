// The assistant: questions in words, answers with the figures they come from and where those come from. Never shows a figure without its source.

import { ask } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { newId } from "../kit/ids.js";
import { said } from "../kit/pin.js";
import { choose } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act, head, word } from "./parts.js";
import { send, when } from "./store.js";
import { table } from "./list.js";

export function draw() {
  const talk = signal(/** @type {{ id: string, question: string, answer: any, wrong: string }[]} */ ([])), conversation = signal(/** @type {string | null} */ (null)), busy = signal(false);
  const input = /** @type {HTMLInputElement} */ (h("input", { name: "question", required: true, autocomplete: "off", maxlength: 500 }));
  /** @param {string} question */
  async function put(question) {
    if (busy.peek() || question.trim() === "") return;
    busy.set(true);
    const id = newId();
    talk.update((all) => [...all, { id, question, answer: null, wrong: "" }]);
    /** @param {any} part */
    const change = (part) => talk.update((all) => all.map((one) => (one.id === id ? { ...one, ...part } : one)));
    try {
      const { data: answer } = await ask("POST", "/ai/ask", { body: { question, ...(conversation.peek() ? { conversationId: conversation.peek() } : {}) }, key: newId() });
      conversation.set(answer.conversationId);
      change({ answer });
      input.value = "";
    } catch (error) {
      change({ wrong: said(error) });
    } finally {
      busy.set(false);
      input.focus();
    }
  }
  async function earlier() {
    const { data } = await ask("GET", "/ai/conversations", { query: { limit: 20 } });
    const id = await choose(t("assistant.earlier"), data.map((/** @type {any} */ one) => ({ value: one.id, label: one.title, hint: when(one.updatedAt) })));
    if (!id) return;
    const { data: one } = await ask("GET", `/ai/conversations/${id}`);
    conversation.set(id);
    const rows = [];
    for (const message of one.messages) {
      if (message.role === "user" || !message.answer) rows.push({ id: message.id, question: message.text, answer: null, wrong: "" });
      else if (rows.length > 0) rows[rows.length - 1].answer = { answer: message.text, ...message.answer };
    }
    talk.set(rows);
  }
  return [
    head(t("section.assistant"), act(t("assistant.earlier"), earlier), h("button", { type: "button", onclick: () => { conversation.set(null); talk.set([]); input.focus(); } }, t("assistant.new")),
      () => (conversation() ? act(t("assistant.forget"), async () => { await send("DELETE", `/ai/conversations/${conversation.peek()}`); conversation.set(null); talk.set([]); }, { sure: t("assistant.forget.sure"), class: "quiet" }) : null)),
    h("p", { class: "hint" }, t("assistant.text")),
    h("div", { class: "talk", role: "log", "aria-live": "polite", "aria-label": t("section.assistant") }, () => talk().map(({ question, answer, wrong }) => h("article", {},
      h("p", { class: "asked" }, h("bdi", {}, question)),
      answer ? h("div", { class: "card" }, h("p", {}, h("bdi", {}, answer.answer)), answer.table ? asTable(answer.table, question) : null,
        answer.facts?.length > 0 ? h("ul", { class: "plain" }, ...answer.facts.map((/** @type {any} */ one) => h("li", {}, h("bdi", {}, one.label), ": ", h("b", {}, one.text)))) : null,
        answer.sources?.length > 0 ? h("small", {}, t("assistant.from"), " ", ...answer.sources.map((/** @type {any} */ one) => h("code", {}, one.endpoint, " "))) : null,
        answer.fallbackReason ? h("small", { class: "warn" }, t("assistant.own", { why: word("fallback", answer.fallbackReason) })) : null)
        : h("p", { role: "status", class: wrong ? "wrong" : "hint" }, wrong || t("assistant.thinks"))))),
    () => (talk().length === 0 ? h("div", { class: "choices" }, ...["sales", "low", "top", "staff"].map((name) => h("button", { type: "button", onclick: () => void put(t(`assistant.ask.${name}`)) }, t(`assistant.ask.${name}`)))) : null),
    h("form", { class: "askbar", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void put(input.value); } }, h("label", {}, t("assistant.ask"), input), h("button", { class: "main", disabled: busy }, t("assistant.go"))),
  ];
}

/** @param {any} one @param {string} caption */
function asTable(one, caption) {
  const name = (/** @type {any} */ column) => column.key ?? column.name ?? column.label;
  return table({ caption, columns: one.columns.map((/** @type {any} */ column) => ({ name: name(column), label: column.label ?? name(column) })), rows: one.rows.map((/** @type {any[]} */ row) => Object.fromEntries(one.columns.map((/** @type {any} */ column, /** @type {number} */ at) => [name(column), row[at]]))) });
}
