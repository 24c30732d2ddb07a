/**
 * The ranges of sliders, and words that a standard decides: all that is not in the JSON Schema.
 *
 * The schema and the catalogue say which values the language accepts, and every control takes its bounds and words from
 * there. A schema has no more than that: a quantity is a text with a unit, which no bound can hold, and 10,000 flows are
 * possible. A slider has some hundred steps for what people try. So each range here is the usual one, cut to
 * the schema's bounds where it has some (`usual`); what lies beyond can be typed. A test sets each control to both ends.
 */
import type { Scale } from "./quantity";
import type { Field } from "./schema";

/** The usual range of a number, within the bounds of the schema. */
export function usual(field: Field, scale: Scale): Scale {
  return { ...scale, min: Math.max(scale.min, field.min ?? scale.min), max: Math.min(scale.max, field.max ?? scale.max) };
}

/** Bits per second: from a thin DSL line's way back to a fast access network. */
export const RATE: Scale = { min: 64e3, max: 10e9 };
/** Seconds each way: from a room to two hops over a satellite. */
export const DELAY: Scale = { min: 1e-4, max: 1, zero: true };
/** Part of the packets. With half of them lost no transport here moves. */
export const LOSS: Scale = { min: 1e-5, max: 0.5, zero: true };
/** A queue's limit, in what it counts. */
export const QUEUES: Record<string, Scale> = {
  BDP: { min: 0.05, max: 20 },
  packets: { min: 1, max: 10000, whole: true },
  B: { min: 1500, max: 64 * 1024 * 1024, whole: true },
};
/** Seconds of a run: ten minutes take the page some seconds. */
export const DURATION: Scale = { min: 0.5, max: 600 };
export const WARMUP: Scale = { min: 0.1, max: 60, zero: true };
export const START: Scale = { min: 0.1, max: 600, zero: true };
/** More than a page can draw is for the command line. */
export const FLOWS: Scale = { min: 1, max: 100, whole: true };
export const STATIONS: Scale = { min: 1, max: 50, whole: true };
export const SEEDS: Scale = { min: 1, max: 100, whole: true, linear: true };

/** The highest MCS of one stream, by standard (802.11-2020, 19.5 and 21.5; 802.11ax-2021, 27.5). Streams are typed in the text. */
export const HIGHEST_MCS: Record<string, number> = { n: 7, ac: 9, ax: 11 };

const OFDM = ["6 Mbit/s", "9 Mbit/s", "12 Mbit/s", "18 Mbit/s", "24 Mbit/s", "36 Mbit/s", "48 Mbit/s", "54 Mbit/s"];
/** Rates of standards without MCS (802.11-2020, clauses 16 to 18). */
export const LEGACY_RATES: Record<string, string[]> = { b: ["1 Mbit/s", "2 Mbit/s", "5.5 Mbit/s", "11 Mbit/s"], g: OFDM, a: OFDM };
/** The longest A-MPDU, by standard (802.11-2020, 9.7.1; 802.11ax-2021, 9.7.1); it is also the tool's default. */
export const LONGEST_AMPDU: Record<string, string> = { n: "65535 B", ac: "1048575 B", ax: "6500631 B" };
/** Lengths of an A-MSDU that a station can announce (802.11-2020, 9.4.2.55.2), and with VHT of an MPDU less its headers (9.4.2.157.2). */
export const AMSDU: Record<string, string[]> = { n: ["off", "3839 B", "7935 B"], ac: ["off", "3895 B", "7991 B", "11454 B"], ax: ["off", "3895 B", "7991 B", "11454 B"] };
