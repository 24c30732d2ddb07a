//! One connection without its socket: TACK's endpoint, keys, addresses and buffers.
//!
//! Time and packets come as arguments, so tests and fuzzers drive it as the driver does.

mod inbound;
pub mod mtu;
mod outbound;
pub mod path;
#[cfg(test)]
mod tests;
pub mod watch;

use crate::buffer::{SendHalf, Shared};
use crate::config::Config;
use crate::error::Ended;
use crate::handshake::{Admitted, Agreed, Hint, Opening, VERSIONS};
use crate::id::{ID_LEN, Id};
use crate::keys::Peer;
use crate::protect::{self, Cipher, Opener, Sealer, TAG};
use acklab_proto::cc::CongestionControl;
use acklab_proto::datagram::{Datagram, UDP_HEADER};
use acklab_proto::endpoint::{Endpoint, Event};
use acklab_proto::segment::IP_HEADER;
use acklab_proto::stats::{Snapshot, Stats};
use acklab_proto::tack::TackEndpoint;
use acklab_proto::tack::endpoint::Role;
use acklab_proto::tack::wire::{Frame, Frames, Header, Packet, Space};
use acklab_proto::transport::{Estimates, Socket, Transport};
use acklab_units::{Instant, Span};
pub use inbound::{Opened, Verdict};
pub use outbound::{Batch, Part};
use path::Path;
use std::net::SocketAddr;
use std::sync::Arc;
pub use watch::Watch;

/// The keys of a connection whose handshake is over.
#[derive(Debug)]
struct Keys {
    sealer: Sealer,
    opener: Opener,
    remote: Id,
}

#[derive(Debug)]
enum Stage {
    /// A client that waits for an answer.
    Opening(Box<Opening>),
    /// A server that has answered, and has no proof that anybody hears it.
    Answered {
        /// The INITIAL that was answered, and the answer: a copy of the one gets a copy of the other.
        initial: Vec<u8>,
        answer: Vec<u8>,
    },
    /// Both ends have proved that they have the keys.
    Open,
    /// Over.
    Over,
}

/// Random bytes that a new session needs.
#[derive(Clone, Copy, Debug)]
pub struct Entropy {
    /// The id by which this end is found.
    pub id: Id,
    /// Seed of packet numbers, skips and the controller.
    pub seed: u64,
}

/// One connection.
#[derive(Debug)]
pub struct Session {
    endpoint: TackEndpoint,
    shared: Arc<Shared>,
    stage: Stage,
    keys: Option<Box<Keys>>,
    path: Path,
    local: Id,
    /// An INITIAL or an answer is to leave.
    due: bool,
    began: Instant,
    heard: Instant,
    idle_timeout: Span,
    handshake_timeout: Span,
    announced: bool,
    /// Readers are to be woken when the batch is over.
    readable: bool,
    /// The receive buffer that the peer gets once an application has accepted the connection.
    to_grow: Option<u64>,
    path_number: u64,
    mtu: mtu::Mtu,
    /// The size of a probe that has arrived and is not answered.
    got: Option<u32>,
    wire: Wire,
    /// TACK's HELLO or ACCEPT, if somebody watches.
    greeting: Box<[u8]>,
}

/// Counters of a connection on the wire, both ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wire {
    /// Packets sent.
    pub packets_out: u64,
    /// UDP payload bytes sent.
    pub bytes_out: u64,
    /// Packets that were opened.
    pub packets_in: u64,
    /// UDP payload bytes of these.
    pub bytes_in: u64,
    /// Packets that were refused: forged, replayed or unreadable.
    pub refused: u64,
}

/// A connection's counters, and its present state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// TACK's counters.
    pub stats: Stats,
    /// TACK's sending half.
    pub snapshot: Snapshot,
    /// Its receiving half's estimates of the path.
    pub estimates: Estimates,
    /// Packets and bytes on the wire.
    pub wire: Wire,
    /// Where the peer is.
    pub address: SocketAddr,
    /// How often it has moved.
    pub moves: u64,
    /// How often this end has changed its key, and how often the peer has.
    pub key_updates: (u64, u64),
    /// Bytes of the largest IP packet that this end sends, headers of IPv4 counted.
    pub packet_size: u32,
}

impl Report {
    /// The report of a session.
    pub fn of(session: &Session) -> Self {
        let endpoint = &session.endpoint;
        Self {
            stats: *endpoint.stats(),
            snapshot: endpoint.snapshot(),
            estimates: endpoint.estimates().unwrap_or_default(),
            wire: session.wire,
            address: session.address(),
            moves: session.moves(),
            key_updates: session.key_updates(),
            packet_size: session.packet_size(),
        }
    }
}

fn endpoint(role: Role, cfg: &Config, seed: u64) -> TackEndpoint {
    let cc: Box<dyn CongestionControl> = cfg.build_controller(seed);
    TackEndpoint::new(role, cfg.tack.clone(), cc, seed)
}

/// A packet of TACK's handshake, as Noise carries its frames.
fn greeting(frames: &[u8]) -> Packet {
    Packet {
        header: Header {
            number: 0,
            number_len: 8,
            space: Space::Feedback,
            id_len: ID_LEN as u8,
            tag_len: TAG as u8,
        },
        control: frames.len() as u16,
        ..Packet::default()
    }
}

/// Bytes of the UDP payload of an IP packet of this size.
const fn as_payload(size: u32) -> usize {
    (size - IP_HEADER - UDP_HEADER) as usize
}

/// Bytes of an IP packet with this much UDP payload.
const fn as_ip(payload: usize) -> u32 {
    IP_HEADER + UDP_HEADER + payload as u32
}

impl Session {
    fn new(
        endpoint: TackEndpoint,
        now: Instant,
        address: SocketAddr,
        cfg: &Config,
        shared: Arc<Shared>,
        entropy: Entropy,
    ) -> Self {
        Self {
            endpoint,
            shared,
            stage: Stage::Over,
            keys: None,
            path: Path::new(address),
            local: entropy.id,
            due: false,
            began: now,
            heard: now,
            idle_timeout: cfg.idle_timeout,
            handshake_timeout: cfg.handshake_timeout,
            announced: false,
            readable: false,
            to_grow: None,
            path_number: 0,
            mtu: mtu::Mtu::new(cfg.tack.mtu, cfg.largest()),
            got: None,
            wire: Wire::default(),
            greeting: Box::default(),
        }
    }

    /// A client's connection to `server`.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn connect(
        now: Instant,
        server: SocketAddr,
        peer: Peer,
        cfg: &Config,
        shared: Arc<Shared>,
        entropy: Entropy,
    ) -> Result<Self, snow::Error> {
        let mut endpoint = endpoint(Role::Active, cfg, entropy.seed);
        endpoint.open(now);
        let _ = endpoint.poll_transmit(now);
        let hello = endpoint.attachment().to_vec();
        let cipher = Cipher::preferred();
        let greeting = shared.watcher().map(|_| hello.as_slice().into());
        let opening = Opening::new(peer, entropy.id, VERSIONS, cipher, hello)?;
        let mut session = Self::new(endpoint, now, server, cfg, shared, entropy);
        session.greeting = greeting.unwrap_or_default();
        session.stage = Stage::Opening(Box::new(opening));
        session.due = true;
        Ok(session)
    }

    /// A server's connection to a client that was let in; `initial` is the packet that it came with.
    /// `None` if its HELLO is none.
    pub fn accept(
        now: Instant,
        client: SocketAddr,
        admitted: Admitted,
        initial: &[u8],
        cfg: &Config,
        shared: Arc<Shared>,
        entropy: Entropy,
    ) -> Option<Self> {
        let Some(Frame::Hello(_)) = Frames::new(&admitted.hello).next() else {
            return None;
        };
        let mut endpoint = endpoint(Role::Passive, cfg, entropy.seed);
        let whole = cfg.tack.recv_buffer;
        endpoint.set_recv_buffer(whole.min(cfg.unaccepted_buffer));
        let hello = greeting(&admitted.hello);
        endpoint.on_datagram_with(now, &Datagram::Tack(hello), &admitted.hello);
        if let Some(watcher) = shared.watcher() {
            let told = watch::Told {
                packet: &hello,
                control: &admitted.hello,
                size: as_ip(initial.len()),
            };
            watch::lock(watcher).on_arrived(now, told, &endpoint);
        }
        endpoint.poll_transmit(now)?;
        let accept = shared.watcher().map(|_| endpoint.attachment().into());
        let responder = admitted.responder;
        let (answer, agreed) = responder.respond(entropy.id, endpoint.attachment()).ok()?;
        let mut session = Self::new(endpoint, now, client, cfg, shared, entropy);
        session.greeting = accept.unwrap_or_default();
        session.take_keys(cfg, agreed);
        session.to_grow = Some(whole);
        session.stage = Stage::Answered {
            initial: initial.to_vec(),
            answer,
        };
        session.due = true;
        Some(session)
    }

    /// The keys, once TACK's endpoint knows the peer's offer.
    fn take_keys(&mut self, cfg: &Config, agreed: Agreed) {
        let mut opener = Opener::new(agreed.cipher, agreed.receiving);
        opener.expect(protect::Space::Data, self.endpoint.receiver().next_number());
        let limit = cfg.packets_per_key.min(agreed.cipher.most_sealed());
        self.keys = Some(Box::new(Keys {
            sealer: Sealer::new(agreed.cipher, agreed.sending).with_limit(limit),
            opener,
            remote: agreed.remote,
        }));
    }

    /// The search for what the path carries begins. Packets have the base size until something else is
    /// proven.
    fn search(&mut self, now: Instant) {
        let t = self.endpoint.shape();
        let around = Packet::data_overhead(t.id_len, t.tag_len);
        // Sizes count headers of IPv4. Those of IPv6 have 20 bytes more, and lines as many bytes as before.
        let six =
            matches!(self.path.address(), SocketAddr::V6(a) if a.ip().to_ipv4_mapped().is_none());
        let most = self.endpoint.sender().agreed_mss() + around - 20 * u32::from(six);
        self.mtu.begin(now, most);
        self.fit_packets(false);
    }

    /// Packets get the size that is proven. `anew`: those under way, too.
    fn fit_packets(&mut self, anew: bool) {
        let t = self.endpoint.shape();
        let around = Packet::data_overhead(t.id_len, t.tag_len);
        let mss = self.mtu.size().saturating_sub(around);
        self.endpoint.set_mss(mss, anew);
    }

    /// Bytes of the largest IP packet that this end sends.
    pub const fn packet_size(&self) -> u32 {
        self.mtu.size()
    }

    /// The id by which this end is found.
    pub const fn local(&self) -> Id {
        self.local
    }

    /// Where the peer is.
    pub const fn address(&self) -> SocketAddr {
        self.path.address()
    }

    /// How often the peer has moved.
    pub const fn moves(&self) -> u64 {
        self.path.moves()
    }

    /// TACK's endpoint.
    pub const fn endpoint(&self) -> &TackEndpoint {
        &self.endpoint
    }

    /// Its counters on the wire, both ways.
    pub const fn wire(&self) -> &Wire {
        &self.wire
    }

    /// How often each end has changed its key.
    pub fn key_updates(&self) -> (u64, u64) {
        self.keys
            .as_ref()
            .map_or((0, 0), |k| (k.sealer.updates(), k.opener.updates()))
    }

    /// Whether the handshake waits for the peer.
    pub const fn is_half_open(&self) -> bool {
        matches!(self.stage, Stage::Answered { .. } | Stage::Opening(_))
    }

    /// Whether nothing is to be done any more.
    pub const fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// The two ends' buffers.
    pub const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Ends it at once. The peer is not told.
    pub fn end(&mut self, ended: Ended) {
        self.stage = Stage::Over;
        self.shared.end(ended);
    }

    /// `true` once, when the connection can be handed to the application.
    pub fn take_announcement(&mut self) -> bool {
        self.announced && std::mem::take(&mut self.announced)
    }

    /// Takes over data that the application has written since the last call.
    fn take_written(&mut self, now: Instant, send: &SendHalf) {
        let sender = self.endpoint.sender();
        let given = sender.una() + sender.backlog();
        let closes = send.finished && !sender.closing();
        if send.end > given {
            self.endpoint.write(send.end - given);
        }
        self.endpoint.application_waits(send.full && !send.finished);
        if closes {
            self.endpoint.close(now);
        }
        if send.aborted {
            self.endpoint.abort();
        }
    }

    /// Takes over the number of bytes that it has read.
    fn take_read(&mut self, now: Instant) {
        let shared = self.shared.clone();
        let mut recv = shared.recv();
        let taken = recv.read - recv.told;
        recv.told = recv.read;
        if recv.accepted
            && let Some(whole) = self.to_grow.take()
        {
            self.endpoint.set_recv_buffer(whole);
        }
        if taken > 0 {
            self.endpoint.read(now, taken);
        }
        recv.shut = self.endpoint.receiver().is_shut();
        if std::mem::take(&mut self.readable) {
            shared.wake_receiver(recv);
        }
    }

    /// Shows the endpoint to whoever watches.
    fn show(&self, look: impl FnOnce(&mut dyn watch::Watcher, &TackEndpoint)) {
        if let Some(watcher) = self.shared.watcher() {
            look(&mut *watch::lock(watcher), &self.endpoint);
        }
    }

    /// A greeting leaves, which Noise carries in a packet with so much payload.
    fn show_greeting(&self, now: Instant, payload: usize) {
        self.show(|watcher, is| {
            let (packet, control) = (greeting(&self.greeting), &*self.greeting);
            let told = watch::Told {
                packet: &packet,
                control,
                size: as_ip(payload),
            };
            watcher.on_sent(now, told, None, is);
        });
    }

    /// When [`Session::on_timeout`] must be called at the latest.
    pub fn next_timeout(&self) -> Option<Instant> {
        let own = match self.stage {
            Stage::Over => return None,
            Stage::Open => self.heard.saturating_add(self.idle_timeout),
            Stage::Opening(_) | Stage::Answered { .. } => {
                self.began.saturating_add(self.handshake_timeout)
            }
        };
        let tack = self.endpoint.next_timeout();
        let driver = Instant::earliest(self.path.next_timeout(), self.mtu.next_timeout());
        Instant::earliest(Some(own), Instant::earliest(tack, driver))
    }

    /// Time has come.
    pub fn on_timeout(&mut self, now: Instant) {
        self.path.on_timeout(now);
        self.mtu.on_timeout(now);
        self.show(|watcher, is| watcher.before(now, is));
        let due = self.endpoint.next_timeout().is_some_and(|t| t <= now);
        self.endpoint.on_timeout(now);
        self.show(|watcher, is| watcher.on_timer(now, is));
        let stats = self.endpoint.stats();
        let (timeouts, acked) = (stats.rto_count, stats.bytes_acked);
        if self.mtu.on_timeouts(now, timeouts, acked) {
            self.fit_packets(true);
        }
        let waited = now.saturating_since(self.began) >= self.handshake_timeout;
        match &self.stage {
            Stage::Opening(opening) => {
                let hint = opening.hint().map(|h| match h {
                    Hint::Refused => Ended::WrongKey,
                    Hint::Versions(_) => Ended::WrongVersion,
                });
                // The timer of TACK's HELLO is the INITIAL's.
                self.due |= due;
                if let Some(ended) = hint.filter(|_| due) {
                    self.end(ended);
                } else if waited {
                    self.end(Ended::NoAnswer);
                }
            }
            Stage::Answered { .. } if waited => self.end(Ended::NoAnswer),
            Stage::Open if now.saturating_since(self.heard) >= self.idle_timeout => {
                self.end(Ended::TimedOut);
            }
            Stage::Open => self.rest(),
            _ => {}
        }
        self.take_events();
    }

    /// Whoever has nothing under way keeps no memory for it.
    fn rest(&self) {
        let mut send = self.shared.send();
        if send.start == send.end {
            send.chunks.shrink();
        }
        drop(send);
        let mut recv = self.shared.recv();
        if recv.read == recv.edge && self.endpoint.receiver().blocked() == 0 {
            recv.chunks.shrink();
        }
    }

    /// Passes the endpoint's events to the application.
    fn take_events(&mut self) {
        while let Some(event) = self.endpoint.poll_event() {
            match event {
                Event::Connected => {
                    self.announced = true;
                    let mut send = self.shared.send();
                    send.open = true;
                    self.shared.wake_sender(send);
                }
                // The bytes were announced where they were placed, room where it came.
                Event::Readable { .. } | Event::Writable | Event::PeerClosed => {}
                Event::Closed => self.shared.end(Ended::Closed),
                Event::Reset => self.shared.end(Ended::Reset),
                Event::TimedOut => self.shared.end(Ended::TimedOut),
            }
        }
    }
}
