// Runs a program for wasm32-wasip1: node .ci/wasi.mjs PROGRAM ARGUMENTS…
import { readFile } from "node:fs/promises";
import { argv, env, exit } from "node:process";
import { WASI } from "node:wasi";

const [, , program, ...rest] = argv;
const wasi = new WASI({ version: "preview1", args: [program, ...rest], env, preopens: { "/": "/" } });
const module = await WebAssembly.compile(await readFile(program));
exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
