/** The network as a film: packets on their ways, a scrubber, and the life of the one that was clicked. */
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { draw, drawAir, type Spot } from "../film/draw";
import { filmOf, rowsOf, type Film } from "../film/film";
import { layoutOf, type Point } from "../film/layout";
import { lifeOf } from "../film/life";
import { shown } from "../lab/answers";
import { check, lab, outcome, type Outcome } from "../state";
import { theme } from "../theme";
import { SequenceChart } from "./sequence";

/** How many packet events a film may have; longer runs are shown from their beginning. */
const MOST_EVENTS = 80_000;
/** A film takes tens of megabytes: while a slider moves, none is made. */
const QUIET_MS = 400;
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1];

const film = signal<Film | null>(null);
const filmOfOutcome = signal<Outcome | null>(null);
const now = signal(0);
const playing = signal(false);
const speed = signal(0.02);
const chosen = signal<number | null>(null);
const recording = signal(false);
const said = signal("");

export function NetworkPane() {
  const current = film.value;
  const stale = current !== null && filmOfOutcome.value !== outcome.value;
  useEffect(() => {
    if (!stale || recording.value) return;
    const later = setTimeout(() => void record(), QUIET_MS);
    return () => clearTimeout(later);
  }, [stale, outcome.value, recording.value]);
  return (
    <section class="network" aria-label="Network">
      {current ? <Screen film={current} /> : <Poster />}
      {said.value && <p class="error" role="alert">{said.value}</p>}
    </section>
  );
}

/** Before anything was recorded: what there will be, and the button. */
function Poster() {
  const found = check.value?.network;
  const lengthS = filmLength();
  return (
    <div class="poster">
      <p>
        {found ? `${found.nodes.length} nodes, ${found.flows.length} ${found.flows.length === 1 ? "flow" : "flows"}` : "The network"}
        <span class="note">{lengthS ? `The film shows each packet and ACK of the first ${shown(lengthS, 2)} s.` : ""}</span>
      </p>
      <button type="button" id="film" disabled={!outcome.value || recording.value} onClick={() => void record()}>
        {recording.value ? "Recording…" : "Record a film"}
      </button>
    </div>
  );
}

/** Seconds from the start of the run that have no more events than a film may have. */
export function filmLength(): number | null {
  const run = outcome.value?.runs[0];
  const whole = check.value?.durationS;
  if (!run || !whole) return null;
  const events = run.summary.cost.hops * 3 + 1;
  const first = Math.min(...run.network.flows.map(({ startS }) => startS));
  const measured = Math.max(0.001, whole - first);
  return Math.min(measured, Math.max(0.02, (measured * MOST_EVENTS) / events));
}

/** Settings that end a run after so many seconds. */
export function stretch(lengthS: number): [string, string][] {
  return [["duration", `${Math.max(1, Math.round(lengthS * 1000))} ms`], ["warmup", "0 s"]];
}

async function record(): Promise<void> {
  const engine = lab.value?.engine;
  const from = outcome.value;
  const lengthS = filmLength();
  if (!engine || !from || !lengthS || recording.value) return;
  recording.value = true;
  said.value = "";
  try {
    const run = await engine.run(from.experiment.text, from.runs[0]!.seed, {
      files: from.experiment.files,
      set: stretch(lengthS),
      record: ["packets", "ppdus"],
      tables: ["packets", "ppdus", "flows"],
    });
    const made = filmOf(run);
    film.value = made;
    if (now.value < made.from || now.value > made.to) now.value = made.from;
    if (chosen.value !== null && rowsOf(made, chosen.value).length === 0) chosen.value = null;
  } catch (error) {
    said.value = `No film: ${error instanceof Error ? error.message : String(error)}`;
    film.value = null;
  }
  filmOfOutcome.value = from;
  recording.value = false;
}

function Screen({ film: shownFilm }: { film: Film }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const air = useRef<HTMLCanvasElement>(null);
  const spots = useRef<Spot[]>([]);
  const places = useMemo(() => layoutOf(shownFilm.network), [shownFilm]);
  const radio = shownFilm.ppdus.length > 0;

  const paint = () => {
    const pen = sized(canvas.current);
    if (pen) spots.current = draw({ ...pen, now: now.value, film: shownFilm, places, chosen: chosen.value });
    const other = radio ? sized(air.current) : null;
    if (other) drawAir(other.pen, other.width, other.height, shownFilm, now.value, 8e6);
  };
  useEffect(paint, [shownFilm, now.value, chosen.value, theme.value]);
  useEffect(() => {
    const watch = new ResizeObserver(paint);
    if (canvas.current) watch.observe(canvas.current);
    return () => watch.disconnect();
  }, [shownFilm]);
  useEffect(() => {
    if (!playing.value) return;
    let frame = 0;
    let last = performance.now();
    const tick = (time: number) => {
      now.value = Math.min(shownFilm.to, now.value + (time - last) * 1e6 * speed.value);
      last = time;
      if (now.value >= shownFilm.to) playing.value = false;
      else frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [playing.value, shownFilm]);

  const click = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const near = spots.current
      .map((spot) => ({ spot, far: Math.hypot(spot.x - x, spot.y - y) }))
      .sort((a, b) => a.far - b.far)[0];
    chosen.value = near && near.far < 14 ? near.spot.flight.packet : null;
  };

  return (
    <>
      <canvas ref={canvas} class="film" style={{ height: `${heightOf(places)}px` }} onClick={click} role="img"
        aria-label={`The network ${shown((now.value - shownFilm.from) / 1e6, 2)} ms after the first packet. Squares are data, rings are acknowledgements.`} />
      {radio && <canvas ref={air} class="airfilm" role="img" aria-label="Who sends on the radio channel around this instant" />}
      <Controls film={shownFilm} />
      <LifeOf film={shownFilm} />
      <SequenceChart film={shownFilm} onTime={(time) => { playing.value = false; now.value = time; }} />
    </>
  );
}

/** As high as the fullest column needs. */
function heightOf(places: Point[]): number {
  const columns = new Map<number, number>();
  for (const { x } of places) columns.set(x, (columns.get(x) ?? 0) + 1);
  return Math.min(320, 130 + 22 * (Math.max(...columns.values()) - 1));
}

/** The pen of a canvas as large as its place, in sharp pixels. */
function sized(canvas: HTMLCanvasElement | null) {
  const pen = canvas?.getContext("2d");
  if (!canvas || !pen) return null;
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { pen, width, height };
}

function Controls({ film: { from, to } }: { film: Film }) {
  const play = () => {
    if (!playing.value && now.value >= to) now.value = from;
    playing.value = !playing.value;
  };
  return (
    <div class="bar filmbar">
      <button type="button" onClick={play} aria-label={playing.value ? "Pause the film" : "Play the film"}>{playing.value ? "Pause" : "Play"}</button>
      <input type="range" min={from} max={to} step={(to - from) / 2000} value={now.value} aria-label="Instant of the film"
        aria-valuetext={`${shown((now.value - from) / 1e6, 2)} ms`}
        onInput={(event) => { playing.value = false; now.value = Number(event.currentTarget.value); }} />
      <output>{shown((now.value - from) / 1e6, 2)} ms</output>
      <select aria-label="Speed" value={speed.value} onChange={(event) => (speed.value = Number(event.currentTarget.value))}>
        {SPEEDS.map((value) => <option key={value} value={value}>{value === 1 ? "as fast" : `${Math.round(1 / value)} × slower`}</option>)}
      </select>
    </div>
  );
}

function LifeOf({ film: shownFilm }: { film: Film }) {
  const { sent } = shownFilm;
  const packet = chosen.value;
  const life = useMemo(() => (packet === null ? null : lifeOf(shownFilm, packet)), [packet, shownFilm]);
  const step = (by: number) => {
    const here = packet === null ? sent.findIndex(({ time }) => time >= now.value) : sent.findIndex((one) => one.packet === packet) + by;
    const next = sent[Math.max(0, Math.min(sent.length - 1, here))];
    if (!next) return;
    playing.value = false;
    chosen.value = next.packet;
    now.value = Math.max(shownFilm.from, Math.min(shownFilm.to, next.time + 1e6));
  };
  return (
    <div class="life">
      <div class="bar">
        <button type="button" onClick={() => step(-1)} aria-label="Packet before">◂</button>
        <button type="button" onClick={() => step(1)} aria-label="Packet after">▸</button>
        <span class="note">{life ? life.title : "■ data  ○ ACK  × dropped, in the flow's colour: merged into a later ACK. Click a packet to read its life."}</span>
        {life && <button type="button" class="bare" onClick={() => (chosen.value = null)}>close</button>}
      </div>
      {life && (
        <>
          <p class="note">{life.about}</p>
          <ol>
            {life.events.map((event, i) => (
              <li key={i}>
                <button type="button" class="bare" onClick={() => { playing.value = false; now.value = shownFilm.from + event.timeMs * 1e6; }}>
                  {shown(event.timeMs, 3)} ms
                </button>
                <span>{event.where}</span> <span>{event.what}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
