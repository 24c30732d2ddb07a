import type { Tour } from "./tours";

/** The thesis's wired dumbbell: ns-3's TCP, an ACK per packet, a filter with a timer on the way back. */
function wired(cc: string, ratio: number, more: { flows?: number; timeout?: string; profile?: string } = {}): string {
  const { flows = 1, timeout = "5 ms", profile = "ns3" } = more;
  return `name = "thesis-wired"
description = "The thesis's dumbbell: the router on the way back lets one of N acknowledgements go on."
duration = "60 s"
start = "2 s"

[topology]
preset = "dumbbell"
pairs = ${flows}

[topology.access]
rate = "100 Mbit/s"
delay = "2 ms"

[topology.bottleneck]
rate = "10 Mbit/s"
delay = "20 ms"
queue = "40 packets"

[topology.bottleneck.reverse]
ack_filter = { name = "aggregate", ratio = ${ratio}, timeout = "${timeout}" }

[tcp]
profile = "${profile}"
send_buffer = "4 MiB"
recv_buffer = "4 MiB"

[[flow]]
name = "bulk"
cc = "${cc}"
ack = "per-packet"
start_jitter = "100 ms"${flows > 1 ? `\ncount = ${flows}` : ""}
`;
}

function radio(ampdu: string, amsdu: string, cc = "cubic"): string {
  return `name = "thesis-wifi"
description = "The thesis's 802.11n link of 65 Mbit/s between two wires."
duration = "10 s"
start = "1 s"
warmup = "2 s"

[topology]
preset = "wifi-dumbbell"

[topology.access]
rate = "100 Mbit/s"
delay = "2 ms"

[wifi]
standard = "n"
ampdu = "${ampdu}"
amsdu = "${amsdu}"

[tcp]
profile = "ns3"

[[flow]]
cc = "${cc}"
`;
}

const RATIO = { control: "link.reverse.ack_filter.ratio", values: [1, 2, 4, 8, 16] };

export const thesis: Tour = {
  id: "thesis",
  title: "ACK aggregation (thesis, TU Delft 2025)",
  paper: "H. Heinczinger, Investigating the Impact of ACK Aggregation on TCP Performance using ns-3, TU Delft 2025",
  study: "mac-aggregation",
  steps: [
    {
      title: "One of one",
      claim: "aggregation/5.2-transparent",
      says: "an aggregation ratio of 1:1 yields identical results to the baseline",
      verdict: "held",
      here: "A filter with the ratio 1 releases each acknowledgement as it comes. Choose none instead: no number changes. At 2:1 the acknowledgements halve.",
      toml: wired("cubic", 1),
      knob: {
        control: "link.reverse.ack_filter",
        values: ["none", { name: "aggregate", ratio: 1, timeout: "5 ms" }, { name: "aggregate", ratio: 2, timeout: "5 ms" }],
      },
      watch: ["goodput", "acks"],
    },
    {
      title: "CUBIC hardly notices",
      claim: "aggregation/T1-cubic-robust",
      says: "[CUBIC:] The average throughput remains close to the baseline for ratios up to 8:1",
      verdict: "held",
      here: "CUBIC's window is a function of time, not of acknowledgements. Raise the ratio: ACKs per data packet fall, goodput stays.",
      toml: wired("cubic", 1),
      knob: RATIO,
      watch: ["goodput", "acks", "window"],
    },
    {
      title: "The collapse that does not come",
      claim: "aggregation/T1-cubic-collapse",
      says: "[CUBIC:] Only under extreme aggregation does performance degrade significantly, dropping to 1.96",
      verdict: "did not hold",
      here: "The timer of 5 ms releases an acknowledgement before eight or sixteen have come. So 8:1 and 16:1 are the same run.",
      toml: wired("cubic", 8),
      knob: RATIO,
      watch: ["goodput", "acks"],
    },
    {
      title: "What the timer is for",
      claim: "aggregation/M-stall",
      says: "Feedback is too sparse in this case [without the timer], so a sender may stall entirely, waiting indefinitely for acknowledgements that never come",
      verdict: "held",
      here: "Set the timer to none. The first ten packets cause fewer acknowledgements than the filter waits for, so none goes on.",
      toml: wired("cubic", 16),
      knob: { control: "link.reverse.ack_filter.timeout", values: ["5 ms", "50 ms", "none"] },
      watch: ["goodput", "acks", "again"],
    },
    {
      title: "BBRv3 starts as before",
      claim: "aggregation/T1-bbr-drop",
      says: "For BBRv3, average throughput drops immediately when aggregation is introduced",
      verdict: "did not hold",
      here: "Goodput stays within a few percent from 1:1 to 2:1. The thesis's drop needs a filter that holds the SYN-ACK.",
      toml: wired("bbr3", 1),
      knob: RATIO,
      watch: ["goodput", "rtt", "again"],
    },
    {
      title: "BBRv3 loses more",
      claim: "aggregation/F4-bbr-noisy",
      says: "[BBRv3:] as ACK feedback becomes sparser ... leads to bursts of congestion and packet loss",
      verdict: "held",
      here: "Raise the ratio and look at what is sent again. In the study the queue over which BBRv3 cruises grows with the ratio, and each probe starts from it.",
      toml: wired("bbr3", 1),
      knob: RATIO,
      watch: ["again", "drops", "goodput"],
    },
    {
      title: "NewReno grows by ACKs",
      claim: "aggregation/F3-newreno-slower",
      says: "[NewReno:] As aggregation increases, it takes longer for the cwnd to grow",
      verdict: "held",
      here: "ns-3's NewReno adds to its window for each acknowledgement, not for each packet. Watch the window's slope. Linux's NewReno counts packets: set TCP like to linux and the slope stays.",
      toml: wired("newreno", 1),
      knob: RATIO,
      watch: ["window", "goodput"],
    },
    {
      title: "Vegas never overflows the queue",
      claim: "aggregation/F4-vegas-zero",
      says: "Vegas stands out with zero retransmissions across all aggregation levels",
      verdict: "held",
      here: "Vegas leaves slow start before the queue of 40 packets is full, at any ratio. It pays with goodput: it takes the wait of thinned acknowledgements for a queue.",
      toml: wired("vegas", 1),
      knob: RATIO,
      watch: ["again", "wait", "goodput"],
    },
    {
      title: "Two flows at 8:1",
      claim: "aggregation/T2-half",
      says: "they both [BBRv3 and CUBIC] drop to 0.5 at an 8:1 aggregation ratio ... the other starves",
      verdict: "did not hold",
      here: "The filter counts acknowledgements for each flow, and both flows live. Fairness of 0.5 needs one counter for both, which drops the SYN-ACK of one.",
      toml: wired("cubic", 8, { flows: 2 }),
      knob: RATIO,
      watch: ["fairness", "goodput"],
    },
    {
      title: "On the air it pays",
      claim: "aggregation/T4-overhead",
      says: "Without aggregation, each frame incurs full MAC overhead (headers, inter-frame spaces, backoff delays), which severely limits efficiency",
      verdict: "held",
      here: "Without A-MPDUs each packet takes an access of its own. Allow longer A-MPDUs and see what the airtime goes to.",
      toml: radio("off", "off"),
      knob: { control: "wifi.ampdu", values: ["off", "8 KiB", "16 KiB", "65535 B"] },
      watch: ["goodput", "ack_air"],
    },
  ],
};
