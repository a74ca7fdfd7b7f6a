// Whether every route of the branch that a person needs is asked by some screen. Read from the sources of the screens and the published
// document; what no screen asks for stands here with its reason. Needs no browser.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const root = new URL("../../edge/screens/", import.meta.url);
const document = JSON.parse(readFileSync(new URL("../../edge/openapi.json", import.meta.url), "utf8"));
const operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, "{}")}`));

/** The sources of the screens, without their words. */
const sources = ["manage", "pos", "kitchen", "clock", "guest", "kit"].flatMap((folder) => readdirSync(new URL(`${folder}/`, root)).filter((name) => name.endsWith(".js")).map((name) => readFileSync(new URL(`${folder}/${name}`, root), "utf8")));

/** A path as it stands in a source, with {} for what is filled in. @param {string} text */
const plain = (text) => text.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "{}").split("?")[0];
const PATH = /["`](\/[a-z](?:\$\{(?:[^{}]|\{[^{}]*\})*\}|[^"`\n])*)["`]/.source;

/** What the sources ask for: "POST /orders/{}/split". */
function asked() {
  const found = new Set();
  for (const text of sources) {
    // A method and a path one after the other: ask("GET", "/x"), send("POST", `/x/${id}`).
    for (const [, method, path] of text.matchAll(new RegExp(`(?<!onOrder\\()"(GET|POST|PUT|PATCH|DELETE)",\\s*${PATH}`, "g"))) found.add(`${method} ${plain(path)}`);
    // The till's word for the order in view.
    for (const [, method, path] of text.matchAll(/onOrder\("(\w+)", ["`]([^"`]*)["`]/g)) found.add(`${method} /orders/{}${plain(path)}`);
    // What reads a list, or a file: all("/x"), from("/x"), save("/x"), listed({ path: "/x" }).
    for (const [, path] of text.matchAll(new RegExp(`\\b(?:all|from|rowsOf|save)\\(${PATH}`, "g"))) found.add(`GET ${plain(path)}`);
    for (const [, path] of text.matchAll(new RegExp(`listed\\(\\{\\s*path: ${PATH}`, "g"))) found.add(`GET ${plain(path)}`);
    // A record that is listed, added, changed and archived in the usual way.
    for (const [, how, path, rest] of text.matchAll(new RegExp(`(name: "\\w+", )path: ${PATH}, right: ("[^\\n]*)`, "g"))) {
      assert.ok(how);
      for (const one of [`GET ${path}`, `GET ${path}/{}`, `PATCH ${path}/{}`, ...(/adds: false/.test(rest) ? [] : [`POST ${path}`]), ...(/removes: false/.test(rest) ? [] : [`DELETE ${path}/{}`])]) found.add(one);
    }
  }
  return found;
}

/** What is asked in another way than the sources show at once: where, and how. */
const OTHERWISE = /** @type {Record<string, string>} */ ({
  "POST /auth/login": "kit/session.js, at the door of whom it signs in to", "POST /auth/logout": "the same", "POST /auth/refresh": "the same", "GET /auth/me": "the same", "POST /auth/reset-password": "the same",
  "GET /inventory/recipes/{}": "manage/recipes.js is given the path", "PUT /inventory/recipes/{}": "the same", "GET /menu/modifier-options/{}/recipe": "the same", "PUT /menu/modifier-options/{}/recipe": "the same", "DELETE /inventory/recipes/{}": "the same", "DELETE /menu/modifier-options/{}/recipe": "the same",
  "PUT /menu/items/{}/availability": "manage/menu.js and the tills are given the path", "DELETE /menu/items/{}/availability": "the same", "PUT /menu/modifier-options/{}/availability": "the same", "DELETE /menu/modifier-options/{}/availability": "the same",
  "GET /menu/items/{}/image": "a picture's own address, in the dish's imageUrl",
  "PUT /menu/items/{}/price": "manage/menu.js is given the path", "PUT /menu/variants/{}/price": "the same", "PUT /menu/variants/{}/availability": "manage/menu.js and the tills are given the path", "DELETE /menu/variants/{}/availability": "the same",
  "POST /menu/import": "manage/imports.js has the path in its list", "GET /menu/export": "the same", "POST /inventory/items/import": "the same", "GET /inventory/items/export": "the same", "POST /inventory/recipes/import": "the same", "GET /inventory/recipes/export": "the same", "POST /inventory/suppliers/import": "the same", "GET /inventory/suppliers/export": "the same", "POST /employees/import": "the same", "GET /employees/export": "the same", "POST /tables/import": "the same", "GET /tables/export": "the same",
  "POST /orders": "the till's drafts, by its outbox", "POST /orders/{}/items": "the same", "PATCH /kitchen/tickets/{}": "kitchen/data.js, by what is wished for", "GET /stream": "kit/stream.js, with its topics",
});
/** Of these what stands behind the path is filled in. */
const FAMILIES = { "GET /analytics/reports/": "manage/reports.js, by the report's name", "POST /cash-sessions/{}/": "the till's drawer, by what is done", "POST /kitchen/tickets/{}/": "the kitchen's acts, by their name", "POST /orders/tables/{}/": "the guest's page", "GET /orders/tables/{}/": "the guest's page", "GET /employees/{}/documents": "manage/person.js, papers", "POST /employees/{}/documents": "the same", "DELETE /employees/{}/documents": "the same", "POST /shifts/swaps/{}/": "by what is answered", "POST /leave-requests/{}/": "by what is decided" };

/** What no screen asks for, and why. */
const NOBODY = {
  "POST /outlets": "head office makes outlets: a branch is one",
  "POST /devices/pair": "the page at /pair asks it, which is served without a screen's scripts", "POST /devices/token": "the same",
  "GET /kitchen/stream": "for other systems: screens follow /stream, which tells of tickets, too", "GET /notifications/stream": "for other systems: screens follow /stream",
  "GET /print-jobs/{}": "the list says all of it", "GET /leave-requests/{}": "the list says all of it", "GET /shifts/swaps/{}": "the list says all of it", "GET /shifts/{}": "the list says all of it",
  "GET /kitchen/all-day": "the kitchen counts what it shows, so that both agree",
  "GET /kitchen/tickets/{}": "the stream and the list say all of it",
  "GET /tickets/{}/comments": "a query comes with what was said about it",
  "DELETE /employees/{}": "somebody is let go with a date, which is a change of the record",
};

test("every route that a person needs is asked by a screen, and each exception has a reason that still holds", () => {
  const found = asked();
  const reached = (/** @type {string} */ one) => found.has(one) || one in OTHERWISE || Object.keys(FAMILIES).some((family) => one.startsWith(family));
  assert.deepEqual(operations.filter((one) => !reached(one) && !(one in NOBODY)), [], "no screen asks for these");
  assert.deepEqual(Object.keys(NOBODY).filter((one) => !operations.includes(one) || found.has(one)), [], "these exceptions are not needed");
  assert.deepEqual(Object.keys(OTHERWISE).filter((one) => !operations.includes(one)), [], "these are no routes");
  assert.deepEqual(Object.keys(FAMILIES).filter((family) => !operations.some((one) => one.startsWith(family))), [], "these are no routes");
});

test("no screen asks for a route that is not there", () => {
  const wrong = [...asked()].filter((one) => !operations.includes(one) && !one.includes("/hub/") && !/\{\}$|\{\}\/\{\}|\{\}\{\}/.test(one));
  assert.deepEqual(wrong, []);
});
