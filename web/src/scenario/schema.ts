/**
 * The JSON Schema of the scenario language, key by key: meaning, words, bounds.
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

/** The schema's entry for `key` of the definition `of` (the empty name is the top level). */
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

/** Whether the schema requires the key at a path of a document, counted from the top. */
export function requiredAt(schema: Schema, path: readonly (string | number)[]): boolean {
  const key = path.at(-1);
  let holders: Schema[] = [schema];
  for (const step of path.slice(0, -1)) holders = holders.flatMap((holder) => shapesOf(schema, within(holder, step)));
  return holders.length > 0 && holders.every((holder) => Array.isArray(holder["required"]) && holder["required"].includes(key));
}

function within(holder: Schema, step: string | number): Schema {
  const found = typeof step === "number" ? holder["items"] : ((holder["properties"] ?? {}) as Record<string, Schema>)[step];
  return (found ?? {}) as Schema;
}

/** The tables or lists that a property may be. */
function shapesOf(schema: Schema, property: Schema): Schema[] {
  const target = resolved(schema, property);
  const choices = target["anyOf"] ?? target["oneOf"];
  if (Array.isArray(choices)) return choices.flatMap((choice: Schema) => shapesOf(schema, choice));
  return "properties" in target || "items" in target ? [target] : [];
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
  // Words beside another form, as `off` and `always` beside a size.
  const forms = target["anyOf"];
  if (Array.isArray(forms)) return forms.map((form: Schema) => wordsOf(form)).find((found) => found !== undefined);
  const choices = target["oneOf"];
  if (!Array.isArray(choices)) return undefined;
  const words = choices.map((choice: Schema) => ({
    value: String(choice["const"]),
    doc: String(choice["description"] ?? ""),
  }));
  return choices.every((choice: Schema) => "const" in choice) ? words : undefined;
}
