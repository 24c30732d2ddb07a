//! Keywords for the link layers that a shaper may stand for (tc-cake(8)).
//!
//! A packet counts for its IP bytes and the overhead, for `mpu` bytes at least, and for the cells that
//! this takes. Linux's `raw` counts the 14 bytes of an Ethernet header, too; here nothing has one, and
//! `raw` counts IP bytes.

use crate::qdisc::shape::framing::{Cells, Framing};
use acklab_proto::registry::{Kind, Param, Params, Value};

/// A keyword, its bytes beside the IP packet, least bytes of a frame, and cells (`cake_parse_opt` in
/// iproute2's `tc/q_cake.c`).
const KEYWORDS: [(&str, i64, i64, Cells); 14] = [
    ("raw", 0, 0, Cells::None),
    ("conservative", 48, 0, Cells::Atm),
    ("ethernet", 38, 84, Cells::None),
    ("docsis", 18, 64, Cells::None),
    ("ipoa-vcmux", 8, 0, Cells::Atm),
    ("ipoa-llcsnap", 16, 0, Cells::Atm),
    ("bridged-vcmux", 24, 0, Cells::Atm),
    ("bridged-llcsnap", 32, 0, Cells::Atm),
    ("pppoa-vcmux", 10, 0, Cells::Atm),
    ("pppoa-llc", 14, 0, Cells::Atm),
    ("pppoe-vcmux", 32, 0, Cells::Atm),
    ("pppoe-llcsnap", 40, 0, Cells::Atm),
    ("pppoe-ptm", 30, 0, Cells::Ptm),
    ("bridged-ptm", 22, 0, Cells::Ptm),
];

const WORDS: &[&str] = &[
    "raw",
    "conservative",
    "ethernet",
    "docsis",
    "ipoa-vcmux",
    "ipoa-llcsnap",
    "bridged-vcmux",
    "bridged-llcsnap",
    "pppoa-vcmux",
    "pppoa-llc",
    "pppoe-vcmux",
    "pppoe-llcsnap",
    "pppoe-ptm",
    "bridged-ptm",
];

/// Bytes of a VLAN tag (`ether-vlan`).
const TAG: i64 = 4;

/// The parameters.
pub(super) const PARAMS: [Param; 5] = [
    Param {
        name: "framing",
        doc: "Link layer whose overhead CAKE adds to each IP packet (tc-cake(8), overhead keywords). raw: none. conservative: 48 bytes, in ATM cells. ethernet: 38 bytes, and at least 84 in all. docsis: 18 bytes, and at least 64 in all. The others are encapsulations of DSL.",
        kind: Kind::Choice(WORDS),
        default: Value::Choice("raw"),
    },
    Param {
        name: "ether_vlan",
        doc: "Number of VLAN tags on each packet; a tag adds 4 bytes (tc-cake(8), ether-vlan).",
        kind: Kind::Int(0, 8),
        default: Value::Int(0),
    },
    Param {
        name: "overhead",
        doc: "Bytes that CAKE adds to each IP packet, on top of those of `framing` (tc-cake(8)).",
        kind: Kind::Int(-64, 256),
        default: Value::Int(0),
    },
    Param {
        name: "mpu",
        doc: "Smallest number of bytes that CAKE counts for a packet, overhead included (tc-cake(8)). 0: the minimum of `framing`.",
        kind: Kind::Int(0, 256),
        default: Value::Int(0),
    },
    Param {
        name: "cells",
        doc: "Cells that the link layer cuts packets into (tc-cake(8)). atm: 53 bytes for every 48. ptm: 65 bytes for every 64. noatm: no cells. auto: the cells of `framing`.",
        kind: Kind::Choice(&["auto", "noatm", "atm", "ptm"]),
        default: Value::Choice("auto"),
    },
];

/// The parameters of a scenario.
pub(super) fn from_values(values: &Params) -> Framing {
    let word = values.choice("framing");
    let keyword = KEYWORDS
        .iter()
        .find(|k| k.0 == word)
        .unwrap_or(&KEYWORDS[0]);
    let (_, overhead, least, cells) = *keyword;
    let cells = match values.choice("cells") {
        "noatm" => Cells::None,
        "atm" => Cells::Atm,
        "ptm" => Cells::Ptm,
        _ => cells,
    };
    let overhead = overhead + values.int("overhead") + TAG * values.int("ether_vlan");
    let least = match values.int("mpu") {
        0 => least,
        mpu => mpu,
    };
    Framing::new(overhead, least, cells)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Bytes that 1500 and 40 bytes of IP count for, worked out by hand from tc-cake(8).
    pub(crate) const BY_HAND: [(&str, u64, u64); 14] = [
        ("raw", 1500, 40),
        ("conservative", 33 * 53, 2 * 53),
        ("ethernet", 1538, 84),
        ("docsis", 1518, 64),
        ("ipoa-vcmux", 32 * 53, 53),
        ("ipoa-llcsnap", 32 * 53, 2 * 53),
        ("bridged-vcmux", 32 * 53, 2 * 53),
        ("bridged-llcsnap", 32 * 53, 2 * 53),
        ("pppoa-vcmux", 32 * 53, 2 * 53),
        ("pppoa-llc", 32 * 53, 2 * 53),
        ("pppoe-vcmux", 32 * 53, 2 * 53),
        ("pppoe-llcsnap", 33 * 53, 2 * 53),
        ("pppoe-ptm", 1530 + 24, 70 + 2),
        ("bridged-ptm", 1522 + 24, 62 + 1),
    ];

    static SPECS: [Param; 5] = PARAMS;

    fn framing(set: &[(&str, Value)]) -> Framing {
        let mut values = Params::defaults(&SPECS);
        for (name, value) in set {
            values.set(&SPECS, name, *value).unwrap();
        }
        from_values(&values)
    }

    #[test]
    fn every_keyword_counts_as_by_hand() {
        assert_eq!(KEYWORDS.map(|k| k.0), WORDS, "one list of words");
        for (word, full, ack) in BY_HAND {
            let f = framing(&[("framing", Value::Choice(word))]);
            assert_eq!((f.bytes(1500), f.bytes(40)), (full, ack), "{word}");
        }
    }

    #[test]
    fn numbers_go_on_top_of_a_keyword() {
        let docsis = ("framing", Value::Choice("docsis"));
        let tagged = framing(&[docsis, ("ether_vlan", Value::Int(2))]);
        assert_eq!(tagged.bytes(1500), 1526);
        let more = framing(&[
            docsis,
            ("overhead", Value::Int(-18)),
            ("mpu", Value::Int(100)),
        ]);
        assert_eq!((more.bytes(1500), more.bytes(40)), (1500, 100));
        let cells = framing(&[docsis, ("cells", Value::Choice("ptm"))]);
        assert_eq!(cells.bytes(1500), 1518 + 24);
    }
}
