"""The short ways of studies to a run's numbers give what its frames have."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import polars as pl
import pytest

import acklab
from acklab.studies import values

if TYPE_CHECKING:
    from acklab.results import Result


@pytest.fixture(scope="module")
def result() -> Result:
    """Two stations, one of which has nothing to send in time."""
    (result,) = acklab.run_many(
        [
            (
                acklab.load(
                    {
                        "name": "values",
                        "duration": "2 s",
                        "topology": {"preset": "wlan", "stations": 2},
                        "wifi": {"mcs": 7},
                        "flow": [{"cc": "cubic"}, {"cc": "newreno", "start": "1.9 s"}],
                    }
                ),
                1,
            )
        ]
    )
    return result


def test_every_number_of_a_flow(result: Result) -> None:
    for i, row in enumerate(result.flows.iter_rows(named=True)):
        assert {c: values.of_flow(result, c, i) for c in row} == row
    assert values.goodputs(result) == result.flows["goodput_mbps"].to_list()


def test_numbers_of_links_and_stations(result: Result) -> None:
    numbers = [c for c, kind in result.links.schema.items() if kind.is_numeric()]
    for row in result.links.iter_rows(named=True):
        of = {c: values.of_link(result, c, row["link"]) for c in numbers}
        assert of == {c: row[c] or 0 for c in numbers}
    for row in result.stations.iter_rows(named=True):
        assert values.of_station(result, "mpdus", row["station"]) == row["mpdus"]
    assert values.of_station(result, "mpdus", "nobody") == 0


def test_uses_of_the_air(result: Result) -> None:
    spent = result.airtime.group_by("use").agg(pl.col("airtime_s").sum())
    assert dict(values.airtime(result)) == pytest.approx(dict(spent.iter_rows()))


def test_what_is_said_once_goes_with_the_run() -> None:
    said = []

    @values.once_per_run
    def twice(r: Result, by: int) -> list[int]:
        said.append(by)
        return [by, by]

    class Run:
        pass

    run = Run()
    assert twice(run, 1) is twice(run, 1)  # type: ignore[arg-type]
    assert twice(run, 2) == [2, 2]  # type: ignore[arg-type]
    assert said == [1, 2]
    gone = weakref.ref(run)
    del run
    gc.collect()
    assert gone() is None
