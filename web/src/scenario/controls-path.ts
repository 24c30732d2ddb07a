/** Controls of wires: rate, delay, queue, discipline, loss, and the ACK filter on the way back. */
import { blockOptions, control, type Control, type Focus, type Sources } from "./controls";
import { at, type Path, type Tree } from "./document";
import { linksOf } from "./places";
import { read } from "./quantity";
import { DELAY, LOSS, QUEUES, RATE } from "./ranges";
import { fieldOf } from "./schema";

export function pathControls(tree: Tree, focus: Focus, { schema, catalogue }: Sources): Control[] {
  const link = linksOf(tree)[focus.link] ?? linksOf(tree)[0];
  if (!link) return [];
  const path = (...rest: string[]): Path[] => [[...link.path, ...rest]];
  const doc = (key: string) => fieldOf(schema, "PresetLinkSpec", key).doc;
  const bottleneck = link.path[1] === "bottleneck";
  const rate = at(tree, [...link.path, "rate"]);
  // The wire of a `wlan` runs from the access point to the server, whichever way the data go.
  const wire = link.path[1] === "wire";
  const [there, back] = wire ? [", up", ", down"] : ["", ", way back"];
  const queue = queueControl(tree, [...link.path, "queue"], bottleneck ? "1 BDP" : "1000 packets", doc("queue"));
  return [
    control(tree, {
      id: "link.rate",
      group: "path",
      label: "Rate",
      doc: doc("rate"),
      input: { type: "quantity", dimension: "rate", scale: RATE, words: ["unlimited"] },
      paths: path("rate"),
      fallback: "unlimited",
    }),
    control(tree, {
      id: "link.reverse.rate",
      group: "path",
      label: `Rate${back}`,
      doc: wire ? "Bits per second from the server to the access point." : "Bits per second of the way back.",
      input: { type: "quantity", dimension: "rate", scale: RATE, words: ["unlimited"] },
      paths: path("reverse", "rate"),
      fallback: typeof rate === "string" ? rate : "the same",
    }),
    control(tree, {
      id: "link.delay",
      group: "path",
      label: "Delay, each way",
      doc: doc("delay"),
      input: { type: "quantity", dimension: "time", scale: DELAY, words: [] },
      paths: path("delay"),
      fallback: "0 s",
    }),
    queue,
    control(tree, {
      id: "link.qdisc",
      group: "path",
      label: "Discipline",
      doc: doc("qdisc"),
      input: { type: "block", kind: "qdisc", options: blockOptions(catalogue, "qdisc") },
      paths: path("qdisc"),
      fallback: "pfifo",
    }),
    loss(tree, "link.loss", `Loss${there}`, doc("loss"), path("loss")),
    loss(tree, "link.reverse.loss", `Loss${back}`, wire ? "Random loss from the server to the access point." : "Random loss of the way back.", path("reverse", "loss")),
    control(tree, {
      id: "link.reverse.ack_filter",
      group: "feedback",
      label: `Filter${back}`,
      doc: "ACK filter in front of the queue of the way back.",
      input: { type: "block", kind: "filter", options: blockOptions(catalogue, "filter", "none") },
      paths: path("reverse", "ack_filter"),
      fallback: "none",
    }),
  ];
}

export function queueControl(tree: Tree, path: Path, fallback: string, doc: string, id = "link.queue"): Control {
  const unit = read(at(tree, path) ?? fallback, "queue")?.unit ?? "packets";
  return control(tree, {
    id,
    group: id === "link.queue" ? "path" : "air",
    label: "Queue",
    doc,
    input: { type: "quantity", dimension: "queue", scale: QUEUES[unit]!, words: [], unit },
    paths: [path],
    fallback,
  });
}

function loss(tree: Tree, id: string, label: string, doc: string, paths: Path[]): Control {
  return control(tree, {
    id,
    group: "path",
    label,
    doc,
    input: { type: "quantity", dimension: "probability", scale: LOSS, words: [], unit: "" },
    paths,
    fallback: "0",
  });
}
