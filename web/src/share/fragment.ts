/**
 * A whole experiment in the fragment of a link: `#toml=…` is the scenario, `&files=…` what it names,
 * `&pin=…` the scenario that is pinned beside it (with `&pinfiles=…`), `&seeds=5` how many seeds.
 *
 * Texts are raw DEFLATE of UTF-8, in base64url; padding may be there. A fragment never leaves the browser.
 */
import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";

export interface Shared {
  toml: string;
  files: Record<string, string>;
  pinned?: { toml: string; files: Record<string, string> };
  seeds?: number;
}

/** What a text may be unpacked to. A scenario can have more; such a one does not travel in a link. */
const MOST = 8 * 1024 * 1024;
const MOST_SEEDS = 100;

export function encode(shared: Shared): string {
  const parts = [`toml=${pack(shared.toml)}`];
  if (Object.keys(shared.files).length > 0) parts.push(`files=${pack(JSON.stringify(shared.files))}`);
  if (shared.pinned) {
    parts.push(`pin=${pack(shared.pinned.toml)}`);
    const { files } = shared.pinned;
    if (Object.keys(files).length > 0) parts.push(`pinfiles=${pack(JSON.stringify(files))}`);
  }
  if (shared.seeds !== undefined && shared.seeds > 1) parts.push(`seeds=${shared.seeds}`);
  return `#${parts.join("&")}`;
}

/** Reads a fragment; `null` if it holds no scenario. Throws `DamagedLink` if it holds a broken one. */
export function decode(fragment: string): Shared | null {
  const fields = new Map<string, string>();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");
    if (cut > 0) fields.set(part.slice(0, cut), part.slice(cut + 1));
  }
  const toml = fields.get("toml");
  if (toml === undefined) return null;
  const shared: Shared = { toml: unpack(toml), files: filesOf(fields.get("files")) };
  const pin = fields.get("pin");
  if (pin !== undefined) shared.pinned = { toml: unpack(pin), files: filesOf(fields.get("pinfiles")) };
  const seeds = Number(fields.get("seeds"));
  if (Number.isInteger(seeds) && seeds > 1 && seeds <= MOST_SEEDS) shared.seeds = seeds;
  return shared;
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
