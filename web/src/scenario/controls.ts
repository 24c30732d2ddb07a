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
import { read, type Dimension, type Scale } from "./quantity";
import { DURATION, FLOWS, SEEDS, START, usual, WARMUP } from "./ranges";
import { fieldOf, requiredAt, type Schema } from "./schema";

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
  /** The document's value; `undefined` where the default holds. */
  value: Value | undefined;
  /** The language requires the key: no default can hold. */
  required?: boolean;
  /** The places that it writes to have different values. */
  mixed: boolean;
  /** The value that holds if the document says nothing, as text. */
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
    if (control.paths.some((path) => requiredAt(sources.schema, path))) control.required = true;
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
  const speaks = (path: Path) => transportName(at(tree, [...path, "transport"]));
  // Of flows that speak differently, the ACK policy is that of those that speak TCP.
  const taking = (key: string) => (key === "ack" ? chosen.filter(({ path }) => speaks(path) === "tcp") : chosen);
  const paths = (key: string): Path[] => taking(key).map(({ path }) => [...path, key]);
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
      input: { type: "number", scale: usual(fieldOf(schema, "FlowSpec", "count"), FLOWS) },
      paths: paths("count"),
      fallback: "1",
    }),
    control(tree, {
      id: "flow.start",
      group: "flows",
      label: "Start at",
      doc: doc("start"),
      input: { type: "quantity", dimension: "time", scale: before(tree, START), words: [] },
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

function secondsOf(tree: Tree, key: string): number {
  return read(tree[key], "time")?.value ?? 0;
}

/** A range of times at which something can still happen in the run. */
function before(tree: Tree, scale: Scale): Scale {
  const end = secondsOf(tree, "start") + secondsOf(tree, "duration");
  return end > 0 ? { ...scale, min: Math.min(scale.min, end / 10), max: Math.min(scale.max, 0.95 * end) } : scale;
}

function runControls(tree: Tree, { schema }: Sources): Control[] {
  const time = (key: "duration" | "warmup", label: string, scale: Scale) =>
    control(tree, {
      id: key,
      group: "run",
      label,
      doc: fieldOf(schema, "", key).doc,
      input: { type: "quantity", dimension: "time", scale, words: [] },
      paths: [[key]],
      fallback: "0 s",
    });
  return [
    time("duration", "Duration", { ...DURATION, min: Math.max(DURATION.min, 1.25 * secondsOf(tree, "warmup")) }),
    time("warmup", "Warm-up", { ...WARMUP, max: Math.min(WARMUP.max, 0.9 * (secondsOf(tree, "duration") || WARMUP.max)) }),
    control(tree, {
      id: "seed",
      group: "run",
      label: "Seed",
      doc: fieldOf(schema, "", "seed").doc,
      input: { type: "number", scale: usual(fieldOf(schema, "", "seed"), SEEDS) },
      paths: [["seed"]],
      fallback: "1",
    }),
  ];
}
