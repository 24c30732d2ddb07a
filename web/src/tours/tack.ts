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
description = "UDP with an answer to every L-th packet, over 802.11n: what acknowledgements cost on the air."
duration = "5 s"

[topology]
preset = "wlan"

[[flow]]
name = "udp"
transport = { name = "cbr", rate = "60 Mbit/s", feedback = { every = ${every}, size = 64 } }
`;
}

function path(transport: string, more: { ackLoss?: number; loss?: number; rate?: string; delay?: string; queue?: string; cc?: string; flows?: string; duration?: string } = {}): string {
  const { ackLoss = 0, loss = 0, rate = "20 Mbit/s", delay = "50 ms", queue = "1 BDP", cc = '"bbr1"', flows, duration = "20 s" } = more;
  return `name = "tack-path"
description = "A wide-area path."
duration = "${duration}"
warmup = "5 s"

[topology]
preset = "dumbbell"
pairs = ${flows ? 2 : 1}

[topology.bottleneck]
rate = "${rate}"
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
cc = ${cc}
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
      here: "802.11n with A-MPDUs, with which the study decides: TACK has a few per cent more here, and 11 % in the study. Many of TCP's acknowledgements share an access to the channel. Then set A-MPDU to off: each needs an access of its own, and the gain is two to three times as large.",
      toml: download(TCP),
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
      here: "UDP answers every L-th packet. With A-MPDUs, with which the study decides, sixteen times as many answers cost a few per cent of the goodput. Then set A-MPDU to off: data and answers contend for each access, and goodput falls as in the paper.",
      toml: feedback(16),
      knob: { control: "flow.transport.feedback.every", values: [16, 4, 2, 1] },
      watch: ["goodput", "ack_rate", "ack_air"],
    },
    {
      title: "Periodic or by bytes",
      claim: "tack/E3-measured",
      says: "TACK turns to periodic ACK when bandwidth-delay product is large, and falls back to byte-counting ACK when it is small",
      verdict: "held",
      here: "A path of 10 ms. On a slow link there is an acknowledgement for two packets, so four times the rate is four times as many. On a fast one there are four in a round trip, 400 in a second, however fast it is.",
      toml: path(TACK, { rate: "1 Mbit/s", delay: "5 ms", queue: "1000 packets" }),
      knob: { control: "link.rate", values: ["1 Mbit/s", "4 Mbit/s", "16 Mbit/s", "64 Mbit/s", "256 Mbit/s"] },
      watch: ["ack_rate", "acks", "goodput"],
    },
    {
      title: "How many in a round trip",
      claim: "tack/E11-redundant",
      says: "doubling the ACK frequency reduces the bottleneck buffer requirement substantially",
      verdict: "held",
      here: "beta is the number of acknowledgements in a round trip. The window is one bandwidth-delay product, so nothing may wait in the queue. The sender waits for the next acknowledgement, the longer the fewer there are: beta in beta + 1 of the path is used. What is missing has to lie in a queue.",
      toml: path('{ name = "tack", beta = 2 }', { queue: "1000 packets", cc: '{ name = "fixed", window = 167 }' }),
      knob: { control: "flow.transport.beta", values: [2, 4, 8] },
      watch: ["goodput", "ack_rate", "rtt"],
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
      here: "BBR beside TCP with CUBIC: change what BBR's flow speaks, and see its part of a fair share. With TACK it takes somewhat more. In the study TACK has 1.12 and BBR 0.96 of a fair share over 100 paths. The depth of the queue decides more: set it to 1 BDP.",
      toml: path(TACK, {
        delay: "25 ms",
        queue: "3 BDP",
        duration: "60 s",
        flows: `
[[flow]]
name = "cubic"
cc = "cubic"

[[flow]]
name = "bbr"
transport = "tcp"
cc = "bbr1"
`,
      }),
      flow: 1,
      knob: SPOKEN,
      watch: ["goodput", "rtt"],
    },
  ],
};
