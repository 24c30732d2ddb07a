//! The server's side of the handshake: whom to let in, and how much that may cost.

use super::cookie::Cookies;
use super::message::{
    Initial, MOST_NOISE, Message, Pattern, decode, initial_of_any_version, prologue,
};
use super::{Agreed, Choice, NK, NN_PSK0, Offer, VERSIONS, best_common};
use crate::id::Id;
use crate::keys::Identity;
use crate::protect::{Cipher, Secret};
use acklab_units::{Instant, Span};
use snow::{Builder, HandshakeState};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

/// How a server guards its door.
#[derive(Clone, Debug)]
pub struct DoorConfig {
    /// Connections that may be half open. One more takes the place of the oldest.
    pub most_half_open: usize,
    /// Half-open connections from which on a client must return a cookie first.
    pub cookies_above: usize,
    /// Handshakes in one second from which on a client must return a cookie first: each costs the
    /// server some hundred microseconds.
    pub cookies_above_rate: u32,
    /// Of these, as many may come from one network (an address, or a /56 of IPv6) while cookies are asked
    /// for.
    pub most_of_network: u32,
    /// Handshakes in one second, at most.
    pub most_per_second: u32,
    /// Versions that it speaks.
    pub versions: Vec<u8>,
    /// The cipher that it is fastest at.
    pub preferred: Cipher,
}

impl Default for DoorConfig {
    fn default() -> Self {
        Self {
            most_half_open: 1024,
            cookies_above: 64,
            cookies_above_rate: 200,
            most_of_network: 128,
            most_per_second: 2000,
            versions: VERSIONS.to_vec(),
            preferred: Cipher::preferred(),
        }
    }
}

/// Answer to an INITIAL.
#[derive(Debug)]
pub enum Reply {
    /// Nothing is sent, nothing is kept.
    Drop,
    /// This is sent, nothing is kept.
    Say(Vec<u8>),
    /// The client may have a connection.
    Admit(Box<Admitted>),
}

/// A client that may have a connection.
#[derive(Debug)]
pub struct Admitted {
    /// The client's id.
    pub id: Id,
    /// Control frames with TACK's HELLO.
    pub hello: Vec<u8>,
    /// It has returned a cookie: its address is its own.
    pub proven: bool,
    /// Makes the answer.
    pub responder: Responder,
}

/// Makes the answer to one INITIAL.
pub struct Responder {
    noise: HandshakeState,
    version: u8,
    id: Id,
    cipher: Cipher,
}

impl std::fmt::Debug for Responder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Responder({})", self.id)
    }
}

impl Responder {
    /// The answer of the server that knows the connection by `own`, with TACK's ACCEPT, and what was
    /// agreed on.
    ///
    /// # Errors
    /// If the ACCEPT is too long, or the system has no random numbers.
    pub fn respond(mut self, own: Id, accept: &[u8]) -> Result<(Vec<u8>, Agreed), snow::Error> {
        let choice = Choice {
            cipher: self.cipher.code(),
            id: own,
            accept,
        };
        let mut noise = [0; MOST_NOISE];
        let len = self.noise.write_message(&choice.encode(), &mut noise)?;
        let (receiving, sending) = self.noise.dangerously_get_raw_split();
        let answer = Message::Response {
            version: self.version,
            id: self.id,
            noise: &noise[..len],
        };
        let agreed = Agreed {
            cipher: self.cipher,
            sending: Secret::new(sending),
            receiving: Secret::new(receiving),
            remote: self.id,
        };
        Ok((answer.encode(), agreed))
    }
}

/// The part of an address that one machine can hardly change: all, or the first 56 bits with IPv6.
pub fn network(of: SocketAddr) -> u64 {
    match of.ip().to_canonical() {
        IpAddr::V4(ip) => u64::from(ip.to_bits()),
        IpAddr::V6(ip) => (ip.to_bits() >> 72) as u64 | 1 << 63,
    }
}

/// Decides about INITIALs. It keeps nothing of those it does not admit.
#[derive(Debug)]
pub struct Door {
    identity: Identity,
    cookies: Cookies,
    cfg: DoorConfig,
    second: Instant,
    in_second: u32,
    /// Those of the second by the network that they came from.
    networks: HashMap<u64, u32>,
}

impl Door {
    /// A door; `key` is random.
    pub fn new(identity: Identity, cfg: DoorConfig, key: &[u8; 32]) -> Self {
        Self {
            identity,
            cookies: Cookies::new(key),
            cfg,
            second: Instant::ZERO,
            in_second: 0,
            networks: HashMap::new(),
        }
    }

    /// An INITIAL came from an address while so many connections are half open.
    pub fn on_initial(
        &mut self,
        now: Instant,
        from: SocketAddr,
        packet: &[u8],
        half_open: usize,
    ) -> Reply {
        let Some((version, id)) = initial_of_any_version(packet) else {
            return Reply::Drop;
        };
        if !self.cfg.versions.contains(&version) {
            let versions = &self.cfg.versions;
            return Reply::Say(Message::Versions { id, versions }.encode());
        }
        let Some(Message::Initial(initial)) = decode(packet) else {
            return Reply::Drop;
        };
        let proven = self.cookies.check(now, from, id, initial.cookie);
        let busy = self.is_busy(now, half_open);
        if !proven && busy {
            let cookie = &self.cookies.make(now, from, id);
            return Reply::Say(
                Message::Retry {
                    version,
                    id,
                    cookie,
                }
                .encode(),
            );
        }
        // Each costs a computation with curves, cookie or not. The second half of what a second has room
        // for is shared: one network gets an eighth of all.
        let most = self.cfg.most_per_second;
        let count = self.networks.entry(network(from)).or_default();
        if self.in_second >= most || (self.in_second >= most / 2 && *count >= most / 8) {
            return Reply::Drop;
        }
        *count += 1;
        self.in_second += 1;
        self.admit(&initial, proven).unwrap_or(Reply::Drop)
    }

    fn is_busy(&mut self, now: Instant, half_open: usize) -> bool {
        if now.saturating_since(self.second) >= Span::from_secs(1) {
            self.second = now;
            self.in_second = 0;
            self.networks.clear();
        }
        half_open >= self.cfg.cookies_above || self.in_second >= self.cfg.cookies_above_rate
    }

    fn begin(&self, initial: &Initial<'_>) -> Option<HandshakeState> {
        let name = match (&self.identity, initial.pattern) {
            (Identity::Keys(_), p) if p == Pattern::Pinned as u8 => NK,
            (Identity::Shared(_), p) if p == Pattern::Shared as u8 => NN_PSK0,
            _ => return None,
        };
        let prologue = prologue(initial.version, initial.id, initial.pattern);
        let builder = Builder::new(name.parse().ok()?).prologue(&prologue).ok()?;
        let builder = match &self.identity {
            Identity::Keys(keys) => builder.local_private_key(keys.private()).ok()?,
            Identity::Shared(key) => builder.psk(0, key.bytes()).ok()?,
        };
        builder.build_responder().ok()
    }

    fn admit(&self, initial: &Initial<'_>, proven: bool) -> Option<Reply> {
        let refused = || {
            let (version, id) = (initial.version, initial.id);
            Some(Reply::Say(Message::Refused { version, id }.encode()))
        };
        let Some(mut noise) = self.begin(initial) else {
            return refused();
        };
        let mut payload = [0; MOST_NOISE];
        let Ok(len) = noise.read_message(initial.noise, &mut payload) else {
            return refused();
        };
        let offer = Offer::read(&payload[..len])?;
        // Somebody has told the client of fewer versions than we speak.
        if best_common(offer.versions, &self.cfg.versions) != Some(initial.version) {
            return Some(Reply::Drop);
        }
        Some(Reply::Admit(Box::new(Admitted {
            id: initial.id,
            hello: offer.hello.to_vec(),
            proven,
            responder: Responder {
                noise,
                version: initial.version,
                id: initial.id,
                cipher: offer.choose(self.cfg.preferred)?,
            },
        })))
    }
}
