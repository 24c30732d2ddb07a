//! Stateless cookies: proof that a client receives what is sent to its address.

use crate::id::Id;
use acklab_units::{Instant, Span};
use ring::hmac;
use std::net::{IpAddr, SocketAddr};

/// How long a key makes cookies. A cookie is taken for one to two such times.
const EPOCH: Span = Span::from_secs(10);
/// Bytes of a cookie: the number of its epoch, and a MAC.
const LEN: usize = 4 + 32;

/// Makes and checks cookies and keeps nothing of either: what a cookie says is in its MAC.
#[derive(Debug)]
pub struct Cookies {
    key: hmac::Key,
}

impl Cookies {
    /// Cookies under a random key.
    pub fn new(key: &[u8; 32]) -> Self {
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, key),
        }
    }

    fn epoch(now: Instant) -> u32 {
        (now.saturating_since(Instant::ZERO).as_nanos() / EPOCH.as_nanos()) as u32
    }

    fn said(epoch: u32, from: SocketAddr, id: Id) -> [u8; 4 + 16 + 2 + 8] {
        let ip = match from.ip() {
            IpAddr::V4(ip) => ip.to_ipv6_mapped(),
            IpAddr::V6(ip) => ip,
        };
        let mut out = [0; 30];
        out[..4].copy_from_slice(&epoch.to_be_bytes());
        out[4..20].copy_from_slice(&ip.octets());
        out[20..22].copy_from_slice(&from.port().to_be_bytes());
        out[22..].copy_from_slice(&id.0);
        out
    }

    /// A cookie for the client `id` at `from`.
    pub fn make(&self, now: Instant, from: SocketAddr, id: Id) -> [u8; LEN] {
        let epoch = Self::epoch(now);
        let mac = hmac::sign(&self.key, &Self::said(epoch, from, id));
        let mut out = [0; LEN];
        out[..4].copy_from_slice(&epoch.to_be_bytes());
        out[4..].copy_from_slice(mac.as_ref());
        out
    }

    /// Whether it is a cookie of ours for this client, and not too old. The comparison takes the same
    /// time wherever the first difference is.
    pub fn check(&self, now: Instant, from: SocketAddr, id: Id, cookie: &[u8]) -> bool {
        let Some((epoch, mac)) = cookie.split_first_chunk::<4>() else {
            return false;
        };
        let epoch = u32::from_be_bytes(*epoch);
        let age = Self::epoch(now).wrapping_sub(epoch);
        age <= 1 && hmac::verify(&self.key, &Self::said(epoch, from, id), mac).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: u64) -> Instant {
        Instant::ZERO + Span::from_secs(s)
    }

    #[test]
    fn a_cookie_is_good_for_one_client_and_a_short_time() {
        let cookies = Cookies::new(&[1; 32]);
        let a: SocketAddr = "192.0.2.1:1000".parse().unwrap();
        let (id, other) = (Id([1; 8]), Id([2; 8]));
        let cookie = cookies.make(at(5), a, id);
        assert!(cookies.check(at(5), a, id, &cookie));
        assert!(cookies.check(at(19), a, id, &cookie));
        assert!(!cookies.check(at(20), a, id, &cookie), "too old");
        assert!(!cookies.check(at(5), a, other, &cookie));
        assert!(!cookies.check(at(5), "192.0.2.1:1001".parse().unwrap(), id, &cookie));
        assert!(!cookies.check(at(5), "192.0.2.2:1000".parse().unwrap(), id, &cookie));
        assert!(!Cookies::new(&[2; 32]).check(at(5), a, id, &cookie));
        for at_byte in 0..cookie.len() {
            let mut bad = cookie;
            bad[at_byte] ^= 1;
            assert!(!cookies.check(at(5), a, id, &bad));
        }
        assert!(!cookies.check(at(5), a, id, &cookie[..20]));
    }
}
