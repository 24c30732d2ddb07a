/** Draws one instant of a film on a canvas: nodes, links, packets on them, queues, who holds the air. */
import { inked } from "../charts/palette";
import { near, placeOf, type Film, type Flight, type Ppdu } from "./film";
import type { Point } from "./layout";

export interface Spot {
  x: number;
  y: number;
  flight: Flight;
}

interface Scene {
  pen: CanvasRenderingContext2D;
  width: number;
  height: number;
  now: number;
  film: Film;
  places: Point[];
  chosen: number | null;
}

const MARGIN = { x: 46, y: 30 };
const LANE = 5; // between the middle of a link and each of its two ways
const MOST_QUEUED = 100;
/** A queue with more packets is drawn smaller. */
const CROWD = 20;
const MOST_NAMES = 14;

/** Draws, and says where packets are, for clicks. */
export function draw(scene: Scene): Spot[] {
  const { pen, width, height, film } = scene;
  pen.clearRect(0, 0, width, height);
  pen.font = "11px system-ui, sans-serif";
  const onAir = film.ppdus.length > 0 ? transmitting(film.ppdus, scene.now) : [];
  links(scene);
  const spots = packets(scene);
  nodes(scene, onAir);
  return spots;
}

function at(scene: Scene, node: number): Point {
  const place = scene.places[node] ?? { x: 0.5, y: 0.5 };
  return {
    x: MARGIN.x + place.x * (scene.width - 2 * MARGIN.x),
    y: MARGIN.y + place.y * (scene.height - 2 * MARGIN.y),
  };
}

/** The ends of one way of a link, beside its middle: ways to the right run above. */
function lane(scene: Scene, link: number): [Point, Point, Point] {
  const { from, to } = scene.film.network.links[link]!;
  const a = at(scene, from);
  const b = at(scene, to);
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const side = { x: ((b.y - a.y) / length) * LANE, y: (-(b.x - a.x) / length) * LANE };
  const gap = Math.min(14, length / 4) / length;
  const cut = (p: Point, q: Point) => ({ x: p.x + (q.x - p.x) * gap + side.x, y: p.y + (q.y - p.y) * gap + side.y });
  return [cut(a, b), cut(b, a), { x: side.x / LANE, y: side.y / LANE }];
}

function links(scene: Scene): void {
  const { pen } = scene;
  const rule = inked("--rule");
  const radio = inked("--soft");
  scene.film.network.links.forEach((link, i) => {
    const [a, b] = lane(scene, i);
    pen.strokeStyle = link.channel === null ? rule : radio;
    pen.globalAlpha = link.channel === null ? 1 : 0.25;
    pen.setLineDash(link.channel === null ? [] : [2, 4]);
    pen.beginPath();
    pen.moveTo(a.x, a.y);
    pen.lineTo(b.x, b.y);
    pen.stroke();
  });
  pen.setLineDash([]);
  pen.globalAlpha = 1;
}

function packets(scene: Scene): Spot[] {
  const { pen, film, now } = scene;
  const spots: Spot[] = [];
  const waiting = new Map<number, Flight[]>();
  const held = new Map<number, Flight[]>();
  const inks = Array.from({ length: 7 }, (_, i) => inked(`--l${i}`));
  const paper = inked("--paper");
  const bad = inked("--bad");
  const dot = (x: number, y: number, flight: Flight, size = 7) => {
    pen.fillStyle = inks[flight.flow % 7]!;
    pen.strokeStyle = pen.fillStyle;
    if (flight.ack) {
      pen.beginPath();
      pen.arc(x, y, size / 2 - 0.5, 0, 7);
      pen.fillStyle = paper;
      pen.fill();
      pen.lineWidth = 1.6;
      pen.stroke();
      pen.lineWidth = 1;
    } else pen.fillRect(x - size / 2, y - size / 2, size, size);
    if (flight.packet === scene.chosen) ring(pen, x, y);
    spots.push({ x, y, flight });
  };
  for (const flight of near(film, now)) {
    const place = placeOf(flight, now);
    const [a, b, side] = lane(scene, flight.link);
    if (place.at === "line") dot(a.x + (b.x - a.x) * place.part, a.y + (b.y - a.y) * place.part, flight);
    else if (place.at === "queued") pushed(waiting, flight);
    else if (place.at === "held") pushed(held, flight);
    else if (place.at === "dropped") cross(pen, a.x + side.x * 12, a.y + side.y * 12, flight.dropped === "ack_thinned" ? inks[flight.flow % 7]! : bad);
  }
  for (const [link, flights] of waiting) queue(scene, link, flights, dot);
  counts(scene, waiting, held);
  for (const [link, flights] of held) {
    const [a, , side] = lane(scene, link);
    flights.forEach((flight, i) => dot(a.x + side.x * (12 + i * 5), a.y + side.y * (12 + i * 5), flight));
  }
  return spots;
}

function pushed(groups: Map<number, Flight[]>, flight: Flight): void {
  const group = groups.get(flight.link);
  if (group) group.push(flight);
  else groups.set(flight.link, [flight]);
}

/** A queue: packets beside the beginning of their link, the next one to leave nearest to it. */
function queue(scene: Scene, link: number, flights: Flight[], dot: (x: number, y: number, flight: Flight, size: number) => void): void {
  const [a, b, side] = lane(scene, link);
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const along = { x: (b.x - a.x) / length, y: (b.y - a.y) / length };
  const pitch = flights.length > CROWD ? 5 : 8;
  const rows = Math.max(4, Math.floor((length * 0.8) / pitch));
  flights.sort((p, q) => p.queued - q.queued);
  flights.slice(0, MOST_QUEUED).forEach((flight, i) => {
    const step = 6 + (i % rows) * pitch;
    const out = 9 + Math.floor(i / rows) * pitch;
    dot(a.x + along.x * step + side.x * out, a.y + along.y * step + side.y * out, flight, pitch - 1);
  });
}

/** How many wait or are held at each node: in all its queues and filters together. */
function counts(scene: Scene, waiting: Map<number, Flight[]>, held: Map<number, Flight[]>): void {
  const { pen, film } = scene;
  const queued = byNode(film, waiting);
  const kept = byNode(film, held);
  const dense = film.network.nodes.length > MOST_NAMES;
  pen.fillStyle = inked("--soft");
  for (const node of new Set([...queued.keys(), ...kept.keys()])) {
    const words = [queued.get(node)! >= 4 ? `${queued.get(node)} wait` : "", kept.has(node) ? `${kept.get(node)} held` : ""].filter(Boolean).join(", ");
    const { x, y } = at(scene, node);
    // In a crowd there is room beside the outermost column alone.
    const beside = dense && x <= MARGIN.x + 1;
    pen.textAlign = beside ? "right" : "center";
    pen.fillText(words, beside ? x - 8 : Math.min(scene.width - 30, Math.max(30, x)), beside ? y + 4 : y + 24);
  }
  pen.textAlign = "left";
}

function byNode(film: Film, groups: Map<number, Flight[]>): Map<number, number> {
  const found = new Map<number, number>();
  for (const [link, flights] of groups) {
    const node = film.network.links[link]!.from;
    found.set(node, (found.get(node) ?? 0) + flights.length);
  }
  return found;
}

function ring(pen: CanvasRenderingContext2D, x: number, y: number): void {
  pen.strokeStyle = inked("--ink");
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.arc(x, y, 7, 0, 7);
  pen.stroke();
  pen.lineWidth = 1;
}

function cross(pen: CanvasRenderingContext2D, x: number, y: number, ink: string): void {
  pen.strokeStyle = ink;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(x - 4, y - 4);
  pen.lineTo(x + 4, y + 4);
  pen.moveTo(x + 4, y - 4);
  pen.lineTo(x - 4, y + 4);
  pen.stroke();
  pen.lineWidth = 1;
}

function nodes(scene: Scene, onAir: Ppdu[]): void {
  const { pen, film } = scene;
  const names = film.network.nodes.length <= MOST_NAMES;
  film.network.nodes.forEach((name, node) => {
    const { x, y } = at(scene, node);
    const sending = onAir.find((ppdu) => ppdu.from === node);
    const radius = names ? 9 : 5;
    pen.fillStyle = sending ? useInk(sending.use) : inked("--card");
    pen.strokeStyle = inked("--soft");
    pen.beginPath();
    pen.arc(x, y, radius, 0, 7);
    pen.fill();
    pen.stroke();
    if (!names && !sending && film.network.channels.some(({ nodes: all }) => all.indexOf(node) > 0)) return;
    pen.fillStyle = inked("--ink");
    pen.textAlign = x < 60 ? "left" : x > scene.width - 60 ? "right" : "center";
    pen.fillText(name, x < 60 ? x - 9 : x > scene.width - 60 ? x + 9 : x, y - radius - 5);
    pen.textAlign = "left";
  });
}

function transmitting(ppdus: Ppdu[], now: number): Ppdu[] {
  let low = 0;
  let high = ppdus.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ppdus[middle]!.begin <= now) low = middle + 1;
    else high = middle;
  }
  return ppdus.slice(Math.max(0, low - 40), low).filter(({ end }) => end > now);
}

/** The colour of a use of the air, as in the bars of airtime. */
export function useInk(use: string): string {
  const inks: Record<string, string> = { data: "--l0", transport_ack: "--l1", mac_ack: "--l3", control: "--l5", collision: "--bad", noise: "--half" };
  return inked(inks[use] ?? "--l6");
}

/** Frames that announce or answer others have low bars. */
const LOW = new Set(["block_ack", "ack", "cts", "rts", "bar"]);

/** A PPDU; one that its receiver could not read is crossed out. */
function bar(pen: CanvasRenderingContext2D, ppdu: Ppdu, x: number, y: number, width: number, height: number): void {
  pen.fillStyle = useInk(ppdu.use);
  pen.globalAlpha = ppdu.spoilt ? 0.35 : 1;
  pen.fillRect(x, y, width, height);
  pen.globalAlpha = 1;
  if (!ppdu.spoilt) return;
  pen.strokeStyle = inked("--bad");
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(x, y + height);
  pen.lineTo(x + width, y);
  pen.moveTo(x, y);
  pen.lineTo(x + width, y + height);
  pen.stroke();
  pen.lineWidth = 1;
}

/** The air around an instant: a lane for each station that sends, a bar for each PPDU. */
export function drawAir(pen: CanvasRenderingContext2D, width: number, height: number, film: Film, now: number, span: number): void {
  pen.clearRect(0, 0, width, height);
  pen.font = "11px system-ui, sans-serif";
  const from = now - span / 2;
  const shown = film.ppdus.filter(({ begin, end }) => end > from && begin < from + span);
  const ap = new Set(film.network.channels.map(({ nodes: all }) => all[0]!));
  const senders = [...new Set(shown.map((ppdu) => ppdu.from))].sort((a, b) => Number(ap.has(b)) - Number(ap.has(a)) || a - b);
  const lanes = senders.slice(0, 9);
  const step = Math.min(18, (height - 18) / Math.max(1, lanes.length));
  const x = (time: number) => 52 + ((time - from) / span) * (width - 60);
  lanes.forEach((node, i) => {
    const y = 4 + i * step;
    pen.fillStyle = inked("--soft");
    pen.fillText(film.network.nodes[node] ?? "?", 2, y + step - 6);
    for (const ppdu of shown) {
      if (ppdu.from !== node) continue;
      const left = Math.max(52, x(ppdu.begin));
      const low = LOW.has(ppdu.kind) ? step / 3 : 0;
      bar(pen, ppdu, left, y + low, Math.max(1, x(ppdu.end) - left), step - 4 - low);
    }
  });
  pen.strokeStyle = inked("--ink");
  pen.beginPath();
  pen.moveTo(x(now), 0);
  pen.lineTo(x(now), height - 14);
  pen.stroke();
  pen.fillStyle = inked("--soft");
  pen.fillText(`${span / 1e6} ms of air; crossed out: spoilt by another${senders.length > lanes.length ? `, ${senders.length - lanes.length} more stations send` : ""}`, 52, height - 3);
}
