/** The command line that repeats natively what the page shows. */
import { at, dotted, literal, treeOf, type Path, type Tree, type Value } from "../scenario/document";

/**
 * `acklab run` with the preset and what was changed in it as `--set`; of a scenario that is no preset's, with
 * the file that the page exports. Without a preset, or where something was removed, only the file can say it.
 */
export function command(text: string, preset: { name: string; text: string } | null, seed: number, seeds: number): string {
  const file = `${fileName(text)}.toml`;
  const now = treeOf(text);
  const before = preset && treeOf(preset.text);
  const changes = now && before ? changesOf(before, now) : null;
  const what = changes === null || !preset ? file : preset.name;
  const sets = (changes ?? []).filter(([path]) => path.join(".") !== "seed");
  const words = sets.map(([path, value]) => ` --set ${shell(`${dotted(path)}=${written(value)}`)}`).join("");
  if (seeds > 1) return `acklab sweep ${what}${words} --seeds ${seed}..${seed + seeds - 1} --out results`;
  return `acklab run ${what}${words} --seed ${seed} --out results`;
}

export function fileName(text: string): string {
  const name = treeOf(text)?.["name"];
  return typeof name === "string" && /^[\w.-]+$/.test(name) ? name : "scenario";
}

/** What was set; `null` if something was taken away, which `--set` cannot say. */
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
