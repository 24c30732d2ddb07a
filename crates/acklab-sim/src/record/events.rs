//! Events of the senders of the flows' data, by comparing their counters and states before
//! and after everything that happens to them.
//!
//! Comparing costs the transport nothing and holds for every transport alike. The price: of states
//! that a controller enters and leaves again within one acknowledgement only the last is seen.

use super::observer::{News, Stimulus};
use acklab_proto::cc::RecoveryPhase;
use acklab_proto::stats::Stats;
use acklab_units::Instant;

/// An event of a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum EventKind {
    /// The controller changed its state; the cause is the new one, the value the window in bytes.
    State,
    /// Loss recovery began; the cause is its kind, the value the window in bytes.
    RecoveryEnter,
    /// It ended; likewise.
    RecoveryExit,
    /// A reduction was taken back; the cause is the evidence, the value the window in bytes.
    Undo,
    /// The retransmission timer expired; the value is the window in bytes.
    Rto,
    /// A tail loss probe was sent; the value is the window in bytes.
    Tlp,
    /// Segments were marked lost, as many as the value; the cause is what revealed it.
    LossDetected,
    /// A segment was sent again; the cause is why it was taken for lost, the value its bytes.
    Retransmit,
    /// DSACKs, or the receipts of TACK, called as many retransmitted segments superfluous as the
    /// value says.
    Spurious,
    /// The window was reduced for an ECN echo; the value is the window in bytes.
    EcnReduce,
}

impl EventKind {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::RecoveryEnter => "recovery_enter",
            Self::RecoveryExit => "recovery_exit",
            Self::Undo => "undo",
            Self::Rto => "rto",
            Self::Tlp => "tlp",
            Self::LossDetected => "loss_detected",
            Self::Retransmit => "retransmit",
            Self::Spurious => "spurious",
            Self::EcnReduce => "ecn_reduce",
        }
    }
}

/// Something that happened to the sender of a flow's data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventRecord {
    /// When.
    pub at: Instant,
    /// Number of the flow in the plan.
    pub flow: u32,
    /// The event.
    pub kind: EventKind,
    /// Why, or into what; see [`EventKind`].
    pub cause: Option<&'static str>,
    /// See [`EventKind`].
    pub value: u64,
}

/// Keeps the records.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    records: Vec<EventRecord>,
}

/// The state of one flow at one moment.
struct Entry<'a> {
    records: &'a mut Vec<EventRecord>,
    at: Instant,
    flow: u32,
}

impl Entry<'_> {
    fn note(&mut self, kind: EventKind, cause: Option<&'static str>, value: u64) {
        self.records.push(EventRecord {
            at: self.at,
            flow: self.flow,
            kind,
            cause,
            value,
        });
    }
}

impl EventLog {
    /// The sender of `flow` has digested `stimulus`.
    #[inline]
    pub(super) fn compare(&mut self, at: Instant, flow: u32, stimulus: Stimulus, news: News<'_>) {
        let mut entry = Entry {
            records: &mut self.records,
            at,
            flow,
        };
        entry.losses(stimulus, news);
        entry.reductions(news);
        entry.retransmissions(&news.before.stats, &news.after.stats);
        if news.before.state != news.after.state {
            entry.note(EventKind::State, Some(news.after.state), news.cwnd);
        }
    }

    /// The records, by time.
    pub(super) fn finish(self) -> Vec<EventRecord> {
        self.records
    }
}

impl Entry<'_> {
    fn losses(
        &mut self,
        stimulus: Stimulus,
        News {
            before,
            after,
            cwnd,
        }: News<'_>,
    ) {
        let (b, a) = (&before.stats, &after.stats);
        if a.rto_count > b.rto_count {
            self.note(EventKind::Rto, None, cwnd);
        }
        if a.tlp_count > b.tlp_count {
            self.note(EventKind::Tlp, None, cwnd);
        }
        if a.lost_segs > b.lost_segs {
            let cause = match stimulus {
                _ if a.rto_count > b.rto_count => "rto",
                Stimulus::Segment => "ack",
                Stimulus::Timer | Stimulus::Sending => "timer",
            };
            self.note(
                EventKind::LossDetected,
                Some(cause),
                a.lost_segs - b.lost_segs,
            );
        }
        if a.spurious_retrans > b.spurious_retrans {
            let segments = a.spurious_retrans - b.spurious_retrans;
            let by = if a.late_segs > b.late_segs {
                "late"
            } else {
                "dsack"
            };
            self.note(EventKind::Spurious, Some(by), segments);
        }
    }

    fn reductions(
        &mut self,
        News {
            before,
            after,
            cwnd,
        }: News<'_>,
    ) {
        let (b, a) = (&before.stats, &after.stats);
        for (was, is, evidence) in [
            (b.undos_eifel(), a.undos_eifel(), "eifel"),
            (b.undos_dsack, a.undos_dsack, "dsack"),
            (b.undos_frto, a.undos_frto, "frto"),
            (b.undos_late, a.undos_late, "late"),
        ] {
            if is > was {
                self.note(EventKind::Undo, Some(evidence), cwnd);
            }
        }
        let again = before.phase == after.phase && a.recoveries > b.recoveries;
        let (was, is) = (recovering(before.phase), recovering(after.phase));
        if let Some(name) = was.filter(|_| was != is || again) {
            self.note(EventKind::RecoveryExit, Some(name), cwnd);
        }
        if let Some(name) = is.filter(|_| was != is || again) {
            self.note(EventKind::RecoveryEnter, Some(name), cwnd);
        }
        if a.ecn_reductions > b.ecn_reductions {
            self.note(EventKind::EcnReduce, None, cwnd);
        }
    }

    fn retransmissions(&mut self, before: &Stats, after: &Stats) {
        let bytes = after.bytes_retrans - before.bytes_retrans;
        let (b, a) = (&before.retrans, &after.retrans);
        for (was, is, cause) in [
            (b.rack, a.rack, "rack"),
            (b.dupack, a.dupack, "dupack"),
            (b.tlp, a.tlp, "tlp"),
            (b.rto, a.rto, "rto"),
        ] {
            if is > was {
                self.note(EventKind::Retransmit, Some(cause), bytes);
            }
        }
    }
}

/// The kind of loss recovery that a phase stands for.
const fn recovering(phase: RecoveryPhase) -> Option<&'static str> {
    match phase {
        RecoveryPhase::Recovery => Some("fast"),
        RecoveryPhase::Loss => Some("timeout"),
        RecoveryPhase::Open | RecoveryPhase::Disorder | RecoveryPhase::Cwr => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_proto::transport::Condition;

    fn kinds(before: &Condition, after: &Condition) -> Vec<(&'static str, Option<&'static str>)> {
        let mut log = EventLog::default();
        let news = News {
            before,
            after,
            cwnd: 0,
        };
        log.compare(Instant::ZERO, 0, Stimulus::Segment, news);
        log.finish()
            .iter()
            .map(|r| (r.kind.name(), r.cause))
            .collect()
    }

    #[test]
    fn entering_recovery_tells_what_was_lost_first() {
        let before = Condition::default();
        let mut after = before;
        after.stats.lost_segs = 2;
        after.stats.recoveries = 1;
        after.phase = RecoveryPhase::Recovery;
        after.state = "recovery";
        let told = [
            ("loss_detected", Some("ack")),
            ("recovery_enter", Some("fast")),
            ("state", Some("recovery")),
        ];
        assert_eq!(kinds(&before, &after), told);
        assert_eq!(kinds(&after, &after), []);
    }

    #[test]
    fn recovery_that_follows_on_recovery_is_told() {
        let before = Condition {
            phase: RecoveryPhase::Recovery,
            ..Condition::default()
        };
        let mut after = before;
        after.stats.recoveries = 1;
        let told = [
            ("recovery_exit", Some("fast")),
            ("recovery_enter", Some("fast")),
        ];
        assert_eq!(kinds(&before, &after), told);
        after.phase = RecoveryPhase::Loss;
        let told = [
            ("recovery_exit", Some("fast")),
            ("recovery_enter", Some("timeout")),
        ];
        assert_eq!(kinds(&before, &after), told);
    }
}
