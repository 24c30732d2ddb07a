"""Closed forms of radio channels, apart from the simulator: the core has no part in them."""
