/** The compiled simulator in this process, and the Python that has the native one. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { WASM } from "../build/simulator";
import { Instance } from "../src/engine/instance";
import type { FromWorker } from "../src/engine/worker";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export const MODULE = new WebAssembly.Module(readFileSync(WASM));
const INSTANCE = new Instance(MODULE);

/** The answer to a request, and how long it took. */
export function ask(request: object): FromWorker {
  const began = performance.now();
  const answer = INSTANCE.answer(request);
  return { ...answer, tookMs: performance.now() - began };
}

/** What a script in this folder writes when it reads `input`. */
export function python<T>(script: string, input: unknown): T {
  const own = `${ROOT}.venv/bin/python`;
  const which = process.env["ACKLAB_PYTHON"] ?? (existsSync(own) ? own : "python3");
  const path = fileURLToPath(new URL(script, import.meta.url));
  const options = { input: JSON.stringify(input), maxBuffer: 1 << 28 };
  return JSON.parse(execFileSync(which, [path], options).toString()) as T;
}
