//! Configuration of an endpoint.

use crate::handshake::DoorConfig;
use crate::id::ID_LEN;
use crate::protect::TAG;
use crate::session::mtu::BASE;
use crate::session::watch::Watch;
use acklab_proto::cc::{CcInit, CongestionControl};
use acklab_proto::tack::TackConfig;
use acklab_proto::tack::wire::Packet;
use acklab_proto::tcp::config::CcChoice;
use acklab_units::Span;
use std::sync::Arc;

/// Packets that leave at once, at most, as in quinn (`MAX_BURST_SIZE`): more than one datagram of the kernel's
/// segmentation, since the timer and the sleep between two bursts cost as much as 64 KiB that leave.
const BURST: u32 = 256;

/// When the receiver hears of another minimum RTT. The one of its handshake has in it what both machines
/// took to compute keys and to wake, often more than 2 % of the path's and less than the 25 % of the
/// simulator: TACKs would stay as much too rare.
const SYNC_PERCENT: u32 = 102;

/// Bytes that may be under way. Memory is taken only for what is; 100 Mbit/s over 200 ms with a TACK each
/// 50 ms and a queue have up to 5 MB, and a writer comes again when a third is free.
const SEND_BUFFER: u64 = 16 << 20;

/// Bytes that a receiver holds. With 1 % of packets lost at 100 Mbit/s over 200 ms, what arrives behind a gap
/// waits for its repair, and for the next one if that is lost: 6 MiB carry 86 Mbit/s there, 12 MiB carry 91.
const RECV_BUFFER: u64 = 12 << 20;

/// The settings of an endpoint and of its connections.
#[derive(Clone, Debug)]
pub struct Config {
    /// TACK's own. `id_len` and `tag_len` are not free: [`Config::default`] has the right ones.
    pub tack: Arc<TackConfig>,
    /// The congestion controller.
    pub controller: CcChoice,
    /// How long nothing may be heard of a peer. An idle connection asks in between.
    pub idle_timeout: Span,
    /// How long a handshake may take.
    pub handshake_timeout: Span,
    /// Connections of an endpoint, at most.
    pub most_connections: usize,
    /// Connections that wait for [`accept`](crate::Endpoint::accept), at most.
    pub backlog: usize,
    /// Bytes that a connection may hold before it is accepted, if its buffer is not smaller.
    pub unaccepted_buffer: u64,
    /// How a server guards its door.
    pub door: DoorConfig,
    /// Packets that are sealed with one key, at most.
    pub packets_per_key: u64,
    /// Bytes of each of the socket's buffers, as requested of the kernel.
    pub socket_buffer: usize,
    /// Bytes of the largest IP packet that is searched for: a connection begins with
    /// [`BASE_MTU`](crate::BASE_MTU) and finds out what the path carries. `None`: packets have
    /// [`TackConfig::mtu`] bytes, whatever the path.
    pub search_mtu: Option<u32>,
    /// Watcher of connections, if any.
    pub watch: Option<Watch>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tack: Arc::new(Self::tack_defaults()),
            controller: CcChoice::named("bbr-tack").expect("a registered controller"),
            idle_timeout: Span::from_secs(60),
            handshake_timeout: Span::from_secs(10),
            most_connections: 16_384,
            backlog: 1024,
            unaccepted_buffer: 64 * 1024,
            door: DoorConfig::default(),
            packets_per_key: u64::MAX,
            socket_buffer: 4 << 20,
            search_mtu: None,
            watch: None,
        }
        .with_search(1500)
    }
}

impl Config {
    /// TACK's settings on real networks: those of the simulator, with bursts that a driver needs, and
    /// questions to a silent peer.
    pub fn tack_defaults() -> TackConfig {
        let mut c = TackConfig {
            id_len: ID_LEN as u8,
            tag_len: TAG as u8,
            pacing_horizon: Span::from_millis(1),
            pacing_burst: BURST,
            lateness: Span::from_millis(4),
            sync_percent: SYNC_PERCENT,
            send_buffer: SEND_BUFFER,
            recv_buffer: RECV_BUFFER,
            keep_alive: Some(Span::from_secs(15)),
            ..TackConfig::default()
        };
        c.mss = c.mtu - Packet::data_overhead(c.id_len, c.tag_len);
        c.taming.mss = c.mss;
        c
    }

    /// The same with packets of `mtu` bytes, IP and UDP headers included.
    pub fn with_mtu(mut self, mtu: u32) -> Self {
        self.set_sizes(mtu, mtu);
        self.search_mtu = None;
        self
    }

    /// The same with packets that become as large as the path carries, and at most `most` bytes.
    pub fn with_search(mut self, most: u32) -> Self {
        self.set_sizes(BASE, most.max(BASE));
        self.search_mtu = Some(most.max(BASE));
        self
    }

    /// Feedback fits into packets of `mtu` bytes, data into those of `most`.
    fn set_sizes(&mut self, mtu: u32, most: u32) {
        let tack = Arc::make_mut(&mut self.tack);
        tack.mtu = mtu;
        tack.mss = most - Packet::data_overhead(tack.id_len, tack.tag_len);
        tack.taming.mss = tack.mss;
    }

    /// Bytes of the largest IP packet that a connection sends.
    pub fn largest(&self) -> u32 {
        self.search_mtu.unwrap_or(self.tack.mtu)
    }

    pub(crate) fn build_controller(&self, seed: u64) -> Box<dyn CongestionControl> {
        let t = &self.tack;
        self.controller.build(CcInit {
            mss: t.mss,
            initial_cwnd: u64::from(t.mss) * u64::from(t.initial_window),
            seed,
            kernel_units: false,
        })
    }
}
