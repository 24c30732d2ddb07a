//! How neighbours are found.

use acklab_units::Span;

/// How a station finds out its neighbours' addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArpConfig {
    /// Access category of questions and answers, by number.
    pub category: u8,
    /// The first question after a packet waits for so long first: whole milliseconds below this many,
    /// all equally likely. Zero: it is sent at once.
    pub jitter_ms: u16,
    /// Between looks at who has not answered. The clock is one for all neighbours of a station, and
    /// starts with the first request.
    pub wait_reply: Span,
    /// Questions after the first one, before a neighbour counts as dead.
    pub retries: u8,
    /// Packets that wait for one neighbour; further ones are dropped.
    pub pending: u16,
    /// How long an answer holds.
    pub alive: Span,
    /// How long a neighbour that has not answered gets no new request; packets for it are dropped.
    pub dead: Span,
    /// The station that is asked learns the asker's address from the question (RFC 826, packet
    /// reception). Otherwise it learns from answers to its own questions only.
    pub learns: bool,
}

impl ArpConfig {
    /// ns-3.44's `ArpCache` and `ArpL3Protocol`: `RequestJitter` is a uniform number of milliseconds from
    /// 0 to 10, of which `MilliSeconds()` keeps the whole ones, and questions teach nothing.
    pub const NS3: Self = Self {
        category: 0,
        jitter_ms: 10,
        wait_reply: Span::from_secs(1),
        retries: 3,
        pending: 3,
        alive: Span::from_secs(120),
        dead: Span::from_secs(100),
        learns: false,
    };
}
