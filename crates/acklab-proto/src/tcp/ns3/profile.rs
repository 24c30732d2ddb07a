//! The choices of the profile `ns3`: ns-3's behaviours, and its defaults.

use crate::registry::Value;
use crate::segment::OptionLayout;
use crate::tcp::config::{
    Buffer, EcnMode, LossDetection, Profile, Reduction, RttEstimator, RttSamples, TcpConfig,
};
use crate::tcp::dialect::{Dialect, ReceiveBuffer, SenderRules};
use acklab_units::Span;

/// The ways of ns-3.44 (`TcpSocketBase`, `TcpRxBuffer`, `TcpHeader`).
pub const DIALECT: Dialect = Dialect {
    sender: SenderRules::Ns3,
    // `TcpPrrRecovery`, its default; `TcpClassicRecovery` is not built.
    reductions: &[Reduction::Ns3Prr],
    option_layout: OptionLayout::Packed,
    mss_option: false,
    asks_for_acks: false,
    acks_before_data: true,
    paws_tolerance: None,
    sacks_need_echo: false,
    blocks_by_segment: true,
    receive_buffer: ReceiveBuffer::Fixed { stepped: false },
    send_buffer_of_memory: false,
    forced_push: false,
    linear_syn_timeouts: false,
    arrivals_first: true,
    ack_policy: "delayed",
    // It counts segments, and the first of a series waits, too.
    ack_params: &[
        ("count", Value::Choice("segments")),
        ("first", Value::Bool(true)),
    ],
    cc_params: &[
        ("variant", Value::Choice("ns3")),
        ("growth", Value::Choice("ns3")),
    ],
};

/// Socket buffers (`SndBufSize`, `RcvBufSize`).
const BUFFER: Buffer = Buffer {
    initial: 131_072,
    max: 131_072,
};

/// The defaults of the profile.
pub fn config() -> TcpConfig {
    TcpConfig {
        profile: Profile::Ns3,
        dsack: false,
        ecn: EcnMode::Off,
        send_buffer: BUFFER,
        recv_buffer: BUFFER,
        min_rto: Span::from_secs(1),
        max_rto: Span::from_secs(60),
        // `ConnTimeout`, which holds for the SYN.
        initial_rto: Span::from_secs(3),
        rtt_estimator: RttEstimator::Rfc6298 {
            granularity: Span::from_millis(1),
            samples: RttSamples::EveryAck,
        },
        rtt_granularity: Span::from_millis(1),
        kernel_units: false,
        jiffy: Span::ZERO,
        nagle: false,
        max_retries: 6,
        loss_detection: LossDetection::DupAck,
        tlp: false,
        reduction: Reduction::Ns3Prr,
        frto: false,
        undo: false,
        limited_transmit: true,
        cwnd_validation: false,
        idle_restart: false,
        sack_compression: None,
        ..TcpConfig::new(Profile::Linux)
    }
}
