import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { estimate, shown } from "../src/lab/answers";
import { edited, put } from "../src/scenario/document";
import { command } from "../src/share/command";
import { csv } from "../src/share/files";

const TOML = readFileSync(new URL("../../python/acklab/data/scenarios/ack-aggregation.toml", import.meta.url), "utf8");
const PRESET = { name: "ack-aggregation", text: TOML };
const changed = (path: (string | number)[], value: Parameters<typeof put>[2]) => edited(TOML, (tree) => put(tree, path, value));

describe("the command line", () => {
  it("is the preset's, with what was set", () => {
    expect(command(TOML, PRESET, 1, 1)).toBe("acklab run ack-aggregation --seed 1 --out results");
    expect(command(changed(["flow", 0, "cc"], "bbr3"), PRESET, 7, 1)).toBe("acklab run ack-aggregation --set flow.0.cc=bbr3 --seed 7 --out results");
    expect(command(changed(["topology", "bottleneck", "rate"], "5 Mbit/s"), PRESET, 1, 1)).toContain("--set 'topology.bottleneck.rate=5 Mbit/s'");
    expect(command(changed(["flow", 0, "ack"], { name: "byte-counting", l: 4 }), PRESET, 1, 1)).toContain(`--set 'flow.0.ack={ name = "byte-counting", l = 4 }'`);
  });
  it("says the seed once", () => {
    expect(command(changed(["seed"], 7), PRESET, 7, 1)).toBe("acklab run ack-aggregation --seed 7 --out results");
  });
  it("names the saved file where something was taken away, and where there is no preset", () => {
    expect(command(changed(["flow", 0, "cc"], undefined), PRESET, 1, 1)).toBe("acklab run ack-aggregation.toml --seed 1 --out results");
    expect(command(TOML, null, 1, 1)).toBe("acklab run ack-aggregation.toml --seed 1 --out results");
  });
  it("of several seeds is a sweep over them", () => {
    expect(command(TOML, PRESET, 3, 5)).toBe("acklab sweep ack-aggregation --seeds 3..7 --out results");
  });
});

describe("numbers", () => {
  it("have the interval of Student's t", () => {
    // 1, 2, 3: standard deviation 1, t(2) = 4.303.
    expect(estimate([1, 2, 3])!.half).toBeCloseTo(4.303 / Math.sqrt(3), 3);
    expect(estimate([5, null, Number.NaN])).toEqual({ mean: 5 });
    expect(estimate([null])).toBeNull();
  });
  it("never show a negative zero", () => {
    expect(shown(-0.0004, 2)).toBe("0.00");
    expect(shown(undefined, 2)).toBe("–");
    expect(shown(17353, 0)).toBe("17,353");
  });
});

describe("CSV", () => {
  it("quotes what would break it", () => {
    expect(csv(["a", 'b"c'], [["x,y", 1]])).toBe('a,"b""c"\n"x,y",1\n');
  });
});
