//! Tins: which class a codepoint belongs to, and what each class may take before it loses priority.
//!
//! A tin may use the whole rate. Below its threshold it goes before others; above, after them. Tables
//! and fractions of `cake_config_*` in Linux's `net/sched/sch_cake.c`; tc-cake(8).

use super::cobalt::Times;
use acklab_proto::datagram::Dscp;
use acklab_proto::registry::{Kind, Param, Params, Value};
use acklab_units::{Rate, Span};

/// Most tins that a mode has.
pub(crate) const MOST: usize = 8;

/// The parameter.
pub(super) const PARAM: Param = Param {
    name: "diffserv",
    doc: "Sorts packets into tins by codepoint (tc-cake(8)). besteffort: one tin. diffserv3: bulk, best effort and voice. diffserv4: video as well. diffserv8: eight tins, from background to network control. precedence: eight tins, by the first three bits.",
    kind: Kind::Choice(&[
        "besteffort",
        "diffserv3",
        "diffserv4",
        "diffserv8",
        "precedence",
    ]),
    default: Value::Choice("diffserv3"),
};

/// Bulk, best effort, voice.
const DIFFSERV3: [u8; 64] = [
    0, 1, 0, 0, 2, 0, 0, 0, //
    1, 0, 0, 0, 0, 0, 0, 0, //
    0, 0, 0, 0, 0, 0, 0, 0, //
    0, 0, 0, 0, 0, 0, 0, 0, //
    0, 0, 0, 0, 0, 0, 0, 0, //
    0, 0, 0, 0, 2, 0, 2, 0, //
    2, 0, 0, 0, 0, 0, 0, 0, //
    2, 0, 0, 0, 0, 0, 0, 0,
];

/// The same with video.
const DIFFSERV4: [u8; 64] = [
    0, 1, 0, 0, 2, 0, 0, 0, //
    1, 0, 0, 0, 0, 0, 0, 0, //
    2, 0, 2, 0, 2, 0, 2, 0, //
    2, 0, 2, 0, 2, 0, 2, 0, //
    3, 0, 2, 0, 2, 0, 2, 0, //
    3, 0, 0, 0, 3, 0, 3, 0, //
    3, 0, 0, 0, 0, 0, 0, 0, //
    3, 0, 0, 0, 0, 0, 0, 0,
];

/// From background to network control.
const DIFFSERV8: [u8; 64] = [
    2, 0, 1, 2, 4, 2, 2, 2, //
    1, 2, 1, 2, 1, 2, 1, 2, //
    5, 2, 4, 2, 4, 2, 4, 2, //
    3, 2, 3, 2, 3, 2, 3, 2, //
    6, 2, 3, 2, 3, 2, 3, 2, //
    6, 2, 2, 2, 6, 2, 6, 2, //
    7, 2, 2, 2, 2, 2, 2, 2, //
    7, 2, 2, 2, 2, 2, 2, 2,
];

/// How traffic is divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    BestEffort,
    Diffserv3,
    Diffserv4,
    Diffserv8,
    Precedence,
}

/// The limits of a tin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share {
    /// Up to here it goes first; `None` without a shaper.
    pub threshold: Option<Rate>,
    /// Bytes of its turns where no shaper counts time.
    pub quantum: u32,
    /// Bytes of a flow's turn.
    pub flow_quantum: u32,
    /// Its control law.
    pub times: Times,
}

impl Mode {
    /// The parameters of a scenario.
    pub fn from_values(values: &Params) -> Self {
        match values.choice(PARAM.name) {
            "besteffort" => Self::BestEffort,
            "diffserv4" => Self::Diffserv4,
            "diffserv8" => Self::Diffserv8,
            "precedence" => Self::Precedence,
            _ => Self::Diffserv3,
        }
    }

    /// How many tins it has.
    pub fn tins(self) -> usize {
        match self {
            Self::BestEffort => 1,
            Self::Diffserv3 => 3,
            Self::Diffserv4 => 4,
            Self::Diffserv8 | Self::Precedence => MOST,
        }
    }

    /// The tin of a codepoint.
    pub fn tin(self, dscp: Dscp) -> usize {
        let at = usize::from(dscp.value());
        match self {
            Self::BestEffort => 0,
            Self::Diffserv3 => usize::from(DIFFSERV3[at]),
            Self::Diffserv4 => usize::from(DIFFSERV4[at]),
            Self::Diffserv8 => usize::from(DIFFSERV8[at]),
            Self::Precedence => at >> 3,
        }
    }

    /// Tins from the lowest class up, with their names in tables.
    pub fn order(self) -> &'static [(usize, &'static str)] {
        match self {
            Self::BestEffort => &[(0, "Tin 0")],
            Self::Diffserv3 => &[(1, "Bulk"), (0, "Best Effort"), (2, "Voice")],
            Self::Diffserv4 => &[(1, "Bulk"), (0, "Best Effort"), (2, "Video"), (3, "Voice")],
            Self::Diffserv8 | Self::Precedence => &[
                (0, "Tin 0"),
                (1, "Tin 1"),
                (2, "Tin 2"),
                (3, "Tin 3"),
                (4, "Tin 4"),
                (5, "Tin 5"),
                (6, "Tin 6"),
                (7, "Tin 7"),
            ],
        }
    }

    /// The limits of its tin number `tin` at `rate`, under a control law with that target and interval,
    /// where the largest frame has `frame` bytes.
    pub fn share(self, tin: usize, rate: Option<Rate>, law: (Span, Span), frame: u32) -> Share {
        let shift = match (self, tin) {
            (Self::Diffserv3 | Self::Diffserv4, 1) => 4,
            (Self::Diffserv4, 2) => 1,
            (Self::Diffserv3, 2) | (Self::Diffserv4, 3) => 2,
            _ => 0,
        };
        let (quantum, steps) = match self {
            Self::BestEffort => (65_535, 0),
            Self::Diffserv3 | Self::Diffserv4 => (1024, 0),
            Self::Diffserv8 | Self::Precedence => (256, tin),
        };
        // Each class has 7/8 of the one before it.
        let less = |x: u64| (0..steps).fold(x >> shift, |x, _| (x * 7) >> 3);
        // Linux counts bytes per second.
        let threshold = rate.map(|r| Rate::from_bps(less(r.as_bps() / 8).max(64) * 8));
        Share {
            threshold,
            quantum: less(quantum).max(1) as u32,
            flow_quantum: flow_quantum(threshold),
            times: times(threshold, law, frame),
        }
    }
}

/// 1514 bytes, less on slow lines: what 1/4096 s takes, but 300 (`cake_set_rate`).
fn flow_quantum(rate: Option<Rate>) -> u32 {
    let bytes = rate.map_or(1514, |r| (r.as_bps() / 8) >> 12);
    bytes.clamp(300, 1514) as u32
}

/// Target and interval, longer where a frame alone takes as long (`cake_set_rate`).
fn times(rate: Option<Rate>, (target, interval): (Span, Span), frame: u32) -> Times {
    let packet = rate.map_or(Span::ZERO, |r| {
        Span::from_nanos(u64::from(frame) * 8_000_000_000 / r.as_bps())
    });
    let longer = target.max(packet.mul_div(3, 2));
    Times {
        target: longer,
        interval: (interval + longer).saturating_sub(target).max(longer * 2),
        packet,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: (Span, Span) = (Span::from_millis(5), Span::from_millis(100));

    fn tins(mode: Mode, bps: u64) -> std::vec::Vec<Share> {
        let rate = Some(Rate::from_bps(bps));
        let in_order = mode.order().iter();
        in_order
            .map(|(tin, _)| mode.share(*tin, rate, LAW, 1514))
            .collect()
    }

    /// The table that tc-cake(8) prints for 100 Mbit/s.
    #[test]
    fn thresholds_and_quanta_of_the_manual() {
        let shares = tins(Mode::Diffserv3, 100_000_000);
        let thresholds: std::vec::Vec<_> = shares.iter().map(|s| s.threshold.unwrap()).collect();
        let expected = [6_250_000, 100_000_000, 25_000_000].map(Rate::from_bps);
        assert_eq!(thresholds, expected);
        let quanta: std::vec::Vec<_> = shares.iter().map(|s| s.flow_quantum).collect();
        assert_eq!(quanta, [300, 1514, 762]);
        assert!(
            shares
                .iter()
                .all(|s| (s.times.target, s.times.interval) == LAW)
        );
    }

    #[test]
    fn each_of_eight_has_seven_eighths_of_the_one_before() {
        for mode in [Mode::Diffserv8, Mode::Precedence] {
            let shares = tins(mode, 80_000_000);
            let quanta: std::vec::Vec<_> = shares.iter().map(|s| s.quantum).collect();
            assert_eq!(quanta, [256, 224, 196, 171, 149, 130, 113, 98]);
            let second = shares[1].threshold.unwrap();
            assert_eq!(second, Rate::from_bps(70_000_000));
        }
        let quanta: std::vec::Vec<_> = tins(Mode::Diffserv4, 80_000_000)
            .iter()
            .map(|s| s.quantum)
            .collect();
        assert_eq!(quanta, [64, 1024, 512, 256]);
    }

    /// At 1 Mbit/s a frame takes 12.1 ms: one and a half of them are the target.
    #[test]
    fn slow_lines_have_longer_targets() {
        let share = Mode::BestEffort.share(0, Some(Rate::from_bps(1_000_000)), LAW, 1514);
        assert_eq!(share.times.packet, Span::from_micros(12_112));
        assert_eq!(share.times.target, Span::from_micros(18_168));
        assert_eq!(share.times.interval, Span::from_micros(113_168));
        let slower = Mode::BestEffort.share(0, Some(Rate::from_bps(100_000)), LAW, 1514);
        assert_eq!(slower.times.interval, slower.times.target * 2);
    }

    /// Classes of RFC 4594, by mode.
    #[test]
    fn codepoints_have_their_tins() {
        // CS0, CS1, AF11, AF41, EF, CS6.
        let points = [0, 8, 10, 34, 46, 48].map(|v| Dscp::new(v).unwrap());
        for (mode, expected) in [
            (Mode::BestEffort, [0, 0, 0, 0, 0, 0]),
            (Mode::Diffserv3, [0, 1, 0, 0, 2, 2]),
            (Mode::Diffserv4, [0, 1, 0, 2, 3, 3]),
            (Mode::Diffserv8, [2, 1, 1, 3, 6, 7]),
            (Mode::Precedence, [0, 1, 1, 4, 5, 6]),
        ] {
            assert_eq!(points.map(|p| mode.tin(p)), expected, "{mode:?}");
            let all = (0..64).map(|v| mode.tin(Dscp::new(v).unwrap()));
            assert!(all.max().unwrap() < mode.tins());
            assert_eq!(mode.order().len(), mode.tins());
        }
    }

    /// Every codepoint: those that a mode lifts out of best effort, by the names that tc-cake(8) gives them (LE = 1,
    /// TOS4 = 4, CSn = 8 n, AFxy = 8 x + 2 y, VA = 44, EF = 46), all others in best effort's tin.
    #[test]
    fn all_other_codepoints_are_best_effort() {
        const CS: [u8; 8] = [0, 8, 16, 24, 32, 40, 48, 56];
        const LE: u8 = 1;
        const TOS4: u8 = 4;
        const VA: u8 = 44;
        const EF: u8 = 46;
        let af = |class: u8| (1..=3).map(move |drop| 8 * class + 2 * drop);
        let video: std::vec::Vec<u8> = [TOS4, CS[2], CS[3]]
            .into_iter()
            .chain((2..=4).flat_map(af))
            .collect();
        let eight: std::vec::Vec<(usize, std::vec::Vec<u8>)> = [
            (0, [LE].to_vec()),
            (1, [2, CS[1]].into_iter().chain(af(1)).collect()),
            (3, [CS[3]].into_iter().chain(af(3)).chain(af(4)).collect()),
            (4, [TOS4].into_iter().chain(af(2)).collect()),
            (5, [CS[2]].to_vec()),
            (6, [VA, EF, CS[4], CS[5]].to_vec()),
            (7, [CS[6], CS[7]].to_vec()),
        ]
        .to_vec();
        let four = [
            (1, [LE, CS[1]].to_vec()),
            (2, video),
            (3, [VA, EF, CS[4], CS[5], CS[6], CS[7]].to_vec()),
        ];
        let three = [
            (1, [LE, CS[1]].to_vec()),
            (2, [TOS4, VA, EF, CS[6], CS[7]].to_vec()),
        ];
        for (mode, best_effort, lifted) in [
            (Mode::Diffserv3, 0, &three[..]),
            (Mode::Diffserv4, 0, &four),
            (Mode::Diffserv8, 2, &eight),
        ] {
            for value in 0..64 {
                let own = lifted.iter().find(|(_, points)| points.contains(&value));
                let expected = own.map_or(best_effort, |(tin, _)| *tin);
                let tin = mode.tin(Dscp::new(value).unwrap());
                assert_eq!(tin, expected, "{mode:?}, codepoint {value}");
            }
        }
    }
}
