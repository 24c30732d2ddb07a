import type { Tour } from "./tours";

/** A download over a radio link and a wire behind it, with one transport. */
function download(transport: string, more: { wifi?: string; delay?: string; cc?: string; ack?: string; loss?: string } = {}): string {
  const { wifi = 'standard = "n"\nmcs = 7', delay = "40 ms", cc = "bbr1", ack = "", loss = "" } = more;
  return `name = "tack-download"
description = "A station downloads over 802.11 from a server behind a wire."
duration = "10 s"
start = "1 s"
warmup = "3 s"

[topology]
preset = "wlan"
direction = "down"

[topology.wire]
rate = "1 Gbit/s"
delay = "${delay}"${loss}

[wifi]
${wifi}

[[flow]]
name = "download"
transport = ${transport}
cc = "${cc}"${ack}
`;
}

function feedback(every: number): string {
  return `name = "tack-feedback"
description = "UDP with an answer to every L-th packet, over 802.11n without aggregation: what acknowledgements cost on the air."
duration = "5 s"

[topology]
preset = "wlan"

[wifi]
ampdu = "off"

[[flow]]
name = "udp"
transport = { name = "cbr", rate = "60 Mbit/s", feedback = { every = ${every}, size = 64 } }
`;
}

function path(transport: string, more: { ackLoss?: number; loss?: number; delay?: string; queue?: string; flows?: string } = {}): string {
  const { ackLoss = 0, loss = 0, delay = "50 ms", queue = "1 BDP", flows } = more;
  return `name = "tack-path"
description = "A wide-area path with losses."
duration = "20 s"
warmup = "5 s"

[topology]
preset = "dumbbell"
pairs = ${flows ? 2 : 1}

[topology.bottleneck]
rate = "20 Mbit/s"
delay = "${delay}"
queue = "${queue}"
loss = ${loss}

[topology.bottleneck.reverse]
queue = "1000 packets"
loss = ${ackLoss}
${flows ?? `
[[flow]]
name = "flow"
transport = ${transport}
cc = "bbr1"
`}`;
}

const TCP = '"tcp"';
const TACK = '"tack"';
const SPOKEN = { control: "flow.transport", values: ["tcp", "tack"] };

export const tack: Tour = {
  id: "tack",
  title: "TACK (SIGCOMM 2020)",
  paper: "T. Li et al., TACK: Improving Wireless Transport Performance by Taming Acknowledgments, SIGCOMM 2020",
  study: "tack",
  steps: [
    {
      title: "Fewer acknowledgements",
      claim: "tack/F1-reduced",
      says: "TCP-TACK reduces over 90% of ACKs",
      verdict: "held in part",
      here: "Change the transport, and see acknowledgements per data packet and per second. In the study they are 96 to 99 % fewer with 802.11g, n and ac, and 80 % fewer with b, where a round trip is a few dozen packets.",
      toml: download(TCP),
      knob: SPOKEN,
      watch: ["acks", "ack_rate", "goodput", "ack_air"],
    },
    {
      title: "Less airtime, more goodput",
      claim: "tack/F10a-gain",
      says: "TCP-TACK obtains 20% ~ 28.1% of average goodput improvement over TCP BBR",
      verdict: "held in part",
      here: "Without aggregation each acknowledgement takes an access of its own, and TACK gains. Then set A-MPDU to 65535 B: many acknowledgements share an access, and the gain shrinks.",
      toml: download(TCP, { wifi: 'standard = "n"\nmcs = 7\nampdu = "off"\namsdu = "off"' }),
      knob: SPOKEN,
      watch: ["goodput", "ack_air", "acks"],
    },
    {
      title: "The ratio over 802.11g",
      claim: "tack/F10a-ratio",
      says: "over the 802.11g wireless links, number of ACKs / number of data packets of TCP-TACK approximates 1.9%, and which of TCP BBR approximates 50%",
      verdict: "held",
      here: "802.11g at 54 Mbit/s, 80 ms away. Read the acknowledgements per data packet with both transports.",
      toml: download(TCP, { wifi: 'standard = "g"\nrate = "54 Mbit/s"' }),
      knob: SPOKEN,
      watch: ["acks", "ack_rate", "goodput"],
    },
    {
      title: "What feedback costs on the air",
      claim: "tack/F3-falls",
      says: "the throughput on the data path decreases significantly with the increase of the ACK frequency",
      verdict: "did not hold",
      here: "UDP answers every L-th packet. Without aggregation, as here, goodput falls when L gets smaller: data and answers contend. The study decides with A-MPDUs, where there is no such fall: set A-MPDU back to its default.",
      toml: feedback(16),
      knob: { control: "flow.transport.feedback.every", values: [1, 2, 4, 16] },
      watch: ["goodput", "ack_air"],
    },
    {
      title: "Periodic or by bytes",
      claim: "tack/E3-measured",
      says: "TACK turns to periodic ACK when bandwidth-delay product is large, and falls back to byte-counting ACK when it is small",
      verdict: "held",
      here: "At short delays there are about as many acknowledgements as milliseconds, the shortest interval. At long ones there are four in the shortest round trip, however fast the link, and one more for each loss.",
      toml: download(TACK, { delay: "1 ms" }),
      knob: { control: "link.delay", values: ["0.2 ms", "1 ms", "5 ms", "40 ms", "100 ms"] },
      watch: ["acks", "ack_rate", "goodput"],
    },
    {
      title: "How many in a round trip",
      claim: "tack/E11-redundant",
      says: "doubling the ACK frequency reduces the bottleneck buffer requirement substantially",
      verdict: "held",
      here: "beta is the number of acknowledgements in a round trip. With few of them the sender needs more room in the bottleneck's queue. Here it has a fifth of the path's bandwidth-delay product: compare values of beta, then give it more room.",
      toml: path('{ name = "tack", beta = 4 }', { queue: "0.2 BDP" }),
      knob: { control: "flow.transport.beta", values: [2, 4, 8] },
      watch: ["goodput", "acks", "drops"],
    },
    {
      title: "When acknowledgements get lost",
      claim: "tack/F5b-rich",
      says: "the utilization of TACK-rich is barely decreased with the high ACK loss (10%)",
      verdict: "held",
      here: "Lose more acknowledgements on the way back. A rich TACK repeats what it knows and loses little. In the study it uses 91 % of 20 and of 100 Mbit/s if hardly any are lost, and 89 and 91 % if a tenth is.",
      toml: path('{ name = "tack", blocks = "rich" }', { loss: 0.01, ackLoss: 0.002 }),
      knob: { control: "link.reverse.loss", values: [0, 0.002, 0.02, 0.1] },
      watch: ["goodput", "again"],
    },
    {
      title: "A poor TACK",
      claim: "tack/F5b-poor",
      says: "TACK-poor suffers from throughput decline in the case of ACK loss",
      verdict: "held",
      here: "One block in each acknowledgement instead of as many as fit. It repairs about one gap in a round trip.",
      toml: path('{ name = "tack", blocks = "poor" }', { loss: 0.01, ackLoss: 0.1 }),
      knob: { control: "flow.transport.blocks", values: ["poor", "adaptive", "rich"] },
      watch: ["goodput", "again"],
    },
    {
      title: "TCP with thinned ACKs and a loss",
      claim: "tack/F10b-none",
      says: "at L = 8 and L = 16 next to nothing of the goodput is left",
      verdict: "did not hold",
      here: "A TCP whose receiver acknowledges every L-th packet, one packet in a thousand lost. With SACK L = 8 costs nothing here. L = 16 is more than the first window of ten packets, so each round waits for the timer of the receiver.",
      toml: download(TCP, { delay: "5 ms", ack: '\nack = { name = "byte-counting", l = 8 }', loss: "\n\n[topology.wire.reverse]\nloss = 0.001" }),
      knob: { control: "flow.ack.l", values: [1, 2, 4, 8, 16] },
      watch: ["goodput", "acks", "again"],
    },
    {
      title: "Beside CUBIC",
      claim: "tack/F15-cubic",
      says: "the co-designed BBR has the similar TCP friendliness to the standard BBR",
      verdict: "held in part",
      here: "TACK with BBR beside TCP with CUBIC. In the study TACK has 1.12 and BBR 0.96 of a fair share over 100 paths. Change the queue: its depth decides more.",
      toml: path(TACK, {
        delay: "25 ms",
        flows: `
[[flow]]
name = "cubic"
cc = "cubic"

[[flow]]
name = "tack"
transport = "tack"
cc = "bbr1"
`,
      }),
      knob: { control: "link.queue", values: ["0.3 BDP", "1 BDP", "3 BDP"] },
      watch: ["fairness", "goodput", "rtt"],
    },
  ],
};
