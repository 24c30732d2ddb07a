"""RED beside ns-3's, which is set to be Linux's law."""

import pytest

from acklab.validate import compare, ns3_red_rows

ROWS = ns3_red_rows()


def test_every_cell_has_several_seeds():
    assert {r.keys["tag"] for r in ROWS} == {"red-wide", "red-tight"}
    assert all(len(values) == 5 for r in ROWS for values in r.values.values())


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_goodput_and_drops_are_ns3s(row):
    """The median lies within ns-3's own five runs, or near them where these hardly differ."""
    (compared,) = compare([row], 5, 1, lambda *_: None)
    found = {m["metric"]: m for m in compared.rows()}
    for metric, share in (("goodput", 0.02), ("drops", 0.1)):
        of = found[metric]
        low, high = of["reference_low"], of["reference_high"]
        assert low * (1 - share) <= of["acklab"] <= high * (1 + share), of
