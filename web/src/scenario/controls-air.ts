/** Controls of radio channels: stations, mode, aggregation, queues, and ACK filters of both ways. */
import { blockOptions, control, type Control, type Focus, type Option, type Sources } from "./controls";
import { queueControl } from "./controls-path";
import { at, nameOf, type Path, type Tree } from "./document";
import { channelsOf, presetOf } from "./places";
import { AMSDU, HIGHEST_MCS, LEGACY_RATES, LONGEST_AMPDU, STATIONS, usual } from "./ranges";
import { fieldOf, type Schema } from "./schema";

export function airControls(tree: Tree, focus: Focus, sources: Sources): Control[] {
  const channel = channelsOf(tree)[focus.channel] ?? channelsOf(tree)[0];
  if (!channel) return [];
  const { schema, catalogue } = sources;
  const base = channel.path;
  const doc = (key: string) => fieldOf(schema, "WifiSpec", key).doc;
  const standard = String(at(tree, [...base, "standard"]) ?? "n");
  const shapes = presetOf(tree) === "wlan" ? shapeControls(tree, sources) : [];
  const words = (key: string, label: string, values: string[], fallback: string, ...rest: string[]) =>
    control(tree, {
      id: `wifi.${key}`,
      group: "air",
      label,
      doc: doc(key),
      input: { type: "choice", options: values.map((value) => ({ value, label: value, doc: "" })) },
      paths: [[...base, ...rest, key]],
      fallback,
    });
  const filter = (way: "up" | "down", label: string) =>
    control(tree, {
      id: `wifi.${way}.ack_filter`,
      group: "feedback",
      label,
      doc: fieldOf(schema, "WifiSideSpec", "ack_filter").doc || "ACK filter in front of the queue.",
      input: { type: "block", kind: "filter", options: blockOptions(catalogue, "filter", "none") },
      paths: [[...base, way, "ack_filter"]],
      fallback: "none",
    });
  const made = [
    ...shapes,
    control(tree, {
      id: "wifi.standard",
      group: "air",
      label: "Standard",
      doc: doc("standard"),
      input: { type: "choice", options: standards(sources) },
      paths: [[...base, "standard"]],
      fallback: "n",
    }),
    ...(LEGACY_RATES[standard]
      ? [words("rate", "PHY rate", LEGACY_RATES[standard], LEGACY_RATES[standard].at(-1)!)]
      : modernControls(tree, base, standard, schema, words)),
    words("rts", "RTS/CTS", (fieldOf(schema, "WifiSpec", "rts").words ?? []).map(({ value }) => value), "off"),
    queueControl(tree, [...base, "queue"], "500 packets", doc("queue"), "wifi.queue"),
    control(tree, {
      id: "wifi.down.qdisc",
      group: "air",
      label: "AP's queues",
      doc: doc("qdisc"),
      input: { type: "block", kind: "station-queue", options: blockOptions(catalogue, "station-queue") },
      paths: [[...base, "down", "qdisc"]],
      fallback: nameOf(at(tree, [...base, "qdisc"])) ?? "shared",
    }),
    filter("down", "Filter at the AP"),
    filter("up", "Filter at stations"),
    toggle(tree, "wifi.hack", "TCP/HACK", doc("hack"), [...base, "hack"]),
  ];
  if (standard === "ax") made.push(toggle(tree, "wifi.ofdma", "OFDMA", doc("ofdma"), [...base, "ofdma"]));
  return made;
}

function standards({ schema }: Sources): Option[] {
  const words = fieldOf(schema, "WifiSpec", "standard").words ?? [];
  return words.map(({ value, doc }) => ({ value, label: `802.11${value}, ${doc.replace(/^802\.11\w+: /, "").replace(/\.$/, "")}`, doc }));
}

function shapeControls(tree: Tree, { schema }: Sources): Control[] {
  const direction = fieldOf(schema, "TopologySpec", "direction");
  const stations = fieldOf(schema, "TopologySpec", "stations");
  return [
    control(tree, {
      id: "topology.stations",
      group: "air",
      label: "Stations",
      doc: stations.doc,
      input: { type: "number", scale: usual(stations, STATIONS) },
      paths: [["topology", "stations"]],
      fallback: "1",
    }),
    control(tree, {
      id: "topology.direction",
      group: "air",
      label: "Flows go",
      doc: direction.doc,
      input: {
        type: "choice",
        options: (direction.words ?? []).map(({ value, doc }) => ({ value, label: `${value}, ${doc.replace(/^From servers to/, "to").replace(/^From stations.*/, "from stations").replace(/\.$/, "")}`, doc })),
      },
      paths: [["topology", "direction"]],
      fallback: "up",
    }),
  ];
}

function modernControls(
  tree: Tree,
  base: Path,
  standard: string,
  schema: Schema,
  words: (key: string, label: string, values: string[], fallback: string) => Control,
): Control[] {
  const rate = at(tree, [...base, "rate"]);
  const doc = (key: string) => fieldOf(schema, "WifiSpec", key).doc;
  const mcs = fieldOf(schema, "WifiSpec", "mcs");
  // The schema says of each width for which standards it is.
  const widths = (fieldOf(schema, "WifiSpec", "width").words ?? [])
    .filter(({ doc }) => doc === "For all." || doc.replace(/^For |\.$/g, "").split(", ").includes(standard))
    .map(({ value }) => value);
  const fixed = at(tree, [...base, "rate_control"]) === undefined;
  const mode = rate === undefined
    ? control(tree, {
        id: "wifi.mcs",
        group: "air",
        label: "MCS",
        doc: mcs.doc,
        input: { type: "number", scale: usual(mcs, { min: 0, max: HIGHEST_MCS[standard] ?? 7, whole: true, linear: true }) },
        paths: [[...base, "mcs"]],
        fallback: "7",
      })
    : control(tree, {
        id: "wifi.rate",
        group: "air",
        label: "PHY rate",
        doc: doc("rate"),
        input: { type: "text" },
        paths: [[...base, "rate"]],
      });
  const longest = LONGEST_AMPDU[standard] ?? "65535 B";
  return [
    ...(fixed ? [mode] : []),
    words("width", "Width", widths, "20 MHz"),
    control(tree, {
      id: "wifi.ampdu",
      group: "air",
      label: "A-MPDU, most",
      doc: doc("ampdu"),
      input: {
        type: "quantity",
        dimension: "size",
        scale: { min: 2048, max: Number.parseInt(longest), whole: true },
        words: ["off"],
      },
      paths: [[...base, "ampdu"]],
      fallback: longest,
    }),
    words("amsdu", "A-MSDU, most", AMSDU[standard] ?? AMSDU["n"]!, "off"),
  ];
}

function toggle(tree: Tree, id: string, label: string, doc: string, path: Path): Control {
  return control(tree, { id, group: "air", label, doc, input: { type: "bool" }, paths: [path], fallback: "false" });
}
