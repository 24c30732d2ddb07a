/** The same scenario and seed give the same tables in WebAssembly as in the native tool, to the bit. */

import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { runOf, valueOf } from "../src/engine/answers";
import { GALLERY } from "../src/engine/gallery";
import type { Catalogue, Column, Run, Stream } from "../src/engine/types";
import { ask, python } from "./simulator";

interface Case {
  name: string;
  /** Without it, that of the gallery. */
  toml?: string;
  set: [string, string][];
  record: Stream[];
  seed: number;
}

interface Native {
  sums: Record<string, Record<string, string>>;
  expectations: Run["summary"]["expectations"];
  capture: string | null;
  took: number;
}

const ALL: Stream[] = [
  ...(["series", "events", "acks", "delays", "queues", "packets"] as const),
  ...(["ppdus", "frames"] as const),
];

const catalogue = valueOf<Catalogue>(ask({ what: "catalogue" }));
const names = GALLERY.map((g) => g.name);

/** The gallery as it is, without what is recorded of its radio channels. */
const whole = names.map((name): Case => ({ name, set: [], record: [], seed: 3 }));

/** Flows of the gallery that begin when others end. */
const LATE: Record<string, [string, string][]> = {
  pie: [["flow.1.start", "0.5 s"]],
  red: [["flow.1.start", "0.5 s"]],
};

/** Its first seconds with all recorded. */
const recorded = names.map((name): Case => ({
  name,
  set: [["duration", "1.5 s"], ["warmup", "0 s"], ...(LATE[name] ?? [])],
  record: ALL,
  seed: 18446744,
}));

const ONE_FLOW = `
duration = "2 s"
[topology]
preset = "wlan"
[topology.wire]
rate = "100 Mbit/s"
delay = "2 ms"
[[flow]]
name = "f"
`;

/** Each controller, ACK policy and transport by itself, over radio. */
const blocks = [
  ...catalogue.cc.map((b) => [["flow.0.cc", b.name]]),
  ...catalogue.ack.map((b) => [["flow.0.ack", b.name]]),
  ...catalogue.transport.map((b) => [
    ["flow.0.transport", b.name],
    ...(b.name === "rtp" ? [["flow.0.app", "video"]] : []),
  ]),
].map((set): Case => {
  return { name: "f", toml: ONE_FLOW, set: set as Case["set"], record: ALL, seed: 1 };
});

function inWasm(c: Case): Run {
  const { toml, files } = GALLERY.find((g) => g.name === c.name) ?? { toml: c.toml, files: {} };
  const captures = c.record.includes("packets") ? { packets: "headers" } : {};
  return runOf(ask({ what: "run", ...c, toml, files, origin: `${c.name}.toml`, seed: String(c.seed), captures }));
}

function sums(run: Run): Native["sums"] {
  const tables = Object.values(run.tables).map((t) => {
    const columns = Object.entries(t.columns).map(([name, c]) => [name, checksum(c)]);
    return [t.name, Object.fromEntries(columns) as Record<string, string>];
  });
  return Object.fromEntries(tables) as Native["sums"];
}

function checksum(c: Column): string {
  const total = createHash("sha256");
  if (c.kind === "words") total.update(JSON.stringify(c.words)).update(c.codes);
  if (c.kind === "lists") total.update(c.ends);
  if (c.kind !== "words") total.update(oneNaN(c.values));
  return total.digest("hex");
}

/** Of not-a-number the sign is the engine's choice. */
function oneNaN<T>(values: T): T {
  return values instanceof Float64Array ? (values.map((x) => (x !== x ? NaN : x)) as T) : values;
}

describe.each([
  ["the gallery", whole],
  ["the gallery with all recorded", recorded],
  ["controllers, policies and transports", blocks],
])("%s", (_, cases) => {
  let native: Native[];

  beforeAll(() => {
    native = python<Native[]>("native.py", cases);
  }, 600_000);

  test.each(cases.map((c, i) => [`${c.name} ${c.set.map((s) => s.join("=")).join(" ")}`, c, i] as const))(
    "%s",
    (_, c, i) => {
      const run = inWasm(c);
      expect(sums(run)).toEqual(native[i]!.sums);
      expect(run.summary.expectations).toEqual(native[i]!.expectations);
      const capture = run.captures[0]?.bytes;
      const sum = capture && createHash("sha256").update(capture).digest("hex");
      expect(sum ?? null).toBe(native[i]!.capture);
      expect(run.tables.flows.rows).toBeGreaterThan(0);
    },
    60_000,
  );
});
