//! The layout of the control frames and of DATA as a table, for readers in other languages.
//!
//! `docs/reference/tack-wire.md` in a form that programs read: Wireshark's dissector is made of it.
//! Tests hold the table against the codec, which reads and writes by its own code.

use super::frame;

/// How a field is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One byte.
    Byte,
    /// Four bytes, big-endian.
    Word,
    /// A variable-length integer (RFC 9000 section 16).
    Varint,
}

/// A number in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name, of letters, digits, dots and underscores. Fields of one name mean the same.
    pub name: &'static str,
    /// How it is written.
    pub kind: Kind,
    /// Its meaning.
    pub text: &'static str,
}

/// One bit of a byte of flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flag {
    /// The bit, as a mask.
    pub mask: u8,
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub text: &'static str,
}

/// Parts of a frame, one behind the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// A number.
    Field(Field),
    /// A byte of flags. The items behind it refer to them.
    Flags(&'static [Flag]),
    /// A byte that says what follows. The items behind it refer to it.
    Choice(Field, &'static [(u8, &'static str)]),
    /// These, if a bit of the flags is set.
    IfFlag(u8, &'static [Self]),
    /// These, if the choice was this one.
    IfChoice(u8, &'static [Self]),
    /// These.
    Group(&'static [Self]),
    /// A list of blocks of stream offsets: a count, then for each the distance and the length. `down`:
    /// the first distance leads from `cumulative` to its end, further ones down to the next end;
    /// else they lead from the end before (first: `cumulative`) up to the next start.
    Blocks {
        /// Its name.
        name: &'static str,
        /// Meaning of the list.
        text: &'static str,
        /// The direction.
        down: bool,
    },
}

/// A type of frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Its number.
    pub kind: u8,
    /// Its name.
    pub name: &'static str,
    /// The items behind the number.
    pub items: &'static [Item],
}

const fn field(name: &'static str, kind: Kind, text: &'static str) -> Item {
    Item::Field(Field { name, kind, text })
}

const fn varint(name: &'static str, text: &'static str) -> Item {
    field(name, Kind::Varint, text)
}

const fn flag(mask: u8, name: &'static str, text: &'static str) -> Flag {
    Flag { mask, name, text }
}

const STAMP: Item = field("stamp", Kind::Word, "Departure time stamp (us, wraps)");
const HOLD: Item = varint("hold", "Time since the largest PKT.SEQ arrived (us)");

const OFFER: &[Item] = &[
    Item::Flags(&[flag(1, "offer.ecn", "ECN marks are counted")]),
    varint("offer.first_number", "First PKT.SEQ"),
    varint("offer.window", "Window (bytes)"),
    varint("offer.mss", "Largest payload (bytes)"),
    field("offer.beta", Kind::Byte, "beta: TACKs per minimum RTT"),
    field("offer.l", Kind::Byte, "L: full-sized packets per TACK"),
    varint("offer.shortest", "Shortest interval (us)"),
    varint("offer.longest", "Longest interval (us)"),
];

const RECEIPT: &[Item] = &[
    varint("cumulative", "Cumulative: every offset below has arrived"),
    varint("window", "Window (bytes)"),
    varint("largest", "Largest PKT.SEQ that has arrived"),
    varint("packets", "Packets that have arrived"),
    varint("sync_heard", "Number of the latest SYNC that has arrived"),
];

const ECN: &[Item] = &[
    varint("ecn.ect0", "Packets with ECT(0)"),
    varint("ecn.ect1", "Packets with ECT(1)"),
    varint("ecn.ce", "Packets with CE"),
];

const TACK: &[Item] = &[
    Item::Flags(&[
        flag(1, "has_ecn", "ECN counts follow"),
        flag(2, "has_fastest", "The fastest packet follows"),
        flag(4, "rate_app_limited", "The application limited the sender"),
    ]),
    Item::Group(RECEIPT),
    varint("unsettled", "Largest less settled PKT.SEQ"),
    varint("rate", "Delivery rate (bytes/s); 0 = no sample"),
    varint("interval", "Time over which the rate was measured (us)"),
    HOLD,
    Item::IfFlag(
        2,
        &[
            field("fastest.stamp", Kind::Word, "Stamp of the fastest packet"),
            varint("fastest.hold", "Time since the fastest packet arrived (us)"),
        ],
    ),
    varint("expected", "Packets that should have arrived"),
    varint("lost", "Of these, lost"),
    Item::IfFlag(1, ECN),
    Item::Blocks {
        name: "acked",
        text: "Acked list",
        down: true,
    },
    Item::Blocks {
        name: "unacked",
        text: "Unacked list",
        down: false,
    },
];

const IACK: &[Item] = &[
    Item::Choice(
        Field {
            name: "iack",
            kind: Kind::Byte,
            text: "Reason",
        },
        &[(1, "loss"), (2, "window"), (3, "confirm"), (4, "mark")],
    ),
    Item::Group(RECEIPT),
    Item::IfChoice(
        1,
        &[
            varint("loss.largest", "PKT.SEQ behind the lost packets"),
            varint("loss.span", "That less the PKT.SEQ before them"),
        ],
    ),
    Item::IfChoice(
        3,
        &[
            field("confirm.echo", Kind::Word, "Stamp of the ACCEPT"),
            varint("confirm.hold", "Time since it arrived (us)"),
        ],
    ),
    Item::IfChoice(4, ECN),
];

/// Control frames, by number. PADDING (0) is a byte without content.
pub const CONTROL: &[Layout] = &[
    Layout {
        kind: frame::PADDING,
        name: "PADDING",
        items: &[],
    },
    Layout {
        kind: frame::PING,
        name: "PING",
        items: &[],
    },
    Layout {
        kind: frame::HELLO,
        name: "HELLO",
        items: &[Item::Group(OFFER), STAMP],
    },
    Layout {
        kind: frame::ACCEPT,
        name: "ACCEPT",
        items: &[
            Item::Group(OFFER),
            STAMP,
            field("accept.echo", Kind::Word, "Stamp of the HELLO"),
            field(
                "accept.hold",
                Kind::Word,
                "Time since the HELLO arrived (us)",
            ),
        ],
    },
    Layout {
        kind: frame::TACK,
        name: "TACK",
        items: TACK,
    },
    Layout {
        kind: frame::IACK,
        name: "IACK",
        items: IACK,
    },
    Layout {
        kind: frame::SYNC,
        name: "SYNC",
        items: &[
            varint("sync.number", "Running number of the SYNC"),
            varint("sync.rtt_min", "Minimum RTT (us)"),
            varint(
                "sync.interval",
                "Interval between TACKs (us); 0 = the receiver's",
            ),
            varint("sync.ack_loss", "Loss rate of the ACK path (ppm)"),
        ],
    },
    Layout {
        kind: frame::CLOSE,
        name: "CLOSE",
        items: &[RECEIPT[0]],
    },
    Layout {
        kind: frame::RESET,
        name: "RESET",
        items: &[varint(
            "reset",
            "Why: 0 aborted, 1 no such connection, 2 violation",
        )],
    },
];

/// DATA, whose low bits of the number are flags; the payload stands behind.
pub const DATA: Layout = Layout {
    kind: frame::DATA,
    name: "DATA",
    items: &[
        field("seq", Kind::Word, "SEQ: offset of the payload, modulo 2^32"),
        STAMP,
    ],
};

/// The flags in DATA's number.
pub const DATA_FLAGS: &[Flag] = &[
    flag(1, "fin", "The stream ends behind the payload"),
    flag(2, "now", "Acknowledge at once"),
    flag(4, "app_limited", "The application limits the sender"),
];
