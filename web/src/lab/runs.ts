/** Checks and runs the text whenever it changes, the newest one only; runs it with more seeds on request. */
import { effect } from "@preact/signals";
import type { Engine, Job, Run, RunOptions } from "../engine/types";
import { ScenarioError } from "../engine/types";
import type { Tree } from "../scenario/document";
import { read } from "../scenario/quantity";
import { check, failure, files, lab, outcome, runErrors, running, seed, seeds, text, tree, type Experiment, type Outcome } from "../state";

/** A run that takes longer is stopped when the text changes; a shorter one may end, so that a drag shows pictures. */
const PATIENCE_MS = 150;
const SAMPLES = 240;

/** Starts to follow the text. Returns what ends it. */
export function follow(): () => void {
  let under: { since: number; stop: AbortController } | null = null;
  let wanted = false;

  async function next(): Promise<void> {
    const engine = lab.peek()?.engine;
    if (!engine) return;
    const stop = new AbortController();
    under = { since: performance.now(), stop };
    wanted = false;
    running.value = true;
    try {
      await answer(engine, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) failure.value = String(error instanceof Error ? error.message : error);
    }
    under = null;
    running.value = false;
    if (wanted) void next();
  }

  return effect(() => {
    void [text.value, files.value, seeds.value, lab.value];
    if (!under) {
      void next();
      return;
    }
    wanted = true;
    const late = performance.now() - under.since;
    const { stop } = under;
    setTimeout(() => stop.abort(), Math.max(0, PATIENCE_MS - late));
  });
}

/** Checks and runs at once: a text that can be run, which is the usual one, answers sooner. */
async function answer(engine: Engine, stop: AbortSignal): Promise<void> {
  const experiment: Experiment = { text: text.peek(), files: files.peek() };
  const began = performance.now();
  const jobs = seedJobs(experiment, seed.peek(), seeds.peek(), lengthOf(tree.peek()));
  const [checked, ran] = await Promise.allSettled([
    engine.check(experiment.text, { files: experiment.files }).then((found) => (check.value = found)),
    runAll(engine, jobs, stop),
  ]);
  if (checked.status === "rejected") throw checked.reason;
  failure.value = null;
  runErrors.value = [];
  if (!checked.value.ok || stop.aborted) return;
  if (ran.status === "fulfilled") outcome.value = { experiment, runs: ran.value, tookMs: performance.now() - began };
  else if (ran.reason instanceof ScenarioError) runErrors.value = ran.reason.diagnostics;
  else throw ran.reason;
}

/** Seconds from zero to the end of a run, as far as the text says it in words that are known here. */
function lengthOf(document: Tree): number {
  const seconds = (key: string) => read(document[key], "time")?.value ?? 0;
  return seconds("start") + seconds("duration") || 10;
}

/** The first seed with its series, the others with their summaries. */
function seedJobs(experiment: Experiment, first: number, count: number, durationS: number): Job[] {
  const plain: RunOptions = { files: experiment.files, tables: ["flows", "links", "airtime"] };
  return Array.from({ length: count }, (_, i) => ({
    toml: experiment.text,
    seed: first + i,
    ...(i === 0 ? { files: experiment.files, ...seriesOf(durationS) } : plain),
  }));
}

/** Streams and tables of a run for the charts. */
export function seriesOf(durationS: number): RunOptions {
  return {
    record: ["series"],
    every: spacing(durationS),
    tables: ["flows", "links", "airtime", "stations", "ampdu_sizes", "series", "link_series"],
  };
}

/** A distance of samples with one significant digit that gives some hundred of them. */
export function spacing(durationS: number): string {
  const exact = (durationS * 1000) / SAMPLES;
  const power = 10 ** Math.floor(Math.log10(exact));
  const digit = [1, 2, 5, 10].find((step) => step * power >= exact) ?? 10;
  return `${Math.max(1, Math.round(digit * power))} ms`;
}

/** Runs jobs on all workers; gives their runs in the order of the jobs. */
export async function runAll(engine: Engine, jobs: Job[], stop: AbortSignal, onEach?: (done: number) => void): Promise<Run[]> {
  const runs: Run[] = [];
  let done = 0;
  await engine.runMany(
    jobs,
    (index, run) => {
      runs[index] = run;
      onEach?.(++done);
    },
    stop,
  );
  return runs;
}

/** Runs an experiment outside the following of the text, as for what a link pins. */
export async function outcomeOf(engine: Engine, experiment: Experiment, count: number): Promise<Outcome | null> {
  const checked = await engine.check(experiment.text, { files: experiment.files });
  if (!checked.ok) return null;
  const began = performance.now();
  const jobs = seedJobs(experiment, Number(checked.seed ?? 1), count, checked.durationS ?? 10);
  const runs = await runAll(engine, jobs, new AbortController().signal);
  return { experiment, runs, tookMs: performance.now() - began };
}
