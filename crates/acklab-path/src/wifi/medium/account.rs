//! Where the time of a medium goes. That of its stations is in the [ledger](super::ledger).

use acklab_units::{Instant, Span};

/// The uses of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
#[repr(u8)]
pub enum Use {
    /// Nobody has anything to send.
    #[default]
    Idle,
    /// Somebody waits for its turn: interframe spaces, backoff, timeouts.
    Contention,
    /// The short interframe spaces inside of exchanges.
    Sifs,
    /// A PPDU with transport data.
    Data,
    /// A PPDU with nothing but transport acknowledgements.
    TransportAck,
    /// ACK and Block Ack.
    MacAck,
    /// RTS, CTS to others and to self, Block Ack Request and ADDBA frames, and questions for addresses with their answers.
    Control,
    /// Two or more PPDUs at once, of which a receiver cannot read its own for another's sake.
    Collision,
    /// A PPDU of which its receiver could read nothing although it heard no other: bit errors.
    Noise,
    /// Of a station: others send or have reserved the medium.
    Others,
}

impl Use {
    /// The use of the medium, by number.
    pub const OF_MEDIUM: [Self; 9] = [
        Self::Idle,
        Self::Contention,
        Self::Sifs,
        Self::Data,
        Self::TransportAck,
        Self::MacAck,
        Self::Control,
        Self::Collision,
        Self::Noise,
    ];

    /// The ways in which a station spends its time.
    pub const OF_STATION: [Self; 10] = [
        Self::Data,
        Self::TransportAck,
        Self::MacAck,
        Self::Control,
        Self::Collision,
        Self::Noise,
        Self::Others,
        Self::Sifs,
        Self::Contention,
        Self::Idle,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Contention => "contention",
            Self::Sifs => "sifs",
            Self::Data => "data",
            Self::TransportAck => "transport_ack",
            Self::MacAck => "mac_ack",
            Self::Control => "control",
            Self::Collision => "collision",
            Self::Noise => "noise",
            Self::Others => "others",
        }
    }
}

/// Time by [`Use`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Airtime([Span; Use::OF_STATION.len()]);

impl Airtime {
    /// Time spent on `what`.
    pub fn of(&self, what: Use) -> Span {
        self.0[what as usize]
    }

    /// All of it.
    pub fn total(&self) -> Span {
        self.0.iter().copied().sum()
    }

    #[inline]
    pub(super) fn spend(&mut self, what: Use, span: Span) {
        self.0[what as usize] += span;
    }
}

/// A partition of elapsed time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Account {
    spent: Airtime,
    now: Use,
    since: Instant,
}

impl Account {
    /// From `now` on the medium is used for `what`.
    #[inline]
    pub fn switch(&mut self, now: Instant, what: Use) {
        if what != self.now {
            self.spent.spend(self.now, now - self.since);
            (self.now, self.since) = (what, now);
        }
    }

    /// Books time since `start` or later, up to now, as `what` instead of `before`.
    #[cold]
    pub fn correct(&mut self, start: Instant, before: Use, what: Use) {
        if self.now == before {
            let from = self.since.max(start);
            self.spent.spend(before, from - self.since);
            (self.now, self.since) = (what, from);
        }
    }

    /// Everything up to `now`; sums to it.
    pub fn read(&self, now: Instant) -> Airtime {
        let mut all = self.spent;
        all.spend(self.now, now - self.since);
        debug_assert_eq!(Instant::ZERO + all.total(), now, "time got lost");
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_out_otherwise_is_booked_anew() {
        let at = Instant::from_nanos;
        let mut a = Account::default();
        a.switch(at(10), Use::Data);
        // Two in a row, of which the second was in vain.
        a.switch(at(30), Use::Data);
        a.correct(at(30), Use::Data, Use::Noise);
        a.switch(at(45), Use::Sifs);
        a.correct(at(30), Use::Data, Use::Noise);
        let read = a.read(at(50));
        let spent = [Use::Idle, Use::Data, Use::Noise, Use::Sifs].map(|u| read.of(u).as_nanos());
        assert_eq!(spent, [10, 20, 15, 5]);
    }

    #[test]
    fn time_is_parted_without_a_rest() {
        let at = Instant::from_nanos;
        let mut a = Account::default();
        a.switch(at(10), Use::Contention);
        a.switch(at(25), Use::Data);
        a.switch(at(40), Use::Data);
        let read = a.read(at(100));
        let spent = [Use::Idle, Use::Contention, Use::Data].map(|u| read.of(u).as_nanos());
        assert_eq!(spent, [10, 15, 75]);
        assert_eq!(read.total().as_nanos(), 100);
    }
}
