import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isScenario, Refused, sorted, textOf } from "../src/share/take";

const FOLDER = new URL("../../python/acklab/data/scenarios/", import.meta.url);
const SCHEMA = JSON.parse(readFileSync(new URL("../../docs/schema/scenario.schema.json", import.meta.url), "utf8"));
const bytes = (...values: number[]) => Uint8Array.from(values).buffer;
const RED = readFileSync(new URL("red.toml", FOLDER), "utf8");

describe("a file that is given", () => {
  it("must be UTF-8", () => {
    expect(textOf("a", bytes(0xc2, 0xb5))).toBe("µ");
    expect(() => textOf("latin.toml", bytes(0xe9))).toThrow("latin.toml is not UTF-8 text");
    expect(() => textOf("x.png", bytes(0x89, 0x50, 0x4e, 0x47, 0xff))).toThrow(Refused);
    expect(() => textOf("big", new ArrayBuffer(9 * 1024 * 1024))).toThrow("8 MiB");
  });
  it("is a scenario if it has a scenario's key, mistakes or not", () => {
    for (const name of readdirSync(FOLDER).filter((one) => one.endsWith(".toml"))) expect(isScenario(readFileSync(new URL(name, FOLDER), "utf8"), SCHEMA), name).toBe(true);
    for (const half of ['duration = \n', "[[flow]\nname =", '[topology.bottleneck]\nrate = "1', 'duraton = 1\n[[flow]]\n']) expect(isScenario(half, SCHEMA), half).toBe(true);
    for (const none of ["", "#".repeat(1000), '{"duration":"3 s"}', "1\n2\n3\n", "[package]\nversion = 1\n", "hello"]) expect(isScenario(none, SCHEMA), none).toBe(false);
  });
  it("that is none is refused", () => {
    for (const [name, text] of [["empty.toml", ""], ["a.json", '{"duration":"3 s"}'], ["a.trace", "1\n2\n"], ["pyproject.toml", "[project]\n"]] as const) {
      expect(() => sorted([{ name, text }], RED, SCHEMA), name).toThrow(Refused);
    }
    expect(() => sorted([{ name: "a.toml", text: RED }, { name: "b.toml", text: RED }], "", SCHEMA)).toThrow("one scenario");
  });
  it("may be one that the scenario names", () => {
    const trace = { name: "steps.up", text: "1\n" };
    expect(sorted([trace], 'trace = "traces/steps.up"', SCHEMA)).toEqual({ scenario: null, files: { "steps.up": "1\n", "traces/steps.up": "1\n" } });
    expect(sorted([trace, { name: "red.toml", text: RED }], "", SCHEMA).scenario).toBe(RED);
  });
});
