//! The handshake: who the server is, which keys the packets have, and that nobody chose them for us.
//!
//! Two messages of the Noise framework (revision 34) carry TACK's own HELLO and ACCEPT, so a
//! connection opens in one round trip. The pattern is `NK` for a pinned server key: the client knows
//! the server's static key, is anonymous itself, and both have forward secrecy from the second message
//! on. It is `NNpsk0` for a key that both ends have: who does not know it cannot make the server compute
//! anything but a few hashes.

mod client;
mod cookie;
mod message;
mod server;

pub use client::{Answer, Hint, Opening};
pub use message::{INITIAL_LEN, Message, Pattern, decode, is_handshake};
pub use server::{Admitted, Door, DoorConfig, Reply, Responder, network};

use crate::id::{ID_LEN, Id};
use crate::protect::{Cipher, Secret};

/// Pinned server key.
pub const NK: &str = "Noise_NK_25519_ChaChaPoly_SHA256";
/// A key that both have.
const NN_PSK0: &str = "Noise_NNpsk0_25519_ChaChaPoly_SHA256";

/// Versions of the handshake that this crate speaks, the best one last.
pub const VERSIONS: &[u8] = &[1];

/// Result of a handshake.
#[derive(Clone, Debug)]
pub struct Agreed {
    /// How packets are sealed.
    pub cipher: Cipher,
    /// Secret of the packets that this end sends.
    pub sending: Secret,
    /// Secret of the packets that it receives.
    pub receiving: Secret,
    /// The id that the peer's packets must carry.
    pub remote: Id,
}

/// Content of the first message of Noise, sealed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Offer<'a> {
    /// All versions that the client speaks: this shows whether somebody feigned fewer to it.
    versions: &'a [u8],
    ciphers: u8,
    preferred: u8,
    /// Control frames with TACK's HELLO.
    hello: &'a [u8],
}

impl<'a> Offer<'a> {
    fn encode(&self) -> Vec<u8> {
        let mut out = vec![self.versions.len() as u8];
        out.extend(self.versions);
        out.extend([self.ciphers, self.preferred]);
        out.extend(self.hello);
        out
    }

    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (count, rest) = bytes.split_first()?;
        if usize::from(*count) > message::MOST_VERSIONS {
            return None;
        }
        let (versions, rest) = rest.split_at_checked((*count).into())?;
        let ([ciphers, preferred], hello) = rest.split_first_chunk::<2>()?;
        Some(Self {
            versions,
            ciphers: *ciphers,
            preferred: *preferred,
            hello,
        })
    }

    /// The cipher for both: AES if both are fast at it, else the other.
    fn choose(&self, ours: Cipher) -> Option<Cipher> {
        let offered = |c: Cipher| self.ciphers & c.code() != 0;
        let both = self.preferred == ours.code() && offered(ours);
        let wanted = if both { ours } else { Cipher::ChaCha20Poly1305 };
        let rest = Cipher::ALL.into_iter();
        std::iter::once(wanted).chain(rest).find(|c| offered(*c))
    }
}

/// Content of the second message, sealed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Choice<'a> {
    cipher: u8,
    id: Id,
    /// Control frames with TACK's ACCEPT.
    accept: &'a [u8],
}

impl<'a> Choice<'a> {
    fn encode(&self) -> Vec<u8> {
        let mut out = vec![self.cipher];
        out.extend(self.id.0);
        out.extend(self.accept);
        out
    }

    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (cipher, rest) = bytes.split_first()?;
        let id = Id::read(rest)?;
        Some(Self {
            cipher: *cipher,
            id,
            accept: &rest[ID_LEN..],
        })
    }
}

/// The highest version that both lists have.
fn best_common(a: &[u8], b: &[u8]) -> Option<u8> {
    a.iter().copied().filter(|v| b.contains(v)).max()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
