import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { estimate, shown } from "../src/lab/answers";
import { edited, put } from "../src/scenario/document";
import { command, comparison, opening } from "../src/share/command";
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

describe("with a pinned run, the command line", () => {
  const ran = (text: string, seeds = 1) => ({ text, seed: 1, seeds });
  const run = "acklab run ack-aggregation";
  const filter = ["topology", "bottleneck", "reverse", "ack_filter"];
  it("repeats both runs and compares them", () => {
    const now = changed(filter, "none");
    const set = `--set ${filter.join(".")}=none`;
    expect(comparison(ran(TOML), ran(now), PRESET)).toBe(`${run} --seed 1 --out a && ${run} ${set} --seed 1 --out b && acklab compare a b`);
    expect(comparison(ran(now), ran(TOML), PRESET)).toBe(`${run} ${set} --seed 1 --out a && ${run} --seed 1 --out b && acklab compare a b`);
    expect(comparison(ran(TOML, 3), ran(now, 3), PRESET)).toContain("acklab sweep ack-aggregation --seeds 1..3 --out a && ");
  });
  it("makes the pinned run from the saved file of the present one, or from a file of its own", () => {
    const less = changed(["flow", 0, "cc"], undefined);
    const file = "acklab run ack-aggregation";
    expect(comparison(ran(TOML), ran(less), null)).toMatch(`${file}.toml --set flow.0.cc=`);
    expect(comparison(ran(less), ran(TOML), null)).toBe(`${file}-a.toml --seed 1 --out a && ${file}.toml --seed 1 --out b && acklab compare a b`);
  });
  it("opens the page at a link, where there is room", () => {
    expect(opening("#toml=ab_-&seeds=5")).toBe("acklab bench '#toml=ab_-&seeds=5'");
    expect(opening(`#toml=${"a".repeat(100_000)}`)).toBeNull();
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
