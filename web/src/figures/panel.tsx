/** A live figure: knobs, the numbers of its variants beside each other, and their lines. */
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { saveChart } from "../charts/save";
import { SeriesChart } from "../charts/series";
import { seriesSvg } from "../charts/svg";
import type { Run } from "../engine/types";
import { shown } from "../lab/answers";
import { AirOf } from "../panes/air";
import { frameCsv } from "../share/files";
import { encode } from "../share/fragment";
import { failure, lab } from "../state";
import type { Figure, Turn } from "./shape";
import { answerOf, frameOf, placesOf, runVariants, valueOf, variantsOf, type Variant } from "./variants";

interface Shown {
  variants: Variant[];
  runs: Run[];
}

/** The chosen value of each knob. */
const turned = signal<number[]>([]);
const result = signal<Shown | null>(null);
const busy = signal(true);

export function FigurePanel({ figure }: { figure: Figure }) {
  const places = placesOf(figure).map((first, i) => turned.value[i] ?? first);
  const variants = useMemo(() => variantsOf(figure, places), [figure, places.join()]);
  const engine = lab.value?.engine;
  useEffect(() => {
    if (!engine) return;
    const stop = new AbortController();
    busy.value = true;
    runVariants(engine, variants, stop.signal).then(
      (runs) => {
        if (stop.signal.aborted) return;
        result.value = { variants, runs };
        busy.value = false;
      },
      (error: unknown) => {
        if (!stop.signal.aborted) failure.value = error instanceof Error ? error.message : String(error);
      },
    );
    return () => stop.abort();
  }, [engine, variants]);
  const now = result.value;
  return (
    <article class="figure" aria-busy={busy.value}>
      <header>
        <h1>{figure.title}</h1>
        <a href={linkOf(variants)} target="_blank" rel="noopener">Open in the bench</a>
      </header>
      {failure.value && <p class="failure" role="alert">{failure.value}</p>}
      <p class="says">{figure.says}</p>
      {figure.knobs.map((knob, i) => (
        <Knob key={knob.label} knob={knob} at={places[i]!} onTurn={(to) => (turned.value = places.map((place, j) => (j === i ? to : place)))} />
      ))}
      {now ? <Answers figure={figure} now={now} /> : <p class="note">{failure.value ? "" : "Running…"}</p>}
    </article>
  );
}

function Knob({ knob, at, onTurn }: { knob: Turn; at: number; onTurn: (to: number) => void }) {
  return (
    <div class="knob" role="group" aria-label={knob.label}>
      <span>{knob.label}</span>
      {knob.values.map(({ label }, i) => (
        <button key={label} type="button" aria-pressed={i === at} onClick={() => onTurn(i)}>{label}</button>
      ))}
    </div>
  );
}

function Answers({ figure, now }: { figure: Figure; now: Shown }) {
  const frames = useMemo(() => figure.charts.map((chart) => frameOf(chart, now.variants, now.runs)), [figure, now]);
  const footer = `acklab: ${figure.title}`;
  return (
    <>
      <div class="wide" tabIndex={0} role="region" aria-label="Numbers">
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col"><span class="note">{figure.beside.label}</span></th>
              {now.variants.map(({ label }, i) => (
                <th key={label} scope="col" class="number"><i class={`swatch fill${i % 7}`} />{label}</th>
              ))}
              <th scope="col"><span class="unseen">unit</span></th>
            </tr>
          </thead>
          <tbody>{figure.watch.map(answerOf).map((answer) => (
            <tr key={answer.id} data-metric={answer.id}>
              <th scope="row" title={answer.doc}>{answer.label}</th>
              {now.runs.map((run, i) => <td key={i} class="number now">{shown(valueOf(answer, run), answer.digits)}</td>)}
              <td class="unit">{answer.unit}</td>
            </tr>
          ))}</tbody>
        </table>
      </div>
      {figure.airtime && <AirOf runs={now.runs.map((run, i) => ({ label: now.variants[i]!.label, run }))} between=" / " name={figure.id} footer={footer} />}
      {frames.map((frame) => <SeriesChart key={frame.id} frame={frame} onSave={(kind) => void saveChart(`${figure.id}-${frame.id}`, kind, () => seriesSvg(frame, footer), () => frameCsv(frame))} />)}
    </>
  );
}

/** The bench with the last variant, and the first pinned beside it. */
function linkOf(variants: Variant[]): string {
  const pinned = { toml: variants[0]!.toml, files: {}, seeds: 1 };
  return `${location.href.split("#")[0]}${encode({ toml: variants.at(-1)!.toml, files: {}, pinned, seeds: 1 })}`;
}
