//! Facts for a controller written in Python: sizes in bytes, times in seconds, rates
//! in bit/s.

use acklab_proto::cc;
use acklab_units::{Instant, Span};
use pyo3::prelude::*;

fn at(now: Instant) -> f64 {
    now.as_nanos() as f64 / 1e9
}

fn seconds(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e9
}

/// A time that is zero or endless while nothing is known.
fn known(span: Span) -> Option<f64> {
    (!span.is_zero() && span != Span::MAX).then(|| seconds(span))
}

/// Declares a fact: the same fields in the core's struct (`$core`) and in Python's class.
macro_rules! fact {
    ($(#[$doc:meta])* $name:ident from $core:ty, $arg:ident {
        $($(#[$field_doc:meta])* $field:ident: $ty:ty = $value:expr,)*
    }) => {
        $(#[$doc])*
        #[pyclass(frozen, get_all, module = "acklab._core")]
        #[derive(Debug)]
        pub(crate) struct $name {
            $($(#[$field_doc])* $field: $ty,)*
        }

        impl From<&$core> for $name {
            fn from($arg: &$core) -> Self {
                Self { $($field: $value,)* }
            }
        }
    };
}

fact! {
    /// The facts that a controller gets when it is made.
    CcInit from cc::CcInit, c {
        /// Payload bytes of a full segment.
        mss: u32 = c.mss,
        /// Initial window in bytes.
        initial_cwnd: u64 = c.initial_cwnd,
        /// Seed for the controller's own draws.
        seed: u64 = c.seed,
    }
}

fact! {
    /// A segment left.
    Sent from cc::Sent, s {
        /// When.
        now: f64 = at(s.now),
        /// Payload bytes.
        bytes: u32 = s.bytes,
        /// Bytes in flight before it.
        prior_inflight: u64 = s.prior_inflight,
        /// The flow starts again after it had nothing to send.
        idle_restart: bool = s.idle_restart,
        /// The flow is limited by the application.
        app_limited: bool = s.app_limited,
        /// It is a retransmission.
        retransmission: bool = s.retransmission,
    }
}

fact! {
    /// An acknowledgement was digested.
    Ack from cc::Ack, a {
        /// When.
        now: f64 = at(a.now),
        /// Bytes newly acknowledged cumulatively.
        acked: u64 = a.acked,
        /// Bytes newly acknowledged, cumulatively or selectively.
        newly_delivered: u64 = a.newly_delivered,
        /// Bytes marked lost by this ACK.
        newly_lost: u64 = a.newly_lost,
        /// Bytes delivered with a congestion mark.
        newly_ce: u64 = a.newly_ce,
        /// Bytes delivered since the start.
        delivered: u64 = a.delivered,
        /// RTT sample of this ACK, if it gave one.
        rtt: Option<f64> = a.rtt.map(seconds),
        /// Smoothed RTT, once there is one.
        srtt: Option<f64> = known(a.srtt),
        /// Smallest RTT of late, once there is one.
        min_rtt: Option<f64> = known(a.min_rtt),
        /// Bytes in flight after this ACK.
        inflight: u64 = a.inflight,
        /// Bytes in flight before it.
        prior_inflight: u64 = a.prior_inflight,
        /// Delivery rate in bit/s, if this ACK gave a sample.
        delivery_rate: Option<f64> = a.rate.rate().map(|r| r.as_bps() as f64),
        /// That sample was taken while the application limited the flow.
        rate_app_limited: bool = a.rate.is_app_limited,
        /// The flow's count of delivered bytes when the sample's segment was sent.
        rate_prior_delivered: u64 = a.rate.prior_delivered,
        /// The window was the limit in the last round.
        cwnd_limited: bool = a.cwnd_limited,
        /// Recovery lets this ACK raise the window.
        may_grow: bool = a.may_grow,
        /// Fast recovery, or recovery from a timeout, is under way.
        in_recovery: bool = matches!(
            a.phase,
            cc::RecoveryPhase::Recovery | cc::RecoveryPhase::Loss
        ),
        /// The flow is limited by the application.
        app_limited: bool = a.app_limited,
    }
}

fact! {
    /// Fast recovery began.
    Loss from cc::Loss, l {
        /// When.
        now: f64 = at(l.now),
        /// Bytes in flight.
        inflight: u64 = l.inflight,
        /// Bytes in flight when the ACK that revealed the loss arrived.
        prior_inflight: u64 = l.prior_inflight,
        /// Bytes delivered since the start.
        delivered: u64 = l.delivered,
    }
}

fact! {
    /// One segment was marked lost.
    SegmentLost from cc::SegmentLost, l {
        /// When.
        now: f64 = at(l.now),
        /// Payload bytes.
        bytes: u32 = l.bytes,
        /// Bytes in flight just after it had been sent.
        tx_in_flight: u64 = l.tx_in_flight,
        /// Bytes marked lost between its sending and now, itself included.
        lost_since_sent: u64 = l.lost_since_sent,
        /// Bytes in flight now.
        inflight: u64 = l.inflight,
    }
}

fact! {
    /// The retransmission timer expired.
    Rto from cc::Rto, r {
        /// When.
        now: f64 = at(r.now),
        /// Bytes in flight when it did.
        prior_inflight: u64 = r.prior_inflight,
        /// It is the first of a series.
        first: bool = r.first,
    }
}

fact! {
    /// A congestion mark was echoed.
    EcnEcho from cc::EcnEcho, e {
        /// When.
        now: f64 = at(e.now),
        /// Bytes in flight.
        inflight: u64 = e.inflight,
    }
}

fact! {
    /// The last reduction was spurious.
    Spurious from cc::Spurious, s {
        /// When.
        now: f64 = at(s.now),
        /// Bytes in flight.
        inflight: u64 = s.inflight,
        /// The reduction was for a timeout.
        was_rto: bool = s.was_rto,
    }
}

fact! {
    /// Recovery ended.
    RecoveryExit from cc::RecoveryExit, e {
        /// When.
        now: f64 = at(e.now),
        /// Bytes in flight.
        inflight: u64 = e.inflight,
    }
}

fact! {
    /// The flow restarts after it was idle.
    IdleRestart from cc::IdleRestart, r {
        /// When.
        now: f64 = at(r.now),
        /// How long nothing was sent.
        idle: f64 = seconds(r.idle),
        /// The current retransmission timeout.
        rto: f64 = seconds(r.rto),
    }
}
