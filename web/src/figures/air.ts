/** Figures about acknowledgements on a radio channel. */
import { turn, type Figure } from "./shape";

const FLOW = ["flow", 0];
const AMPDU = ["wifi", "ampdu"];

export const air: Figure[] = [
  {
    id: "tack",
    title: "Delayed ACK against TACK",
    says:
      "A station downloads over 802.11n. TCP's receiver acknowledges every second packet, and each acknowledgement has to win the " +
      "channel. TACK's receiver sends about four in a round trip. Without aggregation the airtime goes to data instead; with A-MPDUs " +
      "many ACKs share an access, and the gain is small.",
    toml: `name = "tack-airtime"
description = "A station downloads over 802.11n from a server behind a wire."
duration = "6 s"
start = "1 s"
warmup = "2 s"

[topology]
preset = "wlan"
direction = "down"

[topology.wire]
rate = "1 Gbit/s"
delay = "20 ms"

[wifi]
standard = "n"
mcs = 7
ampdu = "off"

[[flow]]
name = "download"
transport = "tcp"
cc = "bbr1"
`,
    beside: {
      label: "acknowledgements",
      values: [
        { label: "delayed ACK", set: [[[...FLOW, "transport"], "tcp"], [[...FLOW, "ack"], "delayed"]] },
        { label: "TACK", set: [[[...FLOW, "transport"], "tack"], [[...FLOW, "ack"], undefined]] },
      ],
    },
    knobs: [
      turn("A-MPDU", AMPDU, ["off", "8 KiB", "65535 B"]),
      turn("delay of the wire", ["topology", "wire", "delay"], ["1 ms", "20 ms", "100 ms"], "20 ms"),
    ],
    watch: ["goodput", "ack_rate", "acks", "ack_air"],
    charts: ["goodput"],
    airtime: true,
  },
  {
    id: "ampdu",
    title: "A-MPDU and ACK contention",
    says:
      "Stations download, and their acknowledgements contend with the access point's data. Without A-MPDUs each packet and each " +
      "acknowledgement takes an access of its own, with backoff and MAC ACK. A-MPDUs share all that among dozens. The more stations " +
      "answer at once, the more of their accesses collide.",
    toml: `name = "ampdu-contention"
description = "Stations download over 802.11n, and their acknowledgements contend with the access point."
duration = "4 s"
warmup = "1 s"

[topology]
preset = "wlan"
direction = "down"
stations = 5

[topology.wire]
rate = "1 Gbit/s"
delay = "5 ms"

[wifi]
standard = "n"
mcs = 7

[[flow]]
name = "download"
cc = "cubic"
count = 5
`,
    beside: turn("A-MPDU", AMPDU, ["off", "8 KiB", "65535 B"]),
    knobs: [
      {
        label: "stations",
        values: [1, 5, 15].map((n) => ({ label: String(n), set: [[["topology", "stations"], n], [[...FLOW, "count"], n]] })),
        first: 1,
      },
      turn("flows go", ["topology", "direction"], ["down", "up"]),
    ],
    watch: ["goodput", "ack_rate", "ack_air", "fairness", "rtt"],
    charts: [],
    airtime: true,
  },
];
