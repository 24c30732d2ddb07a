//! Every choice a TCP endpoint leaves open, and the three coherent sets of defaults.

use super::dialect::Dialect;
use super::ns3;
use crate::cc::{self, CcInit, CongestionControl};
use crate::registry::{self, Params};
pub use crate::rtt::{RttConfig, RttEstimator, RttSamples};
use crate::segment::{IP_HEADER, TCP_HEADER};
use acklab_units::Span;
use alloc::boxed::Box;

/// [`TcpConfig::recv_share`] where nothing else is said: 1448 of 2304 bytes.
pub const FULL_SEGMENT_SHARE: u32 = 160;
/// Memory of a block that holds no payload: `sk_buff` and `skb_shared_info`, and room for headers
/// (`MAX_TCP_HEADER`).
const BLOCK_OVERHEAD: u32 = 256 + 320 + 320;
/// Segments of one packet in the reader's queue, each a fragment (`MAX_SKB_FRAGS`).
const FRAGMENTS: u32 = 17;

/// A coherent set of defaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Profile {
    /// Linux 6.12 to 6.18 with its defaults.
    #[default]
    Linux,
    /// ns-3.44, so that runs compare like for like.
    Ns3,
    /// The RFCs' recommendations, and the conservative value where they leave a choice.
    Rfc,
}

/// How losses are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum LossDetection {
    /// RACK (RFC 8985) with its reordering window.
    Rack,
    /// Three duplicate ACKs, or the SACK rule of RFC 6675 `IsLost`.
    DupAck,
}

/// How the window comes down during recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Reduction {
    /// Proportional rate reduction (RFC 9937), as Linux has it.
    Prr,
    /// RFC 6937 with ns-3's quirks: the only one of ns-3's sending half ([`ns3`]), and of no other. That half
    /// has loss detection by duplicate ACKs, timers and RTT samples of its own; of the other settings it
    /// follows sizes, limits, timestamps, SACK, ECN, Nagle and pacing.
    Ns3Prr,
    /// As the RFCs had it before. With SACK the window is at its target at once and what is in
    /// flight drains into it (RFC 6675 section 5). Without SACK it is inflated: the threshold plus
    /// three segments, one more per further duplicate, less what a partial acknowledgement covers,
    /// and the threshold again at the end (RFC 5681 section 3.2, RFC 6582 section 3.2).
    Classic,
}

/// Socket buffer sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Buffer {
    /// Size at the start.
    pub initial: u64,
    /// Size that autotuning may reach; equal to `initial` without autotuning.
    pub max: u64,
}

/// Compression of SACK-bearing ACKs (Linux `tcp_comp_sack_*`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct SackCompression {
    /// Longest delay (the delay is the lesser of this and a share of the RTT).
    pub delay: Span,
    /// That share, in per cent: 5 in Linux 6.12, 33 in 7.3 (`tcp_comp_sack_rtt_percent`).
    pub rtt_percent: u32,
    /// Timer slack, which the wait always uses up.
    pub slack: Span,
    /// Most ACKs merged into one.
    pub count: u32,
    /// Whether an ACK that the timer sends bears the present time, and not that of the last arrival.
    pub restamp: bool,
}

/// When to pace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Pacing {
    /// Only for controllers that need it (Linux without `fq`).
    Auto,
    /// Always; the rate comes from the controller, or from window and RTT.
    Always,
    /// Never, whatever the controller says.
    Never,
}

/// Explicit congestion notification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum EcnMode {
    /// Neither asked for nor accepted.
    Off,
    /// Accepted when the peer asks (Linux default, `tcp_ecn = 2`).
    Passive,
    /// Asked for (`tcp_ecn = 1`).
    On,
}

/// A controller by name with its parameters.
#[derive(Clone, Debug)]
pub struct CcChoice {
    /// The registry's entry.
    pub entry: &'static registry::Entry<cc::Build>,
    /// Its parameters.
    pub params: Params,
}

impl CcChoice {
    /// The controller called `name` with its defaults; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        let entry = registry::find(cc::registry::CONTROLLERS, name)?;
        Some(Self {
            entry,
            params: Params::defaults(entry.params),
        })
    }

    /// Makes the controller.
    pub fn build(&self, init: CcInit) -> Box<dyn CongestionControl> {
        (self.entry.build)(&self.params, init)
    }
}

/// An ACK policy by name with its parameters.
#[derive(Clone, Debug)]
pub struct AckChoice {
    /// The registry's entry.
    pub entry: &'static registry::Entry<crate::ack::Build>,
    /// Its parameters.
    pub params: Params,
}

impl AckChoice {
    /// The policy called `name` with its defaults; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        let entry = registry::find(crate::ack::registry::POLICIES, name)?;
        Some(Self {
            entry,
            params: Params::defaults(entry.params),
        })
    }
}

/// The configuration of one endpoint. Build it from a [`Profile`] and change what you mean to.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpConfig {
    /// The profile that the defaults came from.
    pub profile: Profile,
    /// Payload bytes of a full data segment with its options (1448 on Ethernet with timestamps).
    pub segment: u32,
    /// Timestamps option (RFC 7323).
    pub timestamps: bool,
    /// Window scaling (RFC 7323).
    pub window_scaling: bool,
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Report duplicates by DSACK (RFC 2883).
    pub dsack: bool,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: EcnMode,
    /// Initial window in segments (RFC 6928).
    pub initial_window: u32,
    /// Send buffer.
    pub send_buffer: Buffer,
    /// Receive buffer.
    pub recv_buffer: Buffer,
    /// Segments that an autotuned receive buffer has room for beside what the application reads: 16
    /// in Linux before 6.16 (`tcp_rcv_space_adjust`), none since ("tcp: fix sk_rcvbuf overshoot").
    /// With a cushion data above a gap get no room of their own, as before 6.16 ("tcp: adjust rcvbuf
    /// in presence of reorders").
    pub recv_cushion: u32,
    /// Payload of full segments in an autotuned receive buffer, in 256ths of their memory
    /// (`scaling_ratio` of `tcp_measure_rcv_mss`).
    pub recv_share: u32,
    /// Memory of the block in which an autotuned receive buffer keeps a segment above a gap, with the
    /// neighbours behind it that fit: 4,352 bytes for linear packets over a virtual cable (`skb_condense`,
    /// `skb_try_coalesce`). 0: each takes as much as in order.
    pub recv_block: u32,
    /// Shortest retransmission timeout.
    pub min_rto: Span,
    /// Longest retransmission timeout.
    pub max_rto: Span,
    /// Retransmission timeout before the first RTT sample.
    pub initial_rto: Span,
    /// RTT estimator.
    pub rtt_estimator: RttEstimator,
    /// RTT samples are rounded down to this (ns-3 and timestamp-only stacks: 1 ms); zero = exact.
    pub rtt_granularity: Span,
    /// Whether sender and BBR reckon in Linux's units: stamps of departures and ACKs in whole microseconds, on which RTT,
    /// delivery rate and RACK rest (`tcp_mstamp`, `tcp_skb_timestamp_us`), pacing in whole bytes per second and
    /// nanoseconds, and BBRv1, BBRv2 and Google's BBRv3 in packets and multiples of 2^-24 packets per microsecond.
    /// Otherwise times are exact, and rates have whole bits.
    pub kernel_units: bool,
    /// Length of a tick, at whose beginnings the sender's timers fire ([`crate::rtt::Rtt::fires`]; Linux: 4 ms at
    /// HZ = 250); zero = exact.
    pub jiffy: Span,
    /// Unanswered retransmission timeouts before the connection is given up (Linux
    /// `tcp_retries2` = 15).
    pub max_retries: u32,
    /// Loss detection.
    pub loss_detection: LossDetection,
    /// Tail loss probes (RFC 8985 section 7).
    pub tlp: bool,
    /// How the window comes down: one of the profile's [`Dialect::reductions`](super::dialect::Dialect).
    pub reduction: Reduction,
    /// F-RTO (RFC 5682).
    pub frto: bool,
    /// Undo spurious reductions by timestamps (Eifel, RFC 3522 and 4015) and DSACK (RFC 3708).
    pub undo: bool,
    /// Nagle's algorithm with Minshall's modification: a partial segment waits while an earlier
    /// partial one is unacknowledged.
    pub nagle: bool,
    /// Limited transmit (RFC 3042).
    pub limited_transmit: bool,
    /// The window grows only when it was the limit (RFC 7661 in spirit, Linux
    /// `tcp_cwnd_validate`).
    pub cwnd_validation: bool,
    /// The window shrinks after idle time (RFC 5681 section 4.1, Linux
    /// `tcp_slow_start_after_idle`).
    pub idle_restart: bool,
    /// Pacing.
    pub pacing: Pacing,
    /// Pacing rate in slow start, percent of window over RTT (Linux `tcp_pacing_ss_ratio`).
    pub pacing_ss_ratio: u32,
    /// Pacing rate afterwards, percent (Linux `tcp_pacing_ca_ratio`).
    pub pacing_ca_ratio: u32,
    /// Segments released at once when paced (Linux's TSO sizing as seen by the path); 0 = the
    /// controller's quantum or Linux's autosizing, 1 = packet by packet.
    pub pacing_quantum: u32,
    /// SACK compression at the receiver; `None` = off.
    pub sack_compression: Option<SackCompression>,
    /// The sender looks at the SACK blocks of an ACK in the order of their numbers (Linux
    /// `tcp_sacktag_write_queue`), and not in that of the option, which has the latest first. RACK takes the
    /// RTT of the segment that is looked at last, so this matters where an ACK shows several new blocks.
    pub sack_sorted: bool,
    /// Sequence number of the SYN; `None` draws it from the seed.
    pub isn: Option<u32>,
}

impl TcpConfig {
    /// The samples of the round-trip time estimator.
    pub const fn rtt(&self) -> RttConfig {
        RttConfig {
            estimator: self.rtt_estimator,
            initial_rto: self.initial_rto,
            min_rto: self.min_rto,
            max_rto: self.max_rto,
            jiffy: self.jiffy,
        }
    }

    /// The defaults of `profile`.
    pub fn new(profile: Profile) -> Self {
        match profile {
            Profile::Linux => Self::linux(),
            Profile::Ns3 => ns3::config(),
            Profile::Rfc => Self::rfc(),
        }
    }

    /// Bytes of IP and TCP headers of a segment with payload.
    pub const fn headers(&self) -> u32 {
        // The timestamps option with its padding (RFC 7323 appendix A).
        let options = if self.timestamps { 12 } else { 0 };
        IP_HEADER + TCP_HEADER + options
    }

    /// Bytes of the IP packet of a full data segment.
    pub const fn full_packet(&self) -> u32 {
        self.headers() + self.segment
    }

    /// Payload that a block above a gap holds, in whole segments; 0 without blocks.
    pub const fn payload_per_block(&self) -> u64 {
        if self.recv_block == 0 {
            return 0;
        }
        let segments = self.recv_block.saturating_sub(BLOCK_OVERHEAD) / self.segment;
        let segments = if segments == 0 { 1 } else { segments };
        segments as u64 * self.segment as u64
    }

    /// Payload of neighbouring segments that a reader finds as one packet (`tcp_try_coalesce`).
    pub const fn payload_per_packet(&self) -> u64 {
        match self.payload_per_block() {
            0 => FRAGMENTS as u64 * self.segment as u64,
            bytes => bytes,
        }
    }

    /// The behaviours of the profile's stack that no key sets.
    pub const fn dialect(&self) -> &'static Dialect {
        self.profile.dialect()
    }

    /// Name of the receiver policy that goes with the profile.
    pub const fn default_ack_policy(&self) -> &'static str {
        self.dialect().ack_policy
    }

    fn linux() -> Self {
        Self {
            profile: Profile::Linux,
            segment: 1448,
            timestamps: true,
            window_scaling: true,
            sack: true,
            dsack: true,
            ecn: EcnMode::Passive,
            initial_window: 10,
            // net.ipv4.tcp_wmem and tcp_rmem of a machine with a few GiB.
            send_buffer: Buffer {
                initial: 87_380,
                max: 4 << 20,
            },
            recv_buffer: Buffer {
                initial: 131_072,
                max: 6 << 20,
            },
            recv_cushion: 0,
            recv_share: FULL_SEGMENT_SHARE,
            recv_block: 0,
            min_rto: Span::from_millis(200),
            max_rto: Span::from_secs(120),
            initial_rto: Span::from_secs(1),
            rtt_estimator: RttEstimator::Linux,
            rtt_granularity: Span::ZERO,
            kernel_units: false,
            jiffy: Span::from_millis(4),
            max_retries: 15,
            loss_detection: LossDetection::Rack,
            tlp: true,
            reduction: Reduction::Prr,
            frto: true,
            undo: true,
            nagle: true,
            limited_transmit: true,
            cwnd_validation: true,
            idle_restart: true,
            pacing: Pacing::Auto,
            pacing_ss_ratio: 200,
            pacing_ca_ratio: 120,
            pacing_quantum: 1,
            sack_compression: Some(SackCompression {
                delay: Span::from_millis(1),
                rtt_percent: 5,
                slack: Span::from_micros(100),
                count: 44,
                restamp: false,
            }),
            sack_sorted: true,
            isn: None,
        }
    }

    fn rfc() -> Self {
        Self {
            profile: Profile::Rfc,
            send_buffer: Buffer {
                initial: 4 << 20,
                max: 4 << 20,
            },
            recv_buffer: Buffer {
                initial: 4 << 20,
                max: 4 << 20,
            },
            min_rto: Span::from_secs(1),
            max_rto: Span::from_secs(60),
            rtt_estimator: RttEstimator::Rfc6298 {
                granularity: Span::from_millis(1),
                samples: RttSamples::EveryAck,
            },
            sack_compression: None,
            kernel_units: false,
            jiffy: Span::ZERO,
            sack_sorted: false,
            ..Self::linux()
        }
    }
}

impl Default for TcpConfig {
    fn default() -> Self {
        Self::new(Profile::Linux)
    }
}
