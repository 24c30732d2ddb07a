//! The data that one ACK delivered, gathered record by record.

use crate::rate::RateSampler;
use crate::tcp::rack::Rack;
use crate::tcp::scoreboard::{Count, Record};
use acklab_units::{Instant, Span};

/// Gathers facts while the scoreboard is walked.
#[derive(Debug)]
pub(super) struct Digest {
    pub now: Instant,
    pub min_rtt: Span,
    /// End of the flight of the current episode, for F-RTO.
    pub high_seq: u64,
    /// Highest selectively acknowledged offset before this ACK.
    pub prior_fack: u64,
    /// Timestamp echoed by this ACK.
    pub tsecr: Option<u32>,
    /// The echo also tells of SACKed retransmissions ([`Dialect::sacks_need_echo`](crate::tcp::dialect::Dialect)).
    pub sacks_need_echo: bool,
    /// Newly delivered, either way.
    pub delivered: Count,
    /// Cumulatively acknowledged, whether SACKed before or not.
    pub acked: Count,
    /// Selectively acknowledged by this ACK.
    pub sacked: u32,
    /// Send times of the first and last cumulatively acknowledged segment that was neither
    /// retransmitted nor SACKed before (Karn).
    pub first_acked: Option<Instant>,
    pub last_acked: Option<Instant>,
    /// The same for selectively acknowledged ones.
    pub first_sacked: Option<Instant>,
    pub last_sacked: Option<Instant>,
    /// A retransmitted segment was cumulatively acknowledged.
    pub retrans_acked: bool,
    /// Data of the episode's flight that was never retransmitted arrived (F-RTO step 3).
    pub original_arrived: bool,
    /// Lowest offset that arrived after something above it, without retransmission.
    pub reordered: Option<u64>,
    /// The cumulative point before this ACK.
    pub prior_una: u64,
    /// The SYN was acknowledged.
    pub syn_acked: bool,
    /// The RTT sample of this ACK, once it has been taken.
    pub rtt: Option<RttSample>,
}

/// An ACK may cover much: the RTT of the oldest segment it delivered, for the smoothed RTT, and of
/// the newest, for minimum and controllers.
#[derive(Clone, Copy, Debug)]
pub(super) struct RttSample {
    pub oldest: Span,
    pub newest: Span,
}

impl Digest {
    pub fn new(
        now: Instant,
        min_rtt: Span,
        high_seq: u64,
        prior_fack: u64,
        tsecr: Option<u32>,
        sacks_need_echo: bool,
    ) -> Self {
        Self {
            now,
            min_rtt,
            high_seq,
            prior_fack,
            tsecr,
            sacks_need_echo,
            delivered: Count::default(),
            acked: Count::default(),
            sacked: 0,
            first_acked: None,
            last_acked: None,
            first_sacked: None,
            last_sacked: None,
            retrans_acked: false,
            original_arrived: false,
            reordered: None,
            prior_una: 0,
            syn_acked: false,
            rtt: None,
        }
    }

    /// `asks_echo`: an echo from before a retransmission says that the original arrived.
    fn deliver(&mut self, r: &Record, rack: &mut Rack, rates: &mut RateSampler, asks_echo: bool) {
        self.delivered.segments += 1;
        self.delivered.bytes += u64::from(r.len);
        let spurious = asks_echo && self.echo_predates(r);
        rack.on_delivered(self.now, r, self.min_rtt, spurious);
        rates.on_delivered(r);
        if r.ever_retransmitted() {
            return;
        }
        if r.end() <= self.high_seq {
            self.original_arrived = true;
        }
        if r.start < self.prior_fack {
            self.reordered = Some(self.reordered.map_or(r.start, |x| x.min(r.start)));
        }
    }

    /// The echoed timestamp is older than the retransmission: the original arrived (Eifel).
    fn echo_predates(&self, r: &Record) -> bool {
        r.ever_retransmitted()
            && self
                .tsecr
                .is_some_and(|e| (e.wrapping_sub(ts_clock(r.sent_at)) as i32) < 0)
    }

    /// A record was selectively acknowledged for the first time.
    pub fn on_sacked(&mut self, r: &Record, rack: &mut Rack, rates: &mut RateSampler) {
        self.deliver(r, rack, rates, self.sacks_need_echo);
        self.sacked += 1;
        if !r.ever_retransmitted() {
            self.first_sacked.get_or_insert(r.sent_at);
            self.last_sacked = Some(r.sent_at);
        }
    }

    /// A record was cumulatively acknowledged and leaves the scoreboard.
    pub fn on_acked(&mut self, r: &Record, rack: &mut Rack, rates: &mut RateSampler) {
        self.acked.segments += 1;
        self.acked.bytes += u64::from(r.len);
        self.syn_acked |= r.is_syn();
        self.retrans_acked |= r.ever_retransmitted();
        if r.is_sacked() {
            return;
        }
        self.deliver(r, rack, rates, true);
        if !r.ever_retransmitted() {
            self.first_acked.get_or_insert(r.sent_at);
            self.last_acked = Some(r.sent_at);
        }
    }

    /// The RTT of the oldest newly acknowledged segment (for the smoothed RTT): it includes what a
    /// receiver or a filter delayed. Cumulative before selective, Karn's rule for the former.
    pub fn seq_rtt(&self) -> Option<Span> {
        let cumulative = if self.retrans_acked {
            None
        } else {
            self.first_acked
        };
        cumulative
            .or(self.first_sacked)
            .map(|t| self.now.saturating_since(t))
    }

    /// The RTT of the newest delivered segment (for minimum RTT and controllers).
    pub fn newest_rtt(&self) -> Option<Span> {
        let cumulative = if self.retrans_acked {
            None
        } else {
            self.last_acked
        };
        self.last_sacked
            .or(cumulative)
            .map(|t| self.now.saturating_since(t))
    }
}

/// The timestamp option's clock: milliseconds (Linux without `TCP_TIMESTAMP` microseconds), never
/// zero.
pub fn ts_clock(now: Instant) -> u32 {
    ((now.as_nanos() / 1_000_000) as u32).wrapping_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    /// Resent at 100 ms, and delivered at 150 ms by an ACK that echoes 10 ms, from before a gap.
    fn resent_and_delivered(sacks_need_echo: bool, sacked: bool) -> bool {
        let (mut rack, mut rates) = (Rack::default(), RateSampler::default());
        let mut resent = Record::new(0, 1000, at(100));
        resent.mark_retransmitted();
        let echo = Some(ts_clock(at(10)));
        let min_rtt = Span::from_millis(40);
        let mut d = Digest::new(at(150), min_rtt, 0, 0, echo, sacks_need_echo);
        if sacked {
            d.on_sacked(&resent, &mut rack, &mut rates);
        } else {
            d.on_acked(&resent, &mut rack, &mut rates);
        }
        rack.take_advanced()
    }

    /// RFC 8985 (section 6.2 step 2) and Linux agree on what is acknowledged cumulatively.
    #[test]
    fn an_old_echo_speaks_against_a_sacked_retransmission_only_by_the_rfc() {
        assert!(!resent_and_delivered(true, true));
        assert!(resent_and_delivered(false, true));
        assert!(!resent_and_delivered(true, false));
        assert!(!resent_and_delivered(false, false));
    }
}
