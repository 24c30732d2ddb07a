"""ACK aggregation at a router of a wired dumbbell, and by the MAC of 802.11n.

H. Heinczinger, *Investigating the Impact of ACK Aggregation on TCP Performance using ns-3*,
bachelor thesis, TU Delft, 2025, and its poster.
"""
