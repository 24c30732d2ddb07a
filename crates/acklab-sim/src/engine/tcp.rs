//! TCP as the engine's transport.

use super::End;
use crate::transport::{Counters, Retrans, Snapshot, Socket, Transport};
use acklab_proto::cc::CcInit;
use acklab_proto::tcp::{Connection, Role};
use acklab_units::{Instant, Span};

/// The connection that a plan asks for at `end`.
pub(super) fn connection(end: End<'_>) -> Connection {
    let (flow, tcp) = (end.flow, &end.flow.tcp);
    let cc = flow.cc.build(CcInit {
        mss: tcp.segment,
        initial_cwnd: u64::from(tcp.segment) * u64::from(tcp.initial_window),
        seed: end.seeds.cc,
    });
    let ack = (flow.ack.entry.build)(&flow.ack.params);
    let role = if end.active {
        Role::Active
    } else {
        Role::Passive
    };
    Connection::new(role, tcp, cc, ack, tcp.isn.unwrap_or(end.seeds.isn))
}

impl Socket for Connection {
    fn write(&mut self, bytes: u64) -> u64 {
        Self::write(self, bytes)
    }

    fn read(&mut self, now: Instant, max: u64) -> u64 {
        Self::read(self, now, max)
    }

    fn close(&mut self, now: Instant) {
        Self::close(self, now);
    }
}

impl Transport for Connection {
    fn open(&mut self, now: Instant) {
        Self::open(self, now);
    }

    fn cwnd(&self) -> u64 {
        Self::snapshot(self).cwnd
    }

    fn counters(&self) -> Counters {
        let s = self.stats();
        Counters {
            data_segs_out: s.data_segs_out,
            retrans: Retrans {
                rack: s.retrans_rack,
                dupack: s.retrans_dupack,
                tlp: s.retrans_tlp,
                rto: s.retrans_rto,
            },
            bytes_retrans: s.bytes_retrans,
            rtos: s.rto_count,
            undos: s.undos,
            acks_out: s.acks_out,
            acks_in: s.acks_in,
            acked_bytes: s.bytes_acked,
            received_bytes: s.bytes_received,
        }
    }

    fn snapshot(&self) -> Snapshot {
        let s = Self::snapshot(self);
        Snapshot {
            cwnd: s.cwnd,
            ssthresh: s.ssthresh,
            inflight: s.inflight,
            srtt: s.srtt,
            rtt: s.rtt,
            min_rtt: if s.min_rtt == Span::MAX {
                Span::ZERO
            } else {
                s.min_rtt
            },
            pacing_rate: s.pacing_rate,
            delivery_rate: s.delivery_rate,
            state: s.state,
            phase: s.phase,
        }
    }
}
