//! AEAD keys of one direction, and how they follow from each other.

use ring::aead::{self, LessSafeKey, UnboundKey};
use ring::hkdf;

/// Bytes of a tag of each cipher here.
pub const TAG: usize = 16;
const IV: usize = 12;

/// How packets are sealed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cipher {
    /// AES-128 in Galois/counter mode: the fastest where the processor has AES instructions. X25519
    /// gives 128 bits of security, and so does this key.
    Aes128Gcm,
    /// ChaCha20-Poly1305: the fastest in software, and constant-time there.
    ChaCha20Poly1305,
}

impl Cipher {
    /// Both, for offers.
    pub const ALL: [Self; 2] = [Self::Aes128Gcm, Self::ChaCha20Poly1305];

    /// The one that this processor seals fastest.
    pub fn preferred() -> Self {
        if has_aes() {
            Self::Aes128Gcm
        } else {
            Self::ChaCha20Poly1305
        }
    }

    /// Its number on the wire, which is also its bit in an offer.
    pub const fn code(self) -> u8 {
        match self {
            Self::Aes128Gcm => 1,
            Self::ChaCha20Poly1305 => 2,
        }
    }

    /// The cipher of that number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.code() == code)
    }

    fn algorithm(self) -> &'static aead::Algorithm {
        match self {
            Self::Aes128Gcm => &aead::AES_128_GCM,
            Self::ChaCha20Poly1305 => &aead::CHACHA20_POLY1305,
        }
    }

    /// Packets that may be sealed with one key: RFC 9001 section 6.6 allows 2^23 full-sized packets
    /// of AES-GCM. Half of it leaves room for packets on their way.
    pub const fn most_sealed(self) -> u64 {
        1 << 22
    }

    /// Forged packets that may be tried on one key (RFC 9001 section 6.6).
    pub const fn most_forged(self) -> u64 {
        match self {
            Self::Aes128Gcm => 1 << 52,
            Self::ChaCha20Poly1305 => 1 << 36,
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_aes() -> bool {
    std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("pclmulqdq")
}

#[cfg(target_arch = "aarch64")]
fn has_aes() -> bool {
    std::arch::is_aarch64_feature_detected!("aes")
        && std::arch::is_aarch64_feature_detected!("pmull")
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn has_aes() -> bool {
    false
}

/// A secret of one direction, from which its keys follow.
#[derive(Clone)]
pub struct Secret([u8; 32]);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

impl Secret {
    /// A secret that a handshake has agreed on.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    fn expand(&self, label: &[u8], out: &mut [u8]) {
        let prk = hkdf::Prk::new_less_safe(hkdf::HKDF_SHA256, &self.0);
        let filled = prk
            .expand(&[label], Length(out.len()))
            .and_then(|okm| okm.fill(out));
        debug_assert!(filled.is_ok(), "HKDF gives up to 255 hashes");
    }

    /// The secret of the next key phase. The one before cannot be computed from it.
    pub fn next(&self) -> Self {
        let mut out = [0; 32];
        self.expand(b"acklab tack 1 update", &mut out);
        Self(out)
    }

    /// The key for packets.
    pub fn key(&self, cipher: Cipher) -> Key {
        let algorithm = cipher.algorithm();
        let mut key = [0; 32];
        let key = &mut key[..algorithm.key_len()];
        self.expand(b"acklab tack 1 key", key);
        let mut iv = [0; IV];
        self.expand(b"acklab tack 1 iv", &mut iv);
        let key = UnboundKey::new(algorithm, key).expect("a key of the algorithm's length");
        Key {
            key: LessSafeKey::new(key),
            iv,
        }
    }
}

/// A key for packets of one direction and phase.
#[derive(Debug)]
pub struct Key {
    key: LessSafeKey,
    iv: [u8; IV],
}

impl Key {
    /// The nonce is the IV with the packet's number in its last eight bytes. Numbers have 62 bits; the
    /// two above name the number space.
    fn nonce(&self, space: u8, number: u64) -> aead::Nonce {
        let mut nonce = self.iv;
        let numbered = (number | u64::from(space) << 62).to_be_bytes();
        for (n, b) in nonce[IV - 8..].iter_mut().zip(numbered) {
            *n ^= b;
        }
        aead::Nonce::assume_unique_for_key(nonce)
    }

    /// Seals what follows the `header` bytes of `packet`, whose last [`TAG`] bytes become the tag.
    pub fn seal(&self, space: u8, number: u64, header: usize, packet: &mut [u8]) {
        let nonce = self.nonce(space, number);
        let (head, body) = packet.split_at_mut(header);
        let (text, tag) = body.split_at_mut(body.len() - TAG);
        let sealed = self
            .key
            .seal_in_place_separate_tag(nonce, aead::Aad::from(&*head), text)
            .expect("packets are shorter than the cipher's limit");
        tag.copy_from_slice(sealed.as_ref());
    }

    /// Opens what follows the `header` bytes of `packet`; `false` if it was not sealed with this key.
    pub fn open(&self, space: u8, number: u64, header: usize, packet: &mut [u8]) -> bool {
        let nonce = self.nonce(space, number);
        let (head, body) = packet.split_at_mut(header);
        self.key
            .open_in_place(nonce, aead::Aad::from(&*head), body)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(key: &Key, space: u8, number: u64) -> Vec<u8> {
        let mut packet = b"head and a body".to_vec();
        packet.extend([0; TAG]);
        key.seal(space, number, 4, &mut packet);
        packet
    }

    #[test]
    fn only_the_same_key_space_and_number_open_it() {
        for cipher in Cipher::ALL {
            let secret = Secret::new([7; 32]);
            let key = secret.key(cipher);
            let packet = sealed(&key, 0, 5);
            let opens = |key: &Key, space, number, change: usize| {
                let mut p = packet.clone();
                if change < p.len() {
                    p[change] ^= 1;
                }
                key.open(space, number, 4, &mut p) && &p[4..15] == b" and a body"
            };
            assert!(opens(&key, 0, 5, usize::MAX));
            assert!(!opens(&key, 1, 5, usize::MAX));
            assert!(!opens(&key, 0, 6, usize::MAX));
            assert!(!opens(&secret.next().key(cipher), 0, 5, usize::MAX));
            assert!(!opens(&Secret::new([8; 32]).key(cipher), 0, 5, usize::MAX));
            for change in 0..packet.len() {
                assert!(!opens(&key, 0, 5, change), "{cipher:?}: byte {change}");
            }
        }
    }

    /// Two packets of one nonce would give away the XOR of their texts.
    #[test]
    fn spaces_and_numbers_have_nonces_of_their_own() {
        let key = Secret::new([1; 32]).key(Cipher::preferred());
        let mut seen = std::collections::HashSet::new();
        for space in 0..3 {
            for number in [0, 1, 255, 256, (1 << 32) - 1, 1 << 32, (1 << 62) - 1] {
                let nonce = key.nonce(space, number);
                assert!(seen.insert(*nonce.as_ref()));
            }
        }
    }

    #[test]
    fn a_secret_does_not_print_itself() {
        assert_eq!(format!("{:?}", Secret::new([9; 32])), "Secret(..)");
    }
}
