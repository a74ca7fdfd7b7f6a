// Checks the types of all screens against those of the published documents. Never keeps what it makes.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const modules = join(process.env.TIFFIN_TEST_TOOLS ?? join(root, "target/test-tools"), "screens/node_modules");
const folder = mkdtempSync(join(tmpdir(), "tiffin-types-"));

/** @param {string[]} args */
function node(args) {
  const done = spawnSync(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (done.status !== 0) process.exitCode = 1;
}

for (const [name, document] of [["api", "edge/openapi.json"], ["hub-api", "sync-hub/openapi.json"]]) {
  node([join(modules, "openapi-typescript/bin/cli.js"), join(root, document), "-o", join(folder, `${name}.d.ts`)]);
}
const paths = { api: [join(folder, "api.d.ts")], "hub-api": [join(folder, "hub-api.d.ts")] };
const include = ["edge", "sync-hub"].map((program) => join(root, program, "screens/**/*.js"));
writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: join(here, "tsconfig.json"), compilerOptions: { paths }, include }));
node([join(modules, "typescript/bin/tsc"), "-p", join(folder, "tsconfig.json")]);
rmSync(folder, { recursive: true });
