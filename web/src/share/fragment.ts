/**
 * A whole experiment in the fragment of a link: `#toml=…` is the scenario, `&files=…` what it names,
 * `&pin=…` the scenario that is pinned beside it (with `&pinfiles=…`), `&seeds=5` how many seeds, `&pinseeds=5` how
 * many the pinned one has if that is another number, `&film=12.5` the time of the run at which the film stands, in
 * seconds.
 *
 * Texts are raw DEFLATE of UTF-8, in base64url; padding may be there. A fragment never leaves the browser.
 */
import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";

export interface Shared {
  toml: string;
  files: Record<string, string>;
  pinned?: { toml: string; files: Record<string, string>; seeds: number };
  seeds: number;
  /** Seconds of the run; missing without a film. */
  film?: number;
}

const FIELDS = ["toml", "files", "pin", "pinfiles", "seeds", "pinseeds", "film"];

/** Longest text after unpacking. A scenario can be longer; such a one does not travel in a link. */
const MOST = 8 * 1024 * 1024;
const MOST_SEEDS = 100;
/** The longest run that there can be, in seconds. */
const LONGEST = 24 * 3600;

export function encode(shared: Shared): string {
  const parts = [`toml=${pack(shared.toml)}`];
  if (Object.keys(shared.files).length > 0) parts.push(`files=${pack(JSON.stringify(shared.files))}`);
  if (shared.pinned) {
    parts.push(`pin=${pack(shared.pinned.toml)}`);
    const { files } = shared.pinned;
    if (Object.keys(files).length > 0) parts.push(`pinfiles=${pack(JSON.stringify(files))}`);
  }
  if (shared.seeds > 1) parts.push(`seeds=${shared.seeds}`);
  if (shared.pinned && shared.pinned.seeds !== shared.seeds) parts.push(`pinseeds=${shared.pinned.seeds}`);
  if (shared.film !== undefined) parts.push(`film=${shared.film}`);
  return `#${parts.join("&")}`;
}

/** Reads a fragment; `null` if it is none of a link. Throws `DamagedLink` if it is one and cannot be read. */
export function decode(fragment: string): Shared | null {
  const fields = fieldsOf(fragment);
  if (fields.size === 0) return null;
  const toml = fields.get("toml");
  if (toml === undefined) throw new DamagedLink("it holds no scenario (toml=)");
  const seeds = count(fields, "seeds") ?? 1;
  const pinseeds = count(fields, "pinseeds") ?? seeds;
  const shared: Shared = { toml: unpack(toml), files: filesOf(fields.get("files")), seeds };
  const pin = fields.get("pin");
  if (pin !== undefined) {
    shared.pinned = { toml: unpack(pin), files: filesOf(fields.get("pinfiles")), seeds: pinseeds };
  }
  const film = time(fields, "film");
  if (film !== undefined) shared.film = film;
  return shared;
}

/** The fields of a fragment. One without any `=` is a place on a page. */
function fieldsOf(fragment: string): Map<string, string> {
  const fields = new Map<string, string>();
  const words = fragment.replace(/^#/, "");
  for (const part of words.includes("=") ? words.split("&") : []) {
    const cut = part.indexOf("=");
    const name = cut < 0 ? part : part.slice(0, cut);
    if (!FIELDS.includes(name)) throw new DamagedLink(`it has a field “${brief(name)}”, and this page knows ${FIELDS.join(", ")}`);
    if (fields.has(name)) throw new DamagedLink(`it has the field ${name} twice`);
    fields.set(name, cut < 0 ? "" : part.slice(cut + 1));
  }
  return fields;
}

function count(fields: Map<string, string>, name: string): number | undefined {
  const word = fields.get(name);
  if (word === undefined) return undefined;
  const number = /^\d{1,3}$/.test(word) ? Number(word) : 0;
  if (number < 1 || number > MOST_SEEDS) throw new DamagedLink(`${name}=${brief(word)} is no whole number from 1 to ${MOST_SEEDS}, such as ${name}=5`);
  return number;
}

function time(fields: Map<string, string>, name: string): number | undefined {
  const word = fields.get(name);
  if (word === undefined) return undefined;
  const number = /^\d{1,5}(\.\d{1,9})?$/.test(word) ? Number(word) : Number.NaN;
  if (!(number <= LONGEST)) throw new DamagedLink(`${name}=${brief(word)} is no time in seconds, such as ${name}=12.5`);
  return number;
}

function brief(word: string): string {
  return word.length > 20 ? `${word.slice(0, 20)}…` : word;
}

export class DamagedLink extends Error {
  override readonly name = "DamagedLink";
}

function pack(text: string): string {
  return base64url(deflateSync(strToU8(text), { level: 9 }));
}

function unpack(packed: string): string {
  const bytes = inflated(bytesOf(packed));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new DamagedLink("the link holds something that is not text");
  }
}

/** Unpacks up to `MOST` bytes, so that a short link cannot fill the memory. */
function inflated(packed: Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  const stream = new Inflate((chunk, final) => {
    size += chunk.length;
    if (size > MOST) throw new DamagedLink("the link holds more than 8 MiB");
    chunks.push(chunk);
    ended = final;
  });
  try {
    const step = 4096;
    for (let from = 0; from < packed.length; from += step) {
      stream.push(packed.subarray(from, from + step), from + step >= packed.length);
    }
  } catch (cause) {
    throw cause instanceof DamagedLink ? cause : new DamagedLink("the link is damaged: it cannot be unpacked");
  }
  if (!ended) throw new DamagedLink("the link is damaged: its end is missing");
  const whole = new Uint8Array(size);
  let filled = 0;
  for (const chunk of chunks) {
    whole.set(chunk, filled);
    filled += chunk.length;
  }
  return whole;
}

function filesOf(packed: string | undefined): Record<string, string> {
  if (packed === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(unpack(packed));
  } catch (cause) {
    if (cause instanceof DamagedLink) throw cause;
    throw new DamagedLink("the link's files are damaged");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new DamagedLink("the link's files are damaged");
  }
  const entries = Object.entries(value);
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === "string")) {
    throw new DamagedLink("the link's files are damaged");
  }
  return Object.fromEntries(entries);
}

function base64url(bytes: Uint8Array): string {
  return btoa(strFromU8(bytes, true)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function bytesOf(text: string): Uint8Array {
  if (!/^[A-Za-z0-9_-]*={0,2}$/.test(text)) throw new DamagedLink("the link is damaged: it has characters that none has");
  try {
    return strToU8(atob(text.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/")), true);
  } catch {
    throw new DamagedLink("the link is damaged: its length is wrong");
  }
}
