/** Figures about queues. */
import { turn, type Figure } from "./shape";

const QDISC = ["link", 2, "qdisc"];
const shaper = (child: string) => ({ name: "tbf", rate: "20 Mbit/s", child: { name: child } });

export const queues: Figure[] = [
  {
    id: "cake-hosts",
    title: "CAKE and two hosts",
    says:
      "The office backs up with several flows, the kitchen makes a call with one. A FIFO gives to whoever fills it, and everybody " +
      "waits. FQ-CoDel shares among flows, so more flows get more. CAKE shares among hosts first: the call has half of the line, " +
      "however many flows the office opens.",
    toml: `name = "cake-hosts"
description = "The flows of one host beside one of another, behind a line of 20 Mbit/s."
duration = "15 s"
warmup = "3 s"

[[node]]
name = "office"

[[node]]
name = "kitchen"

[[node]]
name = "router"

[[node]]
name = "server"

[[link]]
a = "office"
b = "router"
rate = "100 Mbit/s"
delay = "1 ms"

[[link]]
a = "kitchen"
b = "router"
rate = "100 Mbit/s"
delay = "1 ms"

[[link]]
a = "router"
b = "server"
rate = "100 Mbit/s"
delay = "15 ms"
qdisc = { name = "cake", bandwidth = "20 Mbit/s", isolation = "dual-srchost" }

[[flow]]
name = "backup"
cc = "cubic"
count = 4
from = "office"
to = "server"

[[flow]]
name = "call"
cc = "cubic"
from = "kitchen"
to = "server"
`,
    beside: {
      label: "discipline",
      values: [
        { label: "FIFO", set: [[QDISC, { name: "tbf", rate: "20 Mbit/s", child: { name: "pfifo", queue: "100 packets" } }]] },
        { label: "FQ-CoDel", set: [[QDISC, shaper("fq-codel")]] },
        { label: "CAKE", set: [[QDISC, { name: "cake", bandwidth: "20 Mbit/s", isolation: "dual-srchost" }]] },
      ],
    },
    knobs: [turn("flows of the office", ["flow", 0, "count"], [1, 4, 16], 4)],
    watch: [{ flows: "call", label: "Goodput of the kitchen" }, { flows: "backup", label: "Goodput of the office" }, "rtt", "again"],
    charts: [{ flows: "call", label: "Goodput of the kitchen" }],
  },
];
