"""Many stations upload over one access point: which ACK scheme or queue helps, and at what price.

The study goes beyond the paper that `ack_compression` judges: its claims are acklab's own.
"""
