//! The bodies of the fuzz targets.
//!
//! They live in an ordinary crate so that the ordinary test run replays the kept corpora without
//! a fuzzer: see `tests/replay.rs`.

#![forbid(unsafe_code)]

pub mod ack_filter;
pub mod ack_filters;
mod acks;
pub mod block_ack;
pub mod connection;
pub mod fq_codel;
pub mod live_handshake;
pub mod live_packets;
pub mod live_session;
pub mod medium;
pub mod qdisc;
pub mod receiver;
pub mod scenario;
pub mod segment_codec;
pub mod segments;
pub mod sender;
pub mod tack_codec;
pub mod tack_endpoint;

/// A target: its name, which is also that of its corpus folder, and its body.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("ack_filter", ack_filter::run),
    ("ack_filters", ack_filters::run),
    ("block_ack", block_ack::run),
    ("connection", connection::run),
    ("fq_codel", fq_codel::run),
    ("live_handshake", live_handshake::run),
    ("live_packets", live_packets::run),
    ("live_session", live_session::run),
    ("medium", medium::run),
    ("qdisc", qdisc::run),
    ("receiver", receiver::run),
    ("scenario", scenario::run),
    ("segment_codec", segment_codec::run),
    ("segments", segments::run),
    ("sender", sender::run),
    ("tack_codec", tack_codec::run),
    ("tack_endpoint", tack_endpoint::run),
];

/// Hands out the input byte by byte; zeros when it is used up.
#[derive(Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next byte.
    pub fn u8(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// The next two bytes.
    pub fn u16(&mut self) -> u16 {
        u16::from_be_bytes([self.u8(), self.u8()])
    }

    /// The next four bytes.
    pub fn u32(&mut self) -> u32 {
        u32::from(self.u16()) << 16 | u32::from(self.u16())
    }

    /// Whether the input is used up.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A TCP configuration chosen by a few bytes.
pub fn config(b: &mut Bytes<'_>) -> acklab_proto::tcp::TcpConfig {
    use acklab_proto::tcp::config::{EcnMode, LossDetection, Pacing, Profile, TcpConfig};
    let profile = [Profile::Linux, Profile::Ns3, Profile::Rfc][usize::from(b.u8() % 3)];
    let f = b.u8();
    let on = |bit: u8| f >> bit & 1 == 1;
    let base = TcpConfig::new(profile);
    TcpConfig {
        segment: 1000,
        sack: !on(0),
        timestamps: !on(1),
        tlp: base.tlp && !on(2),
        loss_detection: if on(3) {
            LossDetection::DupAck
        } else {
            base.loss_detection
        },
        window_scaling: !on(4),
        ecn: if on(5) { EcnMode::On } else { EcnMode::Passive },
        pacing: if on(6) { Pacing::Always } else { Pacing::Auto },
        limited_transmit: !on(7),
        kernel_units: on(6),
        max_retries: 10_000,
        ..base
    }
}

/// A controller chosen by a byte, with its defaults.
pub fn controller(byte: u8) -> Box<dyn acklab_proto::cc::CongestionControl> {
    use acklab_proto::cc::{CcInit, registry::CONTROLLERS};
    use acklab_proto::registry::Params;
    let entry = &CONTROLLERS[usize::from(byte) % CONTROLLERS.len()];
    let init = CcInit {
        mss: 1000,
        initial_cwnd: 10_000,
        seed: u64::from(byte),
        kernel_units: byte >= 128,
    };
    (entry.build)(&Params::defaults(entry.params), init)
}

/// An ACK policy chosen by a byte, with its defaults.
pub fn policy(byte: u8) -> Box<dyn acklab_proto::ack::AckPolicy> {
    use acklab_proto::ack::registry::POLICIES;
    use acklab_proto::registry::Params;
    let entry = &POLICIES[usize::from(byte) % POLICIES.len()];
    (entry.build)(&Params::defaults(entry.params))
}
