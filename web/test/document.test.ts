import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { apply } from "../src/scenario/apply";
import { controlsOf, flat, type Control, type Sources } from "../src/scenario/controls";
import { at, CannotEdit, dotted, edited, literal, put, treeOf, type Tree, type Value } from "../src/scenario/document";
import { read, write } from "../src/scenario/quantity";
import { coloured } from "../src/panes/colours";

const FOLDER = new URL("../../python/acklab/data/scenarios/", import.meta.url);
const GALLERY = readdirSync(FOLDER).filter((name) => name.endsWith(".toml")).map((name) => ({ name, text: readFileSync(new URL(name, FOLDER), "utf8") }));
const SCHEMA = JSON.parse(readFileSync(new URL("../../docs/schema/scenario.schema.json", import.meta.url), "utf8"));

/** A catalogue from the schema's own words, enough for the controls. */
function blocks(definition: string): Sources["catalogue"]["cc"] {
  const [words, ...tables] = SCHEMA.$defs[definition].anyOf;
  return tables.map((table: any) => ({
    name: table.properties.name.enum[0], aliases: table.properties.name.enum.slice(1), summary: table.description, source: "",
    params: Object.entries<any>(table.properties).filter(([key]) => key !== "name").map(([key, property]) => ({
      name: key, doc: property.description ?? "", accepts: "", default: /Default: "?([^".]+)/.exec(property.description ?? "")?.[1] ?? "",
      kind: property.enum ? { type: "choice", choices: property.enum } : property.type === "boolean" ? { type: "bool" }
        : property.type === "integer" ? { type: "int", min: property.minimum ?? 0, max: property.maximum ?? 1e6 } : { type: "other" },
    })),
  })).concat(words.enum ? [] : []);
}
const CATALOGUE = {
  transport: blocks("Transport"), cc: blocks("CongestionControl"), ack: blocks("AckPolicy"), filter: blocks("AckFilter"),
  qdisc: blocks("QueueDiscipline"), "rate-control": [], "station-queue": [], "path-loss": [], fading: [],
} as Sources["catalogue"];
const SOURCES: Sources = { schema: SCHEMA, catalogue: CATALOGUE };
/** What the library cannot write (see `edited`). */
const REFUSED = new Set(["rate", "loss", "ack_filter"].map((key) => `two-paths.toml link.reverse.${key}`));
const ALL = { flow: -1, link: 0, channel: 0 };

/** Another value for a control, as its input would set it. */
function another(control: Control): Value | null {
  const { input, value } = control;
  switch (input.type) {
    case "bool":
      return value !== true;
    case "choice":
    case "block":
      return input.options.find((option) => option.value !== value && option.value !== control.fallback)?.value ?? null;
    case "number":
      return value === input.scale.min ? input.scale.max : input.scale.min;
    case "quantity": {
      const now = read(value ?? control.fallback, input.dimension);
      return write(now?.value === input.scale.max ? input.scale.min : input.scale.max, input.dimension, now?.unit ?? "");
    }
    case "text":
      return null;
  }
}

describe("controls over the gallery", () => {
  for (const [number, { name, text }] of GALLERY.entries()) {
    it(`${name}: each sets its own key, and nothing else of the text changes`, () => {
      const tree = treeOf(text)!;
      // Parameters of blocks are the same everywhere: a part of the files is enough for them.
      const found = controlsOf(tree, ALL, SOURCES);
      for (const control of number % 5 === 0 ? flat(found) : found) {
        const value = another(control);
        if (value === null || typeof control.value === "object" || control.mixed) continue;
        if (REFUSED.has(`${name} ${control.id}`)) {
          expect(() => edited(text, (draft) => apply(draft, control, value)), control.id).toThrow(CannotEdit);
          continue;
        }
        const after = edited(text, (draft) => apply(draft, control, value));
        const wanted = structuredClone(tree);
        apply(wanted, control, value);
        const now = treeOf(after);
        expect(now, control.id).toEqual(wanted);
        for (const path of control.paths) {
          const found = at(now!, path);
          expect(typeof found === "object" && "name" in found ? (found as Tree)["name"] : found, control.id).toEqual(value);
        }
        const comments = (of: string) => of.split("\n").filter((line) => line.trimStart().startsWith("#"));
        expect(comments(after), control.id).toEqual(comments(text));
      }
    });
    it(`${name}: back to the default is the text without the key`, () => {
      const tree = treeOf(text)!;
      for (const control of controlsOf(tree, ALL, SOURCES)) {
        if (control.value === undefined || control.mixed) continue;
        const after = treeOf(edited(text, (draft) => apply(draft, control, undefined)))!;
        expect(at(after, control.paths[0]!), control.id).toBeUndefined();
      }
    });
  }
});

describe("a document", () => {
  it("loses tables that a deletion empties, and no others", () => {
    const tree: Tree = { a: { b: { c: 1 } }, d: {} };
    put(tree, ["a", "b", "c"], undefined);
    expect(tree).toEqual({ d: {} });
  });
  it("is left alone by an edit that changes nothing", () => {
    expect(edited("a  =   1 # one\n", () => {})).toBe("a  =   1 # one\n");
  });
  it("writes keys and values as --set takes them", () => {
    expect(dotted(["link", 0, "a.b"])).toBe('link.0."a.b"');
    expect(literal({ name: "aggregate", ratio: 4, on: true, list: ["a"] })).toBe('{ name = "aggregate", ratio = 4, on = true, list = ["a"] }');
  });
  it("takes no key that would reach prototypes", () => {
    const tree: Tree = {};
    put(tree, ["__proto__", "polluted"], true);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("colours", () => {
  it("show every character of a line, and none as markup", () => {
    for (const { text } of GALLERY) {
      for (const line of [...text.split("\n"), 'x = "<b>&" # <i>', "= = '"]) {
        const plain = coloured(line).replace(/<\/?(i|b)( class="[a-z]")?>/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
        expect(plain).toBe(line);
      }
    }
  });
});
