"""`acklab explain`: what a column or a metric is."""

from __future__ import annotations

from typing import Annotated

import typer


def explain(
    name: Annotated[
        str | None, typer.Argument(help="A column or a metric, such as owd_p95_ms or jain.")
    ] = None,
) -> None:
    """Say what a metric is, its unit and its source; without a name, list all."""
    if name is None:
        _all()
    else:
        _one(name)


def _all() -> None:
    from rich.table import Table

    from acklab.cli.show import console
    from acklab.metrics import DEFINITIONS

    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in ("name", "unit", "where", "recorded with"):
        table.add_column(head, no_wrap=True)
    for d in DEFINITIONS.values():
        where = "acklab.metrics" if d.derived else ", ".join(d.tables)
        table.add_row(d.name, d.unit, where, " ".join(d.needs))
    console().print(table)


def _one(name: str) -> None:
    from acklab.cli.show import console
    from acklab.metrics import defined

    d = defined(name)
    lines = [f"{d.name}{f' ({d.unit})' if d.unit else ''}", f"  {d.text}", f"  source: {d.source}"]
    if d.derived:
        lines.append(f"  computed by acklab.metrics.{d.name}")
    else:
        lines.append(f"  column of {', '.join(d.tables)}")
    needs = d.needs or _stream_of(d.tables)
    if needs:
        lines.append(f"  recorded with --record {','.join(needs)}")
    console().print("\n".join(lines), markup=False, soft_wrap=True)


def _stream_of(tables: tuple[str, ...]) -> tuple[str, ...]:
    """What must be recorded for a column all of whose tables are recorded on demand."""
    streams = {"link_series": "series"}
    if not tables or {"flows", "links"} & set(tables):
        return ()
    return tuple(dict.fromkeys(streams.get(t, t) for t in tables))
