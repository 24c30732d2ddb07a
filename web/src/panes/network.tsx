/** The network as a film: packets on their ways, a scrubber, and the life of the one that was clicked. */
import { batch, computed, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { draw, drawAir, type Spot } from "../film/draw";
import { filmOf, rowsOf, type Film } from "../film/film";
import { layoutOf, type Point } from "../film/layout";
import { lifeOf } from "../film/life";
import { stretchOf, type Stretch } from "../film/stretch";
import { shown } from "../lab/answers";
import { check, lab, outcome, text, type Outcome } from "../state";
import { theme } from "../theme";
import { SequenceChart } from "./sequence";

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
/** The part of the run that the film holds. */
const part = signal<Stretch | null>(null);
/** Seconds of the run at which a film is wanted, as a link or the slider over the run says. */
const wanted = signal<number | null>(null);

export function NetworkPane() {
  const current = film.value;
  const isOfText = outcome.value?.experiment.text === text.value;
  const stale = isOfText && (wanted.value !== null || (current !== null && filmOfOutcome.value !== outcome.value));
  useEffect(() => {
    if (!stale || recording.value) return;
    const later = setTimeout(() => void record(), QUIET_MS);
    return () => clearTimeout(later);
  }, [stale, outcome.value, recording.value, wanted.value]);
  return (
    <section class="network" aria-label="Network" aria-busy={stale || recording.value}>
      {current ? <Screen film={current} /> : <Poster />}
      {said.value && <p class="error" role="alert">{said.value}</p>}
    </section>
  );
}

/** Before anything was recorded: what there will be, and the button. */
function Poster() {
  const found = check.value?.network;
  const there = stretchNow();
  return (
    <div class="poster">
      <p>
        {found ? `${found.nodes.length} nodes, ${found.flows.length} ${found.flows.length === 1 ? "flow" : "flows"}` : "The network"}
        <span class="note">{there ? `The film shows each packet and ACK${there.first && there.last ? "" : `, ${shown(there.toS - there.fromS, 2)} s at a time, at any time of the run`}.` : ""}</span>
      </p>
      <button type="button" id="film" disabled={!outcome.value || recording.value} onClick={() => void record()}>
        {recording.value ? "Recording…" : "Record a film"}
      </button>
    </div>
  );
}

/** What a film or a capture of the present run holds. */
export function stretchNow(): Stretch | null {
  if (part.value && filmOfOutcome.value === outcome.value) return part.value;
  return stretchAt(film.value ? now.value / 1e9 : null);
}

function stretchAt(time: number | null): Stretch | null {
  const from = outcome.value;
  const whole = from?.runs[0]!.summary.durationS;
  return from && whole ? stretchOf(from.runs[0]!, whole, time) : null;
}

/** Where the film is, in seconds of the run; `null` without a film. For links. */
export const filmTime = computed(() => (film.value ? Math.round(now.value) / 1e9 : wanted.value));

/** Shows the film at a time of the run: at once if the film holds it, otherwise once it is recorded. */
export function filmAt(seconds: number | null): void {
  if (seconds === null) {
    film.value = null;
    part.value = null;
    wanted.value = null;
    return;
  }
  playing.value = false;
  now.value = seconds * 1e9;
  if (!film.value || !holds(film.value, now.value)) wanted.value = seconds;
}

/** Nothing comes after the last event of a run. */
function holds(made: Film, time: number): boolean {
  return filmOfOutcome.value === outcome.value && time >= made.from && (time <= made.to || part.value?.last === true);
}

async function record(): Promise<void> {
  const engine = lab.value?.engine;
  const from = outcome.value;
  const time = wanted.value ?? (film.value ? now.value / 1e9 : null);
  const of = stretchAt(time);
  if (!engine || !from || !of || recording.value) return;
  recording.value = true;
  said.value = "";
  try {
    const run = await engine.run(from.experiment.text, from.runs[0]!.seed, {
      files: from.experiment.files,
      set: of.set,
      record: ["packets", "ppdus"],
      tables: ["packets", "ppdus", "flows"],
    });
    const made = filmOf(run, of);
    // Packets count from the first that the film saw.
    const sameStretch = part.value?.fromS === of.fromS;
    if (chosen.value !== null && (!sameStretch || rowsOf(made, chosen.value).length === 0)) chosen.value = null;
    batch(() => {
      film.value = made;
      part.value = of;
      if (wanted.value === time) wanted.value = null;
      now.value = Math.max(made.from, Math.min(made.to, now.value));
    });
  } catch (error) {
    said.value = `No film: ${error instanceof Error ? error.message : String(error)}`;
    film.value = null;
    part.value = null;
    wanted.value = null;
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
      if (now.value < shownFilm.to) frame = requestAnimationFrame(tick);
      else if (part.value?.last) playing.value = false;
      else wanted.value = shownFilm.to / 1e9; // the film goes on with the next part
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
        aria-label={`The network at ${clock(now.value)} of the run. Squares are data, rings are acknowledgements.`} />
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

/** Seconds of the run, to 10 µs. */
function clock(nanoseconds: number): string {
  return `${shown(nanoseconds / 1e9, 5)} s`;
}

function Controls({ film: { from, to } }: { film: Film }) {
  const play = () => {
    if (!playing.value && now.value >= to) now.value = from;
    playing.value = !playing.value;
  };
  return (
    <>
    <WholeRun />
    <div class="bar filmbar">
      <button type="button" onClick={play} aria-label={playing.value ? "Pause the film" : "Play the film"}>{playing.value ? "Pause" : "Play"}</button>
      <input type="range" min={from} max={to} step={(to - from) / 2000} value={now.value} aria-label="Instant of the film"
        aria-valuetext={clock(now.value)}
        onInput={(event) => { playing.value = false; now.value = Number(event.currentTarget.value); }} />
      <output>{clock(now.value)}</output>
      <select aria-label="Speed" value={speed.value} onChange={(event) => (speed.value = Number(event.currentTarget.value))}>
        {SPEEDS.map((value) => <option key={value} value={value}>{value === 1 ? "as fast" : `${Math.round(1 / value)} × slower`}</option>)}
      </select>
    </div>
    </>
  );
}

/** The slider over the run, where the film holds a part of it: it records the part around its time. */
function WholeRun() {
  const of = part.value;
  const run = outcome.value?.runs[0];
  if (!of || !run || (of.first && of.last)) return null;
  const begin = Math.min(...run.network.flows.map(({ startS }) => startS));
  const whole = run.summary.durationS;
  const place = (time: number) => `${(100 * (time - begin)) / (whole - begin)}%`;
  return (
    <div class="bar filmbar whole">
      <span>Run</span>
      <div class="track">
        <input type="range" min={begin} max={whole} step={(whole - begin) / 1000} value={now.value / 1e9} aria-label="Time of the run"
          aria-valuetext={`${shown(now.value / 1e9, 2)} s of ${shown(whole, 2)} s`}
          onInput={(event) => filmAt(Number(event.currentTarget.value))} />
        <div class="held" style={{ left: place(of.fromS), right: `calc(100% - ${place(of.toS)})` }} />
      </div>
      <output aria-live="polite">{recording.value || wanted.value !== null ? "recording…" : `${shown(of.fromS, 2)} to ${shown(of.toS, 2)} s`}</output>
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
                <button type="button" class="bare" onClick={() => { playing.value = false; now.value = event.timeS * 1e9; }}>
                  {shown(event.timeS, 6)} s
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
