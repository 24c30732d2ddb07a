"""Errors of connections and transfers between two ends of TACK."""

from acklab.errors import AcklabError


class TackError(AcklabError):
    """A connection did not come about, or broke; the text says why and what to do."""
