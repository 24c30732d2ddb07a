//! Sealing and opening packets: key phases, number spaces, replay.

use super::aead::{Cipher, Key, Secret, TAG};
use super::replay::ReplayWindow;
use crate::id::{ID_LEN, Id};
use acklab_proto::tack::wire::expand;

/// Number spaces: those of TACK, and one for what the driver itself exchanges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// DATA and PING.
    Data,
    /// TACK, IACK and the rest of TACK.
    Feedback,
    /// Path validation.
    Path,
}

/// First bytes: three bits of kind, the space of TACK, long number, key phase, length of the number.
const TACK_KIND: u8 = 1;
const PATH_KIND: u8 = 2;
const SPACE_BIT: u8 = 1 << 4;
const LONG_BIT: u8 = 1 << 3;
/// TACK leaves this bit zero. It is the parity of the key phase on the wire.
const PHASE_BIT: u8 = 1 << 2;
/// The first byte of a packet of [`Space::Path`], in key phase 0.
pub const PATH_FIRST: u8 = PATH_KIND << 5 | LONG_BIT;

/// Properties of a packet that are known before it is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outer {
    /// Which numbers it counts in.
    pub space: Space,
    /// Whom it is for.
    pub id: Id,
    /// Bytes in front of what is sealed.
    pub header: usize,
    truncated: u64,
    number_len: u8,
    phase: bool,
}

impl Outer {
    /// Reads the header; `None` if these bytes cannot be a sealed packet.
    pub fn read(packet: &[u8]) -> Option<Self> {
        let first = *packet.first()?;
        let space = match (first >> 5, first & SPACE_BIT != 0) {
            (TACK_KIND, false) => Space::Data,
            (TACK_KIND, true) => Space::Feedback,
            (PATH_KIND, false) => Space::Path,
            _ => return None,
        };
        let long = first & LONG_BIT != 0;
        let rest = first & 3;
        if (long && rest != 0) || (space == Space::Path && !long) {
            return None;
        }
        let number_len = if long { 8 } else { rest + 1 };
        let header = 1 + ID_LEN + usize::from(number_len);
        // At least one byte of frame.
        if packet.len() < header + 1 + TAG {
            return None;
        }
        let id = Id::read(&packet[1..])?;
        let number = &packet[1 + ID_LEN..header];
        Some(Self {
            space,
            id,
            header,
            truncated: number.iter().fold(0, |n, b| n << 8 | u64::from(*b)),
            number_len,
            phase: first & PHASE_BIT != 0,
        })
    }
}

/// Seals the packets of one direction.
#[derive(Debug)]
pub struct Sealer {
    cipher: Cipher,
    secret: Secret,
    key: Key,
    phase: bool,
    sealed: u64,
    limit: u64,
    updates: u64,
}

impl Sealer {
    /// A sealer with the handshake's secret.
    pub fn new(cipher: Cipher, secret: Secret) -> Self {
        Self {
            key: secret.key(cipher),
            cipher,
            secret,
            phase: false,
            sealed: 0,
            limit: cipher.most_sealed(),
            updates: 0,
        }
    }

    /// Seals with each key at most `limit` packets. The peer tells two neighbouring phases apart: it must
    /// receive at least one packet of each.
    pub const fn with_limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// How often the key has changed.
    pub const fn updates(&self) -> u64 {
        self.updates
    }

    /// Seals an encoded packet in place; its last [`TAG`] bytes become the tag.
    pub fn seal(&mut self, space: Space, number: u64, header: usize, packet: &mut [u8]) {
        if self.sealed >= self.limit {
            self.update();
        }
        self.sealed += 1;
        if self.phase {
            packet[0] |= PHASE_BIT;
        }
        self.key.seal(space as u8, number, header, packet);
    }

    #[cold]
    fn update(&mut self) {
        self.secret = self.secret.next();
        self.key = self.secret.key(self.cipher);
        self.phase = !self.phase;
        self.sealed = 0;
        self.updates += 1;
    }
}

/// Why a packet was not opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// Its number was taken before, or is too old to tell.
    Replayed,
    /// No key of ours sealed it, or somebody changed it.
    Forged,
    /// So many forged packets were tried that the key is worn out.
    WornOut,
}

/// Opens the packets of one direction.
#[derive(Debug)]
pub struct Opener {
    cipher: Cipher,
    /// The secret of the phase behind `next`.
    secret: Secret,
    previous: Option<Key>,
    current: Key,
    /// Computed in advance: a flipped phase bit must not cost more than another forgery.
    next: Key,
    phase: bool,
    /// The least number of each space that was opened in this phase: what is below is of the phase before.
    since: [u64; 3],
    seen: [ReplayWindow; 3],
    forged: u64,
    most_forged: u64,
    updates: u64,
}

impl Opener {
    /// An opener with the handshake's secret.
    pub fn new(cipher: Cipher, secret: Secret) -> Self {
        let following = secret.next();
        Self {
            current: secret.key(cipher),
            next: following.key(cipher),
            secret: following.next(),
            previous: None,
            cipher,
            phase: false,
            since: [0; 3],
            seen: Default::default(),
            forged: 0,
            most_forged: cipher.most_forged(),
            updates: 0,
        }
    }

    /// Gives up after that many forged packets.
    pub const fn with_most_forged(mut self, most: u64) -> Self {
        self.most_forged = most;
        self
    }

    /// The peer's first packet of that space has about this number: TACK's do not begin at zero, and the
    /// wire carries their last bytes only.
    pub fn expect(&mut self, space: Space, first: u64) {
        self.seen[space as usize] = ReplayWindow::starting_at(first);
    }

    /// How often the peer has changed its key.
    pub const fn updates(&self) -> u64 {
        self.updates
    }

    /// Packets that were refused as forged.
    pub const fn forged(&self) -> u64 {
        self.forged
    }

    /// Whether a packet of that number would be the newest of its space.
    pub fn is_newest(&self, space: Space, number: u64) -> bool {
        self.seen[space as usize].next() == number + 1
    }

    /// Opens a packet in place and returns its whole number. The phase is taken out of the first byte,
    /// so that TACK's reader finds zero there.
    ///
    /// # Errors
    /// Says why the packet must be dropped; it changed nothing then but a count.
    pub fn open(&mut self, outer: &Outer, packet: &mut [u8]) -> Result<u64, Refused> {
        let space = outer.space as usize;
        let seen = &self.seen[space];
        let number = expand(outer.truncated, outer.number_len, seen.next());
        if number > (1 << 62) - 1 {
            return Err(Refused::Forged);
        }
        if !seen.may_be_new(number) {
            return Err(Refused::Replayed);
        }
        let ahead = outer.phase != self.phase;
        let old = ahead && number < self.since[space];
        let key = match (ahead, old, &self.previous) {
            (false, ..) => &self.current,
            (true, true, Some(previous)) => previous,
            _ => &self.next,
        };
        if !key.open(space as u8, number, outer.header, packet) {
            self.forged += 1;
            return Err(if self.forged >= self.most_forged {
                Refused::WornOut
            } else {
                Refused::Forged
            });
        }
        packet[0] &= !PHASE_BIT;
        if ahead && !(old && self.previous.is_some()) {
            self.update();
        }
        if outer.phase == self.phase {
            self.since[space] = self.since[space].min(number);
        }
        self.seen[space].take(number);
        Ok(number)
    }

    /// The peer has moved on.
    #[cold]
    fn update(&mut self) {
        let next = self.secret.key(self.cipher);
        self.secret = self.secret.next();
        let current = std::mem::replace(&mut self.next, next);
        self.previous = Some(std::mem::replace(&mut self.current, current));
        self.phase = !self.phase;
        // Nothing of the new phase was opened yet in any space.
        self.since = [u64::MAX; 3];
        self.updates += 1;
    }
}

#[cfg(test)]
#[path = "packet_tests.rs"]
mod tests;
