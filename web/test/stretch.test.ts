import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runOf } from "../src/engine/answers";
import type { Run } from "../src/engine/types";
import { filmOf } from "../src/film/film";
import { lifeOf } from "../src/film/life";
import { sequenceOf } from "../src/film/sequence";
import { MOST_EVENTS, stretchOf, type Stretch } from "../src/film/stretch";
import { ask } from "./simulator";

const TOML = readFileSync(new URL("../../python/acklab/data/scenarios/single-flow.toml", import.meta.url), "utf8").replace('duration = "30 s"', 'duration = "60 s"');
const LATE = `${TOML}\n[[flow]]\nname = "second"\ncc = "cubic"\nstart = "50 s"\n`;
const run = (toml: string, set: Stretch["set"] = []) => runOf(ask({ what: "run", toml, seed: "1", set, record: ["packets"], tables: ["packets", "flows", "ppdus"] }));
const plain = (toml: string) => runOf(ask({ what: "run", toml, seed: "1", record: ["series"], every: "250 ms", tables: ["flows", "series"] }));

/** All that the table of packets says between two times, but their numbers. */
function between({ tables: { packets } }: Run, fromS: number, toS: number): string[] {
  const columns = Object.values(packets.columns);
  const names = Object.keys(packets.columns).filter((name) => name !== "packet");
  const times = packets.columns["time_ns"]!;
  if (times.kind !== "numbers") throw new Error("no times");
  const cell = (name: string, row: number) => {
    const column = packets.columns[name]!;
    if (column.kind === "words") return column.words[column.codes[row]!] ?? "-";
    return column.kind === "numbers" ? String(column.values[row]) : Array.from(column.values.slice(row === 0 ? 0 : column.ends[row - 1], column.ends[row])).join(" ");
  };
  expect(columns.length).toBeGreaterThan(8);
  const rows = Array.from({ length: packets.rows }, (_, row) => row).filter((row) => times.values[row]! >= fromS * 1e9 && times.values[row]! <= toS * 1e9);
  return rows.map((row) => names.map((name) => cell(name, row)).join());
}

/** Long lists are compared by their first difference: to show all of them would take minutes. */
function same<T>(a: readonly T[], b: readonly T[]): void {
  const at = a.findIndex((one, i) => one !== b[i]);
  expect(at < 0 ? [] : [at, a[at]]).toEqual(at < 0 ? [] : [at, b[at]]);
  expect(a.length).toBe(b.length);
}

describe("a film", () => {
  const fast = plain(LATE);
  const whole = run(LATE);
  for (const at of [null, 1, 20, 50, 55, 61]) {
    it(`at ${at ?? "no time"} has what the whole run has there`, () => {
      const part = stretchOf(fast, 61, at);
      const there = at ?? 1;
      expect(part.fromS).toBeLessThanOrEqual(there);
      expect(part.toS).toBeGreaterThanOrEqual(there);
      const cut = run(LATE, part.set);
      const rows = between(cut, 0, 61);
      expect(rows.length).toBeGreaterThan(MOST_EVENTS / 2);
      expect(rows.length).toBeLessThan(MOST_EVENTS * 1.3);
      same(rows, between(whole, part.first ? 0 : part.fromS, part.toS));
      expect(Array.from(cut.tables.flows.columns["flow"]!.kind === "words" ? cut.tables.flows.columns["flow"]!.codes : [])).toHaveLength(2);
    });
  }
  it("shows packets that were on their way or waited when it begins where the film of the whole shows them", () => {
    const part = stretchOf(fast, 61, 55);
    const [cut, all] = [filmOf(run(LATE, part.set), part), filmOf(whole, { fromS: 1, toS: 61, first: true, last: true, set: [] })];
    const now = part.fromS * 1e9 + 1e6;
    const there = ({ flights }: typeof cut) => flights.filter((one) => one.came <= now && one.end > now)
      .map((one) => `${one.link} ${one.flow} ${one.ack} ${one.end} ${now < one.left ? "waits" : `${((now - one.left) / (one.end - one.left)).toFixed(6)} of the way`}`).sort();
    expect(there(cut).length).toBeGreaterThan(20);
    same(there(cut), there(all));
  });
  it("numbers the bytes of a stream from its beginning, wherever it begins itself", () => {
    const part = stretchOf(fast, 61, 55);
    const [cut, all] = [filmOf(run(LATE, part.set), part), filmOf(whole, { fromS: 1, toS: 61, first: true, last: true, set: [] })];
    for (const flow of [0, 1]) {
      const [a, b] = [sequenceOf(cut, flow)!, sequenceOf(all, flow)!];
      const first = b.times.findIndex((time) => time >= a.times[0]!);
      const last = first + b.times.slice(first).filter((time) => time <= a.times.at(-1)!).length - 1;
      same(a.sent, b.sent.slice(first, last + 1));
      same(a.again, b.again.slice(first, last + 1));
    }
    const about = lifeOf(cut, cut.sent.at(-1)!.packet)!.about;
    const bytes = Number(/^bytes ([\d,]+) to|up to byte ([\d,]+) has/.exec(about)!.slice(1).find(Boolean)!.replaceAll(",", ""));
    expect(bytes).toBeGreaterThan(1e6);
    expect(bytes).toBeLessThan(1e8);
    expect(lifeOf(cut, 0)!.about).toContain("sent before this part of the film");
  });
  it("begins with the first flow, however late that is", () => {
    for (const [toml, end] of [[TOML.replace('start = "1 s"', 'start = "30 s"'), 90], [TOML.replace("[[flow]]", '[[flow]]\nstart = "30 s"'), 61]] as const) {
      const part = stretchOf(plain(toml), end);
      expect([part.first, part.fromS]).toEqual([true, 30]);
      expect(filmOf(run(toml, part.set), part).from).toBeGreaterThanOrEqual(30e9);
    }
  });
  it("is the whole run where that is short", () => {
    const toml = TOML.replace('duration = "60 s"', 'duration = "3 s"').replace(/^warmup.*$/m, "");
    expect(stretchOf(plain(toml), 4, 2)).toEqual({ fromS: 1, toS: 4, first: true, last: true, set: [] });
  });
});
