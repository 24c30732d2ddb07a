/** Figures about the laboratory itself. */
import { turn, type Figure } from "./shape";

export const method: Figure[] = [
  {
    id: "seeds",
    title: "One run is one draw",
    says:
      "The same uploads over 802.11n with five seeds. Each seed gives the same bytes whenever it runs, and each draws other backoffs " +
      "and losses. Short runs differ more than long ones: ask for several seeds, and look at the interval.",
    toml: `name = "seeds"
description = "Uploads over 802.11n with a few spoilt frames."
duration = "3 s"
warmup = "1 s"

[topology]
preset = "wlan"
stations = 5

[topology.wire]
rate = "100 Mbit/s"
delay = "10 ms"

[wifi]
standard = "n"
mcs = 7
bit_error_rate = 1e-6

[[flow]]
name = "upload"
cc = "cubic"
count = 5
start_jitter = "100 ms"
`,
    beside: turn("seed", ["seed"], [1, 2, 3, 4, 5]),
    knobs: [turn("duration", ["duration"], ["3 s", "10 s", "30 s"])],
    watch: ["goodput", "fairness", "rtt", "again"],
    charts: ["rtt"],
  },
  {
    id: "speed",
    title: "A minute of network in this page",
    says:
      "The simulator runs here, compiled to WebAssembly: one flow over a line of 10 Mbit/s. The time is that of your browser, for " +
      "a run with 240 samples of each quantity.",
    toml: `name = "speed"
description = "One flow over a line of 10 Mbit/s."
duration = "60 s"

[topology]
preset = "dumbbell"

[topology.bottleneck]
rate = "10 Mbit/s"
delay = "20 ms"
queue = "40 packets"

[[flow]]
name = "bulk"
cc = "cubic"
`,
    beside: turn("controller", ["flow", 0, "cc"], ["cubic", "newreno", "bbr3"]),
    knobs: [turn("duration", ["duration"], ["10 s", "60 s", "300 s"], "60 s")],
    watch: ["took", "events", "goodput", "rtt"],
    charts: ["goodput"],
  },
];
