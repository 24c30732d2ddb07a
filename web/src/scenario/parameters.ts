/** Controls of the parameters of a chosen block, from the catalogue. */
import type { Block, Catalogue, Parameter } from "../engine/types";
import type { Control, Input } from "./controls";
import { at, isTree, nameOf, type Tree } from "./document";
import { RATE } from "./ranges";
import { read, type Dimension, type Scale } from "./quantity";

/** The catalogue's entry that a name or an alias means. */
export function blockOf(catalogue: Catalogue, kind: keyof Catalogue, name: string | undefined): Block | undefined {
  return catalogue[kind].find((block) => block.name === name || (name !== undefined && block.aliases.includes(name)));
}

export function parameterControls(tree: Tree, owner: Control, catalogue: Catalogue): Control[] {
  if (owner.input.type !== "block" || owner.mixed) return [];
  const block = blockOf(catalogue, owner.input.kind, nameOf(owner.value) ?? owner.fallback);
  if (!block) return [];
  const insideLists = new Set(block.params.filter(({ kind }) => kind.type === "tables").map(({ name }) => name));
  return block.params
    .filter((parameter) => parameter.kind.type !== "tables" && !insideLists.has(parameter.name.split(".")[0]!))
    .map((parameter) => parameterControl(tree, owner, nameOf(owner.value) ?? block.name, parameter));
}

function parameterControl(tree: Tree, owner: Control, block: string, parameter: Parameter): Control {
  const key = parameter.name.split(".");
  const paths = owner.paths.map((path) => [...path, ...key]);
  const table = owner.paths[0] && at(tree, owner.paths[0]);
  const value = isTree(table) ? at(table, key) : undefined;
  return {
    id: `${owner.id}.${parameter.name}`,
    group: owner.group,
    label: parameter.name.replaceAll(/[_.]/g, " "),
    doc: `${parameter.doc} Takes ${parameter.accepts}.`,
    input: inputOf(parameter),
    paths,
    value,
    mixed: false,
    fallback: parameter.default,
    block: { name: block, key },
  };
}

function inputOf(parameter: Parameter): Input {
  const { kind } = parameter;
  const words = [...parameter.accepts.matchAll(/or "([a-z-]+)"/g)].map((match) => match[1]!);
  switch (kind.type) {
    case "bool":
      return { type: "bool" };
    case "choice":
      return { type: "choice", options: kind.choices.map((value) => ({ value, label: value, doc: "" })) };
    case "int":
      return words.length > 0 ? { type: "text" } : { type: "number", scale: wholeScale(kind.min, kind.max, parameter.default) };
    case "float":
      return words.length > 0 ? { type: "text" } : { type: "number", scale: floatScale(kind.min, kind.max, parameter.default) };
    case "span":
      return { type: "quantity", dimension: "time", scale: within(parameter, around(parameter.default, "time"), "time"), words };
    case "rate":
      return { type: "quantity", dimension: "rate", scale: RATE, words };
    case "size":
      return { type: "quantity", dimension: "size", scale: within(parameter, around(parameter.default, "size"), "size"), words };
    default:
      return { type: "text" };
  }
}

/** From the least to what an experiment could want; what is beyond can be typed. */
function wholeScale(min: number, max: number, fallback: string): Scale {
  const usual = Number(fallback) || 1;
  const most = Math.min(max, Math.max(64, usual * 16));
  if (min <= 0) return { min: 1, max: most, whole: true, zero: true };
  return { min, max: most, whole: true };
}

function floatScale(min: number, max: number, fallback: string): Scale {
  const usual = Number(fallback) || 1;
  const most = Math.min(max, usual * 10);
  if (min > 0 && most / min > 100) return { min: Math.max(min, usual / 100), max: most };
  return { min, max: most, linear: true };
}

/** Cuts a range to the one that the catalogue says, as in `a time from 1 ms to 500 ms`. */
function within({ accepts }: Parameter, scale: Scale, dimension: Dimension): Scale {
  const said = /from ([\d.]+ ?\S+) to ([\d.]+ ?[^\s,]+)/.exec(accepts);
  const [least, most] = [read(said?.[1], dimension)?.value, read(said?.[2], dimension)?.value];
  if (least === undefined || most === undefined) return scale;
  const max = Math.min(scale.max, most);
  // Below the least there is nothing, and zero only where it is the least.
  if (least > 0) return { ...scale, min: Math.min(Math.max(scale.min, least), max), max, zero: false };
  return { ...scale, min: Math.min(scale.min, max / 100), max };
}

function around(fallback: string, dimension: Dimension): Scale {
  const usual = read(fallback, dimension)?.value ?? 0;
  if (dimension === "size") return { min: Math.max(1, usual / 64), max: Math.max(65536, usual * 64), whole: true };
  return usual > 0 ? { min: usual / 50, max: usual * 50, zero: true } : { min: 1e-4, max: 1, zero: true };
}
