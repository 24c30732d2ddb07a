//! How often to acknowledge: the equations of section 4 and of the appendices.
//!
//! Frequencies are in thousandths of a hertz, so that integers will do.

use super::config::Taming;
use acklab_units::{Rate, Span};

/// A number of acknowledgements per second, in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Frequency(u64);

/// Thousandths of a hertz and nanoseconds in a second.
const MILLI_NANOS: u128 = 1_000 * 1_000_000_000;

impl Frequency {
    /// No acknowledgement at all.
    pub const ZERO: Self = Self(0);

    /// `n` acknowledgements in each `span`.
    pub fn of(n: u64, span: Span) -> Self {
        let per = u128::from(n) * MILLI_NANOS;
        let ns = u128::from(span.as_nanos().max(1));
        Self(u64::try_from(per / ns).unwrap_or(u64::MAX))
    }

    /// Thousandths of a hertz.
    pub const fn as_millihertz(self) -> u64 {
        self.0
    }

    /// The time between two; [`Span::MAX`] if there are none.
    pub fn interval(self) -> Span {
        let ns = MILLI_NANOS.checked_div(u128::from(self.0));
        ns.map_or(Span::MAX, |ns| {
            Span::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
        })
    }
}

/// Eq. 1, byte-counting ACK: `f_b = bw / (L MSS)`.
pub fn byte_counting(bw: Rate, packets: u64, mss: u64) -> Frequency {
    let per = u128::from(bw.as_bps()) * 1_000;
    let each = u128::from(packets.max(1)) * u128::from(mss.max(1)) * 8;
    Frequency(u64::try_from(per / each).unwrap_or(u64::MAX))
}

/// Eq. 2, periodic ACK: `f_pack = 1 / alpha`. "We set alpha = RTT_min / beta, which means sending
/// beta ACKs per RTT_min" (section 4.1).
pub fn periodic(rtt_min: Span, beta: u64) -> Frequency {
    Frequency::of(beta, rtt_min)
}

/// Eq. 3: `f_tack = min { bw / (L MSS), beta / RTT_min }`, without floor and ceiling.
pub fn tack(t: &Taming, bw: Rate, rtt_min: Span) -> Frequency {
    let counted = byte_counting(bw, u64::from(t.packets), u64::from(t.mss));
    counted.min(periodic(rtt_min, u64::from(t.beta)))
}

/// Eq. 4, TCP that acknowledges every packet: `f_tcp = bw / MSS`.
pub fn per_packet(bw: Rate, mss: u64) -> Frequency {
    byte_counting(bw, 1, mss)
}

/// Eq. 5, TCP's delayed ACK: every packet while fewer than two arrive in `gamma`, else every second.
pub fn delayed(bw: Rate, mss: u64, gamma: Span) -> Frequency {
    let thin = bw.bytes_in(gamma) < 2 * mss;
    byte_counting(bw, if thin { 1 } else { 2 }, mss)
}

/// Whether TACK is periodic: "TACK turns to periodic ACK when bandwidth-delay product is large
/// (bdp >= beta L MSS), and falls back to byte-counting ACK when bdp is small" (section 4.1).
pub fn is_periodic(t: &Taming, bw: Rate, rtt_min: Span) -> bool {
    bw.bytes_in(rtt_min) >= pivot(t)
}

/// The pivot in bytes: `beta L MSS`.
pub fn pivot(t: &Taming) -> u64 {
    u64::from(t.beta) * u64::from(t.packets) * u64::from(t.mss)
}

/// The longest time between an arrival and the TACK that tells of it, while none is lost: one
/// interval. "TACK can cause the feedback delay up to 50 ms upon loss event. If the TACK is lost or
/// the retransmission is lost again, then the delay doubles" (section 4.3).
pub fn feedback_delay(f: Frequency, lost_in_a_row: u64) -> Span {
    f.interval().saturating_mul(1 + lost_in_a_row)
}

/// Eq. 11: `W_min = beta / (beta - 1) bdp`, the window that keeps the path busy between two ACKs;
/// `None` for beta below 2, which is stop-and-wait (appendix B.1).
pub fn least_window(beta: u64, bdp: u64) -> Option<u64> {
    (beta >= 2).then(|| (u128::from(bdp) * u128::from(beta) / u128::from(beta - 1)) as u64)
}

/// A loss rate in parts per million.
pub type Ppm = u64;

const MILLION: u128 = 1_000_000;

/// Blocks that the unacked list needs (appendix A): the IACKs of one round trip, or of one TACK if
/// bdp is small, that are lost on the way. `rho` is the loss rate of the data path, `rho_ack` that of
/// the ACK path.
///
/// Eqs. 7 and 8 solved for Q: `rho rho' bdp / MSS`, or `rho rho' L`, rounded up.
pub fn needed_blocks(t: &Taming, bw: Rate, rtt_min: Span, rho: Ppm, rho_ack: Ppm) -> u64 {
    let packets = if is_periodic(t, bw, rtt_min) {
        bw.bytes_in(rtt_min).div_ceil(u64::from(t.mss.max(1)))
    } else {
        u64::from(t.packets)
    };
    let lost = u128::from(rho) * u128::from(rho_ack) * u128::from(packets);
    u64::try_from(lost.div_ceil(MILLION * MILLION)).unwrap_or(u64::MAX)
}

/// Eq. 6 and appendix A: the additional number of blocks when "the rich information should be
/// carried", zero when `q` will do. The paper prints `Q / (rho L) - Q` in A.2; section 5.1 has
/// `rho rho' L - Q`, and only that follows from Eq. 8.
pub fn additional_blocks(
    t: &Taming,
    bw: Rate,
    rtt_min: Span,
    rho: Ppm,
    rho_ack: Ppm,
    q: u64,
) -> u64 {
    needed_blocks(t, bw, rtt_min, rho, rho_ack).saturating_sub(q)
}

/// Eq. 10: `L <= Q / (rho rho')`, the largest L whose lost IACKs the unacked list of one TACK
/// repeats; `None` = no bound.
pub fn most_packets(q: u64, rho: Ppm, rho_ack: Ppm) -> Option<u64> {
    let scaled = u128::from(q) * MILLION * MILLION;
    let bound = scaled.checked_div(u128::from(rho) * u128::from(rho_ack))?;
    Some(u64::try_from(bound).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taming(packets: u16, mss: u32) -> Taming {
        Taming {
            packets,
            mss,
            ..Taming::default()
        }
    }

    fn mbit(n: u64) -> Rate {
        Rate::from_bps(n * 1_000_000)
    }

    fn ms(n: u64) -> Span {
        Span::from_millis(n)
    }

    fn hertz(f: Frequency) -> u64 {
        (f.as_millihertz() + 500) / 1000
    }

    /// Figure 8b: TACK at RTT_min of 10, 80 and 200 ms, and TCP with L = 2, on the links of Figure 7.
    /// The numbers belong to packets of 1488 bytes, not to the 1500 of the text.
    #[test]
    fn the_frequencies_of_figure_8b() {
        let t = taming(2, 1488);
        let row = |bw| [10, 80, 200].map(|rtt| hertz(tack(&t, bw, ms(rtt))));
        assert_eq!(row(mbit(7)), [294, 50, 20]);
        assert_eq!(row(mbit(590)), [400, 50, 20]);
        assert_eq!(hertz(byte_counting(mbit(7), 2, 1488)), 294);
        let ac = hertz(byte_counting(mbit(590), 2, 1488));
        assert!(ac.abs_diff(24_777) <= 5, "{ac}");
        // Figure 1: g, n and ac lose 95.4, 99.4 and 99.8 % of their ACKs at RTT_min = 80 ms.
        for (bw, lost) in [(26, 954), (210, 994), (590, 998)] {
            let f = tack(&t, mbit(bw), ms(80)).as_millihertz();
            let legacy = byte_counting(mbit(bw), 2, 1488).as_millihertz();
            assert_eq!((1000 * (legacy - f) + legacy / 2) / legacy, lost);
        }
    }

    /// Appendix B.4, L = 1: 10 %, 2.4 % and 0.3 % of the frequency of per-packet ACK.
    #[test]
    fn the_ratios_of_appendix_b_4() {
        let t = taming(1, 1500);
        let per_mille = |bw, rtt| {
            let legacy = per_packet(mbit(bw), 1500).as_millihertz();
            1000 * tack(&t, mbit(bw), ms(rtt)).as_millihertz() / legacy
        };
        assert_eq!(per_mille(48, 10), 100);
        assert_eq!(per_mille(200, 10), 24);
        assert_eq!(per_mille(200, 80), 3);
    }

    /// Section 4.3: 200 ms, 10 Mbit/s, L = 1 give 20 Hz and a feedback delay of up to 50 ms, which
    /// doubles when the TACK is lost.
    #[test]
    fn the_feedback_delay_of_section_4_3() {
        let f = tack(&taming(1, 1500), mbit(10), ms(200));
        assert_eq!(hertz(f), 20);
        assert_eq!(feedback_delay(f, 0), ms(50));
        assert_eq!(feedback_delay(f, 1), ms(100));
    }

    #[test]
    fn tack_is_never_more_frequent_than_tcp() {
        for mbits in [1, 7, 26, 210, 590, 10_000] {
            for rtt in [1, 10, 80, 200] {
                for l in [1, 2, 4, 8, 16] {
                    let f = tack(&taming(l, 1500), mbit(mbits), ms(rtt));
                    assert!(f <= byte_counting(mbit(mbits), u64::from(l), 1500));
                }
            }
        }
    }

    /// The pivot beta L MSS is 96 Mbit/s at 1 ms and 0.48 Mbit/s at 200 ms.
    #[test]
    fn the_pivot_divides_the_two_regimes() {
        let t = taming(2, 1500);
        assert_eq!(pivot(&t), 12_000);
        for (kbit, rtt) in [(96_000, 1), (9_600, 10), (1_200, 80), (480, 200)] {
            let bw = Rate::from_bps(kbit * 1000);
            assert!(is_periodic(&t, bw, ms(rtt)));
            assert!(!is_periodic(
                &t,
                Rate::from_bps(kbit * 1000 - 8000),
                ms(rtt)
            ));
            assert_eq!(
                byte_counting(bw, 2, 1500),
                periodic(ms(rtt), 4),
                "{kbit} {rtt}"
            );
        }
    }

    #[test]
    fn delayed_acks_fall_back_to_every_packet() {
        assert_eq!(hertz(delayed(Rate::from_bps(12_000), 1500, ms(40))), 1);
        assert_eq!(hertz(delayed(mbit(12), 1500, ms(40))), 500);
    }

    /// Appendix B: one bdp of buffer at beta = 2, a third at beta = 4; L up to 400 at Q = 4 and 10 %
    /// each way.
    #[test]
    fn the_bounds_of_appendix_b() {
        assert_eq!(least_window(2, 300), Some(600));
        assert_eq!(least_window(4, 300), Some(400));
        assert_eq!(least_window(1, 300), None);
        assert_eq!(most_packets(4, 100_000, 100_000), Some(400));
        assert_eq!(most_packets(4, 0, 100_000), None);
    }

    /// Eq. 6 at 100 Mbit/s and 200 ms: bdp is 1667 packets. With 1 % and 10 % two blocks are needed;
    /// with a small bdp a single one.
    #[test]
    fn more_blocks_the_more_iacks_are_lost() {
        let t = taming(2, 1500);
        let needed = |rho, ack| needed_blocks(&t, mbit(100), ms(200), rho, ack);
        assert_eq!(needed(10_000, 0), 0);
        assert_eq!(needed(10_000, 100_000), 2);
        assert_eq!(needed(100_000, 100_000), 17);
        let extra = |q| additional_blocks(&t, mbit(100), ms(200), 100_000, 100_000, q);
        assert_eq!((extra(1), extra(17), extra(20)), (16, 0, 0));
        assert_eq!(needed_blocks(&t, mbit(1), ms(10), 100_000, 100_000), 1);
    }
}
