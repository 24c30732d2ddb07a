/** The door: opens the simulator and asks it. See `./types`. */

import packed from "virtual:acklab.wasm";
import WorkerOf from "./worker?worker&inline";
import { checkOf, runOf, valueOf } from "./answers";
import { GALLERY } from "./gallery";
import { Pool, type WorkerLike } from "./pool";
import type { Catalogue, Engine, Job, Run, RunOptions } from "./types";

export * from "./types";
export { wordAt } from "./answers";

/** More workers than this need more memory than they save time. */
const MOST_WORKERS = 8;

/** Starts the simulator. `workers` is how many runs can be under way at once. */
export async function openEngine(options: { workers?: number } = {}): Promise<Engine> {
  const module = await WebAssembly.compile(await unpacked(packed));
  const make = (): WorkerLike => {
    const worker = new WorkerOf();
    worker.postMessage({ module });
    return worker;
  };
  const cores = Math.min(navigator.hardwareConcurrency || 2, MOST_WORKERS);
  const runs = new Pool(Math.max(1, options.workers ?? cores), make);
  const desk = new Pool(1, make);
  const version = valueOf<string>(await desk.ask({ what: "version" }));
  return engine(version, runs, desk);
}

function engine(version: string, runs: Pool, desk: Pool): Engine {
  const run = async (toml: string, seed: number | bigint, options: RunOptions = {}) => {
    const { signal, ...rest } = options;
    const request = { what: "run", toml, seed: String(seed), ...rest };
    return runOf(await runs.ask(request, signal));
  };
  return {
    version,
    workers: runs.size,
    check: async (toml, around = {}) => checkOf(await desk.ask({ what: "check", toml, ...around })),
    schema: async () => valueOf<Record<string, unknown>>(await desk.ask({ what: "schema" })),
    catalogue: async () => valueOf<Catalogue>(await desk.ask({ what: "catalogue" })),
    gallery: async () => structuredClone(GALLERY),
    run,
    runMany: (jobs, onRun, signal) => runMany(run, jobs, onRun, signal),
    fails: async (words) => valueOf<never>(await runs.ask({ what: "fail", words })),
    close: () => [runs, desk].forEach((pool) => pool.close()),
  };
}

/** Ends all of them once one fails. */
async function runMany(
  run: Engine["run"],
  jobs: readonly Job[],
  onRun: (index: number, run: Run) => void,
  signal?: AbortSignal,
): Promise<void> {
  const all = new AbortController();
  const stop = () => all.abort();
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  try {
    await Promise.all(
      jobs.map(async ({ toml, seed, ...options }, index) => {
        onRun(index, await run(toml, seed, { ...options, signal: all.signal }));
      }),
    );
  } finally {
    stop();
    signal?.removeEventListener("abort", stop);
  }
}

/** The simulator's code, which the page holds as gzip in base64. */
async function unpacked(base64: string): Promise<BufferSource> {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
