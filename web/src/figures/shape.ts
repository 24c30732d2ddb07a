/** Parts of a figure of the documentation. */
import type { MetricId } from "../lab/answers";
import type { Path, Value } from "../scenario/document";

/** A key of the scenario and values for it. */
export interface Turn {
  label: string;
  /** Settings of each of them: at each path a value; `undefined` takes the key away. */
  values: { label: string; set: [Path, Value | undefined][] }[];
  /** The one that a knob begins with. */
  first?: number;
}

/** Goodput of a flow or of a group of flows alike, all together: as a number or as a chart. */
export interface FlowsOf {
  flows: string;
  label: string;
}

export type Chart = "goodput" | "rtt" | "window" | "queue";

export interface Figure {
  id: string;
  title: string;
  /** Description of the figure, whatever the knobs say. */
  says: string;
  toml: string;
  /** Its values are the lines and columns of the figure. */
  beside: Turn;
  knobs: Turn[];
  /** Numbers of the whole run; `took` is how long it took in this browser. */
  watch: (MetricId | FlowsOf | "took" | "events")[];
  charts: (Chart | FlowsOf)[];
  /** Bars of airtime. */
  airtime?: boolean;
}

/** A knob for one key that begins with `first`. */
export function turn(label: string, path: Path, values: Value[], first: Value = values[0]!): Turn {
  return { label, values: values.map((value) => ({ label: String(value), set: [[path, value]] })), first: values.indexOf(first) };
}
