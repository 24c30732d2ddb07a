"""The definition of a metric."""

from __future__ import annotations

from dataclasses import dataclass

#: Sources that several definitions share.
TCP = "RFC 9293"
SACK = "RFC 2018"
DSACK = "RFC 2883, RFC 3708"
ECN = "RFC 3168"
RACK = "RFC 8985"
TIMESTAMPS = "RFC 7323"
RTO = "RFC 6298"
RTP = "RFC 3550 appendix A.3"
DOBRIAN = "Dobrian et al., SIGCOMM 2011, section 2"
JITTER = "RFC 3550 section 6.4.1"
ONE_WAY = "RFC 7679"


@dataclass(frozen=True)
class Definition:
    """One column of the tables, or one metric derived from them."""

    #: As tables and functions call it.
    name: str
    #: "" where there is none (names, counts, shares).
    unit: str
    #: One sentence, or a few.
    text: str
    #: The RFC's section, the paper, or "acklab" where it is our own.
    source: str
    #: The tables in which it is a column; none for a derived metric.
    tables: tuple[str, ...] = ()
    #: Streams that must be recorded for it to exist.
    needs: tuple[str, ...] = ()

    @property
    def derived(self) -> bool:
        """Whether it is computed from tables rather than a column of one."""
        return not self.tables


def column(
    table: str, name: str, unit: str, text: str, source: str = "acklab", needs: str = ""
) -> Definition:
    """A column; `table` and `needs` may name several, with spaces between."""
    return Definition(name, unit, text, source, tuple(table.split()), tuple(needs.split()))
