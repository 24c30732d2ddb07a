"""What the study's figures show, and what to see in them."""

from __future__ import annotations

_OPEN = (
    "open marks are ns-3.44 without any scheme, whose TCP delays ACKs and whose Lmax counts bytes "
    "on the air. "
)
_MEANS = "Means with 95 % intervals over seeds; "
_MARKS = f"{_MEANS}stars are numbers of the paper's text, a little beside their place, {_OPEN}"
FIG2 = f"{_MEANS}{_OPEN}" + (
    "20 stations, AGG. With room for all windows (10,000) nothing is lost; with 200 packets ACKs "
    "are lost as soon as stations send faster than the access point returns ACKs."
)
FIG3 = (
    "Crosses are the 20 flows of the first seed; squares and circles are mean and standard "
    "deviation over flows, averaged over seeds. Lost is what the access point's queue of 200 had "
    "no room for, as a share of the ACKs that came."
)
FIG5 = _MARKS + (
    "Lmax 16 KB, B = 200, no channel errors. What the text gives as a bound (with 30 stations RDG "
    "and TAC at least 0.99) is in the table, not drawn."
)
FIG6 = f"{_MEANS}stars are numbers of the paper's text. " + (
    "20 stations, B = 200, bit error rate 1e-5. Errors of the access point's and stations' MPDUs "
    "are repaired by the MAC, and what it delivers is in order."
)
MECHANISM = (
    "16 KB, one seed of 20 s. Above, packets that wait in the access point. In the middle, the "
    "windows of the flow with the highest and of the one with the lowest goodput. Below, each "
    "flow's goodput, as a multiple of an even share, against the share of its ACKs that found no "
    "room. To the left AGG with more and more stations, then what is done about it with 20."
)
AIR = (
    "Shares of the time after the start; on each bar the data packets that a station sends per "
    "access. What DIFF and RDG lose to collisions, and TAC saves of ACKs, is seen here."
)
MODERN = (
    "Means with 95 % intervals, stars and open marks as above. To the left the set-up that is "
    "nearest to the paper's ns-2, to the right Linux's TCP with the same window of 50 packets."
)
RIVALS = (
    "Above, stations of today; below, Linux's TCP with the paper's windows, packets and A-MPDUs. "
    "B = 200 unless the scheme brings another queue; means with 95 % intervals over seeds; open "
    "marks have RTS/CTS as well. "
    "Airtime of ACKs counts PPDUs with nothing but transport ACKs."
)
READINGS = (
    "One setting changed at a time; AGG, 30 stations, 16 KB, three seeds (ten with RTS, longer "
    "timeouts, both, and nothing changed). The dashed lines are the "
    "paper's, the grey ones the choices of the study."
)
ROBUST = (
    "20 stations, 16 KB, B = 200. A lossy wire loses one data packet in a thousand; "
    "with "
    "downloads, ten stations download and ten upload; Te is TAC's timer, also with one station."
)
BRIDGE = (
    "AGG, 20 stations, 200 packets, runs of 20 s (the study's: 60 s). From the settings of ns-3's "
    "reference runs to the study's, acklab with 95 % intervals over seeds beside three runs of "
    "ns-3.44 with the same settings."
)
