/** A chart over time, drawn by uPlot, with its reading under the pointer in its heading. */
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { shown } from "../lab/answers";
import { theme } from "../theme";
import { inked } from "./palette";
import { SaveButtons, type Kind } from "./save";
import type { Frame, Line } from "./frames";

const SYNC = "time";
const HEIGHT = 128;

export function SeriesChart({ frame, onSave }: { frame: Frame; onSave: (kind: Kind) => void }) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const shape = `${frame.lines.map((line) => `${line.label}/${line.color}/${line.pinned}`).join("|")}`;

  useEffect(() => {
    const place = holder.current!;
    const made = new uPlot(options(frame, place.clientWidth, setAt), data(frame), place);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height: HEIGHT }));
    watch.observe(place);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape, frame.id]);

  useEffect(() => plot.current?.setData(data(frame)), [frame]);
  const look = theme.value;
  const drawn = useRef(look);
  useEffect(() => {
    // A redraw before the first drawing would fix empty scales.
    if (drawn.current !== look) plot.current?.redraw();
    drawn.current = look;
  }, [look]);

  return (
    <figure class="chart">
      <figcaption>
        <b>{frame.title}</b> <span class="unit">{frame.unit}</span>
        {frame.note && <span class="note">{frame.note}</span>}
        <Reading frame={frame} at={at} />
        <SaveButtons what={frame.title} onSave={onSave} />
      </figcaption>
      <div ref={holder} class="plot" role="img" aria-label={described(frame)} />
    </figure>
  );
}

function Reading({ frame, at }: { frame: Frame; at: number | null }) {
  const time = at === null ? undefined : frame.times[at];
  if (at === null || time === undefined) return null;
  return (
    <span class="reading" aria-hidden="true">
      <span>{shown(time, 2)} s</span>
      {frame.lines.slice(0, 6).map((line) => (
        <span class={`ink${line.color % 7}`}>{shown(line.values[at], frame.digits)}</span>
      ))}
    </span>
  );
}

/** Description of the chart, in words for those who do not see it. */
export function described(frame: Frame): string {
  const lines = frame.lines.map((line) => {
    const there = line.values.filter((value): value is number => value !== null && value !== undefined);
    if (there.length === 0) return `${line.label}: nothing`;
    const mean = there.reduce((a, b) => a + b, 0) / there.length;
    const pin = line.pinned ? " (pinned)" : "";
    return `${line.label}${pin}: mean ${shown(mean, frame.digits)}, at the end ${shown(there.at(-1), frame.digits)}`;
  });
  return `${frame.title} over time in ${frame.unit}. ${lines.join("; ")}`;
}

function data(frame: Frame): uPlot.AlignedData {
  return [frame.times, ...frame.lines.map((line) => line.values)];
}

function options(frame: Frame, width: number, onCursor: (at: number | null) => void): uPlot.Options {
  const rule = () => inked("--rule");
  const soft = () => inked("--soft");
  const axis = { stroke: soft, font: "11px system-ui, sans-serif", grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1, size: 4 } };
  return {
    width: Math.max(200, width),
    height: HEIGHT,
    legend: { show: false },
    padding: [6, 16, 0, 0],
    cursor: { sync: { key: SYNC }, points: { size: 5 }, drag: { x: true, y: false } },
    scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(0, low ?? 0), high > 0 ? high * 1.06 : 1] } },
    axes: [
      { ...axis, size: 26, gap: 3, values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
      { ...axis, size: 48, gap: 4, space: 26 },
    ],
    series: [{}, ...frame.lines.map(stroke)],
    hooks: { setCursor: [(u) => onCursor(u.cursor.idx ?? null)] },
  };
}

function stroke(line: Line): uPlot.Series {
  return {
    label: line.label,
    stroke: () => inked(`--l${line.color % 7}`),
    width: line.pinned ? 1 : 1.6,
    ...(line.pinned ? { dash: [5, 3] } : {}),
    points: { show: false },
    spanGaps: false,
  };
}
