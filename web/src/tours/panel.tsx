/** The step of a tour: what the paper says, what was found, and the knob. */
import { useEffect } from "preact/hooks";
import type { Run } from "../engine/types";
import { METRIC, estimate, numbers, shown } from "../lab/answers";
import { preset } from "../lab/preset";
import { outcomeOf } from "../lab/runs";
import { apply } from "../scenario/apply";
import { flat, type Control } from "../scenario/controls";
import { at, edited, isTree, nameOf, type Value } from "../scenario/document";
import { flowsOf } from "../scenario/places";
import { controls, focus, lab, open, outcome, pinned, seeds, set, tree } from "../state";
import { end, step, tour } from "./state";
import { StudyLink } from "./study";
import type { Step } from "./tours";

export function TourPanel() {
  const on = tour.value!;
  const here = on.steps[step.value]!;
  useEffect(() => {
    preset.value = null;
    open({ text: here.toml, files: {} });
    focus.value = { ...focus.value, flow: here.flow ?? -1 };
    const stop = new AbortController();
    void pin(here, stop.signal);
    return () => stop.abort();
  }, [here, lab.value]);
  return (
    <section class="tour" aria-label={`Tour: ${on.title}`}>
      <div class="bar">
        <b>{on.title}</b>
        <span class="note">step {step.value + 1} of {on.steps.length}</span>
        <button type="button" disabled={step.value === 0} onClick={() => step.value--}>Back</button>
        <button type="button" disabled={step.value === on.steps.length - 1} onClick={() => step.value++}>Next</button>
        <button type="button" class="bare" onClick={end}>End the tour</button>
      </div>
      <div class="step">
        <div>
          <h2>{here.title}</h2>
          <blockquote cite={on.paper}>“{here.says}”</blockquote>
          <p class="note">{on.paper}</p>
        </div>
        <div>
          <p><b class={`verdict ${here.verdict.replaceAll(" ", "-")}`}>{sentence(here.verdict)}</b> {here.here}</p>
          <Knob here={here} />
          <StudyLink page={on.study} claim={here.claim} />
        </div>
      </div>
    </section>
  );
}

/** Pins the step with the knob's first value, so that every other one stands beside it. */
async function pin(here: Step, stop: AbortSignal): Promise<void> {
  const engine = lab.peek()?.engine;
  pinned.value = null;
  const control = knobOf(here);
  if (!engine || !control) return;
  const text = edited(here.toml, (draft) => apply(draft, control, here.knob.values[0]!));
  const found = await outcomeOf(engine, { text, files: {} }, seeds.peek());
  if (!stop.aborted) pinned.value = found;
}

function knobOf(here: Step): Control | undefined {
  return flat(controls.value).find(({ id }) => id === here.knob.control);
}

/** The share of a flow, in shares that are fair. */
function shareOf(run: Run, flow: number): number | null {
  const all = Array.from(numbers(run.tables.flows, "goodput_mbps"));
  const sum = all.reduce((a, b) => a + b, 0);
  return sum > 0 ? (all[flow]! * all.length) / sum : null;
}

/** A block with a ratio reads as the papers write it: `aggregate 4:1`. */
function label(value: Value): string {
  if (!isTree(value)) return String(value);
  return "ratio" in value ? `${String(value["name"])} ${String(value["ratio"])}:1` : String(value["name"]);
}

function chosen(now: Value | undefined, value: Value, fallback: string | undefined): boolean {
  if (now === undefined) return String(value) === fallback;
  if (isTree(now) && isTree(value)) return Object.entries(value).every(([key, part]) => now[key] === part);
  return now === value || (!isTree(value) && nameOf(now) === value);
}

function sentence(verdict: Step["verdict"]): string {
  return `${verdict[0]!.toUpperCase()}${verdict.slice(1)}.`;
}

function flowName(flow: number): string {
  return flowsOf(tree.value)[flow]?.label ?? "the flow";
}

function Knob({ here }: { here: Step }) {
  const control = knobOf(here);
  const now = control && at(tree.value, control.paths[0]!);
  const share = here.flow === undefined ? [] : [{ id: "share", label: `${flowName(here.flow)}, of a fair share`, unit: "", digits: 2, of: (run: Run) => shareOf(run, here.flow!) }];
  const watched = [...share, ...here.watch.map((id) => METRIC[id])];
  return (
    <div class="knob">
      <span>{control?.label ?? here.knob.control}</span>
      {here.knob.values.map((value) => (
        <button key={label(value)} type="button" disabled={!control} aria-pressed={chosen(now, value, control?.fallback)}
          onClick={() => control && set(control, value)}>
          {label(value)}
        </button>
      ))}
      <dl>
        {watched.map((metric) => {
          const [a, b] = [pinned.value, outcome.value].map((one) => one && estimate(one.runs.map((run) => metric.of(run))));
          return (
            <div key={metric.id} data-watch={metric.id}>
              <dt>{metric.label}</dt>
              <dd>
                {a && <><span class="unit">A</span> {shown(a.mean, metric.digits)} <span class="unit">B</span> </>}
                {shown(b?.mean, metric.digits)} <span class="unit">{metric.unit}</span>
              </dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}
