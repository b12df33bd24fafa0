// The page's WebAssembly in Node.

import { readFile } from "node:fs/promises";

const folder = new URL("../../../out/page/", import.meta.url);
const { default: start, Page } = await import(new URL("page.js", folder));
await start({ module_or_path: await readFile(new URL("page_bg.wasm", folder)) });

export { Page };
