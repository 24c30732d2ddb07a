"""The words that recorded tables are made of: events, and reasons of ACKs and of drops."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """One value of a column, and what it says."""

    name: str
    text: str


@dataclass(frozen=True)
class Vocabulary:
    """The values that a column takes."""

    title: str
    table: str
    column: str
    #: The rows that it is about: values of the table's column `what`; none for all.
    of: tuple[str, ...]
    words: tuple[Word, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The values, in the order of the list."""
        return tuple(w.name for w in self.words)


def _vocabulary(title: str, place: str, of: str = "", **words: str) -> Vocabulary:
    table, _, column = place.partition(".")
    listed = tuple(Word(name, text) for name, text in words.items())
    return Vocabulary(title, table, column, tuple(of.split()), listed)


EVENTS = _vocabulary(
    "Events of a sender",
    "events.event",
    state="The controller entered the state that `cause` names.",
    recovery_enter="Fast recovery (RFC 6675) or recovery after a timeout began: `fast`, `timeout`.",
    recovery_exit="It ended.",
    undo="A reduction turned out to be superfluous and was taken back, on the evidence of "
    "timestamps (`eifel`, RFC 3522), DSACKs (`dsack`, RFC 3708) or F-RTO (`frto`, RFC 5682), or "
    "because all that TACK's receiver had called lost came late (`late`).",
    rto="The retransmission timer expired (RFC 6298).",
    tlp="A tail loss probe was sent (RFC 8985 section 7).",
    loss_detected="Segments were marked lost, on an ACK (`ack`), on RACK's reordering timer "
    "(`timer`) or on a timeout (`rto`).",
    retransmit="A segment was sent again; `rack`, `dupack`, `tlp` or `rto` says why.",
    spurious="DSACKs (`dsack`, RFC 2883) called retransmissions superfluous, or the packets that "
    "TACK's receiver counts did (`late`).",
    ecn_reduce="The window was reduced for an ECN echo (RFC 3168).",
)

ACK_EVENTS = _vocabulary(
    "The life of an ACK",
    "acks.what",
    sent="The receiver sent it.",
    held="An ACK filter keeps it back.",
    merged="An ACK filter dropped it since another one says as much.",
    dropped="It was lost on the way, or found no room.",
    released="An ACK filter let it go.",
    received="It reached the sender.",
)

ACK_REASONS = _vocabulary(
    "Why an ACK was sent",
    "acks.reason",
    "sent",
    every_segment="The policy acknowledges every segment.",
    byte_count="Enough data or segments had come: two full segments as a rule.",
    timer="The timer of delayed or periodic ACKs.",
    quick="Linux's quickack mode: at the start, after a pause, after a duplicate.",
    out_of_order="Data came out of order, filled a gap, or was there already.",
    ecn="The ECN echo changed.",
    push="The segment had PSH or FIN.",
    window="The window opened, or a probe was answered.",
    control="Part of the handshake or of closing.",
    piggyback="It rode on data.",
    tack_periodic="A TACK: L packets had come, and RTT_min/beta had passed since the last (Eq. 2 "
    "of the TACK paper, SIGCOMM 2020).",
    tack_byte_count="A TACK: L packets had come; RTT_min/beta had passed before (Eq. 1).",
    tack_delayed="A TACK for fewer packets than L, by the timer of thin flows.",
    tack_start_up="A TACK for one packet, while the rate still grew.",
    tack_now="A TACK that the sender asked for, or for a packet that was there already.",
    iack_loss="An IACK: packets were lost.",
    iack_window="An IACK, or a TACK in its place: the window changed abruptly.",
    iack_mark="An IACK: the first congestion mark after packets without.",
    iack_confirm="An IACK: the handshake is complete.",
    asked="The sender asked for it: TARR with R = 0, or QUIC's IMMEDIATE_ACK.",
)

RELEASE_REASONS = _vocabulary(
    "Why a filter let an ACK go",
    "acks.reason",
    "released",
    untouchable="It may not be thinned: SYN, FIN, RST, data, or what a parameter protects.",
    ratio="The ratio is reached.",
    timeout="The filter's timer.",
    flush="Something that it must not be overtaken by follows.",
    duplicate="A duplicate, which is passed at once.",
    passing="The filter holds nothing back (CAKE).",
    replacing="It took the place of an older one in the queue (Android).",
)

PACKET_EVENTS = _vocabulary(
    "What happens to a packet",
    "packets.what",
    sent="A host's transport handed it to the network. At hosts.",
    queued="It joined the queue of a link; what a filter holds back has not joined yet.",
    marked="The queue set its codepoint to CE.",
    left="Its transmission began.",
    dropped="The link, its queue or its ACK filter dropped it.",
    delivered="It reached the far end of the link, or the transport of a host.",
)

DROP_REASONS = _vocabulary(
    "Why a packet was dropped",
    "packets.reason",
    "dropped",
    queue_full="The queue had no room.",
    random_loss="The link's loss model.",
    ack_thinned="An ACK filter found another acknowledgement that says as much.",
    filter_full="The ACK filter's own buffer was full.",
    retry_limit="Its frame was sent as often as it may be and never acknowledged.",
    lifetime_expired="It waited longer than its lifetime.",
    aqm="Active queue management: the queue had been too long for too long.",
    unresolved="Nobody told the next hop's address, or enough packets waited for it (ARP).",
)

AIR_USES = _vocabulary(
    "What airtime is used for",
    "ppdus.use",
    idle="Nobody has anything to send. In `airtime` and `stations` only.",
    contention="Interframe spaces, backoff, timeouts. In `airtime` and `stations` only.",
    sifs="The short interframe spaces inside of exchanges. In `airtime` and `stations` only.",
    data="A PPDU with transport data.",
    transport_ack="A PPDU with nothing but transport acknowledgements.",
    mac_ack="ACK and Block Ack.",
    control="RTS, CTS, CTS to self and Block Ack Request, ADDBA frames, and ARP.",
    collision="A PPDU is on the air whose receiver hears another. In `airtime` and `stations` "
    "only.",
    noise="A PPDU of which nothing could be read for bit errors. In `airtime` and `stations` only.",
    others="Somebody else sends or has reserved the medium. In `stations` only.",
)

PPDU_KINDS = _vocabulary(
    "What a PPDU is",
    "ppdus.kind",
    rts="Request to send.",
    cts="Clear to send.",
    group="One MPDU for everybody, which nobody acknowledges: a question for an address (ARP).",
    data="MPDUs with data.",
    bar="Block Ack Request.",
    addba_request="ADDBA Request: a block ack agreement is asked for.",
    addba_response="ADDBA Response: it is agreed to.",
    ack="Acknowledgement of a single frame.",
    block_ack="Block Ack.",
    cts_to_self="Clear to send to itself, before a frame that 802.11b cannot read.",
    trigger="Trigger frame: the access point calls stations to send at once.",
    buffer_status="QoS Null: a station that was called says what it has.",
    multi_block_ack="Multi-STA BlockAck: several stations' data are acknowledged in one frame.",
)

VOCABULARIES = (
    EVENTS,
    ACK_EVENTS,
    ACK_REASONS,
    RELEASE_REASONS,
    PACKET_EVENTS,
    DROP_REASONS,
    AIR_USES,
    PPDU_KINDS,
)
