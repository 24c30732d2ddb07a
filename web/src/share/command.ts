/** The command line that repeats natively what the page shows. */
import { at, dotted, literal, treeOf, type Path, type Tree, type Value } from "../scenario/document";

/** A scenario that `acklab` knows by a name: a preset, or a saved file. */
export interface Known {
  name: string;
  text: string;
}

/**
 * `acklab run` with the preset and what was changed in it as `--set`; of a scenario that is no preset's, with
 * the file that the page exports. Without a preset, or where something was removed, only the file can say it.
 */
export function command(text: string, preset: Known | null, seed: number, seeds: number, out = "results"): string {
  const file = { name: `${fileName(text)}.toml`, text };
  const from = preset && setsOf(preset, text) !== null ? preset : file;
  const words = setsOf(from, text) ?? "";
  if (seeds > 1) return `acklab sweep ${from.name}${words} --seeds ${seed}..${seed + seeds - 1} --out ${out}`;
  return `acklab run ${from.name}${words} --seed ${seed} --out ${out}`;
}

export interface Ran {
  text: string;
  seed: number;
  seeds: number;
}

/**
 * Commands that repeat the pinned run and the present one, and compare them. Without a preset the pinned one comes
 * from the saved file of the present one; where that cannot say it, from a file of its own (`fileOfPinned`).
 */
export function comparison(before: Ran, now: Ran, preset: Known | null): string {
  const own = { name: `${fileName(now.text)}.toml`, text: now.text };
  const saved = { name: fileOfPinned(before.text), text: before.text };
  const fromPreset = preset && setsOf(preset, before.text) !== null && setsOf(preset, now.text) !== null;
  const a = fromPreset ? preset : setsOf(own, before.text) !== null ? own : saved;
  return [
    command(before.text, a, before.seed, before.seeds, "a"),
    command(now.text, fromPreset ? preset : own, now.seed, now.seeds, "b"),
    "acklab compare a b",
  ].join(" && ");
}

/** The file of a pinned scenario, beside that of the present one. */
export function fileOfPinned(text: string): string {
  return `${fileName(text)}-a.toml`;
}

/** What is set in a known scenario to have a text, as words of a command; `null` if that cannot say it. */
function setsOf(known: Known, text: string): string | null {
  if (known.text === text) return "";
  const before = treeOf(known.text);
  const now = treeOf(text);
  const changes = before && now ? changesOf(before, now) : null;
  const sets = changes?.filter(([path]) => path.join(".") !== "seed");
  return sets?.map(([path, value]) => ` --set ${shell(`${dotted(path)}=${written(value)}`)}`).join("") ?? null;
}

/** The command that opens the page at a fragment. `null` if a command line has no room for it. */
export function opening(fragment: string): string | null {
  return fragment.length > LONGEST ? null : `acklab bench ${shell(fragment)}`;
}

/** As `python/acklab/bench/address.py` has it. */
const LONGEST = 99_000;

export function fileName(text: string): string {
  const name = treeOf(text)?.["name"];
  return typeof name === "string" && /^[\w.-]+$/.test(name) ? name : "scenario";
}

/** Changes of the document; `null` if something was taken away, which `--set` cannot say. */
export function changesOf(before: Tree, now: Tree, path: Path = []): [Path, Value][] | null {
  const found: [Path, Value][] = [];
  for (const key of Object.keys(before)) if (!Object.hasOwn(now, key)) return null;
  for (const [key, value] of Object.entries(now)) {
    const here = [...path, key];
    const old = at(before, [key]);
    if (same(old, value)) continue;
    const inner = changesInside(old, value, here);
    if (inner === null) return null;
    found.push(...inner);
  }
  return found;
}

function changesInside(old: Value | undefined, value: Value, path: Path): [Path, Value][] | null {
  if (isTable(old) && isTable(value)) {
    return Object.hasOwn(value, "name") && old["name"] !== value["name"] ? [[path, value]] : changesOf(old, value, path);
  }
  if (Array.isArray(old) && Array.isArray(value) && old.length === value.length) {
    const parts = value.map((item, i) => (same(old[i], item) ? [] : changesInside(old[i], item, [...path, i])));
    return parts.some((part) => part === null) ? null : (parts as [Path, Value][][]).flat();
  }
  return [[path, value]];
}

function isTable(value: Value | undefined): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function same(a: unknown, b: unknown): boolean {
  const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  return JSON.stringify(a, plain) === JSON.stringify(b, plain);
}

function written(value: Value): string {
  return typeof value === "string" && !/^["'[{]|^(true|false)$|^[\d.+-]+$/.test(value) ? value : literal(value);
}

function shell(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
