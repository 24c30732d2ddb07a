/** From a worker's answers to the values that the page sees. */

import type { FromWorker } from "./worker";
import {
  EngineError,
  ScenarioError,
  type Capture,
  type Check,
  type Column,
  type Network,
  type NumberColumn,
  type Run,
  type Summary,
  type Table,
  type TableName,
} from "./types";

interface Heading {
  name: string;
  kind: Column["kind"];
  type: NumberColumn["type"];
  unit: string;
  part: number;
  ends: number;
  words: string[];
}

interface Told {
  ok: true;
  seed: string;
  tables: { name: TableName; rows: number; columns: Heading[] }[];
  summary: Omit<Summary, "tookMs">;
  network: Network;
  origins: Run["origins"];
  captures: { of: string; packets: number; part: number }[];
}

/** The value in an answer; throws what the core said if it failed. */
export function valueOf<T>(answer: FromWorker): T {
  const value = JSON.parse(answer.text) as T | { failed: string };
  if (typeof value === "object" && value !== null && "failed" in value) {
    throw new EngineError(value.failed);
  }
  return value as T;
}

export function checkOf(answer: FromWorker): Check {
  const { seed, ...told } = valueOf<Omit<Check, "seed"> & { seed?: string }>(answer);
  return seed === undefined ? told : { ...told, seed: BigInt(seed) };
}

export function runOf(answer: FromWorker): Run {
  const told = valueOf<Told | Check>(answer);
  if (!("tables" in told)) throw new ScenarioError((told as Check).diagnostics);
  const tables = told.tables.map((t) => [t.name, tableOf(t, answer.parts)]);
  return {
    seed: BigInt(told.seed),
    tables: Object.fromEntries(tables) as Run["tables"],
    summary: { ...told.summary, tookMs: answer.tookMs },
    network: told.network,
    origins: told.origins,
    captures: told.captures.map((c): Capture => {
      return { of: c.of, packets: c.packets, bytes: new Uint8Array(answer.parts[c.part]!) };
    }),
  };
}

function tableOf(told: Told["tables"][number], parts: ArrayBuffer[]): Table {
  const columns = told.columns.map((c) => [c.name, columnOf(c, parts)]);
  return { name: told.name, rows: told.rows, columns: Object.fromEntries(columns) };
}

function columnOf(heading: Heading, parts: ArrayBuffer[]): Column {
  const part = parts[heading.part]!;
  const { type, unit } = heading;
  switch (heading.kind) {
    case "numbers":
      return { kind: "numbers", values: numbersOf(type, part), type, unit };
    case "words":
      return { kind: "words", words: heading.words, codes: new Int32Array(part), unit: "" };
    case "lists": {
      const ends = new Uint32Array(parts[heading.ends]!);
      return { kind: "lists", values: numbersOf(type, part), ends, type, unit };
    }
  }
}

function numbersOf(type: NumberColumn["type"], part: ArrayBuffer): NumberColumn["values"] {
  switch (type) {
    case "f64":
    case "u64":
      return new Float64Array(part);
    case "u32":
      return new Uint32Array(part);
    case "u16":
      return new Uint16Array(part);
    case "u8":
    case "bool":
      return new Uint8Array(part);
  }
}

/** The word in a row of a column of words; `null` if there is none. */
export function wordAt(column: Column, row: number): string | null {
  return column.kind === "words" ? (column.words[column.codes[row]!] ?? null) : null;
}
