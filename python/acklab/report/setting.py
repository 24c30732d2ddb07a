"""Metrics that a key of a scenario sets: that they follow it is no finding."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ACKS_RECEIVED = ("acks_received", "acks_per_s", "acks_per_rtt")
_ACKS = ("segments_per_ack", "acks_sent", "iacks_sent", *_ACKS_RECEIVED)
_RATES = ("goodput_mbps", "goodput_warm_mbps", "acked_mbps", "sent_mbps")
_COUNTS = ("received_bytes", "data_segments", "acks_sent", "acks_received")
_DELAYS = "(?:rtt|srtt|owd)_.*"
_LOSSES = "lost_segments|recoveries|retransmi.*"

#: Patterns of a key's path, and of the metrics that it sets. A rate bounds what can be delivered,
#: a delay is a part of each RTT, and a policy of ACKs is its number of segments per ACK. The way
#: back's rate, queues and losses set nothing that data are measured by.
_SET: tuple[tuple[str, str], ...] = (
    (r"(?:topology\.\w+|link\.\d+)\.rate", "|".join(_RATES)),
    (r"wifi\.\d+\.(?:rate|mcs|width|streams)", "|".join(_RATES)),
    (r".*\.qdisc\.(?:rate|bandwidth)|flow\.\d+\.(?:app|cc|transport)\.rate", "|".join(_RATES)),
    (r"(?:topology\.\w+|link\.\d+)(?:\.reverse)?\.delay", _DELAYS),
    (r"flow\.\d+\.ack(?:\.(?:name|l|r|alpha|per_rtt|threshold|segments))?", "|".join(_ACKS)),
    (r"flow\.\d+\.transport\.(?:l|beta)", "|".join(_ACKS)),
    (r".*\.ack_filter(?:\.(?:name|ratio))?", "|".join(_ACKS_RECEIVED)),
    (r"(?:topology\.\w+|link\.\d+)\.loss(?:\.\w+)?", _LOSSES),
    (r"duration", "|".join((*_COUNTS, _LOSSES))),
    (r"flow\.\d+\.app\.(?:bytes|packets|count)", "completion_s|" + "|".join(_COUNTS)),
    (r"flow\.\d+\.cc\.window", "cwnd_.*"),
)


def sets(keys: Sequence[str], metric: str) -> bool:
    """Whether one of `keys`, paths in a scenario, sets `metric` by what it is."""
    return any(
        re.fullmatch(key, path) and re.fullmatch(metrics, metric)
        for path in map(_numbered, keys)
        for key, metrics in _SET
    )


def _numbered(path: str) -> str:
    """A path with a number for each item of a list, which a list of one may leave out."""
    return re.sub(r"^(link|wifi|flow)\.(?!\d)", r"\1.0.", path)
