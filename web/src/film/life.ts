/** The life of a packet in words, from its rows in the table `packets`. */
import { reader, rowsOf, type Film } from "./film";

export interface Life {
  title: string;
  about: string;
  /** Times in seconds of the run. */
  events: { timeS: number; where: string; what: string }[];
}

const REASONS: Record<string, string> = {
  ack_thinned: "the ACK filter took it out: a later ACK says the same",
  queue_full: "the queue was full",
  random_loss: "random loss",
  filter_full: "the ACK filter was full",
  retry_limit: "the radio gave up after its last repetition",
  lifetime_expired: "it had waited too long at the radio",
  aqm: "the queue discipline dropped it",
  unresolved: "no answer to ARP",
};

export function lifeOf(film: Film, packet: number): Life | null {
  const rows = rowsOf(film, packet);
  if (rows.length === 0) return null;
  const cells = reader(film.packets);
  const order = [...rows].sort((a, b) => cells.number("time_ns", a) - cells.number("time_ns", b) || rank(cells, a) - rank(cells, b));
  const first = order[0]!;
  const length = cells.number("len", first);
  const flow = cells.word("flow", first) ?? "?";
  const forward = cells.word("direction", first) === "forward";
  const kind = length > 0 ? `Packet ${packet} with data` : `Packet ${packet}, ${forward ? "without data" : "an acknowledgement"}`;
  const events = order.flatMap((row) => {
    const what = cells.word("what", row) ?? "";
    const reason = cells.word("reason", row);
    const where = cells.word("point", row) ?? "";
    return [{ timeS: cells.number("time_ns", row) / 1e9, where, what: told(what, reason) }];
  });
  const seen = order.some((row) => cells.word("what", row) === "sent");
  const before = seen ? "" : "; it was sent before this part of the film";
  return { title: `${kind}, of flow ${flow}`, about: about(film, first, length) + before, events };
}

/** At one instant a packet is delivered at a link before it arrives at the node, and is sent before it is queued. */
function rank(cells: ReturnType<typeof reader>, row: number): number {
  const link = (cells.word("point", row) ?? "").includes("->");
  return { sent: 0, delivered: link ? 1 : 2, queued: 3, marked: 4, left: 5, dropped: 6 }[cells.word("what", row) ?? ""] ?? 7;
}

function told(what: string, reason: string | null): string {
  const words: Record<string, string> = {
    sent: "sent by the transport", queued: "enters the queue", left: "leaves the queue for the line", marked: "marked with CE",
    delivered: "arrives", dropped: "dropped",
  };
  const why = reason === null ? "" : `: ${REASONS[reason] ?? reason.replaceAll("_", " ")}`;
  return `${words[what] ?? what}${why}`;
}

function about(film: Film, row: number, length: number): string {
  const cells = reader(film.packets);
  const size = `${cells.number("size", row)} bytes with headers`;
  const forward = cells.word("direction", row) === "forward";
  const base = (name: "seq" | "ack") => cells.number(name, row);
  const flow = film.network.flows.findIndex(({ name }) => name === cells.word("flow", row));
  const origins = film.origins[flow];
  if (!origins) return size;
  // Data has its sender's numbers, and an acknowledgement those of the other end.
  const start = origins[(length > 0) === forward ? 0 : 1];
  if (length > 0) {
    const from = (base("seq") - start - 1) >>> 0;
    return `bytes ${from.toLocaleString("en-US")} to ${(from + length).toLocaleString("en-US")} of the stream; ${size}`;
  }
  const to = (base("ack") - start - 1) >>> 0;
  return `says that everything up to byte ${to.toLocaleString("en-US")} has arrived; ${size}`;
}
