/**
 * The door between the page and the simulator.
 *
 * The simulator is compiled to WebAssembly and runs in Web Workers. `openEngine()` (in `./index.ts`)
 * starts them. Each call returns a promise, and nothing here blocks the page.
 */

/** Whether a scenario with such a diagnostic can be run. */
export type Severity = "error" | "warning";

/** One mistake in a scenario, or what looks like one, in the tool's own words. */
export interface Diagnostic {
  severity: Severity;
  /** The line in the TOML, counted from 1. Missing for what was set from outside the text. */
  line?: number;
  /** The column, counted from 1, where the parser knows it. */
  column?: number;
  /** The dotted key, such as `topology.bottleneck.delay`; empty for mistakes of the whole text. */
  key: string;
  /** The value as it was written, shortened. */
  value?: string;
  /** The mistake. */
  message: string;
  /** How to mend it. */
  hint?: string;
  /** All of it as the command line prints it. */
  text: string;
}

/** A scenario after defaults, names and routes were filled in. */
export interface Check {
  /** Whether it can be run. Warnings do not prevent that. */
  ok: boolean;
  diagnostics: Diagnostic[];
  /** The whole scenario as TOML with every default visible; only if `ok`. */
  resolvedToml?: string;
  /** The network to draw; only if `ok`. */
  network?: Network;
  name?: string;
  description?: string;
  /** The seed that the scenario asks for. */
  seed?: bigint;
  /** When a run ends, in seconds. */
  durationS?: number;
  /** Streams that its runs record beside their summaries. */
  recorded?: Stream[];
}

/** Nodes, links, radio channels and flows of a scenario. Indices count from 0. */
export interface Network {
  nodes: string[];
  links: NetworkLink[];
  channels: NetworkChannel[];
  flows: NetworkFlow[];
}

/** One direction of a link. */
export interface NetworkLink {
  name: string;
  /** Index of the node it leaves. */
  from: number;
  /** Index of the node it enters. */
  to: number;
  /** Bits per second; `null` if it takes no time. */
  rateBps: number | null;
  delayS: number;
  /** Limit of the queue before it. */
  queue: { packets: number } | { bytes: number };
  /** The queue discipline; `null` = drop-tail. */
  qdisc: string | null;
  /** ACK filters, in the order in which an ACK meets them. */
  filters: string[];
  /** Index of the radio channel that it is a way into; `null` for a wire. */
  channel: number | null;
}

export interface NetworkChannel {
  name: string;
  /** Index of the node of each station. */
  nodes: number[];
}

export interface NetworkFlow {
  name: string;
  transport: string;
  /** The congestion controller; the transport's name where there is none. */
  cc: string;
  /** Index of the node that sends. */
  src: number;
  dst: number;
  /** Indices of the links from `src` to `dst`, and back. */
  forward: number[];
  reverse: number[];
  startS: number;
  /** Payload bytes of a full packet. */
  payload: number;
}

/** Streams that a run can record beside its summaries. */
export type Stream =
  | "series"
  | "events"
  | "acks"
  | "delays"
  | "queues"
  | "packets"
  | "ppdus"
  | "frames";

/** Numbers. Counters of 64 bits come as doubles, exact up to 2^53. NaN: there is none. */
export interface NumberColumn {
  kind: "numbers";
  values: Float64Array | Uint32Array | Uint16Array | Uint8Array;
  /** The core's type of the numbers. */
  type: "f64" | "u64" | "u32" | "u16" | "u8" | "bool";
  /** `s`, `ms`, `ns`, `Hz`, `Mbit/s`, `per s`, `bytes` or `packets`; empty for counts and shares. */
  unit: string;
}

/** Words: `words[codes[row]]`; a code of -1 means that there is none. */
export interface WordColumn {
  kind: "words";
  words: string[];
  codes: Int32Array;
  unit: "";
}

/** A list of numbers per row: that of a row ends at `ends[row]` and begins where the last one ended. */
export interface ListColumn {
  kind: "lists";
  values: NumberColumn["values"];
  ends: Uint32Array;
  type: NumberColumn["type"];
  unit: string;
}

export type Column = NumberColumn | WordColumn | ListColumn;

/** A table, column by column. Columns have the names that `docs/results.md` explains. */
export interface Table {
  name: TableName;
  rows: number;
  columns: Record<string, Column>;
}

/**
 * `series` has one row per flow and sample, `link_series` one per link and sample. A table of a
 * stream that was not recorded is there and has no rows.
 */
export type TableName =
  | "flows"
  | "links"
  | "series"
  | "link_series"
  | "queue_classes"
  | "stations"
  | "airtime"
  | "ampdu_sizes"
  | "events"
  | "acks"
  | "reports"
  | "packets"
  | "tack_contents"
  | "ppdus";

/** The result of one run. The same TOML, settings and seed give the same bytes as the native tool. */
export interface Run {
  seed: bigint;
  /** Those that were asked for; all of them without `RunOptions.tables`. */
  tables: Record<TableName, Table>;
  summary: Summary;
  network: Network;
  /** Initial sequence numbers of each flow's source and destination; `null` where the flow is none of TCP. */
  origins: ([number, number] | null)[];
  /** The captures that were asked for. */
  captures: Capture[];
}

export interface Summary {
  name: string;
  durationS: number;
  /** The scenario's `[expect]`, held against this run. */
  expectations: { met: boolean; text: string }[];
  /** Goodput of all flows together in Mbit/s. */
  goodputMbps: number;
  /** Jain's index of the flows' goodputs; `null` if nothing was delivered. */
  fairness: number | null;
  cost: { events: number; hops: number; dataPackets: number; peakPackets: number };
  /** Milliseconds that the worker took. Not part of the result. */
  tookMs: number;
}

/** A pcapng file. */
export interface Capture {
  /** `packets` for the wire, otherwise the name of the radio channel. */
  of: string;
  bytes: Uint8Array;
  packets: number;
}

/** A value that a catalogue entry or the scenario language can take. */
export interface Parameter {
  /** Its key; `outer.inner` for keys of tables in a list. */
  name: string;
  doc: string;
  /** Accepted values, in words. */
  accepts: string;
  /** Accepted values, for a control. */
  kind: ParameterKind;
  /** In the scenario's spelling; `automatic`, `none` and `(needed)` as the tool shows them. */
  default: string;
}

export type ParameterKind =
  | { type: "bool" }
  | { type: "int"; min: number; max: number }
  | { type: "float"; min: number; max: number }
  | { type: "choice"; choices: string[] }
  | { type: "span" | "rate" | "size" | "tables" | "other" };

/** A controller, an ACK policy, a filter, ... */
export interface Block {
  name: string;
  aliases: string[];
  summary: string;
  source: string;
  /** The limit of a queue discipline: the key `queue` beside `qdisc`. */
  queue?: Parameter;
  params: Parameter[];
  /** Parameters that tc has of it, and a scenario has in another place or not at all. */
  elsewhere?: { name: string; hint: string; params: Parameter[] }[];
}

/** All names that a scenario can use. The keys are those of `acklab list`. */
export type Catalogue = Record<
  | "transport"
  | "cc"
  | "ack"
  | "filter"
  | "qdisc"
  | "rate-control"
  | "station-queue"
  | "path-loss"
  | "fading",
  Block[]
>;

/** A scenario that comes with acklab. */
export interface GalleryEntry {
  /** Its file name without `.toml`. */
  name: string;
  /** Its description. */
  title: string;
  toml: string;
  /** Files that it names, by the name it has for them. */
  files: Record<string, string>;
}

/** Settings beside the text of a scenario. */
export interface Around {
  /** Name of the text in messages; "the scenario" by default. */
  origin?: string;
  /** Keys and values set before anything is checked, as with `--set`. */
  set?: [key: string, value: string][];
  /** Text of the files that the scenario names (traces). */
  files?: Record<string, string>;
}

export interface RunOptions extends Around {
  /** Streams to record, in addition to those of the scenario itself. */
  record?: Stream[];
  /** Distance of the samples of `series`, such as `"100 ms"`; 10 ms if it is not said. */
  every?: string;
  /** Captures to make: of packets (needs the stream `packets`), of radio channels (needs `frames`). */
  captures?: { packets?: "headers" | "whole"; channels?: boolean };
  /** Tables to bring; without it all of them. Fewer cost less time and memory. */
  tables?: TableName[];
  /** Ends the run. The promise then rejects with an `AbortError`. */
  signal?: AbortSignal;
}

export interface Job extends RunOptions {
  toml: string;
  seed: number | bigint;
}

/** The simulator in a pool of workers. */
export interface Engine {
  /** The version of acklab that was compiled. */
  readonly version: string;
  /** Runs that can be under way at once. */
  readonly workers: number;
  /** Has a worker of its own and never waits for runs. */
  check(toml: string, around?: Around): Promise<Check>;
  /** The JSON Schema of the scenario language. */
  schema(): Promise<Record<string, unknown>>;
  catalogue(): Promise<Catalogue>;
  gallery(): Promise<GalleryEntry[]>;
  /**
   * Runs a scenario when a worker is free. Rejects with `ScenarioError` if the scenario is wrong,
   * with `EngineError` if the core failed, and with an `AbortError` once `signal` fires.
   */
  run(toml: string, seed: number | bigint, options?: RunOptions): Promise<Run>;
  /** Runs many on all workers; calls `onRun` as each ends, in the order in which they end. */
  runMany(
    jobs: readonly Job[],
    onRun: (index: number, run: Run) => void,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Lets the core fail with these words: to see what a page does then. Always rejects. */
  fails(words: string): Promise<never>;
  /** Ends the workers. Calls that are under way reject with an `AbortError`. */
  close(): void;
}

/** A scenario that cannot be run. */
export class ScenarioError extends Error {
  override readonly name = "ScenarioError";
  constructor(readonly diagnostics: Diagnostic[]) {
    super(diagnostics.map((d) => d.text).join("\n\n"));
  }
}

/** The core failed: a bug. The message is the core's. Later calls work. */
export class EngineError extends Error {
  override readonly name = "EngineError";
}
