/**
 * Workers that answer requests, one request each at a time.
 *
 * A worker that runs hears nothing: WebAssembly without shared memory has no flag that somebody
 * else could set, and a page from `file://` gets no shared memory. So whoever gives up a run ends
 * the worker, and a new one takes its place. The compiled module is shared, so this is cheap.
 */

import type { FromWorker, ToWorker } from "./worker";

/** Interface of a worker for the pool. */
export interface WorkerLike {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface Task {
  request: object;
  settle(answer: FromWorker): void;
  fail(why: unknown): void;
  signal: AbortSignal | undefined;
  onAbort: () => void;
}

/** Milliseconds for which a run that nobody waits for may go on, rather than cost a new worker. */
const GRACE = 40;

export function aborted(): DOMException {
  return new DOMException("the run was cancelled", "AbortError");
}

export class Pool {
  readonly #waiting: Task[] = [];
  readonly #all = new Set<Seat>();
  #closed = false;

  /** `make` makes a worker that has its module already. */
  constructor(
    readonly size: number,
    make: () => WorkerLike,
  ) {
    for (let i = 0; i < size; i += 1) this.#all.add(new Seat(make, () => this.#next()));
  }

  /** The answer to a request, as soon as a worker is free for it. */
  ask(request: object, signal?: AbortSignal): Promise<FromWorker> {
    return new Promise((settle, fail) => {
      if (this.#closed || signal?.aborted) return fail(aborted());
      const task: Task = { request, settle, fail, signal, onAbort: () => this.#giveUp(task) };
      signal?.addEventListener("abort", task.onAbort);
      this.#waiting.push(task);
      this.#next();
    });
  }

  close(): void {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) end(task).fail(aborted());
    for (const seat of this.#all) seat.close();
  }

  #next(): void {
    for (const seat of this.#all) {
      if (!seat.isFree()) continue;
      const task = this.#waiting.shift();
      if (task === undefined) return;
      seat.work(task);
    }
  }

  #giveUp(task: Task): void {
    const place = this.#waiting.indexOf(task);
    if (place >= 0) this.#waiting.splice(place, 1);
    for (const seat of this.#all) seat.giveUp(task);
    end(task).fail(aborted());
  }
}

/** No longer listens to the task's signal. */
function end(task: Task): Task {
  task.signal?.removeEventListener("abort", task.onAbort);
  return task;
}

/** A place in the pool: a worker and what it does. */
class Seat {
  #worker: WorkerLike | undefined;
  #task: Task | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly make: () => WorkerLike,
    private readonly onFree: () => void,
  ) {
    this.#worker = this.#seated();
  }

  isFree(): boolean {
    return this.#task === undefined;
  }

  work(task: Task): void {
    this.#task = task;
    this.#worker ??= this.#seated();
    this.#worker.postMessage({ request: task.request });
  }

  /** Nobody waits for the task any more. */
  giveUp(task: Task): void {
    if (this.#task !== task) return;
    this.#timer = setTimeout(() => this.#replace(), GRACE);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = undefined;
    if (this.#task !== undefined) end(this.#task).fail(aborted());
    this.#task = undefined;
  }

  #seated(): WorkerLike {
    const worker = this.make();
    worker.onmessage = (event) => this.#free((task) => end(task).settle(event.data));
    worker.onerror = (event) => {
      const why = new Error(event.message || "the worker ended");
      this.#replace((task) => end(task).fail(why));
    };
    return worker;
  }

  #replace(tell?: (task: Task) => void): void {
    this.#worker?.terminate();
    this.#worker = this.#seated();
    this.#free(tell);
  }

  #free(tell?: (task: Task) => void): void {
    clearTimeout(this.#timer);
    const task = this.#task;
    this.#task = undefined;
    if (task !== undefined) tell?.(task);
    this.onFree();
  }
}
