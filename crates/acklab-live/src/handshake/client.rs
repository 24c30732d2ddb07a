//! The client's side of the handshake.

use super::message::{Initial, MOST_NOISE, Message, Pattern, decode, prologue};
use super::{Agreed, Choice, NK, NN_PSK0, Offer, best_common};
use crate::id::Id;
use crate::keys::Peer;
use crate::protect::{Cipher, Secret};
use snow::{Builder, HandshakeState};

/// RETRYs and lists of versions that one connection follows: a server asks for one cookie.
const MOST_DETOURS: u8 = 3;

/// Hint, without a proof, of somebody who may be the server. An end that hears nothing better
/// gives up with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hint {
    /// It speaks only these versions.
    Versions(Vec<u8>),
    /// It has another key.
    Refused,
}

/// Result of a packet.
#[derive(Debug)]
pub enum Answer {
    /// Nothing.
    Ignored,
    /// The INITIAL has changed and is to be sent again at once.
    SendAgain,
    /// The server has proved itself: the keys, and TACK's ACCEPT.
    Open(Box<Agreed>, Vec<u8>),
}

/// A connection that the client opens.
pub struct Opening {
    peer: Peer,
    id: Id,
    versions: Vec<u8>,
    version: u8,
    ciphers: u8,
    preferred: Cipher,
    hello: Vec<u8>,
    noise: Box<HandshakeState>,
    first: Vec<u8>,
    cookie: Vec<u8>,
    detours: u8,
    hint: Option<Hint>,
}

impl std::fmt::Debug for Opening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Opening({}, version {})", self.id, self.version)
    }
}

/// State and first message for a version.
fn begin(
    peer: &Peer,
    version: u8,
    id: Id,
    offer: &Offer<'_>,
) -> Result<(HandshakeState, Vec<u8>), snow::Error> {
    let (pattern, name) = match peer {
        Peer::Pinned(_) => (Pattern::Pinned, NK),
        Peer::Shared(_) => (Pattern::Shared, NN_PSK0),
    };
    let prologue = prologue(version, id, pattern as u8);
    let builder = Builder::new(name.parse()?).prologue(&prologue)?;
    let builder = match peer {
        Peer::Pinned(key) => builder.remote_public_key(&key.0)?,
        Peer::Shared(key) => builder.psk(0, key.bytes())?,
    };
    let mut noise = builder.build_initiator()?;
    let mut first = vec![0; MOST_NOISE];
    let len = noise.write_message(&offer.encode(), &mut first)?;
    first.truncate(len);
    Ok((noise, first))
}

impl Opening {
    /// Begins a connection that the client knows by `id`; `hello` is TACK's.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn new(
        peer: Peer,
        id: Id,
        versions: &[u8],
        preferred: Cipher,
        hello: Vec<u8>,
    ) -> Result<Self, snow::Error> {
        let version = versions.iter().copied().max().unwrap_or(0);
        let ciphers = Cipher::ALL.iter().fold(0, |bits, c| bits | c.code());
        let offer = Offer {
            versions,
            ciphers,
            preferred: preferred.code(),
            hello: &hello,
        };
        let (noise, first) = begin(&peer, version, id, &offer)?;
        Ok(Self {
            noise: Box::new(noise),
            first,
            peer,
            id,
            versions: versions.to_vec(),
            version,
            ciphers,
            preferred,
            hello,
            cookie: Vec::new(),
            detours: 0,
            hint: None,
        })
    }

    /// The INITIAL, to be sent until an answer comes.
    pub fn packet(&self) -> Vec<u8> {
        let pattern = match self.peer {
            Peer::Pinned(_) => Pattern::Pinned,
            Peer::Shared(_) => Pattern::Shared,
        };
        Initial {
            version: self.version,
            id: self.id,
            pattern: pattern as u8,
            cookie: &self.cookie,
            noise: &self.first,
        }
        .encode()
    }

    /// Hint of somebody who may be the server.
    pub const fn hint(&self) -> Option<&Hint> {
        self.hint.as_ref()
    }

    /// A packet of the handshake arrived.
    pub fn on_packet(&mut self, packet: &[u8]) -> Answer {
        match decode(packet) {
            Some(Message::Response { version, id, noise })
                if id == self.id && version == self.version =>
            {
                self.on_response(noise)
            }
            Some(Message::Retry {
                version,
                id,
                cookie,
            }) if id == self.id && version == self.version => self.on_retry(cookie),
            Some(Message::Versions { id, versions }) if id == self.id => self.on_versions(versions),
            Some(Message::Refused { version, id }) if id == self.id && version == self.version => {
                self.hint = Some(Hint::Refused);
                Answer::Ignored
            }
            _ => Answer::Ignored,
        }
    }

    /// A message that Noise cannot read changes nothing: the server's own may follow.
    fn on_response(&mut self, noise: &[u8]) -> Answer {
        let mut payload = [0; MOST_NOISE];
        let Ok(len) = self.noise.read_message(noise, &mut payload) else {
            return Answer::Ignored;
        };
        let (sending, receiving) = self.noise.dangerously_get_raw_split();
        let Some(choice) = Choice::read(&payload[..len]) else {
            return Answer::Ignored;
        };
        let cipher = Cipher::from_code(choice.cipher).filter(|c| c.code() & self.ciphers != 0);
        let Some(cipher) = cipher else {
            return Answer::Ignored;
        };
        let agreed = Agreed {
            cipher,
            sending: Secret::new(sending),
            receiving: Secret::new(receiving),
            remote: choice.id,
        };
        Answer::Open(Box::new(agreed), choice.accept.to_vec())
    }

    fn on_retry(&mut self, cookie: &[u8]) -> Answer {
        if self.detours >= MOST_DETOURS || cookie == self.cookie {
            return Answer::Ignored;
        }
        self.detours += 1;
        self.cookie = cookie.to_vec();
        Answer::SendAgain
    }

    /// Nobody proves this list. If it hides the best version, the server sees that from the sealed list
    /// of the next INITIAL and refuses.
    fn on_versions(&mut self, theirs: &[u8]) -> Answer {
        if theirs.contains(&self.version) || self.detours >= MOST_DETOURS {
            return Answer::Ignored;
        }
        let Some(version) = best_common(&self.versions, theirs) else {
            self.hint = Some(Hint::Versions(theirs.to_vec()));
            return Answer::Ignored;
        };
        let offer = Offer {
            versions: &self.versions,
            ciphers: self.ciphers,
            preferred: self.preferred.code(),
            hello: &self.hello,
        };
        let Ok((noise, first)) = begin(&self.peer, version, self.id, &offer) else {
            return Answer::Ignored;
        };
        self.detours += 1;
        *self.noise = noise;
        self.first = first;
        self.version = version;
        self.cookie.clear();
        Answer::SendAgain
    }
}
