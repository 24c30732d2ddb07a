/**
 * The page's state: the text is the truth; tree, controls, check and runs follow from it.
 */
import { batch, computed, signal } from "@preact/signals";
import type { Catalogue, Check, Diagnostic, Engine, GalleryEntry, Run } from "./engine/types";
import { controlsOf, type Focus } from "./scenario/controls";
import { CannotEdit, edited, treeOf, type Tree, type Value } from "./scenario/document";
import { apply } from "./scenario/apply";
import type { Control } from "./scenario/controls";
import type { Schema } from "./scenario/schema";

export interface Lab {
  engine: Engine;
  catalogue: Catalogue;
  schema: Schema;
  gallery: GalleryEntry[];
}

/** A scenario with the files that it names. */
export interface Experiment {
  text: string;
  files: Record<string, string>;
}

/** Result of an experiment: its runs with one seed each, the first one's series included. */
export interface Outcome {
  experiment: Experiment;
  runs: Run[];
  tookMs: number;
}

export const lab = signal<Lab | null>(null);
/** The failure that keeps the page from working. */
export const failure = signal<string | null>(null);
/** A notice to show once: a link that cannot be opened, a key that cannot be set. */
export const notice = signal<string | null>(null);

export const text = signal("");
export const files = signal<Record<string, string>>({});
export const focus = signal<Focus>({ flow: -1, link: 0, channel: 0 });
export const seeds = signal(1);

/** The check of the text by the tool; `null` until there is one. */
export const check = signal<Check | null>(null);
/** The last outcome of a text that could be run. It stays while a wrong text is mended. */
export const outcome = signal<Outcome | null>(null);
export const pinned = signal<Outcome | null>(null);
export const running = signal(false);
/** Errors of a run although the check had passed. */
export const runErrors = signal<Diagnostic[]>([]);

/** The pane that is shown where there is room for one only. */
export const pane = signal<"setup" | "network" | "answers">("setup");

/** The last tree that was one: controls stay usable while the text is being typed. */
let lastTree: Tree = {};
export const tree = computed<Tree>(() => {
  const now = treeOf(text.value);
  if (now) lastTree = now;
  return now ?? lastTree;
});
export const isToml = computed(() => treeOf(text.value) !== null);

export const controls = computed<Control[]>(() => {
  const sources = lab.value;
  return sources ? controlsOf(tree.value, focus.value, sources) : [];
});

export const name = computed(() => {
  const found = tree.value["name"];
  return typeof found === "string" ? found : "scenario";
});

export const seed = computed(() => {
  const found = Number(tree.value["seed"] ?? 1);
  return Number.isSafeInteger(found) && found >= 0 ? found : 1;
});

const past: string[] = [];
const future: string[] = [];
export const canUndo = signal(false);
export const canRedo = signal(false);
let lastEdit = { control: "", time: 0 };

/** Changes the text; `by` names what changed it, so that one drag is one step back. */
export function setText(next: string, by = ""): void {
  if (next === text.value) return;
  const now = performance.now();
  const same = by !== "" && by === lastEdit.control && now - lastEdit.time < 1500;
  lastEdit = { control: by, time: now };
  if (!same && text.value !== "") {
    past.push(text.value);
    if (past.length > 200) past.shift();
  }
  future.length = 0;
  show(next);
}

export function undo(): void {
  step(past, future);
}

export function redo(): void {
  step(future, past);
}

function step(from: string[], to: string[]): void {
  const next = from.pop();
  if (next === undefined) return;
  to.push(text.value);
  lastEdit = { control: "", time: 0 };
  show(next);
}

function show(next: string): void {
  batch(() => {
    text.value = next;
    canUndo.value = past.length > 0;
    canRedo.value = future.length > 0;
  });
}

/** Opens another scenario: presets, files, links, steps of tours. */
export function open(experiment: Experiment): void {
  batch(() => {
    files.value = experiment.files;
    focus.value = { flow: -1, link: 0, channel: 0 };
    setText(experiment.text);
  });
}

/** Sets a control in the text. Nothing happens while the text is no TOML. */
export function set(control: Control, value: Value | undefined): void {
  if (!isToml.value) return;
  try {
    setText(edited(text.value, (draft) => apply(draft, control, value)), control.id);
    notice.value = null;
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error;
    notice.value = `${control.label}: ${error.message}.`;
  }
}
