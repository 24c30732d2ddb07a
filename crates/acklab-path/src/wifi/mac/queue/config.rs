//! How a queue is configured, and what it counts.

use super::stations::StationsConfig;
use acklab_units::Span;

/// The unit that counts against the limit of a shared queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counts {
    /// Packets that were never sent.
    Waiting,
    /// Packets that are not acknowledged yet.
    Unacknowledged,
    /// Packets that were never sent and MPDUs that are not acknowledged, an A-MSDU as one: what
    /// ns-3's `WifiMacQueue` counts.
    #[default]
    Mpdus,
}

/// How packets wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One drop-tail queue for all peers. Next is the peer whose oldest packet is the oldest; a
    /// PSDU takes further packets of that peer out of the middle, as ns-3 does.
    Shared {
        /// The limit of the queue.
        limit: u32,
        /// The unit that counts against it.
        counts: Counts,
    },
    /// FQ-CoDel for each peer, airtime fairness between them, and a short hardware queue below.
    PerStation(StationsConfig),
}

/// A queue as it is configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// How packets wait.
    pub kind: Kind,
    /// How long a packet may stay, sent or not (10.22.2.12, `dot11EDCATableMSDULifetime`).
    pub lifetime: Option<Span>,
    /// Transmissions of an MPDU without an agreement before it is given up
    /// (`dot11ShortRetryLimit`).
    pub retry_limit: u8,
    /// The same under an agreement; `None`: only the lifetime ends it (10.24.7.7, and ns-3 unless
    /// `IncrementRetryCountUnderBa`).
    pub agreement_retry_limit: Option<u8>,
    /// An A-MPDU without an answer is followed by a BlockAckReq instead of the same MPDUs (ns-3's
    /// `UseExplicitBarAfterMissedBlockAck`).
    pub explicit_bar: bool,
    /// BlockAckReqs in a row without an answer before that is given up; `None`: as long as there
    /// is something to ask for.
    pub bar_limit: Option<u8>,
}

impl Config {
    /// ns-3's defaults: 500 packets, 500 ms, 7 transmissions, BlockAckReq after a missed block ack.
    pub const NS3: Self = Self {
        kind: Kind::Shared {
            limit: 500,
            counts: Counts::Mpdus,
        },
        lifetime: Some(Span::from_millis(500)),
        retry_limit: 7,
        agreement_retry_limit: None,
        explicit_bar: true,
        bar_limit: None,
    };
}

/// Counters: `enqueued = handed_over + dropped + removed + inside`, in packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TxStats {
    /// Packets accepted.
    pub enqueued: u64,
    /// Packets refused on arrival.
    pub refused: u64,
    /// Packets that the recipient has.
    pub handed_over: u64,
    /// Packets dropped after they had been accepted.
    pub dropped: u64,
    /// Packets taken out by [`super::TxQueue::remove`] and [`super::TxQueue::take_ahead`].
    pub removed: u64,
    /// Packets marked with CE by flow queues.
    pub marked: u64,
    /// The same by a discipline above.
    pub marked_above: u64,
    /// MPDUs that were given a number.
    pub mpdus: u64,
    /// MPDUs acknowledged.
    pub acknowledged: u64,
    /// MPDUs given up.
    pub given_up: u64,
    /// Transmissions of MPDUs.
    pub sent: u64,
    /// BlockAckReqs.
    pub bars: u64,
}
