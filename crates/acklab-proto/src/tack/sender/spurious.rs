//! Taking back a reduction for losses that were none (the response of RFC 4015).
//!
//! The paper is silent. On a path that reorders, a packet may come after its IACK has left. TCP learns
//! of that from timestamps or DSACKs. TACK's receipts count the packets with a PKT.SEQ that have
//! arrived, each once, so this end knows how many of its transmissions up to `largest` are missing. If
//! reports have called more than that lost, the rest came late.
//!
//! A retransmission timeout gives everything up without a report. Each sending has a number of its own,
//! so the next report tells whose answer it is: one whose largest number is from before the timeout
//! answers what was given up, which therefore was only late (RFC 3522 learns as much from timestamps,
//! RFC 5682 from where new data goes). And if the report answers the repetition, but nothing is missing
//! that was not missing before, then only acknowledgements were lost.

use super::Sender;
use crate::cc::{RecoveryPhase, Spurious};
use crate::stats::Stats;
use crate::tack::config::TackConfig;
use acklab_units::Instant;

/// Segments that reports called lost, and those of them that arrived all the same.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// Transmissions that were taken for lost, each with a number up to the largest that had arrived.
    told: u64,
    /// How many of these have come late, at least. Missing packets not called lost make it
    /// less, never more.
    late: u64,
    /// Both, before the latest report.
    before: (u64, u64),
    /// The latest report has shown a loss that later receipts will not tell about.
    unproven: bool,
    /// Segments that came late before they were sent again.
    unsent: u64,
    /// Both, before the report that began the episode; `None` = nothing can be taken back.
    since: Option<(u64, u64)>,
    /// The largest number that is known to have arrived.
    heard: u64,
    /// Transmissions up to it that had not, by the same report.
    missing: u64,
    /// The timeout that may have been for nothing.
    timeout: Option<Timeout>,
    /// It was: everything above this number may still be under way.
    early: Option<u64>,
}

/// State at the expiry of the retransmission timer.
#[derive(Clone, Copy, Debug)]
struct Timeout {
    /// The largest number that had arrived, as far as was known.
    heard: u64,
    /// The first number that was given out after it.
    next: u64,
    /// Transmissions up to it that had not.
    missing: u64,
}

impl Undo {
    /// So many transmissions up to the largest that has arrived are missing.
    pub fn on_missing(&mut self, missing: u64) {
        self.late = self.late.max(self.told.saturating_sub(missing));
    }

    /// A report is to be digested.
    pub fn on_report(&mut self) {
        self.before = (self.told, self.late);
        self.unproven = false;
    }

    /// A transmission is taken for lost. Without `proof` by a later arrival it may not have come yet:
    /// receipts do not tell.
    pub fn on_told(&mut self, proof: bool) {
        if proof {
            self.told += 1;
        } else {
            self.since = None;
            self.unproven = true;
        }
    }

    /// Segments arrived that were to be sent again.
    pub fn on_unsent(&mut self, segments: u32) {
        self.unsent += u64::from(segments);
    }

    /// An episode begins with the latest report.
    pub fn begin(&mut self) {
        let known = self.told > self.before.0 && !self.unproven;
        self.since = known.then_some(self.before);
    }

    /// It is over, or is one of another kind.
    pub fn end(&mut self) {
        self.since = None;
        self.timeout = None;
        self.early = None;
    }

    /// The retransmission timer expired outside an episode; `next` is the number that the next packet has.
    pub fn on_timeout(&mut self, next: u64) {
        self.timeout = Some(Timeout {
            heard: self.heard,
            next,
            missing: self.missing,
        });
    }

    /// A report says that this is the largest number that has arrived, and that so many transmissions
    /// up to it are missing.
    pub fn on_largest(&mut self, largest: u64, missing: u64) {
        self.heard = self.heard.max(largest);
        self.missing = missing;
        let Some(t) = self.timeout.filter(|t| largest > t.heard) else {
            return;
        };
        // One answer decides. After a repetition has arrived, what is missing below it is lost.
        self.timeout = None;
        if largest < t.next || missing <= t.missing {
            self.early = Some(largest);
        }
    }

    /// Whether all that the episode is about has come late.
    fn is_spurious(&self) -> bool {
        self.since
            .is_some_and(|(told, late)| self.late - late >= self.told - told)
    }
}

impl Sender {
    /// Takes the reduction back if nothing of its episode was lost.
    pub(super) fn take_back(&mut self, now: Instant, cfg: &TackConfig, stats: &mut Stats) {
        if self.undo.late > stats.late_segs {
            stats.late_segs = self.undo.late;
            let again = self.undo.late.saturating_sub(self.undo.unsent);
            stats.spurious_retrans = again.max(stats.spurious_retrans);
        }
        if let Some(heard) = self.undo.early.take() {
            if cfg.undo && self.phase == RecoveryPhase::Loss {
                self.board.revive(heard);
                self.backoff = 0;
                self.retries = 0;
                self.restore(now, true, stats);
            }
            return;
        }
        if !cfg.undo || self.phase != RecoveryPhase::Recovery || self.board.lost_segments() > 0 {
            return;
        }
        if self.undo.is_spurious() {
            stats.undos_late += 1;
            self.restore(now, false, stats);
        }
    }

    #[cold]
    fn restore(&mut self, now: Instant, was_rto: bool, stats: &mut Stats) {
        stats.undos += 1;
        self.phase = RecoveryPhase::Open;
        self.credit = 0;
        self.undo.end();
        self.cc.on_spurious(&Spurious {
            now,
            inflight: self.board.inflight(),
            was_rto,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_is_spurious_once_all_of_it_has_come() {
        let mut u = Undo::default();
        u.on_missing(2);
        u.on_report();
        (0..2).for_each(|_| u.on_told(true));
        u.begin();
        assert!(!u.is_spurious());
        u.on_missing(1);
        u.on_report();
        assert!(!u.is_spurious());
        u.on_missing(0);
        u.on_report();
        assert!(u.is_spurious());
    }

    /// A packet that is missing and in its settle time hides a late packet; it never invents one.
    #[test]
    fn a_gap_that_nobody_has_reported_hides_a_late_packet() {
        let mut u = Undo::default();
        u.on_missing(1);
        u.on_report();
        u.on_told(true);
        u.begin();
        // The reported one came, another one is missing.
        u.on_missing(1);
        u.on_report();
        assert!(!u.is_spurious());
        u.on_missing(0);
        u.on_report();
        assert!(u.is_spurious());
    }

    #[test]
    fn a_real_loss_before_does_not_count() {
        let mut u = Undo::default();
        u.on_missing(1);
        u.on_report();
        u.on_told(true);
        u.begin();
        u.end();
        u.on_missing(2);
        u.on_report();
        u.on_told(true);
        u.begin();
        assert!(!u.is_spurious());
        u.on_missing(1);
        u.on_report();
        assert!(u.is_spurious());
    }

    /// A report at the largest number; whether a timeout after 100 of 120 was too early.
    fn answered(largest: u64, missing: u64) -> bool {
        let mut u = Undo::default();
        u.on_largest(100, 0);
        u.on_timeout(121);
        u.on_largest(100, 0);
        assert_eq!(u.early, None);
        u.on_largest(largest, missing);
        u.early == Some(largest)
    }

    #[test]
    fn an_answer_to_what_was_given_up_shows_a_timeout_too_early() {
        assert!(answered(101, 0) && answered(120, 19));
        // The repetition is answered: are those before it there?
        assert!(answered(121, 0));
        assert!(!answered(121, 20) && !answered(121, 1));
    }

    #[test]
    fn the_first_answer_decides_and_old_losses_do_not_count() {
        let mut u = Undo::default();
        u.on_missing(3);
        u.on_report();
        (0..3).for_each(|_| u.on_told(true));
        u.on_largest(100, 3);
        u.on_timeout(121);
        u.on_largest(121, 4);
        u.on_largest(122, 3);
        assert_eq!(u.early, None);
        u.on_timeout(123);
        u.on_largest(123, 3);
        assert_eq!(u.early, Some(123));
        u.end();
        assert_eq!(u.early, None);
    }

    #[test]
    fn without_proof_nothing_is_taken_back() {
        let mut u = Undo::default();
        u.on_missing(1);
        u.on_report();
        u.on_told(true);
        u.begin();
        u.on_told(false);
        u.on_missing(0);
        u.on_report();
        assert!(!u.is_spurious());
    }
}
