import { describe, expect, it } from "vitest";
import { DamagedLink, decode, encode, type Shared } from "../src/share/fragment";

const TOML = 'name = "ä"\r\n# a comment\nduration = "30 s"\n'.repeat(40);

/** Draws that are the same in every run. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("a link", () => {
  it("gives back what went in, to the byte", () => {
    const shared: Shared = {
      toml: TOML,
      files: { "traces/a.trace": "1\n2\n2\n" },
      pinned: { toml: "x = 1\n", files: { b: "" }, seeds: 5 },
      seeds: 5,
      film: 12.000000001,
    };
    expect(decode(encode(shared))).toEqual(shared);
    const other: Shared = { ...shared, seeds: 1, pinned: { ...shared.pinned!, seeds: 3 } };
    expect(decode(encode(other))).toEqual(other);
    expect(decode(encode({ toml: "\uFEFFa = 1\n", files: {}, seeds: 1 }))?.toml).toBe("\uFEFFa = 1\n");
  });

  it("may have the padding that other programs write", () => {
    const plain = encode({ toml: "a = 1\n", files: {}, seeds: 1 });
    const packed = plain.slice("#toml=".length);
    expect(decode(`#toml=${packed}${"=".repeat((4 - (packed.length % 4)) % 4)}`)?.toml).toBe("a = 1\n");
  });

  it("without a scenario is no link", () => {
    expect(decode("")).toBeNull();
    expect(decode("#series")).toBeNull();
  });

  it("that holds something wrong says what would be right", () => {
    const whole = encode({ toml: TOML, files: {}, seeds: 1 });
    for (const wrong of ["seeds=0", "seeds=101", "seeds=", "seeds=2.5", "seeds=x", "pinseeds=1e1", "film=-1", "film=x", "film=99999", "seeds"]) {
      expect(() => decode(`${whole}&${wrong}`), wrong).toThrow(/such as (seeds|pinseeds)=5|such as film=12\.5/);
    }
    expect(() => decode(`${whole}&colour=red`)).toThrow("a field “colour”");
    expect(() => decode(`${whole}&seeds=2&seeds=3`)).toThrow("twice");
    expect(() => decode("#seeds=5")).toThrow("no scenario");
    for (const count of [1, 2, 7, 100]) expect(decode(`${whole}&seeds=${count}`)?.seeds).toBe(count);
  });

  it("that was cut says so", () => {
    const whole = encode({ toml: TOML, files: {}, seeds: 1 });
    for (const length of [20, 40, whole.length - 3]) expect(() => decode(whole.slice(0, length))).toThrow(DamagedLink);
  });

  it("cannot fill the memory", () => {
    const large = encode({ toml: "a".repeat(9 * 1024 * 1024), files: {}, seeds: 1 });
    expect(large.length).toBeLessThan(20000);
    expect(() => decode(large)).toThrow("8 MiB");
  });

  it("with files that are no files says so", () => {
    const bad = encode({ toml: "[1]", files: {}, seeds: 1 }).replace("#toml=", "");
    expect(() => decode(`#toml=${bad}&files=${bad}`)).toThrow("files are damaged");
  });

  it("of random characters is refused or read, and nothing else happens", () => {
    const draw = draws(7);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=&#%+/ \u00e9\u0000";
    const word = (n: number) => Array.from({ length: n }, () => alphabet[Math.floor(draw() * alphabet.length)]).join("");
    let read = 0;
    for (let i = 0; i < 20000; i++) {
      const fragment = draw() < 0.5 ? `#toml=${word(Math.floor(draw() * 60))}` : `#toml=${word(8)}&files=${word(20)}&${word(9)}`;
      try {
        const shared = decode(fragment);
        if (shared) expect(typeof shared.toml).toBe("string");
        read++;
      } catch (error) {
        expect(error).toBeInstanceOf(DamagedLink);
      }
    }
    expect(read).toBeLessThan(20000);
  });

  it("with changed characters is refused or read", () => {
    const draw = draws(11);
    const whole = encode({ toml: TOML, files: { a: "b" }, seeds: 1 });
    for (let i = 0; i < 5000; i++) {
      const place = 6 + Math.floor(draw() * (whole.length - 6));
      const changed = whole.slice(0, place) + "AZaz09-_&="[Math.floor(draw() * 10)] + whole.slice(place + 1);
      try {
        decode(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(DamagedLink);
      }
    }
  });
});
