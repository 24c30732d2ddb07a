//! The bytes that a packet takes on the line that a shaper stands for.

use acklab_proto::registry::{Kind, Param, Params, Value};

/// How a link layer cuts a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cells {
    /// Not at all.
    None,
    /// ATM: cells of 53 bytes that carry 48 (`linklayer atm`, `adsl`).
    Atm,
    /// PTM: 64 bytes become 65 (IEEE 802.3 clause 61.3.3, VDSL2).
    Ptm,
}

/// Bytes on the line beside the IP packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Framing {
    overhead: i64,
    least: i64,
    cells: Cells,
}

const WORDS: &[&str] = &["ethernet", "atm", "ptm"];

/// The parameters, for every shaper.
pub(crate) const PARAMS: [Param; 3] = [
    Param {
        name: "overhead",
        doc: "Bytes that the shaper adds to each IP packet (tc-stab(8)). Linux adds 14 on Ethernet; the wire carries 38.",
        kind: Kind::Int(-64, 256),
        default: Value::Int(0),
    },
    Param {
        name: "mpu",
        doc: "Smallest number of bytes that the shaper counts for a packet, overhead included (tc-stab(8)).",
        kind: Kind::Int(0, 256),
        default: Value::Int(0),
    },
    Param {
        name: "linklayer",
        doc: "Cells that the link layer cuts packets into (tc-stab(8), tc-cake(8)). ethernet: no cells. atm: 53 bytes for every 48. ptm: 65 bytes for every 64.",
        kind: Kind::Choice(WORDS),
        default: Value::Choice("ethernet"),
    },
];

impl Framing {
    /// So many bytes on top, so many at least, cut into cells.
    pub fn new(overhead: i64, least: i64, cells: Cells) -> Self {
        Self {
            overhead,
            least,
            cells,
        }
    }

    /// The parameters of a scenario.
    pub fn from_values(values: &Params) -> Self {
        Self {
            overhead: values.int("overhead"),
            least: values.int("mpu"),
            cells: match values.choice("linklayer") {
                "atm" => Cells::Atm,
                "ptm" => Cells::Ptm,
                _ => Cells::None,
            },
        }
    }

    /// Bytes that an IP packet of `size` bytes counts for.
    #[inline]
    pub fn bytes(&self, size: u32) -> u64 {
        let frame = (i64::from(size) + self.overhead).max(self.least).max(1) as u64;
        match self.cells {
            Cells::None => frame,
            Cells::Atm => frame.div_ceil(48) * 53,
            Cells::Ptm => frame + frame.div_ceil(64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(overhead: i64, mpu: i64, layer: &'static str) -> Framing {
        let mut values = Params::defaults(&PARAMS_STATIC);
        values
            .set(&PARAMS_STATIC, "overhead", Value::Int(overhead))
            .unwrap();
        values.set(&PARAMS_STATIC, "mpu", Value::Int(mpu)).unwrap();
        values
            .set(&PARAMS_STATIC, "linklayer", Value::Choice(layer))
            .unwrap();
        Framing::from_values(&values)
    }

    static PARAMS_STATIC: [Param; 3] = PARAMS;

    /// By hand: 1500 + 10 bytes are 31.46 cells, hence 32; an ACK of 40 + 10 bytes takes two.
    #[test]
    fn packets_count_for_what_the_line_carries() {
        assert_eq!(framing(0, 0, "ethernet").bytes(1500), 1500);
        assert_eq!(framing(14, 0, "ethernet").bytes(1500), 1514);
        assert_eq!(framing(38, 84, "ethernet").bytes(40), 84);
        assert_eq!(framing(10, 0, "atm").bytes(1500), 32 * 53);
        assert_eq!(framing(10, 0, "atm").bytes(40), 2 * 53);
        assert_eq!(framing(8, 0, "atm").bytes(40), 53);
        assert_eq!(framing(22, 0, "ptm").bytes(1500), 1522 + 24);
        assert_eq!(framing(-14, 0, "ethernet").bytes(10), 1);
    }
}
