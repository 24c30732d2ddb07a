//! One row per flow, one row per link.

use super::{DelaySummary, Distribution};
use crate::app::VideoSummary;
use acklab_path::ack_filter::FilterStats;
use acklab_path::link::LinkStats;
use acklab_proto::stats::Retrans;
use acklab_units::{Instant, Span};

/// A flow in numbers. *Sender* and *receiver* are those of the direction in which the flow's data
/// travel; packets are window bytes divided by the segment size.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSummary {
    /// Name of the flow.
    pub name: String,
    /// Name of the transport.
    pub transport: &'static str,
    /// Name of the congestion controller.
    pub cc: &'static str,
    /// When the connection was opened, start jitter included.
    pub start: Instant,
    /// From `start` until everything had been received; `None` if the flow has no end or did not
    /// reach it.
    pub completion: Option<Span>,
    /// Bit/s of in-order payload that the receiving application read from `measure_from` to the
    /// end.
    pub goodput_bps: f64,
    /// The same from `warmup` on.
    pub warm_goodput_bps: f64,
    /// Bit/s of acknowledged payload from `start` to the end.
    pub goodput_total_bps: f64,
    /// Bit/s of IP packets that the sender sent from `measure_from` to the end, retransmissions
    /// included.
    pub throughput_bps: f64,
    /// Bytes that the receiving application read.
    pub received_bytes: u64,
    /// Segments with payload that the sender sent, retransmissions included.
    pub data_segs_out: u64,
    /// Segments retransmitted, by cause.
    pub retrans: Retrans,
    /// Segments retransmitted that DSACKs called superfluous.
    pub spurious_retrans: u64,
    /// Payload bytes retransmitted.
    pub bytes_retrans: u64,
    /// Segments that the sender marked lost.
    pub lost: u64,
    /// Fast recoveries.
    pub recoveries: u64,
    /// Tail loss probes.
    pub tlps: u64,
    /// Segments that reached the receiver out of order.
    pub out_of_order: u64,
    /// Segments that reached the receiver and held nothing new.
    pub duplicates: u64,
    /// Retransmission timeouts.
    pub rtos: u64,
    /// Reductions of the window that were undone.
    pub undos: u64,
    /// Window reductions in answer to an ECN echo.
    pub ecn_reductions: u64,
    /// Mean congestion window in packets, weighted by time, from `start` to the end; `None` before
    /// there was a window.
    pub cwnd_mean_time: Option<f64>,
    /// Congestion windows in packets, sampled every 100 ms from `warmup` on.
    pub cwnd: Option<WindowSamples>,
    /// The latest RTT at the same instants; `None` without samples.
    pub rtt: Option<Distribution>,
    /// The smoothed RTT at the same instants.
    pub srtt: Option<Distribution>,
    /// Smallest RTT sample of the run.
    pub min_rtt: Option<Span>,
    /// Pure acknowledgements that the receiver sent.
    pub acks_sent: u64,
    /// Of these, those that TACK sends for an event between two TACKs (IACKs); `None` of another
    /// transport.
    pub iacks_sent: Option<u64>,
    /// Time on the air of radio PPDUs with nothing but acknowledgements, as far as it was for those of
    /// this flow; `None` without radio.
    pub feedback_airtime: Option<Span>,
    /// Pure acknowledgements that reached the sender.
    pub acks_received: u64,
    /// Segments with payload sent per pure acknowledgement that reached the sender; `None` if none
    /// did.
    pub segments_per_ack: Option<f64>,
    /// Pure acknowledgements per second that reached the sender from `measure_from` to the end.
    pub ack_rate: f64,
    /// As many per smoothed RTT: `ack_rate` times the mean of `srtt`.
    pub acks_per_rtt: Option<f64>,
    /// Mean time from the arrival of the first byte that an acknowledgement covers to its sending,
    /// from `warmup` on; `None` unless acknowledgements are recorded.
    pub ack_delay_mean: Option<Span>,
    /// One-way delays of the data packets that arrived from `warmup` on; `None` unless recorded.
    pub delays: Option<DelaySummary>,
    /// Bytes that the sending application lost at a full send buffer; `None` if it keeps them.
    pub app_dropped_bytes: Option<u64>,
    /// Exchanges completed (request and response).
    pub exchanges: u64,
    /// Mean time from request to the end of the response; zero without exchanges.
    pub exchange_mean: Span,
    /// The longest such time.
    pub exchange_max: Span,
    /// The experience of a video's viewer; `None` of another application.
    pub video: Option<VideoSummary>,
    /// The fate of the packets of a transport that repeats nothing; `None` of one that does.
    pub datagrams: Option<DatagramSummary>,
}

/// The fate of the packets of a flow whose transport repeats nothing, as its receiver sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DatagramSummary {
    /// Packets that arrived.
    pub arrived: u64,
    /// Packets that did not, of those up to the last one that did (RFC 3550, appendix A.3).
    pub lost: u64,
    /// Packets that arrived behind one that was sent later.
    pub reordered: u64,
    /// Share of the packets lost from `measure_from` on; `None` if nothing arrived by then.
    pub loss: Option<f64>,
}

/// Samples of a congestion window in numbers, in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowSamples {
    /// Arithmetic mean.
    pub mean: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// A link in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSummary {
    /// Name of the link.
    pub name: String,
    /// Counters.
    pub stats: LinkStats,
    /// Counters of the ACK filters together, if there are any.
    pub filter: Option<FilterStats>,
    /// Share of the run during which the transmitter was busy.
    pub utilisation: f64,
    /// Times spent in the queue by packets that left it from `warmup` on; `None` unless recorded.
    pub sojourn: Option<Distribution>,
    /// Packets inside at the end: held, waiting, in service or on their way.
    pub inside: u64,
}
