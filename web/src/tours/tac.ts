import type { Tour } from "./tours";

/** The paper's network: uploads over one access point whose queue holds 200 packets. */
function uploads(stations: number, filter: string, more: { ampdu?: string; wire?: string; cc?: string } = {}): string {
  const { ampdu = "16 KiB", wire = "", cc = "newreno" } = more;
  return `name = "tac-uploads"
description = "Stations upload through one access point, whose queue of 200 packets cannot hold their acknowledgements."
duration = "20 s"
start = "1 s"
warmup = "2 s"

[topology]
preset = "wlan"
stations = ${stations}

[topology.wire]
rate = "100 Mbit/s"
delay = "2 ms"${wire}

[wifi]
ampdu = "${ampdu}"
queue_counts = "waiting"

[wifi.down]
queue = "200 packets"
ack_filter = ${filter}

[tcp]
segment = 1024
recv_buffer = "50 KiB"

[[flow]]
name = "upload"
cc = "${cc}"
ack = "per-packet"
count = ${stations}
start_jitter = "100 ms"
`;
}

const NONE = '"none"';
const TAC = '{ name = "tac-paper", timeout = "5 ms" }';
const STATIONS = { control: "topology.stations", values: [5, 10, 20, 30] };
const FILTER = { control: "wifi.down.ack_filter", values: ["none", "tac-paper", "tac", "cake"] };

export const tac: Tour = {
  id: "tac",
  title: "TAC: ACK compression (2013)",
  paper: "M. Kim, E.-C. Park, W. Kim, TCP Acknowledgement Compression for Fairness Among Uplink TCP Flows in IEEE 802.11n WLANs, 2013",
  study: "tac",
  steps: [
    {
      title: "Many uploads, one queue",
      claim: "ack-compression/F5-agg",
      says: "In the case of AGG, FI decreases as N increases",
      verdict: "held",
      here: "AGG is aggregation alone. Add stations: the queue of the access point loses acknowledgements, and the fairness index falls.",
      toml: uploads(5, NONE),
      knob: STATIONS,
      watch: ["fairness", "goodput", "drops"],
    },
    {
      title: "Who is to blame",
      claim: "ack-compression/F5-agg-why",
      says: "a large number of TCP ACKs are accumulated in the IFQ of AP as N increases, which results in ACK losses due to buffer overflow",
      verdict: "held",
      here: "All windows together are 50 packets per station, and the queue holds 200. Look at the wait in the longest queue and at what is dropped.",
      toml: uploads(10, NONE),
      knob: STATIONS,
      watch: ["wait", "drops", "acks"],
    },
    {
      title: "One ACK for many",
      claim: "ack-compression/A-occupancy",
      says: "TAC reduces queue occupancy and prevents ACK losses due to buffer overflow, which significantly contributes to fairness among uplink TCP flows",
      verdict: "held",
      here: "Switch the filter at the access point from none to tac-paper: the newest acknowledgement of each flow stands for the others, and hardly anything is dropped any more. The longest queues are then those of the stations.",
      toml: uploads(30, NONE),
      knob: FILTER,
      watch: ["fairness", "drops", "acks", "goodput"],
    },
    {
      title: "Fair, but not that fair",
      claim: "ack-compression/F5-tight",
      says: "the fairness is tightly attained in RDG and TAC; FI is at least 0.99 for the entire range of N",
      verdict: "did not hold",
      here: "With a TCP like ns-2's TAC's index is 0.89 at 30 stations, in the study: timers expire without need, and a window that was cut has few acknowledgements to grow by. Linux's TCP, which runs here, takes such timeouts back.",
      toml: uploads(30, TAC),
      knob: STATIONS,
      watch: ["fairness", "goodput", "again"],
    },
    {
      title: "ACK losses at small frames",
      claim: "ack-compression/F3-1",
      says: "When Lmax = 1 KB, … ACK loss does not occur at all for most TCP flows and only a few losses occur for a certain flow",
      verdict: "did not hold",
      here: "With aggregation off the queue of the access point is full as well. One acknowledgement that survives opens a whole window, so losing the others slows nobody.",
      toml: uploads(20, NONE, { ampdu: "off" }),
      knob: { control: "wifi.ampdu", values: ["off", "4 KiB", "16 KiB", "32 KiB"] },
      watch: ["drops", "wait", "fairness"],
    },
    {
      title: "Longer frames help",
      claim: "ack-compression/F6-rises",
      says: "the throughputs of all the schemes increase as Lmax increases, because the channel access overhead is effectively decreased as more A-MPDU sub-frames are aggregated",
      verdict: "held in part",
      here: "Raise the longest A-MPDU and watch goodput and contention. The gain flattens: windows of 50 packets limit what an access brings.",
      toml: uploads(20, TAC, { ampdu: "4 KiB" }),
      knob: { control: "wifi.ampdu", values: ["off", "4 KiB", "16 KiB", "32 KiB"] },
      watch: ["goodput", "ack_air", "fairness"],
    },
    {
      title: "A timer of zero",
      claim: "ack-compression/III-zero",
      says: "The extreme case where Te is zero becomes equivalent to the case where TAC is not implemented",
      verdict: "held",
      here: "With Te = 0 the filter holds nothing and takes nothing out.",
      toml: uploads(20, '{ name = "tac-paper", timeout = "0 ms" }'),
      knob: { control: "wifi.down.ack_filter.timeout", values: ["0 ms", "1 ms", "5 ms", "20 ms"] },
      watch: ["thinned", "fairness", "goodput"],
    },
    {
      title: "A station on its own pays",
      claim: "ack-compression/III-timer",
      says: "However, in both cases, TAC does not result in any critical negative effect on TCP behaviors",
      verdict: "did not hold",
      here: "One station sends its window of 50 packets within 7 ms. Then the timer waits for an acknowledgement that cannot come. Turn the timer and watch goodput.",
      toml: uploads(1, TAC),
      knob: { control: "wifi.down.ack_filter.timeout", values: ["0 ms", "1 ms", "5 ms", "20 ms"] },
      watch: ["goodput", "rtt"],
    },
    {
      title: "Duplicates",
      claim: "ack-compression/III-loss",
      says: "TAC does not discard these duplicate TCP ACKs and it does not make any negative effect on the operation of TCP congestion control",
      verdict: "held in part",
      here: "One data packet in a thousand is lost on the wire. TAC takes out a few duplicates; the filter tac has guards against that, tac-paper has none.",
      toml: uploads(20, TAC, { wire: "\nloss = 0.001" }),
      knob: FILTER,
      watch: ["again", "fairness", "goodput"],
    },
    {
      title: "Stations of today",
      claim: "ack-compression/V-prevents",
      says: "By discarding unnecessary TCP ACKs and serving only the RACK in AP's IFQ, TAC prevents buffer overflow and assures fairness",
      verdict: "held in part",
      here: "CUBIC instead of NewReno, and other filters at the access point. Record a film and watch acknowledgements wait and go.",
      toml: uploads(30, NONE, { cc: "cubic", ampdu: "65535 B" }),
      knob: FILTER,
      watch: ["fairness", "drops", "rtt", "goodput"],
    },
  ],
};
