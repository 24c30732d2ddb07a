"""Equations that run: models of what the simulator simulates, with nothing of its code.

`access`, `bbr3` and `queues` are Eqs 1 to 24 of S. K. Shrestha, S. R. Pokhrel and J. Kua, *TCP BBR
Performance over Wi-Fi 6: AQM Impacts and Cross-Layer Insights*, section 3. A function has the
number of its equation. Where the printed form cannot be right there are two: `eq7_printed` is the
paper's, `eq7` is ours, and its text says why. `uplink` joins Eqs 1 to 8, and `system` solves Eqs 9
to 19 together, as printed and corrected, with `delays`.

`coupled` is what `acklab model` runs: the same queues, and senders (`senders`) that have the phases
of the protocols where the equations have smooth functions. `loops` and `red` have steady states,
and `stability` says whether they last. `scherrer` has other authors' systems for BBRv1 and BBRv2,
and `responses` the closed forms that others published: Mathis, PFTK, CUBIC's response function, the
asymmetry of RFC 3449, TACK's frequencies.

Units are SI units: seconds, bits, bits per second; a transport counts in packets.
"""
