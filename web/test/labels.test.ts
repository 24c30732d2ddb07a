import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { airCsv, airSvg } from "../src/charts/air-svg";
import { seriesSvg } from "../src/charts/svg";
import { FIGURES } from "../src/figures/figures";
import { placesOf, variantsOf } from "../src/figures/variants";
import { figureOf, labelsOf } from "../src/lab/labels";
import { edited, put, type Path, type Value } from "../src/scenario/document";
import { frameCsv } from "../src/share/files";

const TOML = readFileSync(new URL("../../python/acklab/data/scenarios/ack-aggregation.toml", import.meta.url), "utf8");
const changed = (text: string, ...sets: [Path, Value | undefined][]) => edited(text, (tree) => sets.forEach(([path, value]) => put(tree, path, value)));
const TACK = FIGURES.find(({ id }) => id === "tack")!;
const [DELAYED, TACKED] = variantsOf(TACK, placesOf(TACK)).map(({ toml }) => toml) as [string, string];

describe("two runs", () => {
  it("of a figure have the figure's words", () => {
    expect(labelsOf(DELAYED, TACKED)).toEqual(["A: delayed ACK", "B: TACK"]);
    for (const figure of FIGURES) {
      const variants = variantsOf(figure, placesOf(figure));
      expect(figureOf(variants[0]!.toml)).toBe(figure);
      const words = labelsOf(variants[0]!.toml, variants.at(-1)!.toml);
      expect(words).toEqual([`A: ${variants[0]!.label}`, `B: ${variants.at(-1)!.label}`]);
    }
  });
  it("say what else differs", () => {
    expect(labelsOf(DELAYED, changed(TACKED, [["wifi", "ampdu"], "8 KiB"]))).toEqual(["A: delayed ACK, ampdu off", "B: TACK, ampdu 8 KiB"]);
    expect(labelsOf(TACKED, changed(TACKED, [["wifi", "mcs"], 3]))).toEqual(["A: mcs 7", "B: mcs 3"]);
  });
  it("differ by their keys", () => {
    expect(labelsOf(TOML, changed(TOML, [["flow", 0, "cc"], "bbr3"]))[1]).toBe("B: cc bbr3");
    expect(labelsOf(changed(TOML, [["flow", 0, "ack"], { name: "byte-counting", l: 4 }]), changed(TOML, [["flow", 0, "ack"], { name: "byte-counting", l: 8 }]))).toEqual(["A: l 4", "B: l 8"]);
    expect(labelsOf(changed(TOML, [["flow", 0, "ack"], undefined]), changed(TOML, [["flow", 0, "ack"], "delayed"]))).toEqual(["A: ack by default", "B: ack delayed"]);
  });
  it("of other scenarios differ by name, and the same one twice by nothing", () => {
    expect(labelsOf(TOML, TACKED)).toEqual(["A: ack-aggregation", "B: tack-airtime"]);
    expect(labelsOf(TOML, TOML)).toEqual(["A", "B"]);
  });
});

describe("saved files", () => {
  const labels = labelsOf(DELAYED, TACKED);
  it("of airtime name both runs", () => {
    const bars = labels.map((label, i) => ({ label, shares: { data: 0.5 + i / 10 } }));
    const svg = airSvg(bars, [["data", "data", "fill0"]], "");
    const csv = airCsv(bars, [["data", "data", "fill0"]]);
    for (const label of labels) expect([svg, csv].every((file) => file.includes(label))).toBe(true);
  });
  it("of series name both runs", () => {
    const line = (pinned: boolean) => ({ label: "download", values: [1, 2], color: 0, pinned });
    const frame = { id: "goodput", title: "Goodput", unit: "", digits: 1, times: [0, 1], lines: [line(true), line(false)], note: "", runs: labels };
    expect(frameCsv(frame).split("\n")[0]).toBe("time_s,A: delayed ACK: download,B: TACK: download");
    for (const label of labels) expect(seriesSvg(frame, "")).toContain(`>${label}: download<`);
  });
});
