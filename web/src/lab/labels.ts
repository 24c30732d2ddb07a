/** Names of two runs by what tells them apart: the figure's words, or the keys that differ. */
import { FIGURES } from "../figures/figures";
import type { Figure } from "../figures/shape";
import { at, isTree, nameOf, treeOf, type Path, type Tree, type Value } from "../scenario/document";

/** As many differences as a label has room for. */
const MOST = 2;

interface Difference {
  path: Path;
  a: Value | undefined;
  b: Value | undefined;
}

/** The figure that a scenario belongs to, by the scenario's name. */
export function figureOf(text: string): Figure | null {
  const name = treeOf(text)?.["name"];
  return FIGURES.find((figure) => treeOf(figure.toml)?.["name"] === name) ?? null;
}

/** Labels of a pinned run and the present one, such as `A: delayed ACK` and `B: TACK`. */
export function labelsOf(before: string, now: string): [string, string] {
  const [a, b] = [treeOf(before), treeOf(now)];
  if (!a || !b) return ["A", "B"];
  const figure = figureOf(before);
  const variants = figure && figure === figureOf(now) ? ([a, b].map((tree) => variantOf(figure, tree)) as [Variant, Variant]) : null;
  const told = variants?.[0] && variants[1] && variants[0] !== variants[1] ? variants : null;
  const keys = told ? figure!.beside.values.flatMap(({ set }) => set.map(([path]) => path.join("."))) : [];
  const found = differences(a, b).filter(({ path }) => !keys.some((key) => `${path.join(".")}.`.startsWith(`${key}.`)));
  const side = (which: "a" | "b", letter: string, variant: Variant) => {
    const words = [...(variant ? [variant.label] : []), ...found.slice(0, MOST).map((one) => wordsOf(one, which, a, b))];
    const rest = found.length - MOST;
    if (rest > 0) words.push(`${rest} more`);
    return words.length > 0 ? `${letter}: ${words.join(", ")}` : letter;
  };
  return [side("a", "A", told?.[0]), side("b", "B", told?.[1])];
}

type Variant = Figure["beside"]["values"][number] | undefined;

/** The variant whose keys all have its values. */
function variantOf(figure: Figure, tree: Tree): Variant {
  return figure.beside.values.find(({ set }) => set.every(([path, value]) => same(at(tree, path), value)));
}

/** The keys that differ, in the order of the text. Other scenarios differ by their names alone. */
function differences(a: Tree, b: Tree): Difference[] {
  if (!same(a["name"], b["name"])) return [{ path: ["name"], a: a["name"], b: b["name"] }];
  return inside(a, b, []).filter(({ path }) => path[0] !== "description");
}

function inside(a: Value | undefined, b: Value | undefined, path: Path): Difference[] {
  if (same(a, b)) return [];
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) return a.flatMap((item, i) => inside(item, b[i], [...path, i]));
  const both = isTree(a) && isTree(b) && nameOf(a) === nameOf(b);
  const either = (isTree(a) && b === undefined) || (isTree(b) && a === undefined);
  if (both || (either && nameOf(a ?? b) === undefined)) {
    const [left, right] = [a ?? {}, b ?? {}] as [Tree, Tree];
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) => inside(left[key], right[key], [...path, key]));
  }
  return [{ path, a, b }];
}

/** `cc bbr3`; where one of several flows differs, `flow 2 cc bbr3`. */
function wordsOf({ path, ...values }: Difference, which: "a" | "b", a: Tree, b: Tree): string {
  const value = values[which];
  if (path[0] === "name") return value === undefined ? "no name" : String(value);
  const list = path.length > 1 && typeof path[1] === "number" ? at(which === "a" ? a : b, [path[0]!]) : null;
  const place = Array.isArray(list) && list.length > 1 ? `${path[0]} ${Number(path[1]) + 1} ` : "";
  const key = path.filter((step) => typeof step === "string").at(-1)!;
  if (value === undefined) return `${place}${key} by default`;
  if (Array.isArray(value)) return `${value.length} × ${place}${key}`;
  return `${place}${key} ${valueOf(value)}`;
}

function valueOf(value: Value): string {
  if (!isTree(value)) return String(value);
  return Object.entries(value).map(([key, part]) => (key === "name" ? String(part) : `${key} ${typeof part === "object" ? "…" : String(part)}`)).join(" ");
}

function same(a: unknown, b: unknown): boolean {
  const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  return JSON.stringify(a, plain) === JSON.stringify(b, plain);
}
