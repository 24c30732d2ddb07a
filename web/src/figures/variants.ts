/** The runs of a figure: a scenario for each variant, and their numbers and lines beside each other. */
import type { Engine, Run } from "../engine/types";
import { estimate, METRIC, numbers, words, type Metric } from "../lab/answers";
import { runAll, seriesOf } from "../lab/runs";
import { edited, put } from "../scenario/document";
import type { Frame, Line } from "../charts/frames";
import type { Chart, Figure, FlowsOf } from "./shape";

export interface Variant {
  label: string;
  toml: string;
}

/** Which value each knob begins with. */
export function placesOf(figure: Figure): number[] {
  return figure.knobs.map(({ first = 0 }) => first);
}

/** `turned` has the chosen value of each knob. */
export function variantsOf(figure: Figure, turned: number[]): Variant[] {
  const knobs = figure.knobs.flatMap(({ values }, i) => values[turned[i]!]!.set);
  return figure.beside.values.map(({ label, set }) => ({
    label,
    toml: edited(figure.toml, (tree) => {
      for (const [path, value] of [...knobs, ...set]) put(tree, path, structuredClone(value));
    }),
  }));
}

/** Each variant's run, with series. */
export async function runVariants(engine: Engine, variants: Variant[], stop: AbortSignal): Promise<Run[]> {
  const checks = await Promise.all(variants.map(({ toml }) => engine.check(toml)));
  const wrong = checks.find(({ ok }) => !ok)?.diagnostics[0];
  if (wrong) throw new Error(wrong.text);
  const jobs = variants.map(({ toml }, i) => ({ toml, seed: BigInt(checks[i]!.seed ?? 1), ...seriesOf(checks[i]!.durationS ?? 10) }));
  return runAll(engine, jobs, stop);
}

/** A number of a whole run; those of `METRICS` and others. */
export type Answer = Pick<Metric, "label" | "unit" | "digits" | "doc" | "better" | "of"> & { id: string };

export function answerOf(watched: Figure["watch"][number]): Answer {
  if (typeof watched === "object") return goodputOf(watched);
  if (watched === "took") {
    return { id: "took", label: "Took here", unit: "ms", digits: 0, better: "neither", doc: "How long the run took in this browser.", of: (run) => run.summary.tookMs };
  }
  if (watched === "events") {
    return { id: "events", label: "Events", unit: "", digits: 0, better: "neither", doc: "Events that the simulator handled.", of: (run) => run.summary.cost.events };
  }
  return METRIC[watched];
}

function goodputOf({ flows, label }: FlowsOf): Answer {
  return {
    id: `goodput-${flows}`, label, unit: "Mbit/s", digits: 2, better: "more",
    doc: "Payload that the applications of these flows read, over the measured time.",
    of: (run) => {
      const all = numbers(run.tables.flows, "goodput_mbps");
      const mine = words(run.tables.flows, "flow").flatMap((name, row) => (isOf(name, flows) ? [all[row]!] : []));
      return mine.length === 0 ? null : mine.reduce((a, b) => a + b, 0);
    },
  };
}

/** A flow with `count` stands for flows that have its name with a number. */
function isOf(name: string | null, flows: string): boolean {
  return name === flows || (name?.startsWith(`${flows}-`) ?? false);
}

export function valueOf(answer: Answer, run: Run): number | null {
  return estimate([answer.of(run)])?.mean ?? null;
}

const CHARTS: Record<Chart, Omit<Frame, "times" | "lines" | "note"> & { table: "series" | "link_series"; column: string; over: "sum" | "mean" | "most" }> = {
  goodput: { id: "goodput", title: "Goodput", unit: "Mbit/s", digits: 2, table: "series", column: "goodput_mbps", over: "sum" },
  rtt: { id: "rtt", title: "Smoothed RTT", unit: "ms", digits: 1, table: "series", column: "srtt_ms", over: "mean" },
  window: { id: "window", title: "Congestion window", unit: "packets", digits: 1, table: "series", column: "cwnd_packets", over: "mean" },
  queue: { id: "queue", title: "Longest queue", unit: "packets", digits: 0, table: "link_series", column: "queue_packets", over: "most" },
};

/** A line for each variant: all its flows together, some of them, or the longest of its queues. */
export function frameOf(chart: Chart | FlowsOf, variants: Variant[], runs: Run[]): Frame {
  const some = typeof chart === "object" ? chart : null;
  const { table, column, over, ...about } = CHARTS[typeof chart === "object" ? "goodput" : chart];
  const found = runs.map((run) => rowsOf(run, table, column, some?.flows));
  const times = [...new Set(found.flatMap((rows) => rows.map(({ time }) => time)))].sort((a, b) => a - b);
  const index = new Map(times.map((time, i) => [time, i]));
  const lines = found.map((rows, color): Line => {
    const at: number[][] = times.map(() => []);
    for (const { time, value } of rows) if (Number.isFinite(value)) at[index.get(time)!]!.push(value);
    return { label: variants[color]!.label, values: at.map((all) => together(all, over)), color, pinned: false };
  });
  if (some) return { ...about, id: `goodput-${some.flows}`, title: some.label, times, lines, note: "" };
  return { ...about, times, lines, note: over === "sum" ? "all flows" : over === "mean" ? "mean of the flows" : "" };
}

function rowsOf(run: Run, table: "series" | "link_series", column: string, flows: string | undefined): { time: number; value: number }[] {
  const names = words(run.tables[table], table === "series" ? "flow" : "link");
  const times = numbers(run.tables[table], "time_s");
  const values = numbers(run.tables[table], column);
  return names.flatMap((name, row) => (flows === undefined || isOf(name, flows) ? [{ time: times[row]!, value: values[row]! }] : []));
}

function together(values: number[], over: "sum" | "mean" | "most"): number | null {
  if (values.length === 0) return null;
  if (over === "most") return Math.max(...values);
  const sum = values.reduce((a, b) => a + b, 0);
  return over === "sum" ? sum : sum / values.length;
}
