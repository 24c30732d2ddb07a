/** Where the nodes of a network stand: in columns, along the ways of the flows. */
import type { Network } from "../engine/types";

export interface Point {
  /** From 0 (left, top) to 1. */
  x: number;
  y: number;
}

export function layoutOf(network: Network): Point[] {
  const columns = columnsOf(network);
  const most = Math.max(...columns, 1);
  const degree = new Array<number>(network.nodes.length).fill(0);
  for (const link of network.links) degree[link.from]!++;
  const places: Point[] = [];
  for (let column = 0; column <= most; column++) {
    const here = columns.flatMap((c, node) => (c === column ? [node] : []));
    const hubs = here.filter((node) => degree[node]! > 1);
    const leaves = here.filter((node) => degree[node]! <= 1);
    const order = hubs.length === 0 ? leaves : around(hubs, leaves);
    order.forEach((node, i) => (places[node] = { x: column / most, y: (i + 0.5) / order.length }));
    if (hubs.length === 1 && leaves.length > 0 && leaves.length % 2 === 1) level(places, order, hubs[0]!);
  }
  return places;
}

/** Hubs in the middle, leaves above and below them. */
function around(hubs: number[], leaves: number[]): number[] {
  const above = leaves.slice(0, Math.ceil(leaves.length / 2));
  return [...above, ...hubs, ...leaves.slice(above.length)];
}

/** A lone hub stands in the middle even if the leaves beside it are odd in number. */
function level(places: Point[], order: number[], hub: number): void {
  const rows = order.length + 1;
  order.forEach((node, i) => (places[node]!.y = (i + 0.5) / rows));
  places[hub]!.y = 0.5;
}

/** The longest way to each node; links that a flow uses the other way round do not count. */
function columnsOf(network: Network): number[] {
  const next = new Map<string, [number, number]>();
  for (const flow of network.flows) {
    for (const index of flow.forward) {
      const link = network.links[index]!;
      if (!next.has(`${link.to} ${link.from}`)) next.set(`${link.from} ${link.to}`, [link.from, link.to]);
    }
  }
  const steps = [...next.values()];
  const column = new Array<number>(network.nodes.length).fill(-1);
  for (const [from] of steps) column[from] = 0;
  for (let round = 0; round < network.nodes.length; round++) {
    let moved = false;
    for (const [from, to] of steps) {
      const wanted = column[from]! + 1;
      if (column[to]! < wanted && wanted < network.nodes.length) {
        column[to] = wanted;
        moved = true;
      }
    }
    if (!moved) break;
  }
  pull(column, steps);
  return beside(column, network);
}

/** Nodes where ways begin stand right before what follows. */
function pull(column: number[], steps: [number, number][]): void {
  const entered = new Set(steps.map(([, to]) => to));
  for (let node = 0; node < column.length; node++) {
    const following = steps.filter(([from]) => from === node).map(([, to]) => column[to]!);
    if (!entered.has(node) && following.length > 0) column[node] = Math.min(...following) - 1;
  }
}

/** Nodes on no flow's way stand in the column of a neighbour. */
function beside(column: number[], network: Network): number[] {
  for (let node = 0; node < column.length; node++) {
    if (column[node]! >= 0) continue;
    const neighbours = network.links.flatMap(({ from, to }) => (from === node && column[to]! >= 0 ? [column[to]!] : []));
    const mean = neighbours.reduce((sum, one) => sum + one, 0) / (neighbours.length || 1);
    column[node] = Math.round(mean);
  }
  return column;
}
