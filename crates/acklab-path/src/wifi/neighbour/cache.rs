//! One station's table of neighbours, and the packets that wait for an address.

use super::ArpConfig;
use crate::packet::Packet;
use acklab_units::Instant;
use alloc::vec::Vec;

/// The state of a neighbour. The names are those of ns-3's `ArpCache::Entry`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    /// Nobody has asked for it.
    #[default]
    Unknown,
    /// A request was sent, and repeated so often.
    WaitReply(u8),
    /// It has answered then.
    Alive(Instant),
    /// It has not answered; since then nobody asks.
    Dead(Instant),
}

/// A neighbour.
#[derive(Clone, Debug, Default)]
struct Entry {
    state: State,
    /// The packets that wait for it, with the access category of each packet.
    pending: Vec<(u8, Packet)>,
}

/// The fate of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The address is known.
    Sent,
    /// It waits for an answer.
    Waits,
    /// It waits, and the neighbour has to be asked for.
    Asks,
    /// Enough wait already, or the neighbour does not answer.
    Dropped,
}

/// The neighbours of a station, by number.
#[derive(Clone, Debug)]
pub struct Cache {
    entries: Vec<Entry>,
    waits: bool,
}

impl Cache {
    /// A cache of so many neighbours, none of whom is known.
    pub fn new(neighbours: usize) -> Self {
        let entries = alloc::vec![Entry::default(); neighbours];
        Self {
            entries,
            waits: false,
        }
    }

    /// `packet` of access category `category` is for `neighbour`. It is kept if it waits.
    pub fn admit(
        &mut self,
        now: Instant,
        config: &ArpConfig,
        neighbour: usize,
        (category, packet): (u8, Packet),
    ) -> Fate {
        let entry = &mut self.entries[neighbour];
        match entry.state {
            State::Alive(at) if now.saturating_since(at) <= config.alive => return Fate::Sent,
            State::Dead(at) if now.saturating_since(at) <= config.dead => return Fate::Dropped,
            State::WaitReply(_) if entry.pending.len() >= usize::from(config.pending) => {
                return Fate::Dropped;
            }
            State::WaitReply(_) => {
                entry.pending.push((category, packet));
                return Fate::Waits;
            }
            State::Unknown | State::Alive(_) | State::Dead(_) => {}
        }
        entry.state = State::WaitReply(0);
        entry.pending.push((category, packet));
        Fate::Asks
    }

    /// Starts the clock that asks again, unless it runs. Says whether it did not.
    pub fn start_waiting(&mut self) -> bool {
        !core::mem::replace(&mut self.waits, true)
    }

    /// `neighbour` has said its address. The packets that waited for it come out, oldest first; an answer that
    /// was not waited for teaches nothing unless one `learns` from it.
    pub fn on_address(
        &mut self,
        now: Instant,
        neighbour: usize,
        learns: bool,
    ) -> Vec<(u8, Packet)> {
        let entry = &mut self.entries[neighbour];
        if learns || matches!(entry.state, State::WaitReply(_)) {
            entry.state = State::Alive(now);
        }
        core::mem::take(&mut entry.pending)
    }

    /// The clock has run down: `ask` gets each neighbour to send a request to, and `drop` each
    /// packet that waits in vain. Says whether the clock runs on.
    pub fn on_wait_over(
        &mut self,
        now: Instant,
        config: &ArpConfig,
        mut ask: impl FnMut(usize),
        mut drop: impl FnMut(Packet),
    ) -> bool {
        self.waits = false;
        for (i, entry) in self.entries.iter_mut().enumerate() {
            match entry.state {
                State::WaitReply(again) if again < config.retries => {
                    entry.state = State::WaitReply(again + 1);
                    self.waits = true;
                    ask(i);
                }
                State::WaitReply(_) => {
                    entry.state = State::Dead(now);
                    entry.pending.drain(..).for_each(|(_, p)| drop(p));
                }
                State::Unknown | State::Alive(_) | State::Dead(_) => {}
            }
        }
        self.waits
    }

    /// Packets that wait.
    pub fn pending(&self) -> usize {
        self.entries.iter().map(|e| e.pending.len()).sum()
    }

    /// Packets that wait for `neighbour`.
    pub fn pending_for(&self, neighbour: usize) -> usize {
        self.entries[neighbour].pending.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{FlowId, PacketId};
    use acklab_proto::segment::Ecn;
    use acklab_units::Span;

    fn packet(id: u32) -> (u8, Packet) {
        let packet = Packet {
            id: PacketId(id),
            size: 1500,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        };
        (0, packet)
    }

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    /// Numbers of the packets that come out.
    fn ids(out: &[(u8, Packet)]) -> Vec<u32> {
        out.iter().map(|(_, p)| p.id.0).collect()
    }

    fn over(c: &mut Cache, now: u64) -> (Vec<usize>, Vec<u32>, bool) {
        let (mut asked, mut dropped) = (Vec::new(), Vec::new());
        let on = c.on_wait_over(
            at(now),
            &ArpConfig::NS3,
            |i| asked.push(i),
            |p| dropped.push(p.id.0),
        );
        (asked, dropped, on)
    }

    #[test]
    fn three_packets_wait_and_leave_in_order() {
        let mut c = Cache::new(1);
        let mut admit = |id| c.admit(at(0), &ArpConfig::NS3, 0, packet(id));
        let fates: Vec<_> = (0..4).map(&mut admit).collect();
        assert_eq!(fates, [Fate::Asks, Fate::Waits, Fate::Waits, Fate::Dropped]);
        assert_eq!(
            (c.pending(), c.start_waiting(), c.start_waiting()),
            (3, true, false)
        );
        assert_eq!(ids(&c.on_address(at(3), 0, false)), [0, 1, 2]);
        assert_eq!(c.admit(at(3), &ArpConfig::NS3, 0, packet(9)), Fate::Sent);
    }

    /// Asked at 0 and again after 1, 2 and 3 s; after 4 s the neighbour is dead for 100 s.
    #[test]
    fn who_never_answers_is_dead_for_a_while() {
        let mut c = Cache::new(2);
        c.admit(at(0), &ArpConfig::NS3, 1, packet(7));
        c.start_waiting();
        for second in 1..=3 {
            assert_eq!(
                over(&mut c, 1000 * second),
                (alloc::vec![1], Vec::new(), true)
            );
        }
        assert_eq!(over(&mut c, 4000), (Vec::new(), alloc::vec![7], false));
        let mut admit = |ms| c.admit(at(ms), &ArpConfig::NS3, 1, packet(8));
        assert_eq!(
            (admit(4001), admit(104_000)),
            (Fate::Dropped, Fate::Dropped)
        );
        assert_eq!(admit(104_001), Fate::Asks);
    }

    /// The clock is one for all: a request 0.9 s after the first is repeated 0.1 s later.
    #[test]
    fn the_clock_is_one_for_all_neighbours() {
        let mut c = Cache::new(3);
        c.admit(at(0), &ArpConfig::NS3, 2, packet(0));
        assert!(c.start_waiting());
        c.admit(at(900), &ArpConfig::NS3, 0, packet(1));
        assert!(!c.start_waiting());
        assert_eq!(over(&mut c, 1000), (alloc::vec![0, 2], Vec::new(), true));
    }

    #[test]
    fn an_answer_holds_for_two_minutes() {
        let mut c = Cache::new(1);
        c.admit(at(0), &ArpConfig::NS3, 0, packet(0));
        c.on_address(at(10), 0, false);
        let mut admit = |ms| c.admit(at(ms), &ArpConfig::NS3, 0, packet(1));
        assert_eq!((admit(120_010), admit(120_011)), (Fate::Sent, Fate::Asks));
    }

    /// ns-3 takes an answer to nothing for an attempt at poisoning.
    #[test]
    fn what_was_not_asked_teaches_only_who_learns() {
        for (learns, fate) in [(false, Fate::Asks), (true, Fate::Sent)] {
            let mut c = Cache::new(1);
            assert_eq!(c.on_address(at(1), 0, learns), []);
            assert_eq!(c.admit(at(2), &ArpConfig::NS3, 0, packet(0)), fate);
        }
    }
}
