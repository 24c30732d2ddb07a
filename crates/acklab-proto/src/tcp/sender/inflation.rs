//! The window that fast recovery inflates without SACK (RFC 5681 section 3.2, RFC 6582 section
//! 3.2), for `reduction = "classic"`.
//!
//! Each duplicate says that a segment has left the network, and the window grows by one to let
//! another in. It bounds all outstanding data, not an estimate of the pipe.
//! With SACK the classic reduction is RFC 6675's instead: the window is at its target at once, and
//! what is known to have left is not counted as in flight.

use super::Sender;
use super::transmit::Probe;

impl Sender {
    /// Section 3.2 step 2 of RFC 6582: the threshold, and the segments whose duplicates have
    /// started the recovery. The missing one goes out whatever the window says.
    pub(super) fn inflate(&mut self) {
        self.probe = Some(Probe::Lost);
        if !self.sack && !self.cc.owns_recovery() {
            let target = match self.cc.ssthresh() {
                u64::MAX => self.cc.cwnd(),
                ssthresh => ssthresh,
            };
            self.inflated = Some(target + u64::from(self.dup_thresh) * u64::from(self.mss));
        }
    }

    /// One more duplicate (step 4 of RFC 5681).
    pub(super) fn inflate_by_one(&mut self) {
        if let Some(w) = &mut self.inflated {
            *w += u64::from(self.mss);
        }
    }

    /// A partial acknowledgement of `bytes` (step 3 of RFC 6582): what it covers leaves the window,
    /// one segment comes back, and the next missing segment goes out.
    pub(super) fn deflate(&mut self, bytes: u64) {
        let mss = u64::from(self.mss);
        if let Some(w) = &mut self.inflated {
            *w = w.saturating_sub(bytes) + if bytes >= mss { mss } else { 0 };
            self.probe = Some(Probe::Lost);
        }
    }

    /// The data that the window in force limits, in bytes.
    pub(super) fn occupied(&self) -> u64 {
        match self.inflated {
            Some(_) => self.board.out.bytes,
            None => self.board.inflight(),
        }
    }
}
