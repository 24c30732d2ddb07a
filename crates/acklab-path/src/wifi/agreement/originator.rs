//! An originator's view of its agreement with one recipient under one TID.

use super::AddbaConfig;
use acklab_units::Instant;

/// Whether A-MPDUs may be sent to a recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Allowed {
    /// A-MPDUs, if the way has them.
    #[default]
    Everything,
    /// Single MPDUs.
    Singles,
    /// No data: a response is waited for.
    Nothing,
}

/// The names are those of ns-3's `OriginatorBlockAckAgreement::State`, without that of a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    /// There is an agreement, or none is needed.
    #[default]
    Established,
    /// There is none, and nobody has asked.
    Reset,
    /// The recipient is being asked.
    Pending,
    /// It has not answered; until then it gets no request.
    NoReply(Instant),
}

/// Counters of one originator's agreements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AgreementStats {
    /// Requests for an agreement, repetitions by the MAC not counted.
    pub requests: u64,
    /// Agreements that were set up.
    pub agreed: u64,
    /// Attempts that failed: the request was never acknowledged, or no response came in time.
    pub failed: u64,
    /// When the first agreement held.
    pub first: Option<Instant>,
    /// When the last one did.
    pub last: Option<Instant>,
}

impl AgreementStats {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            agreed: self.agreed + other.agreed,
            failed: self.failed + other.failed,
            first: Instant::earliest(self.first, other.first),
            last: self.last.max(other.last),
        }
    }

    fn on_agreed(&mut self, now: Instant) {
        self.agreed += 1;
        self.first.get_or_insert(now);
        self.last = Some(now);
    }
}

/// An agreement with one recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Agreement {
    state: State,
}

impl Agreement {
    /// There is none yet.
    pub const fn none() -> Self {
        Self {
            state: State::Reset,
        }
    }

    /// Whether A-MPDUs may be sent.
    pub const fn allows(self) -> Allowed {
        match self.state {
            State::Established => Allowed::Everything,
            State::Reset | State::NoReply(_) => Allowed::Singles,
            State::Pending => Allowed::Nothing,
        }
    }

    /// Whether the recipient is to be asked now that so many `packets` are there for it
    /// (`NeedSetupBlockAck`).
    pub fn is_wanted(self, now: Instant, config: &AddbaConfig, packets: u32) -> bool {
        let may = match self.state {
            State::Reset => true,
            State::NoReply(until) => now >= until,
            State::Established | State::Pending => false,
        };
        may && packets >= u32::from(config.packets)
    }

    /// A request goes to the recipient.
    pub fn ask(&mut self, stats: &mut AgreementStats) {
        debug_assert_eq!(self.allows(), Allowed::Singles, "asked for, or not needed");
        self.state = State::Pending;
        stats.requests += 1;
    }

    /// A response has come, in time or not (`GotAddBaResponse`). Says whether that changes anything.
    pub fn on_response(&mut self, now: Instant, stats: &mut AgreementStats) -> bool {
        let news = self.state != State::Established;
        if news {
            stats.on_agreed(now);
            self.state = State::Established;
        }
        news
    }

    /// No response came in time, or the request was given up (`AddBaResponseTimeout`,
    /// `NotifyPacketDiscarded`). Says whether that changes anything.
    pub fn on_failure(
        &mut self,
        now: Instant,
        config: &AddbaConfig,
        stats: &mut AgreementStats,
    ) -> bool {
        let news = self.state == State::Pending;
        if news {
            stats.failed += 1;
            self.state = State::NoReply(now + config.failed_timeout);
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_units::Span;

    const HT: AddbaConfig = AddbaConfig::NS3_HT;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn nobody_asks_who_has_an_agreement() {
        let a = Agreement::default();
        assert_eq!(a.allows(), Allowed::Everything);
        assert!(!a.is_wanted(at(0), &HT, 100));
    }

    /// An HT station wants two packets, a VHT station one.
    #[test]
    fn an_agreement_wants_packets() {
        let a = Agreement::none();
        let wanted = |config, n| a.is_wanted(at(0), config, n);
        assert_eq!((wanted(&HT, 1), wanted(&HT, 2)), (false, true));
        let vht = AddbaConfig::NS3_VHT;
        assert_eq!((wanted(&vht, 0), wanted(&vht, 1)), (false, true));
    }

    #[test]
    fn data_wait_for_the_response() {
        let (mut a, mut s) = (Agreement::none(), AgreementStats::default());
        assert_eq!(a.allows(), Allowed::Singles);
        a.ask(&mut s);
        assert_eq!(a.allows(), Allowed::Nothing);
        assert!(!a.is_wanted(at(1), &HT, 9), "it is asked");
        assert!(a.on_response(at(2), &mut s));
        assert_eq!(a.allows(), Allowed::Everything);
        // The timer runs down all the same, and a repeated response says nothing new.
        assert!(!a.on_failure(at(7), &HT, &mut s));
        assert!(!a.on_response(at(8), &mut s));
        assert_eq!((s.requests, s.agreed, s.failed), (1, 1, 0));
        assert_eq!((s.first, s.last), (Some(at(2)), Some(at(2))));
    }

    #[test]
    fn who_does_not_answer_is_asked_again_later() {
        let (mut a, mut s) = (Agreement::none(), AgreementStats::default());
        a.ask(&mut s);
        assert!(a.on_failure(at(5), &HT, &mut s));
        assert_eq!(a.allows(), Allowed::Singles);
        let wanted = |ms| a.is_wanted(at(ms), &HT, 2);
        assert_eq!((wanted(204), wanted(205)), (false, true));
        // A response that comes late is one.
        assert!(a.on_response(at(100), &mut s));
        assert_eq!((s.requests, s.agreed, s.failed), (1, 1, 1));
    }

    #[test]
    fn counters_add_up() {
        let one = AgreementStats {
            requests: 2,
            agreed: 1,
            failed: 1,
            first: Some(at(3)),
            last: Some(at(3)),
        };
        let two = AgreementStats {
            requests: 1,
            agreed: 1,
            failed: 0,
            first: Some(at(2)),
            last: Some(at(9)),
        };
        let both = one.and(AgreementStats::default()).and(two);
        assert_eq!((both.requests, both.agreed, both.failed), (3, 2, 1));
        assert_eq!((both.first, both.last), (Some(at(2)), Some(at(9))));
    }
}
