/**
 * One instance of the simulator: requests in, answers out.
 *
 * The interface is that of `crates/acklab-web/src/door.rs`. It runs in a worker, and in tests.
 */

interface Door {
  memory: WebAssembly.Memory;
  room(length: number): number;
  answer(at: number, length: number): number;
  last_words(): number;
  done(words: number): void;
}

/** An answer: a text in JSON, and the columns and captures that it refers to by number. */
export interface Answer {
  text: string;
  parts: ArrayBuffer[];
}

/** More memory than this is given back after an answer. WebAssembly cannot give back a part of it. */
const MOST_BYTES = 64 << 20;

/** Message of a core that has no memory left for its own, or too deep a stack. */
const SPEECHLESS = "the simulator stopped and said nothing: it ran out of memory";

export class Instance {
  #door: Door | undefined;

  constructor(private readonly module: WebAssembly.Module) {}

  /** Answers a request. If the core fails, the answer says why, and the next request gets a new core. */
  answer(request: object): Answer {
    const door = (this.#door ??= open(this.module));
    try {
      const answer = ask(door, JSON.stringify(request));
      if (door.memory.buffer.byteLength > MOST_BYTES) this.#door = undefined;
      return answer;
    } catch (cause) {
      this.#door = undefined;
      return { text: JSON.stringify({ failed: lastWords(door, cause) }), parts: [] };
    }
  }
}

function open(module: WebAssembly.Module): Door {
  // It needs no imports.
  return new WebAssembly.Instance(module, {}).exports as unknown as Door;
}

function ask(door: Door, text: string): Answer {
  const request = new TextEncoder().encode(text);
  const at = door.room(request.length);
  new Uint8Array(door.memory.buffer, at, request.length).set(request);
  const words = door.answer(at, request.length) >>> 0;
  const answer = read(door, words);
  door.done(words);
  return answer;
}

/** The answer is copied: memory of the core can move and cannot be handed over. */
function read(door: Door, at: number): Answer {
  const memory = door.memory.buffer;
  const n = new Uint32Array(memory, at, 1)[0]!;
  const places = new Uint32Array(memory, at + 4, 2 * n);
  const bytes = (i: number) => {
    const [start, length] = [places[2 * i]!, places[2 * i + 1]!];
    return memory.slice(start, start + length) as ArrayBuffer;
  };
  const parts = Array.from({ length: n - 1 }, (_, i) => bytes(i + 1));
  return { text: new TextDecoder().decode(bytes(0)), parts };
}

function lastWords(door: Door, cause: unknown): string {
  try {
    const said = read(door, door.last_words() >>> 0).text;
    return said || `${SPEECHLESS} (${String(cause)})`;
  } catch {
    return `${SPEECHLESS} (${String(cause)})`;
  }
}
