// Runs the golden scenes in the page's WebAssembly, without a browser, and compares their hashes with those of the native
// test: node --test examples/web/tests/golden.test.mjs

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Page } from "./node.mjs";

const native = await readFile(new URL("../../tests/golden.rs", import.meta.url), "utf8");
const scenes = [...native.matchAll(/^ {4}\("([a-z-]+)", (?:Some\((\d+)\)|None), (\d+), 0x([0-9a-f_]+)\),$/gm)];
const count = Number(native.match(/^const GOLDEN: .*; (\d+)\]/m)[1]);

test("all golden scenes of the native test are found", () => assert.equal(scenes.length, count));

for (const [, name, n, frames, hash] of scenes) {
  test(`${name} has the hash of the native test`, () => {
    const page = new Page(name, n === undefined ? "" : `n=${n}`, 0);
    for (let frame = 0; frame < Number(frames); frame++) page.step();
    assert.equal(page.hash(), hash.replaceAll("_", ""));
    page.free();
  });
}
