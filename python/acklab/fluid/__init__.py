"""Equations that run: models of what the simulator simulates, with nothing of its code.

`access`, `bbr3` and `queues` are Eqs 1 to 24 of S. K. Shrestha, S. R. Pokhrel and J. Kua, *TCP BBR
Performance over Wi-Fi 6: AQM Impacts and Cross-Layer Insights*, section 3. A function has the
number of its equation. Where the printed form cannot be right there are two: `eq7_printed` is the
paper's, `eq7` is ours, and its text says why. `coupled` joins the corrected ones and solves them.
`responses` has the closed forms that others published: Mathis, PFTK, CUBIC's response function,
the asymmetry of RFC 3449, TACK's frequencies.

Units are SI units: seconds, bits, bits per second; a transport counts in packets. Every function
takes numbers, arrays, or quantities of a units library.
"""
