/** The step of a tour: what the paper says, what was found, and the knob. */
import { useEffect } from "preact/hooks";
import { METRIC, estimate, shown } from "../lab/answers";
import { preset } from "../lab/preset";
import { flat } from "../scenario/controls";
import { at, isTree, nameOf, type Value } from "../scenario/document";
import { controls, open, outcome, set, tree } from "../state";
import { end, step, tour } from "./state";
import { StudyLink } from "./study";
import type { Step } from "./tours";

export function TourPanel() {
  const on = tour.value!;
  const here = on.steps[step.value]!;
  useEffect(() => {
    preset.value = null;
    open({ text: here.toml, files: {} });
  }, [here]);
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

function Knob({ here }: { here: Step }) {
  const control = flat(controls.value).find(({ id }) => id === here.knob.control);
  const now = control && at(tree.value, control.paths[0]!);
  const run = outcome.value;
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
        {here.watch.map((id) => {
          const metric = METRIC[id];
          const value = run && estimate(run.runs.map((one) => metric.of(one)));
          return (
            <div key={id}>
              <dt>{metric.label}</dt>
              <dd>{shown(value?.mean, metric.digits)} <span class="unit">{metric.unit}</span></dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}
