/** The answers: the few numbers, beside those of the pinned run, then flows, charts, air, and sweeps. */
import { useMemo } from "preact/hooks";
import { SeriesChart } from "../charts/series";
import { framesOf, type Frame } from "../charts/frames";
import { seriesSvg } from "../charts/svg";
import { figureOf, labelsOf } from "../lab/labels";
import { estimate, METRICS, numbers, shown, words, type Estimate, type Metric } from "../lab/answers";
import type { Run } from "../engine/types";
import { saveChart, type Kind } from "../charts/save";
import { frameCsv } from "../share/files";
import { fileName } from "../share/command";
import { open, outcome, pinned, running, seeds, type Outcome } from "../state";
import { Air } from "./air";
import { Mistakes } from "./mistakes";
import { Sweep } from "./sweep";

const SEEDS = [1, 3, 5, 10, 20];

export function Answers() {
  const now = outcome.value;
  const before = pinned.value;
  const labels = useMemo<[string, string]>(() => (now && before ? labelsOf(before.experiment.text, now.experiment.text) : ["A", "B"]), [now, before]);
  const few = now !== null && now.runs[0]!.tables.flows.rows <= 5;
  return (
    <div class="answers">
      <Mistakes />
      <div class="bar">
        <button type="button" onClick={() => (pinned.value = now)} disabled={!now} title="Keep this run as A and compare with it what you change">
          Pin as A
        </button>
        {before && (
          <>
            <button type="button" onClick={() => { const { experiment } = before; pinned.value = now; open(experiment); }} title="A becomes what you change, and this run is pinned">
              Swap
            </button>
            <button type="button" onClick={() => (pinned.value = null)}>Unpin</button>
          </>
        )}
        <label for="seeds">Seeds</label>
        <select id="seeds" value={seeds.value} onChange={(event) => (seeds.value = Number(event.currentTarget.value))}>
          {[...new Set([...SEEDS, seeds.value])].sort((a, b) => a - b).map((count) => <option key={count} value={count}>{count}</option>)}
        </select>
        <output class="took" aria-live="off">{now ? `${shown(now.tookMs, 0)} ms` : ""}{running.value ? " …" : ""}</output>
      </div>
      {now && before && <Says before={before} now={now} />}
      {now ? <Numbers now={now} before={before} labels={labels} /> : <p class="note">{running.value ? "Running…" : "Nothing has run yet."}</p>}
      {now && <Expectations run={now.runs[0]!} />}
      {now && <Air run={now.runs[0]!} pinned={before?.runs[0]} labels={labels} name={fileName(now.experiment.text)} footer={footerOf(now)} />}
      {now && few && <Flows run={now.runs[0]!} />}
      {now && <Charts now={now} before={before} labels={labels} />}
      {now && !few && <Flows run={now.runs[0]!} />}
      <Sweep />
    </div>
  );
}

/** What the figure says that the two runs are from. */
function Says({ before, now }: { before: Outcome; now: Outcome }) {
  const figure = useMemo(() => figureOf(before.experiment.text), [before]);
  if (!figure || figure !== figureOf(now.experiment.text)) return null;
  return (
    <div class="figuresays">
      <h3>{figure.title}</h3>
      <p>{figure.says}</p>
    </div>
  );
}

/** A run's label as the head of a column: its letter, and below it the rest. */
function Head({ label, pin }: { label: string; pin?: boolean }) {
  const [letter, ...rest] = label.split(": ");
  return (
    <th scope="col" class="number">
      {letter}{pin && ", pinned"}
      {rest.length > 0 && <span class="runlabel">{rest.join(": ")}</span>}
    </th>
  );
}

function Numbers({ now, before, labels }: { now: Outcome; before: Outcome | null; labels: [string, string] }) {
  const rows = METRICS.map((metric) => ({ metric, b: over(metric, now.runs), a: before && over(metric, before.runs) }));
  return (
    <table class="numbers">
      <caption class="unseen">Answers of the run{before ? ", A is the pinned run, B the present one" : ""}</caption>
      <thead>
        <tr>
          <th scope="col"><span class="unseen">Quantity</span></th>
          {before && <Head label={labels[0]} pin />}
          {before ? <Head label={labels[1]} /> : <th scope="col" class="number">{seedsOf(now)}</th>}
          {before && <th scope="col" class="number">B − A</th>}
          <th scope="col">unit</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ metric, a, b }) => b === null && !a ? null : (
          <tr key={metric.id} data-metric={metric.id}>
            <th scope="row" title={metric.doc}>{metric.label}</th>
            {before && <td class="number">{told(a, metric)}</td>}
            <td class="number now">{told(b, metric)}</td>
            {before && <Difference a={a} b={b} metric={metric} />}
            <td class="unit">{metric.unit}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function seedsOf(now: Outcome): string {
  return now.runs.length > 1 ? `${now.runs.length} seeds, 95 %` : `seed ${now.runs[0]!.seed}`;
}

function over(metric: Metric, runs: Run[]): Estimate | null {
  return estimate(runs.map((run) => metric.of(run)));
}

function told(value: Estimate | null, { digits }: Metric) {
  if (!value) return "–";
  return (
    <>
      {shown(value.mean, digits)}
      {value.half !== undefined && <span class="half"> ± {shown(value.half, digits)}</span>}
    </>
  );
}

function Difference({ a, b, metric }: { a: Estimate | null; b: Estimate | null; metric: Metric }) {
  if (!a || !b) return <td class="number">–</td>;
  const change = b.mean - a.mean;
  const part = a.mean === 0 ? null : change / Math.abs(a.mean);
  const same = Number(change.toFixed(metric.digits)) === 0;
  const good = metric.better === "neither" || same ? "" : change > 0 === (metric.better === "more") ? "good" : "bad";
  return (
    <td class={`number ${good}`}>
      {same ? "0" : `${change > 0 ? "+" : "−"}${shown(Math.abs(change), metric.digits)}`}
      {!same && part !== null && Math.abs(part) < 10 && <span class="half"> {change > 0 ? "+" : "−"}{shown(Math.abs(part) * 100, 0)} %</span>}
    </td>
  );
}

function Expectations({ run }: { run: Run }) {
  const missed = run.summary.expectations.filter(({ met }) => !met);
  if (run.summary.expectations.length === 0) return null;
  if (missed.length === 0) return <p class="note">All {run.summary.expectations.length} expectations of the scenario are met.</p>;
  return (
    <details class="note">
      <summary>{missed.length} of {run.summary.expectations.length} expectations of the scenario are not met</summary>
      <ul>{missed.map(({ text }) => <li key={text}>{text}</li>)}</ul>
    </details>
  );
}

function Charts({ now, before, labels }: { now: Outcome; before: Outcome | null; labels: [string, string] }) {
  const frames = useMemo(() => framesOf(now.runs[0], before?.runs[0], labels), [now, before, labels]);
  const drawn = frames.filter((frame) => frame.lines.length > 0);
  return (
    <section class="charts" aria-label="Over time">
      <Legend frames={drawn} compared={before === null ? null : labels} />
      {drawn.map((frame) => <SeriesChart key={frame.id} frame={frame} onSave={(kind) => saved(frame, kind, now)} />)}
    </section>
  );
}

function Legend({ frames, compared }: { frames: Frame[]; compared: [string, string] | null }) {
  const lines = frames.find((frame) => frame.id === "goodput")?.lines.filter((line) => !line.pinned) ?? [];
  const queues = frames.find((frame) => frame.id === "queue")?.lines.filter((line) => !line.pinned) ?? [];
  const list = (of: typeof lines) => of.map((line) => <li key={line.label}><i class={`swatch fill${line.color % 7}`} />{line.label}</li>);
  return (
    <ul class="legend" aria-label="Colours">
      {list(lines)}
      {compared && <li><i class="swatch dashed" />{compared[0]}</li>}
      {compared && <li>solid: {compared[1]}</li>}
      {queues.length > 0 && <li class="then">queues:</li>}
      {list(queues)}
    </ul>
  );
}

function saved(frame: Frame, kind: Kind, now: Outcome): void {
  const name = `${fileName(now.experiment.text)}-${frame.id}`;
  void saveChart(name, kind, () => seriesSvg(frame, footerOf(now)), () => frameCsv(frame));
}

function footerOf(now: Outcome): string {
  return `acklab · ${now.runs[0]!.summary.name} · seed ${now.runs[0]!.seed}`;
}

const COLUMNS: { column: string; label: string; unit: string; digits: number }[] = [
  { column: "goodput_mbps", label: "goodput", unit: "Mbit/s", digits: 2 },
  { column: "rtt_p50_ms", label: "RTT", unit: "ms", digits: 1 },
  { column: "cwnd_mean_packets", label: "window", unit: "packets", digits: 1 },
  { column: "retransmissions", label: "sent again", unit: "", digits: 0 },
  { column: "segments_per_ack", label: "data/ACK", unit: "", digits: 2 },
  { column: "acks_per_s", label: "ACKs", unit: "per s", digits: 0 },
];

function Flows({ run }: { run: Run }) {
  const table = run.tables.flows;
  const names = words(table, "flow");
  const controllers = words(table, "cc");
  const transports = words(table, "transport");
  const columns = COLUMNS.map((column) => ({ ...column, values: numbers(table, column.column) }));
  if (table.rows < 2) return null;
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Flows">
      <table class="flows">
        <thead>
          <tr>
            <th scope="col">flow</th>
            <th scope="col">speaks</th>
            {columns.map(({ label, unit }) => <th key={label} scope="col" class="number">{label}{unit && <span class="unit"> {unit}</span>}</th>)}
          </tr>
        </thead>
        <tbody>
          {names.map((name, row) => (
            <tr key={row}>
              <th scope="row">{name}</th>
              <td>{transports[row] === "tcp" ? controllers[row] : `${transports[row]} ${controllers[row] ?? ""}`}</td>
              {columns.map(({ label, values, digits }) => <td key={label} class="number">{shown(values[row], digits)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

