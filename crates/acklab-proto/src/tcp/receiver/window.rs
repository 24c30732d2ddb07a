//! The advertised window: how much, in which unit, and never less than was promised.

use super::autotune::Autotune;
use super::sizing::{FIELD_MAX, Occupancy, Sizing, align_up};
use crate::tcp::config::TcpConfig;

/// Bytes that the timestamps option takes off the segment that the peer may send.
const TIMESTAMPS_LEN: u64 = 12;

/// The receive window of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    sizing: Sizing,
    /// The shift that our SYN offers.
    offered: Option<u8>,
    /// The shift in force.
    shift: u8,
    /// The right edge promised to the peer, as an offset. It never moves left.
    edge: u64,
    /// The window last advertised, in bytes.
    advertised: u64,
    /// The largest window ever advertised, in bytes.
    peak: u64,
    syn_window: u16,
}

impl Window {
    /// The window that `cfg` asks for.
    pub fn new(cfg: &TcpConfig) -> Self {
        let sizing = Sizing::new(cfg);
        let mss = u64::from(cfg.segment) + if cfg.timestamps { TIMESTAMPS_LEN } else { 0 };
        Self {
            offered: cfg.window_scaling.then(|| sizing.shift()),
            syn_window: sizing.syn_window(mss) as u16,
            sizing,
            shift: 0,
            edge: 0,
            advertised: 0,
            peak: 0,
        }
    }

    /// The window scale option of our SYN, if any.
    pub const fn offered_shift(&self) -> Option<u8> {
        self.offered
    }

    /// The window field of our SYN or SYN-ACK, which is never scaled.
    pub const fn syn_window(&self) -> u16 {
        self.syn_window
    }

    /// The peer's SYN came: `scaled` if both ends scale. `next` is the first data offset.
    pub fn on_syn(&mut self, now: acklab_units::Instant, next: u64, scaled: bool) {
        self.shift = if scaled { self.offered.unwrap_or(0) } else { 0 };
        self.advertised = u64::from(self.syn_window);
        self.peak = self.advertised;
        self.edge = next + self.advertised;
        if let Sizing::Autotuned(tune) = &mut self.sizing {
            tune.on_established(now, next, self.advertised);
        }
    }

    /// The promised right edge.
    pub const fn edge(&self) -> u64 {
        self.edge
    }

    /// The window last advertised, in bytes above the ACK that carried it.
    pub const fn advertised(&self) -> u64 {
        self.advertised
    }

    /// The rest of the promise above `next`.
    pub const fn remaining(&self, next: u64) -> u64 {
        self.edge.saturating_sub(next)
    }

    /// The autotuner, if there is one.
    pub fn autotune(&mut self) -> Option<&mut Autotune> {
        match &mut self.sizing {
            Sizing::Autotuned(tune) => Some(tune),
            Sizing::Fixed { .. } => None,
        }
    }

    /// Whether an ACK that leaves before the application has read shows that (Linux).
    pub const fn counts_unread(&self) -> bool {
        matches!(self.sizing, Sizing::Autotuned(_))
    }

    /// Room that `held` bytes above a gap take, in bytes of payload, if they lie in so many blocks.
    pub const fn room_of(&self, held: u64, blocks: u64) -> u64 {
        match &self.sizing {
            Sizing::Autotuned(tune) if blocks > 0 => tune.room_of_blocks(blocks),
            _ => held,
        }
    }

    /// A segment of `len` bytes that brought something new is in the buffer. Says whether the
    /// window's limit grew.
    #[inline]
    pub fn on_segment(&mut self, len: u32, occupancy: Occupancy) -> bool {
        match &mut self.sizing {
            Sizing::Fixed { .. } => false,
            Sizing::Autotuned(tune) => {
                let used = occupancy.unread + occupancy.held;
                tune.on_segment(len, tune.full_space().saturating_sub(used))
            }
        }
    }

    /// Whether an ACK sent now could advertise as much as the last one did.
    pub fn can_move(&self, occupancy: Occupancy) -> bool {
        self.next_window(occupancy) >= self.advertised
    }

    /// Whether a reader has made enough room for an ACK on its own account: the remaining window
    /// is at most half of a wide open one, and the new one at least twice as large (Linux
    /// `tcp_cleanup_rbuf`; within the silly-window rule of RFC 9293).
    pub fn update_due(&self, occupancy: Occupancy) -> bool {
        let remaining = self.remaining(occupancy.next);
        if 2 * remaining > self.limit() {
            return false;
        }
        let window = self.next_window(occupancy);
        window > 0 && window >= 2 * remaining
    }

    /// Settles the window that a segment leaving now carries: bytes and field.
    #[inline]
    pub fn advertise(&mut self, occupancy: Occupancy) -> (u64, u16) {
        let window = self.next_window(occupancy);
        self.advertised = window;
        self.peak = self.peak.max(window);
        self.edge = self.edge.max(occupancy.next + window);
        (window, (window >> self.shift) as u16)
    }

    /// The window to advertise: what the buffer allows, but at least what was promised, in units
    /// of the scale. Rounding the promise up is what keeps the edge from moving left.
    fn next_window(&self, occupancy: Occupancy) -> u64 {
        let remaining = self.remaining(occupancy.next);
        let wanted = self.sizing.select(occupancy, remaining, self.shift);
        let aligned = if wanted > remaining {
            wanted >> self.shift << self.shift
        } else {
            remaining
        };
        align_up(aligned.max(remaining), self.shift).min(FIELD_MAX << self.shift)
    }

    /// The size of a wide open window.
    fn limit(&self) -> u64 {
        match &self.sizing {
            Sizing::Fixed { .. } => self.peak,
            Sizing::Autotuned(tune) => tune.clamp(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::Profile;
    use acklab_units::Instant;

    fn window(profile: Profile) -> Window {
        let mut w = Window::new(&TcpConfig::new(profile));
        w.on_syn(Instant::ZERO, 1, true);
        w
    }

    fn occupied(next: u64, unread: u64, held: u64) -> Occupancy {
        Occupancy {
            next,
            unread,
            held,
            rcv_mss: 1448,
        }
    }

    #[test]
    fn linux_offers_64240_and_seven() {
        let w = Window::new(&TcpConfig::new(Profile::Linux));
        assert_eq!((w.syn_window(), w.offered_shift()), (64_240, Some(7)));
    }

    #[test]
    fn the_first_linux_ack_shows_the_familiar_502() {
        let mut w = window(Profile::Linux);
        assert_eq!(w.advertise(occupied(1, 0, 0)), (502 << 7, 502));
    }

    #[test]
    fn shifts_follow_the_largest_buffer() {
        let shift = |p| Window::new(&TcpConfig::new(p)).offered_shift();
        assert_eq!(shift(Profile::Ns3), Some(2));
        assert_eq!(shift(Profile::Rfc), Some(7));
        let mut cfg = TcpConfig::new(Profile::Linux);
        cfg.recv_buffer.max = 32 << 20;
        assert_eq!(Window::new(&cfg).offered_shift(), Some(10));
        cfg.window_scaling = false;
        assert_eq!(Window::new(&cfg).offered_shift(), None);
    }

    #[test]
    fn without_scaling_the_field_is_the_limit() {
        let mut w = Window::new(&TcpConfig::new(Profile::Rfc));
        w.on_syn(Instant::ZERO, 1, false);
        assert_eq!(w.advertise(occupied(1, 0, 0)), (65_535, 65_535));
    }

    #[test]
    fn a_fixed_window_is_the_buffer_less_what_is_unread() {
        let mut w = window(Profile::Ns3);
        assert_eq!(w.advertise(occupied(1, 0, 0)).0, 131_072);
        assert_eq!(w.advertise(occupied(10_001, 10_000, 5_000)).0, 121_072);
        assert_eq!(w.edge(), 131_073);
    }

    #[test]
    fn rounding_never_takes_back_a_promise() {
        let mut w = window(Profile::Rfc);
        w.advertise(occupied(1, 0, 0));
        let edge = w.edge();
        for next in 2..500 {
            let (bytes, field) = w.advertise(occupied(next, next - 1, 0));
            assert!(next + bytes >= edge);
            assert_eq!(u64::from(field) << 7, bytes);
        }
    }

    /// RFC 9293 section 3.8.6.2.2: small reads do not open a closed window by small steps.
    #[test]
    fn the_edge_moves_by_whole_segments() {
        let mut w = window(Profile::Rfc);
        w.advertise(occupied(1, 0, 0));
        let full = w.edge() - 1;
        let next = w.edge();
        assert_eq!(w.advertise(occupied(next, full, 0)).0, 0);
        assert_eq!(w.advertise(occupied(next, full - 1000, 0)).0, 0);
        assert!(!w.update_due(occupied(next, full - 1000, 0)));
        assert!(w.update_due(occupied(next, full - 1448, 0)));
        assert_eq!(w.advertise(occupied(next, full - 1448, 0)).0, 11 << 7);
    }

    #[test]
    fn linux_closes_the_window_below_a_sixteenth() {
        let mut w = window(Profile::Linux);
        let (_, _) = w.advertise(occupied(1, 0, 0));
        let next = w.edge();
        assert_eq!(w.advertise(occupied(next, 65_536 - 4_000, 0)).0, 0);
        assert!(!w.update_due(occupied(next, 65_536 - 4_000, 0)));
        assert!(w.update_due(occupied(next, 65_536 - 5_000, 0)));
    }

    #[test]
    fn an_update_must_double_the_window() {
        let mut w = window(Profile::Ns3);
        w.advertise(occupied(1, 0, 0));
        assert!(!w.update_due(occupied(60_001, 0, 0)));
        assert!(w.update_due(occupied(65_537, 0, 0)));
        assert!(!w.update_due(occupied(65_537, 10_000, 0)));
    }
}
