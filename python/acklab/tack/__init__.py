"""TACK on real networks: connections, and files over them."""

from __future__ import annotations

from acklab.tack.messages import PeerGone, Refused, TransferError
from acklab.tack.receiving import Received, receive
from acklab.tack.sending import send

__all__ = ["PeerGone", "Received", "Refused", "TransferError", "receive", "send"]
