/**
 * What the JSON Schema of the scenario language says about a key: its meaning, its words, its bounds.
 */

export type Schema = Record<string, unknown>;

export interface Field {
  /** Meaning and default, in the language's own words. */
  doc: string;
  /** The default that the description names, without quotes. */
  default?: string;
  /** Words that it accepts, if it accepts only words. */
  words?: { value: string; doc: string }[];
  min?: number;
  max?: number;
}

/** What the schema says about `key` of the definition `of` (the empty name is the top level). */
export function fieldOf(schema: Schema, of: string, key: string): Field {
  const place = of === "" ? schema : definition(schema, of);
  const properties = (place["properties"] ?? {}) as Record<string, Schema>;
  const property = properties[key] ?? {};
  const target = resolved(schema, property);
  const doc = String(property["description"] ?? target["description"] ?? "").replaceAll("\n", " ");
  const words = wordsOf(target);
  const field: Field = { doc };
  const known = /Default: (?:"([^"]+)"|([0-9.]+|true|false))/.exec(doc);
  if (known) field.default = (known[1] ?? known[2])!;
  if (words) field.words = words;
  if (typeof target["minimum"] === "number") field.min = target["minimum"];
  if (typeof target["maximum"] === "number") field.max = target["maximum"];
  return field;
}

function definition(schema: Schema, name: string): Schema {
  return ((schema["$defs"] ?? {}) as Record<string, Schema>)[name] ?? {};
}

function resolved(schema: Schema, property: Schema): Schema {
  const reference = property["$ref"];
  return typeof reference === "string" ? definition(schema, reference.replace("#/$defs/", "")) : property;
}

function wordsOf(target: Schema): Field["words"] {
  const list = target["enum"];
  if (Array.isArray(list)) return list.map((value) => ({ value: String(value), doc: "" }));
  const choices = target["oneOf"];
  if (!Array.isArray(choices)) return undefined;
  const words = choices.map((choice: Schema) => ({
    value: String(choice["const"]),
    doc: String(choice["description"] ?? ""),
  }));
  return choices.every((choice: Schema) => "const" in choice) ? words : undefined;
}
