/** Which part of a run a film or a capture holds, and the settings that record just this part. */
import type { Run } from "../engine/types";
import { numbers } from "../lab/answers";

/** How many packet events a film may have, about. */
export const MOST_EVENTS = 80_000;

/** Shortest film in seconds, and the part of a film that lies before the instant it is made for. */
const LEAST_S = 0.02;
const BEFORE = 0.1;

export interface Stretch {
  /** Seconds from the beginning of the run. */
  fromS: number;
  toS: number;
  /** Whether nothing happens before, or comes after. */
  first: boolean;
  last: boolean;
  /** Settings under which the same run keeps the events of this part alone. */
  set: [string, string][];
}

/**
 * The part around `atS` (without it, the beginning) of a run that ends after `wholeS` seconds, with no more events
 * than a film may have. How dense they are follows from the bytes that the senders have sent over time.
 */
export function stretchOf(run: Run, wholeS: number, atS: number | null = null): Stretch {
  const begin = Math.min(...run.network.flows.map(({ startS }) => startS), wholeS);
  const course = courseOf(run, begin, wholeS);
  const share = MOST_EVENTS / (run.summary.cost.hops * 3 + 1);
  const at = Math.max(begin, Math.min(wholeS, atS ?? begin));
  const low = Math.max(0, Math.min(1 - share, course.shareAt(at) - BEFORE * share));
  const from = low <= 0 ? begin : Math.min(at, course.timeOf(low));
  const to = low + share >= 1 ? wholeS : Math.max(at, course.timeOf(low + share));
  const late = Math.max(begin, Math.min(from, wholeS - LEAST_S));
  const fromS = low <= 0 ? begin : millionths(late);
  const toS = Math.min(wholeS, millionths(Math.max(to, fromS + LEAST_S)));
  const first = fromS <= begin;
  const last = toS >= wholeS;
  const set: Stretch["set"] = [];
  if (!first) set.push(["record.from", `${fromS} s`]);
  if (!last) set.push(["record.until", `${toS} s`]);
  return { fromS, toS, first, last, set };
}

function millionths(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}

interface Course {
  /** The part of all bytes that was sent up to a time. */
  shareAt(time: number): number;
  /** The last time up to which that part was sent. */
  timeOf(share: number): number;
}

/** Bytes over time, straight between samples; even over the run where there are no samples. */
function courseOf(run: Run, begin: number, end: number): Course {
  const sent = new Map<number, number>();
  const { series } = run.tables;
  const [times, bytes] = series ? [numbers(series, "time_s"), numbers(series, "sent_bytes")] : [[], []];
  for (let row = 0; row < times.length; row++) sent.set(times[row]!, (sent.get(times[row]!) ?? 0) + (bytes[row] ?? 0));
  const all = Math.max(0, ...sent.values());
  const inside = all > 0 ? [...sent].filter(([time]) => time > begin && time < end).map(([time, sum]) => [time, sum / all] as const) : [];
  const points = [[begin, 0] as const, ...inside, [end, 1] as const];
  return {
    shareAt: (time) => between(points, time, 0, 1),
    timeOf: (share) => between(points, share, 1, 0),
  };
}

/** The other coordinate at `value` of a line through points; where the line stands still, that of its last point. */
function between(points: (readonly [number, number])[], value: number, of: 0 | 1, other: 0 | 1): number {
  const next = points.findIndex((point) => point[of] > value);
  if (next < 0) return points.at(-1)![other];
  if (next === 0) return points[0]![other];
  const [a, b] = [points[next - 1]!, points[next]!];
  return a[other] + ((b[other] - a[other]) * (value - a[of])) / (b[of] - a[of]);
}
