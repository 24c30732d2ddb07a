/**
 * Effect of a control on the document: its key, and keys that could not stay beside it.
 */
import { type Control } from "./controls";
import { at, isTree, nameOf, put, type Path, type Tree, type Value } from "./document";

const MODERN_ONLY = ["mcs", "streams", "width", "guard_interval", "ampdu", "amsdu", "max_mpdu", "block_ack_window"];
const LEGACY = new Set(["b", "g", "a"]);

/** Sets a control's value; `undefined` lets the default hold again. */
export function apply(tree: Tree, control: Control, value: Value | undefined): void {
  for (const path of control.paths) {
    if (control.block !== undefined) setParameter(tree, path, control.block, value);
    else if (control.input.type === "block") setBlock(tree, path, value);
    else put(tree, path, value);
  }
  consequences(tree, control, value);
}

/** A block without parameters is a word; with parameters it is a table. */
function setParameter(tree: Tree, path: Path, block: NonNullable<Control["block"]>, value: Value | undefined): void {
  const place = path.slice(0, path.length - block.key.length);
  const before = at(tree, place);
  const table: Tree = isTree(before) ? structuredClone(before) : { name: block.name };
  put(table, block.key, value);
  put(tree, place, Object.keys(table).length === 1 ? block.name : table);
}

/** Another block: parameters of the old one go. */
function setBlock(tree: Tree, path: Path, value: Value | undefined): void {
  if (value !== undefined && nameOf(at(tree, path)) === value) return;
  put(tree, path, value);
}

function consequences(tree: Tree, control: Control, value: Value | undefined): void {
  if (control.id === "flow.transport") for (const path of control.paths) otherTransport(tree, path.slice(0, -1), nameOf(value));
  if (control.id === "wifi.standard") otherStandard(tree, control.paths[0]!.slice(0, -1), String(value ?? "n"));
  if (control.id === "topology.stations") matchFlows(tree, control.value, value);
  if (control.id === "link.qdisc" || control.id === "wifi.down.qdisc") dropUnit(tree, control, value);
}

/** Keys that are TCP's do not stay with another transport. */
function otherTransport(tree: Tree, flow: Path, name: string | undefined): void {
  const keys = name === "tcp" || name === undefined ? [] : name === "tack" ? ["ack", "tcp"] : ["ack", "tcp", "cc"];
  for (const key of keys) put(tree, [...flow, key], undefined);
  if (name === "rtp") put(tree, [...flow, "app"], "video");
}

/** Keys of HT and later do not stay with older standards, and the other way round. */
function otherStandard(tree: Tree, channel: Path, standard: string): void {
  const places: Path[] = [channel, [...channel, "up"], [...channel, "down"]];
  for (const place of places) {
    for (const key of LEGACY.has(standard) ? [...MODERN_ONLY, "rate"] : ["rate", "mcs", "amsdu", "max_mpdu"]) {
      if (at(tree, [...place, key]) !== "off") put(tree, [...place, key], undefined);
    }
  }
  if (standard === "n" && Number.parseInt(String(at(tree, [...channel, "width"]) ?? 20)) > 40) put(tree, [...channel, "width"], undefined);
  put(tree, [...channel, "band"], undefined);
  if (standard !== "ax") put(tree, [...channel, "ofdma"], undefined);
}

/** As many flows as stations, if that was so before. */
function matchFlows(tree: Tree, before: Value | undefined, now: Value | undefined): void {
  const flows = at(tree, ["flow"]);
  if (!Array.isArray(flows) || flows.length !== 1) return;
  const flow = flows[0];
  if (!isTree(flow) || Number(flow["count"] ?? 1) !== Number(before ?? 1)) return;
  put(tree, ["flow", 0, "count"], Number(now) === 1 ? undefined : now);
}

/** A limit in bytes does not stay with a discipline that counts packets. */
function dropUnit(tree: Tree, control: Control, value: Value | undefined): void {
  const path = [...control.paths[0]!.slice(0, -1), "queue"];
  const queue = at(tree, path);
  const counts = ["codel", "fq-codel", "pie", "pfifo-head-drop"];
  if (counts.includes(nameOf(value) ?? "") && typeof queue === "string" && !/p(ackets?|kts?)?\s*$/.test(queue)) {
    put(tree, path, undefined);
  }
}
