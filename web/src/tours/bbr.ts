import type { Tour } from "./tours";

/** The paper's testbed: two laptops send to a third; the access point shapes to 10 Mbit/s. */
function home(cc: string, queue: string): string {
  return `name = "bbr-wifi6-home"
description = "Two laptops send to a third over 802.11ax. The access point shapes what it sends to 10 Mbit/s."
duration = "30 s"
warmup = "5 s"

[[node]]
name = "ap"
[[node]]
name = "cubic"
[[node]]
name = "bbr"
[[node]]
name = "peer"

[wifi]
ap = "ap"
stations = ["cubic", "bbr", "peer"]
standard = "ax"
band = "5 GHz"
width = "80 MHz"
mcs = 9
streams = 2

[wifi.up]
qdisc = "per-station"

[wifi.down.qdisc]
name = "queue-tree"
queues = [
  { name = "data", to = ["peer"], max_limit = "10 Mbit/s", child = ${queue} },
  { name = "acks", max_limit = "10 Mbit/s", child = ${queue} },
]

[[flow]]
name = "cubic"
from = "cubic"
to = "peer"
cc = "cubic"
start_jitter = "100 ms"

[[flow]]
name = "bbr"
from = "bbr"
to = "peer"
cc = ${cc}
start_jitter = "100 ms"
`;
}

/** The same two flows over a wire, where the queue is a control of the page. */
function wire(cc: string, qdisc: string, delay = "10 ms"): string {
  return `name = "bbr-wifi6-wire"
description = "CUBIC and BBR share a wired bottleneck of 10 Mbit/s."
duration = "30 s"
warmup = "5 s"

[topology]
preset = "dumbbell"
pairs = 2

[topology.bottleneck]
rate = "10 Mbit/s"
delay = "${delay}"
qdisc = "${qdisc}"
queue = "50 packets"

[[flow]]
name = "cubic"
cc = "cubic"
start_jitter = "100 ms"

[[flow]]
name = "bbr"
cc = ${cc}
start_jitter = "100 ms"
`;
}

const PFIFO = '{ name = "pfifo", queue = "50 packets" }';
const V1 = '"bbr1"';
const V2 = '"bbr2"';
const V3 = '{ name = "bbr3", source = "google" }';
const QUEUE = { control: "link.qdisc", values: ["pfifo", "codel", "fq-codel", "cake"] };
const LIMIT = { control: "link.queue", values: ["10 packets", "25 packets", "50 packets", "200 packets"] };

export const bbr: Tour = {
  id: "bbr-wifi6",
  title: "BBR over Wi-Fi 6",
  paper: "S. K. Shrestha, S. R. Pokhrel, J. Kua, TCP BBR Performance over Wi-Fi 6: AQM Impacts and Cross-Layer Insights",
  study: "bbr-wifi6",
  steps: [
    {
      title: "BBRv1 beside CUBIC",
      claim: "bbr-wifi6/F5-v1",
      says: "BBRv1 (purple) consistently dominates CUBIC (red), frequently exceeding 7.5 Mbps while CUBIC struggles below 5 Mbps",
      verdict: "held",
      here: "A FIFO of 50 packets, two laptops over Wi-Fi 6. In the study BBRv1 has 5.5 and CUBIC 4.1 Mbit/s. Draw other starts with the seed.",
      toml: home(V1, PFIFO),
      knob: { control: "seed", values: [1, 2, 3, 4] },
      watch: ["fairness", "rtt"],
    },
    {
      title: "BBRv2 yields",
      claim: "bbr-wifi6/F5-v2",
      says: "BBRv2 (green) frequently yields bandwidth to CUBIC, sometimes falling below 2 Mbps",
      verdict: "held",
      here: "In the study BBRv2 has 1.8 and CUBIC 7.9 Mbit/s. See the goodput of the two flows.",
      toml: home(V2, PFIFO),
      knob: { control: "seed", values: [1, 2, 3, 4] },
      watch: ["fairness", "rtt", "again"],
    },
    {
      title: "BBRv3 and CUBIC swing",
      claim: "bbr-wifi6/F5-v3",
      says: "BBRv3 (blue) and CUBIC (red) exhibit large, inverse oscillations, where one surges toward 7.5 Mbps while the other collapses toward 2–3 Mbps",
      verdict: "held",
      here: "Look at goodput over time: what one flow gains, the other loses.",
      toml: home(V3, PFIFO),
      knob: { control: "seed", values: [1, 2, 3, 4] },
      watch: ["fairness", "rtt"],
    },
    {
      title: "Is it the air?",
      claim: "bbr-wifi6/F5-v2-why",
      says: "Because many Wi-Fi losses are not congestion-driven, BBRv2 reduces its rate more often than required",
      verdict: "did not hold",
      here: "The same two flows over a wire, without any radio: BBRv2 yields here as well. The shaper is the bottleneck, not the air.",
      toml: wire(V2, "pfifo"),
      knob: LIMIT,
      watch: ["fairness", "rtt", "drops"],
    },
    {
      title: "Does a FIFO starve BBRv3?",
      claim: "bbr-wifi6/F7-pfifo",
      says: "CUBIC obtains a disproportionate share of the link, fluctuating between 6–8 Mbps, while BBRv3 remains restricted to 2–4 Mbps",
      verdict: "did not hold",
      here: "BBRv3 does not starve. In the study it has 5.2 beside 4.5 Mbit/s over Wi-Fi, and a kernel 4.9 beside 4.8 over a wire. Change the room of the queue: deep queues favour CUBIC, shallow ones BBR.",
      toml: wire(V3, "pfifo"),
      knob: LIMIT,
      watch: ["fairness", "rtt", "again"],
    },
    {
      title: "FQ-CoDel shares",
      claim: "bbr-wifi6/F7-fq",
      says: "Both flows stabilize near 5 Mbps with reduced oscillatory behavior",
      verdict: "held",
      here: "Change the discipline. Flow queues give each flow its share, whatever its controller wants.",
      toml: wire(V3, "fq-codel"),
      knob: QUEUE,
      watch: ["fairness", "rtt"],
    },
    {
      title: "The delay of a FIFO",
      claim: "bbr-wifi6/F8a-pfifo",
      says: "PFIFO produces the highest median RTT (50–55 ms) and the widest spread",
      verdict: "held in part",
      here: "Compare the median RTT of the disciplines. Over Wi-Fi the study has the highest median with the FIFO, but BBRv3's 95th percentile is farther from the median with FQ-CoDel. Over this wire the FIFO does not spread more than the others, either.",
      toml: wire(V3, "pfifo"),
      knob: QUEUE,
      watch: ["rtt", "rtt95", "wait"],
    },
    {
      title: "FQ-CoDel and CAKE",
      claim: "bbr-wifi6/F8a-aqm",
      says: "FQ-CoDel reduces RTTs to ∼25 ms by actively controlling queue length, while CAKE achieves the lowest median RTT (∼18 ms) with the tightest distribution",
      verdict: "held in part",
      here: "Over the paper's Wi-Fi the study has 12 and 7 ms; over a wire of 12 ms it has 24.8 and 18.7 ms. The laptops of the paper must have added about that much.",
      toml: wire(V3, "fq-codel", "6 ms"),
      knob: QUEUE,
      watch: ["rtt", "rtt95"],
    },
    {
      title: "Retransmissions under CAKE",
      claim: "bbr-wifi6/C-wired",
      says: "This behavior [the retransmission issue under CAKE] does not appear in wired networks",
      verdict: "did not hold",
      here: "Over this wire BBRv3 sends more again than CUBIC, as a Linux kernel does. The shorter the delay, the more: turn it.",
      toml: wire(V3, "cake"),
      knob: { control: "link.delay", values: ["3 ms", "6 ms", "10 ms", "30 ms"] },
      watch: ["again", "drops", "rtt"],
    },
    {
      title: "The advice",
      claim: "bbr-wifi6/R-aqm",
      says: "Network operators deploying BBRv3 should pair it with modern AQMs such as CAKE or FQ-CoDel to prevent severe unfairness and bufferbloat, especially in mixed-CCA environments",
      verdict: "held",
      here: "Fairness and delay speak for FQ-CoDel and CAKE. Pin the FIFO as A, and change the discipline.",
      toml: wire(V3, "pfifo"),
      knob: QUEUE,
      watch: ["fairness", "rtt", "goodput", "again"],
    },
  ],
};
