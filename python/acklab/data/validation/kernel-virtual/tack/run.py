#!/usr/bin/env python3
"""TACK over a kernel's own path, never late: the two ends of acklab in User Mode Linux.

`python3 run.py [CASE ...]` writes tack.json beside itself; ../tc/build.sh makes the kernel. This
Python must have acklab. Sockets, timers, segmentation and scheduling are Linux's; so is the path,
two netem hops each way. Time stands still while the machine computes, so nothing is ever late.
"""

import json
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]

import machine  # noqa: E402
from ends import scenario  # noqa: E402

#: Seconds of each run, from the end of the handshake on.
SECONDS = 40
#: Seconds after which the start of a flow is over.
STEADY = 10
#: Of each case: Mbit/s, round trip in ms, the share lost each way, TACKs per round trip, and seeds.
CASES: dict[str, tuple[int, int, float, int, tuple[int, ...]]] = {
    "10 ms": (100, 10, 0, 4, (1, 2)),
    "20 ms": (100, 20, 0, 4, (1, 2)),
    "50 ms": (100, 50, 0, 4, (1, 2)),
    "100 ms": (100, 100, 0, 4, (1, 2)),
    "200 ms": (100, 200, 0, 4, (1, 2)),
    "200 ms, 1 % lost each way": (100, 200, 0.01, 4, (1, 2)),
    "200 ms, beta 2": (100, 200, 0, 2, (1, 2)),
    "20 Mbit/s, 40 ms": (20, 40, 0, 4, (1, 2, 3, 4)),
}


def case(name: str) -> str:
    """The shell text of a case: path, ends, and what the queues counted."""
    rate, rtt, loss, beta, _ = CASES[name]
    python = (
        f"PYTHONPATH={':'.join(p for p in sys.path if p)} {sys.executable} -B {HERE / 'ends.py'}"
    )
    # The bottleneck keeps one packet in service beside those that wait.
    waits = int(scenario(rate, rtt, loss, beta)["topology"]["bottleneck"]["queue"].split()[0])
    drawn = f"loss {100 * loss}%" if loss else ""
    rates = "\n".join(
        f"N {node} tc qdisc replace dev {dev} root netem rate {rate}mbit -14 limit {waits + 1}"
        for node, dev in (("r1", "eb"), ("r2", "ec"))
    )
    delays = "\n".join(
        f"N {node} tc qdisc replace dev {dev} root netem delay {rtt / 2}ms limit 100000 {drawn}"
        for node, dev in (("r2", "ed"), ("r1", "ea"))
    )
    return f"""{machine.PATH}
{rates}
{delays}
export HOME=/run
N rcv env {python} receive {rate} {rtt} {loss} {beta} {SECONDS} /mnt/receiver.json &
r=$!
sleep 0.5
N snd env {python} send {rate} {rtt} {loss} {beta} {SECONDS} /mnt/sender.json
wait $r
N r1 tc -s qdisc show dev eb > queue.txt
"""


def run(name: str, seed: int) -> dict[str, float]:
    """Boots one machine and says what its ends counted."""
    place = machine.WORK / "tack" / f"{name.replace(' ', '-').replace('/', '-')}-{seed}"
    machine.boot(place, case(name), seed, memory="1G")
    ours, theirs = (
        json.loads((place / f"{end}.json").read_text()) for end in ("sender", "receiver")
    )
    (_, sent), (end, got) = ours[-1], theirs[-1]
    (_, sent_early) = next(sample for sample in ours if sample[0] >= STEADY)
    (steady, got_early) = next(sample for sample in theirs if sample[0] >= STEADY)

    def rate(bytes_: int, seconds: float) -> float:
        return round(bytes_ * 8e-6 / seconds, 4)

    return {
        "seed": seed,
        "goodput_mbps": rate(got["received_bytes"], end),
        "data_packets": sent["data_packets"],
        "retransmissions": sent["retransmissions"],
        "tacks": got["tacks_sent"],
        "iacks": got["iacks_sent"],
        "rtt_min_ms": sent["min_rtt_ms"],
        "srtt_ms": round(statistics.median(r["srtt_ms"] for t, r in ours if t >= STEADY), 3),
        # From STEADY on.
        "steady_goodput_mbps": rate(
            got["received_bytes"] - got_early["received_bytes"], end - steady
        ),
        "steady_data_packets": sent["data_packets"] - sent_early["data_packets"],
        "steady_tacks": got["tacks_sent"] - got_early["tacks_sent"],
        "steady_iacks": got["iacks_sent"] - got_early["iacks_sent"],
    }


def main(names: list[str]) -> None:
    """Runs the cases and keeps what the others said."""
    kept = HERE / "tack.json"
    old = json.loads(kept.read_text()) if kept.exists() else {}
    for name in machine.chosen(names, CASES):
        *path, seeds = CASES[name]
        runs = [run(name, seed) for seed in seeds]
        old[name] = {"scenario": scenario(*path), "seconds": SECONDS, "runs": runs}
        kept.write_text(json.dumps({c: old[c] for c in CASES if c in old}, indent=1) + "\n")
        print(name, runs, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
