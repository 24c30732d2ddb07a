import { describe, expect, it } from "vitest";
import { fromPosition, POSITIONS, read, spread, toPosition, write, type Scale } from "../src/scenario/quantity";

describe("quantities", () => {
  it("are read in every spelling that the language has", () => {
    expect(read("10 Mbit/s", "rate")?.value).toBe(10e6);
    expect(read("10mbit", "rate")?.value).toBe(10e6);
    expect(read("1.25 MB/s", "rate")?.value).toBe(10e6);
    expect(read("1 Gibit/s", "rate")?.value).toBe(1024 ** 3);
    expect(read("20 ms", "time")?.value).toBeCloseTo(0.02, 12);
    expect(read("5 µs", "time")?.value).toBeCloseTo(5e-6, 15);
    expect(read("64k", "size")?.value).toBe(65536);
    expect(read("64 kB", "size")?.value).toBe(64000);
    expect(read("40p", "queue")).toEqual({ value: 40, unit: "packets" });
    expect(read("1.5 BDP", "queue")).toEqual({ value: 1.5, unit: "BDP" });
    expect(read("64 KiB", "queue")).toEqual({ value: 65536, unit: "B" });
    expect(read(0.01, "probability")?.value).toBe(0.01);
  });

  it("that the language refuses are none", () => {
    for (const [text, dimension] of [["10 Mbps", "rate"], ["10", "time"], ["none", "time"], ["1 packet/s", "queue"]] as const) {
      expect(read(text, dimension)).toBeNull();
    }
  });

  it("are written in the unit that reads best, and read back", () => {
    expect(write(10e6, "rate")).toBe("10 Mbit/s");
    expect(write(64e3, "rate")).toBe("64 kbit/s");
    expect(write(0.02, "time")).toBe("20 ms");
    expect(write(0, "time")).toBe("0 s");
    expect(write(1.5, "time")).toBe("1.5 s");
    expect(write(65536, "size")).toBe("64 KiB");
    expect(write(65535, "size")).toBe("65535 B");
    expect(write(0.25, "queue", "BDP")).toBe("0.25 BDP");
    expect(write(39.6, "queue", "packets")).toBe("40 packets");
    for (const value of [1e-9, 3.4e-6, 0.00012, 0.9, 12, 600]) expect(read(write(value, "time"), "time")!.value).toBeCloseTo(value, 9);
  });
});

describe("a slider", () => {
  const scales: Scale[] = [
    { min: 64e3, max: 10e9 }, { min: 1e-4, max: 1, zero: true }, { min: 1, max: 64, whole: true }, { min: 0, max: 9, whole: true, linear: true },
  ];
  it("reaches both ends and comes back to where it was", () => {
    for (const scale of scales) {
      expect(fromPosition(POSITIONS, scale)).toBe(scale.max);
      expect(fromPosition(0, scale)).toBe(scale.zero ? 0 : scale.min);
      for (let position = 0; position <= POSITIONS; position += 50) {
        const value = fromPosition(position, scale);
        expect(value).toBeGreaterThanOrEqual(scale.zero ? 0 : scale.min);
        expect(fromPosition(toPosition(value, scale), scale)).toBeCloseTo(value, 9);
      }
    }
  });
  it("spreads values without repeating one", () => {
    const values = spread({ min: 1, max: 8, whole: true }, 7);
    expect(new Set(values).size).toBe(values.length);
    expect(values[0]).toBe(1);
    expect(values.at(-1)).toBe(8);
  });
});
