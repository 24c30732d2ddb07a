/** A TCP flow's sequence numbers over time, as its sender sees them: for a chart in the style of tcptrace. */
import { reader, type Film } from "./film";

export interface Sequence {
  /** Seconds of the run. */
  times: number[];
  /** End of a segment that was sent, in kB of the stream; `null` where none was. */
  sent: (number | null)[];
  /** The same of segments that were sent before. */
  again: (number | null)[];
  /** End of the data that the sender knows to have arrived, in kB. */
  acknowledged: (number | null)[];
}

export function sequenceOf(film: Film, flow: number): Sequence | null {
  const { packets, network } = film;
  const { name, src, transport } = network.flows[flow]!;
  if (transport !== "tcp") return null;
  const cells = reader(packets);
  const sender = network.nodes[src]!;
  const found: Sequence = { times: [], sent: [], again: [], acknowledged: [] };
  const start = film.origins[flow]?.[0];
  if (start === undefined) return null;
  let highest = sentBefore(film, flow, start);
  let known = 0;
  for (let row = 0; row < packets.rows; row++) {
    if (cells.word("point", row) !== sender || cells.word("flow", row) !== name) continue;
    const what = cells.word("what", row);
    const forward = cells.word("direction", row) === "forward";
    if (forward && what === "sent") {
      const length = cells.number("len", row);
      if (length === 0) continue;
      const end = ((cells.number("seq", row) - start - 1) >>> 0) + length;
      add(found, cells.number("time_ns", row), end > highest ? "sent" : "again", end);
      highest = Math.max(highest, end);
    } else if (!forward && what === "delivered") {
      const end = (cells.number("ack", row) - start - 1) >>> 0;
      if (end > highest) continue;
      known = Math.max(known, end);
      add(found, cells.number("time_ns", row), "acknowledged", known);
    }
  }
  return found.times.length > 0 ? found : null;
}

/** The end of the data that was sent before the film begins, as far as a packet on its way or an ACK tells. */
function sentBefore(film: Film, flow: number, start: number): number {
  if (film.sent.length === 0) return 0;
  const cells = reader(film.packets);
  const { name } = film.network.flows[flow]!;
  const inFilm = new Set(film.sent.map(({ packet }) => packet));
  let highest = 0;
  for (let row = 0; row < film.packets.rows; row++) {
    if (cells.word("flow", row) !== name || inFilm.has(cells.number("packet", row))) continue;
    const forward = cells.word("direction", row) === "forward";
    const length = cells.number("len", row);
    if (forward && length === 0) continue;
    const end = forward ? ((cells.number("seq", row) - start - 1) >>> 0) + length : (cells.number("ack", row) - start - 1) >>> 0;
    highest = Math.max(highest, end);
  }
  return highest;
}

function add(to: Sequence, time: number, which: "sent" | "again" | "acknowledged", bytes: number): void {
  to.times.push(time / 1e9);
  for (const key of ["sent", "again", "acknowledged"] as const) to[key].push(key === which ? bytes / 1000 : null);
}
