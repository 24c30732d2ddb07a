/** A worker: answers requests with an instance of the simulator, one after the other. */

import { Instance } from "./instance";

/** The first message brings the module, each later one a request. */
export type ToWorker = { module: WebAssembly.Module } | { request: object };

/** An answer, and how many milliseconds it took. */
export interface FromWorker {
  text: string;
  parts: ArrayBuffer[];
  tookMs: number;
}

let instance: Instance | undefined;

addEventListener("message", (event: MessageEvent<ToWorker>) => {
  if ("module" in event.data) {
    instance = new Instance(event.data.module);
    return;
  }
  const began = performance.now();
  const { text, parts } = instance!.answer(event.data.request);
  const answer: FromWorker = { text, parts, tookMs: performance.now() - began };
  postMessage(answer, { transfer: parts });
});
