//! A path that delivers in lumps, as Wi-Fi does with A-MPDUs, and what a sender may make of it.
//!
//! Nothing here is in the draft or in Google's kernel. Each mechanism is off in version 3 and on in
//! `bbr3-wifi`. All of them ask how large a lump is: that is `extra_acked`, the data acknowledged beyond what
//! the bandwidth explains, as far as it is more than delayed ACKs and pacing in pairs make anyway.

use super::{Machine, State};
use crate::cc::bbr::{CWND_MIN_TARGET, Ratio};
use acklab_units::Span;

/// Packets below which acknowledgements in a lump are no aggregate: an ACK for two segments and the burst of
/// two that it lets go.
pub const LEAST_LUMP: u64 = CWND_MIN_TARGET;
/// A gentle probe sends so many packets a round more than the path delivers, beside a lump (two, as in
/// `QuantizationBudget`).
const PROBE_PACKETS: u64 = 2;

/// Which mechanisms are on.
#[derive(Clone, Copy, Debug)]
pub struct Lumps {
    /// Share of a lump that bounds learnt from losses leave in flight beside the BDP. Below it the sender is
    /// silent between two lumps, whatever the bandwidth. Zero: no such floor.
    pub floor: Ratio,
    /// Share of a lump that a probe may have in flight above `inflight_hi`, which was learnt at another
    /// moment between two lumps. Zero: none.
    pub headroom: Ratio,
    /// Whether a probe sends at most one lump a round more than the path delivers, instead of a quarter of the
    /// BDP: where the BDP is large, a quarter of it is many lumps.
    pub gentle: bool,
    /// Share of a lump's time by which an RTT may lie above the minimum and still postpone PROBE_RTT: a packet
    /// waits so long for its lump, and an empty queue would not change that. Zero: none.
    pub slack: Ratio,
    /// Share of a lump that is sent at once, so that the next lump is whole. Zero: as the host does.
    pub burst: Ratio,
    /// Packets below which a lump counts as none.
    pub least: u64,
}

impl Lumps {
    /// Nothing of it: version 3.
    pub const OFF: Self = Self {
        floor: Ratio::new(0, 1),
        headroom: Ratio::new(0, 1),
        gentle: false,
        slack: Ratio::new(0, 1),
        burst: Ratio::new(0, 1),
        least: LEAST_LUMP,
    };
    /// All of it but the bursts.
    pub const ON: Self = Self {
        floor: Ratio::ONE,
        headroom: Ratio::ONE,
        gentle: true,
        slack: Ratio::ONE,
        burst: Ratio::new(0, 1),
        least: LEAST_LUMP,
    };
}

impl Machine {
    /// Bytes that the path delivers at once; zero if it does not deliver in lumps.
    pub(super) fn lump(&self) -> u64 {
        let lump = self.extra_acked.cwnd_increment(self.bw(), self.arithmetic);
        if lump < self.profile.lumps.least * self.mss {
            0
        } else {
            lump
        }
    }

    /// The volume that no bound takes out of flight.
    pub(super) fn lump_floor(&self) -> u64 {
        let floor = self.profile.lumps.floor;
        if floor.is_zero() || self.state == State::ProbeRtt {
            return 0;
        }
        match self.lump() {
            0 => 0,
            lump => self.bdp(self.bw(), Ratio::ONE) + floor.of(lump),
        }
    }

    /// The volume that a probe may have in flight above `inflight_hi`.
    pub(super) fn lump_headroom(&self) -> u64 {
        let headroom = self.profile.lumps.headroom;
        if headroom.is_zero() {
            0
        } else {
            headroom.of(self.lump())
        }
    }

    /// The pacing gain of a probe, `gain` at most.
    pub(super) fn probe_gain(&self, gain: Ratio) -> Ratio {
        if !self.profile.lumps.gentle {
            return gain;
        }
        let (lump, bdp) = (self.lump(), self.bdp(self.bw(), Ratio::ONE));
        let more = lump + PROBE_PACKETS * self.mss;
        if lump > 0 && bdp + more < gain.of(bdp) {
            Ratio::new(bdp + more, bdp)
        } else {
            gain
        }
    }

    /// How far above the minimum an RTT is still explained by waiting for a lump.
    pub(super) fn rtt_slack(&self) -> Span {
        let slack = self.profile.lumps.slack;
        if slack.is_zero() || self.bw().as_bps() == 0 {
            return Span::ZERO;
        }
        self.bw().serialisation(slack.of(self.lump()))
    }

    /// Bytes to send at once; `None` leaves it to the host.
    pub(super) fn lump_burst(&self) -> Option<u64> {
        let burst = self.profile.lumps.burst;
        if burst.is_zero() {
            return None;
        }
        let bytes = burst.of(self.lump()).min(self.cwnd / 2);
        (bytes > 0).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, RTT, mbit};
    use super::*;

    /// A feed that cruises at 10 Mbit/s and gets one ACK for each `packets`.
    fn lumpy(lumps: Lumps, packets: u64) -> Feed {
        let profile = Profile {
            lumps,
            ..Profile::google_v3()
        };
        let mut feed = Feed::cruise(profile, mbit(10));
        feed.packets = packets;
        for _ in 0..20 {
            feed.cc.clock.rounds = 0;
            feed.paced_ack(mbit(10));
        }
        assert_eq!(feed.cc.state, State::ProbeBwCruise);
        feed
    }

    #[test]
    fn a_lump_is_what_one_ack_covers() {
        assert_eq!(lumpy(Lumps::ON, 20).cc.lump() / MSS, 20);
        assert_eq!(lumpy(Lumps::ON, 2).cc.lump(), 0, "a delayed ACK is none");
    }

    /// 41 packets of BDP and a lump of 20: a bound of 30 would leave the sender silent half of the time.
    #[test]
    fn bounds_leave_the_bdp_and_a_lump() {
        for (lumps, window) in [(Lumps::OFF, 26), (Lumps::ON, 61)] {
            let mut feed = lumpy(lumps, 20);
            feed.cc.long.inflight_hi = 30 * MSS;
            feed.tx_in_flight = 10;
            feed.paced_ack(mbit(10));
            assert!(
                (window..=window + 1).contains(&(feed.cc.cwnd / MSS)),
                "{} instead of {window}",
                feed.cc.cwnd / MSS
            );
        }
    }

    #[test]
    fn a_probe_has_room_for_a_lump_above_the_bound() {
        let lumps = Lumps {
            headroom: Ratio::ONE,
            ..Lumps::OFF
        };
        let mut feed = lumpy(lumps, 20);
        feed.cc.long.inflight_hi = 50 * MSS;
        feed.cc.state = State::ProbeBwUp;
        assert_eq!(feed.cc.lump_headroom(), 20 * MSS);
        feed.cc.cwnd = 1000 * MSS;
        feed.cc.bound_cwnd_for_model();
        assert_eq!(feed.cc.cwnd, 70 * MSS);
    }

    /// A quarter of 41 packets are ten: a lump of six and two packets are less, one of twenty is more.
    #[test]
    fn a_gentle_probe_adds_a_lump_at_most() {
        for (packets, percent) in [(6, 119), (20, 125), (2, 125)] {
            let mut feed = lumpy(Lumps::ON, packets);
            feed.cc.state = State::ProbeBwUp;
            assert_eq!(feed.cc.pacing_gain().of(100), percent, "{packets}");
        }
    }

    /// 20 packets take 23 ms at 10 Mbit/s.
    #[test]
    fn waiting_for_a_lump_does_not_call_for_probe_rtt() {
        let probes = |lumps: Lumps, more: u64| {
            let mut feed = lumpy(lumps, 20);
            feed.rtt = RTT + Span::from_millis(more);
            (0..150).any(|_| {
                feed.round(mbit(10));
                feed.cc.state == State::ProbeRtt
            })
        };
        assert!(probes(Lumps::OFF, 10));
        assert!(!probes(Lumps::ON, 10));
        assert!(probes(Lumps::ON, 40));
    }

    #[test]
    fn bursts_are_lumps_if_asked_for() {
        assert_eq!(lumpy(Lumps::ON, 20).cc.lump_burst(), None);
        let lumps = Lumps {
            burst: Ratio::ONE,
            ..Lumps::ON
        };
        assert_eq!(lumpy(lumps, 20).cc.lump_burst(), Some(20 * MSS));
        assert_eq!(lumpy(lumps, 2).cc.lump_burst(), None);
    }
}
