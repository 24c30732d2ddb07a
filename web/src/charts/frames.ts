/** Series of a run as frames for charts: one time axis, a line for each flow or a band for many. */
import type { Run, Table } from "../engine/types";
import { numbers, words } from "../lab/answers";

export interface Line {
  label: string;
  values: (number | null)[];
  /** Index into the palette. */
  color: number;
  /** Of the pinned outcome: drawn dashed. */
  pinned: boolean;
}

export interface Frame {
  id: string;
  title: string;
  unit: string;
  digits: number;
  /** Seconds from the start of the measured time. */
  times: number[];
  lines: Line[];
  /** Where there are too many lines: what the lines are instead. */
  note: string;
  /** Names of the pinned run and of the present one, if there are two. */
  runs?: [string, string];
}

/** A line's name in a file: its own, behind that of its run. */
export function nameOfLine(frame: Frame, line: Line): string {
  return frame.runs ? `${frame.runs[line.pinned ? 0 : 1]}: ${line.label}` : line.label;
}

interface Wanted {
  id: string;
  title: string;
  unit: string;
  digits: number;
  table: "series" | "link_series";
  column: string;
}

const WANTED: Wanted[] = [
  { id: "goodput", title: "Goodput", unit: "Mbit/s", digits: 2, table: "series", column: "goodput_mbps" },
  { id: "rtt", title: "Smoothed RTT", unit: "ms", digits: 1, table: "series", column: "srtt_ms" },
  { id: "window", title: "Congestion window", unit: "packets", digits: 1, table: "series", column: "cwnd_packets" },
  { id: "queue", title: "Queues", unit: "packets", digits: 0, table: "link_series", column: "queue_packets" },
];

/** As many lines as can be told apart. */
const MOST = 6;

/** The frames of a run, with those of a pinned run in the same axes. */
export function framesOf(run: Run | undefined, pinned: Run | undefined, runs?: [string, string]): Frame[] {
  return WANTED.map((wanted) => {
    const now = run ? part(run, wanted, false) : { times: [], lines: [], note: "" };
    const before = pinned ? part(pinned, wanted, true) : { times: [], lines: [], note: "" };
    const { times, lines } = joined(now, before);
    const { id, title, unit, digits } = wanted;
    return { id, title, unit, digits, times, lines, note: now.note || before.note, ...(pinned && runs ? { runs } : {}) };
  });
}

interface Part {
  times: number[];
  lines: Line[];
  note: string;
}

function part(run: Run, wanted: Wanted, isPinned: boolean): Part {
  const table = run.tables[wanted.table];
  const key = wanted.table === "series" ? "flow" : "link";
  const groups = rowsBy(table, key);
  const column = numbers(table, wanted.column);
  const all = numbers(table, "time_s");
  const times = [...new Set(Array.from(all))].sort((a, b) => a - b);
  const index = new Map(times.map((time, i) => [time, i]));
  const lines = [...groups].map(([label, rows], color) => {
    const values: (number | null)[] = new Array(times.length).fill(null);
    for (const row of rows) {
      const value = column[row]!;
      values[index.get(all[row]!)!] = Number.isFinite(value) ? value : null;
    }
    return { label, values, color, pinned: isPinned };
  });
  const busy = key === "link" ? busiest(lines) : lines;
  if (busy.length <= MOST) return { times, lines: busy, note: "" };
  if (key === "link") return { times, lines: busy.slice(0, MOST), note: `the ${MOST} longest of ${busy.length}` };
  return { times, lines: summary(busy, times.length, isPinned), note: `${busy.length} flows: lowest, median, highest` };
}

function rowsBy(table: Table, key: string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  words(table, key).forEach((word, row) => {
    if (word === null) return;
    const rows = groups.get(word);
    if (rows) rows.push(row);
    else groups.set(word, [row]);
  });
  return groups;
}

/** Queues in which something ever waited, the longest first. */
function busiest(lines: Line[]): Line[] {
  const longest = (line: Line) => line.values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  const found = lines
    .map((line) => ({ line, most: longest(line) }))
    .filter(({ most }) => most > 0)
    .sort((a, b) => b.most - a.most)
    .map(({ line }) => line);
  return alike(found).map((line, color) => ({ ...line, color }));
}

/** Ways that share one queue have the same line: one of them stands for all. */
function alike(lines: Line[]): Line[] {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const key = line.values.join();
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return [...groups.values()].map(([first, ...rest]) =>
    rest.length === 0 ? first! : { ...first!, label: `${first!.label} and ${rest.length} alike` },
  );
}

function summary(lines: Line[], count: number, isPinned: boolean): Line[] {
  const low: (number | null)[] = [];
  const middle: (number | null)[] = [];
  const high: (number | null)[] = [];
  for (let i = 0; i < count; i++) {
    const there = lines.flatMap(({ values }) => (values[i] === null ? [] : [values[i]!])).sort((a, b) => a - b);
    low.push(there[0] ?? null);
    middle.push(there[Math.floor(there.length / 2)] ?? null);
    high.push(there.at(-1) ?? null);
  }
  return [
    { label: "lowest", values: low, color: 2, pinned: isPinned },
    { label: "median", values: middle, color: 0, pinned: isPinned },
    { label: "highest", values: high, color: 1, pinned: isPinned },
  ];
}

function joined(now: Part, before: Part): { times: number[]; lines: Line[] } {
  if (before.times.length === 0) return now;
  if (now.times.length === 0) return before;
  const times = [...new Set([...now.times, ...before.times])].sort((a, b) => a - b);
  const spread = ({ times: own, lines }: Part) => {
    const index = new Map(own.map((time, i) => [time, i]));
    const places = times.map((time) => index.get(time));
    return lines.map((line) => ({ ...line, values: places.map((i) => (i === undefined ? undefined : line.values[i])) }));
  };
  // uPlot draws through `undefined` (no sample here) and breaks the line at `null` (nothing to sample).
  return { times, lines: [...spread(before), ...spread(now)] as Line[] };
}
