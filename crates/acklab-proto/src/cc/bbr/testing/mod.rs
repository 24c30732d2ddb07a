//! A path of one bottleneck for closed-loop tests, and a plain ACK for open-loop ones.

mod path;
mod sender;

pub use path::Path;

use crate::cc::{Ack, RateSample, RecoveryPhase};
use acklab_units::{Instant, Rate, Span};

/// Segment size of the tests in bytes.
pub const MSS: u64 = 1448;

/// `n` milliseconds after the start.
pub fn ms(n: u64) -> Instant {
    Instant::ZERO + Span::from_millis(n)
}

/// An ACK at `now` for `packets` packets, with a valid sample at `rate` and round-trip time `rtt`.
/// `delivered`: bytes delivered, this ACK included. The sample's packet was sent one round before.
pub fn ack(now: Instant, packets: u64, delivered: u64, rate: Rate, rtt: Span) -> Ack {
    let volume = rate.bytes_in(rtt).min(delivered);
    Ack {
        now,
        exact: now,
        acked: packets * MSS,
        newly_delivered: packets * MSS,
        newly_delivered_segments: packets as u32,
        acked_segments: packets as u32,
        newly_lost: 0,
        delivered,
        lost: 0,
        newly_ce: 0,
        rtt: Some(rtt),
        cc_rtt: Some(rtt),
        cc_rtt_samples: 1,
        srtt: rtt,
        min_rtt: rtt,
        cwnd: volume,
        inflight: volume,
        prior_inflight: volume + packets * MSS,
        rate: RateSample {
            delivered: volume.max(1),
            interval: rtt,
            send_interval: rtt,
            ack_interval: rtt,
            prior_delivered: delivered - volume,
            tx_in_flight: volume,
            ..RateSample::default()
        },
        cwnd_limited: true,
        may_grow: true,
        phase: RecoveryPhase::Open,
        ece: false,
        snd_una: delivered,
        snd_nxt: delivered + volume,
        app_limited: false,
        ack_delayed: false,
    }
}
