/** Figures about fewer, later and bunched acknowledgements on wires. */
import { turn, type Figure } from "./shape";

const BOTTLENECK = ["topology", "bottleneck"];
const FILTER = [...BOTTLENECK, "reverse", "ack_filter"];

export const acknowledgements: Figure[] = [
  {
    id: "bbr-start",
    title: "Why BBR's start breaks when ACKs bunch",
    says:
      "A filter on the way back lets one of N ACKs go on, or the newest after 50 ms. BBR doubles its rate with each round of " +
      "ACKs, and it takes its samples of the rate from them: with a few large ACKs the rounds last longer, the samples lag behind, " +
      "and when the queue overflows at last, more is lost. With one of 64, BBRv3 then keeps to two thirds of the line until it probes again.",
    toml: `name = "bbr-start"
description = "One flow starts, and a filter on the way back bunches its acknowledgements."
duration = "4 s"

[topology]
preset = "dumbbell"

[topology.bottleneck]
rate = "50 Mbit/s"
delay = "20 ms"
queue = "1 BDP"

[topology.bottleneck.reverse]
ack_filter = { name = "aggregate", ratio = 64, timeout = "50 ms" }

[[flow]]
name = "download"
cc = "bbr3"
ack = "per-packet"
`,
    beside: {
      label: "ACKs",
      values: [
        { label: "each by itself", set: [[FILTER, undefined]] },
        { label: "bunched", set: [] },
      ],
    },
    knobs: [
      turn("one of", [...FILTER, "ratio"], [4, 16, 64], 64),
      turn("controller", ["flow", 0, "cc"], ["bbr3", "bbr1", "cubic"]),
    ],
    watch: ["goodput", "again", "acks", "rtt"],
    charts: ["goodput", "window"],
  },
  {
    id: "ack-filters",
    title: "Four filters in front of a thin line",
    says:
      "A download over 50 Mbit/s whose acknowledgements go back over a thin line. Without a filter they fill its queue, the round " +
      "trip grows, and some are lost by chance. Each filter keeps the newest and drops others, by a rule of its own.",
    toml: `name = "ack-filters"
description = "A download over a line that is slow on the way back."
duration = "10 s"
warmup = "2 s"

[topology]
preset = "dumbbell"

[topology.bottleneck]
rate = "50 Mbit/s"
delay = "10 ms"
queue = "100 packets"

[topology.bottleneck.reverse]
rate = "400 kbit/s"
queue = "20 packets"

[[flow]]
name = "download"
cc = "cubic"
`,
    beside: turn("filter", FILTER, ["none", "aggregate", "cake", "tac", "android-thin"]),
    knobs: [turn("way back", [...BOTTLENECK, "reverse", "rate"], ["400 kbit/s", "1 Mbit/s", "10 Mbit/s"])],
    watch: ["goodput", "rtt", "acks", "thinned", "again"],
    charts: ["goodput", "rtt"],
  },
  {
    id: "profiles",
    title: "One scenario, two TCPs",
    says:
      "NewReno under thinned ACKs. ns-3's window grows by the acknowledgement, Linux's by what was acknowledged. With one ACK for " +
      "each packet they differ little; with one of eight ns-3's window climbs more slowly.",
    toml: `name = "profiles"
description = "NewReno over a long path; the way back lets one of N acknowledgements go on."
duration = "30 s"

[topology]
preset = "dumbbell"

[topology.bottleneck]
rate = "10 Mbit/s"
delay = "40 ms"
queue = "100 packets"

[topology.bottleneck.reverse]
ack_filter = { name = "aggregate", ratio = 8, timeout = "50 ms" }

[tcp]
send_buffer = "4 MiB"
recv_buffer = "4 MiB"

[[flow]]
name = "bulk"
cc = "newreno"
ack = "per-packet"
`,
    beside: turn("profile", ["tcp", "profile"], ["linux", "ns3"]),
    knobs: [turn("one of", [...FILTER, "ratio"], [1, 2, 4, 8], 8)],
    watch: ["goodput", "window", "again", "acks"],
    charts: ["window"],
  },
];
