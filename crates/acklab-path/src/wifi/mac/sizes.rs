//! Bytes of frames, and what fits into one transmission.
//!
//! An MSDU is the IP packet behind an LLC/SNAP header. One or several of them are the body of an
//! MPDU (clause 9.3.2.2: A-MSDU); one or several MPDUs are the PSDU that the PHY sends (clause
//! 9.7: A-MPDU).

/// Frame check sequence (9.2.4.8).
pub const FCS: u32 = 4;
/// Header of a QoS data frame without HT Control (9.3.2.1).
pub const QOS_DATA_HEADER: u32 = 26;
/// Header of a data frame without QoS (9.3.2.1).
pub const DATA_HEADER: u32 = 24;
/// Header of a management frame (9.3.3.2).
pub const MANAGEMENT_HEADER: u32 = 24;
/// LLC and SNAP headers in front of an IP packet (IEEE 802 clause 9, RFC 1042).
pub const LLC_SNAP: u32 = 8;
/// Addresses and length of a subframe of an A-MSDU (9.3.2.2.2).
pub const AMSDU_SUBFRAME_HEADER: u32 = 14;
/// Delimiter in front of each MPDU of an A-MPDU (9.7.1).
pub const DELIMITER: u32 = 4;
/// ACK (9.3.1.4).
pub const ACK: u32 = 14;
/// CTS (9.3.1.3).
pub const CTS: u32 = 14;
/// RTS (9.3.1.2).
pub const RTS: u32 = 20;
/// Compressed BlockAckReq (9.3.1.8.3).
pub const BLOCK_ACK_REQ: u32 = 24;
/// Longest A-MSDU that an HT station may send under a block ack agreement: an MPDU of an HT
/// A-MPDU is at most 4095 bytes long (10.12, 9.7.3), 30 of which are header and FCS.
pub const HT_AMSDU_IN_AMPDU: u32 = 4065;

/// Compressed BlockAck (9.3.1.9.3): 24 bytes and a bitmap of 8, or of 32 for more than 64 MPDUs.
pub const fn block_ack(window: u16) -> u32 {
    if window <= 64 { 24 + 8 } else { 24 + 32 }
}

/// The MSDU that carries an IP packet.
pub const fn msdu(ip: u32) -> u32 {
    ip + LLC_SNAP
}

/// `bytes` rounded up to a multiple of four.
#[inline]
pub const fn padded(bytes: u32) -> u32 {
    bytes.next_multiple_of(4)
}

/// An A-MSDU of `bytes` bytes after one more MSDU: what was last is padded, what is last now is
/// not (9.3.2.2.2). Zero bytes are an A-MSDU without a subframe.
#[inline]
pub const fn amsdu_with(bytes: u32, msdu: u32) -> u32 {
    padded(bytes) + AMSDU_SUBFRAME_HEADER + msdu
}

/// The largest sizes that may be sent at once. The caller composes it from rate, format and agreements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Longest PSDU in bytes, from the longest duration and the format. A single MPDU is sent
    /// whatever its length, unless this is `strict`.
    pub max_psdu: u32,
    /// Nothing is longer than `max_psdu`: a Trigger frame has said how long the PPDU is.
    pub strict: bool,
    /// Longest A-MPDU in bytes; 0: none, hence no block ack agreement with this station. Whether
    /// it is 0 must not change while a station is served.
    pub ampdu: u32,
    /// Longest A-MSDU in bytes; 0: none.
    pub amsdu: u32,
    /// Longest MPDU in bytes.
    pub max_mpdu: u32,
    /// MPDUs that may be unacknowledged at once, 1 to 256. It must not shrink.
    pub window: u16,
    /// Bytes from the start of an MPDU to the start of the next, at least (10.13.3: minimum MPDU
    /// start spacing times the rate); 0: no restriction.
    pub spacing: u32,
    /// Header and FCS of an MPDU, [`QOS_DATA_HEADER`] + [`FCS`] for example.
    pub overhead: u32,
    /// A single MPDU gets a delimiter, too (VHT and later, 9.7.1).
    pub always_delimited: bool,
}

impl Limits {
    /// Single MSDUs, each acknowledged by an ACK.
    pub const SINGLE: Self = Self {
        max_psdu: 65_535,
        strict: false,
        ampdu: 0,
        amsdu: 0,
        max_mpdu: 11_454,
        window: 1,
        spacing: 0,
        overhead: QOS_DATA_HEADER + FCS,
        always_delimited: false,
    };
}

/// A PSDU while it is put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Assembly {
    /// MPDUs in it.
    pub mpdus: u32,
    /// Bytes if it is an A-MPDU, without padding after the last MPDU.
    delimited: u32,
    /// Where the delimiter of the last MPDU begins.
    last: u32,
}

impl Assembly {
    /// With one more MPDU of `bytes` bytes; `None` if that does not fit. The first always does, unless the
    /// limits are strict.
    #[inline]
    pub fn with(self, bytes: u32, limits: &Limits) -> Option<Self> {
        if self.mpdus == 0 {
            if limits.strict && DELIMITER + bytes > limits.max_psdu {
                return None;
            }
            return Some(Self {
                mpdus: 1,
                delimited: DELIMITER + bytes,
                last: 0,
            });
        }
        let start = padded(self.delimited).max(self.last + padded(limits.spacing));
        let delimited = start + DELIMITER + bytes;
        let fits = delimited <= limits.ampdu.min(limits.max_psdu);
        fits.then_some(Self {
            mpdus: self.mpdus + 1,
            delimited,
            last: start,
        })
    }

    /// Bytes of the PSDU.
    #[inline]
    pub fn bytes(&self, limits: &Limits) -> u32 {
        match self.mpdus {
            0 => 0,
            1 if !limits.always_delimited => self.delimited - DELIMITER,
            _ => self.delimited,
        }
    }

    /// Whether a single MPDU of `bytes` bytes respects the limit of a PSDU.
    #[inline]
    pub fn alone_within(bytes: u32, limits: &Limits) -> bool {
        let delimiter = if limits.always_delimited {
            DELIMITER
        } else {
            0
        };
        bytes + delimiter <= limits.max_psdu
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Limits = Limits {
        ampdu: 65_535,
        amsdu: 3839,
        window: 64,
        ..Limits::SINGLE
    };

    fn ampdu(mpdus: &[u32], limits: &Limits) -> u32 {
        let start = Assembly::default();
        let add = |a: Assembly, m: &u32| a.with(*m, limits).expect("fits");
        mpdus.iter().fold(start, add).bytes(limits)
    }

    /// Field by field: Frame Control 2, Duration 2, RA 6, TA 6, BAR or BA Control 2, Starting
    /// Sequence Control 2, bitmap, FCS 4.
    #[test]
    fn control_frames_are_the_sum_of_their_fields() {
        assert_eq!((ACK, CTS), (2 + 2 + 6 + 4, 2 + 2 + 6 + 4));
        assert_eq!(RTS, 2 + 2 + 6 + 6 + 4);
        assert_eq!(BLOCK_ACK_REQ, 2 + 2 + 6 + 6 + 2 + 2 + 4);
        assert_eq!(block_ack(64), 2 + 2 + 6 + 6 + 2 + 2 + 8 + 4);
        assert_eq!(block_ack(256), 2 + 2 + 6 + 6 + 2 + 2 + 32 + 4);
        assert_eq!(DATA_HEADER, 2 + 2 + 6 + 6 + 6 + 2);
        assert_eq!(MANAGEMENT_HEADER, DATA_HEADER);
        assert_eq!(QOS_DATA_HEADER, DATA_HEADER + 2);
        assert_eq!(HT_AMSDU_IN_AMPDU, 4095 - QOS_DATA_HEADER - FCS);
    }

    /// ns-3's wifi-aggregation-test: its 1500 and 1300 bytes are MSDUs, LLC/SNAP included.
    #[test]
    fn sizes_of_ns3() {
        assert_eq!(msdu(1492), 1500);
        assert_eq!(ampdu(&[1530; 3], &BOTH), 1536 + 1536 + 1534);
        assert_eq!(ampdu(&[1530; 3], &BOTH), 4606);
        let two_1500 = amsdu_with(amsdu_with(0, 1500), 1500);
        assert_eq!(two_1500, 14 + 1500 + 2 + 14 + 1500);
        assert_eq!(two_1500, 3030);
        let two_1300 = amsdu_with(amsdu_with(0, 1300), 1300);
        assert_eq!(two_1300 + BOTH.overhead, 2660);
        assert_eq!(ampdu(&[2660, 2660, 1330], &BOTH), 6662);
    }

    #[test]
    fn an_mpdu_alone_has_a_delimiter_only_where_the_format_wants_it() {
        assert_eq!(ampdu(&[1530], &BOTH), 1530);
        let vht = Limits {
            always_delimited: true,
            ..BOTH
        };
        assert_eq!(ampdu(&[1530], &vht), 1534);
    }

    /// 8 us at 65 Mbit/s are 65 bytes: subframes of 100 and 68 bytes instead of 100 and 48.
    #[test]
    fn short_mpdus_keep_the_start_spacing() {
        let spaced = Limits {
            spacing: 65,
            ..BOTH
        };
        assert_eq!(ampdu(&[96, 44, 44], &BOTH), 100 + 48 + 48);
        assert_eq!(ampdu(&[96, 44, 44], &spaced), 100 + 68 + 48);
    }

    #[test]
    fn the_first_mpdu_fits_whatever_its_length() {
        let tight = Limits {
            max_psdu: 1000,
            ..BOTH
        };
        let one = Assembly::default().with(1530, &tight).expect("the first");
        assert_eq!(one.with(100, &tight), None);
        assert!(!Assembly::alone_within(1530, &tight));
    }
}
