/** Small multiples: metrics over the values of one control, with intervals over seeds. */
import { signal } from "@preact/signals";
import { runAll } from "../lab/runs";
import { estimate, METRICS, shown, type Estimate, type Metric } from "../lab/answers";
import { Multiple, multipleSvg, type Point } from "../charts/multiples";
import type { Job } from "../engine/types";
import { flat, type Control } from "../scenario/controls";
import { apply } from "../scenario/apply";
import { edited, type Value } from "../scenario/document";
import { read, spread, write } from "../scenario/quantity";
import { QUEUES } from "../scenario/ranges";
import { csv, save } from "../share/files";
import { fileName } from "../share/command";
import { check, controls, files, lab, seed, text } from "../state";

const STEPS = 7;
const SEEDS = 3;
const FIGURES = ["goodput", "rtt", "acks", "window", "again", "fairness", "ack_air", "wait"];

interface Done {
  control: string;
  label: string;
  name: string;
  values: string[];
  points: Map<Metric, (Estimate | null)[]>;
}

const chosen = signal("");
const values = signal("");
const progress = signal<number | null>(null);
const done = signal<Done | null>(null);
const said = signal("");
let stop: AbortController | null = null;

export function Sweep() {
  const able = flat(controls.value).filter((control) => !control.mixed && control.input.type !== "text");
  const control = able.find(({ id }) => id === chosen.value) ?? able.find(({ id }) => id.endsWith("ack_filter.ratio")) ?? able[0];
  if (!control) return null;
  const typed = values.value || suggested(control).join(", ");
  return (
    <section class="sweep" aria-label="Over a parameter">
      <h3>Over a parameter <span class="unit">{SEEDS} seeds, 95 % intervals</span></h3>
      <div class="bar">
        <label for="sweep-of" class="unseen">Parameter</label>
        <select id="sweep-of" value={control.id} onChange={(event) => { chosen.value = event.currentTarget.value; values.value = ""; }}>
          {able.map(({ id, label }) => <option key={id} value={id}>{id.split(".").length > 2 ? `${id.split(".").slice(-2)[0]}: ` : ""}{label}</option>)}
        </select>
        <input class="grow" type="text" aria-label="Values, with commas between them" value={typed} spellcheck={false}
          onChange={(event) => (values.value = event.currentTarget.value)} />
        {progress.value === null
          ? <button type="button" id="sweep-run" onClick={() => void run(control, typed)}>Sweep</button>
          : <button type="button" onClick={() => stop?.abort()}>Stop, {shown(progress.value * 100, 0)} %</button>}
      </div>
      {said.value && <p class="error" role="alert">{said.value}</p>}
      {done.value && <Multiples done={done.value} />}
    </section>
  );
}

function Multiples({ done }: { done: Done }) {
  const figures = [...done.points].filter(([metric, points]) => FIGURES.includes(metric.id) && points.some((point) => point !== null));
  return (
    <>
      <div class="multiples">
        {figures.map(([metric, points]) => (
          <Multiple key={metric.id} title={metric.label} unit={metric.unit} digits={metric.digits} points={pointsOf(done, points)} />
        ))}
      </div>
      <p class="note">
        over {done.label}
        <button type="button" class="bare" onClick={() => save(`${done.name}-sweep.csv`, sweepCsv(done), "text/csv")}>csv</button>
        <button type="button" class="bare" onClick={() => save(`${done.name}-sweep.svg`, multipleSvg(figures.map(([metric, points]) => ({
          title: metric.label, unit: metric.unit, points: pointsOf(done, points) })), done.label), "image/svg+xml")}>svg</button>
      </p>
    </>
  );
}

function pointsOf(done: Done, points: (Estimate | null)[]): Point[] {
  return points.map((point, i) => ({ label: done.values[i]!, ...(point ?? { mean: null }) }));
}

/** Values over the range of a control, or all its words. */
function suggested(control: Control): string[] {
  const { input } = control;
  if (input.type === "bool") return ["false", "true"];
  if (input.type === "choice" || input.type === "block") {
    return input.options.map(({ value }) => value).filter((word) => !["rate", "fixed", "cbr", "rtp", "htb", "queue-tree", "tbf"].includes(word));
  }
  if (input.type === "number") return [...spread(input.scale, STEPS)].map(String);
  if (input.type === "quantity") {
    const now = read(control.value ?? control.fallback, input.dimension);
    const scale = input.dimension === "queue" ? QUEUES[now?.unit ?? "packets"]! : input.scale;
    const near = now && now.value > 0 ? { ...scale, min: Math.max(scale.min, now.value / 8), max: Math.min(scale.max, now.value * 8), zero: false } : scale;
    return spread(near, STEPS).map((value) => String(write(value, input.dimension, now?.unit)));
  }
  return [];
}

async function run(control: Control, typed: string): Promise<void> {
  const engine = lab.value?.engine;
  if (!engine) return;
  const list = typed.split(",").map((word) => word.trim()).filter((word) => word !== "");
  const base = text.value;
  const texts = list.map((word) => edited(base, (tree) => apply(tree, control, valueOf(control, word))));
  said.value = "";
  for (const [i, one] of texts.entries()) {
    const checked = await engine.check(one, { files: files.value });
    if (!checked.ok) {
      said.value = `${list[i]}: ${checked.diagnostics.find(({ severity }) => severity === "error")?.message ?? "not possible"}`;
      return;
    }
  }
  const jobs: Job[] = texts.flatMap((toml) => Array.from({ length: SEEDS }, (_, k) => ({
    toml, seed: seed.value + k, files: files.value, tables: ["flows" as const, "links" as const, "airtime" as const],
  })));
  stop = new AbortController();
  progress.value = 0;
  try {
    const runs = await runAll(engine, jobs, stop.signal, (count) => (progress.value = count / jobs.length));
    const points = new Map(METRICS.map((metric) => [metric, list.map((_, i) => estimate(runs.slice(i * SEEDS, (i + 1) * SEEDS).map((one) => metric.of(one))))]));
    done.value = { control: control.id, label: `${control.label} (${check.value?.name ?? ""})`, name: fileName(base), values: list, points };
  } catch (error) {
    if (!stop.signal.aborted) said.value = String(error instanceof Error ? error.message : error);
  }
  progress.value = null;
}

function valueOf(control: Control, word: string): Value {
  if (control.input.type === "bool") return word === "true";
  const number = control.input.type === "number" || (control.input.type === "quantity" && control.input.dimension === "probability");
  return number && Number.isFinite(Number(word)) ? Number(word) : word;
}

function sweepCsv(done: Done): string {
  const metrics = [...done.points.keys()];
  const head = metrics.flatMap((metric) => [`${metric.id}${metric.unit ? `_${metric.unit.replace(/[^A-Za-z]+/g, "_")}` : ""}`, `${metric.id}_half_95`]);
  const rows = done.values.map((value, i) => [value, ...metrics.flatMap((metric) => {
    const point = done.points.get(metric)![i];
    return [point?.mean ?? "", point?.half ?? ""];
  })]);
  return csv([done.control, ...head], rows);
}

