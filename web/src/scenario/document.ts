/**
 * A scenario's text as a tree, and edits of the tree that leave the rest of the text as it was.
 */
import { parse, patch } from "@decimalturn/toml-patch";

export type Value = string | number | bigint | boolean | Value[] | Tree;
export interface Tree {
  [key: string]: Value;
}
/** Keys of tables and indices of lists, from the top of the document. */
export type Path = readonly (string | number)[];

/** The tree of a text, or `null` if the text is not TOML (the tool then says why). */
export function treeOf(text: string): Tree | null {
  try {
    return parse(text) as Tree;
  } catch {
    return null;
  }
}

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The value at a path; `undefined` if there is none. */
export function at(tree: Tree, path: Path): Value | undefined {
  let here: Value | undefined = tree;
  for (const step of path) {
    if (Array.isArray(here)) here = here[Number(step)];
    else if (isTree(here) && Object.hasOwn(here, step)) here = here[String(step)];
    else return undefined;
  }
  return here;
}

/**
 * Sets the value at a path, or deletes it (`undefined`). Tables on the way are made; a table that
 * becomes empty by a deletion goes as well, if it was made for that key alone.
 */
export function put(tree: Tree, path: Path, value: Value | undefined): void {
  if (value === undefined) {
    erase(tree, path);
    return;
  }
  let here: Value = tree;
  for (const step of path.slice(0, -1)) here = inner(here, step);
  setIn(here, path.at(-1)!, value);
}

function inner(here: Value, step: string | number): Value {
  const next = at(here as Tree, [step]);
  if (Array.isArray(next) || isTree(next)) return next;
  const made: Tree = {};
  setIn(here, step, made);
  return made;
}

function setIn(here: Value, step: string | number, value: Value): void {
  if (Array.isArray(here)) here[Number(step)] = value;
  else if (step !== "__proto__") (here as Tree)[String(step)] = value;
}

function erase(tree: Tree, path: Path): void {
  const holder = at(tree, path.slice(0, -1));
  const last = path.at(-1)!;
  if (!isTree(holder) || !Object.hasOwn(holder, last)) return;
  delete holder[String(last)];
  const empty = Object.keys(holder).length === 0 && path.length > 1;
  if (empty && typeof path.at(-2) === "string") erase(tree, path.slice(0, -1));
}

/**
 * The text after an edit of its tree. Comments, order and spelling of everything else stay. Throws
 * `CannotEdit` where the library writes what it cannot read again: an inline `reverse` of a first
 * `[[link]]` beside a section `[link.reverse]` of a second.
 */
export function edited(text: string, edit: (tree: Tree) => void): string {
  const tree = parse(text) as Tree;
  const before = JSON.stringify(tree, plain);
  edit(tree);
  if (JSON.stringify(tree, plain) === before) return text;
  const after = patch(text, tree);
  if (treeOf(after) === null) throw new CannotEdit();
  return after;
}

export class CannotEdit extends Error {
  override readonly name = "CannotEdit";
  constructor() {
    super("this key cannot be set here without rewriting the text; write it into the text by hand");
  }
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

/** A path as `--set` writes it: `flow.0.cc`, with quotes around keys that need them. */
export function dotted(path: Path): string {
  return path.map((step) => (/^[A-Za-z0-9_-]+$/.test(String(step)) ? String(step) : JSON.stringify(step))).join(".");
}

/** A value as `--set` takes it. */
export function literal(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (isTree(value)) return `{ ${Object.entries(value).map(([k, v]) => `${dotted([k])} = ${literal(v)}`).join(", ")} }`;
  return String(value);
}

/** The name of a block that is written as a word or as a table with a `name`. */
export function nameOf(value: Value | undefined): string | undefined {
  if (typeof value === "string") return value;
  const name = isTree(value) ? value["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}
