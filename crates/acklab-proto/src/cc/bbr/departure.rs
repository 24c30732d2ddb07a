//! The pacer's next departure time, as the controller can reckon it.

use super::Arithmetic;
use crate::pacing::{UNPACED_SEGMENTS, gap};
use acklab_units::{Instant, Rate};

/// Follows the earliest departure time of the next packet (`tcp_wstamp_ns`).
///
/// Linux compares in-flight data with a target not as it is now but as it will be when the next
/// packet may leave: packets already scheduled by the pacer keep the bottleneck busy meanwhile.
/// The clock advances by the serialisation time of each packet at the pacing rate; time by which
/// the sender was late is credited, up to half of that (`tcp_update_skb_after_send`).
#[derive(Clone, Debug, Default)]
pub struct Departure {
    earliest: Instant,
    kernel_units: bool,
    sent: u64,
}

impl Departure {
    /// A clock at zero. `kernel_units`: the unpaced first segments do not move it, and times are rounded
    /// down, as in Linux.
    pub fn new(kernel_units: bool) -> Self {
        Self {
            kernel_units,
            ..Self::default()
        }
    }

    /// Notes that `bytes` left at `now` under pacing rate `rate`.
    pub fn on_sent(&mut self, now: Instant, bytes: u64, rate: Rate) {
        self.sent += u64::from(bytes > 0);
        if self.kernel_units && self.sent < UNPACED_SEGMENTS {
            self.earliest = self.earliest.max(now);
            return;
        }
        let late = now.saturating_since(self.earliest);
        let spacing = gap(rate, bytes, self.kernel_units);
        let credit = late.min(spacing / 2);
        self.earliest = self
            .earliest
            .max(now)
            .saturating_add(spacing.saturating_sub(credit));
    }

    /// Bytes that will be in the network when the next packet may leave, if `in_flight` are now
    /// and the path delivers at `bw`. `quantum`: size of the packet that leaves then, counted in
    /// when the sender is trying to raise in-flight data, else zero (`bbr_packets_in_net_at_edt`).
    pub fn in_network(
        &self,
        now: Instant,
        in_flight: u64,
        bw: Rate,
        quantum: u64,
        arithmetic: Arithmetic,
    ) -> u64 {
        let delivered = arithmetic.volume(bw, self.earliest.saturating_since(now));
        (in_flight + quantum).saturating_sub(delivered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_units::Span;

    const RATE: Rate = Rate::from_bps(8_000_000);
    const PACKETS: Arithmetic = Arithmetic::new(1000, 1000, true);

    /// A clock that has let the unpaced packets pass at time zero.
    fn paced() -> Departure {
        let mut d = Departure::new(true);
        for _ in 1..UNPACED_SEGMENTS {
            d.on_sent(at(0), 1000, RATE);
        }
        d
    }

    fn at(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    #[test]
    fn an_idle_pacer_changes_nothing() {
        let d = Departure::default();
        assert_eq!(d.in_network(at(500), 10_000, RATE, 0, PACKETS), 10_000);
        assert_eq!(d.in_network(at(500), 10_000, RATE, 2_000, PACKETS), 12_000);
    }

    #[test]
    fn scheduled_packets_are_taken_off() {
        let bw = PACKETS.sample(1000, Span::from_millis(1), true).unwrap();
        let mut d = paced();
        for _ in 0..10 {
            d.on_sent(at(0), 1000, RATE);
        }
        assert_eq!(
            d.in_network(at(0), 10_000, bw, 0, PACKETS),
            0,
            "all of it will have left by then"
        );
        assert_eq!(d.in_network(at(5_000), 10_000, bw, 0, PACKETS), 5_000);
        assert_eq!(
            d.in_network(at(4_500), 10_000, bw, 0, PACKETS),
            5_000,
            "half a packet has not been delivered"
        );
        assert_eq!(
            d.in_network(at(0), 4_000, bw, 0, PACKETS),
            0,
            "never below nothing"
        );
    }

    #[test]
    fn only_linux_leaves_the_first_segments_out() {
        for (kernel_units, earliest) in [(true, at(0)), (false, at(1_000))] {
            let mut d = Departure::new(kernel_units);
            d.on_sent(at(0), 1000, RATE);
            assert_eq!(d.earliest, earliest);
        }
    }

    #[test]
    fn lateness_is_credited_up_to_half_a_packet() {
        let mut d = paced();
        d.on_sent(at(0), 1000, RATE);
        d.on_sent(at(1_200), 1000, RATE);
        assert_eq!(d.earliest, at(2_000), "200 us late, 200 us made up");
        d.on_sent(at(9_000), 1000, RATE);
        assert_eq!(
            d.earliest,
            at(9_500),
            "long idle: no more than half a packet"
        );
    }
}
