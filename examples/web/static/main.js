// The page: a session of a scene in WebAssembly, its picture, and what the player does.

import init, { Page, Replayed, WebGpu, scenes as allScenes } from "./page.js";
import { Camera } from "./camera.js";
import { Controls } from "./controls.js";
import { Renderer } from "./renderer.js";
import { PRESETS, SCENES } from "./scenes.js";

const FRAME = 1 / 60;
// Pixels of the picture for each of the page, and samples for each of these.
const QUALITIES = [{ scale: 2, samples: 4 }, { scale: 1, samples: 4 }, { scale: 0.6, samples: 1 }, { scale: 0.4, samples: 1 }];
const element = (id) => document.getElementById(id);
const canvas = element("view");

const state = {
  page: null, renderer: null, camera: null, stage: null,
  paused: false, failed: false, due: 0, last: 0, steps: 0, shown: 0,
  stepTime: 0, drawTime: 0, meterTime: 0,
  quality: 0, between: 16, slow: 0,
  // What was last seen of the page: its scene, its number of frames, and where something is held.
  scene: "", frames: 0, held: [],
  // The device of WebGPU, if one was asked for, and whether it computes the physics; the last frame that it computes or has
  // computed; whether that is one of this page, which nobody may touch until then, and the changes of the scene that wait for it.
  webgpu: null, onWebGpu: false, computed: Promise.resolve(), submitted: false, waiting: [],
};
let hiding = 0;

// Shows a message for some seconds, or until the next scene is loaded; none hides it.
function tell(text, seconds) {
  clearTimeout(hiding);
  element("message").hidden = !text;
  element("message").textContent = text ?? "";
  if (seconds) hiding = setTimeout(tell, 1000 * seconds);
}

// Runs what may fail, and shows why it did. The physics stop then.
function guarded(act) {
  try {
    return act();
  } catch (error) {
    state.failed = true;
    tell(String(error?.message ?? error));
    return undefined;
  }
}

// Runs what changes the scene: now, or when the frame has come back from the device.
function edit(act) {
  if (state.submitted) state.waiting.push(act);
  else act();
}

function readStage(numbers) {
  const [eye, target, key, center] = [0, 3, 6, 9].map((k) => Array.from(numbers.slice(k, k + 3)));
  return { eye, target, key, center, radius: numbers[12], fov: numbers[13], ground: numbers[14] };
}

// Returns the least height of vertices; NaN if there are none.
function lowest(words) {
  const numbers = new Float32Array(words.buffer, words.byteOffset, words.length);
  let least = NaN;
  for (let k = 1; k < numbers.length; k += 8) if (!(numbers[k] >= least)) least = numbers[k];
  return least;
}

function show(page) {
  // A page whose frame a device computes is freed afterwards.
  if (!state.submitted) state.page?.free();
  const { scene } = JSON.parse(page.settings());
  Object.assign(state, { page, scene, paused: false, failed: false, due: 0, meterTime: 0, submitted: false, waiting: [] });
  const known = SCENES.find((other) => other.name === scene);
  // Only the CPU replays to the same bits.
  choose(state.onWebGpu && page.replayed_frames() === undefined);
  for (const link of element("scenes").querySelectorAll("a")) link.classList.toggle("on", link.dataset.scene === scene);
  element("others").value = known ? "" : scene;
  element("pause").textContent = "Pause";
  element("replay").hidden = page.replayed_frames() === undefined;
  element("replay").className = "";
  fit();
  state.stage = readStage(page.stage(canvas.width, canvas.height));
  // What hangs in the air falls, and the view leaves room for it.
  page.draw();
  const fall = Math.max(0, lowest(page.vertices()) - state.stage.ground) || 0;
  state.renderer.light(state.stage);
  state.camera = new Camera(state.stage, Number.isFinite(fall) ? fall : 0);
  tell(null);
  guarded(look);
}

// Lets WebGPU compute the physics, or the CPU.
function choose(onWebGpu) {
  Object.assign(state, { onWebGpu, steps: 0, stepTime: 0 });
  for (const [id, isOn] of [["cpu", !onWebGpu], ["webgpu", onWebGpu]]) {
    element(id).classList.toggle("on", isOn);
    element(id).ariaPressed = isOn;
  }
  const { page, renderer } = state;
  const [particles, bodies, constraints] = page.counts();
  const counts = [[particles, "particles"], [bodies, "bodies"], [constraints, "constraints"]].filter(([count]) => count > 0);
  element("about").textContent = [
    SCENES.find(({ name }) => name === state.scene)?.hint,
    `${counts.map(([count, name]) => `${count.toLocaleString("en")} ${name}`).join(", ")}.`,
    onWebGpu ? "Physics by WebGPU, which agrees with the CPU within rounding; only the CPU replays to the same bits."
      : "Physics on the CPU in WebAssembly with SIMD, on one thread.",
    "Drawn with WebGL2.",
    renderer.canBlend ? "" : "This device has no float textures, so liquids are drawn as balls.",
  ].filter(Boolean).join(" ");
}

async function useWebGpu() {
  try {
    state.webgpu ??= await WebGpu.request();
    edit(() => choose(true));
  } catch {
    tell("The physics stay on the CPU: this browser offers no device for WebGPU.", 10);
  }
}

// Goes on on the CPU after the device could not.
function leaveWebGpu(reason) {
  state.webgpu.free();
  state.webgpu = null;
  choose(false);
  tell(`The physics go on on the CPU: ${reason}.`, 10);
}

// Loads what the address names: a record, a scene, or the first scene.
function open() {
  const query = new URLSearchParams(location.hash.slice(1));
  const name = query.get("scene") ?? SCENES[0].name;
  element("loading").hidden = false;
  // The word is shown before the scene is built.
  setTimeout(() => {
    try {
      const record = query.get("record");
      show(record ? Page.replay(record) : create(name));
    } catch (error) {
      if (!state.page) show(create(SCENES[0].name));
      tell(String(error?.message ?? error));
    }
    element("loading").hidden = true;
  });
}

function create(name) {
  const { keys = {}, substeps = 0 } = SCENES.find((scene) => scene.name === name) ?? {};
  return new Page(name, Object.entries(keys).map((pair) => pair.join("=")).join("\n"), substeps);
}

function restart() {
  if (location.hash.includes("record=")) history.replaceState(null, "", `#scene=${state.scene}`);
  open();
}

function fit() {
  const { scale, samples } = QUALITIES[state.quality];
  const density = Math.min(devicePixelRatio || 1, scale);
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * density));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * density));
  state.renderer.samples = samples;
}

// Draws fewer pixels where drawing takes most of the time between frames and this is long.
function watchSpeed(passed) {
  const physics = state.onWebGpu ? 0 : state.stepTime;
  state.between = 0.8 * state.between + 0.2 * (1000 * passed - physics);
  state.slow = state.between > 40 ? state.slow + 1 : 0;
  if (state.slow > 12 && state.quality < QUALITIES.length - 1) {
    Object.assign(state, { quality: state.quality + 1, between: 16, slow: 0 });
    fit();
  }
}

// Takes from the page what is shown of it.
function look() {
  const { page, renderer } = state;
  page.draw();
  renderer.load(page.vertices(), page.indices(), page.spheres(), page.drops());
  Object.assign(state, { held: page.held(), frames: page.frames() });
  if (state.last - state.meterTime > 350) {
    state.meterTime = state.last;
    showMeters();
  }
}

function step() {
  controls.apply();
  const start = performance.now();
  if (state.onWebGpu) {
    submit(start);
  } else {
    state.page.step();
    finish(start);
  }
}

// Lets the device compute a frame, after that of a page that was open before.
async function submit(start) {
  const { page } = state;
  let problem;
  state.submitted = true;
  // The first frame takes as long as the kernels take to compile.
  element("loading").hidden = state.steps > 0;
  try {
    const computed = state.computed.then(() => page.step_on(state.webgpu));
    state.computed = computed.catch(() => {});
    await computed;
  } catch (error) {
    // What a browser says of a kernel has many lines.
    [problem] = String(error?.message ?? error).split("\n");
  }
  // Another scene may have been opened meanwhile.
  if (state.page !== page) {
    page.free();
    return;
  }
  element("loading").hidden = true;
  state.submitted = false;
  if (problem) leaveWebGpu(problem);
  else guarded(() => finish(start));
  for (const act of state.waiting.splice(0)) guarded(act);
  guarded(look);
}

function finish(start) {
  const time = performance.now() - start;
  // A first frame may have to compile first.
  state.stepTime = state.steps++ < 2 ? time : 0.95 * state.stepTime + 0.05 * time;
  if (state.page.is_frozen()) tell("Something became infinite and is frozen. Restart the scene, or take your constraint off.");
  showReplay();
}

function frame(now) {
  requestAnimationFrame(frame);
  const { page, paused, failed, submitted } = state;
  const passed = Math.min(0.1, (now - state.last) / 1000);
  state.last = now;
  if (!page || document.hidden || canvas.width === 0 || state.lost) return;
  watchSpeed(passed);
  if (!paused && !failed && !submitted) {
    // A computer that is too slow plays in slow motion.
    state.due = Math.min(state.due + passed, 1.5 * FRAME);
    if (state.due >= FRAME - 0.002) {
      state.due -= FRAME;
      guarded(step);
    }
  }
  const start = performance.now();
  guarded(() => {
    if (!state.submitted) look();
    state.renderer.draw(state.camera, state.held);
  });
  state.drawTime = 0.95 * state.drawTime + 0.05 * (performance.now() - start);
  state.shown++;
}

function showReplay() {
  const box = element("replay");
  const total = state.page.replayed_frames();
  if (total !== undefined) {
    box.firstElementChild.textContent = `Replaying: frame ${state.page.frames()} of ${total}`;
    box.lastElementChild.style.width = `${(100 * state.page.frames()) / total}%`;
    return;
  }
  const outcome = state.page.replayed();
  if (outcome === undefined) {
    // The player has taken over in the middle.
    if (box.className === "") box.hidden = true;
    return;
  }
  [box.className, box.firstElementChild.textContent] = {
    [Replayed.Same]: ["same", `Replayed to the same bits: ${state.page.hash()}. Go on if you like.`],
    [Replayed.Other]: ["other", `The bits differ from the record: ${state.page.hash()}.`],
    [Replayed.Uncompared]: ["uncompared", "Replayed. WebGPU has taken part, so there are no bits to compare."],
  }[outcome];
  box.lastElementChild.style.width = 0;
  setTimeout(() => { box.hidden = true; }, 8000);
}

const percent = (x) => `${(100 * x).toFixed(Math.abs(x) < 0.0995 ? 2 : 1)} %`;

function showMeters() {
  const [p99, largest, energy, compression] = state.page.meters();
  for (const [id, value] of Object.entries({ p99, largest, compression })) {
    element(id).textContent = percent(value);
    // There may be nothing to measure.
    element(id).parentElement.hidden = Number.isNaN(value);
  }
  element("energy").textContent = Number.isFinite(energy) ? `${energy.toPrecision(3)} J` : "–";
  element("ms").textContent = `${state.stepTime.toFixed(1)} ms`;
  element("drawing").textContent = `${state.drawTime.toFixed(1)} ms`;
}

async function share() {
  try {
    history.replaceState(null, "", `#record=${state.page.record()}`);
    await navigator.clipboard.writeText(location.href);
    const bits = state.page.is_rounded() ? "though not to the same bits, since WebGPU has taken part" : "to the same bits";
    tell(`The address is copied. It replays what you did, ${bits}.`, 5);
  } catch (error) {
    tell(`Copy the address of this page: it replays what you did. (${error?.message ?? error})`, 5);
  }
}

// Puts the text on the scene. What is wrong with it is shown below.
function constrain(text) {
  const problem = element("problem");
  edit(() => {
    try {
      state.page.constrain(text);
      problem.className = "ok";
      problem.textContent = text.trim() ? "It is on." : "";
    } catch (error) {
      problem.className = "";
      problem.textContent = String(error?.message ?? error);
    }
  });
}

function buildControls() {
  for (const { name, title } of SCENES) {
    const link = Object.assign(document.createElement("a"), { textContent: title, href: `#scene=${name}` });
    link.dataset.scene = name;
    link.addEventListener("click", () => { if (location.hash === `#scene=${name}`) open(); });
    element("scenes").append(link);
  }
  const others = Object.assign(document.createElement("select"), { id: "others", ariaLabel: "More scenes" });
  others.append(new Option("More", "", true));
  for (const { name, summary } of JSON.parse(allScenes())) others.append(new Option(`${name}: ${summary}`, name));
  others.addEventListener("change", () => { if (others.value) location.hash = `scene=${others.value}`; });
  element("scenes").append(others);
  for (const { title, text } of PRESETS) {
    const button = Object.assign(document.createElement("button"), { textContent: title });
    button.addEventListener("click", () => { element("text").value = text; constrain(text); });
    element("presets").append(button);
  }
  element("put").addEventListener("click", () => constrain(element("text").value));
  element("take").addEventListener("click", () => constrain(""));
  element("text").addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) constrain(element("text").value);
  });
  element("pause").addEventListener("click", pause);
  element("restart").addEventListener("click", restart);
  element("share").addEventListener("click", () => edit(share));
  element("cpu").addEventListener("click", () => edit(() => choose(false)));
  element("webgpu").addEventListener("click", useWebGpu);
  addEventListener("keydown", (event) => {
    if (event.target.closest?.("textarea, select, button, a, summary")) return;
    if (event.key === " ") pause();
    if (event.key === "r") restart();
  });
  addEventListener("hashchange", open);
  addEventListener("resize", fit);
  for (const tool of ["hand", "knife"]) {
    element(tool).addEventListener("click", () => {
      controls.tool = tool;
      for (const other of ["hand", "knife"]) element(other).classList.toggle("on", other === tool);
    });
  }
}

function pause() {
  state.paused = !state.paused;
  element("pause").textContent = state.paused ? "Go on" : "Pause";
}

function watchDevice() {
  canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault();
    state.lost = true;
    tell("The graphics device was lost. The picture comes back when the browser has it again.");
  });
  canvas.addEventListener("webglcontextrestored", () => {
    guarded(() => {
      state.renderer = new Renderer(canvas);
      state.renderer.light(state.stage);
      state.lost = false;
      tell(null);
    });
  });
}

const controls = new Controls(canvas, state, guarded, edit);

async function start() {
  try {
    await init();
    state.renderer = new Renderer(canvas);
  } catch (error) {
    element("loading").hidden = true;
    const old = error instanceof WebAssembly.CompileError;
    tell(old ? "This browser has no WebAssembly with SIMD, which the physics need." : String(error?.message ?? error));
    return;
  }
  if (state.renderer.isSoftware) state.quality = QUALITIES.length - 1;
  buildControls();
  watchDevice();
  open();
  const first = () => (state.shown > 0 ? (state.firstFrame = performance.now()) : requestAnimationFrame(first));
  first();
  requestAnimationFrame(frame);
}

// What tests look at.
window.xpbd = state;
start();
