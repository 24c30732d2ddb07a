/** A TCP flow's sequence numbers over time, as its sender sees them: for a chart in the style of tcptrace. */
import { reader, type Film } from "./film";

export interface Sequence {
  /** Milliseconds from the beginning of the film. */
  times: number[];
  /** End of a segment that was sent, in kB of the stream; `null` where none was. */
  sent: (number | null)[];
  /** The same of segments that were sent before. */
  again: (number | null)[];
  /** What the sender knows to have arrived. */
  acknowledged: (number | null)[];
}

export function sequenceOf(film: Film, flow: number): Sequence | null {
  const { packets, network } = film;
  const { name, src, transport } = network.flows[flow]!;
  if (transport !== "tcp") return null;
  const cells = reader(packets);
  const sender = network.nodes[src]!;
  const found: Sequence = { times: [], sent: [], again: [], acknowledged: [] };
  let start: number | null = null;
  let highest = 0;
  let known = 0;
  for (let row = 0; row < packets.rows; row++) {
    if (cells.word("point", row) !== sender || cells.word("flow", row) !== name) continue;
    const what = cells.word("what", row);
    const forward = cells.word("direction", row) === "forward";
    if (forward && what === "sent") {
      start ??= cells.number("seq", row);
      const length = cells.number("len", row);
      if (length === 0) continue;
      const end = ((cells.number("seq", row) - start - 1) >>> 0) + length;
      add(found, cells.number("time_ns", row) - film.from, end > highest ? "sent" : "again", end);
      highest = Math.max(highest, end);
    } else if (!forward && what === "delivered" && start !== null) {
      const end = (cells.number("ack", row) - start - 1) >>> 0;
      if (end > highest) continue;
      known = Math.max(known, end);
      add(found, cells.number("time_ns", row) - film.from, "acknowledged", known);
    }
  }
  return found.times.length > 0 ? found : null;
}

function add(to: Sequence, time: number, which: "sent" | "again" | "acknowledged", bytes: number): void {
  to.times.push(time / 1e6);
  for (const key of ["sent", "again", "acknowledged"] as const) to[key].push(key === which ? bytes / 1000 : null);
}
