// The package as it is installed: by name, for import and for require. Run by tests/clients/test_javascript_client.py.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../../../clients/javascript/", import.meta.url));
const NAMES = [
  "DEFAULT_TOLERANCE",
  "InvalidHeader",
  "InvalidPayload",
  "SIGNATURE_HEADER",
  "STANDARD_HEADERS",
  "SignatureMismatch",
  "SignatureMissing",
  "TimestampOutOfTolerance",
  "TimestampTooNew",
  "TimestampTooOld",
  "VerificationError",
  "sign",
  "signStandard",
  "siteSecret",
  "toolsSecret",
  "verify",
  "verifyStandard",
  "webhookSecret",
];
const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "helpdesk-webhooks-"));
  const installed = join(folder, "node_modules", manifest.name);
  mkdirSync(installed, { recursive: true });
  for (const name of ["package.json", ...manifest.files]) {
    cpSync(join(PACKAGE, name), join(installed, name), { recursive: true });
  }
});

after(() => rmSync(folder, { recursive: true, force: true }));

function run(name, program) {
  writeFileSync(join(folder, name), program);
  return JSON.parse(execFileSync(process.execPath, [join(folder, name)], { encoding: "utf8" }));
}

test("import finds every name", () => {
  const names = run("a.mjs", 'import * as all from "helpdesk-webhooks"; console.log(JSON.stringify(Object.keys(all)));');
  assert.deepEqual(names.sort(), NAMES);
});

test("require finds every name", () => {
  const names = run("b.cjs", 'console.log(JSON.stringify(Object.keys(require("helpdesk-webhooks"))));');
  assert.deepEqual(names.sort(), NAMES);
});

test("an error thrown by the one is caught as the other's", () => {
  const same = run(
    "c.mjs",
    `import { createRequire } from "node:module";
     import * as imported from "helpdesk-webhooks";
     const required = createRequire(import.meta.url)("helpdesk-webhooks");
     console.log(JSON.stringify(${JSON.stringify(NAMES)}.filter((name) => imported[name] === required[name])));`,
  );
  assert.deepEqual(same, NAMES);
});

test("the package needs no other and runs nothing when it is installed", () => {
  for (const field of ["dependencies", "peerDependencies", "optionalDependencies", "scripts"]) {
    assert.equal(manifest[field], undefined);
  }
  assert.equal(manifest.engines.node, ">=18");
});

test("types and readme name everything that the package offers", () => {
  const types = readFileSync(join(PACKAGE, "src", "index.d.cts"), "utf8");
  const readme = readFileSync(join(PACKAGE, "README.md"), "utf8");
  for (const name of NAMES) {
    assert.match(types, new RegExp(`^export (function|class|const) ${name}\\b`, "m"));
    if (name !== "DEFAULT_TOLERANCE") assert.ok(readme.includes(name), name);
  }
});
