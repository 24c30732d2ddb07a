/** Controls of radio channels: stations, mode, aggregation, queues, and ACK filters of both ways. */
import { blockOptions, control, type Control, type Focus, type Option, type Sources } from "./controls";
import { queueControl } from "./controls-path";
import { at, nameOf, type Path, type Tree } from "./document";
import { channelsOf, presetOf } from "./places";
import { fieldOf } from "./schema";

/** The highest MCS of one stream, by standard. */
const HIGHEST_MCS: Record<string, number> = { n: 7, ac: 9, ax: 11 };
const LEGACY_RATES: Record<string, string[]> = {
  b: ["1 Mbit/s", "2 Mbit/s", "5.5 Mbit/s", "11 Mbit/s"],
  g: ["6 Mbit/s", "9 Mbit/s", "12 Mbit/s", "18 Mbit/s", "24 Mbit/s", "36 Mbit/s", "48 Mbit/s", "54 Mbit/s"],
};
LEGACY_RATES["a"] = LEGACY_RATES["g"]!;
const AMPDU: Record<string, string> = { n: "65535 B", ac: "1048575 B", ax: "6500631 B" };

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
      : modernControls(tree, base, standard, doc, words)),
    words("rts", "RTS/CTS", ["off", "always"], "off"),
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
  return [
    control(tree, {
      id: "topology.stations",
      group: "air",
      label: "Stations",
      doc: fieldOf(schema, "TopologySpec", "stations").doc,
      input: { type: "number", scale: { min: 1, max: 50, whole: true } },
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
        options: [
          { value: "up", label: "up, from stations", doc: "" },
          { value: "down", label: "down, to stations", doc: "" },
        ],
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
  doc: (key: string) => string,
  words: (key: string, label: string, values: string[], fallback: string) => Control,
): Control[] {
  const rate = at(tree, [...base, "rate"]);
  const widths = standard === "n" ? ["20 MHz", "40 MHz"] : ["20 MHz", "40 MHz", "80 MHz", "160 MHz"];
  const fixed = at(tree, [...base, "rate_control"]) === undefined;
  const mode = rate === undefined
    ? control(tree, {
        id: "wifi.mcs",
        group: "air",
        label: "MCS",
        doc: doc("mcs"),
        input: { type: "number", scale: { min: 0, max: HIGHEST_MCS[standard] ?? 7, whole: true, linear: true } },
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
  const longest = AMPDU[standard] ?? "65535 B";
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
    words("amsdu", "A-MSDU, most", standard === "n" ? ["off", "3839 B", "7935 B"] : ["off", "3895 B", "7991 B", "11454 B"], "off"),
  ];
}

function toggle(tree: Tree, id: string, label: string, doc: string, path: Path): Control {
  return control(tree, { id, group: "air", label, doc, input: { type: "bool" }, paths: [path], fallback: "false" });
}
