"""All feedback of TACK's receiver in 100 random runs, by the rules of docs/concepts/tack.md."""

from collections import Counter

import tack_feedback
from tack_runs import feedback_runs

RUNS = 100


def test_rules_and_runs_agree_on_every_packet_of_feedback():
    kinds: Counter[str] = Counter()
    for case, sent in feedback_runs(500, RUNS):
        assert tack_feedback.decide(case) == sent, case["parameters"]
        for packet in sent:
            kinds.update(iack[0] for iack in packet["iacks"])
            kinds["together"] += bool(packet["tack"] and packet["iacks"])
            kinds["in the window's place"] += (
                packet["tack"] and not packet["iacks"] and not packet["reason"]
            )
            kinds[str(packet["reason"])] += 1
    expected = {"loss", "mark", "window", "together", "in the window's place"}
    expected |= {"tack_now", "tack_periodic", "tack_byte_count", "tack_delayed", "tack_start_up"}
    assert all(kinds[k] >= 10 for k in expected), kinds
