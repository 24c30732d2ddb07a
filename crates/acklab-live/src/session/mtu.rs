//! Search for the largest packet of the path (RFC 8899), by probes that nothing depends on.
//!
//! A connection begins with packets of the base size, which the handshake has used. A probe is a packet of
//! the driver's own, padded to the size in question; only its answer proves the size, and its loss says
//! nothing about congestion. First the largest size is tried, then the middle of what is left.
//! Every ten minutes the search begins again where it ended, and from the base when the peer has moved or
//! a whole series of timeouts says that the path swallows full packets.

use acklab_units::{Instant, Span};

/// Bytes of the IP packets that every connection begins with: 1,200 of UDP payload (RFC 8899 section
/// 5.1.2, BASE_PLPMTU), as the INITIAL has.
pub const BASE: u32 = crate::handshake::INITIAL_LEN as u32 + 28;
/// Probes of one size that may be lost (MAX_PROBES).
const MOST_TRIES: u32 = 3;
/// How long an answer may take: the least that the RFC allows.
const PROBE_TIMER: Span = Span::from_secs(1);
/// When a search is repeated (PMTU_RAISE_TIMER).
const RAISE_TIMER: Span = Span::from_secs(600);
/// Sizes closer to each other than this are not told apart.
const STEP: u32 = 16;
/// Timeouts without an acknowledgement in between that are blamed on the size.
const BLACK_HOLE: u64 = 3;

/// Sizes of packets, in bytes with IPv4 and UDP headers.
#[derive(Clone, Debug)]
pub struct Mtu {
    /// Nothing is searched.
    fixed: bool,
    most: u32,
    proven: u32,
    /// The least size that was not answered.
    failed: Option<u32>,
    probe: Option<u32>,
    tries: u32,
    asks: bool,
    due: Option<Instant>,
    /// Bytes acknowledged when a timer last expired, and how often it has since.
    stuck: (u64, u64),
}

impl Mtu {
    /// Packets have `from` bytes at first and never more than `most`; always if the two are the same.
    pub const fn new(from: u32, most: u32) -> Self {
        Self {
            fixed: from >= most,
            most,
            proven: from,
            failed: None,
            probe: None,
            tries: 0,
            asks: false,
            due: None,
            stuck: (0, 0),
        }
    }

    /// Bytes of the largest packet that is known to arrive.
    pub const fn size(&self) -> u32 {
        self.proven
    }

    /// The connection is open: the search begins. Packets of more than `most` bytes fit nowhere.
    pub fn begin(&mut self, now: Instant, most: u32) {
        self.most = self.most.min(most);
        self.failed = None;
        self.next_size(now);
    }

    /// The path is another one: nothing is known but that the base size has arrived.
    pub fn restart(&mut self, now: Instant) {
        if self.fixed {
            return;
        }
        self.proven = self.proven.min(BASE);
        self.failed = None;
        self.next_size(now);
    }

    fn next_size(&mut self, now: Instant) {
        let size = match self.failed {
            None => self.most,
            Some(failed) => self.proven.midpoint(failed),
        };
        self.tries = 0;
        let worth = size >= self.proven + STEP || (self.failed.is_none() && size > self.proven);
        self.probe = worth.then_some(size);
        self.asks = worth;
        self.due = (!worth && self.proven < self.most).then(|| now.saturating_add(RAISE_TIMER));
    }

    /// When [`Mtu::on_timeout`] is to be called.
    pub const fn next_timeout(&self) -> Option<Instant> {
        self.due
    }

    /// Time has come.
    pub fn on_timeout(&mut self, now: Instant) {
        if self.due.is_none_or(|due| due > now) {
            return;
        }
        self.due = None;
        match self.probe {
            None => {
                self.failed = None;
                self.next_size(now);
            }
            Some(size) if self.tries >= MOST_TRIES => {
                self.failed = Some(size);
                self.next_size(now);
            }
            Some(_) => self.asks = true,
        }
    }

    /// The size of a probe that is to leave now.
    pub fn poll(&mut self, now: Instant) -> Option<u32> {
        let size = self.probe.filter(|_| std::mem::take(&mut self.asks))?;
        self.tries += 1;
        self.due = Some(now.saturating_add(PROBE_TIMER));
        Some(size)
    }

    /// The peer got a probe of `size` bytes; `true` if packets may be larger now.
    pub fn on_answer(&mut self, now: Instant, size: u32) -> bool {
        if self.probe != Some(size) || size <= self.proven {
            return false;
        }
        self.proven = size;
        self.next_size(now);
        true
    }

    /// A retransmission timer has expired `timeouts` times by now, and so many bytes are
    /// acknowledged; `true` if packets are to be smaller from now on.
    pub fn on_timeouts(&mut self, now: Instant, timeouts: u64, acked: u64) -> bool {
        if acked != self.stuck.0 {
            self.stuck = (acked, timeouts);
        }
        let hole = !self.fixed && self.proven > BASE && timeouts >= self.stuck.1 + BLACK_HOLE;
        if hole {
            self.stuck.1 = timeouts;
            self.restart(now);
        }
        hole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches on a path that carries `path` bytes; the size found, probes sent, and time taken.
    fn search(path: u32, most: u32) -> (Mtu, u32, Span) {
        let start = Instant::from_nanos(1_000_000_000);
        let (mut m, mut now, mut probes) = (Mtu::new(BASE, most), start, 0);
        m.begin(now, u32::MAX);
        while m.probe.is_some() {
            if let Some(size) = m.poll(now) {
                probes += 1;
                if size <= path {
                    now += Span::from_millis(20);
                    m.on_answer(now, size);
                    continue;
                }
            }
            now = m.next_timeout().unwrap();
            m.on_timeout(now);
        }
        (m, probes, now - start)
    }

    #[test]
    fn the_largest_size_takes_one_probe() {
        let (m, probes, time) = search(1500, 1500);
        assert_eq!((m.size(), probes), (1500, 1));
        assert!(time < Span::from_millis(30));
        assert_eq!(m.next_timeout(), None, "nothing is left to be found");
    }

    #[test]
    fn smaller_paths_are_found_from_below() {
        for path in [1228, 1280, 1300, 1400, 1420, 1492, 1499] {
            let (m, probes, time) = search(path, 1500);
            assert!(
                m.size() <= path && m.size() + 2 * STEP > path,
                "{path}: {}",
                m.size()
            );
            assert!(
                probes <= 16 && time <= Span::from_secs(16),
                "{path}: {probes} {time:?}"
            );
            assert!(m.next_timeout().is_some(), "the search comes again");
        }
    }

    #[test]
    fn only_the_answer_to_the_probe_counts() {
        let now = Instant::from_nanos(1);
        let mut m = Mtu::new(BASE, 1500);
        assert!(!m.on_answer(now, 1500), "nothing was asked");
        m.begin(now, 1400);
        assert_eq!(m.poll(now), Some(1400), "no more than the peer takes");
        assert_eq!(m.poll(now), None);
        assert!(!m.on_answer(now, 1399));
        assert!(m.on_answer(now, 1400));
        assert!(!m.on_answer(now, 1400), "once");
        assert_eq!(m.size(), 1400);
    }

    #[test]
    fn a_fixed_size_is_not_searched() {
        let mut m = Mtu::new(1400, 1400);
        m.begin(Instant::from_nanos(1), 1500);
        assert_eq!(
            (m.poll(Instant::from_nanos(1)), m.next_timeout()),
            (None, None)
        );
    }

    #[test]
    fn timeouts_in_a_row_mean_a_path_that_swallows_full_packets() {
        let (mut m, ..) = search(1500, 1500);
        let now = Instant::from_nanos(9_000_000_000);
        assert!(!m.on_timeouts(now, 1, 5000));
        assert!(!m.on_timeouts(now, 3, 5000));
        assert!(!m.on_timeouts(now, 4, 6000), "something was acknowledged");
        assert!(!m.on_timeouts(now, 6, 6000));
        assert!(m.on_timeouts(now, 7, 6000));
        assert_eq!(m.size(), BASE);
        assert_eq!(m.poll(now), Some(1500), "and searched again");
    }
}
