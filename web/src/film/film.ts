/**
 * A recorded run as a film: the stretch of each packet on each link, with what happened to it there.
 *
 * From the table `packets`: at a link's point a packet is `queued`, has `left` the queue for the
 * transmitter, and is `delivered` at the other end, or is `dropped`.
 */
import type { Column, Network, Run, Table } from "../engine/types";
import type { Stretch } from "./stretch";

/** One packet on one link. Times are nanoseconds from the beginning of the run. */
export interface Flight {
  packet: number;
  link: number;
  flow: number;
  /** An acknowledgement without data. */
  ack: boolean;
  size: number;
  /** When it came to the link; before `queued` an ACK filter holds it. */
  came: number;
  /** When it entered the queue; `Infinity` if it never did. */
  queued: number;
  /** When it left the queue for the line; `Infinity` if it never did. */
  left: number;
  /** When it was delivered at the other end, or dropped. */
  end: number;
  /** Why it was dropped; `null` if it was delivered, or if the film ends before. */
  dropped: string | null;
}

export interface Film {
  network: Network;
  flights: Flight[];
  origins: Run["origins"];
  /** First and last instant of the film, in nanoseconds of the run. */
  from: number;
  to: number;
  packets: Table;
  ppdus: Ppdu[];
  /** Instants at which packets were sent, with their numbers, in order. */
  sent: { time: number; packet: number }[];
  /** Flights that are there in each of `SLICES` equal parts of the film. */
  slices: Int32Array[];
}

/** A transmission on a radio channel. */
export interface Ppdu {
  from: number;
  to: number;
  begin: number;
  end: number;
  kind: string;
  use: string;
  mpdus: number;
  bytes: number;
  mode: string;
  spoilt: boolean;
}

const SLICES = 600;

/** The film of a run that recorded the part `of`. */
export function filmOf(run: Run, of: Stretch): Film {
  const { packets } = run.tables;
  const { network } = run;
  const rows = reader(packets);
  // What a packet did before a film that begins later was not seen: it waited, was held or was on its way.
  const before = of.first ? null : of.fromS * 1e9;
  const links = new Map(network.links.map((link, i) => [link.name, i]));
  const flows = new Map(network.flows.map((flow, i) => [flow.name, i]));
  const flights: Flight[] = [];
  const under = new Map<number, Flight>();
  const came = new Map<number, number>();
  const sent: Film["sent"] = [];
  for (let row = 0; row < packets.rows; row++) {
    const time = rows.number("time_ns", row);
    const packet = rows.number("packet", row);
    const what = rows.word("what", row);
    const link = links.get(rows.word("point", row) ?? "");
    if (link === undefined) {
      if (what !== "sent") continue;
      sent.push({ time, packet });
      came.set(packet, time);
      continue;
    }
    const flight = under.get(packet);
    if (what === "queued" || (what === "dropped" && flight?.link !== link)) {
      const made: Flight = {
        packet, link, flow: flows.get(rows.word("flow", row) ?? "") ?? 0,
        ack: rows.word("direction", row) === "reverse" && rows.number("len", row) === 0,
        size: rows.number("size", row), came: came.get(packet) ?? (before === null ? time : -Infinity), queued: what === "queued" ? time : Infinity,
        left: Infinity, end: what === "queued" ? Infinity : time, dropped: what === "queued" ? null : (rows.word("reason", row) ?? "dropped"),
      };
      flights.push(made);
      under.set(packet, made);
    } else if (flight && flight.link === link) {
      if (what === "left" && flight.left === Infinity) flight.left = time;
      if (what === "dropped") {
        flight.end = time;
        flight.dropped = rows.word("reason", row) ?? "dropped";
      }
      if (what === "delivered" && flight.end === Infinity) {
        flight.end = time;
        came.set(packet, time);
      }
    } else if (before !== null && !came.has(packet) && (what === "left" || what === "delivered")) {
      const wired = network.links[link]!.channel === null;
      const size = rows.number("size", row);
      const made: Flight = {
        packet, link, flow: flows.get(rows.word("flow", row) ?? "") ?? 0,
        ack: rows.word("direction", row) === "reverse" && rows.number("len", row) === 0,
        size, came: -Infinity, queued: -Infinity, left: Infinity, end: Infinity, dropped: null,
      };
      if (what === "left") made.left = time;
      else {
        made.end = time;
        if (wired) made.left = Math.min(before, time - wayOf(network, link, size));
        came.set(packet, time);
      }
      flights.push(made);
      under.set(packet, made);
    }
  }
  const ppdus = ppdusOf(run);
  const from = before ?? Math.min(sent[0]?.time ?? 0, ppdus[0]?.begin ?? Infinity);
  const latest = Math.max(packets.rows > 0 ? rows.number("time_ns", packets.rows - 1) : 0, ppdus.at(-1)?.end ?? 0);
  const to = Math.max(of.last ? latest : of.toS * 1e9, from + 1);
  return { network, origins: run.origins, flights, from, to, packets, ppdus, sent, slices: sliced(flights, from, to) };
}

/** Nanoseconds that a packet takes over a wire. */
function wayOf(network: Network, link: number, size: number): number {
  const { delayS, rateBps } = network.links[link]!;
  return delayS * 1e9 + (rateBps ? (size * 8e9) / rateBps : 0);
}

function sliced(flights: Flight[], from: number, to: number): Int32Array[] {
  const lists: number[][] = Array.from({ length: SLICES }, () => []);
  flights.forEach((flight, i) => {
    const last = sliceAt(Math.min(flight.end + GLOW, to), from, to);
    for (let slice = sliceAt(flight.came, from, to); slice <= last; slice++) lists[slice]!.push(i);
  });
  return lists.map((list) => Int32Array.from(list));
}

/** How long a drop stays visible, in nanoseconds of the run. */
const GLOW = 4e6;

function sliceAt(time: number, from: number, to: number): number {
  return Math.max(0, Math.min(SLICES - 1, Math.floor(((time - from) / (to - from)) * SLICES)));
}

/** Place of a packet at an instant. */
export type Place =
  | { at: "held" | "queued" | "gone" | "dropped" }
  /** On the line, `part` of the way. */
  | { at: "line"; part: number };

export function placeOf(flight: Flight, now: number): Place {
  if (now < flight.came || now >= flight.end) {
    const glows = flight.dropped !== null && now >= flight.end && now < flight.end + GLOW;
    return { at: glows ? "dropped" : "gone" };
  }
  if (now < flight.queued) return { at: "held" };
  if (now < flight.left) return { at: "queued" };
  return { at: "line", part: flight.end === Infinity ? 0 : (now - flight.left) / (flight.end - flight.left || 1) };
}

/** Flights that may be visible at an instant. */
export function near(film: Film, now: number): Iterable<Flight> {
  const slice = film.slices[sliceAt(now, film.from, film.to)]!;
  return (function* () {
    for (const i of slice) yield film.flights[i]!;
  })();
}

function ppdusOf(run: Run): Ppdu[] {
  const table = run.tables.ppdus;
  const rows = reader(table);
  const nodes = new Map(run.network.nodes.map((name, i) => [name, i]));
  return Array.from({ length: table.rows }, (_, row) => ({
    from: nodes.get(rows.word("from", row) ?? "") ?? -1,
    to: nodes.get(rows.word("to", row) ?? "") ?? -1,
    begin: rows.number("time_ns", row),
    end: rows.number("end_ns", row),
    kind: rows.word("kind", row) ?? "",
    use: rows.word("use", row) ?? "",
    mpdus: rows.number("mpdus", row),
    bytes: rows.number("psdu_bytes", row),
    mode: rows.word("mode", row) ?? "",
    spoilt: rows.number("garbled", row) === 1 || rows.number("lost", row) === 1,
  })).sort((a, b) => a.begin - b.begin);
}

/** The rows of the table `packets` that are about a packet. They are looked for: few packets are ever clicked. */
export function rowsOf(film: Film, packet: number): number[] {
  const column = film.packets.columns["packet"];
  const found: number[] = [];
  if (column?.kind === "numbers") column.values.forEach((value: number, row: number) => value === packet && found.push(row));
  return found;
}

/** Reads single cells of a table. */
export function reader(table: Table) {
  const column = (name: string): Column | undefined => table.columns[name];
  return {
    number(name: string, row: number): number {
      const found = column(name);
      return found?.kind === "numbers" ? (found.values[row] ?? Number.NaN) : Number.NaN;
    },
    word(name: string, row: number): string | null {
      const found = column(name);
      return found?.kind === "words" ? (found.words[found.codes[row] ?? -1] ?? null) : null;
    },
  };
}
