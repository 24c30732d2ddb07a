//! A connection's counters as a mapping.

use acklab_live::Report;
use acklab_units::Span;
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn ms(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e6
}

/// The counters under the names that columns of simulated flows have, where there are such.
pub(super) fn dict<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let (s, now, wire) = (&report.stats, &report.snapshot, &report.wire);
    let d = PyDict::new(py);
    let counts = [
        ("sent_bytes", s.bytes_sent),
        ("acked_bytes", s.bytes_acked),
        ("received_bytes", s.bytes_received),
        ("data_packets", s.data_segs_out),
        ("data_packets_in", s.data_segs_in),
        ("retransmissions", s.retrans.total()),
        ("retransmitted_bytes", s.bytes_retrans),
        ("timeouts", s.rto_count),
        ("acks_received", s.acks_in),
        ("acks_sent", s.acks_out),
        ("iacks_sent", s.iacks_out),
        ("tacks_sent", s.acks_out - s.iacks_out),
        ("packets_out", wire.packets_out),
        ("packets_in", wire.packets_in),
        ("bytes_out", wire.bytes_out),
        ("bytes_in", wire.bytes_in),
        ("refused", wire.refused),
        ("cwnd_bytes", now.cwnd),
        ("inflight_bytes", now.inflight),
    ];
    for (name, value) in counts {
        d.set_item(name, value)?;
    }
    d.set_item("srtt_ms", ms(now.srtt))?;
    d.set_item("rtt_ms", ms(now.rtt))?;
    d.set_item("min_rtt_ms", now.min_rtt.map(ms))?;
    d.set_item(
        "pacing_mbps",
        now.pacing_rate.map(|r| r.as_bps() as f64 / 1e6),
    )?;
    d.set_item("state", now.state)?;
    d.set_item("peer", report.address.to_string())?;
    d.set_item("moves", report.moves)?;
    d.set_item("packet_size", report.packet_size)?;
    Ok(d)
}
