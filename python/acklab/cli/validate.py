"""`acklab validate`."""
from __future__ import annotations
def validate() -> int:
    """Compare with the Linux kernel and ns-3."""
    return 0
