import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkOf, valueOf } from "../src/engine/answers";
import type { Catalogue } from "../src/engine/types";
import { apply } from "../src/scenario/apply";
import { controlsOf, flat, type Control } from "../src/scenario/controls";
import { CannotEdit, edited, treeOf, type Value } from "../src/scenario/document";
import { channelsOf, flowsOf, linksOf } from "../src/scenario/places";
import { read, write } from "../src/scenario/quantity";
import { FLOWS, SEEDS, STATIONS, usual } from "../src/scenario/ranges";
import { fieldOf, requiredAt, type Schema } from "../src/scenario/schema";
import { TOURS } from "../src/tours/tours";
import { ask } from "./simulator";

const FOLDER = new URL("../../python/acklab/data/scenarios/", import.meta.url);
const TRACES = Object.fromEntries(readdirSync(new URL("traces/", FOLDER)).map((name) => [`traces/${name}`, readFileSync(new URL(`traces/${name}`, FOLDER), "utf8")]));
const PRESETS = [
  ...readdirSync(FOLDER).filter((name) => name.endsWith(".toml")).map((name) => ({ name, toml: readFileSync(new URL(name, FOLDER), "utf8") })),
  ...TOURS.flatMap(({ id, steps }) => steps.map(({ toml }, i) => ({ name: `${id} ${i + 1}`, toml }))),
];
const schema = valueOf<Schema>(ask({ what: "schema" }));
const catalogue = valueOf<Catalogue>(ask({ what: "catalogue" }));

/**
 * Keys on which another key depends that the reader wrote: the tool says which, at its line. A limit in BDP needs
 * a rate, a threshold must be below the queue's limit, a station that is named must be there.
 */
const NEEDED: Record<string, string[]> = {
  "ack-policies.toml": ["link.rate"],
  "disorder.toml": ["link.rate"],
  "ecn.toml": ["link.rate", "link.delay", "link.queue"],
  "loss-bernoulli.toml": ["link.rate"],
  "tbf.toml": ["link.rate", "link.qdisc.rate"],
  "wifi-airtime.toml": ["topology.stations"],
  "wifi-fq-codel.toml": ["wifi.down.qdisc"],
  "wifi-hidden.toml": ["topology.stations"],
  "wifi-interference.toml": ["topology.stations"],
};

/** The mistakes that the tool finds in a text. */
function mistakes(toml: string): string[] {
  return checkOf(ask({ what: "check", toml, files: TRACES })).diagnostics.filter(({ severity }) => severity === "error").map(({ text }) => text);
}

/** Where a scenario has no mistake before: what × at each control brings. */
function mistakesAfterEach(toml: string, needed: string[]): string[] {
  const tree = treeOf(toml)!;
  const seen = new Set<string>();
  const found: string[] = [];
  const wires = linksOf(tree).length;
  for (let place = 0; place < Math.max(1, wires, channelsOf(tree).length, flowsOf(tree).length); place++) {
    for (const control of flat(controlsOf(tree, { flow: place - 1, link: place, channel: place }, { schema, catalogue }))) {
      const key = JSON.stringify(control.paths);
      if (control.value === undefined || control.required || needed.includes(control.id) || seen.has(key)) continue;
      seen.add(key);
      try {
        const wrong = mistakes(edited(toml, (draft) => apply(draft, control, undefined)));
        if (wrong.length > 0) found.push(`${control.id} ${key}: ${wrong[0]!.split("\n")[0]}`);
      } catch (error) {
        if (!(error instanceof CannotEdit)) throw error;
      }
    }
  }
  return found;
}

describe("back to the default", () => {
  it("is not there for keys that the schema requires", () => {
    for (const path of [["duration"], ["topology", "preset"], ["link", 0, "a"]]) expect(requiredAt(schema, path), path.join(".")).toBe(true);
    for (const path of [["warmup"], ["flow", 0, "cc"], ["topology", "bottleneck", "rate"]]) expect(requiredAt(schema, path), path.join(".")).toBe(false);
  });
  for (const { name, toml } of PRESETS) {
    it(`${name}: makes no mistake where nothing else needs the key`, () => {
      expect(mistakes(toml)).toEqual([]);
      expect(mistakesAfterEach(toml, NEEDED[name] ?? (toml.includes("BDP") ? ["link.rate"] : []))).toEqual([]);
    });
  }
});

/** Both ends of a control's slider, as the document has them. */
function endsOf({ input, value, fallback }: Control): Value[] {
  if (input.type === "number") return [input.scale.min, input.scale.max];
  if (input.type !== "quantity") return [];
  const unit = read(value ?? fallback, input.dimension)?.unit;
  return [input.scale.min, input.scale.max].map((end) => write(end, input.dimension, unit));
}

describe("the ends of every slider", () => {
  for (const name of ["ack-aggregation", "tack-wifi", "wifi6-ofdma", "mixed-controllers", "wifi-dumbbell", "wifi-uploads", "cake"]) {
    const { toml } = PRESETS.find((one) => one.name === `${name}.toml`)!;
    it(`${name}: are values that the language has`, () => {
      const found: string[] = [];
      let ends = 0;
      for (const control of flat(controlsOf(treeOf(toml)!, { flow: -1, link: 0, channel: 0 }, { schema, catalogue }))) {
        for (const end of endsOf(control)) {
          ends++;
          try {
            const wrong = mistakes(edited(toml, (draft) => apply(draft, control, end)));
            // Bounds that another key sets are the tool's to tell, at their line.
            if (wrong.length > 0 && !/is longer than `|does not hold this A-MPDU/.test(wrong[0]!)) found.push(`${control.id} = ${String(end)}: ${wrong[0]!.replaceAll("\n", " ")}`);
          } catch (error) {
            if (!(error instanceof CannotEdit)) throw error;
          }
        }
      }
      expect(ends).toBeGreaterThan(10);
      expect(found).toEqual([]);
    });
  }
  it("that the schema bounds lie within its bounds", () => {
    for (const [of, key, scale] of [["FlowSpec", "count", FLOWS], ["TopologySpec", "stations", STATIONS], ["", "seed", SEEDS]] as const) {
      const field = fieldOf(schema, of, key);
      expect(field.min, key).toBeDefined();
      expect(usual(field, scale)).toEqual(scale);
      expect(usual({ ...field, min: 3, max: 7 }, scale)).toEqual({ ...scale, min: 3, max: 7 });
    }
  });
});
