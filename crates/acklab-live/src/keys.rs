//! Whom one end trusts: keys for the handshake.

use snow::Builder;
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// Bytes of every key here.
pub const KEY_LEN: usize = 32;

/// A server's public key (X25519). Clients pin it, as SSH pins host keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(pub [u8; KEY_LEN]);

/// A server's key pair.
#[derive(Clone)]
pub struct Keypair {
    public: PublicKey,
    private: [u8; KEY_LEN],
}

/// A key that both ends have.
#[derive(Clone)]
pub struct SharedKey([u8; KEY_LEN]);

/// Text that is no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadKey {
    /// Characters that were given.
    pub given: usize,
}

impl fmt::Display for BadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a key has {} hexadecimal digits, and this text of {} characters is none",
            KEY_LEN * 2,
            self.given
        )
    }
}

impl std::error::Error for BadKey {}

fn read_hex(text: &str) -> Result<[u8; KEY_LEN], BadKey> {
    let bad = BadKey {
        given: text.chars().count(),
    };
    let digits = text.as_bytes();
    if digits.len() != KEY_LEN * 2 {
        return Err(bad);
    }
    let mut key = [0; KEY_LEN];
    for (byte, pair) in key.iter_mut().zip(digits.chunks(2)) {
        let digit = |c: u8| char::from(c).to_digit(16);
        let (Some(high), Some(low)) = (digit(pair[0]), digit(pair[1])) else {
            return Err(bad);
        };
        *byte = (high << 4 | low) as u8;
    }
    Ok(key)
}

fn write_hex(key: &[u8; KEY_LEN]) -> String {
    key.iter().fold(String::new(), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write_hex(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl FromStr for PublicKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        read_hex(text.trim()).map(Self)
    }
}

impl Keypair {
    /// A new pair from the operating system's random numbers.
    pub fn generate() -> Self {
        let params = super::handshake::NK.parse().expect("a known pattern");
        let pair = Builder::new(params)
            .generate_keypair()
            .expect("the system has random numbers");
        let key = |bytes: Vec<u8>| bytes.try_into().expect("X25519 keys have 32 bytes");
        Self {
            public: PublicKey(key(pair.public)),
            private: key(pair.private),
        }
    }

    /// A pair that was kept.
    pub const fn from_parts(public: PublicKey, private: [u8; KEY_LEN]) -> Self {
        Self { public, private }
    }

    /// The key that clients pin.
    pub const fn public(&self) -> PublicKey {
        self.public
    }

    /// The key that stays here.
    pub const fn private(&self) -> &[u8; KEY_LEN] {
        &self.private
    }
}

impl fmt::Debug for Keypair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keypair({}, ..)", self.public)
    }
}

impl SharedKey {
    /// A key of random bytes. A password is none: it would be guessed from one recorded handshake.
    pub const fn new(bytes: [u8; KEY_LEN]) -> Self {
        Self(bytes)
    }

    /// A new key from the operating system's random numbers.
    pub fn generate() -> Self {
        Self(*Keypair::generate().private())
    }

    pub(crate) const fn bytes(&self) -> &[u8; KEY_LEN] {
        &self.0
    }

    /// The key as text, to be handed to the other end over a safe way.
    pub fn reveal(&self) -> String {
        write_hex(&self.0)
    }
}

impl FromStr for SharedKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        read_hex(text.trim()).map(Self)
    }
}

impl fmt::Debug for SharedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedKey(..)")
    }
}

/// By what a server proves who it is.
#[derive(Clone, Debug)]
pub enum Identity {
    /// Its own key pair: clients are anonymous.
    Keys(Keypair),
    /// A key that both ends have: it proves both to each other.
    Shared(SharedKey),
}

/// Proof that a client demands of the server.
#[derive(Clone, Debug)]
pub enum Peer {
    /// This key.
    Pinned(PublicKey),
    /// Knowledge of this key.
    Shared(SharedKey),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_text() {
        let pair = Keypair::generate();
        let text = pair.public().to_string();
        assert_eq!(text.len(), 64);
        assert_eq!(text.parse(), Ok(pair.public()));
        let shared = SharedKey::generate();
        let again: SharedKey = shared.reveal().parse().unwrap();
        assert_eq!(again.bytes(), shared.bytes());
    }

    #[test]
    fn other_text_is_refused_with_its_length() {
        let refused = |text: &str| PublicKey::from_str(text).unwrap_err();
        assert_eq!(refused("beef"), BadKey { given: 4 });
        assert_eq!(refused(&"x".repeat(64)), BadKey { given: 64 });
        assert_eq!(refused(&"ä".repeat(32)).given, 32);
        assert!(refused("").to_string().contains("64 hexadecimal digits"));
    }

    #[test]
    fn nothing_secret_is_printed() {
        let pair = Keypair::generate();
        let private = write_hex(pair.private());
        assert!(!format!("{pair:?}").contains(&private));
        assert_eq!(format!("{:?}", SharedKey::generate()), "SharedKey(..)");
    }
}
