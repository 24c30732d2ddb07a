//! Packets of the handshake as bytes. `docs/reference/tack-udp.md` has each layout.

use crate::id::{ID_LEN, Id};

/// First bytes of the five packets.
const INITIAL: u8 = 0xc0;
const RESPONSE: u8 = 0xc1;
const RETRY: u8 = 0xc2;
const VERSIONS: u8 = 0xc3;
const REFUSED: u8 = 0xc4;

/// Bytes of the smallest INITIAL, padding included (RFC 9000 section 14.1 has the same number): no
/// answer is longer, so a forged address multiplies nothing.
pub const INITIAL_LEN: usize = 1200;
/// The longest cookie.
pub const MOST_COOKIE: usize = 64;
/// The longest Noise message in a packet of the handshake.
pub const MOST_NOISE: usize = 1024;
/// The most versions that a list may have.
pub const MOST_VERSIONS: usize = 16;
/// Version, id, pattern, length of the cookie, length of the message.
const INITIAL_HEAD: usize = 1 + 1 + ID_LEN + 1;

/// How the ends prove who they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// The client knows the server's key.
    Pinned = 1,
    /// Both know one key.
    Shared = 2,
}

/// A packet of the handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message<'a> {
    /// The client's first words.
    Initial(Initial<'a>),
    /// The server's answer: the connection's keys are known now.
    Response {
        /// Version.
        version: u8,
        /// The client's id.
        id: Id,
        /// The second message of Noise.
        noise: &'a [u8],
    },
    /// The server wants to see that the client's address is its own.
    Retry {
        /// Version.
        version: u8,
        /// The client's id.
        id: Id,
        /// The cookie for the next INITIAL.
        cookie: &'a [u8],
    },
    /// The server does not speak the INITIAL's version.
    Versions {
        /// The client's id.
        id: Id,
        /// The versions that it speaks.
        versions: &'a [u8],
    },
    /// The server could not read the first message of Noise: the client has another key. Nothing
    /// proves that the server said so, so that a client takes it for a hint.
    Refused {
        /// Version.
        version: u8,
        /// The client's id.
        id: Id,
    },
}

/// The client's first words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Initial<'a> {
    /// Version.
    pub version: u8,
    /// The id by which the client is found.
    pub id: Id,
    /// The number of the pattern: [`Pattern`] has those of this version.
    pub pattern: u8,
    /// The cookie of the server's RETRY.
    pub cookie: &'a [u8],
    /// The first message of Noise.
    pub noise: &'a [u8],
}

/// Authenticated part of an INITIAL, besides the messages of Noise: all but cookie and padding.
pub fn prologue(version: u8, id: Id, pattern: u8) -> [u8; INITIAL_HEAD + 12] {
    let mut out = [0; INITIAL_HEAD + 12];
    out[..12].copy_from_slice(b"acklab tack ");
    out[12] = INITIAL;
    out[13] = version;
    out[14..14 + ID_LEN].copy_from_slice(&id.0);
    out[14 + ID_LEN] = pattern;
    out
}

impl Initial<'_> {
    /// The packet, padded.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(INITIAL_LEN);
        out.push(INITIAL);
        out.push(self.version);
        out.extend(self.id.0);
        out.push(self.pattern);
        put_short(&mut out, self.cookie);
        put_long(&mut out, self.noise);
        if out.len() < INITIAL_LEN {
            out.resize(INITIAL_LEN, 0);
        }
        out
    }
}

fn put_short(out: &mut Vec<u8>, bytes: &[u8]) {
    debug_assert!(bytes.len() <= 255);
    out.push(bytes.len() as u8);
    out.extend(bytes);
}

fn put_long(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u16).to_be_bytes());
    out.extend(bytes);
}

impl Message<'_> {
    /// The packet as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Initial(initial) => return initial.encode(),
            Self::Response { version, id, noise } => {
                out.extend([RESPONSE, *version]);
                out.extend(id.0);
                put_long(&mut out, noise);
            }
            Self::Retry {
                version,
                id,
                cookie,
            } => {
                out.extend([RETRY, *version]);
                out.extend(id.0);
                put_short(&mut out, cookie);
            }
            Self::Versions { id, versions } => {
                out.extend([VERSIONS, 0]);
                out.extend(id.0);
                put_short(&mut out, versions);
            }
            Self::Refused { version, id } => {
                out.extend([REFUSED, *version]);
                out.extend(id.0);
            }
        }
        out
    }
}

/// Whether these bytes claim to be of the handshake.
pub fn is_handshake(packet: &[u8]) -> bool {
    packet.first().is_some_and(|b| b >> 5 == INITIAL >> 5)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn id(&mut self) -> Option<Id> {
        Id::read(self.take(ID_LEN)?)
    }

    fn short(&mut self, most: usize) -> Option<&'a [u8]> {
        let len = usize::from(self.byte()?);
        if len > most {
            return None;
        }
        self.take(len)
    }

    fn long(&mut self) -> Option<&'a [u8]> {
        let len = u16::from_be_bytes(self.take(2)?.try_into().ok()?);
        if usize::from(len) > MOST_NOISE {
            return None;
        }
        self.take(len.into())
    }
}

/// Reads a packet of the handshake of version 1; `None` if it is none.
pub fn decode(packet: &[u8]) -> Option<Message<'_>> {
    let mut r = Reader(packet);
    let kind = r.byte()?;
    let version = r.byte()?;
    let id = r.id()?;
    let message = match kind {
        INITIAL if packet.len() >= INITIAL_LEN => {
            let pattern = r.byte()?;
            let cookie = r.short(MOST_COOKIE)?;
            let noise = r.long()?;
            if r.0.iter().any(|b| *b != 0) {
                return None;
            }
            return Some(Message::Initial(Initial {
                version,
                id,
                pattern,
                cookie,
                noise,
            }));
        }
        RESPONSE => Message::Response {
            version,
            id,
            noise: r.long()?,
        },
        RETRY => Message::Retry {
            version,
            id,
            cookie: r.short(MOST_COOKIE)?,
        },
        VERSIONS if version == 0 => Message::Versions {
            id,
            versions: r.short(MOST_VERSIONS)?,
        },
        REFUSED => Message::Refused { version, id },
        _ => return None,
    };
    r.0.is_empty().then_some(message)
}

/// Version and id of an INITIAL whatever its version is: every version has them in the same place, and
/// is as long.
pub fn initial_of_any_version(packet: &[u8]) -> Option<(u8, Id)> {
    if packet.len() < INITIAL_LEN || packet[0] != INITIAL {
        return None;
    }
    Some((packet[1], Id::read(&packet[2..])?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: Id = Id([1, 2, 3, 4, 5, 6, 7, 8]);

    fn initial<'a>(cookie: &'a [u8], noise: &'a [u8]) -> Initial<'a> {
        Initial {
            version: 1,
            id: ID,
            pattern: Pattern::Pinned as u8,
            cookie,
            noise,
        }
    }

    #[test]
    fn an_initial_is_padded_and_a_short_one_is_none() {
        let bytes = initial(&[], &[7; 48]).encode();
        assert_eq!(bytes.len(), INITIAL_LEN);
        assert_eq!(initial_of_any_version(&bytes), Some((1, ID)));
        assert_eq!(decode(&bytes[..INITIAL_LEN - 1]), None);
        assert_eq!(initial_of_any_version(&bytes[..INITIAL_LEN - 1]), None);
    }

    #[test]
    fn hidden_bytes_behind_a_message_are_refused() {
        let mut bytes = initial(&[], &[7; 48]).encode();
        *bytes.last_mut().unwrap() = 1;
        assert_eq!(decode(&bytes), None);
        let retry = Message::Retry {
            version: 1,
            id: ID,
            cookie: &[1; 32],
        };
        let mut bytes = retry.encode();
        bytes.push(0);
        assert_eq!(decode(&bytes), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            cookie in prop::collection::vec(any::<u8>(), 0..=MOST_COOKIE),
            noise in prop::collection::vec(any::<u8>(), 0..=MOST_NOISE),
            versions in prop::collection::vec(any::<u8>(), 0..=MOST_VERSIONS),
            version in any::<u8>(),
        ) {
            let messages = [
                Message::Initial(Initial { version, ..initial(&cookie, &noise) }),
                Message::Response { version, id: ID, noise: &noise },
                Message::Retry { version, id: ID, cookie: &cookie },
                Message::Versions { id: ID, versions: &versions },
                Message::Refused { version, id: ID },
            ];
            for m in messages {
                let bytes = m.encode();
                prop_assert!(is_handshake(&bytes));
                prop_assert_eq!(decode(&bytes), Some(m));
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..1300)) {
            if let Some(m) = decode(&bytes) {
                let again = m.encode();
                prop_assert_eq!(decode(&again), Some(m));
            }
        }
    }
}
