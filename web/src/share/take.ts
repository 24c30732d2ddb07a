/** Files that the reader gives: one scenario, and traces that it names. */
import { preset } from "../lab/preset";
import { treeOf } from "../scenario/document";
import type { Schema } from "../scenario/schema";
import { files, lab, notice, open, text } from "../state";

/** As much text as a scenario or a trace may have. */
const MOST = 8 * 1024 * 1024;

export class Refused extends Error {
  override readonly name = "Refused";
}

/** Opens files that were dropped or chosen; what cannot be opened is told, and nothing changes. */
export async function take(given: File[]): Promise<void> {
  try {
    const read = await Promise.all(given.map(async (file) => ({ name: file.name, text: textOf(file.name, await file.arrayBuffer()) })));
    const schema = lab.peek()?.schema;
    if (!schema || read.length === 0) return;
    const taken = sorted(read, text.peek(), schema);
    notice.value = null;
    if (taken.scenario === null) {
      files.value = { ...files.peek(), ...taken.files };
      return;
    }
    preset.value = null;
    open({ text: taken.scenario, files: { ...files.peek(), ...taken.files } });
  } catch (error) {
    notice.value = `Not opened: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

/** The text of a file. A byte that is not UTF-8 is a mistake, as for the tool. */
export function textOf(name: string, bytes: ArrayBuffer): string {
  if (bytes.byteLength > MOST) throw new Refused(`${name} has more than 8 MiB`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused(`${name} is not UTF-8 text`);
  }
}

/** Which of the files is the scenario; `null` if all are files that the scenario `now` names. */
export function sorted(given: { name: string; text: string }[], now: string, schema: Schema): { scenario: string | null; files: Record<string, string> } {
  const named = given.filter(({ name }) => name.endsWith(".toml"));
  if (named.length > 1) throw new Refused("the bench opens one scenario at a time");
  const traces = (others: typeof given) => Object.fromEntries(others.flatMap(({ name, text }) => [[name, text], [`traces/${name}`, text]]));
  if (named.length === 0 && given.every(({ name }) => now.includes(name))) return { scenario: null, files: traces(given) };
  const scenario = named[0] ?? (given.length === 1 ? given[0] : undefined);
  if (!scenario) throw new Refused("none of the files is a scenario (.toml), and the scenario here does not name them");
  if (!isScenario(scenario.text, schema)) throw new Refused(`${scenario.name} is no scenario: it has none of a scenario's keys, such as \`duration\` and \`[[flow]]\``);
  return { scenario: scenario.text, files: traces(given.filter((one) => one !== scenario)) };
}

/** Whether a text has a key of a scenario. It may have mistakes: the page shows them at their lines. */
export function isScenario(words: string, schema: Schema): boolean {
  const known = Object.keys((schema["properties"] ?? {}) as object);
  const tree = treeOf(words);
  if (tree) return known.some((key) => Object.hasOwn(tree, key));
  return words.split("\n").some((line) => known.includes(/^\s*(?:\[+\s*)?([A-Za-z_]+)\s*[\].=]/.exec(line)?.[1] ?? ""));
}

/** Takes what is dropped anywhere on the page, so that no drop leaves it for the file. */
export function takeDrops(): void {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    void take([...(event.dataTransfer?.files ?? [])]);
  });
}
