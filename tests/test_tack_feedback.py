"""All feedback of TACK's receiver in 300 random runs, by the rules of docs/concepts/tack.md."""

from collections import Counter

import tack_feedback
from tack_runs import feedback_runs

RUNS = 300
#: How often the runs must show each kind of feedback: a test without them would prove nothing.
AT_LEAST = {
    "tack_now": 100,
    "tack_periodic": 100,
    "tack_byte_count": 100,
    "tack_delayed": 100,
    "tack_start_up": 100,
    "loss": 100,
    "settled later": 50,
    "loss without IACK": 50,
    "mark": 50,
    "window": 40,
    "together": 50,
    "in place of a window": 20,
}


def test_rules_and_runs_agree_on_every_packet_of_feedback():
    kinds: Counter[str] = Counter()
    for case, sent in feedback_runs(500, RUNS):
        receiver = tack_feedback.Receiver(case)
        lost = []
        lose = receiver.lose
        receiver.lose = lambda at, gap, lose=lose, lost=lost: (lost.append(at), lose(at, gap))
        assert receiver.answer(case) == sent, case["parameters"]
        arrivals = {packet["time"] for packet in case["received"]}
        kinds["settled later"] += sum(at not in arrivals for at in lost)
        if not case["parameters"]["iack"]:
            kinds["loss without IACK"] += len(lost)
        for packet in sent:
            kinds.update(iack[0] for iack in packet["iacks"])
            kinds["together"] += bool(packet["tack"] and packet["iacks"])
            kinds["in place of a window"] += (
                packet["tack"] and not packet["iacks"] and not packet["reason"]
            )
            kinds[str(packet["reason"])] += 1
    assert not {k: kinds[k] for k, least in AT_LEAST.items() if kinds[k] < least}, kinds
