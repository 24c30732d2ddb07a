"""The columns of `stations`, `airtime`, `ampdu_sizes` and `ppdus`: of radio channels."""

from __future__ import annotations

from acklab.metrics.definition import column

_WIFI = "IEEE 802.11-2020"
_AX = "IEEE 802.11ax-2021"
_AIR = "Time on the air, preambles included, of PPDUs that this station sent"
_SUM = (
    "All uses of a station sum to the length of the run, the time before `start` included: of each "
    "instant the first of data_s to noise_s, others_s, sifs_s, contention_s, idle_s that is true."
)

MEDIA = (
    column("stations airtime ampdu_sizes ppdus", "medium", "", "Name of the radio channel."),
    column("stations ampdu_sizes", "station", "", "Its node; the access point is the first."),
    column("stations", "data_s", "s", f"{_AIR} and that held transport data."),
    column(
        "stations",
        "transport_ack_s",
        "s",
        f"{_AIR} and that held nothing but acknowledgements of transports: no IP packet is longer "
        "than 80 bytes, or it is TACK's feedback of any length.",
    ),
    column(
        "stations",
        "mac_ack_s",
        "s",
        f"{_AIR} and that were ACKs or Block Acks.",
        f"{_WIFI} 9.3.1.4, 9.3.1.8",
    ),
    column(
        "stations",
        "control_s",
        "s",
        f"{_AIR} and that were RTS, CTS, Block Ack Requests, ADDBA or ARP.",
        f"{_WIFI} 9.3.1.2, 9.3.1.3, 9.3.1.7",
    ),
    column(
        "stations",
        "collision_s",
        "s",
        f"{_AIR}, during which another PPDU kept their receiver from reading them: all of a PPDU "
        "of which it read nothing, otherwise the time of the overlap.",
    ),
    column(
        "stations",
        "noise_s",
        "s",
        f"{_AIR} and of which their receiver could read nothing because of bit errors.",
    ),
    column(
        "stations",
        "others_s",
        "s",
        "Time in which it does not send and hears another send, for whoever that is, or in which a "
        "reservation (NAV) keeps it silent; not while an exchange of its own is under way or it is "
        f"in a SIFS. {_SUM}",
        f"{_WIFI} 10.3.2.1, 10.3.2.4",
    ),
    column(
        "stations",
        "sifs_s",
        "s",
        "Time in which it hears nobody, in a SIFS of an exchange that it began or answers. A SIFS "
        f"between others is others_s where their exchange has reserved it. {_SUM}",
        f"{_WIFI} 10.3.2.3.3",
    ),
    column(
        "stations",
        "contention_s",
        "s",
        "Backoff: time in which the medium is idle for it and it waits for its turn (AIFS or DIFS, "
        "EIFS, slots), or an answer to it is due and does not come. Not backoff without a frame "
        f"behind it, and not ACKs that are kept back for an answer to carry. {_SUM}",
        f"{_WIFI} 10.3.2.3, 10.23.2.4",
    ),
    column(
        "stations",
        "idle_s",
        "s",
        f"Time in which the medium is idle for it and it contends for nothing. {_SUM}",
    ),
    column("stations", "accesses", "", "Times that it won the medium.", f"{_WIFI} 10.23.2.4"),
    column(
        "stations",
        "access_delay_mean_ms",
        "ms",
        "Mean time from wanting the medium to winning it.",
    ),
    column("stations", "access_delay_max_ms", "ms", "The longest such time."),
    column("stations", "failures", "", "Transmissions of its own that were not answered."),
    column(
        "stations",
        "internal_collisions",
        "",
        "Times that two of its own access categories won at once.",
        f"{_WIFI} 10.23.2.4",
    ),
    column("stations", "data_ppdus", "", "PPDUs with data that it sent."),
    column(
        "stations ampdu_sizes ppdus",
        "mpdus",
        "",
        "MPDUs with data, repetitions included: of a station in all its PPDUs, of a size of A-MPDU "
        "and of a PPDU in one.",
        f"{_WIFI} 9.7",
    ),
    column("stations", "retries", "", "Those of them that were repetitions."),
    column(
        "stations",
        "acks_carried",
        "",
        "Transport ACKs that arrived in its answers to data (`hack`).",
    ),
    column(
        "stations",
        "acks_carried_in_vain",
        "",
        "Transport ACKs in answers of its own that could not be read.",
    ),
    column(
        "stations",
        "acks_kept_in_vain",
        "",
        "Times that it had kept ACKs for an answer as long as `hack.patience`, and none was due.",
    ),
    column(
        "stations",
        "arp_requests",
        "",
        "Requests for addresses that it sent, repetitions included.",
        "RFC 826",
    ),
    column("stations", "arp_replies", "", "Requests for its address that it answered.", "RFC 826"),
    column(
        "stations",
        "arp_lost",
        "",
        "ARP packets that it could not deliver: dropped, given up, or sent to all stations and "
        "not read.",
    ),
    column(
        "stations",
        "multi_user_ppdus",
        "",
        "HE MU PPDUs that the access point sent, each to several stations (`ofdma`).",
        f"{_AX} 27.3.4",
    ),
    column(
        "stations",
        "polls",
        "",
        "Trigger frames with which the access point asked stations for their buffer status (BSRP).",
        f"{_AX} 26.5.2",
    ),
    column(
        "stations",
        "triggers",
        "",
        "Trigger frames with which the access point called stations for data (Basic).",
        f"{_AX} 26.5.2",
    ),
    column(
        "stations",
        "triggered_ppdus",
        "",
        "HE TB PPDUs with data that the station sent because it was called.",
        f"{_AX} 26.5.2",
    ),
    column(
        "stations",
        "random_accesses",
        "",
        "HE TB PPDUs that the station sent on resource units that any station may use (UORA).",
        f"{_AX} 26.5.4",
    ),
    column(
        "stations",
        "random_collisions",
        "",
        "Those of `random_accesses` that the access point could not read.",
        f"{_AX} 26.5.4",
    ),
    column(
        "stations",
        "addba_requests",
        "",
        "Times that it asked for a block ack agreement, repetitions by the MAC not counted.",
        f"{_WIFI} 10.25.2",
    ),
    column("stations", "agreements", "", "Block ack agreements that it reached."),
    column(
        "stations",
        "agreements_failed",
        "",
        "Attempts whose request was given up, or whose response came too late.",
    ),
    column(
        "stations",
        "first_agreement_ms",
        "ms",
        "When it reached its first block ack agreement; null if it reached none, or had all from "
        "the start.",
    ),
    column("stations", "last_agreement_ms", "ms", "When it reached its last one."),
    column(
        "ampdu_sizes",
        "ppdus",
        "",
        "PPDUs with this number of MPDUs; sizes that do not occur have no row.",
    ),
    column(
        "airtime ppdus",
        "use",
        "",
        "What the time was used for: idle (no station has anything to send), contention "
        "(interframe spaces, backoff, timeouts), sifs, data, transport_ack (nothing but "
        "acknowledgements), mac_ack, control, collision (another PPDU keeps a receiver from "
        "reading), noise (bit errors made all of it unreadable; of `ppdus` the column `lost` says "
        "that).",
    ),
    column("airtime", "airtime_s", "s", "Time of this use; all uses sum to the length of the run."),
    column("airtime", "airtime_share", "", "Its part of the run."),
    column("ppdus", "end_ns", "ns", "When it left the air; `time_ns` is when it began."),
    column("ppdus", "from", "", "Node that sent it."),
    column("ppdus", "to", "", "Node that it is for."),
    column(
        "ppdus",
        "kind",
        "",
        "rts, cts, data, bar (Block Ack Request), addba_request, addba_response, ack, "
        "block_ack, cts_to_self, group, trigger, buffer_status, multi_block_ack.",
        _WIFI,
    ),
    column("ppdus", "mode", "", "Format, MCS, width, streams, guard interval; or the rate."),
    column("ppdus", "psdu_bytes", "B", "Length of its PSDU.", f"{_WIFI} 19.3.2"),
    column(
        "ppdus",
        "garbled",
        "",
        "Its receiver could read nothing of it because of another PPDU, or had to give it up, and "
        "does not answer.",
    ),
    column(
        "ppdus",
        "mpdus_spoilt",
        "",
        "MPDUs in it that its receiver could not read because of another PPDU: those that "
        "overlapped, or all that were left when it was given up.",
        f"{_WIFI} 9.7.1",
    ),
    column(
        "ppdus",
        "spoilt_ns",
        "ns",
        "How long another PPDU kept its receiver from reading it; all of its time if it is "
        "garbled. Booked as the collision of its sender, `collision_s` of `stations`.",
    ),
    column(
        "ppdus",
        "lost",
        "",
        "Its receiver heard no other PPDU, and could read nothing because of bit errors.",
    ),
)
