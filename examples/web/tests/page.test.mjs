// Opens the page in a real browser and plays with it. `.ci/page` starts it, with these variables: PAGE, the address of the
// page; XPBD, the native runner with the feature `play`; PICTURES, the folder for screenshots; CHROMIUM, the browser;
// PLAYWRIGHT, the folder of the module `playwright-core`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { env } from "node:process";
import { after, before, test } from "node:test";
import { part, read } from "./pixels.mjs";

const { chromium } = createRequire(`${resolve(env.PLAYWRIGHT)}/`)("playwright-core");
const SIZE = { width: 960, height: 640 };

const ARGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-quic",
  "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
// A device that the processor computes for.
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
const launch = (more) => chromium.launch({ executablePath: env.CHROMIUM, args: [...ARGS, ...more] });

// Largest distance of results of WebGPU from those of the CPU after ten frames [m].
const TOLERANCE = 1e-4;

let browser;

before(async () => { browser = await launch(WEBGPU); });

after(() => browser?.close());

// Opens the page at an address behind `#` and waits for its first frame. What goes wrong on the page fails the test.
async function open(fragment, { from = browser, ...options } = {}) {
  const context = await from.newContext({ viewport: SIZE, ...options });
  const page = await context.newPage();
  // Kernels that the processor runs take long to compile.
  page.setDefaultTimeout(120_000);
  // The devices of WebGPU that the page gets, to take them from it.
  await page.addInitScript(() => {
    window.devices = [];
    const request = window.GPUAdapter?.prototype.requestDevice;
    if (request) {
      GPUAdapter.prototype.requestDevice = async function (...options) {
        window.devices.push(await request.apply(this, options));
        return window.devices.at(-1);
      };
    }
  });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  await page.goto(`${env.PAGE}#${fragment}`);
  await page.waitForFunction(() => window.xpbd?.firstFrame !== undefined);
  return page;
}

// Waits until the world has this many frames.
const frames = (page, count) =>
  page.waitForFunction((count) => window.xpbd.frames >= count, count);

// Waits for this many frames more.
const more = async (page, count) => frames(page, count + await page.evaluate(() => window.xpbd.frames));

// Waits until the page says something.
const told = (page, text) => page.waitForFunction((text) => document.getElementById("message").textContent.includes(text), text);

// Lets WebGPU compute the physics.
async function useWebGpu(page) {
  await page.click("#webgpu");
  await page.waitForSelector("#webgpu.on");
}

async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

const picture = async (page, name) => read(await page.screenshot({ path: `${env.PICTURES}/${name}.png` }));

// Replays the record of a page with the native runner, and returns what it prints.
function native(record) {
  const printed = execFileSync(env.XPBD, ["replay", record], { encoding: "utf8" });
  return Object.fromEntries(printed.trim().split("\n").map((line) => line.split(/\s+(.*)/)));
}

// Stops the physics, and returns the hash and the record.
async function stop(page) {
  await page.evaluate(() => { window.xpbd.paused = true; });
  return page.evaluate(() => ({ hash: window.xpbd.page.hash(), record: window.xpbd.page.record(), frames: window.xpbd.page.frames() }));
}

async function drag(page, from, to, steps = 12) {
  await page.mouse.move(...from);
  await page.mouse.down();
  for (let k = 1; k <= steps; k++) {
    await page.mouse.move(from[0] + ((to[0] - from[0]) * k) / steps, from[1] + ((to[1] - from[1]) * k) / steps);
    await page.waitForTimeout(60);
  }
}

const isRed = ([r, g, b]) => r > 1.7 * g && r > 1.5 * b;
const isWater = ([r, g, b]) => b > r + 12 && g > r + 4;
const isWood = ([r, g, b]) => r > g + 15 && g > b + 8;
const isGreen = ([r, g, b]) => g > r + 12 && g > b + 4;

test("the cloth is dragged and gets a constraint, and replays to the same hash natively and on another page", async (t) => {
  const page = await open("scene=drape");
  t.diagnostic(`first frame ${Math.round(await page.evaluate(() => window.xpbd.firstFrame))} ms after loading`);
  await frames(page, 50);
  const red = part(await picture(page, "drape"), [0.25, 0.2, 0.75, 0.95], isRed);
  assert.ok(red > 0.15, `the cloth covers ${red} of the middle`);
  await drag(page, [480, 300], [640, 160]);
  assert.equal(await page.evaluate(() => window.xpbd.page.held().length), 6, "something is held");
  await picture(page, "drape-held");
  await page.mouse.up();
  await page.click("#own summary");
  await page.fill("#text", "hill(a): world(a).y >= 0.2 + ");
  await page.click("#put");
  assert.match(await page.textContent("#problem"), /line 1, column \d+/);
  await page.fill("#text", "hill(a): world(a).y >= 0.2");
  await page.click("#put");
  assert.equal(await page.textContent("#problem"), "It is on.");
  await more(page, 20);
  const lowest = await page.evaluate(() => {
    window.xpbd.page.draw();
    const words = new Float32Array(window.xpbd.page.vertices().buffer);
    // The cloth stands first in the list: 48 × 48 vertices of 8 words.
    return Math.min(...Array.from({ length: 48 * 48 }, (_, k) => words[8 * k + 1]));
  });
  assert.ok(lowest > 0.19, `the cloth hangs as low as ${lowest} m`);
  await picture(page, "drape-hill");
  const { hash, record, frames: count } = await stop(page);
  t.diagnostic(`${count} frames with ${record.length} characters of record`);
  await page.click("#share");
  assert.match(await page.evaluate(() => location.hash), /^#record=/);
  await close(page);
  const result = native(record);
  assert.deepEqual([result.state, result.record], [hash, record]);

  const other = await open(`record=${result.record}`);
  await other.waitForSelector("#replay.same", { timeout: 240_000 });
  assert.match(await other.textContent("#replay"), new RegExp(hash));
  await picture(other, "drape-replayed");
  await close(other);
});

test("the knife cuts the cloth, and turning the view does not", async () => {
  const page = await open("scene=drape");
  await frames(page, 8);
  const inputs = () => page.evaluate(() => window.xpbd.page.record().length);
  const before = await inputs();
  await drag(page, [60, 560], [160, 540], 3);
  await page.mouse.up();
  assert.ok(Math.abs(await inputs() - before) <= 2, "turning is no input");
  // The cloth stands first in the list, with as many vertices for splits as it has.
  const used = () => page.evaluate(() => {
    window.xpbd.page.draw();
    return new Set(window.xpbd.page.indices().filter((index) => index < 2 * 48 * 48)).size;
  });
  assert.equal(await used(), 48 * 48);
  await page.click("#knife");
  await drag(page, [480, 90], [480, 460], 10);
  await page.mouse.up();
  assert.ok(await used() > 48 * 48 + 8, `${await used()} vertices after the cut`);
  await more(page, 30);
  const red = part(await picture(page, "drape-cut"), [0.25, 0.15, 0.75, 0.75], isRed);
  assert.ok(red > 0.1, `the cloth covers ${red} of the middle`);
  const { hash, record } = await stop(page);
  assert.equal(native(record).state, hash);
  await close(page);
});

for (const [scene, count, area, fits, least] of [
  ["sail", 40, [0.1, 0.4, 0.9, 0.95], isWater, 0.1],
  ["bridge", 60, [0.1, 0.3, 0.9, 0.8], isWood, 0.05],
  ["jelly", 40, [0.2, 0.1, 0.8, 0.95], isGreen, 0.05],
  ["flag", 40, [0.2, 0.05, 0.9, 0.7], isRed, 0.02],
]) {
  test(`the scene ${scene} is seen, is dragged, and has the hash of the native runner`, async () => {
    const page = await open(`scene=${scene}`);
    await frames(page, count);
    const seen = part(await picture(page, scene), area, fits);
    assert.ok(seen > least, `${seen} of the area has the colour`);
    await drag(page, [480, 330], [520, 260], 6);
    await page.mouse.up();
    const { hash, record } = await stop(page);
    assert.equal(native(record).state, hash);
    await close(page);
  });
}

test("a record with another hash is shown to differ, and what is no record is refused with a message", async () => {
  const page = await open("scene=flag");
  await frames(page, 5);
  const { record } = await stop(page);
  await close(page);
  // The last characters are digits of the hash.
  const changed = record.slice(0, -4) + (record.at(-4) === "A" ? "B" : "A") + record.slice(-3);
  const other = await open(`record=${changed}`);
  await other.waitForSelector("#replay.other");
  await close(other);
  const none = await open("record=abc");
  assert.match(await none.textContent("#message"), /the record/);
  await close(none);
});

test("a lost graphics device is told, and the picture comes back", async () => {
  const page = await open("scene=flag");
  await page.evaluate(() => { window.lose = window.xpbd.renderer.gl.getExtension("WEBGL_lose_context"); window.lose.loseContext(); });
  await page.waitForFunction(() => /device was lost/.test(document.getElementById("message").textContent));
  await page.evaluate(() => window.lose.restoreContext());
  await page.waitForSelector("#message", { state: "hidden" });
  const shown = await page.evaluate(() => window.xpbd.shown);
  await page.waitForFunction((shown) => window.xpbd.shown > shown + 2, shown);
  assert.ok(part(await picture(page, "flag-restored"), [0.2, 0.05, 0.9, 0.7], isRed) > 0.02);
  await close(page);
});

test("WebGPU computes the flag, which is dragged, and the CPU goes on from there", async (t) => {
  const page = await open("scene=flag");
  await frames(page, 20);
  await useWebGpu(page);
  assert.match(await page.textContent("#about"), /WebGPU/);
  await more(page, 4);
  t.diagnostic(`${await page.textContent("#ms")} a frame of WebGPU, computed by the processor`);
  await drag(page, [440, 200], [460, 280]);
  await page.waitForFunction(() => window.xpbd.held.length === 6);
  // What is held comes to where it is wanted, however long a frame takes.
  await page.waitForFunction(() => {
    const [x, y, z, ...target] = window.xpbd.held;
    return Math.hypot(x - target[0], y - target[1], z - target[2]) < 0.05;
  });
  const red = part(await picture(page, "flag-webgpu"), [0.2, 0.05, 0.9, 0.7], isRed);
  assert.ok(red > 0.02, `${red} of the area is red`);
  await page.mouse.up();
  await page.waitForFunction(() => window.xpbd.held.length === 0);
  await page.click("#cpu");
  await page.waitForSelector("#cpu.on");
  await more(page, 8);
  assert.equal(await page.evaluate(() => window.xpbd.onWebGpu), false);
  const { record } = await stop(page);
  await close(page);
  // It has no hash, and says so.
  assert.match(native(record).recorded, /no state/);
  const other = await open(`record=${record}`);
  await other.waitForSelector("#replay.uncompared");
  await close(other);
});

test("WebGPU computes cloth, bodies, surfaces, a jelly and a liquid as the CPU does", async (t) => {
  const page = await open("scene=flag");
  await stop(page);
  for (const [scene, keys] of [
    ["hang", "n=24"], ["hang", "n=24\nlevels=on"], ["drape", "n=32"], ["jelly", "n=400"], ["dam-break", "n=600"],
    // Particles on particles, bodies on bodies, surfaces on surfaces, and bodies on surfaces.
    ["clusters", "n=2"], ["stack", "n=4"], ["bridge", "n=6"], ["tablecloths", "n=12"], ["loads", "n=9"],
  ]) {
    const largest = await page.evaluate(async ([scene, keys]) => {
      const { Page, WebGpu } = await import("./page.js");
      window.device ??= await WebGpu.request();
      const [onCpu, onWebGpu] = [new Page(scene, keys, 8), new Page(scene, keys, 8)];
      for (let frame = 0; frame < 10; frame++) {
        onCpu.step();
        await onWebGpu.step_on(window.device);
      }
      // The places of vertices and of particles of liquids.
      const [a, b] = [onCpu, onWebGpu].map((page) => {
        page.draw();
        const lists = [[page.vertices(), 8], [page.drops(), 6]];
        return lists.flatMap(([words, stride]) => [...new Float32Array(words.buffer)].filter((_, k) => k % stride < 3));
      });
      return a.reduce((largest, x, k) => Math.max(largest, Math.abs(x - b[k])), 0);
    }, [scene, keys]);
    t.diagnostic(`${scene} ${keys.replaceAll("\n", " ")}: ${largest} m`);
    // The arithmetic is the same but for rounding.
    assert.ok(largest < TOLERANCE, `${scene}: ${largest} m`);
  }
  await close(page);
});

test("a lost device of WebGPU is told, and the CPU goes on from the last frame", async () => {
  const page = await open("scene=flag");
  await frames(page, 10);
  await useWebGpu(page);
  await more(page, 5);
  const before = await page.evaluate(() => { window.devices.at(-1).destroy(); return window.xpbd.frames; });
  await told(page, "The physics go on on the CPU: the device is lost.");
  assert.equal(await page.getAttribute("#cpu", "aria-pressed"), "true");
  await frames(page, before + 10);
  assert.ok(part(await picture(page, "flag-lost"), [0.2, 0.05, 0.9, 0.7], isRed) > 0.02);
  // Another device is there for the asking.
  await useWebGpu(page);
  await more(page, 3);
  assert.equal(await page.evaluate(() => window.xpbd.onWebGpu && window.devices.length), 2);
  await close(page);
});

test("WebGPU computes crates on a bridge, and another scene is opened in the middle of a frame", async (t) => {
  const page = await open("scene=bridge");
  await useWebGpu(page);
  await more(page, 30);
  t.diagnostic(`${await page.textContent("#ms")} a frame of WebGPU, computed by the processor`);
  const seen = part(await picture(page, "bridge-webgpu"), [0.1, 0.3, 0.9, 0.8], isWood);
  assert.ok(seen > 0.05, `${seen} of the area is of wood`);
  await page.waitForFunction(() => window.xpbd.submitted);
  await page.evaluate(() => { location.hash = "scene=flag"; });
  await page.waitForFunction(() => window.xpbd.scene === "flag" && window.xpbd.frames >= 3);
  assert.equal(await page.evaluate(() => window.xpbd.onWebGpu && !window.xpbd.failed), true);
  await close(page);
});

test("without WebGPU the page says that the CPU stays", async () => {
  const other = await launch([]);
  const page = await open("scene=flag", { from: other });
  await page.click("#webgpu");
  await told(page, "The physics stay on the CPU: this browser offers no device for WebGPU.");
  await more(page, 5);
  await close(page);
  await other.close();
});

test("on a small screen with touch the cloth is held by a finger", async () => {
  const page = await open("scene=drape", { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
  await frames(page, 40);
  const client = await page.context().newCDPSession(page);
  const touch = (type, points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await touch("touchStart", [{ x: 195, y: 385 }]);
  await touch("touchMove", [{ x: 205, y: 360 }]);
  await page.waitForFunction(() => window.xpbd.page.held().length === 6);
  await picture(page, "drape-small");
  await touch("touchEnd", []);
  await page.waitForFunction(() => window.xpbd.page.held().length === 0);
  await close(page);
});
