/** Answers of a run: the few numbers that the page compares, each with its unit. */
import type { Column, Run, Table } from "../engine/types";

export interface Metric {
  id: MetricId;
  label: string;
  /** Empty for ratios. */
  unit: string;
  digits: number;
  doc: string;
  /** Whether more is better, less is better, or neither. */
  better: "more" | "less" | "neither";
  of: (run: Run) => number | null;
}

export type MetricId =
  | "goodput" | "fairness" | "rtt" | "rtt95" | "wait" | "window" | "acks" | "ack_rate" | "thinned" | "again" | "drops" | "ack_air";

export const METRICS: Metric[] = [
  {
    id: "goodput", label: "Goodput", unit: "Mbit/s", digits: 2, better: "more",
    doc: "Payload that the applications read, all flows together, over the measured time.",
    of: (run) => run.summary.goodputMbps,
  },
  {
    id: "fairness", label: "Fairness (Jain)", unit: "", digits: 3, better: "more",
    doc: "Jain's index of the flows' goodputs: 1 if all are equal, 1/n if one has everything.",
    of: (run) => (run.tables.flows.rows > 1 ? run.summary.fairness : null),
  },
  {
    id: "rtt", label: "RTT, median", unit: "ms", digits: 1, better: "less",
    doc: "Median of the senders' RTT samples, mean over flows.",
    of: (run) => mean(numbers(run.tables.flows, "rtt_p50_ms")),
  },
  {
    id: "rtt95", label: "RTT, 95 %", unit: "ms", digits: 1, better: "less",
    doc: "95th percentile of the senders' RTT samples, mean over flows.",
    of: (run) => mean(numbers(run.tables.flows, "rtt_p95_ms")),
  },
  {
    id: "wait", label: "Longest queue, mean wait", unit: "ms", digits: 2, better: "less",
    doc: "Mean wait of a packet in the queue where packets wait longest.",
    of: (run) => most(numbers(run.tables.links, "wait_mean_ms")),
  },
  {
    id: "window", label: "Congestion window", unit: "packets", digits: 1, better: "neither",
    doc: "Mean congestion window, mean over flows.",
    of: (run) => mean(numbers(run.tables.flows, "cwnd_mean_packets")),
  },
  {
    id: "acks", label: "ACKs per data packet", unit: "", digits: 3, better: "neither",
    doc: "Pure ACKs that reached the senders, for each data packet sent.",
    of: (run) => ratio(sum(numbers(run.tables.flows, "acks_received")), sum(numbers(run.tables.flows, "data_segments"))),
  },
  {
    id: "ack_rate", label: "ACKs", unit: "per s", digits: 0, better: "neither",
    doc: "Pure ACKs that reached the senders, per second, all flows together.",
    of: (run) => sum(numbers(run.tables.flows, "acks_per_s")),
  },
  {
    id: "thinned", label: "ACKs thinned", unit: "", digits: 0, better: "neither",
    doc: "ACKs that a filter took out because a later one said the same.",
    of: (run) => sum(numbers(run.tables.links, "drops_ack_thinned")),
  },
  {
    id: "again", label: "Sent again", unit: "%", digits: 2, better: "less",
    doc: "Data packets that were retransmissions.",
    of: (run) => percent(ratio(sum(numbers(run.tables.flows, "retransmissions")), sum(numbers(run.tables.flows, "data_segments")))),
  },
  {
    id: "drops", label: "Packets dropped", unit: "", digits: 0, better: "less",
    doc: "Packets that queues, loss and radio dropped, without thinned ACKs.",
    of: (run) => difference(sum(numbers(run.tables.links, "dropped")), sum(numbers(run.tables.links, "drops_ack_thinned"))),
  },
  {
    id: "ack_air", label: "Airtime of ACKs", unit: "%", digits: 2, better: "less",
    doc: "Part of the time in which PPDUs with nothing but transport acknowledgements were on the air.",
    of: (run) => percent(airtime(run)["transport_ack"] ?? null),
  },
];

export const METRIC = Object.fromEntries(METRICS.map((metric) => [metric.id, metric])) as Record<MetricId, Metric>;

/** The channel's uses and their shares, the first channel's if there are several. */
export function airtime(run: Run): Record<string, number> {
  const table = run.tables.airtime;
  const uses = words(table, "use");
  const media = words(table, "medium");
  const shares = numbers(table, "airtime_share");
  const found: Record<string, number> = {};
  uses.forEach((use, row) => {
    if (use !== null && media[row] === media[0]) found[use] = shares[row] ?? 0;
  });
  return found;
}

/** A column of numbers; empty if the table does not have it. */
export function numbers(table: Table, name: string): ArrayLike<number> {
  const column: Column | undefined = table.columns[name];
  return column?.kind === "numbers" ? column.values : [];
}

/** A column of words; `null` where there is none. */
export function words(table: Table, name: string): (string | null)[] {
  const column: Column | undefined = table.columns[name];
  if (column?.kind !== "words") return [];
  return Array.from(column.codes, (code) => column.words[code] ?? null);
}

function known(values: ArrayLike<number>): number[] {
  return Array.from(values).filter((value) => Number.isFinite(value));
}

function sum(values: ArrayLike<number>): number | null {
  const there = known(values);
  return there.length === 0 ? null : there.reduce((a, b) => a + b, 0);
}

function mean(values: ArrayLike<number>): number | null {
  const there = known(values);
  return there.length === 0 ? null : there.reduce((a, b) => a + b, 0) / there.length;
}

function most(values: ArrayLike<number>): number | null {
  const there = known(values);
  return there.length === 0 ? null : there.reduce((a, b) => Math.max(a, b));
}

function ratio(a: number | null, b: number | null): number | null {
  return a === null || b === null || b === 0 ? null : a / b;
}

function difference(a: number | null, b: number | null): number | null {
  return a === null ? null : a - (b ?? 0);
}

function percent(part: number | null): number | null {
  return part === null ? null : part * 100;
}

/** Mean of values over seeds, with half of the 95 % interval (Student's t). */
export interface Estimate {
  mean: number;
  /** Missing for a single value. */
  half?: number;
}

const T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093];

export function estimate(values: (number | null)[]): Estimate | null {
  const there = values.filter((value): value is number => value !== null && Number.isFinite(value));
  if (there.length === 0) return null;
  const center = there.reduce((a, b) => a + b, 0) / there.length;
  if (there.length === 1) return { mean: center };
  const variance = there.reduce((total, value) => total + (value - center) ** 2, 0) / (there.length - 1);
  const t = T95[there.length - 2] ?? 1.96 + 2.5 / there.length;
  return { mean: center, half: t * Math.sqrt(variance / there.length) };
}

/** A number as text: grouped, with the digits of its metric, never `-0`. */
export function shown(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const text = value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text;
}
