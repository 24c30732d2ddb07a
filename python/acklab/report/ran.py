"""The first screen of a run's page: what ran, how it went, one picture."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError
from acklab.metrics.derived import DERIVED_COLUMNS, with_metric
from acklab.plots import rates, style
from acklab.plots.order import places
from acklab.plots.recorded import Recorded
from acklab.report import html, network
from acklab.report.paper.drawing import MOST_POINTS, Panel, Point, Series, bounds
from acklab.report.top import amount, header, picture, ticks_of

if TYPE_CHECKING:
    import polars as pl

#: The columns of the small table, if they have numbers and nobody chose others.
METRICS = ("goodput_mbps", "rtt_p50_ms", "rtt_p95_ms", "retransmissions")
#: Those that come with them where transports differ, or feedback shares the air with data.
FEEDBACK = ("acks_sent", "feedback_airtime_ms")
#: Flows in the small table, lines in the picture.
MOST_FLOWS, MOST_LINES = 8, 7
#: Columns of the picture of a run without samples over time, with their labels.
_RTTS = {"rtt_min_ms": "least", "rtt_p50_ms": "p50", "rtt_p95_ms": "p95", "rtt_p99_ms": "p99"}


def first_screen(source: Recorded, metrics: Sequence[str] = ()) -> str:
    """The head of the page; `metrics` are the columns of its table."""
    flows = source.table("flows")
    table = _table(source, flows, metrics) if flows is not None else ""
    drawn = "" if flows is None else _over_time(source) or _percentiles(source, flows)
    of = f"Run of {source.provenance}"
    more = f"{table}{_verdict(source)}{network.drawn(_parsed(source))}"
    return header(of, source.name, _answer(source, flows), drawn, more)


def _answer(source: Recorded, flows: pl.DataFrame | None) -> str:
    """The flows, and how much of each arrived, in Markdown."""
    about = _parsed(source)
    described = str(about.get("description", ""))
    if source.changes:
        changed = ", ".join(f"`{c}`" for c in source.changes)
        described = f"{described} **Changed on the command line**: {changed}.".strip()
    ran = _ran(source, about, flows)
    came = _came(flows) if flows is not None else ""
    return "\n\n".join(x for x in (described, " ".join(y for y in (ran, came) if y)) if x)


def _ran(source: Recorded, about: Mapping[str, Any], flows: pl.DataFrame | None) -> str:
    if flows is None:
        return "Nothing flowed."
    count = len(flows)
    whose = Counter(_controllers(flows))
    ccs = list(whose)
    of = ", ".join(f"{n} with {cc}" for cc, n in whose.most_common())
    if len(ccs) in (1, count) and sum(whose.values()) == count:
        of = " and ".join(x for x in (", ".join(ccs[:-1]), ccs[-1]) if x)
    told = f"{count} flows" if count > 1 else "One flow"
    told += f" ({of})" if of else ""
    told += f" ran for {about['duration']}" if "duration" in about else " ran"
    return f"{told}{_through(source, about)}."


def _names_transports(flows: pl.DataFrame) -> bool:
    """Whether not everything is TCP. Results of other programs do not say."""
    return "transport" in flows.columns and any(t != "tcp" for t in flows["transport"])


def _controllers(flows: pl.DataFrame) -> Sequence[str]:
    """The controller of each flow that has one, with its transport where it is not always TCP."""
    if "cc" not in flows.columns:
        return []
    if not _names_transports(flows):
        return [str(cc) for cc in flows["cc"].drop_nulls()]
    pairs = flows.select("cc", "transport").drop_nulls().rows()
    return [cc if cc == transport else f"{cc} over {_loud(transport)}" for cc, transport in pairs]


def _loud(transport: str) -> str:
    """A transport in a sentence."""
    return transport.upper()


def _through(source: Recorded, about: Mapping[str, Any]) -> str:
    """The radio channel, or the link that was busy longest with its rate and delay."""
    airtime = source.table("airtime")
    if airtime is not None:
        return _on_air(airtime, about)
    links = source.table("links")
    if links is None or links["utilisation"].count() == 0:
        return ""
    name, busy = links.sort("utilisation", descending=True).select("link", "utilisation").row(0)
    known = [x for link in about.get("link", []) for x in (link, link.get("reverse", {}))]
    found: Mapping[str, Any] = next((x for x in known if x.get("name") == name), {})
    traits = [str(found[k]) for k in ("rate", "delay") if isinstance(found.get(k), str)]
    told = f" ({', '.join(traits)})" if traits else ""
    return f"; the link `{name}`{told} was busy {100 * busy:.0f} % of the time"


def _on_air(airtime: pl.DataFrame, about: Mapping[str, Any]) -> str:
    """The channel that was idle least: idle means that nobody had anything to send."""
    import polars as pl

    idle = pl.col("airtime_s").filter(pl.col("use") == "idle").sum() / pl.col("airtime_s").sum()
    channels = airtime.group_by("medium", maintain_order=True).agg(idle.alias("idle"))
    name, share = channels.sort("idle", maintain_order=True).row(0)
    wifi: Mapping[str, Any] = next((w for w in about.get("wifi", []) if w.get("name") == name), {})
    told = f" (802.11{wifi['standard']})" if "standard" in wifi else ""
    return f"; the radio channel `{name}`{told} was in use {100 * (1 - share):.0f} % of the time"


def _came(flows: pl.DataFrame) -> str:
    """How much arrived, and how it was shared."""
    goodput = flows["goodput_mbps"].drop_nulls()
    if not len(goodput):
        return ""
    total = amount(float(goodput.sum()), "goodput_mbps")
    if len(goodput) == 1:
        return f"Its goodput is **{total}**."
    jain = with_metric(flows, "jain")["jain"][0]
    shared = f", Jain's index of their shares is {jain:.3f}" if jain is not None else ""
    return f"Together they have **{total}** of goodput{shared}."


def _parsed(source: Recorded) -> Mapping[str, Any]:
    try:
        return tomllib.loads(source.resolved)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _table(source: Recorded, flows: pl.DataFrame, metrics: Sequence[str]) -> str:
    """A row per flow."""
    import polars as pl

    for metric in metrics:
        flows = _with(flows, metric, source)
    named = _names_transports(flows)
    usual = (*METRICS, *(FEEDBACK if named or source.table("airtime") is not None else ()))
    wanted = [*metrics] or [m for m in usual if m in flows.columns and flows[m].count()]
    cut = flows.head(MOST_FLOWS).select(
        "flow",
        *(["transport"] if named else []),
        *(pl.col("cc").alias(style.heading("cc")) for _ in [0] if flows["cc"].count()),
        *(pl.col(m).alias(_narrow(style.heading(m))) for m in wanted),
    )
    more = ""
    if len(flows) > MOST_FLOWS:
        more = (
            f'<p class="note">{MOST_FLOWS} of {len(flows):,} flows; every one is under '
            '<a href="#flows">Flows</a>.</p>'
        )
    return html.table(cut, "The flows in short", sortable=len(cut) > 1) + more


def _narrow(heading: str) -> str:
    """The longest word of a heading may be broken: the table stands on phones, too."""
    return heading.replace("retransmissions", "retrans\u00admissions")


def _with(flows: pl.DataFrame, metric: str, source: Recorded) -> pl.DataFrame:
    from difflib import get_close_matches

    known = with_metric(flows, metric, lambda: source.table("series"))
    if metric in known.columns:
        return known
    close = get_close_matches(metric, [*flows.columns, *DERIVED_COLUMNS], 1)
    hint = f"did you mean {close[0]}?" if close else "acklab explain lists all names"
    raise AcklabError(f"the table flows has no column {metric!r}\n  help: {hint}")


def _verdict(source: Recorded) -> str:
    """Whether the run is as its scenario expects."""
    expected = source.table("expectations")
    if expected is None:
        return ""
    met = int((expected["verdict"] == "met").sum())
    word, sign = ("met", "✓") if met == len(expected) else ("not", "✗")
    told = f"{met} of {len(expected)}" if len(expected) > 1 else ("1" if met else "0 of 1")
    noun = "expectation" if len(expected) == 1 else "expectations"
    return (
        f'<p><span class="verdict {word}"><span aria-hidden="true">{sign}</span> {told} {noun} of '
        'the scenario met</span> <a href="#expectations">see which</a></p>'
    )


def _over_time(source: Recorded) -> str:
    """Goodput of each flow over windows, if there are samples."""
    series = source.table("series")
    if series is None or series["time_s"].n_unique() < 3:
        return ""
    at = places(source)
    shown = sorted(series["flow"].unique().to_list(), key=lambda f: at.get(f, len(at)))
    times = series["time_s"].unique().sort()
    window = max(rates.window_of(series), float(times[-1] - times[0]) / (MOST_POINTS // 2))
    rate = rates.goodput(series, window)
    lines = [
        Series(name, at.get(name, i), [Point(round(t, 9), v) for t, v in rows])
        for i, name in enumerate(shown[:MOST_LINES])
        if (rows := rate.filter(rate["flow"] == name).select("time_s", "mbps").rows())
    ]
    if not lines:
        return ""
    keys, labels = ticks_of([float(p.x) for s in lines for p in s.points])
    of = Panel("", lines, keys, labels)
    cut = f"{len(lines)} of {len(shown)} flows; " if len(shown) > len(lines) else ""
    caption = (
        f"Goodput over windows of {window:.2g} s; {cut}more under [Over time](#series), "
        "where you can zoom."
    )
    return picture([(of, "time, s", "goodput, Mbit/s")], [bounds([of])], caption)


def _percentiles(source: Recorded, flows: pl.DataFrame) -> str:
    """The round-trip times of each flow, from the least to nearly the largest."""
    columns = [c for c in _RTTS if c in flows.columns]
    rows = flows.filter(flows[columns[0]].is_not_null()) if columns else flows.clear()
    lines = [
        Series(
            str(row["flow"]),
            i,
            [Point(_RTTS[c], float(row[c])) for c in columns if row[c] is not None],
        )
        for i, row in enumerate(rows.head(MOST_LINES).iter_rows(named=True))
    ]
    if not lines:
        return ""
    labels = [_RTTS[c] for c in columns]
    of = Panel("", lines, labels, labels)
    cut = f" {len(lines)} of {len(rows)} flows." if len(rows) > len(lines) else ""
    caption = (
        f"Round-trip times: the least, the median, the 95th and 99th percentile.{cut} The run has "
        "no samples over time; `acklab run` has them with `--record all`."
    )
    return picture([(of, "share of samples", "RTT, ms")], [bounds([of])], caption)
