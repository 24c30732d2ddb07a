//! Where the peer is, and proof that it is there.
//!
//! A packet with the newest number from another address begins a validation (RFC 9000 section 8.2):
//! a challenge of random bytes goes there, and only its echo *from there* moves the connection.
//! Meanwhile everything goes to the address that is proven. Packets to an unproven address are
//! shorter than those that came from it, so a forged address multiplies nothing.

use acklab_units::{Instant, Span};
use std::net::SocketAddr;

/// Bytes of a challenge.
pub const CHALLENGE: usize = 8;
/// Challenges to one address, each twice as late as the one before.
const MOST_TRIES: u32 = 4;
const FIRST_WAIT: Span = Span::from_millis(300);

/// Frames of the driver's own packets.
const ASK: u8 = 1;
const ANSWER: u8 = 2;
const PROBE: u8 = 3;
const GOT: u8 = 4;

/// Contents of the driver's own packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathFrame {
    /// Send this back from where you are.
    Challenge([u8; CHALLENGE]),
    /// This is what you sent.
    Response([u8; CHALLENGE]),
    /// An IP packet of so many bytes leaves, and this is it.
    Probe(u32),
    /// It has arrived.
    Got(u32),
}

impl PathFrame {
    /// Bytes on the wire.
    pub const LEN: usize = 1 + CHALLENGE;

    /// The frame as bytes.
    pub fn encode(self) -> [u8; Self::LEN] {
        let (kind, bytes) = match self {
            Self::Challenge(bytes) => (ASK, bytes),
            Self::Response(bytes) => (ANSWER, bytes),
            Self::Probe(size) => (PROBE, u64::from(size).to_be_bytes()),
            Self::Got(size) => (GOT, u64::from(size).to_be_bytes()),
        };
        let mut out = [kind; Self::LEN];
        out[1..].copy_from_slice(&bytes);
        out
    }

    /// Reads a frame. Zeros may follow a probe.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        let (&rest, padding) = rest.split_first_chunk::<CHALLENGE>()?;
        if *kind != PROBE && !padding.is_empty() {
            return None;
        }
        let size = u32::try_from(u64::from_be_bytes(rest)).ok();
        match *kind {
            ASK => Some(Self::Challenge(rest)),
            ANSWER => Some(Self::Response(rest)),
            PROBE => size.map(Self::Probe),
            GOT => size.map(Self::Got),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
struct Candidate {
    address: SocketAddr,
    secret: [u8; CHALLENGE],
    tries: u32,
    /// When the next challenge leaves.
    due: Option<Instant>,
    asks: bool,
    /// Bytes that came from there, and that went there.
    received: usize,
    sent: usize,
}

/// The peer's address, and one that it may have moved to.
#[derive(Clone, Debug)]
pub struct Path {
    address: SocketAddr,
    candidate: Option<Candidate>,
    /// An answer that is to leave, and to whom.
    answer: Option<(SocketAddr, [u8; CHALLENGE])>,
    moves: u64,
}

impl Path {
    /// The peer is at `address`.
    pub const fn new(address: SocketAddr) -> Self {
        Self {
            address,
            candidate: None,
            answer: None,
            moves: 0,
        }
    }

    /// Where packets go.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// How often the peer has moved.
    pub const fn moves(&self) -> u64 {
        self.moves
    }

    /// Whether an address is being asked.
    pub const fn is_asking(&self) -> bool {
        self.candidate.is_some()
    }

    /// The newest packet, of `len` bytes and opened without a mistake, came from there; `secret` makes
    /// random bytes.
    pub fn on_newest(
        &mut self,
        now: Instant,
        from: SocketAddr,
        len: usize,
        secret: impl FnOnce() -> Option<[u8; CHALLENGE]>,
    ) {
        if from == self.address {
            // The peer is where it was: somebody has copied a packet of its, and was faster once.
            self.candidate = None;
            return;
        }
        if let Some(c) = self.candidate.as_mut().filter(|c| c.address == from) {
            c.received += len;
            if c.due.is_none() {
                // It did not answer in time, and is heard again.
                (c.tries, c.due, c.asks) = (0, Some(now), true);
            }
            return;
        }
        // Without random numbers nobody's address is proven.
        let Some(secret) = secret() else {
            return;
        };
        self.candidate = Some(Candidate {
            address: from,
            secret,
            tries: 0,
            due: Some(now),
            asks: true,
            received: len,
            sent: 0,
        });
    }

    /// The peer asks from there whether we are here.
    pub const fn on_challenge(&mut self, from: SocketAddr, bytes: [u8; CHALLENGE]) {
        self.answer = Some((from, bytes));
    }

    /// An answer came from there; `true` if the connection moves.
    pub fn on_response(&mut self, from: SocketAddr, bytes: [u8; CHALLENGE]) -> bool {
        let right = |c: &Candidate| {
            // The packet is authentic already: this comparison guards nothing that takes time to find out.
            c.address == from && c.secret == bytes
        };
        if !self.candidate.as_ref().is_some_and(right) {
            return false;
        }
        self.candidate = None;
        self.address = from;
        self.moves += 1;
        true
    }

    /// When the next challenge is due.
    pub fn next_timeout(&self) -> Option<Instant> {
        self.candidate.as_ref().and_then(|c| c.due)
    }

    /// Time has come.
    pub fn on_timeout(&mut self, now: Instant) {
        if let Some(c) = &mut self.candidate
            && c.due.is_some_and(|t| t <= now)
        {
            c.asks = true;
        }
    }

    /// The next frame, and where it goes. Its packet has `len` bytes.
    pub fn poll(&mut self, now: Instant, len: usize) -> Option<(SocketAddr, PathFrame)> {
        if let Some((to, bytes)) = self.answer.take() {
            return Some((to, PathFrame::Response(bytes)));
        }
        let c = self.candidate.as_mut().filter(|c| c.asks)?;
        c.asks = false;
        let spent = c.sent + len;
        if spent > c.received {
            // No more than came: what comes next asks again.
            c.due = None;
            return None;
        }
        c.sent = spent;
        c.tries += 1;
        c.due = (c.tries < MOST_TRIES).then(|| now.saturating_add(FIRST_WAIT * (1 << c.tries)));
        Some((c.address, PathFrame::Challenge(c.secret)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([192, 0, 2, 1], port))
    }

    const SECRET: [u8; CHALLENGE] = [4; CHALLENGE];

    fn moving() -> Path {
        let mut p = Path::new(address(1));
        p.on_newest(Instant::ZERO, address(2), 1000, || Some(SECRET));
        p
    }

    #[test]
    fn only_the_right_answer_from_the_right_place_moves_a_connection() {
        let mut p = moving();
        let asked = p.poll(Instant::ZERO, 42);
        assert_eq!(asked, Some((address(2), PathFrame::Challenge(SECRET))));
        assert_eq!(p.poll(Instant::ZERO, 42), None);
        assert!(!p.on_response(address(2), [5; CHALLENGE]), "wrong bytes");
        assert!(!p.on_response(address(1), SECRET), "wrong place");
        assert_eq!(p.address(), address(1));
        assert!(p.on_response(address(2), SECRET));
        assert_eq!((p.address(), p.moves()), (address(2), 1));
        assert!(!p.on_response(address(2), SECRET), "once");
    }

    /// Somebody who copies packets could hand the challenge on to the peer, and its answer back.
    #[test]
    fn a_peer_that_is_heard_where_it_was_has_not_moved() {
        let mut p = moving();
        assert!(p.poll(Instant::ZERO, 42).is_some());
        p.on_newest(Instant::ZERO, address(1), 1000, || None);
        assert!(!p.is_asking());
        assert!(!p.on_response(address(2), SECRET), "too late");
        assert_eq!(p.address(), address(1));
    }

    #[test]
    fn an_address_that_does_not_answer_is_asked_four_times() {
        let mut p = moving();
        let (mut now, mut asked) = (Instant::ZERO, 0);
        loop {
            asked += u32::from(p.poll(now, 42).is_some());
            let Some(due) = p.next_timeout() else {
                break;
            };
            now = due;
            p.on_timeout(now);
        }
        assert_eq!((asked, p.address()), (4, address(1)));
        p.on_newest(now, address(2), 1000, || Some([6; CHALLENGE]));
        assert!(p.poll(now, 42).is_some(), "heard again, asked again");
    }

    #[test]
    fn no_more_goes_to_an_unproven_address_than_came_from_it() {
        let mut p = Path::new(address(1));
        p.on_newest(Instant::ZERO, address(2), 30, || Some(SECRET));
        assert_eq!(p.poll(Instant::ZERO, 42), None);
        p.on_newest(Instant::ZERO, address(2), 30, || Some(SECRET));
        assert!(p.poll(Instant::ZERO, 42).is_some());
        let mut asked = 1;
        while let Some(due) = p.next_timeout() {
            p.on_timeout(due);
            asked += u32::from(p.poll(due, 42).is_some());
        }
        assert_eq!(asked, 1, "60 bytes came");
    }

    #[test]
    fn a_challenge_is_answered_to_whom_it_came_from() {
        let mut p = Path::new(address(1));
        p.on_challenge(address(9), SECRET);
        let answer = p.poll(Instant::ZERO, 42);
        assert_eq!(answer, Some((address(9), PathFrame::Response(SECRET))));
        assert_eq!(p.poll(Instant::ZERO, 42), None);
    }

    #[test]
    fn frames_are_read_as_written_and_nothing_else_is() {
        let sizes = [PathFrame::Probe(1400), PathFrame::Got(1400)];
        let asked = [PathFrame::Challenge(SECRET), PathFrame::Response(SECRET)];
        for f in [asked, sizes].concat() {
            assert_eq!(PathFrame::read(&f.encode()), Some(f));
            assert_eq!(PathFrame::read(&f.encode()[..8]), None);
        }
        let padded = [&PathFrame::Probe(99).encode()[..], &[0; 50]].concat();
        assert_eq!(PathFrame::read(&padded), Some(PathFrame::Probe(99)));
        assert_eq!(PathFrame::read(&[2; 10]), None, "padding");
        assert_eq!(PathFrame::read(&[3; 9]), None, "a size of its own");
        assert_eq!(PathFrame::read(&[5; 9]), None);
        assert_eq!(PathFrame::read(&[]), None);
    }
}
