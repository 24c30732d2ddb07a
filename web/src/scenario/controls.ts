/**
 * The controls that a document has: one for each thing that people ask about, with its place in the
 * document, its meaning, and its range. Which there are follows from the document; meanings, words and
 * bounds come from the schema and the catalogue.
 */
import type { Catalogue } from "../engine/types";
import { at, type Path, type Tree, type Value } from "./document";
import { airControls } from "./controls-air";
import { pathControls } from "./controls-path";
import { parameterControls } from "./parameters";
import { flowsOf } from "./places";
import type { Dimension, Scale } from "./quantity";
import { fieldOf, type Schema } from "./schema";

export type Group = "flows" | "path" | "feedback" | "air" | "run";

export interface Option {
  value: string;
  label: string;
  doc: string;
}

export type Input =
  | { type: "choice"; options: Option[] }
  | { type: "block"; kind: keyof Catalogue; options: Option[] }
  | { type: "quantity"; dimension: Dimension; scale: Scale; words: string[]; unit?: string }
  | { type: "number"; scale: Scale; unit?: string }
  | { type: "bool" }
  | { type: "text" };

export interface Control {
  /** Stable: the key's place without indices, such as `link.reverse.ack_filter` or `flow.cc`. */
  id: string;
  group: Group;
  label: string;
  doc: string;
  input: Input;
  /** Where it writes; several if it holds for all flows. */
  paths: Path[];
  /** What the document has; `undefined` where the default holds. */
  value: Value | undefined;
  /** The places that it writes to have different values. */
  mixed: boolean;
  /** What holds if the document says nothing, as text. */
  fallback?: string;
  /** Of a block's parameter: the block's name, and the parameter's key within it. */
  block?: { name: string; key: Path };
  /** Controls of the chosen block's parameters. */
  inner?: Control[];
}

/** Which flow, link and channel the controls are about. `-1` for flows: all of them. */
export interface Focus {
  flow: number;
  link: number;
  channel: number;
}

export interface Sources {
  schema: Schema;
  catalogue: Catalogue;
}

export function controlsOf(tree: Tree, focus: Focus, sources: Sources): Control[] {
  const found = [
    ...flowControls(tree, focus, sources),
    ...pathControls(tree, focus, sources),
    ...airControls(tree, focus, sources),
    ...runControls(tree, sources),
  ];
  for (const control of found) {
    const inner = parameterControls(tree, control, sources.catalogue);
    if (inner.length > 0) control.inner = inner;
  }
  return found;
}

/** All controls, those of blocks' parameters included. */
export function flat(controls: Control[]): Control[] {
  return controls.flatMap((control) => [control, ...flat(control.inner ?? [])]);
}

/** A control at places of a tree. */
export function control(
  tree: Tree,
  made: Omit<Control, "value" | "mixed" | "doc"> & { doc?: string },
): Control {
  const values = made.paths.map((path) => at(tree, path));
  const first = values[0];
  const mixed = values.some((value) => JSON.stringify(value) !== JSON.stringify(first));
  return { doc: "", ...made, value: first, mixed };
}

export function blockOptions(catalogue: Catalogue, kind: keyof Catalogue, none?: string): Option[] {
  const blocks = catalogue[kind].map(({ name, summary }) => ({ value: name, label: name, doc: summary }));
  return none === undefined ? blocks : [{ value: none, label: none, doc: "" }, ...blocks];
}

function flowControls(tree: Tree, focus: Focus, { schema, catalogue }: Sources): Control[] {
  const places = flowsOf(tree);
  const chosen = focus.flow < 0 ? places : places.slice(focus.flow, focus.flow + 1);
  if (chosen.length === 0) return [];
  const paths = (...rest: string[]): Path[] => chosen.map(({ path }) => [...path, ...rest]);
  const doc = (key: string) => fieldOf(schema, "FlowSpec", key).doc;
  const made: Control[] = [];
  const block = (key: "transport" | "cc" | "ack", label: string, fallback: string) =>
    control(tree, {
      id: `flow.${key}`,
      group: key === "ack" ? "feedback" : "flows",
      label,
      doc: doc(key),
      input: { type: "block", kind: key, options: blockOptions(catalogue, key) },
      paths: paths(key),
      fallback,
    });
  const transport = block("transport", "Transport", "tcp");
  made.push(transport);
  const spoken = transportName(transport.value);
  if (spoken === "tcp" || spoken === "tack") made.push(block("cc", "Controller", "cubic"));
  if (spoken === "tcp") made.push(block("ack", "ACK policy", ackFallback(tree)));
  made.push(
    control(tree, {
      id: "flow.count",
      group: "flows",
      label: "Flows alike",
      doc: doc("count"),
      input: { type: "number", scale: { min: 1, max: 100, whole: true } },
      paths: paths("count"),
      fallback: "1",
    }),
    control(tree, {
      id: "flow.start",
      group: "flows",
      label: "Start at",
      doc: doc("start"),
      input: { type: "quantity", dimension: "time", scale: { min: 0.1, max: 600, zero: true }, words: [] },
      paths: paths("start"),
      fallback: typeof tree["start"] === "string" ? tree["start"] : "0 s",
    }),
  );
  if (spoken === "tcp") made.push(...tcpControls(tree, schema));
  return made;
}

function transportName(value: Value | undefined): string {
  if (typeof value === "string") return value;
  const name = typeof value === "object" && !Array.isArray(value) ? value["name"] : undefined;
  return typeof name === "string" ? name : "tcp";
}

function ackFallback(tree: Tree): string {
  const profile = at(tree, ["tcp", "profile"]);
  return profile === undefined || profile === "linux" ? "linux" : "delayed";
}

function tcpControls(tree: Tree, schema: Schema): Control[] {
  return (["profile", "ecn"] as const).map((key) => {
    const field = fieldOf(schema, "TcpSpec", key);
    const options = (field.words ?? []).map(({ value, doc }) => ({ value, label: value, doc }));
    return control(tree, {
      id: `tcp.${key}`,
      group: "flows",
      label: key === "profile" ? "TCP like" : "ECN",
      doc: field.doc,
      input: options.length > 0 ? { type: "choice", options } : { type: "text" },
      paths: [["tcp", key]],
      fallback: field.default ?? (key === "profile" ? "linux" : "passive"),
    });
  });
}

function runControls(tree: Tree, { schema }: Sources): Control[] {
  const time = (key: "duration" | "warmup", label: string, min: number, max: number, zero: boolean) =>
    control(tree, {
      id: key,
      group: "run",
      label,
      doc: fieldOf(schema, "", key).doc,
      input: { type: "quantity", dimension: "time", scale: { min, max, zero }, words: [] },
      paths: [[key]],
      fallback: "0 s",
    });
  return [
    time("duration", "Duration", 0.5, 600, false),
    time("warmup", "Warm-up", 0.1, 60, true),
    control(tree, {
      id: "seed",
      group: "run",
      label: "Seed",
      doc: fieldOf(schema, "", "seed").doc,
      input: { type: "number", scale: { min: 1, max: 100, whole: true, linear: true } },
      paths: [["seed"]],
      fallback: "1",
    }),
  ];
}
