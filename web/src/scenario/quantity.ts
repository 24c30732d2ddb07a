/**
 * Quantities of the scenario language: "10 Mbit/s", "20 ms", "64 KiB", "1 BDP".
 *
 * Only the spellings that the language has. The tool itself checks what people type; this reads
 * quantities to place sliders, and writes what sliders set.
 */

export type Dimension = "rate" | "time" | "size" | "queue" | "probability";

export interface Quantity {
  /** In bit/s, seconds, bytes, or in `unit` for queues; a plain number for probabilities. */
  value: number;
  /** Of queue limits: what they count. */
  unit: string;
}

const TIMES: Record<string, number> = {
  ns: 1e-9, nsec: 1e-9, nsecs: 1e-9, us: 1e-6, "µs": 1e-6, "μs": 1e-6, usec: 1e-6, usecs: 1e-6, ms: 1e-3, msec: 1e-3,
  msecs: 1e-3, s: 1, sec: 1, secs: 1, second: 1, seconds: 1, min: 60, mins: 60, minute: 60, minutes: 60, h: 3600,
  hour: 3600, hours: 3600,
};
const SIZES: Record<string, number> = {
  B: 1, b: 1, byte: 1, bytes: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, kib: 1024,
  mib: 1024 ** 2, gib: 1024 ** 3, k: 1024, kb: 1024, m: 1024 ** 2, mb: 1024 ** 2, g: 1024 ** 3, gb: 1024 ** 3,
};
const POWERS: Record<string, number> = { "": 0, k: 1, m: 2, g: 3, t: 4 };

/** Reads a quantity; `null` if it is none of this dimension (also "unlimited", "none", "off"). */
export function read(text: unknown, dimension: Dimension): Quantity | null {
  if (dimension === "probability") {
    return typeof text === "number" && Number.isFinite(text) ? { value: text, unit: "" } : null;
  }
  if (typeof text !== "string") return null;
  const parts = /^\s*([0-9._]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-zµμ/]+)\s*$/.exec(text);
  if (!parts) return null;
  const number = Number(parts[1]!.replaceAll("_", ""));
  const unit = parts[2]!;
  if (!Number.isFinite(number)) return null;
  if (dimension === "time") return scaled(number, TIMES[unit]);
  if (dimension === "size") return scaled(number, SIZES[unit]);
  if (dimension === "rate") return scaled(number, rateFactor(unit));
  if (/^(p|pkts?|packets?)$/.test(unit)) return { value: number, unit: "packets" };
  if (/^bdp$/i.test(unit)) return { value: number, unit: "BDP" };
  const bytes = scaled(number, SIZES[unit]);
  return bytes && { value: bytes.value, unit: "B" };
}

function scaled(number: number, factor: number | undefined): Quantity | null {
  return factor === undefined ? null : { value: number * factor, unit: "" };
}

function rateFactor(unit: string): number | undefined {
  const bits = /^([kmgt]?)(i?)bits?(\/s)?$/i.exec(unit);
  if (bits) return (bits[2] ? 1024 : 1000) ** POWERS[bits[1]!.toLowerCase()]!;
  const bytes = /^([kMG]?)(i?)B\/s$/.exec(unit);
  return bytes ? 8 * (bytes[2] ? 1024 : 1000) ** POWERS[bytes[1]!.toLowerCase()]! : undefined;
}

/** Writes a quantity as the scenario language has it, in the unit that reads best. */
export function write(value: number, dimension: Dimension, unit = ""): string | number {
  switch (dimension) {
    case "probability":
      return Number(value.toPrecision(3));
    case "rate":
      return inUnits(value, [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]]);
    case "time":
      return inUnits(value, [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]]);
    case "size":
      return bytesText(value);
    case "queue":
      if (unit === "BDP") return `${short(value)} BDP`;
      return unit === "B" ? bytesText(value) : `${Math.max(1, Math.round(value))} packets`;
  }
}

function bytesText(value: number): string {
  const whole = Math.max(1, Math.round(value));
  for (const [factor, name] of [[1024 ** 2, "MiB"], [1024, "KiB"]] as const) {
    if (whole >= factor && whole % factor === 0) return `${whole / factor} ${name}`;
  }
  return `${whole} B`;
}

function inUnits(value: number, units: [number, string][]): string {
  if (value === 0) return `0 ${units.find(([factor]) => factor === 1)![1]}`;
  const [factor, name] = units.find(([f]) => value >= f * 0.999999) ?? units.at(-1)!;
  return `${short(value / factor)} ${name}`;
}

/** At most four significant digits, without trailing zeros and without an exponent. */
function short(value: number): string {
  const rounded = Number(value.toPrecision(4));
  return rounded.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 9 });
}

/** A slider's scale. Positions run from 0 to 1000. */
export interface Scale {
  min: number;
  max: number;
  /** Position 0 means zero, and the logarithm begins behind it. */
  zero?: boolean;
  /** Whole numbers only. */
  whole?: boolean;
  linear?: boolean;
}

export const POSITIONS = 1000;
const FIRST = 20; // the part of the way that zero takes

export function toPosition(value: number, scale: Scale): number {
  const from = scale.zero ? FIRST : 0;
  if (scale.zero && value <= 0) return 0;
  const bounded = Math.min(scale.max, Math.max(scale.min, value));
  const part = scale.linear
    ? (bounded - scale.min) / (scale.max - scale.min)
    : Math.log(bounded / scale.min) / Math.log(scale.max / scale.min);
  return Math.round(from + part * (POSITIONS - from));
}

/** The value at a position, rounded to two significant digits: what a hand can aim at. */
export function fromPosition(position: number, scale: Scale): number {
  const from = scale.zero ? FIRST : 0;
  if (scale.zero && position < FIRST / 2) return 0;
  const part = Math.max(0, position - from) / (POSITIONS - from);
  if (part >= 1) return scale.max;
  if (part <= 0) return scale.min;
  const value = scale.linear
    ? scale.min + part * (scale.max - scale.min)
    : scale.min * Math.exp(part * Math.log(scale.max / scale.min));
  const rounded = scale.whole ? Math.round(value) : Number(value.toPrecision(2));
  return Math.min(scale.max, Math.max(scale.min, rounded));
}

/** `count` values from one end of a scale to the other, as evenly as two digits allow. */
export function spread(scale: Scale, count: number): number[] {
  const steps = Array.from({ length: count }, (_, i) => fromPosition((i * POSITIONS) / (count - 1), scale));
  return [...new Set(steps)];
}
