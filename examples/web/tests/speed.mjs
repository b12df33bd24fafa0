// Prints how long a frame takes in WebAssembly and natively, on one thread and in turn:
// node examples/web/tests/speed.mjs RUNNER [SCENE] [KEY=VALUE]…

import { execFileSync } from "node:child_process";
import { argv } from "node:process";
import { Page } from "./node.mjs";

const [, , runner, scene = "hang", ...keys] = argv;
const FRAMES = 60;
const ROUNDS = 5;

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

function inWebAssembly() {
  const page = new Page(scene, keys.join("\n"), 0);
  const times = [];
  for (let frame = 0; frame < FRAMES; frame++) {
    const begin = performance.now();
    page.step();
    times.push(performance.now() - begin);
  }
  page.free();
  return median(times);
}

function natively() {
  const set = keys.flatMap((key) => ["--set", key]);
  const printed = execFileSync(runner, ["run", scene, "--threads", "1", "--frames", String(FRAMES), "--json", ...set]);
  return JSON.parse(printed).ms_per_frame.median;
}

const ratios = [];
for (let round = 0; round < ROUNDS; round++) {
  const [here, there] = [inWebAssembly(), natively()];
  ratios.push(here / there);
  console.log(`${here.toFixed(2)} ms in WebAssembly, ${there.toFixed(2)} ms natively: ${(here / there).toFixed(2)} times`);
}
console.log(`${median(ratios).toFixed(2)} times as long, the median of ${ROUNDS}`);
