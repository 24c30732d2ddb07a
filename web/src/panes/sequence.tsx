/** The time-sequence chart of a flow: drag to zoom down to single packets, click to move the film there. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { inked } from "../charts/palette";
import type { Film } from "../film/film";
import { sequenceOf, type Sequence } from "../film/sequence";
import { theme } from "../theme";

const HEIGHT = 220;

export function SequenceChart({ film, onTime }: { film: Film; onTime: (nanoseconds: number) => void }) {
  const flows = film.network.flows.flatMap((flow, i) => (flow.transport === "tcp" ? [{ name: flow.name, i }] : []));
  const [isOpen, setOpen] = useState(false);
  const [wanted, setFlow] = useState(0);
  // The chosen flow may not be there any more, or not speak TCP.
  const flow = flows.find(({ i }) => i === wanted)?.i ?? flows[0]?.i;
  if (flow === undefined) return null;
  return (
    <details class="sequence" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Every packet over time</summary>
      {flows.length > 1 && (
        <select aria-label="Flow of the chart" value={flow} onChange={(event) => setFlow(Number(event.currentTarget.value))}>
          {flows.map(({ name, i }) => <option key={i} value={i}>{name}</option>)}
        </select>
      )}
      {isOpen && <Drawn film={film} flow={flow} onTime={onTime} />}
    </details>
  );
}

function Drawn({ film, flow, onTime }: { film: Film; flow: number; onTime: (nanoseconds: number) => void }) {
  const holder = useRef<HTMLDivElement>(null);
  const sequence = useMemo(() => sequenceOf(film, flow), [film, flow]);
  const look = theme.value;
  useEffect(() => {
    const place = holder.current;
    if (!place || !sequence) return;
    const made = new uPlot(options(place.clientWidth), data(sequence), place);
    made.over.addEventListener("click", () => {
      const at = made.cursor.left === undefined ? null : made.posToVal(made.cursor.left, "x");
      if (at !== null && at >= 0) onTime(at * 1e9);
    });
    const watch = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height: HEIGHT }));
    watch.observe(place);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [sequence, look]);
  if (!sequence) return <p class="note">The film has no packet of this flow.</p>;
  return (
    <>
      <div ref={holder} class="plot" role="img" aria-label={words(film, flow, sequence)} />
      <p class="note"><i class="swatch fill0" />sent <i class="swatch fill1" />sent again <i class="swatch fill2" />acknowledged, kB. Drag to zoom, click twice to see all.</p>
    </>
  );
}

function data({ times, sent, again, acknowledged }: Sequence): uPlot.AlignedData {
  return [times, sent, again, acknowledged];
}

function words(film: Film, flow: number, { sent, again }: Sequence): string {
  const count = (values: (number | null)[]) => values.filter((value) => value !== null).length;
  return `Sequence numbers of ${film.network.flows[flow]!.name} over time: ${count(sent)} segments sent, ${count(again)} sent again`;
}

function options(width: number): uPlot.Options {
  const soft = () => inked("--soft");
  const rule = () => inked("--rule");
  const axis = { stroke: soft, font: "11px system-ui, sans-serif", grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1, size: 4 } };
  const points = (ink: string) => ({ paths: () => null, points: { show: true, size: 3.5, width: 1, stroke: inked(ink), fill: inked(ink) } });
  return {
    width: Math.max(200, width),
    height: HEIGHT,
    legend: { show: false },
    padding: [6, 16, 0, 0],
    cursor: { points: { show: false }, drag: { x: true, y: true, uni: 20 } },
    scales: { x: { time: false } },
    axes: [
      { ...axis, size: 26, gap: 3, values: (_, ticks) => ticks.map((tick) => `${Number(tick.toFixed(6))} s`) },
      { ...axis, size: 56, gap: 4 },
    ],
    series: [
      {},
      { label: "sent", ...points("--l0") },
      { label: "sent again", ...points("--l1") },
      { label: "acknowledged", stroke: inked("--l2"), width: 1.2, spanGaps: true, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } },
    ],
  };
}
