//! A data sender's requests for its peer's acknowledgements: two published requests as values.
//!
//! - TARR, the TCP ACK rate request (draft-ietf-tcpm-ack-rate-request): an option that announces
//!   support on a SYN, and elsewhere asks for one ACK per R full segments, or for one at once.
//! - QUIC's `ACK_FREQUENCY` and `IMMEDIATE_ACK` frames (draft-ietf-quic-ack-frequency-14). TCP has no
//!   such frames. Here an experimental option of acklab's own carries their fields, so that the
//!   extension's behaviour can be studied on a TCP endpoint. No other stack speaks it.

use acklab_units::Span;

/// Largest R: the field has seven bits (draft-ietf-tcpm-ack-rate-request).
pub const MAX_RATE: u8 = 0x7f;

/// Longest delay that can be asked for, microseconds: the draft forbids 2^14 ms and more (section
/// 4), and the option has 24 bits for it.
pub const MAX_DELAY_US: u32 = (1 << 14) * 1000 - 1;

/// The fields of an `ACK_FREQUENCY` frame (draft-ietf-quic-ack-frequency section 4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Frequency {
    /// Orders requests: a stale one is ignored. Eight bits here, compared as serial numbers.
    pub sequence: u8,
    /// Segments that may arrive without an acknowledgement; the next one brings it. 0 = each
    /// segment is acknowledged, 1 = every second.
    pub threshold: u16,
    /// How far out of order a segment may be, in segments, before it is acknowledged at once.
    /// 1 = not at all, 0 = disorder never brings an acknowledgement.
    pub reordering: u8,
    /// Longest delay of an acknowledgement, microseconds, at most [`MAX_DELAY_US`].
    pub max_delay_us: u32,
}

impl Frequency {
    /// Longest delay of an acknowledgement.
    pub const fn max_delay(&self) -> Span {
        Span::from_micros(self.max_delay_us as u64)
    }

    /// Whether it was sent after `other` (RFC 1982 serial number arithmetic).
    pub const fn is_newer_than(&self, other: &Self) -> bool {
        (self.sequence.wrapping_sub(other.sequence) as i8) > 0
    }
}

/// A request or announcement as an option of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum AckOption {
    /// On a SYN: this end honours TARR.
    TarrPermitted,
    /// TARR: one ACK per so many full segments; 0 asks for one at once and changes nothing else.
    Tarr {
        /// R, at most [`MAX_RATE`].
        rate: u8,
    },
    /// On a SYN: this end honours [`AckOption::Frequency`]; QUIC's transport parameter
    /// `min_ack_delay`.
    FrequencyPermitted {
        /// Shortest delay that this end can keep, microseconds.
        min_delay_us: u32,
    },
    /// `ACK_FREQUENCY`.
    Frequency(Frequency),
    /// `IMMEDIATE_ACK`.
    Immediate,
}

impl AckOption {
    /// Whether it belongs on a SYN, and only there.
    pub const fn announces(self) -> bool {
        matches!(self, Self::TarrPermitted | Self::FrequencyPermitted { .. })
    }

    /// Whether it asks for an acknowledgement of the very segment that carries it.
    pub const fn is_immediate(self) -> bool {
        matches!(self, Self::Immediate | Self::Tarr { rate: 0 })
    }

    /// Bytes on the wire, without padding: kind, length, experiment identifier (RFC 6994), fields.
    pub const fn bare_len(self) -> u32 {
        match self {
            Self::TarrPermitted | Self::Immediate => 4,
            Self::Tarr { .. } => 5,
            Self::FrequencyPermitted { .. } => 7,
            Self::Frequency(_) => 11,
        }
    }

    /// Bytes on the wire with the NOPs that pad it to whole words.
    pub const fn padded_len(self) -> u32 {
        self.bare_len().next_multiple_of(4)
    }
}

/// How a sender chooses the count that it asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// The same always: this many segments per ACK.
    Fixed(u32),
    /// So many that this many ACKs come back per window.
    PerWindow(u32),
}

/// A sender's request, and its time: part of a policy, for both ends of a flow have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asking {
    /// Which of the two requests, by what its SYN carries.
    pub announcement: AckOption,
    /// The count.
    pub count: Count,
    /// Longest delay to ask for; `None` = the smoothed RTT over `parts`. TARR asks for none.
    pub max_delay: Option<Span>,
    /// Parts of the smoothed RTT.
    pub parts: u32,
    /// Reordering threshold. TARR has none.
    pub reordering: u8,
    /// Ask for fewer ACKs in slow start, too.
    pub in_slow_start: bool,
    /// Ask for fewer ACKs during loss recovery, too.
    pub in_recovery: bool,
    /// Ask for an ACK at once with the last segment before silence and with probes.
    pub immediate: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_after_the_wrap_is_newer() {
        let at = |sequence| Frequency {
            sequence,
            ..Frequency::default()
        };
        assert!(at(1).is_newer_than(&at(255)));
        assert!(!at(255).is_newer_than(&at(1)));
        assert!(!at(7).is_newer_than(&at(7)));
    }

    #[test]
    fn lengths_on_the_wire() {
        let table = [
            (AckOption::TarrPermitted, 4, 4),
            (AckOption::Tarr { rate: 3 }, 5, 8),
            (AckOption::FrequencyPermitted { min_delay_us: 1 }, 7, 8),
            (AckOption::Frequency(Frequency::default()), 11, 12),
            (AckOption::Immediate, 4, 4),
        ];
        for (option, bare, padded) in table {
            assert_eq!((option.bare_len(), option.padded_len()), (bare, padded));
        }
    }

    #[test]
    fn the_longest_delay_fits_into_three_bytes() {
        const { assert!(MAX_DELAY_US < 1 << 24) };
    }
}
