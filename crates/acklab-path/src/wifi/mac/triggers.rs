//! Bytes of the frames of OFDMA (9.3.1.22, 9.3.1.8.6 and 9.2.4.6a of 802.11ax).

use super::sizes::{DELIMITER, FCS, QOS_DATA_HEADER, block_ack};

/// Frame control, duration, receiver, transmitter: what control frames of two addresses begin with.
const CONTROL_HEADER: u32 = 2 + 2 + 6 + 6;
/// Common Info field without a part that depends on the kind.
const COMMON_INFO: u32 = 8;
/// User Info field without that part.
const USER_INFO: u32 = 5;

/// The kind of a Trigger frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TriggerKind {
    /// Data (Basic).
    Basic,
    /// Buffer status reports (BSRP).
    BufferStatus,
    /// Block acknowledgements (MU-BAR, compressed).
    BlockAcks,
}

impl TriggerKind {
    /// Trigger Dependent User Info: preferences of aggregation, nothing, BAR Control and BAR
    /// Information.
    const fn per_user(self) -> u32 {
        match self {
            Self::Basic => 1,
            Self::BufferStatus => 0,
            Self::BlockAcks => 2 + 2,
        }
    }
}

/// A Trigger frame with so many User Info fields and `padding` bytes, which give the stations time to
/// prepare an answer (26.5.2.2.3). Neighbouring random-access resource units share one field.
pub const fn trigger(kind: TriggerKind, fields: u32, padding: u32) -> u32 {
    CONTROL_HEADER + COMMON_INFO + fields * (USER_INFO + kind.per_user()) + padding + FCS
}

/// A Multi-STA BlockAck: BA Control, and for each station AID and TID, start and bitmap.
pub const fn multi_station_block_ack(stations: u32, window: u16) -> u32 {
    multi_station_block_ack_of(0, stations, window)
}

/// The same, in which `whole` stations read that all of their MPDUs have arrived, which needs neither start nor
/// bitmap (All Ack, 9.3.1.8.6), and the `others` what has.
pub const fn multi_station_block_ack_of(whole: u32, others: u32, window: u16) -> u32 {
    let bitmap = if window <= 64 { 8 } else { 32 };
    CONTROL_HEADER + 2 + whole * 2 + others * (2 + 2 + bitmap) + FCS
}

/// A Block Ack in an HE TB PPDU, which is alone in an A-MPDU there.
pub const fn block_ack_at_once(window: u16) -> u32 {
    DELIMITER + block_ack(window)
}

/// A buffer status report: a QoS Null frame with HT Control, alone in an A-MPDU.
pub const BUFFER_STATUS: u32 = DELIMITER + QOS_DATA_HEADER + 4 + FCS;

#[cfg(test)]
mod tests {
    use super::*;

    /// 16 + 8 + 9 * 6 + 4; 16 + 8 + 9 * 5 + 4; 16 + 8 + 4 * 9 + 4.
    #[test]
    fn trigger_frames() {
        assert_eq!(trigger(TriggerKind::Basic, 9, 0), 82);
        assert_eq!(trigger(TriggerKind::BufferStatus, 9, 0), 73);
        assert_eq!(trigger(TriggerKind::BlockAcks, 4, 0), 64);
    }

    /// All Ack: 16 + 2 + 4 * 2 + 4, as ns-3 sends it.
    #[test]
    fn who_has_lost_nothing_needs_no_bitmap() {
        assert_eq!(multi_station_block_ack_of(4, 0, 64), 30);
        assert_eq!(multi_station_block_ack_of(1, 1, 256), 60);
        assert_eq!(block_ack_at_once(64), 36);
    }

    /// 16 + 2 + 9 * 12 + 4, with 256 MPDUs 16 + 2 + 9 * 36 + 4.
    #[test]
    fn block_acks() {
        assert_eq!(multi_station_block_ack(9, 64), 130);
        assert_eq!(multi_station_block_ack(9, 256), 346);
        assert_eq!(BUFFER_STATUS, 38);
    }
}
