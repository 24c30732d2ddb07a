/**
 * Where a document has its flows, links and radio channels: the paths that controls write to.
 */
import { at, isTree, type Path, type Tree } from "./document";

export interface Place {
  path: Path;
  label: string;
}

/** The preset of the topology, if there is one. */
export function presetOf(tree: Tree): string | undefined {
  const preset = at(tree, ["topology", "preset"]);
  return typeof preset === "string" ? preset : undefined;
}

export function flowsOf(tree: Tree): Place[] {
  return tables(tree, ["flow"]).map(({ path, table }, i) => {
    const count = typeof table["count"] === "number" ? ` × ${table["count"]}` : "";
    return { path, label: `${text(table["name"]) ?? `f${i}`}${count}` };
  });
}

/** Wires, the one that usually decides first. */
export function linksOf(tree: Tree): Place[] {
  const preset = presetOf(tree);
  const names: Record<string, string[]> = {
    dumbbell: ["bottleneck", "access", "receiver_access"],
    "parking-lot": ["bottleneck", "access", "receiver_access"],
    wlan: ["wire"],
    "wifi-dumbbell": ["access", "receiver_access"],
  };
  const titles: Record<string, string> = {
    bottleneck: "bottleneck",
    access: "senders' access",
    receiver_access: "receivers' access",
    wire: "wire to the server",
  };
  const places: Place[] = [];
  for (const key of names[preset ?? ""] ?? []) {
    const value = at(tree, ["topology", key]);
    if (Array.isArray(value)) {
      value.forEach((_, i) => places.push({ path: ["topology", key, i], label: `${titles[key]} ${i + 1}` }));
    } else places.push({ path: ["topology", key], label: titles[key]! });
  }
  tables(tree, ["link"]).forEach(({ path, table }, i) => {
    const ends = text(table["a"]) && text(table["b"]) ? `${text(table["a"])} → ${text(table["b"])}` : `link ${i}`;
    places.push({ path, label: text(table["name"]) ?? ends });
  });
  return places;
}

/** Radio channels; a preset with radio has one even if the document does not mention it. */
export function channelsOf(tree: Tree): Place[] {
  const wifi = tree["wifi"];
  if (Array.isArray(wifi)) {
    return tables(tree, ["wifi"]).map(({ path, table }, i) => ({ path, label: text(table["name"]) ?? `channel ${i + 1}` }));
  }
  const radio = presetOf(tree) === "wlan" || presetOf(tree) === "wifi-dumbbell";
  return isTree(wifi) || radio ? [{ path: ["wifi"], label: "wifi" }] : [];
}

function tables(tree: Tree, path: Path): { path: Path; table: Tree }[] {
  const list = at(tree, path);
  if (!Array.isArray(list)) return [];
  return list.flatMap((table, i) => (isTree(table) ? [{ path: [...path, i], table }] : []));
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
