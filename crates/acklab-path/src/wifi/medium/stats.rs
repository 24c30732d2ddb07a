//! The counters of a medium for each station.

use super::Airtime;
use acklab_units::Span;
use alloc::vec::Vec;

/// Counters of one station.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StationStats {
    /// Time on the air of PPDUs that have ended; [`super::Use::Collision`]: that in which their receiver
    /// could not read them for another's sake; [`super::Use::Noise`]: of those of which it could read
    /// nothing for bit errors.
    pub sent: Airtime,
    /// Times that it won the medium.
    pub accesses: u64,
    /// Transmissions that were not answered.
    pub failures: u64,
    /// Times that two of its own access categories won at once.
    pub internal_collisions: u64,
    /// PPDUs with data.
    pub data_ppdus: u64,
    /// MPDUs in them.
    pub mpdus: u64,
    /// Those that were repetitions.
    pub retries: u64,
    /// Transport ACKs that arrived with an answer of the station.
    pub acks_carried: u64,
    /// Times that an ACK was in an answer that did not arrive.
    pub acks_carried_in_vain: u64,
    /// Times that ACKs were kept back for an answer that did not come in time.
    pub acks_kept_in_vain: u64,
    /// Questions for addresses that the station has asked, again included.
    pub arp_requests: u64,
    /// Questions that it has answered.
    pub arp_replies: u64,
    /// Questions and answers, and questions sent on, that it could not deliver: dropped by its queue, given up, or
    /// group-addressed and not read by the one who is meant.
    pub arp_lost: u64,
    /// Packets dropped because the address of their next hop was not known.
    pub unresolved: u64,
    /// Of an access point: transmissions to several stations at once (HE MU PPDUs).
    pub multi_user: u64,
    /// Of an access point: Trigger frames that asked for buffer status (BSRP).
    pub polls: u64,
    /// Of an access point: Trigger frames that asked for data.
    pub triggers: u64,
    /// HE TB PPDUs with data that the station has sent.
    pub triggered: u64,
    /// HE TB PPDUs that it has sent in random-access resource units (UORA), and those of them that its access
    /// point could not read for another's sake.
    pub random_accesses: u64,
    /// See `random_accesses`.
    pub random_collisions: u64,
    /// Times waited for the medium, in total.
    pub access_delay_total: Span,
    /// The longest.
    pub access_delay_max: Span,
    /// Data PPDUs by the number of their MPDUs.
    pub mpdus_per_ppdu: Vec<u64>,
}

impl StationStats {
    pub(super) fn on_access(&mut self, delay: Span) {
        self.accesses += 1;
        self.access_delay_total += delay;
        self.access_delay_max = self.access_delay_max.max(delay);
    }

    pub(super) fn on_data(&mut self, mpdus: usize, retries: usize) {
        self.data_ppdus += 1;
        self.mpdus += mpdus as u64;
        self.retries += retries as u64;
        if self.mpdus_per_ppdu.len() <= mpdus {
            self.mpdus_per_ppdu.resize(mpdus + 1, 0);
        }
        self.mpdus_per_ppdu[mpdus] += 1;
    }

    /// Mean time waited for the medium.
    pub fn access_delay_mean(&self) -> Span {
        if self.accesses == 0 {
            return Span::ZERO;
        }
        self.access_delay_total / self.accesses
    }
}
